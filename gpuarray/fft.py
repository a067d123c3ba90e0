"""Fourier transforms: the names of numpy.fft, and the settings of the cache of plans on a GPU.

On the CPU device NumPy transforms arrays that share our memory. On a GPU _fourier.py takes a transform apart into steps
that the backend's library makes.
"""

import numpy
import numpy.fft

from gpuarray import _core, _joining
from gpuarray._core import arange, asarray, ndarray
from gpuarray._fallback import is_unheld, run_library, run_silently

__all__ = [*numpy.fft.__all__, "clear_plan_cache", "plan_cache_info", "set_plan_cache_size"]


def is_numpys(a, out):
    """Whether NumPy makes the transform: of what no device holds or lies on the CPU device, or into its own arrays."""
    return not isinstance(a, ndarray) or a.device == "cpu" or isinstance(out, numpy.ndarray)


def transform(name, a, lengths, axes, norm, out):
    """What numpy.fft.<name> gives, made where `a` lies."""
    try:
        a = asarray(a)
    except TypeError:
        if not is_unheld(a):
            raise
    if is_numpys(a, out):
        args = a, lengths, axes, norm, out
        runner = run_library if isinstance(a, ndarray) and a.device == "cpu" else run_silently
        return runner(getattr(numpy.fft, name), f"gpuarray.fft.{name}", args, {})
    from gpuarray import _fourier

    return _fourier.transform(name, a, lengths, axes, norm, out)


def fft(a, n=None, axis=-1, norm=None, out=None):
    """Discrete Fourier transform along an axis.

    Parameters
    ----------
    a : array_like
        Signals, real or complex.
    n : int, optional
        Length of the transform: the axis is cropped, or padded with zeros at its end. Default: that of the axis.
    axis : int, optional
        The axis to transform.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is scaled by 1/n; "ortho" scales both by 1/sqrt(n).
    out : ndarray, optional
        Where the result goes.

    Returns
    -------
    ndarray
        complex64 for single precision, complex128 otherwise.
    """
    return transform("fft", a, n, axis, norm, out)


def ifft(a, n=None, axis=-1, norm=None, out=None):
    """Inverse of `fft`; parameters as there."""
    return transform("ifft", a, n, axis, norm, out)


def rfft(a, n=None, axis=-1, norm=None, out=None):
    """The first n//2 + 1 elements of the transform of real signals, which determine the others.

    Parameters are those of `fft`.
    """
    return transform("rfft", a, n, axis, norm, out)


def irfft(a, n=None, axis=-1, norm=None, out=None):
    """Inverse of `rfft`: `n` real elements, by default twice the length of the axis less two.

    Parameters are those of `fft`. What a spectrum of real signals cannot have, imaginary parts of the first element
    and of the one at n/2, is ignored.
    """
    return transform("irfft", a, n, axis, norm, out)


def hfft(a, n=None, axis=-1, norm=None, out=None):
    """Transform of Hermitian signals, given by their first n//2 + 1 elements: a real spectrum.

    Parameters are those of `fft`.
    """
    result = transform("hfft", a, n, axis, norm, out)
    if out is None or result is out:
        return result
    out[...] = result  # NumPy's function looks at its out only to refuse it
    return out


def ihfft(a, n=None, axis=-1, norm=None, out=None):
    """Inverse of `hfft`; parameters are those of `fft`."""
    return transform("ihfft", a, n, axis, norm, out)


def fftn(a, s=None, axes=None, norm=None, out=None):
    """Discrete Fourier transform over several axes.

    Parameters
    ----------
    a : array_like
        Signals, real or complex.
    s : sequence of int, optional
        Length of the transform along each axis of `axes`; -1 stands for the whole axis.
    axes : sequence of int, optional
        The axes to transform, by default all of them.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is scaled, as in `fft`.
    out : ndarray, optional
        Where the result goes.
    """
    return transform("fftn", a, s, axes, norm, out)


def ifftn(a, s=None, axes=None, norm=None, out=None):
    """Inverse of `fftn`; parameters as there."""
    return transform("ifftn", a, s, axes, norm, out)


def rfftn(a, s=None, axes=None, norm=None, out=None):
    """Transform of real signals over several axes, of which the last one is halved as by `rfft`.

    Parameters are those of `fftn`.
    """
    return transform("rfftn", a, s, axes, norm, out)


def irfftn(a, s=None, axes=None, norm=None, out=None):
    """Inverse of `rfftn`; parameters are those of `fftn`."""
    return transform("irfftn", a, s, axes, norm, out)


def fft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """`fftn` over the last two axes."""
    return transform("fft2", a, s, axes, norm, out)


def ifft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """`ifftn` over the last two axes."""
    return transform("ifft2", a, s, axes, norm, out)


def rfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """`rfftn` over the last two axes."""
    return transform("rfft2", a, s, axes, norm, out)


def irfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """`irfftn` over the last two axes."""
    return transform("irfft2", a, s, axes, norm, out)


def spaced(places, n, d, dtype):
    """Integers over n * d, in the dtype that was asked for."""
    frequencies = places * (1.0 / (n * d))
    return frequencies if dtype is None else frequencies.astype(dtype, copy=False)


def check_count(n):
    if not isinstance(n, (int, numpy.integer)):
        raise ValueError("n should be an integer")
    if n < 0:
        raise ValueError("negative dimensions are not allowed")
    return int(n)


def fftfreq(n, d=1.0, device=None, *, dtype=None):
    """Frequencies of the elements that `fft` gives, in cycles a unit of the sample spacing.

    Parameters
    ----------
    n : int
        Length of the transform.
    d : scalar, optional
        Sample spacing.
    device : Device or str, optional
        Where the array lies.
    dtype : dtype, optional
        float64 unless given.
    """
    n = check_count(n)
    places = arange(n, device=device)
    places[(n - 1) // 2 + 1 :] -= n
    return spaced(places, n, d, dtype)


def rfftfreq(n, d=1.0, device=None, *, dtype=None):
    """Frequencies of the elements that `rfft` gives; parameters are those of `fftfreq`."""
    n = check_count(n)
    return spaced(arange(n // 2 + 1, device=device), n, d, dtype)


def roll_halves(x, axes, distance):
    """`x` rolled along axes by what `distance` says of their lengths."""
    x = asarray(x)
    if axes is None:
        axes = tuple(range(x.ndim))
    if isinstance(axes, (int, numpy.integer)):
        return _joining.roll(x, distance(x.shape[axes]), axes)
    return _joining.roll(x, [distance(x.shape[axis]) for axis in axes], axes)


def fftshift(x, axes=None):
    """Move frequency zero from the beginning of axes, by default of all, to their middle."""
    return roll_halves(x, axes, lambda length: length // 2)


def ifftshift(x, axes=None):
    """Inverse of `fftshift`; for axes of odd length another."""
    return roll_halves(x, axes, lambda length: -(length // 2))


def plan_cache_info(device=None):
    """Number of transforms planned for a GPU and kept, their limit, and how often one was there already, as a dict."""
    return _core._fft_plans(device)


def set_plan_cache_size(size, device=None):
    """Keep at most `size` plans for a device, those used last; return the limit before. 64 unless set."""
    if size < 0:
        raise ValueError(f"the size of the plan cache cannot be {size}")
    return _core._fft_plans(device, size)["limit"]


def clear_plan_cache(device=None):
    """Forget the plans of a device; what they hold of its memory is free again."""
    limit = set_plan_cache_size(0, device)
    set_plan_cache_size(limit, device)

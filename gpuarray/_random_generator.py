"""Generator and default_rng: NumPy's class of that name, on the device."""

import numpy
from numpy.random import SeedSequence

from gpuarray._random_continuous import Continuous
from gpuarray._random_discrete import Discrete
from gpuarray._random_multivariate import ModernMultivariate
from gpuarray._random_ordering import ModernOrdering
from gpuarray._random_parameters import check_float
from gpuarray._random_streams import Philox4x32


class Generator(Continuous, Discrete, ModernMultivariate, ModernOrdering):
    """
    Random numbers of many distributions from a bit generator, on a device.

    Parameters
    ----------
    bit_generator : Philox4x32, or a BitGenerator of NumPy's
        Where the bits come from. NumPy's Philox gives NumPy's bits; a sequential one gives each call a key for
        Philox4x32.
    device : Device or str, optional
        Where results go; by default the default device at each call.

    Notes
    -----
    The same seed gives the same raw bits, integers and uniform numbers on every device.

    A bad parameter is NumPy's ValueError (uniform ranges that are no numbers: OverflowError). On a GPU it comes at the
    call for parameters from the host, and for arrays on the device if the result has up to 65536 elements; for more,
    from the next call that waits for the device.
    """

    def __init__(self, bit_generator, device=None):
        self._open(bit_generator, device)

    @property
    def bit_generator(self):
        """The bit generator."""
        return self._bit_generator

    def spawn(self, n_children):
        """
        New independent generators.

        Parameters
        ----------
        n_children : int
            How many.

        Returns
        -------
        list of Generator
        """
        children = self._bit_generator.spawn(n_children)
        return [type(self)(child, self._device) for child in children]

    def random(self, size=None, dtype=numpy.float64, out=None):
        """
        Uniform numbers in [0, 1).

        Parameters
        ----------
        size : int or tuple of ints, optional
            Shape of the result; by default a scalar.
        dtype : dtype, optional
            float64, or float32.
        out : ndarray, optional
            Gets the result.

        Returns
        -------
        ndarray, or a scalar
        """
        return self._floats(self._uniform, "random", size, dtype, out)

    def standard_normal(self, size=None, dtype=numpy.float64, out=None):
        """
        Normal numbers with mean 0 and standard deviation 1.

        Parameters
        ----------
        size : int or tuple of ints, optional
            Shape of the result; by default a scalar.
        dtype : dtype, optional
            float64, or float32.
        out : ndarray, optional
            Gets the result.

        Returns
        -------
        ndarray, or a scalar

        Notes
        -----
        Box and Muller's; see `normal`. The tails of float32 reach 6.7 standard deviations.
        """
        return self._floats(self._normal, "standard_normal", size, dtype, out)

    def standard_exponential(self, size=None, dtype=numpy.float64, method="zig", out=None):
        """
        Exponential numbers with mean 1.

        Parameters
        ----------
        size : int or tuple of ints, optional
            Shape of the result; by default a scalar.
        dtype : dtype, optional
            float64, or float32.
        method : {"zig", "inv"}, optional
            NumPy's; both are the logarithm of a uniform number here.
        out : ndarray, optional
            Gets the result.

        Returns
        -------
        ndarray, or a scalar
        """
        return self._floats(self._exponential, "standard_exponential", size, dtype, out)

    def standard_gamma(self, shape, size=None, dtype=numpy.float64, out=None):
        """
        Gamma distribution of scale 1.

        Parameters
        ----------
        shape : float or array_like of floats
            Not negative.
        size : int or tuple of ints, optional
            Shape of the result; by default that of the parameter.
        dtype : dtype, optional
            float64, or float32.
        out : ndarray, optional
            Gets the result.

        Returns
        -------
        ndarray, or a scalar

        Notes
        -----
        See `gamma`.
        """
        dtype = check_float(dtype, "standard_gamma")
        return self._draw("standard_gamma", (shape,), size, dtype, "gamma", more=(1.0,), out=out)

    def integers(self, low, high=None, size=None, dtype=numpy.int64, endpoint=False):
        """
        Integers from low (included) to high (excluded), all equally likely.

        Parameters
        ----------
        low : int or array_like of ints
            The lowest one; without `high`, the end of a range that begins with 0.
        high : int or array_like of ints, optional
            The end.
        size : int or tuple of ints, optional
            Shape of the result; by default that of the parameters.
        dtype : dtype, optional
            An integer dtype, or bool.
        endpoint : bool, optional
            Whether `high` itself belongs to the range.

        Returns
        -------
        ndarray, or a scalar

        Notes
        -----
        D. Lemire, "Fast random integer generation in an interval", ACM TOMACS 29 (2019). From Philox these are
        NumPy's numbers, up to the first element for which NumPy draws again.
        """
        return self._ranged("integers", low, high, size, dtype, endpoint)

    def __reduce__(self):
        device = None if self._device is None else str(self._device)
        return type(self), (self._bit_generator, device)

    def __str__(self):
        return f"{type(self).__name__}({type(self._bit_generator).__name__})"

    def __repr__(self):
        return f"{self} at {id(self):#X}"


def default_rng(seed=None, device=None):
    """
    A Generator with the bit generator Philox4x32.

    Parameters
    ----------
    seed : None, int, array_like of ints, SeedSequence, BitGenerator, Generator, RandomState, optional
        A bit generator is used as it is; a Generator is returned itself.
    device : Device or str, optional
        Where results go; by default the default device at each call.

    Returns
    -------
    Generator
    """
    if isinstance(seed, Generator) and device is None:
        return seed
    owner = (Generator, numpy.random.Generator, numpy.random.RandomState)
    if hasattr(seed, "_share_bits"):
        seed = seed._share_bits()
    elif isinstance(seed, owner) or hasattr(seed, "_bit_generator"):
        seed = seed._bit_generator
    if isinstance(seed, (Philox4x32, numpy.random.BitGenerator)):
        return Generator(seed, device)
    return Generator(Philox4x32(seed), device)


__all__ = ["Generator", "SeedSequence", "default_rng"]

"""Derivatives of images: sums of neighbours with signs."""

from numpy.lib.array_utils import normalize_axis_index

from gpuarray._core import asarray, sqrt
from gpuarray.ndimage._arguments import check_output, deliver, output_dtype, read_axes, spread
from gpuarray.ndimage._filters import correlate1d, filter_axes, gaussian_filter

__all__ = [
    "gaussian_gradient_magnitude",
    "gaussian_laplace",
    "generic_laplace",
    "laplace",
    "prewitt",
    "sobel",
]


def slope(input, axis, output, mode, cval, across):
    """Differences along an axis, smoothed with weights along the others."""
    a = asarray(input)
    axis = normalize_axis_index(axis, a.ndim)
    dtype, modes = output_dtype(output, a), spread(mode, a.ndim)
    check_output(output, a.shape)
    others = [other for other in range(a.ndim) if other != axis]
    passes = [
        lambda x, at=at, weights=weights: correlate1d(x, weights, at, dtype, modes[at], cval, 0)
        for at, weights in [(axis, [-1, 0, 1]), *((other, across) for other in others)]
    ]
    return deliver(filter_axes(a, dtype, passes), output)


def sobel(input, axis=-1, output=None, mode="reflect", cval=0.0):
    """Slope along an axis, smoothed with the weights 1, 2, 1 along the others.

    Parameters
    ----------
    input : array_like
        Array of any number of axes.
    axis : int, optional
        The axis along which the slope is taken.
    output : array or dtype, optional
        Where the result goes, or its dtype.
    mode : str or sequence of str, optional
        How the array goes on behind its ends, for all axes or for each.
    cval : scalar, optional
        What lies outside in mode "constant".
    """
    return slope(input, axis, output, mode, cval, [1, 2, 1])


def prewitt(input, axis=-1, output=None, mode="reflect", cval=0.0):
    """Slope along an axis, smoothed with the weights 1, 1, 1 along the others; parameters as of `sobel`."""
    return slope(input, axis, output, mode, cval, [1, 1, 1])


def add_along(input, derivative, output, mode, cval, extra, keywords, axes, finish=None):
    """The sum of what `derivative` gives along each axis, in the dtype of the result."""
    a = asarray(input)
    dtype = output_dtype(output, a)
    axes = read_axes(axes, a.ndim)
    check_output(output, a.shape)
    total = None
    for axis, each in zip(axes, spread(mode, len(axes)), strict=True):
        part = derivative(a, axis, dtype, each, cval, *extra, **keywords)
        part = part * part if finish else part
        total = part if total is None else total + part
    if total is None:
        total = a.astype(dtype)
    return deliver(finish(total).astype(dtype, copy=False) if finish else total, output)


def generic_laplace(
    input,
    derivative2,
    output=None,
    mode="reflect",
    cval=0.0,
    extra_arguments=(),
    extra_keywords=None,
    *,
    axes=None,
):
    """The sum of second derivatives, made by derivative2(input, axis, output, mode, cval, ...)."""
    keywords = extra_keywords or {}
    return add_along(input, derivative2, output, mode, cval, extra_arguments, keywords, axes)


def bend(input, axis, output, mode, cval):
    return correlate1d(input, [1, -2, 1], axis, output, mode, cval, 0)


def laplace(input, output=None, mode="reflect", cval=0.0, *, axes=None):
    """The sum of second differences along all axes, or `axes`; parameters as of `sobel`."""
    return generic_laplace(input, bend, output, mode, cval, axes=axes)


def gaussian_derivative(degree, sigma, axes, ndim, keywords):
    """A derivative of that degree of the array smoothed along the axes, for add_along."""
    given = dict(zip(axes, spread(sigma, len(axes)), strict=True))
    sigmas = [given.get(axis, 0) for axis in range(ndim)]

    def derive(x, axis, output, mode, cval):
        orders = [degree if other == axis else 0 for other in range(ndim)]
        return gaussian_filter(x, sigmas, orders, output, mode, cval, **keywords)

    return derive


def gaussian_laplace(input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None, **kwargs):
    """The sum of second derivatives of the array smoothed by normal distributions.

    Parameters are those of `sobel` and, as further keywords, of `gaussian_filter`.
    """
    a = asarray(input)
    derive = gaussian_derivative(2, sigma, read_axes(axes, a.ndim), a.ndim, kwargs)
    return add_along(a, derive, output, mode, cval, (), {}, axes)


def gaussian_gradient_magnitude(
    input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None, **kwargs
):
    """The length of the gradient of the array smoothed by normal distributions; parameters as of `gaussian_laplace`."""
    a = asarray(input)
    derive = gaussian_derivative(1, sigma, read_axes(axes, a.ndim), a.ndim, kwargs)
    return add_along(a, derive, output, mode, cval, (), {}, axes, finish=sqrt)

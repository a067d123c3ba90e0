"""What the functions of gpuarray.ndimage take, and where their results go."""

import operator
import warnings
from collections.abc import Iterable

import numpy

from gpuarray._boxes import CONSTANT, MIRROR, NEAREST, REFLECT, WRAP
from gpuarray._core import asnumpy, ndarray, trunc

BORDERS = {
    "nearest": NEAREST,
    "wrap": WRAP,
    "grid-wrap": WRAP,
    "reflect": REFLECT,
    "grid-mirror": REFLECT,
    "mirror": MIRROR,
    "constant": CONSTANT,
    "grid-constant": CONSTANT,
}


def read_border(mode):
    """The border's rule for a filter's mode."""
    if mode not in BORDERS:
        raise RuntimeError("boundary mode not supported")
    return BORDERS[mode]


def spread(value, count):
    """A value, or a sequence of that many, as a list."""
    if isinstance(value, str) or not isinstance(value, Iterable) or numpy.ndim(value) == 0:
        return [value] * count
    values = list(value)
    if len(values) != count:
        raise RuntimeError("sequence argument must have length equal to input rank")
    return values


def read_axes(axes, ndim):
    """Axes as a tuple of places; all of them for None."""
    if axes is None:
        return tuple(range(ndim))
    if not isinstance(axes, Iterable):
        axes = (axes,)
    axes = tuple(operator.index(axis) for axis in axes)
    for axis in axes:
        if not -ndim <= axis < ndim:
            raise ValueError(f"specified axis: {axis} is out of range")
    axes = tuple(axis % ndim for axis in axes)
    if len(set(axes)) != len(axes):
        raise ValueError("axes must be unique")
    return axes


def refuse_complex(*arrays):
    if any(x.dtype.kind == "c" for x in arrays):
        raise TypeError("Complex type not supported")


def output_dtype(output, a, needs_complex=False):
    """The dtype of the result that `output`, an array, a dtype or None, asks for."""
    if output is None:
        return numpy.promote_types(a.dtype, numpy.complex64) if needs_complex else a.dtype
    if isinstance(output, (ndarray, numpy.ndarray)):
        if needs_complex and output.dtype.kind != "c":
            raise RuntimeError("output must have complex dtype")
        return output.dtype
    dtype = numpy.dtype(output)
    if needs_complex and dtype.kind != "c":
        if isinstance(output, str):
            raise RuntimeError("output must have complex dtype")
        warnings.warn("promoting specified output dtype to complex", stacklevel=3)
        return numpy.promote_types(dtype, numpy.complex64)
    if isinstance(output, str) and not issubclass(dtype.type, numpy.number):
        raise RuntimeError("output must have numeric dtype")
    return dtype


def check_output(output, shape):
    if isinstance(output, (ndarray, numpy.ndarray)) and output.shape != tuple(shape):
        raise RuntimeError("output shape not correct")


def deliver(result, output):
    """The result, or the array that was given for it, filled."""
    if isinstance(output, ndarray):
        output[...] = result
        return output
    if isinstance(output, numpy.ndarray):
        output[...] = asnumpy(result)
        return output
    return result


def weights_on_host(weights):
    """A filter's few numbers as a numpy array: they are made, and looked at, on the host."""
    return asnumpy(weights) if isinstance(weights, ndarray) else numpy.asarray(weights)


def holds_exactly(value, dtype):
    """Whether a number is one of the dtype's."""
    with numpy.errstate(all="ignore"):
        cast = numpy.asarray(value).astype(dtype)
    return bool(cast == value) or value != value


def narrow_truncated(values, dtype):
    """Real or complex values in a dtype, as C converts them: fractions are cut off, in front of bools too."""
    if values.dtype == dtype:
        return values
    if dtype.kind == "b":
        return trunc(values).astype(bool)
    return values.astype(dtype)

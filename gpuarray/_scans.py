"""Running sums and products along an axis: compositions of ufunc.accumulate."""

import operator

from gpuarray import _core
from gpuarray._core import asarray, concatenate, full_like
from gpuarray._fallback import on_host_if_unheld

__all__ = ["cumprod", "cumsum", "cumulative_prod", "cumulative_sum"]


def accumulate(ufunc, a, axis, dtype, out):
    """Every intermediate result along an axis, or over the elements in C order."""
    a = asarray(a)
    if axis is None or a.ndim == 0:
        a = a.reshape(-1)
    axis = 0 if axis is None else operator.index(axis)
    return ufunc.accumulate(a, axis, dtype, out)


@on_host_if_unheld
def cumsum(a, axis=None, dtype=None, out=None):
    """Sums of ever more elements along an axis."""
    return accumulate(_core.add, a, axis, dtype, out)


@on_host_if_unheld
def cumprod(a, axis=None, dtype=None, out=None):
    """Products of ever more elements along an axis."""
    return accumulate(_core.multiply, a, axis, dtype, out)


def cumulative(ufunc, x, axis, dtype, out, include_initial):
    """As `accumulate`, with the identity before the first element where `include_initial`."""
    x = asarray(x)
    if x.ndim == 0:
        x = x.reshape(1)
    if axis is None and x.ndim > 1:
        raise ValueError(
            "For arrays which have more than one dimension ``axis`` argument is required."
        )
    axis = 0 if axis is None else axis
    if out is not None and include_initial:
        return store_with_initial(ufunc, x, axis, dtype, out)
    result = ufunc.accumulate(x, axis, dtype, out)
    if not include_initial:
        return result
    shape = [*result.shape]
    shape[axis] = 1
    initial = full_like(result, ufunc.identity, shape=shape)
    return concatenate([initial, result], axis)


def store_with_initial(ufunc, x, axis, dtype, out):
    before = (slice(None),) * (axis % out.ndim)
    ufunc.accumulate(x, axis, dtype, out[(*before, slice(1, None))])
    out[(*before, 0)] = ufunc.identity
    return out


def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Sums of ever more elements along an axis, of none first where `include_initial`."""
    return cumulative(_core.add, x, axis, dtype, out, include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Products of ever more elements along an axis, of none first where `include_initial`."""
    return cumulative(_core.multiply, x, axis, dtype, out, include_initial)

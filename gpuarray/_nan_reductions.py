"""Reductions that pass over NaN: NumPy's rules, by masks on the reductions that there are."""

import functools

import numpy

from gpuarray import _core
from gpuarray._chains import chained, where
from gpuarray._core import all, argmax, argmin, asarray, isnan, mean, ndarray, prod, sum
from gpuarray._dtypes import is_inexact
from gpuarray._fallback import on_host_if_unheld
from gpuarray._reductions import NO_VALUE, given, make_spread, std, store, var
from gpuarray._scans import cumprod, cumsum

__all__ = [
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
]


def has_nan(a):
    """Whether a dtype has NaN at all."""
    return is_inexact(a.dtype)


def present(a, where=NO_VALUE):
    """The mask of the elements that count: NaN equals nothing."""
    mask = _core.equal(a, a)
    if where is NO_VALUE or where is True:
        return mask
    return _core.logical_and(mask, asarray(where, dtype=bool, device=a.device))


def replaced(a, value):
    """`a` with another value in place of NaN."""
    return _core._replace_nan(a, value) if has_nan(a) else a


def is_real(a, dtype, out):
    """Whether elements, sum and result are floats that the kernel for what is present has."""
    kinds = [
        numpy.dtype(dtype).kind if dtype is not None else "f",
        "f" if out is None else out.dtype.kind,
    ]
    return a.dtype.kind == "f" and is_inexact(a.dtype) and kinds == ["f", "f"]


def fold(function, a, neutral, **keywords):
    """A reduction with a value that changes nothing in place of NaN: a mask is slower than the copy."""
    return function(replaced(asarray(a), neutral), **given(**keywords))


@on_host_if_unheld
def nansum(a, axis=None, dtype=None, out=None, keepdims=NO_VALUE, initial=NO_VALUE, where=NO_VALUE):
    """Sum over axes, NaN counting as zero."""
    a = asarray(a)
    if is_real(a, dtype, out):
        return _core._sum_present(a, axis, dtype, out, keepdims, initial, where)
    keywords = {"keepdims": keepdims, "initial": initial, "where": where}
    return fold(sum, a, 0, axis=axis, dtype=dtype, out=out, **keywords)


@on_host_if_unheld
def nanprod(
    a, axis=None, dtype=None, out=None, keepdims=NO_VALUE, initial=NO_VALUE, where=NO_VALUE
):
    """Product over axes, NaN counting as one."""
    keywords = {"keepdims": keepdims, "initial": initial, "where": where}
    return fold(prod, a, 1, axis=axis, dtype=dtype, out=out, **keywords)


@on_host_if_unheld
def nanmax(a, axis=None, out=None, keepdims=NO_VALUE, initial=NO_VALUE, where=NO_VALUE):
    """Largest element over axes, NaN only where there is nothing else."""
    keywords = given(keepdims=keepdims, initial=initial, where=where)
    return _core.fmax.reduce(asarray(a), axis=axis, out=out, **keywords)


@on_host_if_unheld
def nanmin(a, axis=None, out=None, keepdims=NO_VALUE, initial=NO_VALUE, where=NO_VALUE):
    """Smallest element over axes, NaN only where there is nothing else."""
    keywords = given(keepdims=keepdims, initial=initial, where=where)
    return _core.fmin.reduce(asarray(a), axis=axis, out=out, **keywords)


def check_inexact(dtype, out):
    if dtype is not None and not issubclass(numpy.dtype(dtype).type, numpy.inexact):
        raise TypeError("If a is inexact, then dtype must be inexact")
    if out is not None and not issubclass(out.dtype.type, numpy.inexact):
        raise TypeError("If a is inexact, then out must be inexact")


@on_host_if_unheld
def nanmean(a, axis=None, dtype=None, out=None, keepdims=NO_VALUE, *, where=NO_VALUE):
    """Mean over axes of the elements that are no NaN."""
    a = asarray(a)
    if has_nan(a):
        check_inexact(dtype, out)
        if is_real(a, dtype, out):
            return _core._mean_present(a, axis, dtype, out, keepdims, NO_VALUE, where)
        where = present(a, where)
    return mean(a, axis=axis, dtype=dtype, out=out, **given(keepdims=keepdims, where=where))


def spread(function, a, axis, dtype, out, ddof, keepdims, where, mean, correction):
    """`function` (var or std) of the elements that are no NaN; NaN where there are too few of them."""
    a = asarray(a)
    keywords = given(keepdims=keepdims, mean=mean, correction=correction)
    if not has_nan(a):
        return function(a, axis, dtype, out, ddof, **keywords, **given(where=where))
    check_inexact(dtype, out)
    mask = present(a, where)
    result = function(a, axis, dtype, None, ddof, where=mask, **keywords)
    taken = ddof if correction is NO_VALUE else correction
    count = sum(mask, axis=axis, dtype=numpy.intp, keepdims=keepdims is not NO_VALUE and keepdims)
    result = only_if_enough(
        result, count, taken, dtype=result.dtype if result.dtype.char in "efd" else None
    )
    if out is None and result.ndim == 0 and isinstance(result, ndarray):
        return result[()]
    return store(result, out)


@chained
def only_if_enough(result, count, taken):
    return where(count <= taken, numpy.nan, result)


nanvar = make_spread(
    "nanvar",
    functools.partial(spread, var),
    "Variance over axes of the elements that are no NaN.",
)
nanstd = make_spread(
    "nanstd",
    functools.partial(spread, std),
    "Standard deviation over axes of the elements that are no NaN.",
)


def find_place(function, a, least, axis, out, keepdims):
    """`function` (argmax or argmin), NaN counting as `least`; an axis of nothing else is a ValueError."""
    a = asarray(a)
    result = function(replaced(a, least), axis=axis, out=out, **given(keepdims=keepdims))
    if has_nan(a) and all(isnan(a), axis=axis).any():
        raise ValueError("All-NaN slice encountered")
    return result


@on_host_if_unheld
def nanargmax(a, axis=None, out=None, *, keepdims=NO_VALUE):
    """Position of the first largest element that is no NaN."""
    return find_place(argmax, a, -numpy.inf, axis, out, keepdims)


@on_host_if_unheld
def nanargmin(a, axis=None, out=None, *, keepdims=NO_VALUE):
    """Position of the first smallest element that is no NaN."""
    return find_place(argmin, a, numpy.inf, axis, out, keepdims)


@on_host_if_unheld
def nancumsum(a, axis=None, dtype=None, out=None):
    """Sums of ever more elements along an axis, NaN counting as zero."""
    return cumsum(replaced(asarray(a), 0), axis, dtype, out)


@on_host_if_unheld
def nancumprod(a, axis=None, dtype=None, out=None):
    """Products of ever more elements along an axis, NaN counting as one."""
    return cumprod(replaced(asarray(a), 1), axis, dtype, out)

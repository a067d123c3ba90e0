"""What methods of ndarray do that is not in C, and the table by which C finds it.

Functions here take the array as first argument, with the parameters of NumPy's method; a NumPy function that has
the same parameters as the method stands in the table itself.
"""

import functools

import numpy

from gpuarray import _core
from gpuarray._choice import clip as clip_function
from gpuarray._core import asarray, asnumpy, ndarray
from gpuarray._dispatch import array_function, array_ufunc, array_wrap
from gpuarray._fallback import PerformanceWarning, to_host
from gpuarray._indexing import flatiter
from gpuarray._joining import repeat
from gpuarray._libraries import use_wheels
from gpuarray._linear import trace
from gpuarray._partition import argpartition_method, partition_in_place
from gpuarray._printing import array2string, array_repr, array_str
from gpuarray._reductions import std, var
from gpuarray._rounding import round
from gpuarray._scalars import is_scalar
from gpuarray._scans import cumprod, cumsum
from gpuarray._searching import nonzero_method, searchsorted_method
from gpuarray._sorting import argsort_method, sort_in_place
from gpuarray._taking import choose, compress, put, take
from gpuarray._ufunc_at import ufunc_at
from gpuarray._ufunc_methods import function_host, ufunc_host, ufunc_outer


def split_elements(a, dtype, offset):
    """View of the bytes of each element along a new last axis; ValueError unless a dtype fits in there."""
    if dtype.itemsize > a.itemsize or not 0 <= offset <= a.itemsize - dtype.itemsize:
        raise ValueError(
            f"Need 0 <= offset <= {a.itemsize - dtype.itemsize} for {dtype!r} in {a.dtype!r} but received "
            f"offset = {offset}"
        )
    return a[..., None].view(numpy.uint8)[..., offset : offset + dtype.itemsize]


def getfield(self, /, dtype, offset=0):
    """The part of each element that begins at a byte offset, as another dtype: a view where the part is aligned."""
    dtype = numpy.dtype(dtype)
    part = split_elements(self, dtype, offset)
    if offset % dtype.itemsize or self.itemsize % dtype.itemsize:
        part = part.copy("C")
    return part.view(dtype)[..., 0]


def setfield(self, /, val, dtype, offset=0):
    """Put values into the part of each element that begins at a byte offset."""
    if not self.flags.writeable:
        raise ValueError("assignment destination is read-only")
    dtype = numpy.dtype(dtype)
    values = asarray(val, dtype, device=self.device).copy("C")
    split_elements(self, dtype, offset)[...] = values[..., None].view(numpy.uint8)


def silent_method(name):
    """NumPy's method, run on a copy of the array without a warning: files and byte strings are the host's business."""

    @functools.wraps(getattr(numpy.ndarray, name))
    def on_host(self, *args, **kwargs):
        return getattr(to_host(self), name)(*args, **kwargs)

    on_host.runs_on_host = True
    return on_host


def conj(self, /):
    """Complex conjugate, element-wise; of real numbers the array itself."""
    if self.dtype.kind in "mM":
        raise TypeError(f"cannot conjugate non-numeric dtype {self.dtype}")
    return _core.conjugate(self) if self.dtype.kind == "c" else self


def clip(self, /, min=None, max=None, out=None, **kwargs):
    """Elements limited to [min, max]."""
    return clip_function(self, min, max, out, **kwargs)


def compress_method(self, /, condition, axis=None, out=None):
    """Slices along an axis where the condition is true."""
    return compress(condition, self, axis, out)


def dot(self, b, /, out=None):
    """Product of matrices or vectors."""
    return _core.dot(self, b, out=out)


def round_method(self, /, decimals=0, out=None):
    """Elements rounded to a number of decimals."""
    return round(self, decimals, out)


def byteswap(self, inplace=False):
    """Elements with the order of their bytes turned round, each part of a complex number by itself."""
    if self.flags.fnc and not inplace:
        return byteswap(self.T).T
    count = 2 if self.dtype.kind == "c" else 1
    shape = (*self.shape, count, self.itemsize // count)
    turned = self.copy("C")[..., None].view(numpy.uint8).reshape(shape)[..., ::-1].copy("C")
    result = turned.reshape((*self.shape, self.itemsize)).view(self.dtype)[..., 0]
    if not inplace:
        return result[()] if is_scalar(self) else result
    self[...] = result
    return self


class ScalarMember:
    """What NumPy's scalars of some dtypes have and arrays have not: there on scalars of these dtypes only."""

    def __init__(self, name):
        self.name = name

    def __get__(self, array, owner=None):
        if array is None:
            return self
        if is_scalar(array) and hasattr(array.dtype.type, self.name):
            return getattr(asnumpy(array)[()], self.name)
        raise AttributeError(f"'gpuarray.ndarray' object has no attribute '{self.name}'")


def dump(self, file, /):
    """Pickle to a file, as a numpy array."""
    asnumpy(self).dump(file)


def ctypes_of(self):
    """Pointer, shape and strides for ctypes; the memory must be the host's."""
    if self.device != "cpu":
        raise AttributeError(f"ctypes: the memory of an array on {self.device} is not the host's")
    return numpy.asarray(self).ctypes


SCALAR_MEMBERS = (
    *("as_integer_ratio", "bit_count", "denominator", "fromhex", "hex", "is_integer", "numerator"),
)

FUNCTIONS = {
    "PerformanceWarning": PerformanceWarning,
    "argpartition": argpartition_method,
    "argsort": argsort_method,
    "array2string": array2string,
    "array_function": array_function,
    "array_repr": array_repr,
    "array_str": array_str,
    "array_ufunc": array_ufunc,
    "byteswap": byteswap,
    "choose": choose,
    "clip": clip,
    "compress": compress_method,
    "conj": conj,
    "conjugate": conj,
    "cumprod": cumprod,
    "cumsum": cumsum,
    "dot": dot,
    "dump": dump,
    "dumps": silent_method("dumps"),
    "find_libraries": use_wheels,
    "flat": flatiter,
    "function_host": function_host,
    "getfield": getfield,
    "nonzero": nonzero_method,
    "partition": partition_in_place,
    "put": put,
    "repeat": repeat,
    "round": round_method,
    "searchsorted": searchsorted_method,
    "setfield": setfield,
    "sort": sort_in_place,
    "std": std,
    "take": take,
    "tofile": silent_method("tofile"),
    "trace": trace,
    "ufunc_at": ufunc_at,
    "ufunc_host": ufunc_host,
    "ufunc_outer": ufunc_outer,
    "var": var,
}


def register():
    """Hand the functions to the compiled part; called once, at import."""
    _core._register_functions(FUNCTIONS)
    for name in SCALAR_MEMBERS:
        setattr(ndarray, name, ScalarMember(name))
    if not hasattr(ndarray, "ctypes"):
        ndarray.ctypes = property(ctypes_of)
    ndarray.__array_wrap__ = array_wrap

"""What NumPy calls when its own functions and ufuncs are given device arrays (NEP 13 and NEP 18).

Invariant: a NumPy function finds ours by its qualified name, in the same table of names that users see, so that
np.sin(x) and gpuarray.sin(x) are one.
"""

import functools
import importlib
import sys

import numpy

import gpuarray
from gpuarray._core import asarray, ndarray
from gpuarray._fallback import MUTATED, out_position, run, run_silently
from gpuarray._scalars import is_scalar

# Where the functions of a NumPy module have their counterparts; the first part of each is gpuarray.
HOMES = {
    "numpy": "gpuarray",
    "numpy.fft": "gpuarray.fft",
    "numpy.linalg": "gpuarray.linalg",
    "numpy.lib.scimath": "gpuarray.emath",
    "numpy.lib.stride_tricks": "gpuarray._windows",
}
# Likewise the ufuncs.
UFUNC_HOMES = {"numpy": "gpuarray", "scipy.special": "gpuarray.special"}


@functools.cache
def find_function(function):
    """Our function in the place of a NumPy function, or None if it has none or runs on the host."""
    module, name = function.__module__, function.__name__
    if module not in HOMES or getattr(sys.modules[module], name, None) is not function:
        return None
    ours = getattr(importlib.import_module(HOMES[module]), name, None)
    return None if ours is function or hasattr(ours, "runs_on_host") else ours


def find_out(function, args, kwargs):
    """The `out` of a call, by keyword or by position, or None."""
    position = out_position(function)
    is_given = position is not None and len(args) > position
    return args[position] if is_given else kwargs.get("out")


def array_function(self, function, types, args, kwargs):
    """A NumPy function with a device array among its arguments."""
    if not all(issubclass(each, (ndarray, numpy.ndarray, numpy.generic)) for each in types):
        return NotImplemented
    name = f"{function.__module__}.{function.__name__}"
    if isinstance(find_out(function, args, kwargs), numpy.ndarray):
        return run_silently(function, name, args, kwargs, dispatched=True)
    ours = find_function(function)
    if ours is not None:
        return ours(*args, **kwargs)
    return run(function, name, args, kwargs, MUTATED.get(function.__name__), dispatched=True)


def array_ufunc(self, ufunc, method, *inputs, **kwargs):
    """A NumPy ufunc, or a method of one, with a device array among its operands."""
    operands = inputs + tuple(kwargs.get("out", ()))
    if any(has_other_override(each) for each in operands):
        return NotImplemented
    ours = find_ufunc(ufunc)
    if ours is None or hasattr(ours, "runs_on_host") or lacks_complex(ours, inputs):
        return run_foreign(ufunc, method, inputs, kwargs)
    if method != "__call__" and not hasattr(ours, method):
        return run_foreign(ufunc, method, inputs, kwargs)
    call = ours if method == "__call__" else getattr(ours, method)
    if any(isinstance(each, numpy.ndarray) for each in kwargs.get("out", ())):
        return run_foreign(ufunc, method, inputs, kwargs, silent=True)
    return call(*inputs, **unpack_out(kwargs))


def find_ufunc(ufunc):
    """Our ufunc in the place of one of NumPy's or SciPy's, or None."""
    for module, home in UFUNC_HOMES.items():
        if getattr(sys.modules.get(module), ufunc.__name__, None) is ufunc:
            return getattr(importlib.import_module(home), ufunc.__name__, None)
    return None


def lacks_complex(ours, inputs):
    """Whether an operand is complex and ours has no loop for that: some of SciPy's have."""
    arrays = (x for x in inputs if isinstance(x, (ndarray, numpy.ndarray, numpy.generic)))
    return any(x.dtype.kind == "c" for x in arrays) and not any("D" in loop for loop in ours.types)


def unpack_out(kwargs):
    """Keywords with an out of one array, which NumPy hands over as a tuple, as that array."""
    out = kwargs.get("out")
    return {**kwargs, "out": out[0]} if out is not None and len(out) == 1 else kwargs


def has_other_override(operand):
    """Whether an operand is of a class that takes ufuncs over and is neither NumPy's nor ours."""
    if isinstance(operand, (ndarray, numpy.generic)) or type(operand) is numpy.ndarray:
        return False
    override = getattr(type(operand), "__array_ufunc__", numpy.ndarray.__array_ufunc__)
    return override is not numpy.ndarray.__array_ufunc__


def run_foreign(ufunc, method, inputs, kwargs, silent=False):
    """A ufunc that has no kernel, or that writes to a numpy array, on the host."""
    function = ufunc if method == "__call__" else getattr(ufunc, method)
    mutated = "a" if method == "at" else None
    runner = run_silently if silent else run
    return runner(function, f"{ufunc.__name__}.{method}", inputs, kwargs, mutated, True)


def array_wrap(self, array, context=None, return_scalar=False):
    """The result of a host computation as an array on this one's device."""
    result = asarray(array, device=self.device)
    return result[()] if return_scalar and not is_scalar(result) else result


def get_array_module(*args):
    """gpuarray if a device array is among the arguments, else numpy."""
    return gpuarray if any(isinstance(arg, ndarray) for arg in args) else numpy

"""The one way in which NumPy on the host does what has no kernel yet.

Owns: the conversion of device arrays inside arguments to numpy arrays and of results back, the writing back of
arguments that NumPy changed, and the warning that says so once for each name. Invariant: NumPy never sees a device
array, since it would come back here through `__array_function__`; what cannot be converted is a TypeError.
"""

import functools
import inspect
import os
import warnings

import numpy

from gpuarray import _core
from gpuarray._core import asarray, asnumpy, ndarray
from gpuarray._scalars import is_scalar, scalar

__all__ = ["PerformanceWarning", "set_fallback"]

MODES = ("warn", "silent", "error")

# The parameter, always the first one, through which these functions change an array.
MUTATED = {
    "copyto": "dst",
    "fill_diagonal": "a",
    "place": "arr",
    "put": "a",
    "put_along_axis": "arr",
    "putmask": "a",
}


class PerformanceWarning(UserWarning):
    """A function ran in NumPy on the host because it has no kernel on the device yet."""


def read_mode(mode):
    if mode not in MODES:
        raise ValueError(f"fallback mode must be one of {', '.join(MODES)}, not {mode!r}")
    return mode


_setting = {"mode": read_mode(os.environ.get("GPUARRAY_FALLBACK", "warn"))}
_announced = set()


def set_fallback(mode):
    """Say what happens when a function has to run in NumPy on the host; return the setting before.

    "warn": one PerformanceWarning for each function (the default, starting anew with this call); "silent": nothing;
    "error": a PerformanceWarning is raised, and nothing is copied. GPUARRAY_FALLBACK sets it from outside.
    """
    before, _setting["mode"] = _setting["mode"], read_mode(mode)
    _announced.clear()
    return before


def announce(name, stacklevel=4):
    """Warn, once for each name, or raise, as the setting says; `stacklevel` leads to the user's line."""
    if _setting["mode"] == "error":
        raise PerformanceWarning(f"{name} has no kernel yet and would run in NumPy on the host")
    if _setting["mode"] == "warn" and name not in _announced:
        _announced.add(name)
        text = f"{name} has no kernel yet: it runs in NumPy on the host, with copies both ways"
        warnings.warn(text, PerformanceWarning, stacklevel=stacklevel)


def holds(dtype):
    """Whether a device can hold a NumPy dtype."""
    return _core._holds(dtype)


def to_host(array, writable=False):
    """The numpy array, or NumPy scalar, with the values of a device array.

    On the CPU device the memory is shared. Elsewhere it is a copy, which can be written to only where the caller
    will write it back.
    """
    if is_scalar(array):
        return asnumpy(array)[()]
    if array.device == "cpu":
        return numpy.asarray(array)
    host = asnumpy(array, order="K")
    host.flags.writeable = writable
    return host


class HostCall:
    """One call on the host: remembers which arrays were converted, and the device that results go to."""

    def __init__(self, device=None):
        self.device = device
        self.found = False
        self.originals = {}  # id of a host array -> (host array, device array): keeps both alive

    def take(self, value, writable=False):
        """`value` with every device array in it converted, also within tuples, lists, dicts and slices."""
        if isinstance(value, ndarray):
            return self.take_array(value, writable)
        if writable and isinstance(value, numpy.ndarray):  # a result that is `out` stays it
            self.originals[id(value)] = value, value
        kind = type(value)
        if kind in (list, set):
            return kind(self.take(item, writable) for item in value)
        if isinstance(value, tuple):
            return rebuild_tuple(value, (self.take(item, writable) for item in value))
        if kind is dict:
            return {key: self.take(item, writable or key == "out") for key, item in value.items()}
        if kind is slice:
            return slice(self.take(value.start), self.take(value.stop), self.take(value.step))
        return value

    def take_array(self, array, writable):
        self.found = True
        if self.device is None:
            self.device = array.device
        for host, original in self.originals.values():
            if original is array and (host.flags.writeable or not writable):
                return host
        host = to_host(array, writable)
        if isinstance(host, numpy.ndarray):
            self.originals[id(host)] = host, array
        return host

    def write_back(self):
        """Bring what NumPy wrote into host copies to the arrays that they were made of."""
        for host, array in self.originals.values():
            if host.flags.writeable and array.device != "cpu":
                array[...] = asarray(host, device=array.device)

    def give(self, value):
        """A result of NumPy as ours: arrays on the device, scalars there too if an argument was."""
        if type(value) is numpy.ndarray:
            return self.give_array(value)
        if isinstance(value, numpy.generic) and self.found and holds(value.dtype):
            return scalar(value, device=self.device)
        if isinstance(value, tuple):
            return rebuild_tuple(value, (self.give(item) for item in value))
        if type(value) is list:
            return [self.give(item) for item in value]
        if type(value) is dict:
            return {key: self.give(item) for key, item in value.items()}
        return value

    def give_array(self, value):
        if id(value) in self.originals:
            return self.originals[id(value)][1]
        if not holds(value.dtype):
            return value
        # Without a device array among the arguments the caller asked for a new one.
        convert = asarray if self.found else _core._asked["asarray"]
        # On the CPU device asarray would share memory, of an argument too.
        return convert(value, device=self.device, copy=value.base is not None or None)


def rebuild_tuple(value, items):
    """A tuple, or namedtuple, of the type of `value` with other items."""
    if hasattr(value, "_fields"):
        return type(value)(*items)
    return tuple(items) if type(value) is tuple else type(value)(items)


@functools.cache
def out_position(function):
    """Position of a function's `out` parameter, or None."""
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return None
    return names.index("out") if "out" in names else None


def run(function, name, args, kwargs, mutated=None, dispatched=False):
    """The result of NumPy's `function` on host copies of the arguments, brought to the device.

    `name` is what the warning calls it; `mutated` names the first parameter if the function writes to it;
    `dispatched` says that NumPy sent us here, having seen a device array in the arguments.
    """
    announce(name)
    return run_silently(function, name, args, kwargs, mutated, dispatched)


def run_silently(function, name, args, kwargs, mutated=None, dispatched=False):
    """As `run`, for what costs nothing worth a warning."""
    kwargs = dict(kwargs)
    call = HostCall(kwargs.pop("device", None))
    if isinstance(kwargs.get("like"), ndarray):
        call.device = kwargs.pop("like").device
    host_args = [
        call.take(
            arg, position == out_position(function) or (position == 0 and mutated is not None)
        )
        for position, arg in enumerate(args)
    ]
    host_kwargs = {key: call.take(arg, key in ("out", mutated)) for key, arg in kwargs.items()}
    if dispatched and not call.found:  # running it again would bring us here again
        refuse_hidden(name)
    result = function(*host_args, **host_kwargs)
    call.write_back()
    return call.give(result)


def run_library(function, name, args, kwargs):
    """As `run_silently`, for what NumPy computes as the CPU device's library: memory that is shared is no copy."""
    return _core._call_asked(run_silently, function, name, args, kwargs)


def refuse_hidden(name):
    """The error for a device array in a place where it cannot be found and converted."""
    raise TypeError(
        f"{name}: an argument holds device arrays inside an object that is no list, tuple or dict; "
        "convert them with gpuarray.asnumpy first"
    )


def wrap(function, name, runner=run):
    """A function with the signature of NumPy's `function` that runs it on the host."""
    mutated = MUTATED.get(function.__name__)

    @functools.wraps(function)
    def host_function(*args, **kwargs):
        return runner(function, name, args, kwargs, mutated)

    host_function.__module__, _, host_function.__name__ = name.rpartition(".")
    host_function.__qualname__ = host_function.__name__
    host_function.runs_on_host = True
    return host_function


def is_unheld(value):
    """Whether a positional argument is data that no device holds: strings, objects, records, longdouble."""
    if isinstance(value, (list, tuple)):
        try:
            value = asarray(value)
        except (TypeError, ValueError):
            return False
    return isinstance(value, (str, bytes)) or (
        isinstance(value, numpy.ndarray) and not holds(value.dtype)
    )


def on_host_if_unheld(function, home=numpy):
    """`function`, or the function of the same name in NumPy's module `home` for data that no device holds."""
    theirs = getattr(home, function.__name__, None)
    if theirs is None:  # a name of later NumPys
        return function
    name = f"gpuarray{home.__name__.removeprefix('numpy')}.{function.__name__}"

    @functools.wraps(function)
    def checked(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except TypeError:
            if not any(map(is_unheld, args)):
                raise
        return run_silently(theirs, name, args, kwargs)

    return checked

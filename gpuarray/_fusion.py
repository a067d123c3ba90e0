"""fuse: a function of element-wise operations as one kernel.

A call is looked up by the dtypes of its arrays and the kinds of its numbers. What is found is a Kernel, or AS_IS where
the function has to run as it is. The first call of its kind traces the function (_tracing.py), has the kernel written
(_fused_source.py) and compiles it (_fused_kernel.py).
"""

import functools
import inspect

from gpuarray import _core, _fused_kernel
from gpuarray._symbols import NeedsValue, Untraceable
from gpuarray._tracing import Trace

__all__ = ["fuse"]

MOST_VALUES = 256  # of numbers that a function looks at: kernels that are remembered for them


class Kernel:
    """What calls of one kind run: the function in C, and how its results become those of the user's.

    `looks` are places of numbers whose values the function looks at: `kernels` holds one for each text of theirs.
    """

    def __init__(self, function=None, give=None, looks=()):
        self.function, self.give, self.looks = function, give, looks
        self.kernels = {}


AS_IS = Kernel()


class Fused:
    """A function whose element-wise operations are one kernel on a CUDA device; made by `fuse`."""

    def __init__(self, function, kernel_name=None):
        functools.update_wrapper(self, function)
        name = kernel_name or getattr(function, "__name__", "kernel")
        self._function = function
        # With a prefix, since "sin" is a function of CUDA's, and "at" a variable of the kernel's.
        self._name = f"fused_{name if name.isidentifier() and name.isascii() else 'kernel'}"
        self._kernels, self._programs = {}, {}

    def __call__(self, *args, **kwargs):
        """The function's results."""
        if kwargs:
            return self._call_by_name(args, kwargs)
        key = _core._fused_key(args)
        if key is None:
            return self._function(*args)
        kernel = self._kernels.get(key)
        if kernel is None:
            kernel = self._kernels[key] = self._make(args, ())
        while kernel.looks:
            kernel = self._look(kernel, args)
        if kernel.function is not None:
            results = _core._fused_call(kernel.function, args)
            if results is not None:
                return kernel.give(results, args)
        return self._function(*args)

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def __reduce__(self):
        return self._function.__qualname__  # pickled by name, as the function is

    def __repr__(self):
        return f"<fused {self._function!r}>"

    def _call_by_name(self, args, kwargs):
        """Arguments by name are brought into the order of the parameters, where all can be given by place."""
        try:
            bound = inspect.signature(self._function).bind(*args, **kwargs)
        except (TypeError, ValueError):
            return self._function(*args, **kwargs)
        return self._function(*args, **kwargs) if bound.kwargs else self(*bound.args)

    def _look(self, kernel, args):
        values = tuple(repr(args[place]) for place in kernel.looks)
        found = kernel.kernels.get(values)
        if found is None:
            if len(kernel.kernels) >= MOST_VALUES:
                kernel.kernels.clear()  # most often they differ in a number, and share a program
            found = kernel.kernels[values] = self._make(args, kernel.looks)
        return found

    def _make(self, args, looks):
        trace = Trace()
        failure = results = None
        try:
            results = self._function(*trace.symbols(args, looks))
        except (Exception, Untraceable, NeedsValue) as error:
            failure = error  # the function itself will say what is wrong
        failure = trace.failed or failure
        if isinstance(failure, NeedsValue):
            return Kernel(looks=(*looks, failure.place))
        made = None if failure else _fused_kernel.make(self, trace, results, args)
        return AS_IS if made is None else Kernel(*made)


def fuse(*args, **kwargs):
    """Make one kernel of a function's element-wise operations.

    The function is called once for each combination of argument types with symbols instead of arrays, which record
    what it does; calls on a CUDA device then run one kernel, compiled by NVRTC, that reads each argument once and
    gives the bits that the operations would give one by one. A function that does anything else with its arrays
    (reductions, indexing, shapes, truth values) runs as it is, and so does every function on the CPU device. It must
    not depend on anything but its arguments: what else it reads is read once.

    Parameters
    ----------
    function : callable, optional
        What to fuse; without it `fuse` gives a decorator.
    kernel_name : str, optional
        The kernel's name, which profilers show after "fused_"; by default the function's.

    Returns
    -------
    callable
        To be called as the function.

    Examples
    --------
    >>> @gpuarray.fuse
    ... def distance(x, y):
    ...     return gpuarray.sqrt(x * x + y * y)
    >>> distance(gpuarray.array([3.0, 5.0]), gpuarray.array([4.0, 12.0]))
    array([ 5., 13.])
    """
    if len(args) == 1 and callable(args[0]) and not kwargs:
        return Fused(args[0])
    return decorate(*args, **kwargs)


def decorate(kernel_name=None):
    return lambda function: Fused(function, kernel_name)

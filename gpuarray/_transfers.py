"""Copies between host and device: the conversions that ask for them, and the guard that finds those nobody asked for.

Invariant: what stands here under a public name asks for its copies; the functions of the same names in _core, which
gpuarray itself calls on its users' operands, do not.
"""

from typing import NamedTuple

from gpuarray import _core

__all__ = [*_core._asked, "transfer_guard"]

globals().update(_core._asked)

MODES = ("allow", "warn", "error")


class Copies(NamedTuple):
    """How many copies were made in one direction, and of how many bytes."""

    copies: int
    nbytes: int


class transfer_guard:
    """Count, report or refuse hidden copies between GPUs and the host; as a context, for its length.

    Hidden are the copies that nobody asked for in words: ``numpy.asarray(x)`` of a device array, an operator or a
    function that is given a numpy.ndarray or a list, ``x[:] = array``, indices from the host, and functions that run
    in NumPy because they have no kernel. ``asnumpy``, ``asarray`` and its like, ``get``, ``set``, ``to_device``,
    ``item``, ``tolist``, pickling and printing are asked for; numbers are no arrays.

    Parameters
    ----------
    mode : {"allow", "warn", "error"}
        "warn" gives a PerformanceWarning for each hidden copy, "error" raises one instead of copying.
    cpu : bool, optional
        Treat the CPU device as if it were a GPU, to check a program on a machine without one.

    Attributes
    ----------
    to_host, to_device : Copies
        Number and bytes of the hidden copies since the guard was made, in the whole process.
    """

    def __init__(self, mode="allow", *, cpu=False):
        if mode not in MODES:
            raise ValueError(f"transfer_guard mode must be one of {', '.join(MODES)}, not {mode!r}")
        self.before = _core._set_guard(MODES.index(mode), cpu)
        self.start = _core._get_crossings()

    @property
    def to_host(self):
        return self.count(0)

    @property
    def to_device(self):
        return self.count(1)

    def count(self, way):
        pairs = zip(_core._get_crossings()[way], self.start[way], strict=True)
        return Copies(*(now - then for now, then in pairs))

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        _core._set_guard(*self.before)

    def __repr__(self):
        return f"<transfer_guard: {self.to_host} to the host, {self.to_device} to devices>"

"""What cases/*.txt call by name because it is no expression, or is spelled otherwise in PyTorch."""

import functools
import importlib


@functools.cache
def generator(xp):
    """One generator a library, so that making it is not measured."""
    return xp.random.default_rng(1)


def _find_module(xp, name):
    """What SciPy calls scipy.<name>, for a library's arrays."""
    home = {"numpy": "scipy", "cupy": "cupyx.scipy"}.get(xp.__name__, xp.__name__)
    return importlib.import_module(f"{home}.{name}")


@functools.cache
def special(xp):
    return _find_module(xp, "special")


@functools.cache
def signal(xp):
    return _find_module(xp, "signal")


@functools.cache
def ndimage(xp):
    return _find_module(xp, "ndimage")


@functools.cache
def fused(xp, function):
    """A function of the array module and arrays as one kernel; NumPy has only its steps."""

    def call(a, b):
        return function(xp, a, b)

    return xp.fuse(call) if hasattr(xp, "fuse") else call


def distance(xp, a, b):
    return xp.sqrt(a * a + b * b) * 0.5


def larger(xp, a, b):
    return xp.where(a > b, a, b)


def add_in_place(a, b):
    a += b
    return a


def set_index(x, j, y):
    x[j] = y
    return x


def add_at(xp, x, j):
    totals = xp.zeros(1000, dtype=xp.float32)
    xp.add.at(totals, j % 1000, x)
    return totals


def torch_add_at(x, j):
    return x.new_zeros(1000).index_add_(0, j % 1000, x)


def torch_lexsort(first, last):
    """Two stable sorts, as PyTorch has no lexsort."""
    order = first.argsort(stable=True)
    return order[last[order].argsort(stable=True)]

"""Random numbers: the names of numpy.random. They are drawn by NumPy on the host so far and brought to the device.

A Generator or RandomState here holds one of NumPy's and has all its methods; bit generators are NumPy's own.
"""

import numpy.random

from gpuarray import _fallback
from gpuarray._namespace import wrap_module

__all__ = list(numpy.random.__all__)

OWN_CLASSES = ("Generator", "RandomState", "default_rng")

globals().update(wrap_module("random", [name for name in __all__ if name not in OWN_CLASSES]))


class HostDrawn:
    """What Generator and RandomState share: their methods run on the host object, their results go to the device."""

    runs_on_host = True

    def __init__(self, host):
        self._host = host

    def __getattr__(self, name):
        if name.startswith("__") or name == "_host":
            raise AttributeError(name)
        value = getattr(self._host, name)
        if not callable(value) or isinstance(value, numpy.random.BitGenerator):
            return value
        return _fallback.wrap(value, f"gpuarray.random.{type(self).__name__}.{name}")

    def __dir__(self):
        return sorted({*super().__dir__(), *dir(self._host)})

    def __repr__(self):
        return repr(self._host)

    def __reduce__(self):
        return restore, (type(self), self._host)


def restore(kind, host):
    """A generator from its pickled parts."""
    generator = kind.__new__(kind)
    HostDrawn.__init__(generator, host)
    return generator


class Generator(HostDrawn):
    """Random numbers from a bit generator; made by default_rng."""

    def __init__(self, bit_generator):
        super().__init__(numpy.random.Generator(bit_generator))

    def spawn(self, n_children):
        """New independent generators."""
        return [Generator(child.bit_generator) for child in self._host.spawn(n_children)]


class RandomState(HostDrawn):
    """NumPy's legacy generator, with its streams frozen."""

    def __init__(self, seed=None):
        super().__init__(numpy.random.RandomState(seed))


def default_rng(seed=None):
    """A Generator from a seed, a SeedSequence, a BitGenerator, or itself from a Generator."""
    if isinstance(seed, Generator):
        return seed
    if isinstance(seed, RandomState):
        seed = seed._host
    return restore(Generator, numpy.random.default_rng(seed))


default_rng.runs_on_host = True

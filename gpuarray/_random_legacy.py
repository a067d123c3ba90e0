"""RandomState, and the functions of the module that share one: NumPy's legacy interface.

The state is NumPy's, of its MT19937, and `seed`, `get_state` and `set_state` are NumPy's own; the numbers of a
call come from Philox under a key that the state gives (_random_streams.py), so they are not those of NumPy's
frozen streams.
"""

import functools
import inspect

import numpy

from gpuarray._random_continuous import Continuous
from gpuarray._random_discrete import Discrete
from gpuarray._random_multivariate import Multivariate
from gpuarray._random_ordering import Ordering
from gpuarray._random_streams import LateStream, Philox4x32
from gpuarray._shape import ndim


class RandomState(Continuous, Discrete, Multivariate, Ordering):
    """
    NumPy's legacy generator; `default_rng` is better and faster.

    Parameters
    ----------
    seed : None, int, array_like of ints, SeedSequence, BitGenerator, optional
        Seeds an MT19937, or is the bit generator.
    device : Device or str, optional
        Where results go; by default the default device at each call.
    """

    _kind = "RandomState"

    def __init__(self, seed=None, device=None):
        if isinstance(seed, Philox4x32):
            self._host = None
            self._open(seed, device)
        else:
            self._host = numpy.random.RandomState(seed)
            self._open(self._host._bit_generator, device)
            if not isinstance(seed, numpy.random.BitGenerator):
                self._stream = LateStream(self._host)

    def _legacy(self):
        if self._host is None:
            raise TypeError("can only seed, get and set the state of NumPy's bit generators")
        if isinstance(self._stream, LateStream):
            self._stream.settle()
        return self._host

    def _share_bits(self):
        """The bit generator, for others to use: from then on it is seeded at once."""
        if self._host is not None:
            self._legacy()
            self._open(self._bit_generator, self._device)
        return self._bit_generator

    def seed(self, seed=None):
        """Seed the MT19937 again."""
        if type(seed) is int and 0 <= seed < 2**32 and isinstance(self._stream, LateStream):
            self._stream.seed = seed
        else:
            self._legacy().seed(seed)

    def get_state(self, legacy=True):
        """The state, as NumPy's: a tuple for an MT19937, or a dict."""
        return self._legacy().get_state(legacy)

    def set_state(self, state):
        """Set the state, to what get_state gave."""
        self._legacy().set_state(state)

    def random_sample(self, size=None):
        """Uniform numbers in [0, 1), float64, of the given shape."""
        return self._uniform_of(size)

    def random(self, size=None):
        """Uniform numbers in [0, 1); the same as random_sample."""
        return self._uniform_of(size)

    def _uniform_of(self, size):
        return self._floats(self._uniform, "random_sample", size, numpy.float64, None)

    def rand(self, *args):
        """Uniform numbers in [0, 1) with the given lengths of axes; a scalar without."""
        return self._uniform_of(args or None)

    def randn(self, *args):
        """Normal numbers with the given lengths of axes; a scalar without."""
        return self.standard_normal(args or None)

    def standard_normal(self, size=None):
        """Normal numbers with mean 0 and standard deviation 1, float64, of the given shape."""
        return self._floats(self._normal, "standard_normal", size, numpy.float64, None)

    def standard_exponential(self, size=None):
        """Exponential numbers with mean 1, float64, of the given shape."""
        return self._floats(self._exponential, "standard_exponential", size, numpy.float64, None)

    def standard_gamma(self, shape, size=None):
        """Gamma numbers of scale 1; see Generator.gamma."""
        return self._draw("standard_gamma", (shape,), size, operation="gamma", more=(1.0,))

    def randint(self, low, high=None, size=None, dtype=int):
        """Integers from low (included) to high (excluded); see Generator.integers."""
        return self._ranged("randint", low, high, size, dtype, False)

    def random_integers(self, low, high=None, size=None):
        """Integers from low, or 1, to high, both included; deprecated in NumPy."""
        low, high = (1, low) if high is None else (low, high)
        return self._ranged("randint", low, high + 1, size, int, False)

    def tomaxint(self, size=None):
        """Integers from 0 to the largest int64."""
        return self._ranged("randint", 0, numpy.iinfo(numpy.int64).max, size, int, False)

    def permutation(self, x):
        """A random permutation of range(x), or a copy of an array in random order along its first axis."""
        return self._permutation(x)

    def shuffle(self, x):
        """Put an array, or a list, into a random order along its first axis, in place."""
        return Ordering.shuffle(self, x)

    def choice(self, a, size=None, replace=True, p=None):
        """A random sample from range(a), or from a vector; see Generator.choice."""
        if not isinstance(a, int) and ndim(a) > 1:
            raise ValueError("a must be 1-dimensional")
        return self._choose(a, size, replace, p)

    def multinomial(self, n, pvals, size=None):
        """How often each category comes up in n trials; see Generator.multinomial."""
        return self._multinomial(n, pvals, size)

    def dirichlet(self, alpha, size=None):
        """Weights that add up to 1; see Generator.dirichlet."""
        return self._dirichlet(alpha, size)

    def multivariate_normal(self, mean, cov, size=None, check_valid="warn", tol=1e-8):
        """Vectors of normal numbers; see Generator.multivariate_normal."""
        return self._multivariate_normal(mean, cov, size, None, check_valid=check_valid, tol=tol)

    def __reduce__(self):
        device = None if self._device is None else str(self._device)
        own = self._bit_generator if self._host is None else self._legacy()
        return restore, (type(self), own, device)

    def __str__(self):
        return f"{type(self).__name__}({type(self._bit_generator).__name__})"

    def __repr__(self):
        return f"{self} at {id(self):#X}"


def restore(kind, host, device):
    """A RandomState from its pickled parts, of which the first is NumPy's with its whole state."""
    result = kind(host if isinstance(host, Philox4x32) else host._bit_generator, device)
    if result._host is not None:
        result._host.set_state(host.get_state(legacy=False))
    return result


# The RandomState behind the functions of the module, made when one of them is first used.
_shared = {}


def find_shared():
    if "state" not in _shared:
        _shared["state"] = RandomState()
    return _shared["state"]


def get_bit_generator():
    """The bit generator of the RandomState behind the functions of this module."""
    return find_shared()._share_bits()


def set_bit_generator(bitgen):
    """Put another bit generator behind the functions of this module."""
    _shared["state"] = RandomState(bitgen)


def share(name):
    """The method `name` of the shared RandomState as a function of the module."""
    method = getattr(RandomState, name)

    @functools.wraps(method)
    def function(*args, **kwargs):
        return getattr(find_shared(), name)(*args, **kwargs)

    signature = inspect.signature(method)
    function.__signature__ = signature.replace(parameters=[*signature.parameters.values()][1:])
    function.__qualname__ = name
    return function

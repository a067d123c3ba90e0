"""Where random numbers come from: bit generators, and the part of their stream that a call takes.

Invariants: a call takes its part before it launches anything, under the bit generator's lock, so that no two
calls, streams or threads share one; how much it takes depends on its arguments alone, never on what was drawn. A
part is handed to the kernels as the bytes of a ga_random_source (csrc/core/call/random.h): a key, a counter, and
how the first words stand.

Philox4x32 is our own. Of NumPy's bit generators Philox is counter-based too, and gives NumPy's bits; a
sequential one (MT19937, PCG64, PCG64DXSM, SFC64) gives the key of each call.
"""

import struct
import threading

import numpy
from numpy.random import SeedSequence
from numpy.random.bit_generator import ISeedSequence

from gpuarray import _core

SOURCE = struct.Struct("=2Q4QI4B")
LOW64, LOW32 = 2**64 - 1, 2**32 - 1
PLACES = 2**96  # of Philox4x32: the counter's last word is the kernels'
JUMP = 2**64


class Philox4x32:
    """Philox4x32-10, the bit generator of `default_rng`: a block of 128 random bits for each value of a counter.

    Parameters
    ----------
    seed : None, int, array_like of ints, SeedSequence, optional
        Gives the key, by NumPy's SeedSequence.
    counter : int, optional
        The block to begin with, 0 by default; below 2**96.
    key : int, optional
        The key itself, below 2**64, in the place of a seed.

    Notes
    -----
    J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. A
    call of a Generator takes whole blocks. The last 32 bits of the counter number the draws that an
    element makes again after a rejection.
    """

    block_words = 4

    def __init__(self, seed=None, counter=None, key=None):
        if seed is not None and key is not None:
            raise ValueError("seed and key cannot be both used")
        self.lock = threading.RLock()
        self._seed_seq = None
        if key is None:
            self._seed_seq = seed if isinstance(seed, ISeedSequence) else SeedSequence(seed)
            low, high = self._seed_seq.generate_state(2, numpy.uint32).tolist()
            key = low | high << 32
        self._key = read_number("key", key, 2**64)
        self._counter = 0 if counter is None else read_number("counter", counter, PLACES)

    @property
    def seed_seq(self):
        """The SeedSequence that the key was made of; None where the key was given."""
        return self._seed_seq

    @property
    def state(self):
        """Key and counter (the next block), as arrays of 32-bit words, lowest first."""
        return {
            "bit_generator": "Philox4x32",
            "state": {"counter": split_words(self._counter, 4), "key": split_words(self._key, 2)},
        }

    @state.setter
    def state(self, value):
        if not isinstance(value, dict):
            raise TypeError("state must be a dict")
        if value.get("bit_generator") != "Philox4x32":
            raise ValueError("state must be for a Philox4x32 PRNG")
        counter, key = (join_words(value["state"][name]) for name in ("counter", "key"))
        with self.lock:
            self._counter = read_number("counter", counter, PLACES)
            self._key = read_number("key", key, 2**64)

    def advance(self, delta):
        """Move on by `delta` blocks; return the bit generator itself."""
        with self.lock:
            self._counter = (self._counter + int(delta)) % PLACES
        return self

    def jumped(self, jumps=1):
        """A new bit generator with the same key, 2**64 blocks further on for each jump."""
        other = self.__copy__()
        return other.advance(JUMP * int(jumps))

    def spawn(self, n_children):
        """New independent bit generators, from the children of the SeedSequence."""
        if not hasattr(self._seed_seq, "spawn"):
            raise TypeError("The underlying SeedSequence does not implement spawning.")
        return [type(self)(seed) for seed in self._seed_seq.spawn(n_children)]

    def random_raw(self, size=None, output=True):
        """Raw 32-bit words, as uint64, in a numpy array."""
        shape = () if size is None else size
        source = self.words32(int(numpy.prod(shape)))
        operation = _core._RANDOM_OPERATIONS["integers"]
        words = _core._random(operation, source, None, shape, "u4", "cpu", (0, 2**32))
        if not output:
            return None
        result = _core.asnumpy(words).astype(numpy.uint64)
        return int(result) if size is None else result

    def places(self, count):
        """The next `count` blocks, as a source."""
        with self.lock:
            start = self._counter
            self._counter = (start + count) % PLACES
        return SOURCE.pack(self._key, 0, start & LOW64, start >> 64, 0, 0, 0, 0, 0, 0, 0)

    def words32(self, count):
        """A source for `count` 32-bit words, from a new block on."""
        return self.places((count + 3) // 4)

    def words64(self, count):
        """A source for `count` 64-bit words, from a new block on."""
        return self.places((count + 1) // 2)

    def __getstate__(self):
        return self.state, self._seed_seq

    def __setstate__(self, parts):
        self.__init__(key=0)
        self.state, self._seed_seq = parts

    def __copy__(self):
        other = type(self)(key=self._key, counter=self._counter)
        other._seed_seq = self._seed_seq
        return other

    def __repr__(self):
        return f"{type(self).__name__}() at {id(self):#x}"


def read_number(name, value, limit):
    """An integer argument below `limit`; ValueError otherwise."""
    value = int(value)
    if not 0 <= value < limit:
        raise ValueError(f"{name} must be positive and less than 2**{limit.bit_length() - 1}.")
    return value


def split_words(number, count):
    return numpy.array([number >> 32 * i & LOW32 for i in range(count)], dtype=numpy.uint32)


def join_words(words):
    return sum(int(word) << 32 * i for i, word in enumerate(words))


class WideStream:
    """The stream of NumPy's Philox, which stays the owner of its state and its buffer of four words."""

    block_words = 8

    def __init__(self, bit_generator):
        self.host = bit_generator

    def places(self, count):
        """Whole blocks; words that the buffer still holds are passed over."""
        with self.host.lock:
            state = self.host.state
            key, last = read_wide(state)
            self.move_to(state, last + 1 + count, 0)
        return pack_wide(key, last + 1)

    def words64(self, count):
        """The next `count` words, from the buffer on."""
        with self.host.lock:
            state = self.host.state
            key, first, skip = find_next(state)
            if count:
                self.move_to(state, first + (skip + count) // 4, (skip + count) % 4)
        return pack_wide(key, first, skip)

    def words32(self, count):
        """The next `count` halves of words, low ones first, beginning with one that was left over."""
        with self.host.lock:
            state = self.host.state
            key, first, skip = find_next(state)
            pending, left = state["uinteger"], state["has_uint32"]
            if count:
                self.take_halves(state, first, skip, count - left)
        return pack_wide(key, first, skip, pending, left)

    def take_halves(self, state, first, skip, count):
        """Move on by `count` halves; the high one of a word of which the low one is taken stays pending."""
        words, odd = divmod(count, 2)
        state["has_uint32"], state["uinteger"] = 0, 0
        self.move_to(state, first + (skip + words) // 4, (skip + words) % 4)
        if odd:
            word = self.host.random_raw()
            self.host.state = {**self.host.state, "has_uint32": 1, "uinteger": word >> 32}

    def move_to(self, state, block, words):
        """Set the state to where `words` words of a block have been taken, and all blocks before."""
        last = (block - 1) % 2**256
        counter = numpy.array([last >> 64 * i & LOW64 for i in range(4)], dtype=numpy.uint64)
        numbers = {"counter": counter, "key": state["state"]["key"]}
        self.host.state = {**state, "state": numbers, "buffer_pos": 4}
        if words:
            self.host.random_raw(words, output=False)


def read_wide(state):
    """The key's two words and the number of the block that was made last."""
    counter = state["state"]["counter"].tolist()
    return state["state"]["key"].tolist(), sum(word << 64 * i for i, word in enumerate(counter))


def find_next(state):
    """Key, block and place in the block of the next word."""
    key, last = read_wide(state)
    position = state["buffer_pos"]
    return (key, last + 1, 0) if position == 4 else (key, last, position)


def pack_wide(key, block, skip=0, pending=0, left=0):
    counter = [block >> 64 * i & LOW64 for i in range(4)]
    return SOURCE.pack(*key, *counter, pending, 1, skip, left, 0)


class SequentialStream:
    """Numbers of Philox4x32, each call under a key and from a place that a sequential bit generator gives."""

    block_words = 4

    def __init__(self, bit_generator):
        self.host = bit_generator

    def places(self, count):
        """Any number of blocks: four raw words, of each 32 bits, are the key and the place's upper words."""
        first, second, third, fourth = (int(word) & LOW32 for word in self.host.random_raw(4))
        return SOURCE.pack(first | second << 32, 0, third << 32, fourth, 0, 0, 0, 0, 0, 0, 0)

    words32 = words64 = places


class LateStream(SequentialStream):
    """A SequentialStream of a bit generator that nobody else has, which is seeded again when it is next needed.

    `seeder` is the numpy.random.RandomState that owns it.
    """

    def __init__(self, seeder):
        super().__init__(seeder._bit_generator)
        self.seeder = seeder
        self.seed = None
        self.lock = threading.Lock()

    def settle(self):
        """Seed the bit generator, if that is still to be done."""
        with self.lock:
            if self.seed is not None:
                self.seeder.seed(self.seed)
                self.seed = None

    def places(self, count):
        if self.seed is not None:
            self.settle()
        return super().places(count)

    words32 = words64 = places


def find_stream(bit_generator):
    """The stream behind a bit generator."""
    if isinstance(bit_generator, Philox4x32):
        return bit_generator
    if isinstance(bit_generator, numpy.random.Philox):
        return WideStream(bit_generator)
    if isinstance(bit_generator, numpy.random.BitGenerator):
        return SequentialStream(bit_generator)
    raise TypeError(f"a BitGenerator is needed, not {type(bit_generator).__name__}")

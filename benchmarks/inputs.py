"""The arrays that the cases of cases.py name, made by NumPy; `n` elements where a name stands for a large one."""

import numpy as np


def _uniform(n, random):
    return random.random(n, dtype=np.float32)


def _square(n, random):
    side = int(n**0.5)
    return random.random((side, side), dtype=np.float32)


def _rows(width):
    return lambda n, random: random.random((n // width, width), dtype=np.float32)


def _permutation(n, random):
    return random.permutation(n)


def _complex(n, random):
    return _uniform(n, random) + np.complex64(1j) * _uniform(n, random)


def _complex_square(n, random):
    side = int(n**0.5)
    return _complex(side * side, random).reshape(side, side)


INPUTS = {
    "s": lambda n, random: random.standard_normal(100, dtype=np.float32),
    "s2": lambda n, random: random.standard_normal(100, dtype=np.float32),
    "t": lambda n, random: random.standard_normal((10, 10), dtype=np.float32),
    "a": _uniform,
    "b": _uniform,
    "x": _uniform,
    "y": _uniform,
    "m": _square,
    "q": _square,
    "i": lambda n, random: random.integers(-9, 9, n, dtype=np.int32),
    "k": lambda n, random: random.integers(0, 1000, n, dtype=np.int32),
    "p": _permutation,
    "j": _permutation,
    "rows": lambda n, random: random.permutation(int(n**0.5)),
    "sorted": lambda n, random: np.sort(_uniform(max(n // 256, 2), random)),
    "v3": _rows(3),
    "w3": _rows(3),
    "b3": lambda n, random: _uniform(n, random).reshape(-1, 64, 64),
    "b2": lambda n, random: random.random((n // 4096, 64), dtype=np.float32),
    "z": _complex,
    "zq": _complex_square,
    "taps": lambda n, random: random.random(101, dtype=np.float32),
    "host": _uniform,
}

# A case of these inputs runs on at most so many elements.
MEDIUM = 1 << 24
MEDIUM_INPUTS = frozenset("x y q k j rows sorted v3 w3 b3 b2 z zq".split())
STAYS_ON_HOST = frozenset(["host"])


def make_input(name, n, random):
    """The array that a case names; dtype:order is a square matrix, dtype:countxorder a stack of them."""
    if name in INPUTS:
        return INPUTS[name](min(n, MEDIUM) if name in MEDIUM_INPUTS else n, random)
    dtype, order = name.split(":")
    *stack, order = map(int, order.split("x"))
    shape = (*stack, order, order)
    if dtype.startswith("int"):
        return random.integers(-9, 9, shape).astype(dtype)
    return random.random(shape, dtype=np.float32).astype(dtype)

"""The arrays that cases/*.txt name, made by NumPy; `n` elements where a name stands for a large one."""

import re

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


def _plane(n, random):
    side = int(n**0.5) // 4
    across, down = np.linspace(-2, 0.5, side), np.linspace(-1.2, 1.2, side)
    return across + 1j * down[:, None]


def _image(n, random):
    """A picture of three colours in the shape of a film's."""
    side = max(int((n / 2) ** 0.5) // 16, 8)
    return random.random((9 * side, 16 * side, 3), dtype=np.float32)


def _places(n, random):
    """Coordinates of a quarter as many points as a square has, anywhere in it."""
    side = int(n**0.5)
    return random.random((2, side * side // 4)) * (side - 1)


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
    "quarter": lambda n, random: _uniform(n // 4, random),
    "k_quarter": lambda n, random: random.integers(0, 1000, n // 4, dtype=np.int32),
    "p": _permutation,
    "j": _permutation,
    "mask": lambda n, random: _uniform(n, random) > 0.5,
    "rows": lambda n, random: random.permutation(int(n**0.5)),
    "rows8": lambda n, random: _uniform(n // 8 * 8, random).reshape(8, -1),
    "qi": lambda n, random: np.argsort(_square(n, random), axis=1),
    "sorted": lambda n, random: np.sort(_uniform(max(n // 256, 2), random)),
    "v3": _rows(3),
    "w3": _rows(3),
    "b3": lambda n, random: _uniform(n, random).reshape(-1, 64, 64),
    "b2": lambda n, random: random.random((n // 4096, 64), dtype=np.float32),
    "z": _complex,
    "zq": _complex_square,
    "u": lambda n, random: random.random(n // 4),
    "wide": lambda n, random: random.standard_normal(n // 4) * 3,
    "box": lambda n, random: random.random((7, 7), dtype=np.float32),
    "blobs": lambda n, random: _square(n, random) > 0.6,
    "places": _places,
    "turned": lambda n, random: np.array([[0.8, -0.6], [0.6, 0.8]]),
    "taps": lambda n, random: random.random(101, dtype=np.float32),
    "host": _uniform,
    "plane": _plane,
    "image": _image,
    "bodies": lambda n, random: random.random((int(n**0.5) // 2, 4), dtype=np.float32),
    "points": _rows(16),
    "line": lambda n, random: np.linspace(0, 1, int(n**0.5) // 2),
}

# A case of any other input runs on at most so many elements.
MEDIUM = 1 << 24
LARGE_INPUTS = frozenset("a b m i p quarter k_quarter host".split())
STAYS_ON_HOST = frozenset(["host"])
MATRIX = re.compile(r"([fci]\d+)_(?:(\d+)x)?(\d+)")  # dtype, matrices in a stack, order


def is_input(name):
    """Whether a name in an expression is an array of this file."""
    return name in INPUTS or MATRIX.fullmatch(name) is not None


def make_input(name, n, random):
    """The array that a case names; f8_512 is a square matrix of float64, f8_64x256 a stack of them."""
    if name in INPUTS:
        return INPUTS[name](n if name in LARGE_INPUTS else min(n, MEDIUM), random)
    dtype, stack, order = MATRIX.fullmatch(name).groups()
    shape = (*([int(stack)] if stack else []), int(order), int(order))
    if dtype.startswith("i"):
        return random.integers(-9, 9, shape).astype(dtype)
    return random.random(shape, dtype=np.float32).astype(dtype)


def make_small(name, random):
    """One of the same kind, small enough that NumPy's answer comes at once."""
    if matrix := MATRIX.fullmatch(name):
        name = f"{matrix[1]}_{'8x' if matrix[2] else ''}{min(int(matrix[3]), 64)}"
    return make_input(name, 64 * 64, random)

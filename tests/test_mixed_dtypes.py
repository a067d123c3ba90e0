"""Element-wise calls of operands that are not of the loop's dtype: converted as they are read, in any layout."""

import numpy as np
import pytest
from oracle import check

import gpuarray

NUMBERS = [np.dtype(c) for c in "?bBhHiIlLefdFD"]
SHAPES = [(1,), (7,), (4099,), (3, 5), (33, 129), (2, 3, 70)]


def make(dtype, shape, seed=0):
    """Small numbers of a dtype, none of them zero but False; every second bool is true."""
    random = np.random.default_rng(seed)
    values = random.integers(1, 9, shape)
    if dtype.kind == "b":
        return np.asarray(values > 4)
    signs = random.choice([-1, 1], shape) if dtype.kind in "ifc" else 1
    parts = 1j * random.integers(1, 9, shape) if dtype.kind == "c" else 0
    return np.asarray(values * signs + parts).astype(dtype)


@pytest.mark.parametrize("second", NUMBERS, ids=str)
@pytest.mark.parametrize("first", NUMBERS, ids=str)
def test_every_pair(device, first, second):
    a, b = make(first, 300), make(second, 300, 1)
    for name in ("add", "multiply", "less", "equal", "maximum", "logical_or"):
        check(lambda xp, a, b, name=name: getattr(xp, name)(a, b), a, b, device=device)


TURNS = {
    "straight": lambda a: a,
    "turned": lambda a: a.T,
    "backward": lambda a: a[..., ::-1],
    "stepped": lambda a: a[..., ::2],
    "stood up": lambda a: a[..., None],
}


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("pair", ["?f", "if", "fd", "?F", "dF", "hl", "BI"])
def test_shapes_and_layouts(device, pair, shape, turn):
    first, second = make(np.dtype(pair[0]), shape), make(np.dtype(pair[1]), shape, 1)

    def combine(xp, a, b):
        return TURNS[turn](a) * TURNS[turn](b), TURNS[turn](a) < TURNS[turn](b).copy()

    check(combine, first, second, device=device)
    check(lambda xp, a, b: a + b.T, first, second, device=device)


@pytest.mark.parametrize("loop", ["f2", "f4", "c8"])
@pytest.mark.parametrize("pair", ["ll", "dd", "lf", "dI"])
def test_operands_longer_than_the_loops_elements(device, pair, loop):
    """Gathered a tile at a time, of which the loop's elements fill less memory."""
    first, second = make(np.dtype(pair[0]), (40, 60)), make(np.dtype(pair[1]), (40, 60), 1)
    calls = [
        lambda xp, a, b: xp.add(a[:, ::2], b[::-1, ::-2], dtype=loop),
        lambda xp, a, b: xp.multiply.outer(a[:5, :6].T, b[0], dtype=loop),
        lambda xp, a, b: xp.add(a[:25, :1], b[0, :25], dtype=loop),
        lambda xp, a, b: xp.negative(a.T[::3], dtype=loop),
    ]
    for call in calls:
        if loop != "c8" or pair in ("lf", "dI"):
            check(call, first, second, device=device)


@pytest.mark.parametrize("number", [1, 2.0, 1j])
def test_python_numbers_as_they_are(device, number):
    """casting="equiv" takes numbers whose own dtype is the loop's."""
    for dtype in ("i4", "i8", "f4", "f8", "F", "D"):
        for name in ("add", "nextafter", "maximum"):
            for casting in ("no", "equiv"):
                if dtype in "FD" and name == "nextafter":
                    continue
                keywords = {"casting": casting}
                check(
                    lambda xp, a, n=name, k=keywords: getattr(xp, n)(number, a, **k),
                    make(np.dtype(dtype), 3),
                    device=device,
                )


def test_lines_columns_and_numbers_are_broadcast(device):
    mask, x = make(np.dtype("?"), (70, 90)), make(np.dtype("f"), (70, 90), 1)
    whole = make(np.dtype("i"), (90,), 2)
    check(lambda xp, m, x, k: x * m[:, :1], mask, x, whole, device=device)
    check(lambda xp, m, x, k: x + k, mask, x, whole, device=device)
    check(
        lambda xp, m, x, k: (k[::2] + x[:, ::2], k[3] + x, x[0, 0] * m),
        mask,
        x,
        whole,
        device=device,
    )
    check(lambda xp, m, x, k: xp.add(x, k[0]), mask, x, whole, device=device)
    check(
        lambda xp, m, x, k: (m * 2.5, m * 2, k / 2, k < 1.5, 1 - m.astype("u1")),
        mask,
        x,
        whole,
        device=device,
    )


def test_masks_and_outputs(device):
    mask, x, k = make(np.dtype("?"), 999), make(np.dtype("f"), 999, 1), make(np.dtype("i"), 999, 2)

    def masked(xp, m, x, k):
        out = xp.zeros(999)
        return xp.add(x, k, out=out, where=m), xp.multiply(m, x, out=out[::-1], where=~m)

    check(masked, mask, x, k, device=device)

    def into(xp, m, x, k):
        out = xp.zeros(999, dtype="f4")
        xp.add(x, k, out=out, casting="same_kind")
        x *= m
        x += k[0]
        return out, x

    check(into, mask, x, k, device=device)


def test_operands_that_share_memory_with_the_output(device):
    def shifted(xp, a):
        halves = a.view("f4")
        xp.add(halves[1 : 1 + a.size // 2], a[: a.size // 2], out=a[a.size // 2 :])
        same = a.view("i8")
        xp.add(same, 1.5, out=a)
        xp.multiply(a.view("i8")[1:], 0.5, out=a[:-1])
        return a

    check(shifted, np.arange(600.0), device=device)


def test_values_at_the_edges(device):
    wide = np.array([0, 1, 2**31, 2**53 + 1, 2**63, 2**64 - 1], dtype="u8")
    signed = np.array([-(2**63), -1, 0, 1, 2**53 + 1, 2**63 - 1], dtype="i8")
    odd = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 6e-8], dtype="f2")
    for a in (
        wide,
        signed,
        odd,
        odd.astype("f4"),
        wide.astype("u4"),
        signed.astype("i4"),
        signed.astype("i1"),
    ):
        for zero in (np.zeros(6, "f8"), np.zeros(6, "c16"), np.zeros(6, "f4"), np.zeros(6, "c8")):
            check(lambda xp, a, zero: a + zero, a, zero, device=device)
            check(
                lambda xp, a, zero: xp.copysign(xp.ones(6), a + xp.real(zero)),
                a,
                zero,
                device=device,
            )


def test_truth_that_is_not_one(device):
    truths = np.array([0, 1, 2, 255, 128], dtype="u1")
    x = np.arange(5, dtype="f4") + 1
    got = gpuarray.asarray(truths, device=device).view(bool) * gpuarray.asarray(x, device=device)
    assert got.tolist() == [0, 2, 3, 4, 5]


@pytest.mark.parametrize(
    "name", ["logical_and", "logical_xor", "not_equal", "less", "maximum", "add", "multiply"]
)
def test_bools_of_any_bytes(device, name):
    bytes_of = np.random.default_rng(2).integers(0, 4, (2, 333)) * np.array([[1], [77]])
    x, y = (gpuarray.asarray(b.astype("u1"), device=device).view(bool) for b in bytes_of)
    for start, stop in ((0, 333), (0, 320), (16, 333), (1, 300)):
        expected = getattr(np, name)(*(bytes_of[:, start:stop] != 0))
        assert (getattr(gpuarray, name)(x[start:stop], y[start:stop]).get() == expected).all()
    assert (gpuarray.logical_not(x).get() == (bytes_of[0] == 0)).all()


@pytest.mark.parametrize("n", [1, 5, 255, 257, 1025, 70001])
def test_lengths_that_fill_no_block(device, n):
    a, b = make(np.dtype("h"), n), make(np.dtype("f"), n, 1)
    check(lambda xp, a, b: (a * b, a[1:] + b[:-1], xp.less(a, b)), a, b, device=device)


def test_unaligned_memory(device):
    def unaligned(xp, raw, x):
        return raw[1 : 1 + 4 * x.size].view("i4") * x

    check(unaligned, np.arange(4 * 50 + 1, dtype="u1"), np.arange(50.0), device=device)


SINGLE = ("sqrt", "negative", "square", "isfinite", "absolute", "modf", "frexp", "rint")


@pytest.mark.parametrize("given", NUMBERS, ids=str)
@pytest.mark.parametrize("name", SINGLE)
def test_functions_of_one_argument(device, name, given):
    """In every dtype that NumPy casts to by same_kind."""
    a = abs(make(given, (40, 9))) if name == "sqrt" else make(given, (40, 9))
    for loop in (None, *NUMBERS):

        def call(xp, a, loop=loop):
            return getattr(xp, name)(a, dtype=loop), getattr(xp, name)(a.T[::2], dtype=loop)

        if loop is None or loop != given:
            check(
                call,
                a,
                device=device,
                rtol=2e-3 if "e" in (given.char, loop and loop.char) else 1e-6,
            )


@pytest.mark.parametrize("loop", [d for d in NUMBERS if d.kind != "b"], ids=str)
def test_functions_of_two_in_a_dtype(device, loop):
    for given in NUMBERS:
        a, b = make(given, 600), make(given, 600, 1)
        check(
            lambda xp, a, b: (xp.add(a, b, dtype=loop), xp.multiply(a[::3], b[::-3], dtype=loop)),
            a,
            b,
            device=device,
        )


def test_operands_of_unlike_dtypes(device):
    """Loops whose two dtypes differ, and integers' powers, whose exponents are looked at first."""
    for first in "?bHielLfd":
        for second in "?bHil":
            a, n = make(np.dtype(first), 500), make(np.dtype(second), 500, 1)
            check(lambda xp, a, n: (xp.ldexp(a, n), xp.ldexp(a[::2], n[::-2])), a, n, device=device)
            check(lambda xp, a, n: a < n.astype("u8"), a, n, device=device)
            check(lambda xp, a, n: xp.power(a, abs(n)), a, n, device=device)
            if second in "bil" and first in "bil":
                check(lambda xp, a, n: xp.power(a, n), a, n, device=device)


def test_masked_function_of_one_argument(device):
    def masked(xp, k, m):
        out = xp.zeros(999)
        return xp.sqrt(k, out=out, where=m), xp.square(k, out=out[::-1], where=~m)

    check(masked, abs(make(np.dtype("i"), 999)), make(np.dtype("?"), 999, 1), device=device)


def test_extremes_of_integers_in_floats(device):
    """Each rounded once, also where more than 32 bits count."""
    for values in (
        np.array([0, 1, 2**24 + 1, 2**31, 2**32 - 1, 2**53 + 1, 2**63, 2**64 - 1], "u8"),
        np.array([-(2**63), -(2**31) - 1, -(2**24) - 1, -1, 0, 2**31, 2**40 + 1, 2**63 - 1], "i8"),
    ):
        for dtype in ("u8", "i8", "u4", "i4", "u2"):
            a = np.tile(values.astype(dtype), 40)
            for loop in "fdFD":
                check(lambda xp, a, loop=loop: xp.negative(a, dtype=loop), a, device=device, rtol=0)

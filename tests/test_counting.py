"""bincount."""

import numpy
import pytest
from oracle import check


@pytest.mark.smoke
@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "u4", "i8", "f4"])
def test_bincount_of_dtypes(device, dtype):
    a = numpy.array([0, 1, 1, 3, 2, 1, 7]).astype(dtype)
    check(lambda xp, x: xp.bincount(x), a, device=device)


def test_bincount_of_what_has_no_place(device):
    check(lambda xp, x: xp.bincount(x), numpy.array([2**63 + 1, 3], "u8"), device=device)
    check(lambda xp, x: xp.bincount(x), numpy.array([-1, 3], "i1"), device=device)


@pytest.mark.parametrize("dtype", ["?", "u1", "i2", "i4", "i8"])
def test_bincount_of_many(device, dtype):
    values = numpy.random.default_rng(3).integers(0, 100 if dtype == "u1" else 30000, 100003)
    check(lambda xp, x: xp.bincount(x), values.astype(dtype), device=device)
    check(lambda xp, x: xp.bincount(x[::3]), (values % 7).astype(dtype), device=device)


CALLS = [
    lambda xp, a: xp.bincount(a, minlength=12),
    lambda xp, a: xp.bincount(a, minlength=2),
    lambda xp, a: xp.bincount(a, minlength=-1),
    lambda xp, a: xp.bincount(a, a / 2),
    lambda xp, a: xp.bincount(a, weights=a, minlength=9),
    lambda xp, a: xp.bincount(a - 1),
    lambda xp, a: xp.bincount(a[:0]),
    lambda xp, a: xp.bincount(a[:0], minlength=3),
    lambda xp, a: xp.bincount(a[::-2]),
    lambda xp, a: xp.bincount(a.reshape(1, -1)),
    lambda xp, a: xp.bincount(3),
    lambda xp, a: xp.bincount([1, 1, 2]),
    lambda xp, a: xp.bincount(xp.arange(5000) % 900),
]


@pytest.mark.parametrize("call", CALLS, ids=range(len(CALLS)))
def test_bincount_calls(device, call):
    check(call, numpy.array([0, 1, 1, 3, 2, 1, 7]), device=device)


@pytest.mark.parametrize("bins", [1, 3, 1000, 70_000])
@pytest.mark.parametrize("size", [1, 1023, 1024, 1025, 2048, 20_000])
def test_weights_of_many_places(device, size, bins):
    """Whole numbers add up alike in any order; most elements at one place, at the first and last, or anywhere."""
    random = numpy.random.default_rng(size)
    weights = random.integers(-50, 50, size).astype(float)
    anywhere = random.integers(0, bins, size)
    mostly = numpy.where(random.random(size) < 0.95, bins // 2, anywhere)
    ends = numpy.where(random.random(size) < 0.5, 0, bins - 1)
    for places in (anywhere, numpy.sort(anywhere), mostly, ends, anywhere.astype("i4")):
        check(lambda xp, x, w: xp.bincount(x, w), places, weights, device=device)


def test_complex_weights_of_many_places(device):
    random = numpy.random.default_rng(9)
    places, weights = random.integers(0, 9, 5000), random.integers(-9, 9, (2, 5000)).astype(float)
    run = lambda xp, x, w: xp.histogram(x, xp.arange(-2, 7), weights=w)  # noqa: E731
    check(run, places, weights[0] + 1j * weights[1], device=device)
    check(run, places % 2 * 4, weights[0] - 1j * weights[1], device=device)

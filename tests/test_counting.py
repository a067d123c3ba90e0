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

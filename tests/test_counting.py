"""bincount."""

import numpy
import pytest
from oracle import check


@pytest.mark.smoke
@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "u4", "i8", "f4"])
def test_bincount_of_dtypes(device, dtype):
    a = numpy.array([0, 1, 1, 3, 2, 1, 7]).astype(dtype)
    check(lambda xp, x: xp.bincount(x), a, device=device)


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

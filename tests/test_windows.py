"""Windows, the Bessel function, and packed bits."""

import numpy as np
import pytest
from oracle import check

LENGTHS = [0, 1, 2, 5, 6, 51, -3, 5.5, np.float32(7)]


@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hanning"])
def test_windows(device, name):
    for length in LENGTHS:
        check(lambda xp, m: getattr(xp, name)(m), length, device=device, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("beta", [0, 5.0, 8.6, 14])
def test_kaiser(device, beta):
    for length in LENGTHS:
        check(lambda xp, m: xp.kaiser(m, beta), length, device=device, rtol=1e-12)


@pytest.mark.parametrize(
    "x",
    [
        np.linspace(-30, 30, 101),
        np.array([np.nan, np.inf, 0.0, 8]),
        np.arange(6).reshape(2, 3),
        np.float32([1, 2, 9.5]),
        np.float16([1, 2, 8.5]),
        np.array(3.0),
        2.0,
        np.array([]),
        np.array([1j]),
    ],
    ids=repr,
)
def test_bessel(device, x):
    narrow = getattr(x, "dtype", np.dtype(float)).itemsize < 8
    check(lambda xp, x: xp.i0(x), x, device=device, rtol=2e-3 if narrow else 1e-13)


@pytest.mark.smoke
@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i4", "u8", "f4"])
@pytest.mark.parametrize("shape", [(), (1,), (8,), (9,), (3, 5), (2, 8, 3), (0,), (2, 0)])
def test_packbits(device, shape, dtype):
    a = np.random.default_rng(1).integers(0, 3, shape).astype(dtype)
    for axis in (None, 0, -1, 1):
        for order in ("big", "little", "middle"):
            for each in (a, np.asfortranarray(a), a[..., None][..., 0]):
                check(lambda xp, a, x=axis, o=order: xp.packbits(a, x, o), each, device=device)


@pytest.mark.parametrize("count", [None, 0, 3, 20, -2, -9, -100])
@pytest.mark.parametrize("shape", [(), (1,), (9,), (3, 5), (2, 3, 2)])
def test_unpackbits(device, shape, count):
    a = np.random.default_rng(2).integers(0, 256, shape).astype("u1")
    for axis in (None, 0, -1, 1):
        for order in ("big", "little"):
            for each in (a, np.asfortranarray(a), a.T):
                check(
                    lambda xp, a, x=axis, o=order: xp.unpackbits(a, x, count, o),
                    each,
                    device=device,
                )
    check(lambda xp, a: xp.unpackbits(a.astype(int)), a, device=device)

"""convolve and correlate of NumPy's main namespace: values, dtypes, modes, errors."""

import numpy as np
import pytest
from oracle import check

import gpuarray

MODES = ("full", "same", "valid")
FUNCTIONS = ("convolve", "correlate")


def vector(n, dtype, seed=0):
    rng = np.random.default_rng([seed, n])
    values = rng.integers(-50, 50, n)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.integers(-50, 50, n)
    return values.astype(dtype)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "sizes", [(1, 1), (7, 3), (3, 7), (8, 8), (6, 2), (2, 5), (1000, 33)], ids=str
)
@pytest.mark.parametrize("dtype", "? i1 u1 i4 u8 e f d F D".split())
def test_modes(device, name, mode, sizes, dtype):
    n, m = sizes
    small = dtype == "e"  # whole numbers that float16 sums exactly
    a, v = vector(n, dtype), vector(m, dtype, 1)
    if small:
        a, v = np.sign(a), np.sign(v)
    check(lambda xp, a, v: getattr(xp, name)(a, v, mode), a, v, device=device, order=False)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtypes", ["i4 f", "u1 i1", "? d", "f D", "e i2", "q d"])
def test_promotion(device, name, dtypes):
    one, other = dtypes.split()
    check(
        lambda xp, a, v: getattr(xp, name)(a, v),
        vector(9, one),
        vector(4, other),
        device=device,
        order=False,
    )


@pytest.mark.parametrize("name", FUNCTIONS)
def test_fractions(device, name):
    rng = np.random.default_rng(3)
    a, v = rng.standard_normal(3000), rng.standard_normal(77)
    check(
        lambda xp, a, v: getattr(xp, name)(a, v, "full"),
        a,
        v,
        device=device,
        rtol=1e-12,
        atol=1e-12,
    )


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_infinities_meet_no_element_outside(device, name, mode):
    """Where a vector ends there is nothing, not a zero that an infinity would make NaN of."""
    a, v = np.arange(1.0, 9), np.array([np.inf, 1, np.nan])
    for one, other in ((a, v), (v, a), (v, v), (a.astype("f4"), v[:1].astype("f4"))):
        check(lambda xp, a, v: getattr(xp, name)(a, v, mode), one, other, device=device)


def test_longer_second_operand_gives_a_contiguous_result(device):
    assert check(
        lambda xp, a, v: xp.correlate(a, v, "full"), np.arange(3), np.arange(9), device=device
    ).flags.contiguous


def test_integers_wrap(device):
    a = np.full(5, 100, np.int8)
    check(lambda xp, a: xp.convolve(a, a), a, device=device)


def test_strided_operands(device):
    a = vector(40, "d")
    check(lambda xp, a: xp.convolve(a[::-2], a[3::5], "same"), a, device=device, order=False)


ERRORS = {
    "empty": lambda xp: xp.convolve([], [1, 2]),
    "empty second": lambda xp: xp.convolve([1, 2], []),
    "empty correlate": lambda xp: xp.correlate([], [1]),
    "planes": lambda xp: xp.convolve([[1, 2]], [1]),
    "mode": lambda xp: xp.convolve([1, 2], [1], "none"),
    "number": lambda xp: xp.correlate([1, 2], [1], 7),
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors(device, case):
    assert isinstance(check(ERRORS[case], device=device), Exception)


@pytest.mark.smoke
def test_values(device):
    a = gpuarray.array([1, 2, 3], device=device)
    assert gpuarray.convolve(a, [0, 1, 5]).tolist() == [0, 1, 7, 13, 15]
    assert gpuarray.correlate(a, gpuarray.array([1j, 2]), "full").tolist() == [
        2,
        4 - 1j,
        6 - 2j,
        -3j,
    ]
    assert np.convolve(a, [1, 1]).tolist() == [1, 3, 5, 3]
    assert gpuarray.convolve(2, 3).tolist() == [6]

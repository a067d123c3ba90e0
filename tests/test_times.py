"""datetime64 and timedelta64 with NumPy's rules of units: arithmetic, conversions, NaT, reductions, order."""

import itertools

import numpy as np
import pytest
from oracle import check

import gpuarray

RNG = np.random.default_rng(11)
UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "as", "2D", "10s", ""]
CHOSEN = ["Y", "M", "D", "s", "ns", "10s", ""]
OPERATIONS = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "floor_divide",
    "remainder",
    "divmod",
    "maximum",
    "fmin",
    "less",
    "equal",
    "fmod",
    "power",
    "logical_and",
]


def skip_crashes(name):
    """In old versions of NumPy a divmod of times of unlike units ends the process."""
    if name == "divmod" and np.lib.NumpyVersion(np.__version__) < "2.4.0":
        pytest.skip("NumPy's own divmod ends the process")


def times(kind, unit, size=6):
    """Small numbers of a unit, NaT among them; dates have one."""
    unit = unit or ("s" if kind == "M" else "")
    values = RNG.integers(-50, 50, size).astype(f"{kind}8[{unit}]" if unit else f"{kind}8")
    values[1] = "NaT"
    return values


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kinds", ["mm", "Mm", "mM", "MM"])
@pytest.mark.parametrize("name", OPERATIONS)
def test_units_meet(device, name, kinds):
    skip_crashes(name)
    for one, other in itertools.product(UNITS, CHOSEN):
        check(
            lambda xp, a, b: getattr(xp, name)(a, b),
            times(kinds[0], one),
            times(kinds[1], other),
            device=device,
        )


NUMBERS = [
    2,
    2.5,
    True,
    -1,
    0,
    1j,
    np.int32(3),
    np.float32(1.5),
    np.uint64(3),
    np.array([1, -2, 3, 0, 1, 2]),
    np.array([0.5, -2, 3, 0, np.nan, 2]),
    np.array([True] * 6),
    np.array([1, 2, 3, 0, 1, 2], "u8"),
    np.array([1, 2, 3, 0, 1, 2], "f2"),
    np.timedelta64(3, "s"),
    np.timedelta64(3),
    np.timedelta64("NaT"),
    np.datetime64("2020-01-01"),
]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", OPERATIONS)
def test_with_numbers(device, name):
    skip_crashes(name)
    for kind, unit, number in itertools.product("mM", CHOSEN, NUMBERS):
        a = times(kind, unit)
        check(lambda xp, a, b: getattr(xp, name)(a, b), a, number, device=device)
        check(lambda xp, a, b: getattr(xp, name)(b, a), a, number, device=device)


TARGETS = ["i8", "i4", "f8", "f4", "?", "u1", "c16", "M8", "m8"]
TARGETS += [f"{kind}8[{unit}]" for kind in "mM" for unit in ("Y", "M", "W", "D", "s", "ns", "10s")]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("target", TARGETS)
def test_conversions(device, target):
    for kind, unit in itertools.product("mM", UNITS):
        a = times(kind, unit)
        check(lambda xp, a: a.astype(target), a, device=device)
        for casting in ("safe", "same_kind", "equiv", "no"):
            check(lambda xp, a, c=casting: a.astype(target, casting=c), a, device=device)
        check(lambda xp, a: xp.array(a, dtype=target), a, device=device)
        check(
            lambda xp, a, b: b.__setitem__(slice(None), a) or b,
            a,
            np.ones(6, target if target != "M8" else "M8[s]"),
            device=device,
        )


@pytest.mark.parametrize("dtype", ["i8", "i4", "u1", "f4", "f8", "?", "c16"])
def test_numbers_become_times(device, dtype):
    for target in ("m8[s]", "M8[s]", "m8", "M8[D]"):
        check(lambda xp, a, t=target: a.astype(t), np.array([0, 1, 5]).astype(dtype), device=device)


TEXTS = [
    ["2020-01-01", "NaT"],
    ["2020-01", "2021-03-04T05"],
    ["2020-01-01T00:00:00.123456789"],
    ["no date"],
    [1, 2],
    [None],
]


@pytest.mark.parametrize("text", TEXTS, ids=str)
@pytest.mark.parametrize("dtype", ["M8", "M8[s]", "M8[D]", "m8[s]", "M8[ns]"])
def test_from_text(device, dtype, text):
    check(lambda xp: xp.array(text, dtype), device=device)


REDUCTIONS = "sum mean max min argmax argmin ptp median prod std nanmax nansum nanmedian any all"
ORDERS = "sort argsort cumsum cumprod diff unique count_nonzero average trapezoid gradient flip"


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", (REDUCTIONS + " " + ORDERS).split())
def test_reductions_and_order(device, name):
    for kind, unit in itertools.product("mM", CHOSEN):
        a = np.concatenate([times(kind, unit)] * 2).reshape(3, 4)
        for keywords in ({},) if name == "unique" else ({}, {"axis": 0}, {"axis": 1}):
            for part in (a, a[:, 2:]):
                check(lambda xp, a, k=keywords: getattr(xp, name)(a, **k), part, device=device)


CALLS = [
    lambda xp, a: xp.clip(a, a[0], a[2]),
    lambda xp, a: xp.where(a > a[0], a, a[2]),
    lambda xp, a: xp.searchsorted(xp.sort(a), a),
    lambda xp, a: xp.isin(a, a[:2]),
    lambda xp, a: xp.maximum.accumulate(a),
    lambda xp, a: xp.full_like(a, a[0]),
    lambda xp, a: a.tolist(),
    lambda xp, a: (repr(a), str(a[0])),
    lambda xp, a: xp.isclose(a, a),
    lambda xp, a: xp.digitize(a, xp.sort(a[2:])),
    lambda xp, a: xp.interp(a, a, a),
    lambda xp, a: xp.arange(a[0], a[0] + 5),
    lambda xp, a: xp.arange(5, dtype=a.dtype),
    lambda xp, a: (xp.isnat(a), xp.isfinite(a), xp.isnan(a)),
    lambda xp, a: (xp.negative(a), xp.absolute(a), xp.sign(a)),
]


@pytest.mark.parametrize("call", CALLS, ids=range(len(CALLS)))
def test_functions_of_times(device, call):
    for kind, unit in itertools.product("mM", CHOSEN):
        check(call, times(kind, unit), device=device)


def test_a_unit_that_cannot_be_dropped(device):
    """What NumPy does not convert must come back as its error, whoever tries."""
    plain = gpuarray.ones(6, "m8")
    with pytest.raises(ValueError, match="generic units"):
        plain[:] = gpuarray.asarray(times("m", "Y"))

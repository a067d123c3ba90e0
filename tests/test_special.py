"""gpuarray.special against exact values, against SciPy's where it is installed, and as ufuncs."""

import math
import pickle

import numpy as np
import pytest
from special_values import VALUES
from ufunc_table import SPECIAL_ROWS

import gpuarray
from gpuarray import special

INF, NAN = math.inf, math.nan
EACH_ROW = pytest.mark.parametrize("row", SPECIAL_ROWS, ids=lambda row: row.name)
UNARY = [row for row in SPECIAL_ROWS if getattr(special, row.name).nin == 1]
BINARY = [row for row in SPECIAL_ROWS if getattr(special, row.name).nin == 2]
BESSEL = ("j0", "j1", "y0", "y1")
RNG = np.random.default_rng(5)


@pytest.fixture(scope="module")
def scipy_special():
    return pytest.importorskip("scipy.special")


def unit_of(name, arguments, exact, dtype):
    """What errors are counted in: the last place of the value, but of the envelope where it oscillates around zero,
    and of one where it is a logarithm or a sum that cancels."""
    size = np.abs(exact)
    if name in BESSEL:
        size = np.maximum(size, np.sqrt(2 / np.pi / np.maximum(np.abs(arguments[0]), 1)))
    if name in ("gammaln", "digamma", "betaln"):
        size = np.maximum(size, 1)
    return np.spacing(size.astype(dtype))


def stored(name, dtype):
    """Arguments and values, where `dtype` holds the arguments and the value is neither infinite nor subnormal in it."""
    table = np.array(VALUES[name])
    with np.errstate(over="ignore", under="ignore"):
        narrow = table.astype(dtype).astype("f8")
    limits = np.finfo(dtype)
    held = (narrow[:, :-1] == table[:, :-1]).all(axis=1)
    size = np.abs(table[:, -1])
    held &= ((size <= limits.max) & (size >= limits.tiny)) | (size == 0)
    return list(table[held, :-1].T), table[held, -1]


@pytest.mark.smoke
@pytest.mark.parametrize("dtype", "fd")
@pytest.mark.parametrize("row", [row for row in SPECIAL_ROWS if row.name in VALUES], ids=str)
def test_exact_values(row, dtype, device):
    arguments, exact = stored(row.name, dtype)
    assert len(exact) >= 3
    operands = [gpuarray.array(x.astype(dtype), device=device) for x in arguments]
    result = getattr(special, row.name)(*operands)
    assert result.dtype == dtype and result.device == device
    error = np.abs(gpuarray.asnumpy(result).astype("f8") - exact)
    worst = error / unit_of(row.name, arguments, exact, dtype)
    assert worst.max() <= row.ulp + 0.5, (row.name, worst.max(), arguments[0][worst.argmax()])


# SciPy's values; a tuple of equal arguments, then what they give.
EDGES = {
    "erf": [(0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0), (NAN, NAN)],
    "erfc": [(0.0, 1.0), (INF, 0.0), (-INF, 2.0), (30.0, 0.0), (NAN, NAN)],
    "erfinv": [(0.0, 0.0), (1.0, INF), (-1.0, -INF), (1.5, NAN), (-INF, NAN), (NAN, NAN)],
    "ndtr": [(0.0, 0.5), (INF, 1.0), (-INF, 0.0), (-40.0, 0.0), (40.0, 1.0), (NAN, NAN)],
    "log_ndtr": [(INF, 0.0), (-INF, -INF), (NAN, NAN)],
    "expit": [(0.0, 0.5), (INF, 1.0), (-INF, 0.0), (NAN, NAN)],
    "logit": [(0.0, -INF), (1.0, INF), (0.5, 0.0), (-0.5, NAN), (1.5, NAN), (INF, NAN)],
    "gamma": [(0.0, INF), (-0.0, -INF), (1.0, 1.0), (5.0, 24.0), (-1.0, NAN), (-30.0, NAN)]
    + [(180.0, INF), (INF, INF), (-INF, NAN), (NAN, NAN)],
    "gammaln": [(0.0, INF), (-0.0, INF), (1.0, 0.0), (2.0, 0.0), (-1.0, INF), (-30.0, INF)]
    + [(INF, INF), (-INF, -INF), (NAN, NAN)],
    "digamma": [(0.0, -INF), (-0.0, INF), (-1.0, NAN), (-30.0, NAN), (INF, INF), (-INF, NAN)],
    "i0": [(0.0, 1.0), (-0.0, 1.0), (800.0, INF), (-800.0, INF), (INF, NAN), (NAN, NAN)],
    "i1": [(0.0, 0.0), (-0.0, -0.0), (800.0, INF), (-800.0, -INF), (INF, NAN), (NAN, NAN)],
    "j0": [(0.0, 1.0), (-0.0, 1.0), (INF, NAN), (-INF, NAN), (NAN, NAN)],
    "j1": [(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN), (NAN, NAN)],
    "y0": [(0.0, -INF), (-0.0, -INF), (-1.0, NAN), (INF, NAN), (-INF, NAN), (NAN, NAN)],
    "y1": [(0.0, -INF), (-0.0, -INF), (-1.0, NAN), (INF, NAN), (-INF, NAN), (NAN, NAN)],
    "xlogy": [((0.0, 0.0), 0.0), ((0.0, INF), 0.0), ((0.0, NAN), NAN), ((2.0, 0.0), -INF)]
    + [((1.0, -1.0), NAN), ((NAN, 1.0), NAN), ((0.0, -5.0), 0.0)],
    "betaln": [((1.0, 1.0), 0.0), ((0.0, 2.0), INF), ((-1.0, 2.5), INF), ((INF, 2.0), -INF)]
    + [((-3.0, 2.0), -math.log(6)), ((NAN, 2.0), NAN), ((2.0, NAN), NAN)],
    "binom": [((3.0, 5.0), 0.0), ((-2.0, 3.0), NAN), ((5.0, -1.0), 0.0), ((NAN, 0.0), NAN)]
    + [((4.0, INF), NAN), ((1.0, NAN), NAN)],
}


@pytest.mark.parametrize("dtype", "fd")
@EACH_ROW
def test_edges(row, dtype, device):
    nothing = ((NAN,) * getattr(special, row.name).nin, NAN)
    for arguments, expected in EDGES.get(row.name, [nothing]):
        arguments = arguments if isinstance(arguments, tuple) else (arguments,)
        operands = [gpuarray.array([x], dtype, device=device) for x in arguments]
        (value,) = getattr(special, row.name)(*operands).tolist()
        where = f"{row.name}{arguments}: {value}"
        if expected == 0 and row.name in ("erf", "i1", "j1"):
            assert math.copysign(1, value) == math.copysign(1, expected), where
        if math.isfinite(expected):
            assert value == pytest.approx(expected, rel=1e-6 if dtype == "f" else 1e-15), where
        else:
            assert value == expected or math.isnan(expected) and math.isnan(value), where


# ---- as SciPy's ----

# Where SciPy's own values are good to the tolerance below: those of the row's domain, or of its name.
DOMAINS = {"UNIT": (0.001, 0.999), "ANY": (-6, 6)}
RANGES = {
    "erf": (-4, 4),
    "erfc": (-4, 5),
    "erfinv": (-0.999, 0.999),
    "log_ndtr": (-30, 5),
    "expit": (-30, 30),
    "gamma": (-8, 30),
    "gammaln": (2.1, 1000),
    "digamma": (1.6, 100),
    "i0": (-90, 90),
    "i1": (-90, 90),
    **dict.fromkeys(BESSEL, (0.1, 60)),
    "xlogy": (0.1, 30),
    "betaln": (2, 60),
    "binom": (0, 30),
}


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4"])
@EACH_ROW
def test_values_are_scipys(scipy_special, row, dtype, device):
    function, theirs = getattr(special, row.name), getattr(scipy_special, row.name)
    limits = RANGES.get(row.name, DOMAINS[row.domain])
    operands = [RNG.uniform(*limits, 300).astype(dtype) for _ in range(function.nin)]
    expected = theirs(*operands)
    result = function(*[gpuarray.array(x, device=device) for x in operands])
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(
        gpuarray.asnumpy(result),
        expected,
        3e-5 if dtype == "f4" else 2e-12,
        1e-6 if dtype == "f4" else 1e-14,
    )


@EACH_ROW
def test_loops_are_scipys(row):
    ufuncs = pytest.importorskip("scipy.special._ufuncs")  # SCIPY_ARRAY_API hides them
    ours, theirs = (
        getattr(special, row.name),
        getattr(ufuncs, "psi" if row.name == "digamma" else row.name),
    )
    assert set(ours.types) <= set(theirs.types)
    assert {loop for loop in theirs.types if set(loop) <= set("fd->")} <= set(ours.types)
    assert (ours.nin, ours.nout) == (theirs.nin, theirs.nout)
    for char in "iIlLfd":  # what becomes of shorter ones depends on SciPy's version
        wanted = theirs(*[np.ones(1, char)] * ours.nin).dtype
        assert ours(*[gpuarray.ones(1, char)] * ours.nin).dtype == wanted, char


@pytest.mark.parametrize("name", ["erf", "gammaln", "xlogy", "expit"])
def test_scipys_own_functions_stay_on_the_device(scipy_special, name, device):
    function = getattr(special, name)
    x = gpuarray.array([0.25, 0.5, 2.0], device=device)
    with gpuarray.transfer_guard("error", cpu=True):
        result = getattr(scipy_special, name)(*[x] * function.nin)
    assert result.device == device and (result == function(*[x] * function.nin)).all()


# ---- as ufuncs ----


# What safely becomes float32 does so where SciPy lists single precision first.
SINGLE_FIRST = {"erfinv": "?bBhHef", "binom": "?bBhHef"}


@EACH_ROW
def test_dtypes(row, device):
    function = getattr(special, row.name)
    single = SINGLE_FIRST.get(row.name, "f")
    for char in "?bBhHiIlLefd":
        result = function(*[gpuarray.ones(2, char, device=device)] * function.nin)
        assert result.dtype == ("f4" if char in single else "f8"), char
    assert function(*[2] * function.nin).dtype == "f8"
    assert (
        function(*[gpuarray.ones(2, "f4", device=device)] * function.nin, dtype="f8").dtype == "f8"
    )


@EACH_ROW
def test_other_dtypes_are_refused(row, device):
    function = getattr(special, row.name)
    chars = "gOSmM" if any("F" in loop for loop in function.types) else "FDgOSmM"
    for char in chars:
        unit = "[s]" if char in "mM" else ""
        operand = np.ones(2, "i8").astype(char + ("8" if unit else "") + unit)
        with pytest.raises(TypeError, match=f"'{row.name}'"):
            function(*[operand] * function.nin)


@pytest.mark.parametrize("dtype", "FD")
def test_complex_xlogy(dtype, device):
    x = np.array([0, 1 + 2j, -3j, 2.5], dtype)
    y = np.array([0, 2 - 1j, -0.5 + 4j, 3j], dtype)
    result = special.xlogy(gpuarray.array(x, device=device), gpuarray.array(y, device=device))
    expected = np.array([0, *(x[1:] * np.log(y[1:].astype("D")))])
    assert result.dtype == dtype
    np.testing.assert_allclose(gpuarray.asnumpy(result), expected, 1e-6 if dtype == "F" else 1e-14)


@EACH_ROW
def test_weak_numbers(row, device):
    function = getattr(special, row.name)
    if function.nin == 1:
        assert function(1).dtype == "f8" and function(0.5).dtype == "f8"
        return
    x = gpuarray.ones(3, "f4", device=device)
    wanted = "f4" if row.name in SINGLE_FIRST else "f8"
    assert function(x, 2).dtype == wanted and function(2.5, x).dtype == wanted
    assert function(x, np.float64(2)).dtype == "f8"


@EACH_ROW
def test_out_and_where(row, device):
    function = getattr(special, row.name)
    x = gpuarray.array([0.25, 0.5, 0.75, 0.875], device=device)
    out, mask = (
        gpuarray.full(4, 7.0, device=device),
        gpuarray.array([True, False] * 2, device=device),
    )
    assert function(*[x] * function.nin, out=out, where=mask) is out
    expected = function(*[x] * function.nin)
    assert out.tolist() == [expected[0].item(), 7, expected[2].item(), 7]
    narrow = gpuarray.zeros(4, "f4", device=device)
    function(*[x] * function.nin, out=narrow)
    assert (narrow == expected.astype("f4")).all()
    with pytest.raises(TypeError, match="same_kind"):
        function(*[x] * function.nin, out=gpuarray.zeros(4, "i8", device=device))


@EACH_ROW
def test_layouts(row, device):
    function = getattr(special, row.name)
    x = gpuarray.array(np.linspace(0.05, 0.95, 24).reshape(4, 6), device=device)
    whole = gpuarray.asnumpy(function(*[x] * function.nin))
    for view in (lambda a: a.T, lambda a: a[:, ::2], lambda a: a[::-1, ::-1], lambda a: a[:0]):
        assert (gpuarray.asnumpy(function(*[view(x)] * function.nin)) == view(whole)).all()
    assert function(*[x] * function.nin, order="F").flags.f_contiguous
    mixed = function(*[x, x[:, :1]][: function.nin])
    assert mixed.shape == (4, 6)


@EACH_ROW
def test_objects(row):
    function = getattr(special, row.name)
    assert isinstance(function, gpuarray.ufunc) and repr(function) == f"<ufunc '{row.name}'>"
    assert pickle.loads(pickle.dumps(function)) is function
    assert function.__doc__.startswith(row.name + "(") and "float32, float64" in function.__doc__
    assert function.resolve_dtypes((np.dtype("i4"),) * function.nin + (None,))[0] == "f8"
    assert not hasattr(np, row.name) or getattr(gpuarray, row.name) is not function


def test_methods(device):
    x = gpuarray.array([1.0, 2.0, 3.0], device=device)
    assert special.xlogy.outer(x, x).shape == (3, 3)
    assert special.xlogy.reduce(x).item() == pytest.approx(np.log(2) * np.log(3), rel=2e-15)
    special.expit.at(x, [0, 0])
    assert x[0].item() == pytest.approx(1 / (1 + np.exp(-1 / (1 + np.exp(-1)))), rel=2e-15)
    assert x[1].item() == 2
    special.xlogy.at(x, [1, 1], gpuarray.array([3.0, 4.0], device=device))
    assert x[1].item() == pytest.approx(2 * np.log(3) * np.log(4), rel=2e-15)


def test_names():
    assert special.psi is special.digamma
    assert set(special.__all__) >= {row.name for row in SPECIAL_ROWS}
    assert gpuarray.special is special and not hasattr(gpuarray, "erf")


@pytest.mark.parametrize("dtype", "efd")
def test_numpys_i0_is_the_same(dtype, device):
    x = np.linspace(-30 if dtype != "e" else -10, 10, 41).astype(dtype)
    ours = gpuarray.i0(gpuarray.array(x, device=device))
    assert ours.dtype == dtype
    exact = gpuarray.asnumpy(special.i0(gpuarray.array(x.astype("d"), device=device)))
    ulp = next(row.ulp for row in SPECIAL_ROWS if row.name == "i0") if dtype == "f" else 1
    np.testing.assert_allclose(
        gpuarray.asnumpy(ours), exact.astype(dtype), rtol=ulp * np.finfo(dtype).eps
    )


# ---- sums of exponentials ----

A = RNG.normal(size=(3, 4, 5)) * 20
B = RNG.normal(size=(4, 5))


def exact_logsumexp(a, axis, b=1.0):
    """With more digits than float64 has, where the platform has them."""
    a = np.asarray(a, "g")
    top = a.max(axis=axis, keepdims=True)
    return np.log(np.sum(np.asarray(b, "g") * np.exp(a - top), axis=axis)) + np.squeeze(top, axis)


@pytest.mark.parametrize("dtype", "efd")
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2), (2, 1)])
def test_logsumexp(axis, dtype, device):
    a = A.astype(dtype)
    result = special.logsumexp(gpuarray.array(a, device=device), axis=axis)
    axes = (0, 1, 2) if axis is None else axis
    assert result.dtype == dtype
    exact = exact_logsumexp(a, axes)
    np.testing.assert_allclose(gpuarray.asnumpy(result), exact, 4 * np.finfo(dtype).eps)


def test_logsumexp_of_many(device):
    a = RNG.normal(size=200_000)
    for dtype, tolerance in (("f4", 2e-6), ("f8", 1e-14)):
        result = special.logsumexp(gpuarray.array(a.astype(dtype), device=device))
        assert abs(result.item() / exact_logsumexp(a.astype(dtype), 0) - 1) < tolerance


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, 1, (0, 2)])
@pytest.mark.parametrize(
    "a, b", [(A, None), (A, B), (A, np.abs(B)), (A[0], A > 0), (A + 1j * A, None)]
)
@pytest.mark.parametrize("return_sign", [False, True])
def test_logsumexp_is_scipys(scipy_special, return_sign, a, b, axis, keepdims, device):
    if np.ndim(a) == 2 and axis == (0, 2):
        axis = (0, 1)
    keywords = {"axis": axis, "keepdims": keepdims, "return_sign": return_sign}
    with np.errstate(all="ignore"):
        theirs = scipy_special.logsumexp(a, b=b, **keywords)
    moved = None if b is None else gpuarray.array(b, device=device)
    ours = special.logsumexp(gpuarray.array(a, device=device), b=moved, **keywords)
    for x, y in zip(ours, theirs, strict=True) if return_sign else [(ours, theirs)]:
        assert x.shape == np.shape(y)
        np.testing.assert_allclose(gpuarray.asnumpy(x), y, 1e-12, 1e-12)


@pytest.mark.parametrize(
    "a, b, expected, sign",
    [
        ([1000.0, 1000.0], None, 1000 + math.log(2), 1),
        ([-1000.0, -1000.0], None, -1000 + math.log(2), 1),
        ([-INF, -INF], None, -INF, 0),
        ([INF, 1.0], None, INF, 1),
        ([NAN, 1.0], None, NAN, NAN),
        ([], None, -INF, -1),
        ([5.0, INF], [1.0, 0.0], 5.0, 1),
        ([5.0, NAN], [2.0, 0.0], 5 + math.log(2), 1),
        ([2.0, 2.0], [1.0, -1.0], -INF, 0),
        ([1.0, 3.0], [1.0, -1.0], NAN, -1),
        ([0.0, -800.0], [0.0, 1.0], -800.0, 1),
        ([INF, 1.0], [1.0, 1.0], INF, 1),
    ],
)
def test_logsumexp_of_edges(a, b, expected, sign, device):
    a = gpuarray.array(a, device=device)
    assert special.logsumexp(a, b=b).item() == pytest.approx(expected, nan_ok=True, rel=1e-15)
    if sign != -1:
        value, unit = special.logsumexp(a, b=b, return_sign=True)
        assert value.item() == pytest.approx(expected, nan_ok=True, rel=1e-15)
        assert unit.item() == pytest.approx(sign, nan_ok=True)


def test_logsumexp_of_a_negative_sum_has_a_sign(device):
    a, b = gpuarray.array([1.0, 3.0], device=device), [1.0, -1.0]
    value, sign = special.logsumexp(a, b=b, return_sign=True)
    assert value.item() == pytest.approx(math.log(math.exp(3) - math.exp(1))) and sign.item() == -1


def test_logsumexp_of_integers_and_numbers(device):
    assert special.logsumexp(gpuarray.array([1, 2, 3], device=device)).dtype == "f8"
    assert special.logsumexp(2.5).item() == 2.5
    assert special.logsumexp(2.5, keepdims=True).shape == (1,)


@pytest.mark.parametrize("dtype", "efdi")
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2)])
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax(name, axis, dtype, device):
    a = (A / 5).astype(dtype)
    result = getattr(special, name)(gpuarray.array(a, device=device), axis=axis)
    shifted = a.astype("g") - a.max(axis=axis, keepdims=True)
    exact = np.exp(shifted) / np.exp(shifted).sum(axis=axis, keepdims=True)
    exact = np.log(exact) if name == "log_softmax" else exact
    assert result.dtype == ("d" if dtype == "i" else dtype) and result.shape == a.shape
    eps = np.finfo(result.dtype).eps
    np.testing.assert_allclose(gpuarray.asnumpy(result), exact, 16 * eps, 16 * eps)


@pytest.mark.parametrize("name", ["logsumexp", "softmax", "log_softmax"])
def test_sums_of_short_floats_keep_their_dtype(name, device):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    a = gpuarray.array([[0.5, 1, -2], [3, 0, 0.25]], device=device)
    short = getattr(special, name)(a.astype(ml_dtypes.bfloat16), axis=1)
    assert short.dtype == ml_dtypes.bfloat16
    wide = gpuarray.asnumpy(getattr(special, name)(a, axis=1))
    np.testing.assert_allclose(gpuarray.asnumpy(short).astype("f8"), wide, 0.04, 0.02)


def test_softmax_of_edges(device):
    large = gpuarray.array([1000.0, 1000.0, -1000.0], device=device)
    assert special.softmax(large).tolist() == [0.5, 0.5, 0.0]
    assert special.log_softmax(gpuarray.array([1000.0, 1.0], device=device)).tolist() == [0, -999]
    assert special.log_softmax(gpuarray.array([-INF, 0.0], device=device)).tolist() == [-INF, 0]
    assert special.softmax(3.0).item() == 1 and special.log_softmax(3.0).item() == 0
    assert np.isnan(gpuarray.asnumpy(special.softmax(gpuarray.array([INF, 0.0], device=device)))[0])


# ---- combinations ----


@pytest.mark.parametrize("dtype", ["i4", "i8", "f4", "f8"])
def test_comb(dtype, device):
    n, k = (x.ravel().astype(dtype) for x in np.mgrid[-2:13, -2:13])
    ours = special.comb(gpuarray.array(n, device=device), gpuarray.array(k, device=device))
    expected = [math.comb(int(a), int(b)) if 0 <= b <= a else 0 for a, b in zip(n, k, strict=True)]
    assert ours.dtype == ("f4" if dtype == "f4" else "f8") and ours.tolist() == expected
    again = special.comb(
        gpuarray.array(n, device=device), gpuarray.array(k, device=device), repetition=True
    )
    real = (n >= 1) & (k >= 0)
    expected = [
        math.comb(int(a) + int(b) - 1, int(b)) for a, b in zip(n[real], k[real], strict=True)
    ]
    assert gpuarray.asnumpy(again)[real].tolist() == expected


def test_comb_of_large_numbers(device):
    n, k = np.array([200.0, 1000.0, 1e6]), np.array([100.0, 500.0, 3.0])
    exact = [float(math.comb(int(a), int(b))) for a, b in zip(n, k, strict=True)]
    ours = special.comb(gpuarray.array(n, device=device), gpuarray.array(k, device=device))
    np.testing.assert_allclose(gpuarray.asnumpy(ours), exact, 1e-12)


def test_exact_comb():
    assert special.comb(100, 50, exact=True) == math.comb(100, 50)
    assert special.comb(3, 5, exact=True) == 0 == special.comb(-3, 2, exact=True)
    assert special.comb(4, 2, exact=True, repetition=True) == 10
    assert special.comb(0, 0, exact=True, repetition=True) == 1
    assert special.comb(10, 3).item() == 120
    with pytest.raises(ValueError, match="Non-integer"):
        special.comb(2.5, 1, exact=True)

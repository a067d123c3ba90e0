"""The host fall-back: conversions both ways, arguments written back, warnings, refusals."""

import collections
import pickle
import warnings

import numpy as np
import pytest
from oracle import check

import gpuarray

VECTOR = np.array([3.0, 1.0, 2.0])
MATRIX = np.array([[4.0, 1.0], [2.0, 3.0]])


HISTOGRAM = gpuarray._fallback.wrap(np.histogram, "gpuarray.histogram")
BESSEL = gpuarray._fallback.wrap(np.i0, "gpuarray.i0")


@pytest.fixture
def warned():
    """Run with one warning a function, from the start, and collect the names."""
    before = gpuarray.set_fallback("warn")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught
    gpuarray.set_fallback(before)


CALLS = [
    ("median", lambda xp, a: xp.median(a), VECTOR),
    ("cumsum", lambda xp, a: xp.cumsum(a), VECTOR),
    ("cumsum out", lambda xp, a, out: xp.cumsum(a, out=out) is out, VECTOR, np.zeros(3)),
    ("cumsum positional out", lambda xp, a, out: xp.cumsum(a, 0, None, out), VECTOR, np.zeros(3)),
    ("list", lambda xp, a: xp.median([a, a]), VECTOR),
    ("list without arrays", lambda xp: xp.cumsum([1, 2, 3])),
    ("nested lists", lambda xp, a: xp.block([[a, a], [a, a]]), MATRIX),
    ("tuple result", lambda xp, a: xp.unique(a, return_index=True), VECTOR),
    ("namedtuple", lambda xp, a: xp.linalg.eigh(a).eigenvalues, MATRIX + MATRIX.T),
    ("list result", lambda xp, a: xp.gradient(a), MATRIX),
    ("object result", lambda xp, a: xp.polyfit(a, a, 1).shape, VECTOR),
    ("python result", lambda xp, a: xp.array2string(a), VECTOR),
    ("strings", lambda xp: xp.array(["a", "bb"]).dtype),
    ("objects", lambda xp: xp.array([1, None]).dtype),
    ("piecewise", lambda xp, a: xp.piecewise(a, [a < 2], [lambda v: -v, 7]), VECTOR),
    ("apply_along_axis", lambda xp, a: xp.apply_along_axis(lambda v: xp.sum(v), 0, a), MATRIX),
    ("exception", lambda xp, a: xp.quantile(a, [0.5, 2.0]), VECTOR),
    ("insert", lambda xp: xp.insert([1, 2, 3], 1, 9)),
    ("packbits", lambda xp: xp.packbits([[1, 0], [1, 1]], axis=1)),
    ("percentile", lambda xp: xp.percentile([1.0, 2.0, np.nan], 50)),
    ("histogram", lambda xp, a: xp.histogram(a, bins=2), VECTOR),
    ("nonzero", lambda xp, a: xp.nonzero(a), np.array([0, 3, 0, 4])),
    ("choose", lambda xp, a: xp.choose([0, 1, 0], [a, -a]), VECTOR),
    ("select", lambda xp, a: xp.select([a > 2, a > 1], [a, -a], default=9), VECTOR),
    ("solve", lambda xp, a: xp.linalg.solve(a, [1.0, 2.0]), MATRIX),
    ("fft", lambda xp, a: xp.fft.fft(a), VECTOR),
    ("einsum", lambda xp, a: xp.einsum("ij,jk->ik", a, a), MATRIX),
    ("emath", lambda xp, a: xp.emath.sqrt(-a), VECTOR),
    ("polynomial", lambda xp, a: xp.polynomial.polynomial.polyval(a, [1, 2]), VECTOR),
    ("strings of numbers", lambda xp, a: xp.format_float_positional(a.sum()), VECTOR),
    ("method", lambda xp, a: a.argsort(), VECTOR),
    ("accumulate", lambda xp: xp.maximum.accumulate([1, 3, 2])),
    ("reduceat", lambda xp: xp.multiply.reduceat([1, 2, 3, 4], [0, 2])),
    ("outer", lambda xp, a: xp.add.outer(a, [1, 2]), VECTOR),
    ("bitwise ufunc of strings", lambda xp: xp.equal(["a", "b"], ["a", "c"])),
]


@pytest.mark.parametrize("row", CALLS, ids=lambda row: row[0].replace(" ", "-"))
def test_call(device, row):
    _, function, *args = row
    check(function, *args, device=device, ulp=4)


MUTATORS = [
    ("put", lambda xp, a: xp.put(a, [0, 2], [7, 8])),
    ("put method", lambda xp, a: a.put([0], [5])),
    ("place", lambda xp, a: xp.place(a, a > 1, [9, 8])),
    ("putmask", lambda xp, a: xp.putmask(a, a > 1, 0)),
    ("fill_diagonal", lambda xp, a: xp.fill_diagonal(a.reshape(1, 3), 5)),
    ("put_along_axis", lambda xp, a: xp.put_along_axis(a, xp.asarray([1]), 4, 0)),
    ("keyword", lambda xp, a: xp.put(a=a, ind=[1], v=6)),
    ("at", lambda xp, a: xp.add.at(a, [0, 0], 1)),
    ("sort method", lambda xp, a: a.sort()),
    ("partition method", lambda xp, a: a.partition(1)),
    ("out of range", lambda xp, a: xp.put(a, [5], [1])),
]


@pytest.mark.parametrize("row", MUTATORS, ids=lambda row: row[0].replace(" ", "-"))
def test_mutated_arguments_are_written_back(device, row):
    check(row[1], VECTOR.copy(), device=device)


@pytest.mark.parametrize("name", ["add.at", "multiply.at"])
def test_ufunc_at(device, name):
    ufunc = name.split(".")[0]
    check(lambda xp, a: getattr(xp, ufunc).at(a, [0, 0], 3), np.ones(2), device=device)
    check(lambda xp, a: getattr(xp, ufunc).at(a, [1, 1], 1j), np.ones(2, complex), device=device)


def test_results_are_on_the_device_of_the_arguments(device):
    a = gpuarray.asarray(VECTOR, device=device)
    assert str(gpuarray.median(a).device) == device
    assert str(gpuarray.sort(a).device) == device
    assert str(gpuarray.random.default_rng(0).normal(size=3).device) == device


def test_input_may_be_returned_as_itself(device):
    a = gpuarray.asarray(VECTOR, device=device)
    assert gpuarray.require(a) is a


def test_warns_once_for_each_function(warned, device):
    a = gpuarray.asarray(VECTOR, device=device)
    HISTOGRAM(a)
    HISTOGRAM(a)
    BESSEL(a)
    texts = [str(each.message) for each in warned if each.category is gpuarray.PerformanceWarning]
    assert len(texts) == 2
    assert "gpuarray.histogram" in texts[0]
    assert warned[0].filename == __file__


def test_error_setting(device):
    a = gpuarray.asarray(VECTOR, device=device)
    before = gpuarray.set_fallback("error")
    try:
        with pytest.raises(gpuarray.PerformanceWarning, match="histogram"):
            HISTOGRAM(a)
        assert gpuarray.linspace(0, 1, 3).tolist() == [0.0, 0.5, 1.0]
    finally:
        gpuarray.set_fallback(before)


def test_silent_setting(warned, device):
    gpuarray.set_fallback("silent")
    HISTOGRAM(gpuarray.asarray(VECTOR, device=device))
    assert not warned


def test_setting_is_checked():
    with pytest.raises(ValueError, match="fallback mode"):
        gpuarray.set_fallback("loud")


def test_hidden_arrays_are_refused(device):
    a = gpuarray.asarray(VECTOR, device=device)
    with pytest.raises(TypeError, match="device arrays inside an object"):
        gpuarray._fallback.run(np.sum, "sum", (collections.deque([a]),), {}, dispatched=True)


def test_result_dtypes_no_device_holds(device):
    text = gpuarray.datetime_as_string(
        gpuarray.asarray(np.array(["2024-01-02"], "M8[D]"), device=device)
    )
    assert type(text) is np.ndarray
    assert text[0] == "2024-01-02"


UNHELD = [
    lambda xp, a: xp.repeat(a, 2),
    lambda xp, a: xp.tile(a, 2),
    lambda xp, a: xp.where([True, False], a, a[::-1]),
    lambda xp, a: xp.where(xp.asarray([1, 0]), a, a),
    lambda xp, a: xp.diag(a),
    lambda xp, a: xp.tril([a, a]),
    lambda xp, a: xp.concatenate([a, a]),
    lambda xp, a: xp.stack([a, a]),
    lambda xp, a: xp.roll(a, 1),
    lambda xp, a: xp.reshape(a, (2, 1)),
    lambda xp, a: xp.add(a, a),
    lambda xp, a: xp.broadcast_to(a, (2, 2)),
    lambda xp, a: xp.array_equal(a, a),
]


@pytest.mark.parametrize("function", UNHELD)
@pytest.mark.parametrize(
    "array", [np.array(["b", "a"]), np.array([1, 2.5], "O"), np.longdouble([1, 2])], ids="UOg"
)
def test_data_no_device_holds(device, function, array):
    check(function, array, device=device)


def test_named_device_for_unheld_data(device):
    with pytest.raises(TypeError, match="str|U2"):
        gpuarray.array(["a", "bb"], device=device)


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_matrices_stay_numpys(device):
    squared = gpuarray.asmatrix([[1, 2], [3, 4]]) ** 2
    assert type(squared) is np.matrix
    assert squared.tolist() == [[7, 10], [15, 22]]


def test_pickles_of_arrays(device):
    a = gpuarray.asarray(VECTOR, device=device)
    assert pickle.loads(a.dumps()).tolist() == VECTOR.tolist()

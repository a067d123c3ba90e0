"""unique in all its forms, membership, and the operations on two sets."""

import itertools

import numpy
import pytest
from backend_calls import count_calls
from grids import DTYPES
from oracle import check

import gpuarray


def few(dtype, shape, seed=0, missing=True):
    """Elements of which most are there several times."""
    rng = numpy.random.default_rng(seed)
    values = rng.integers(0, 12, shape)
    dtype = numpy.dtype(dtype)
    if dtype.kind == "c":
        values = values + 1j * rng.integers(0, 2, shape)
    result = values.astype(dtype)
    if missing and dtype.kind in "fcmM":
        gap = numpy.nan if dtype.kind in "fc" else dtype.type("NaT")
        result = numpy.where(rng.random(shape) < 0.15, gap, result).astype(dtype)
    return result


@pytest.mark.smoke
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("wanted", list(itertools.product([False, True], repeat=3)), ids=str)
def test_unique(device, dtype, wanted):
    for shape in (0, 1, 200, (9, 31)):
        check(lambda xp, x: xp.unique(x, *wanted), few(dtype, shape), device=device)


@pytest.mark.parametrize("dtype", ["f4", "D", "M8[s]", "i4"])
@pytest.mark.parametrize("wanted", list(itertools.product([False, True], repeat=3)), ids=str)
def test_unique_with_every_nan_for_itself(device, dtype, wanted):
    a = few(dtype, (5, 40))
    # NumPy's inverse depends on its unstable sort where NaNs are counted one by one: index= makes it stable. And NaT
    # alone is one to NumPy where nothing but the elements is asked for.
    wanted = (wanted[0] or wanted[1] or dtype == "M8[s]", *wanted[1:])
    check(lambda xp, x: xp.unique(x, *wanted, equal_nan=False), a, device=device)


@pytest.mark.parametrize(
    "dtype", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "M8[s]"]
)
@pytest.mark.parametrize("wanted", list(itertools.product([False, True], repeat=3)), ids=str)
def test_unique_of_many(device, dtype, wanted):
    """Enough elements for integers to be counted, of a range that can be and of one that cannot."""
    a = few(dtype, 9000)
    check(lambda xp, x: xp.unique(x, *wanted), a, device=device)
    if a.dtype.kind in "iu":
        limits = numpy.iinfo(dtype)
        edges = numpy.array([limits.max, limits.max - 1, limits.max - 5], dtype)
        check(lambda xp, x: xp.unique(x, *wanted), edges[a.astype(int) % 3], device=device)
        a[::1000] = limits.min
        a[1::1000] = limits.max
        check(lambda xp, x: xp.unique(x, *wanted), a.reshape(90, 100), device=device)


UNIQUES = [
    lambda xp, a: xp.unique(a.T, return_inverse=True),
    lambda xp, a: xp.unique(a, axis=0),
    lambda xp, a: xp.unique(a, return_counts=True, axis=1),
    lambda xp, a: xp.unique(a[0], return_inverse=True, axis=0),
    lambda xp, a: xp.unique([1.0, xp.nan, xp.nan]),
    lambda xp, a: xp.unique(a[0, 0]),
    lambda xp, a: xp.unique(3),
    lambda xp, a: xp.unique([[True, False], [True, True]], return_index=True),
    lambda xp, a: xp.unique(["b", "a", "b"]),
    lambda xp, a: xp.unique_all(a),
    lambda xp, a: xp.unique_counts(a),
    lambda xp, a: xp.unique_inverse(a),
    lambda xp, a: xp.sort(xp.unique_values(a)),
    lambda xp, a: xp.unique_all(a).inverse_indices,
    lambda xp, a: type(xp.unique_counts(a)).__name__,
]


@pytest.mark.parametrize("call", UNIQUES, ids=range(len(UNIQUES)))
def test_unique_calls(device, call):
    check(call, few("i4", (6, 7)), device=device, order=False)


OPERATIONS = ["intersect1d", "union1d", "setdiff1d", "setxor1d", "isin"]


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_two_sets(device, operation, dtype):
    a, b = few(dtype, 60, 1), few(dtype, (4, 5), 2)[:, 1:]
    check(lambda xp, x, y: getattr(xp, operation)(x, y), a, b, device=device)
    check(lambda xp, x, y: getattr(xp, operation)(y, x), a, b, device=device)
    check(lambda xp, x, y: getattr(xp, operation)(x[:0], y), a, b, device=device)
    check(lambda xp, x, y: getattr(xp, operation)(x, y[:0]), a, b, device=device)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("pair", ["i4 f8", "u1 i1", "f4 i8", "? i2", "f8 D"])
def test_two_sets_of_unlike_dtypes(device, operation, pair):
    one, other = pair.split()
    a, b = few(one, 30, 1), few(other, 20, 2)
    check(lambda xp, x, y: getattr(xp, operation)(x, y), a, b, device=device)


@pytest.mark.parametrize("operation", ["intersect1d", "setdiff1d", "setxor1d"])
def test_sets_said_to_be_unique(device, operation):
    a, b = numpy.array([5, 1, 9, 2]), numpy.array([2, 7, 1])
    check(lambda xp, x, y: getattr(xp, operation)(x, y, assume_unique=True), a, b, device=device)


@pytest.mark.parametrize("unique", [False, True])
def test_where_common_elements_are(device, unique):
    a, b = numpy.array([5, 1, 9, 2]), numpy.array([2, 7, 1])
    if not unique:
        a, b = numpy.repeat(a, 2)[::-1], numpy.repeat(b, 3)
    check(lambda xp, x, y: xp.intersect1d(x, y, unique, return_indices=True), a, b, device=device)


MEMBERSHIPS = [
    lambda xp, a: xp.isin(a, [1, 2]),
    lambda xp, a: xp.isin(a, [1, 2], invert=True),
    lambda xp, a: xp.isin(a, 3),
    lambda xp, a: xp.isin(2, a),
    lambda xp, a: xp.isin(a, a[0], assume_unique=True, kind="sort"),
    lambda xp, a: xp.isin(a, a[0], kind="table"),
    lambda xp, a: xp.isin(a, a[0], kind="tree"),
    lambda xp, a: xp.isin(a, [1.0, 2.0], kind="table"),
    lambda xp, a: xp.isin(a / 2, a[0], kind="table"),
    lambda xp, a: xp.isin(a > 1, [True], kind="table"),
    lambda xp, a: xp.isin([1.0, xp.nan], [xp.nan]),
    lambda xp, a: xp.isin([1.0, xp.nan], [xp.nan], invert=True),
]


@pytest.mark.parametrize("call", MEMBERSHIPS, ids=range(len(MEMBERSHIPS)))
def test_membership(device, call):
    check(call, few("i4", (6, 7)), device=device)


def test_results_stay_on_the_device(device):
    a = gpuarray.asarray(few("f4", 50), device=device)
    for result in (*gpuarray.unique_all(a), gpuarray.isin(a, a), gpuarray.union1d(a, [1])):
        assert str(result.device) == device


SHAPES = [(6, 2), (6, 3), (5, 1), (4, 2, 3), (0, 3), (3, 0), (1, 4), (7, 5, 1), (2, 0, 2)]


@pytest.mark.parametrize("dtype", ["?", "i1", "i8", "f4", "f8", "c16", "m8[s]"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_unique_slices(device, shape, dtype):
    a = numpy.random.default_rng(3).integers(0, 2, shape).astype(dtype)
    if a.size and a.dtype.kind in "fc":
        a.flat[0], a.flat[-1] = numpy.nan, -0.0
    for axis in (0, 1, -1, 2):
        for wanted in ((), (True,), (False, True), (False, False, True), (True, True, True)):
            check(
                lambda xp, x, w=wanted, at=axis: xp.unique(x, *w, axis=at),
                a,
                device=device,
                order=False,
            )


@pytest.mark.parametrize("rows", [255, 256, 257, 513, 1025, 3000])
@pytest.mark.parametrize("dtype", ["u1", "f2", "i4", "f8", "c8", "M8[s]"])
def test_unique_of_runs_of_rows(device, rows, dtype):
    a = numpy.random.default_rng(5).integers(0, 40, (rows, 2)).astype(dtype)
    check(lambda xp, x: xp.unique(x, True, True, True, axis=0), a, device=device, order=False)


def test_unique_slices_take_few_kernels(device):
    a = gpuarray.asarray(numpy.arange(600).reshape(300, 2) % 7, device=device)
    with count_calls(device) as calls:
        gpuarray.unique(a, axis=0)
    assert calls["rows"] == 1 and sum(calls.values()) <= 5


def test_unique_of_many_rows(device):
    a = numpy.random.default_rng(4).integers(-2, 3, (400, 3, 2))
    for axis in (0, 1, 2):
        check(
            lambda xp, x, at=axis: xp.unique(x, True, True, True, axis=at),
            a,
            device=device,
            order=False,
        )


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_unique_slices_lie_as_numpys(device, axis):
    a = numpy.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1)
    ours = gpuarray.unique(gpuarray.asarray(a, device=device), axis=axis)
    assert ours.strides == numpy.unique(a, axis=axis).strides


@pytest.mark.parametrize("dtypes", ["ff", "dF", "ie", "bB", "MM", "?l"])
def test_sets_of_repeated_elements(dtypes, device):
    """Few values, some of them NaN in either array, NaT among times."""
    random = numpy.random.default_rng(5)

    def make(char, size):
        a = random.integers(0, 6, size).astype(f"{char}8[s]" if char == "M" else char)
        if a.dtype.kind in "fcM":
            a[random.random(size) < 0.2] = "NaT" if char == "M" else numpy.nan
        return a

    for sizes in ((9, 7), (1, 12), (0, 5), (6, 0)):
        a, b = map(make, dtypes, sizes)
        check(lambda xp, a, b: xp.setxor1d(a, b), a, b, device=device)
        check(lambda xp, a, b: xp.intersect1d(a, b, return_indices=True), a, b, device=device)

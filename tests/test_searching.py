"""nonzero and its kin, searchsorted, digitize."""

import numpy
import pytest
from grids import DTYPES
from oracle import check

import gpuarray

# Sizes on both sides of the tiles of a selection.
SIZES = [0, 1, 15, 4095, 4096, 4097, 50000]
FUNCTIONS = ["nonzero", "flatnonzero", "argwhere", "where"]


def sparse(dtype, shape, share=0.3, seed=0):
    rng = numpy.random.default_rng(seed)
    values = rng.integers(1, 100, shape).astype(dtype)
    return numpy.where(rng.random(shape) < share, values, numpy.zeros((), dtype))


@pytest.mark.smoke
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 1.0])
def test_nonzero_of_vectors(device, function, size, share):
    a = sparse("?", size, share)
    check(lambda xp, x: getattr(xp, function)(x), a, device=device, order=False)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("shape", [(), (3, 4), (0, 3), (2, 3, 4, 5), (70, 90), (1,) * 9])
def test_nonzero_of_shapes(device, function, shape):
    a = sparse("i4", shape)
    check(lambda xp, x: getattr(xp, function)(x), a, device=device, order=False)
    check(lambda xp, x: getattr(xp, function)(x.T), a, device=device, order=False)


@pytest.mark.parametrize("dtype", DTYPES)
def test_nonzero_of_dtypes(device, dtype):
    a = sparse(dtype, (6, 7))
    check(lambda xp, x: xp.nonzero(x), a, device=device, order=False)
    check(lambda xp, x: x[::2, ::-1].nonzero(), a, device=device, order=False)


def test_nonzero_of_nan_and_signed_zero(device):
    a = numpy.array([0.0, -0.0, numpy.nan, 1e-300])
    check(lambda xp, x: xp.nonzero(x), a, device=device)
    check(lambda xp, x: xp.nonzero(x * 1j), a, device=device)


def test_elements_under_a_mask(device):
    for dtype in DTYPES:
        a, mask = sparse(dtype, (50, 100), 1.0), sparse("?", (50, 100))
        ours = gpuarray._core._select(
            gpuarray.asarray(a, device=device), gpuarray.asarray(mask, device=device)
        )
        assert numpy.array_equal(ours.get(), a[mask])
        assert ours.dtype == a.dtype


@pytest.mark.parametrize("share", [0.02, 0.6])
@pytest.mark.parametrize("size", [65535, 65536, 65537, 16 * 65536 + 4097])
def test_selections_beyond_a_group_of_tiles(device, size, share):
    mask = sparse("?", size + 3, share)
    for offset in (0, 3):  # whole vectors of the mask may be loaded, or not
        for dtype in ("u1", "i2", "f4", "f8", "c16"):
            a = numpy.arange(size).astype(dtype)
            check(lambda xp, m, x, o=offset: x[m[o : o + size]], mask, a, device=device)
        check(lambda xp, m, o=offset: xp.flatnonzero(m[o : o + size]), mask, device=device)


@pytest.mark.parametrize("shape", [(3, 70001), (70001, 2, 2)])
def test_positions_of_large_arrays(device, shape):
    check(lambda xp, x: xp.argwhere(x), sparse("?", shape), device=device, order=False)


def ordered(dtype, size, seed=0):
    rng = numpy.random.default_rng(seed)
    values = rng.integers(0, 50, size)
    if numpy.dtype(dtype).kind == "c":
        return numpy.sort(values + 1j * rng.integers(0, 3, size)).astype(dtype)
    return numpy.sort(values.astype(dtype))


@pytest.mark.smoke
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted(device, dtype, side):
    for size in (0, 1, 2, 100, 1000):
        a, v = ordered(dtype, size), ordered(dtype, 37, 1)[::-1].reshape(1, 37)
        check(lambda xp, a, v: xp.searchsorted(a, v, side), a, v, device=device)
        check(lambda xp, a, v: a.searchsorted(v.T, side=side), a, v, device=device)


@pytest.mark.parametrize("pair", ["i4 f8", "u8 i8", "f4 f8", "? i1", "f8 D", "e i8"])
def test_searchsorted_promotes(device, pair):
    one, other = pair.split()
    a, v = ordered(one, 20), ordered(other, 30, 2)
    check(lambda xp, a, v: xp.searchsorted(a, v), a, v, device=device)


@pytest.mark.parametrize("kind", ["f8", "D", "M8[s]"])
def test_searchsorted_with_missing_values(device, kind):
    a = numpy.array([1.0, 2.0, numpy.nan, numpy.nan])
    v = numpy.array([numpy.nan, 0.5, 2.0, 3.0])
    if kind == "M8[s]":
        a, v = (numpy.nan_to_num(x, nan=numpy.iinfo("i8").min).astype("i8") for x in (a, v))
    a, v = a.astype(kind), v.astype(kind)
    for side in ("left", "right"):
        check(lambda xp, a, v, s=side: xp.searchsorted(a, v, s), a, v, device=device)


SEARCHES = [
    lambda xp, a: xp.searchsorted(a, 3),
    lambda xp, a: xp.searchsorted(a, 2.5, side="right"),
    lambda xp, a: xp.searchsorted([1, 3, 5], [2, 4]),
    lambda xp, a: xp.searchsorted(a, []),
    lambda xp, a: xp.searchsorted(a, [[2]], side="middle"),
    lambda xp, a: xp.searchsorted(a, [1], side=1),
    lambda xp, a: xp.searchsorted(a.reshape(2, 2), 3),
    lambda xp, a: xp.searchsorted(a[::-1], [2, 3], sorter=[3, 2, 1, 0]),
    lambda xp, a: xp.searchsorted(a[::-1], 3, "right", xp.argsort(a[::-1])),
    lambda xp, a: xp.searchsorted(a, 3, sorter=[0, 1]),
    lambda xp, a: xp.searchsorted(a, 3, sorter=[0.0, 1, 2, 3]),
    lambda xp, a: xp.searchsorted(a[::2], [1, 9]),
]


@pytest.mark.parametrize("call", SEARCHES, ids=range(len(SEARCHES)))
def test_searchsorted_calls(device, call):
    check(call, numpy.array([1, 2, 3, 4]), device=device)


BINS = {
    "rising": [0.0, 1.0, 2.5, 4.0],
    "falling": [4.0, 2.5, 1.0],
    "equal": [1.0, 1.0, 1.0],
    "rising with equals": [1.0, 1.0, 2.0],
    "one": [1.0],
    "none": [],
    "neither": [1.0, 3.0, 2.0],
}


@pytest.mark.parametrize("name", BINS)
@pytest.mark.parametrize("right", [False, True])
def test_digitize(device, name, right):
    x, bins = numpy.array([[0.2, 6.4, 3.0], [1.0, 2.5, -1.0]]), numpy.array(BINS[name])
    check(lambda xp, x, b: xp.digitize(x, b, right), x, bins, device=device)
    check(lambda xp, b: xp.digitize(1, b, right=right), bins, device=device)


def test_digitize_refuses(device):
    check(lambda xp, a: xp.digitize(a * 1j, [1, 2]), numpy.ones(2), device=device)
    check(lambda xp, a: xp.digitize(a, [[1, 2]]), numpy.ones(2), device=device)


@pytest.mark.parametrize("size", [0, 1, 2, 100, 1023, 1024, 1025, 2048, 5000, 8192, 8193, 70001])
@pytest.mark.parametrize(
    "dtype", ["?", "u1", "i2", "f2", "i4", "f4", "i8", "f8", "F", "D", "M8[s]"]
)
def test_many_values_in_few_elements(device, dtype, size):
    """Up to 1024 elements are searched in a block's own memory on a GPU, of more the ends of groups."""
    rng = numpy.random.default_rng(size)
    values = rng.integers(0, 200 if size < 2000 else 20000, 33001).astype(dtype)
    if values.dtype.kind in "fcM":
        values[::50] = numpy.nan if values.dtype.kind != "M" else numpy.datetime64("NaT")
    table = numpy.sort(rng.choice(values, size) if size else values[:0])
    for side in ("left", "right"):
        check(lambda xp, a, v, s=side: xp.searchsorted(a, v, s), table, values, device=device)
    check(lambda xp, a, v: xp.isin(v, a), table, values, device=device)
    check(lambda xp, a, v: xp.isin(v, a, invert=True), table, values, device=device)

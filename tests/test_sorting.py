"""sort, argsort, lexsort, partition, and what stands on sorted elements: median, quantiles, percentiles."""

import numpy
import pytest
from grids import DTYPES
from oracle import check

import gpuarray

# Lengths on both sides of the borders between algorithms: short rows, tiles of the GPU, several threads.
LENGTHS = [0, 1, 2, 31, 257, 1500, 4096, 4097, 70000]


def mixed(dtype, shape, seed=0):
    """Elements with many equal ones, and with everything that sorts in its own way."""
    rng = numpy.random.default_rng(seed)
    dtype = numpy.dtype(dtype)
    small = rng.integers(-20, 20, shape)
    if dtype.kind in "biu":
        wide = rng.integers(-(2**62), 2**62, shape) * 2
        return numpy.where(rng.random(shape) < 0.5, small, wide).astype(dtype)
    if dtype.kind in "mM":
        return numpy.where(rng.random(shape) < 0.1, numpy.datetime64("NaT").view("i8"), small).view(
            dtype
        )
    return special(dtype, small, rng)


def special(dtype, values, rng):
    """Floating-point values with infinities and NaN of either sign; without -0.0, whose place NumPy leaves open."""
    parts = values / 4 + 0.0
    for each in (numpy.nan, -numpy.nan, numpy.inf, -numpy.inf):
        parts = numpy.where(rng.random(values.shape) < 0.04, each, parts)
    if dtype.kind == "f":
        return parts.astype(dtype)
    result = numpy.empty(values.shape, dtype)
    result.real, result.imag = parts, rng.permutation(parts.ravel()).reshape(parts.shape)
    return result


@pytest.mark.smoke
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("length", LENGTHS)
def test_every_dtype_and_length(device, dtype, length):
    a = mixed(dtype, length)
    check(lambda xp, x: xp.sort(x, kind="stable"), a, device=device)
    check(lambda xp, x: xp.argsort(x, kind="stable"), a, device=device)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(300, 7), (5, 1000), (3, 5000), (40, 4100), (2, 3, 70)])
def test_rows(device, dtype, shape):
    a = mixed(dtype, shape)
    check(lambda xp, x: xp.sort(x), a, device=device)
    check(lambda xp, x: xp.argsort(x, kind="stable"), a, device=device)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, None, 3, -4])
@pytest.mark.parametrize("order", ["C", "F"])
def test_axes(device, axis, order):
    a = numpy.array(mixed("f4", (4, 5, 6)), order=order)
    check(lambda xp, x: xp.sort(x, axis=axis), a, device=device)
    check(lambda xp, x: xp.argsort(x, axis=axis, stable=True), a, device=device)
    check(lambda xp, x: xp.sort(x.transpose(1, 0, 2), axis), a, device=device)


@pytest.mark.parametrize("shape", [(), (1,), (0,), (0, 3), (3, 0), (1, 1, 1)])
def test_small_shapes(device, shape):
    a = numpy.zeros(shape)
    for axis in (-1, 0, None):
        check(lambda xp, x, k=axis: xp.sort(x, k), a, device=device)
        check(lambda xp, x, k=axis: xp.argsort(x, k), a, device=device)


KINDS = [None, "quicksort", "mergesort", "heapsort", "stable", "q", "bubble", "", 1]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_kinds(device, kind):
    check(lambda xp, x: xp.sort(x, kind=kind), numpy.array([3, 1, 2]), device=device)
    check(lambda xp, x: xp.argsort(x, kind=kind), numpy.array([3, 1, 2]), device=device)


REFUSED = [
    lambda xp, a: xp.sort(a, order="x"),
    lambda xp, a: xp.sort(a, kind="stable", stable=True),
    lambda xp, a: xp.argsort(a, axis=1.5),
    lambda xp, a: a.sort(axis=None),
    lambda xp, a: a.sort(2),
]


@pytest.mark.parametrize("call", REFUSED, ids=range(len(REFUSED)))
def test_refused(device, call):
    check(call, numpy.arange(6).reshape(2, 3), device=device)


VIEWS = {
    "column": lambda a: a[:, 0],
    "step": lambda a: a[::2, ::-1],
    "transposed": lambda a: a.T,
    "rows": lambda a: a[1:3],
    "real": lambda a: a.astype("D").real,
}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("axis", [0, -1])
def test_method_sorts_any_view_in_place(device, name, axis):
    def sort(xp, a):
        view = VIEWS[name](a)
        assert view.sort(axis=axis) is None
        return view

    check(sort, mixed("f8", (5, 6)), device=device)


def test_read_only_arrays_are_not_sorted(device):
    def sort(xp, a):
        a.flags.writeable = False
        a.sort()

    check(sort, numpy.array([2, 1]), device=device)


def test_methods(device):
    a = mixed("i4", (4, 9))
    check(lambda xp, x: x.argsort(0, kind="stable"), a, device=device)
    check(lambda xp, x: (x.sort(), x)[1], a, device=device)


def test_zeros_of_either_sign_are_equal_to_argsort(device):
    a = numpy.array([0.0, -0.0, -1.0, 0.0, -0.0])
    check(lambda xp, x: xp.argsort(x, stable=True), a, device=device)
    check(lambda xp, x: xp.argsort(x * (1 + 0j), stable=True), a, device=device)


@pytest.mark.parametrize("dtype", DTYPES)
def test_descending(device, dtype):
    a = mixed(dtype, (3, 400))
    ours = gpuarray.asarray(a, device=device)
    missing = numpy.isnan(a) if a.dtype.kind in "fcmM" else numpy.zeros(a.shape, bool)
    positions = gpuarray.argsort(ours, descending=True).get()
    values = gpuarray.sort(ours, descending=True).get()
    for row, order, result, nan in zip(a, positions, values, missing, strict=True):
        assert numpy.array_equal(numpy.sort(order), numpy.arange(len(row)))
        assert not nan[order][: len(row) - nan.sum()].any()
        rank = numpy.unique(row[~nan], return_inverse=True)[1]
        expected = numpy.flatnonzero(~nan)[numpy.argsort(-rank, kind="stable")]
        assert numpy.array_equal(order[: len(expected)], expected)
        assert numpy.array_equal(result[: len(expected)], row[expected])


@pytest.mark.parametrize("shape", [(3, 50), (2, 4, 5), (1, 7), (4, 300, 9)])
@pytest.mark.parametrize("axis", [-1, 0])
def test_lexsort(device, shape, axis):
    keys = numpy.random.default_rng(1).integers(0, 3, shape)
    check(lambda xp, x: xp.lexsort(x, axis), keys, device=device)
    check(lambda xp, x: xp.lexsort(tuple(x), axis), keys, device=device)
    check(lambda xp: (xp.lexsort([3, 1], 0), xp.lexsort([3, 1], -1)), device=device)
    check(lambda xp: xp.lexsort([3, 1], -2), device=device)


def test_lexsort_of_unlike_keys(device):
    names, values = numpy.array([2, 1, 2, 1, 2]), numpy.array([0.5, numpy.nan, -1, 0.5, 0.5])
    times = numpy.array([3, 1, 2, 1, 9], "M8[s]")
    check(lambda xp, a, b, c: xp.lexsort((a, b, c)), names, times, values, device=device)
    check(lambda xp, a, b: xp.lexsort((a, b * 1j)), names, values, device=device)
    check(lambda xp, a, b: xp.lexsort((a, b[:2])), names, values, device=device)
    check(lambda xp: xp.lexsort([]), device=device)
    check(lambda xp: xp.lexsort([[3, 1, 2], [0, 0, -1]]), device=device)


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "f4", "f8", "D", "F"])
def test_sort_complex(device, dtype):
    check(lambda xp, x: xp.sort_complex(x), mixed(dtype, (3, 8)), device=device)


@pytest.mark.parametrize("kth", [0, 3, -1, [1, 5], (2,)], ids=str)
@pytest.mark.parametrize("axis", [-1, 0, None])
def test_partition(device, kth, axis):
    a = mixed("f8", (8, 9))
    ours = gpuarray.partition(gpuarray.asarray(a, device=device), kth, axis).get()
    positions = gpuarray.argpartition(gpuarray.asarray(a, device=device), kth, axis).get()
    ordered = numpy.sort(a, axis)
    for result in (ours, numpy.take_along_axis(a, positions, axis)):
        result, expected = (
            numpy.moveaxis(x, axis or 0, 0) if axis is not None else x for x in (result, ordered)
        )
        assert numpy.array_equal(numpy.sort(result, 0), expected, equal_nan=True)
        for k in numpy.atleast_1d(kth):
            assert numpy.array_equal(result[k], expected[k], equal_nan=True)


REFUSED_PARTITIONS = [
    lambda xp, a: xp.partition(a, 3),
    lambda xp, a: xp.partition(a, -4),
    lambda xp, a: xp.partition(a, 1.0),
    lambda xp, a: xp.argpartition(a, 1, kind="quick"),
    lambda xp, a: a.partition(1, axis=5),
]


@pytest.mark.parametrize("call", REFUSED_PARTITIONS, ids=range(len(REFUSED_PARTITIONS)))
def test_refused_partitions(device, call):
    check(call, numpy.arange(6).reshape(2, 3), device=device)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0)])
def test_nothing_to_partition(device, shape):
    for axis in (0, -1, None, 2):
        for kth in (0, 5, [1, -9], 1.5):
            check(
                lambda xp, a, k=kth, x=axis: (xp.partition(a, k, x), xp.argpartition(a, k, x)),
                numpy.zeros(shape),
                device=device,
            )


# ---- median, quantiles ----

AXES = [None, 0, 1, -1, (0, 2), (1, 0), (0, 1, 2)]


def sample(dtype, shape=(4, 5, 6), seed=3):
    return (numpy.random.default_rng(seed).standard_normal(shape) * 50).astype(dtype)


@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
def test_median(device, axis, keepdims):
    for dtype in ("f8", "f4", "i2"):
        a = sample(dtype)
        check(lambda xp, x: xp.median(x, axis, keepdims=keepdims), a, device=device, order=False)
    a[0] = a[1]
    check(lambda xp, x: xp.median(x[:3], axis, keepdims=keepdims), a, device=device, order=False)


@pytest.mark.parametrize("dtype", ["?", "u1", "i8", "e", "f4", "f8", "D", "m8[s]"])
@pytest.mark.parametrize("n", [1, 2, 7, 8])
def test_median_of_dtypes(device, dtype, n):
    a = numpy.arange(n)[::-1].astype(dtype)
    check(lambda xp, x: xp.median(x), a, device=device)


@pytest.mark.parametrize("function", ["median", "percentile", "quantile"])
def test_nan_spreads_over_its_slice_alone(device, function):
    a = sample("f8")
    a[1, 2, 3], a[0, 0, 0] = numpy.nan, -numpy.nan
    more = {"median": (), "percentile": (30,), "quantile": ([0.2, 0.7],)}[function]
    for axis in (0, 2, None):
        check(
            lambda xp, x, k=axis: getattr(xp, function)(x, *more, axis=k),
            a,
            device=device,
            order=False,
            rtol=1e-14,
        )


METHODS = [
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "linear",
    "median_unbiased",
    "normal_unbiased",
    "lower",
    "higher",
    "midpoint",
    "nearest",
    "closest",
]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", ["f8", "i4"])
def test_quantile_methods(device, method, dtype):
    for n in (1, 2, 5, 8):
        a = sample(dtype, (n, 3))
        for q in (0, 0.0, 1, 0.25, 0.5, numpy.array([0.0, 0.1, 1 / 3, 0.5, 0.9, 1.0])):
            check(
                lambda xp, x, q: xp.quantile(x, q, axis=0, method=method),
                *(a, q),
                device=device,
                order=False,
                rtol=1e-13,
                atol=1e-13,
            )


@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("q", [30, 50.5, [10, 90], [[1], [2]]], ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
def test_percentile(device, axis, q, keepdims):
    for dtype in ("f4", "i8"):
        check(
            lambda xp, x, q: xp.percentile(x, q, axis, keepdims=keepdims),
            *(sample(dtype), q),
            device=device,
            order=False,
            rtol=1e-5,
        )


NAN_FUNCTIONS = {
    "nanmedian": (),
    "nanpercentile": (30,),
    "nanquantile": ([0.0, 0.2, 0.5, 1.0],),
}


@pytest.mark.parametrize("function", NAN_FUNCTIONS)
@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
def test_nan_functions(device, function, axis, keepdims):
    more = NAN_FUNCTIONS[function]
    for dtype in ("e", "f4", "f8", "i4"):
        a = sample(dtype)
        if a.dtype.kind == "f":
            a[numpy.random.default_rng(4).random(a.shape) < 0.4] = numpy.nan
            a[:, 2, 1], a[3, 0, 0] = numpy.nan, numpy.inf
        check(
            lambda xp, x: getattr(xp, function)(x, *more, axis=axis, keepdims=keepdims),
            a,
            device=device,
            order=False,
            rtol=2e-3 if dtype == "e" else 1e-5,
        )


QUANTILE_CALLS = [
    lambda xp, a: xp.nanquantile(a, 1.5),
    lambda xp, a: xp.nanpercentile(a, 50, method="lower"),
    lambda xp, a: xp.nanpercentile([1.0, xp.nan, 3.0], 50),
    lambda xp, a: xp.nanmedian(a, out=xp.zeros(())),
    lambda xp, a: xp.nanmedian(a[:0]),
    lambda xp, a: xp.nanmedian(a * xp.nan),
    lambda xp, a: xp.quantile(a, [0.5, 2.0]),
    lambda xp, a: xp.percentile(a, -1),
    lambda xp, a: xp.percentile(a, xp.nan),
    lambda xp, a: xp.quantile(a * 1j, 0.5),
    lambda xp, a: xp.quantile(a, 0.5, weights=a, method="inverted_cdf"),
    lambda xp, a: xp.quantile(a, 0.5, out=xp.zeros(())),
    lambda xp, a: xp.median(a, out=xp.zeros(())),
    lambda xp, a: xp.median([3, 1, 2]),
    lambda xp, a: xp.percentile([1.0, 2.0, 3.0, xp.nan, 5.0], 50),
]


@pytest.mark.parametrize("call", QUANTILE_CALLS, ids=range(len(QUANTILE_CALLS)))
def test_quantile_calls(device, call):
    check(call, numpy.arange(5.0), device=device)


@pytest.mark.parametrize("length", [2, 3, 5, 16, 17, 100, 1000, 2049, 4096])
@pytest.mark.parametrize("dtype", DTYPES)
def test_many_rows(dtype, length, device):
    a = mixed(dtype, (9000 // length + 3, length), length)
    check(lambda xp, a: xp.sort(a, 1), a, device=device)
    check(lambda xp, a: xp.argsort(a, 1, kind="stable"), a, device=device)
    check(lambda xp, a: a.sort(axis=1), a, device=device)
    falling = gpuarray.sort(gpuarray.asarray(a, device=device), descending=True).get()
    numbers = [row[row == row] for row in falling]
    assert all((row[1:] <= row[:-1]).all() for row in numbers if row.dtype.kind != "c")


def test_stable_sorts_put_negative_zeros_first(device):
    values = gpuarray.asarray(numpy.tile([0.0, 1.0, -0.0, -1.0], 100), device=device)
    for keywords in ({"stable": True}, {"kind": "stable"}, {"kind": "mergesort"}):
        copy = values.copy()
        copy.sort(**keywords)
        for each in (gpuarray.sort(values, **keywords), copy):
            negative = gpuarray.signbit(each)
            assert negative[:200].all() and not negative[200:].any()


def test_sorts_leave_memory_shared_with_numpy_alone(device):
    """Sorted and partitioned copies of what is read-only, and in place through a view."""
    host = numpy.random.default_rng(4).random((6, 300))

    def orders(xp, a):
        a.flags.writeable = False
        return xp.sort(a), xp.partition(a, 7)[:, 7], xp.sort(a[:, ::-1], axis=0), a

    def in_place(xp, a):
        a[1:4].sort()
        a[:, 5:200].sort(axis=0)
        return a

    check(orders, host, device=device)
    check(in_place, host, device=device)

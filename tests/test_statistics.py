"""Variance, standard deviation, averages, ranges, counts, and the forms that pass over NaN."""

import numpy
import pytest
from oracle import check

import gpuarray

DTYPES = ["?", "i1", "u2", "i4", "i8", "f2", "f4", "f8", "c8", "c16"]
AXES = [None, 0, 1, -1, (0, 2), (2, 0, 1), ()]


def block(dtype, shape=(3, 4, 5)):
    size = int(numpy.prod(shape))
    return (numpy.arange(size) * 7 % 11).reshape(shape).astype(dtype)


def holed(dtype="f8", shape=(3, 4, 5)):
    """A block with NaN here and there, and one row of nothing else."""
    values = block(dtype, shape)
    values.ravel()[::4] = numpy.nan
    values[1, 2] = numpy.nan
    return values


SPREAD_OUT = [
    lambda xp, a: xp.std(a, axis=0, out=xp.zeros(3, int)),
    lambda xp, a: xp.std(a, axis=0, dtype=int),
    lambda xp, a: xp.std(a, dtype=int),
    lambda xp, a: xp.var(a, axis=0, dtype=int, out=xp.zeros(3, int)),
    lambda xp, a: xp.var(a, dtype=int, out=xp.zeros(7, int)),
    lambda xp, a: xp.nanvar(a, out=xp.zeros(7)),
    lambda xp, a: xp.var(a, dtype=int, out=xp.zeros(())),
    lambda xp, a: xp.std(a, axis=1, dtype=int, out=xp.zeros(2)),
    lambda xp, a: xp.var(a > 1, axis=0, dtype=bool, out=xp.zeros(3, int)),
    lambda xp, a: xp.ptp(a, axis=0, out=xp.zeros(7)),
    lambda xp, a: xp.ptp(a.astype("i4") * 2**29, axis=0, out=xp.zeros(3, int)),
]


@pytest.mark.parametrize("call", SPREAD_OUT, ids=range(len(SPREAD_OUT)))
def test_results_of_spread_in_out(device, call):
    check(call, numpy.array([[1.0, 3, -4], [5, 0, 2]]), device=device)


@pytest.mark.smoke
@pytest.mark.filterwarnings("ignore:Degrees of freedom")
@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("name", ["var", "std"])
def test_spread(name, axis, device):
    for dtype in DTYPES:
        for keywords in ({}, {"ddof": 1}, {"correction": 0.5}, {"keepdims": True}):
            check(
                lambda xp, a, k=keywords: getattr(xp, name)(a, axis=axis, **k),
                block(dtype),
                device=device,
                order=False,
                rtol=2e-3 if dtype == "f2" else 1e-5,
            )


@pytest.mark.filterwarnings("ignore:Degrees of freedom", "ignore:invalid value", "ignore:divide")
@pytest.mark.parametrize("name", ["var", "std", "nanvar", "nanstd"])
def test_spread_keywords(name, device):
    mask = numpy.arange(60).reshape(3, 4, 5) % 3 > 0

    def into(xp, a, dtype):
        out = xp.zeros((3, 5), dtype)
        assert getattr(xp, name)(a, axis=1, out=out) is out
        return out

    values = block("f4")
    for dtype in ("f2", "f4", "f8"):
        check(lambda xp, a, d=dtype: into(xp, a, d), values, device=device, rtol=2e-3)
        check(
            lambda xp, a, d=dtype: getattr(xp, name)(a, dtype=d), values, device=device, rtol=2e-3
        )
    for axis in (None, 1, (0, 2)):
        check(
            lambda xp, a, axis=axis: getattr(xp, name)(a, axis, where=xp.asarray(mask)),
            values,
            device=device,
            rtol=1e-5,
        )
    check(
        lambda xp, a: getattr(xp, name)(a, 1, mean=xp.mean(a, 1, keepdims=True)),
        values,
        device=device,
        rtol=1e-5,
    )
    check(lambda xp, a: getattr(xp, name)(a[:0]), values, device=device)
    check(lambda xp, a: getattr(xp, name)(a[:1, :1, :1], ddof=1), values, device=device)
    check(lambda xp, a: getattr(xp, name)(a, ddof=1, correction=1), values, device=device)
    check(lambda xp, a: getattr(xp, name)(a, axis=3), values, device=device)


def test_methods(device):
    check(lambda xp, a: a.std(), block("f4"), device=device, rtol=1e-6)
    check(lambda xp, a: a.var(1, ddof=1), block("f8"), device=device, rtol=1e-12)
    check(lambda xp, a: a.T.std(axis=0, keepdims=True), block("i2"), device=device, rtol=1e-12)


@pytest.mark.parametrize("axis", [0, -1, (), None, 1])
def test_axes_of_a_number(device, axis):
    number = numpy.array(3.0)
    check(lambda xp, a: xp.average(a, axis), number, device=device)
    check(lambda xp, a: xp.average(a, axis, weights=a), number, device=device)
    if axis != ():
        check(lambda xp, a: xp.linalg.norm(a, axis=axis), number, device=device)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("offset", [0, 100, 1e4])
@pytest.mark.parametrize(("shape", "axis"), [((100000,), 0), ((300, 500), 0), ((300, 500), 1)])
def test_accuracy(shape, axis, offset, dtype, device):
    """Of single precision no farther from the exact value than NumPy is; of double a few roundings."""
    values = (numpy.random.default_rng(2).standard_normal(shape) + offset).astype(dtype)
    wide = values.astype(numpy.clongdouble if dtype[0] == "c" else numpy.longdouble)
    exact = numpy.var(wide, axis=axis)
    theirs = numpy.abs(numpy.var(values, axis=axis) - exact)
    ours = numpy.abs(gpuarray.asnumpy(gpuarray.var(gpuarray.asarray(values), axis=axis)) - exact)
    roundings = 1 if dtype in ("f4", "c8") else 32
    assert ours.max() <= theirs.max() + roundings * numpy.finfo(dtype).eps * exact.max()


def test_constant_and_extreme_data(device):
    for value in (0.1, 1e30, -3e4):
        for dtype in ("f4", "f8"):
            a = gpuarray.full(10007, value, dtype)
            assert float(gpuarray.std(a)) == 0.0
    for values in ([numpy.inf], [1.0, numpy.inf], [numpy.nan], [numpy.inf, -numpy.inf, 1.0]):
        assert numpy.isnan(float(gpuarray.var(gpuarray.asarray(values))))


@pytest.mark.parametrize("axis", AXES, ids=str)
def test_range_and_count(axis, device):
    for dtype in ("i4", "f4", "u1"):
        check(lambda xp, a: xp.ptp(a, axis), block(dtype), device=device, order=False)
        check(lambda xp, a: xp.ptp(a, axis=axis, keepdims=True), block(dtype), device=device)
    for dtype in DTYPES:
        check(lambda xp, a: xp.count_nonzero(a, axis), block(dtype), device=device, order=False)
        check(
            lambda xp, a: xp.count_nonzero(a, axis=axis, keepdims=True),
            block(dtype),
            device=device,
        )


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c16"])
def test_average(dtype, device):
    weights = numpy.arange(60.0).reshape(3, 4, 5)
    for axis in (None, 0, 1, (0, 2)):
        for returned in (False, True):
            for keepdims in (False, True):
                check(
                    lambda xp, a, w, x=axis, r=returned, k=keepdims: xp.average(
                        a, x, w, r, keepdims=k
                    ),
                    block(dtype),
                    weights,
                    device=device,
                    order=False,
                    rtol=1e-6,
                )
                check(
                    lambda xp, a, x=axis, r=returned, k=keepdims: xp.average(
                        a, x, returned=r, keepdims=k
                    ),
                    block(dtype),
                    device=device,
                    order=False,
                    rtol=1e-6,
                )
    for axis, shape in ((0, (3,)), (1, (4,)), ((0, 2), (3, 5)), ((2, 0), (5, 3))):
        check(
            lambda xp, a, w, x=axis: xp.average(a, x, w, True),
            block(dtype),
            numpy.ones(shape),
            device=device,
            order=False,
            rtol=1e-6,
        )


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, a: xp.average(a, weights=xp.ones(3)),
        lambda xp, a: xp.average(a, axis=0, weights=xp.ones(4)),
        lambda xp, a: xp.average(a, axis=0, weights=xp.zeros(3)),
        lambda xp, a: xp.average(a, axis=4),
        lambda xp, a: xp.nanargmax(a * xp.nan, axis=0),
        lambda xp, a: xp.nanargmin(xp.asarray([xp.nan])),
        lambda xp, a: xp.nanmean(a, dtype=int),
        lambda xp, a: xp.ptp(a[:0]),
    ],
)
def test_refusals(call, device):
    check(call, block("f8"), device=device)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize(
    "name", ["nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd"]
)
def test_passing_over_nan(name, axis, device):
    for values in (holed(), holed("f4"), block("i4"), block("?"), holed("c16")):
        if values.dtype.kind == "c" and name in ("nanmax", "nanmin"):
            continue  # which NaN stands for nothing but NaN differs
        for keepdims in (False, True):
            check(
                lambda xp, a, k=keepdims: getattr(xp, name)(a, axis=axis, keepdims=k),
                values,
                device=device,
                order=False,
                rtol=1e-5,
            )


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_passing_over_nan_with_keywords(device):
    check(lambda xp, a: xp.nanvar(a, 2, ddof=3), holed(), device=device, rtol=1e-10)
    check(lambda xp, a: xp.nansum(a, initial=5), holed(), device=device)
    check(lambda xp, a: xp.nanmax(a, 1, initial=5, where=a > 2), holed(), device=device)
    check(lambda xp, a: xp.nanmean(a, 0, out=xp.zeros((4, 5))), holed(), device=device, rtol=1e-10)
    check(lambda xp, a: xp.nanmean(a, where=a > 2), holed(), device=device, rtol=1e-10)


@pytest.mark.parametrize("name", ["nanargmax", "nanargmin"])
def test_places(name, device):
    values = holed()
    values[1, 2, 0] = 4
    for axis in (None, 0, 1, 2):
        for keepdims in (False, True):
            check(
                lambda xp, a, x=axis, k=keepdims: getattr(xp, name)(a, x, keepdims=k),
                values,
                device=device,
            )
    check(lambda xp, a: getattr(xp, name)(a), block("i4"), device=device)


@pytest.mark.parametrize("name", ["std", "var", "nanstd"])
@pytest.mark.parametrize("dtype", ["i4", "u1", "f4", "c8"])
def test_spread_in_another_dtype(device, name, dtype):
    for values in (block("i4"), block("f8"), block("c16")):
        for keywords in ({}, {"axis": 0}, {"axis": 1, "keepdims": True}, {"ddof": 1}):
            check(
                lambda xp, a, k=keywords: getattr(xp, name)(a, dtype=dtype, **k),
                values,
                device=device,
                order=False,
                rtol=1e-5,
            )

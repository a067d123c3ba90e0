"""ufunc.reduce and the functions on it: axes, keywords, dtypes, empty input, accuracy, argmax and argmin."""

import functools
import itertools

import numpy
import pytest
from oracle import check
from ufunc_table import ROWS

import gpuarray

REDUCIBLE = [
    row for row in ROWS if getattr(numpy, row.name).nin == 2 and getattr(numpy, row.name).nout == 1
]
DTYPES = ["?", "i1", "u1", "i4", "u8", "i8", "f2", "f4", "f8", "c8", "c16"]
AXES = [None, 0, 1, -1, (0, 2), (1,), (), (2, 0, 1)]


def block(dtype, shape=(2, 3, 4)):
    size = int(numpy.prod(shape))
    return (numpy.arange(size) * 7 % 11).reshape(shape).astype(dtype)


@pytest.mark.smoke
@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "any", "all", "mean"])
def test_functions(name, axis, device):
    for dtype in DTYPES:
        for keepdims in (False, True):
            check(
                lambda xp, a, keepdims=keepdims: getattr(xp, name)(a, axis=axis, keepdims=keepdims),
                block(dtype),
                device=device,
                rtol=2e-3,
            )


@pytest.mark.parametrize("layout", ["c", "f", "swapped", "reversed", "strided", "broadcast"])
@pytest.mark.parametrize("name", ["sum", "max", "any", "mean"])
def test_layouts(name, layout, device):
    views = {
        "c": lambda xp, a: a,
        "f": lambda xp, a: a.T,
        "swapped": lambda xp, a: a.swapaxes(0, 1),
        "reversed": lambda xp, a: a[::-1, :, ::-1],
        "strided": lambda xp, a: a[:, ::2, 1::2],
        "broadcast": lambda xp, a: xp.broadcast_to(a[:, :1], (2, 5, 4)),
    }
    for axis in AXES[:5]:
        check(
            lambda xp, a, axis=axis: getattr(xp, name)(views[layout](xp, a), axis=axis),
            block("f8"),
            device=device,
            rtol=1e-12,
        )


# NumPy's vector loops of these skip elements when they reduce along the last axis (seen in 2.4 with AVX-512).
WRONG_IN_NUMPY = {"power", "float_power", "arctan2"}


def reduce_by(xp, name, a, axis):
    ufunc = getattr(xp, name)
    if xp is numpy and name in WRONG_IN_NUMPY:
        return functools.reduce(ufunc, numpy.moveaxis(a, axis, 0))
    return ufunc.reduce(a, axis=axis)


@pytest.mark.parametrize("row", REDUCIBLE, ids=lambda row: row.name)
def test_reduce_of_every_ufunc(row, device):
    for dtype in DTYPES:
        values = numpy.array([[7, 2, 1], [3, 1, 2]]).astype(dtype)
        for axis in (0, 1, -1):
            check(
                lambda xp, a, axis=axis: reduce_by(xp, row.name, a, axis),
                values,
                device=device,
                rtol=4e-3 if row.ulp or dtype == "f2" else 1e-6,
            )


@pytest.mark.parametrize("row", REDUCIBLE, ids=lambda row: row.name)
def test_several_axes_and_empty(row, device):
    check(
        lambda xp, a: getattr(xp, row.name).reduce(a, axis=(0, 1)),
        numpy.array([[1, 0], [1, 1]]),
        device=device,
        rtol=1e-6,
    )
    for shape, axis in [((0, 3), 0), ((3, 0), 0), ((0,), None)]:
        check(
            lambda xp, a, axis=axis: getattr(xp, row.name).reduce(a, axis=axis),
            numpy.zeros(shape, "i4"),
            device=device,
        )
        check(
            lambda xp, a, axis=axis: getattr(xp, row.name).reduce(a, axis=axis),
            numpy.zeros(shape, "f4"),
            device=device,
        )


@pytest.mark.smoke
@pytest.mark.parametrize(
    "keywords",
    [
        {"initial": 5},
        {"initial": 2.5},
        {"dtype": "f4"},
        {"dtype": "i2"},
        {"dtype": complex},
        {"where": [True, False, True, False]},
        {"axis": 1, "where": numpy.array([[True], [False], [True]])},
        {"axis": (0, 1), "initial": 1, "keepdims": True},
        {"axis": 0, "where": False},
    ],
    ids=str,
)
@pytest.mark.parametrize("dtype", ["i4", "f8"])
def test_keywords(dtype, keywords, device):
    check(lambda xp, a: xp.sum(a, **keywords), block(dtype), device=device, rtol=1e-6)
    check(lambda xp, a: xp.add.reduce(a, **keywords), block(dtype), device=device, rtol=1e-6)


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, a: xp.max(a, where=a > 3),
        lambda xp, a: xp.max(a, where=a > 3, initial=0),
        lambda xp, a: xp.min(a, initial=-9),
        lambda xp, a: xp.sum(a, axis=3),
        lambda xp, a: xp.sum(a, axis=(0, 0)),
        lambda xp, a: xp.sum(a, axis="x"),
        lambda xp, a: xp.subtract.reduce(a, axis=(0, 1)),
        lambda xp, a: xp.sin.reduce(a),
        lambda xp, a: xp.divmod.reduce(a),
        lambda xp, a: xp.max(a[:0]),
        lambda xp, a: xp.sum(a, out=xp.zeros(3)),
        lambda xp, a: xp.sum(a, bad=1),
        *(
            lambda xp, a, f=f: getattr(xp, f)(a, initial=None)
            for f in ("sum", "prod", "max", "nansum")
        ),
        *(
            lambda xp, a, f=f: getattr(xp, f)(a[:0], initial=None)
            for f in ("sum", "prod", "nansum", "nanprod")
        ),
        lambda xp, a: xp.sum(a, initial=None, where=a > 3),
        lambda xp, a: xp.nansum(a, initial=None, where=a > 3),
        lambda xp, a: xp.logical_or.reduce(a[:0], initial=None),
        lambda xp, a: xp.sum(),
        lambda xp, a: xp.sum(a, axis=0.5),
        lambda xp, a: xp.any(a, axis=0, where=a > 3),
        lambda xp, a: xp.add.reduce(a, 0, None, None, True),
    ],
)
def test_calls_that_may_fail(call, device):
    check(call, block("f8"), device=device)


@pytest.mark.parametrize("out", ["f8", "f4", "i8", "c16"])
def test_out(out, device):
    def run(xp, a, target, flags):
        assert xp.sum(a, axis=1, out=target) is target
        assert xp.any(a, axis=1, out=flags) is flags
        return target, xp.mean(a, axis=1, out=target.copy())

    check(
        run,
        block("f4"),
        numpy.zeros((2, 4), out),
        numpy.zeros((2, 4), out),
        device=device,
        rtol=1e-6,
    )


def test_out_that_overlaps(device):
    check(lambda xp, a: xp.sum(a, axis=0, out=a[1]), block("f8", (3, 4)), device=device)


def test_arrays_without_dimensions(device):
    check(
        lambda xp, a: (
            xp.sum(a),
            xp.sum(a, axis=0),
            xp.add.reduce(a),
            xp.max(a, axis=-1),
            xp.mean(a),
        ),
        numpy.array(3.5),
        device=device,
    )
    check(lambda xp, a: xp.sum(a, axis=1), numpy.array(3.5), device=device)
    names = (
        "sum",
        "max",
        "mean",
        "var",
        "any",
        "median",
        "ptp",
        "nansum",
        "nanmean",
        "count_nonzero",
        "squeeze",
    )
    for name in names:  # 0 passes for an axis of them, (0,) does not
        for axis in (0, (0,), (-1,), (), (1,)):
            if (name, axis) != ("median", ()):
                check(
                    lambda xp, a, f=name, k=axis: getattr(xp, f)(a, axis=k),
                    numpy.array(3.5),
                    device=device,
                )


def test_lists_and_numbers(device):
    check(
        lambda xp: (
            xp.sum([1, 2, 3]),
            xp.sum(5),
            xp.maximum.reduce([3, 1, 2]),
            xp.any([0, 1]),
            xp.argmax([1, 5, 2]),
        ),
        device=device,
    )


def test_times(device):
    days = numpy.array(["2024-03-04", "2024-01-02", "2024-05-06"], "M8[D]")
    check(
        lambda xp, d, t: (xp.max(d), xp.min(d), xp.sum(t), xp.mean(t), xp.argmin(d), xp.any(t)),
        days,
        days - days[0],
        device=device,
    )
    check(lambda xp, d: xp.sum(d), days, device=device)


@pytest.mark.parametrize(
    "shape", [(1000,), (1, 70000), (70000, 1), (300, 257), (5, 129, 131), (2, 3, 4, 5, 6, 7)]
)
def test_sizes(shape, device):
    a = numpy.random.default_rng(3).integers(-50, 50, shape)
    for axis in [None, *range(len(shape))]:
        check(
            lambda xp, a, axis=axis: (
                xp.sum(a, axis=axis),
                xp.max(a, axis=axis),
                xp.argmin(a, axis=axis),
            ),
            a,
            device=device,
        )


def test_many_axes(device):
    """More reduced axes than a launch takes, none of which collapse."""
    a = numpy.random.default_rng(5).integers(0, 9, (3,) * 10 + (4,))[..., ::2]
    axes = tuple(numpy.random.default_rng(6).permutation(11))
    view = lambda a: a.transpose(axes)[::-1]  # noqa: E731
    for axis in [None, (0, 2, 4, 6, 8), tuple(range(10))]:
        check(lambda xp, a, axis=axis: xp.sum(view(a), axis=axis), a, device=device)
    check(lambda xp, a: xp.argmax(view(a)), a, device=device)
    check(lambda xp, a: xp.sum(view(a)[:, ::2], where=view(a)[:, ::2] > 3), a, device=device)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_sums_are_accurate(dtype, axis, device):
    """Error against float64 at most NumPy's own, or a few units of the last place of the sum of magnitudes."""
    a = numpy.random.default_rng(1).standard_normal((700, 900)).astype(dtype)
    exact = a.astype("c16").sum(axis=axis)
    bound = 4 * numpy.finfo(dtype).eps * numpy.abs(a).astype("f8").sum(axis=axis)
    ours = gpuarray.asnumpy(gpuarray.sum(gpuarray.array(a, device=device), axis=axis))
    numpy.testing.assert_array_less(
        numpy.abs(ours - exact), numpy.maximum(bound, numpy.abs(a.sum(axis=axis) - exact)) + 1e-300
    )


def test_a_long_float32_sum_is_right(device):
    assert float(gpuarray.ones((2 * 10**7, 1), dtype="f4", device=device).sum(axis=0)[0]) == 2e7


def test_sums_repeat_bit_for_bit(device):
    a = gpuarray.array(
        numpy.random.default_rng(2).standard_normal(300_001).astype("f4"), device=device
    )
    assert len({a.sum().tobytes() for _ in range(5)}) == 1


NANS = [numpy.nan, 1.0, numpy.inf, -2.0, -0.0, 0.0]


@pytest.mark.parametrize("values", list(itertools.permutations(NANS, 3)), ids=str)
def test_extremes_with_nan(values, device):
    check(
        lambda xp, a: (xp.max(a), xp.min(a), xp.argmax(a), xp.argmin(a), xp.fmax.reduce(a)),
        numpy.array(values),
        device=device,
        rtol=0,
    )


def test_first_complex_nan_wins(device):
    a = numpy.array(
        [
            0.5 + 3.7j,
            complex(0.7, numpy.nan),
            complex(numpy.nan, -3.9),
            complex(numpy.nan, numpy.nan),
        ]
    )
    check(lambda xp, a: (xp.max(a), xp.min(a), xp.argmax(a)), a, device=device)


@pytest.mark.parametrize("dtype", ["F", "D"])
@pytest.mark.parametrize("name", ["fmax", "fmin"])
def test_of_complex_nans_alone_the_first_is_left(device, name, dtype):
    rng = numpy.random.default_rng(4)
    nans = numpy.array([complex(0, numpy.nan), complex(numpy.nan, 3), complex(1, numpy.nan)], dtype)
    for shape in (1, 2, 700, 70000, (5, 300), (300, 5)):
        a = nans[rng.integers(0, 3, shape)]
        b = numpy.where(rng.random(shape) < 0.01, a, a.dtype.type(2 - 1j))
        for axis in range(a.ndim):
            check(lambda xp, a, x=axis: getattr(xp, name).reduce(a, x), a, device=device)
            check(lambda xp, a, x=axis: getattr(xp, name).reduce(a, x), b, device=device)


@pytest.mark.parametrize("length", [*range(1, 10), 12, 16, 24, 31, 32, 33, 64])
def test_short_rows(length, device):
    """As many as fill several blocks, and not quite another."""
    for dtype in ("f4", "f8", "i4", "u4", "i8"):
        a = block(dtype, (2, 9001, length))
        for name in ("sum", "max", "min", "mean", "argmax"):
            for view in (numpy.s_[:], numpy.s_[:, 1:], numpy.s_[:, ::-1, ::-1]):
                check(lambda xp, a, n=name, v=view: getattr(xp, n)(a[v], -1), a, device=device)
        check(
            lambda xp, a: xp.sum(a, -1, initial=3, out=xp.zeros(a.shape[1::-1], a.dtype).T),
            a,
            device=device,
        )
    a = numpy.where(block("f4", (9001, length)) == 3, numpy.nan, block("f4", (9001, length)))
    check(lambda xp, a: (xp.max(a, 1), xp.min(a, 1), xp.fmax.reduce(a, 1)), a, device=device)


@pytest.mark.parametrize(
    "shape", [(5003, 2, 2), (5003, 3, 5), (901, 4, 64), (903, 31, 3), (70, 16, 65)], ids=str
)
def test_short_axes_within(shape, device):
    for dtype in ("f4", "f8", "i4", "i8"):
        for view in (numpy.s_[:], numpy.s_[1:], numpy.s_[:, :, ::-1], numpy.s_[:, ::-1]):
            for name in ("sum", "max", "mean"):
                check(
                    lambda xp, a, n=name, v=view: getattr(xp, n)(a[v], 1),
                    block(dtype, shape),
                    device=device,
                )
    check(lambda xp, a: a.swapaxes(0, 2).sum(1), block("f4", shape), device=device)


@pytest.mark.parametrize("turned", [(2, 1, 0), (1, 0, 2), (2, 0, 1)])
def test_order_of_results_with_a_mask(device, turned):
    cube = numpy.arange(24.0).reshape(2, 3, 4).transpose(turned)
    for mask in (
        cube > 3,
        numpy.ascontiguousarray(cube > 3),
        (cube > 3)[:1],
        (cube > 3)[..., ::-1],
    ):
        for axis in (0, 1, 2, (0, 2)):
            for keepdims in (False, True):
                check(
                    lambda xp, a, m, x=axis, k=keepdims: xp.sum(a, axis=x, where=m, keepdims=k),
                    *(cube, mask),
                    device=device,
                )


@pytest.mark.parametrize(
    "shape", [(2, 3, 0), (0, 2, 3), (2, 0, 3), (1, 2, 3), (2, 1, 3), (3, 2, 1)]
)
def test_order_of_results_of_nothing(device, shape):
    for turned in itertools.permutations(range(3)):
        a = numpy.ones(shape).transpose(turned)
        for axis in (0, 1, 2):
            check(lambda xp, a, x=axis: xp.sum(a, x), a, device=device)
            check(lambda xp, a, x=axis: xp.sum(a, x, keepdims=True), a, device=device)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_positions(dtype, axis, device):
    for keepdims in (False, True):
        check(
            lambda xp, a, keepdims=keepdims: (
                xp.argmax(a, axis, keepdims=keepdims),
                xp.argmin(a.T, axis, keepdims=keepdims),
            ),
            block(dtype),
            device=device,
        )


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, a: xp.argmax(a[:0]),
        lambda xp, a: xp.argmax(a, axis=5),
        lambda xp, a: xp.argmax(a[:, :0], axis=1),
        lambda xp, a: xp.argmax(a[:, :0], axis=0),
        lambda xp, a: xp.argmin(a, axis=0, out=xp.zeros((3, 4), int)),
        *(
            lambda xp, a, t=t: xp.argmax(a[0, 0], out=xp.zeros((), t))
            for t in ("i2", "u4", "u8", "f4", "D")
        ),
    ],
)
def test_positions_at_the_edge(call, device):
    check(call, block("f8"), device=device)


def test_mean_of_nothing(device):
    with pytest.warns(RuntimeWarning, match="[Mm]ean of empty slice"):
        assert numpy.isnan(float(gpuarray.mean(gpuarray.zeros(0, device=device))))


@pytest.mark.parametrize(
    "keywords",
    [{"where": numpy.arange(24).reshape(2, 3, 4) > 5}, {"dtype": "f4"}, {"dtype": int}],
    ids=str,
)
def test_mean_keywords(keywords, device):
    for dtype in ("f2", "i8", "c8"):
        check(lambda xp, a: xp.mean(a, axis=1, **keywords), block(dtype), device=device, rtol=2e-3)


@pytest.mark.parametrize(
    "shape",
    [
        (300, 5),
        (5000, 64),
        (70001, 3),
        (3, 200003),
        (20, 100003),
        (2000, 700),
        (130, 4096),
        (4, 3000, 33),
        (1500001,),
    ],
    ids=str,
)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "?", "F"])
def test_axes_that_are_cut_to_pieces(dtype, shape, device):
    a = numpy.random.default_rng(1).integers(-4, 5, shape).astype(dtype)
    for axis in (None, *range(len(shape))):
        check(
            lambda xp, a, axis=axis: (xp.sum(a, axis), xp.max(a, axis), xp.argmax(a, axis)),
            a,
            device=device,
        )
        check(lambda xp, a, axis=axis: (xp.any(a, axis), xp.all(a != 5, axis)), a, device=device)
        ours = gpuarray.asarray(a, device=device).var(axis)
        wide = a.astype("D" if dtype == "F" else "f8").var(axis).astype(ours.dtype)
        numpy.testing.assert_allclose(ours.get(), wide, rtol=3e-7)


@pytest.mark.parametrize("size", [1, 15, 16, 100, 4096, 70001, 1000003])
def test_truth_of_any_byte(size, device):
    bytes_ = numpy.full(size, 128, "u1")
    bytes_[::3] = 1
    ours = gpuarray.asarray(bytes_, device=device).view(bool)
    assert bool(ours.all()) and bool(ours.any())
    for place in {0, size // 2, size - 1}:
        ours[place] = False
        assert not bool(ours.all()) and bool(ours.any()) == (size > 1)
        ours[place] = True
        one = gpuarray.zeros(size, bool, device=device)
        one[place] = True
        assert bool(one.any()) and bool(one.all()) == (size == 1) and int(one.sum()) == 1


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "?", "f2", "F"])
def test_means_are_divided_once(dtype, device):
    a = numpy.random.default_rng(3).integers(0, 50, (120, 300)).astype(dtype)
    for axis in (None, 0, 1, (0, 1)):
        check(lambda xp, a, axis=axis: xp.mean(a, axis=axis), a, device=device, ulp=1)
        check(
            lambda xp, a, axis=axis: xp.mean(a[::2, ::3], axis=axis, keepdims=True),
            a,
            device=device,
            ulp=1,
        )
    check(lambda xp, a: xp.mean(a, dtype="f8"), a, device=device, ulp=1)
    check(lambda xp, a: xp.mean(a[:0], axis=1), a, device=device)


@pytest.mark.parametrize("op", ["max", "min", "argmax", "argmin", "fmax", "fmin"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_extremes_among_odd_floats(op, dtype, device):
    a = numpy.random.default_rng(4).standard_normal((40, 5000)).astype(dtype)
    a[1] = -numpy.inf
    a[2, 4999] = numpy.inf
    a[3, 17] = a[4, 4998] = numpy.nan
    a[5, 100:] = -numpy.nan
    a[6] = numpy.nan
    a[7] = 0.0
    a[8] = numpy.finfo(dtype).smallest_subnormal
    call = (
        (lambda xp, x, axis: getattr(xp, op).reduce(x, axis))
        if op[0] == "f"
        else (lambda xp, x, axis: getattr(xp, op)(x, axis))
    )
    check(lambda xp, a: call(xp, a, 1), a, device=device)
    check(lambda xp, a: call(xp, a[:, :77], 1), a, device=device)
    check(lambda xp, a: call(xp, a, 0), a, device=device)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_few_long_rows(device, dtype):
    """Into one: a GPU has a kernel for whole vectors of them, and others for the rest."""
    for rows in (1, 2, 3, 4, 5, 7, 8, 16, 17):
        for columns in (4096, 4098, 4099):
            a = numpy.random.default_rng(rows).integers(-50, 50, (rows, columns)).astype(dtype)
            a[-1, 5] = numpy.nan

            def reduce(xp, a, columns=columns):
                kept = xp.zeros(columns + 1, dtype)
                a.sum(0, out=kept[1:])
                return (
                    a.sum(0),
                    a.max(0),
                    a.min(0),
                    a.mean(0),
                    a.sum(0, initial=3),
                    kept,
                    a[:, 1:].sum(0),
                )

            check(reduce, a, device=device, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_rows_of_floats(device, dtype):
    """Lengths around those that threads, blocks and pieces take at a time."""
    for rows, length in (
        (1, 65536),
        (1, 65540),
        (3, 16384),
        (3, 1028),
        (700, 4096),
        (9, 4100),
        (5, 20004),
        (1, 1 << 19),
    ):
        a = numpy.random.default_rng(length).integers(-50, 50, (rows, length)).astype(dtype)

        def reduce(xp, a):
            return (
                a.sum(1),
                a.max(1),
                a.min(1),
                a.mean(1),
                a.sum(),
                a.max(),
                a.sum(1, initial=7),
                a[:, ::-1].sum(1),
            )

        check(reduce, a, device=device, rtol=1e-6)
        a[0, length // 2] = numpy.nan
        check(reduce, a, device=device, rtol=1e-6)


@pytest.mark.parametrize("shape", [(1,), (31,), (1500,), (70000,), (40, 1500), (1500, 40), (3, 5)])
def test_places_of_truths(shape, device):
    """The first true or false element, wherever it lies, or the first of all."""
    rng = numpy.random.default_rng(9)
    for density in (0, 0.001, 0.5, 0.999, 1):
        a = rng.random(shape) < density
        for view in (numpy.s_[:], numpy.s_[::-1], numpy.s_[..., ::-1], numpy.s_[..., ::3]):
            for axis in (None, *range(a.ndim)):
                check(
                    lambda xp, a, v=view, x=axis: (xp.argmax(a[v], x), xp.argmin(a[v], x)),
                    a,
                    device=device,
                )

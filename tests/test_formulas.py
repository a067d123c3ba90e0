"""isclose, clip and what replaces NaN: one kernel each where operands are of one dtype, chains of ufuncs elsewhere."""

import numpy as np
import pytest
from oracle import check

EDGES = np.array(
    [0, -0.0, 1, -1, np.nan, np.inf, -np.inf, 1e-8, 1.00001, 1 + 1e-9, 5e4, -6e-8, 0.999]
)
FLOATS = ["float16", "float32", "float64"]


def pairs(dtype):
    """Every pair of edge values."""
    return [each.ravel() for each in np.meshgrid(EDGES.astype(dtype), EDGES.astype(dtype))]


@pytest.mark.parametrize("equal_nan", [False, True])
@pytest.mark.parametrize(
    "tolerances", [(1e-5, 1e-8), (1e-3, 1e-2), (0.0, 0.0), (0.5, 0.0), (1e-3, -1.0)]
)
@pytest.mark.parametrize("dtype", [*FLOATS, "complex64"])
def test_isclose_of_edges(dtype, tolerances, equal_nan, device):
    check(
        lambda xp, x, y: xp.isclose(x, y, *tolerances, equal_nan=equal_nan),
        *pairs(dtype),
        device=device,
    )


@pytest.mark.parametrize("number", [1, 0.5, np.nan, np.inf, -np.inf, 5e4, True])
@pytest.mark.parametrize("dtype", [*FLOATS, "int16"])
def test_isclose_with_a_number(dtype, number, device):
    x = np.arange(-3, 4).astype(dtype)
    check(lambda xp, x: xp.isclose(x, number), x, device=device)
    check(lambda xp, x: xp.isclose(number, x), x, device=device)


def test_isclose_of_layouts(device):
    random = np.random.default_rng(5)
    x = random.random((40, 60), dtype=np.float32)
    y = (x * (1 + 1e-5 * random.standard_normal(x.shape))).astype(np.float32)
    check(lambda xp, x, y: xp.isclose(x.T, y.T), x, y, device=device)
    check(lambda xp, x, y: xp.isclose(x, y[:1]), x, y, device=device)
    check(lambda xp, x, y: xp.isclose(x[::2, 1::3], y[::2, 1::3]), x, y, device=device)
    check(lambda xp, x, y: xp.isclose(x[:0], y[:0]), x, y, device=device)
    check(lambda xp, x, y: xp.isclose(x[0, 0], y[0, 0]), x, y, device=device)
    check(lambda xp, x, y: xp.allclose(x, y, atol=1e-4), x, y, device=device)


@pytest.mark.parametrize(
    "bounds", [(-1, 1), (0.3, 0.2), (np.nan, 1.0), (0.0, np.nan), (-np.inf, 0)]
)
@pytest.mark.parametrize("dtype", FLOATS)
def test_clip_of_floats(dtype, bounds, device):
    check(lambda xp, x: xp.clip(x, *bounds), EDGES.astype(dtype), device=device)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint32", "int64", "uint64"])
def test_clip_of_integers(dtype, device):
    limits = np.iinfo(dtype)
    x = np.array([limits.min, limits.min + 1, 0, 5, 100, limits.max - 1, limits.max], dtype=dtype)
    check(lambda xp, x: xp.clip(x, 3, 90), x, device=device)
    check(lambda xp, x: xp.clip(x, limits.min + 1, limits.max - 1), x, device=device)
    check(lambda xp, x: xp.clip(x, 3, 90.5), x, device=device)


def test_clip_into_an_array(device):
    def into(xp, x, dtype, source=slice(None)):
        out = xp.zeros(x[source].shape, dtype=dtype, **({} if xp is np else {"device": device}))
        result = xp.clip(x[source], 1, 5, out=out)
        assert result is out
        return out

    x = np.arange(-10, 10, dtype=np.float32)
    check(lambda xp, x: into(xp, x, np.float32), x, device=device)
    check(lambda xp, x: into(xp, x, np.float64), x, device=device)
    check(lambda xp, x: into(xp, x, np.float16, slice(None, None, -3)), x, device=device)
    check(lambda xp, x: into(xp, x, np.int32), x, device=device)  # a TypeError


def test_clip_in_place(device):
    def clipped(xp, x):
        xp.clip(x[1:], 0, 3, out=x[:-1])
        xp.clip(x, 1, 2, out=x)
        return x

    check(clipped, np.arange(-50, 50), device=device)


@pytest.mark.parametrize("dtype", [*FLOATS, "complex64", "complex128"])
def test_sums_and_products_without_nan(dtype, device):
    x = np.array([[1, np.nan, 2, -0.0], [np.nan, 4, np.inf, 3], [np.nan] * 4]).astype(dtype)
    if np.dtype(dtype).kind == "c":
        x[0, 0] = complex(2, np.nan)
    check(lambda xp, x: xp.nancumsum(x, axis=1), x, device=device)
    check(lambda xp, x: xp.nanprod(x[:1], axis=1), x, device=device)


def with_nan(shape, dtype):
    random = np.random.default_rng(len(shape))
    a = random.standard_normal(shape)
    a[random.random(shape) < 0.3] = np.nan
    return a.astype(dtype)


@pytest.mark.parametrize("name", ["nansum", "nanmean"])
@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2), ()])
@pytest.mark.parametrize("dtype", [*FLOATS, "complex64"])
def test_reductions_without_nan(dtype, axis, name, device):
    a = with_nan((37, 20, 65), dtype)
    rtol = 1e-2 if dtype == "float16" else 1e-5

    def reduce(xp, a, **keywords):
        return getattr(xp, name)(a, axis=axis, **keywords)

    check(reduce, a, device=device, rtol=rtol, atol=rtol)
    check(
        lambda xp, a: reduce(xp, a[::2, ::-1, 1:], keepdims=True),
        a,
        device=device,
        rtol=rtol,
        atol=rtol,
    )
    if dtype != "float16":  # whose masked sums NumPy rounds at each step
        check(lambda xp, a: reduce(xp, a, where=a > 0), a.real, device=device, rtol=rtol, atol=rtol)
    check(
        lambda xp, a: reduce(xp, a, dtype=np.float64), a.real, device=device, rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("size", [0, 1, 5, 4097, 300001])
@pytest.mark.parametrize("dtype", FLOATS)
def test_sizes_without_nan(dtype, size, device):
    a = with_nan((size,), dtype)
    a[:1] = 2
    rtol = 1e-2 if dtype == "float16" else 1e-4
    check(lambda xp, a: (xp.nansum(a), xp.nansum(a[1:])), a, device=device, rtol=rtol, atol=0.5)
    check(lambda xp, a: (xp.nanmean(a), xp.nanmean(a[1:])), a, device=device, rtol=rtol, atol=1e-3)


def test_nansum_of_nan_and_infinities(device):
    nan, inf = np.nan, np.inf
    a = np.array([[nan, nan, nan], [-0.0, nan, -0.0], [inf, nan, 1], [inf, -inf, nan]])
    check(lambda xp, a: (xp.nansum(a, axis=1), xp.nanmean(a, axis=1)), a, device=device)
    check(lambda xp, a: xp.nansum(a[:2], axis=1, initial=-0.0), a, device=device)
    check(lambda xp, a: xp.nansum(a[:3], initial=4), a, device=device)
    check(lambda xp, a: xp.nansum(a, axis=2), a, device=device)
    check(lambda xp, a: xp.nansum(a[0], dtype=int), a, device=device)
    check(lambda xp, a: xp.nanmean(a, dtype=int), a, device=device)
    check(lambda xp, a: (xp.nansum(a[2, 0]), xp.nanmean(a[0, 0])), a, device=device)
    half = np.full(70000, 1, np.float16)
    check(lambda xp, a: (xp.nansum(a), xp.nanmean(a)), half, device=device)  # beyond its range


def test_nansum_into_an_array(device):
    def into(xp, a, name, dtype):
        out = xp.zeros(a.shape[1], dtype=dtype, **({} if xp is np else {"device": device}))
        assert getattr(xp, name)(a, axis=0, out=out) is out
        return out

    a = with_nan((50, 30), np.float32)
    for name in ("nansum", "nanmean"):
        for dtype in (np.float32, np.float64, np.complex64):
            check(
                lambda xp, a, n=name, d=dtype: into(xp, a, n, d),
                a,
                device=device,
                rtol=1e-5,
                atol=1e-6,
            )


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 2), -1, ()])
@pytest.mark.parametrize(
    "dtype", ["?", "int8", "int32", "uint32", "int64", "uint64", *FLOATS, "complex64"]
)
def test_counts_of_what_is_not_zero(dtype, axis, device):
    a = np.random.default_rng(2).integers(0, 3, (33, 20, 70)).astype(dtype)
    a[0, 0, :3] = [-0.0, 1, 2] if np.dtype(dtype).kind in "fc" else 0
    check(lambda xp, a: xp.count_nonzero(a, axis), a, device=device, order=False)
    check(
        lambda xp, a: xp.count_nonzero(a[::2, ::-1, 1:], axis, keepdims=True),
        a,
        device=device,
        order=False,
    )
    check(lambda xp, a: xp.count_nonzero(a[:0], axis), a, device=device, order=False)


def test_counts_of_long_arrays(device):
    a = np.arange(300001, dtype=np.float32) % 7
    a[5] = np.nan
    check(lambda xp, a: (xp.count_nonzero(a), xp.count_nonzero(a[1:])), a, device=device)
    check(lambda xp, a: xp.count_nonzero(a[0]), a, device=device)
    check(lambda xp, a: xp.count_nonzero(a, axis=1), a, device=device)


UNUSUAL = [0, -0.0, 1, -2.5, np.nan, np.inf, -np.inf, 1e-3, 60000] * 40


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize(
    "values",
    [{}, {"nan": 3, "posinf": 1.5}, {"neginf": -1, "copy": False}, {"posinf": 1e6, "nan": -1e300}],
    ids=repr,
)
def test_nan_to_num(dtype, values, device):
    array = np.array(UNUSUAL, dtype).reshape(9, 40)
    check(lambda xp, a: xp.nan_to_num(a, **values), array, device=device)
    check(lambda xp, a: xp.nan_to_num(a[::2, ::-1], **values), array, device=device, order=False)
    if "copy" in values:
        check(lambda xp, a: (xp.nan_to_num(a, **values), a)[1], array, device=device)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4", "c8"])
def test_sinc(dtype, device):
    with np.errstate(all="ignore"):
        array = np.nan_to_num(np.array(UNUSUAL)).clip(-9, 9).astype(dtype)
    rtol = {"f2": 2e-3, "f4": 1e-5, "c8": 1e-5}.get(dtype, 1e-13)
    check(lambda xp, a: xp.sinc(a), array, device=device, rtol=rtol, atol=rtol)


@pytest.mark.parametrize(
    "bounds", [(0, 1, 50), (2, 3.5, 7), (5, 5, 4), (0, 1, 1), (0, 1, 0), (-3, 1e300, 11)]
)
def test_linspace_between_numbers(bounds, device):
    for keywords in (
        {},
        {"endpoint": False},
        {"dtype": "f4"},
        {"dtype": "i8"} if bounds[1] < 9 else {},
    ):
        check(lambda xp, keywords=keywords: xp.linspace(*bounds, **keywords), device=device)


@pytest.mark.parametrize("dtype", ["f2", "f4"])
def test_linspace_between_short_numbers(dtype, device):
    bounds = np.dtype(dtype).type(0.1), np.dtype(dtype).type(7)
    for num in (50, 1000):
        check(lambda xp, num=num: xp.linspace(*bounds, num), device=device)
        check(lambda xp, num=num: xp.linspace(*bounds, num, endpoint=False), device=device)


@pytest.mark.parametrize("decimals", [1, 2, 4, 5, 9, -1, -2, 39, -39])
@pytest.mark.parametrize("dtype", FLOATS)
def test_round_to_decimals(dtype, decimals, device):
    random = np.random.default_rng(6)
    x = np.concatenate([EDGES, random.normal(0, 100, 200), np.arange(-20, 20) / 8]).astype(dtype)
    check(lambda xp, x: xp.round(x, decimals), x, device=device)
    check(lambda xp, x: xp.round(x[::-3], decimals), x, device=device)


def test_round_into_an_array(device):
    x = (np.arange(24, dtype=np.float32) / 7).reshape(4, 6)
    check(lambda xp, x, out: xp.round(x, 2, out=out) is out, x, np.zeros((4, 6)), device=device)
    check(
        lambda xp, x, out: xp.round(x, 2, out=out[:, 1:]), x, np.ones((4, 7), "f4"), device=device
    )
    check(lambda xp, x, out: xp.round(x, 2, out=out), x, np.zeros((4, 6), int), device=device)
    check(lambda xp, x, out: xp.round(x, 2, out=out), x, np.zeros(6), device=device)


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "i8", "u8"])
@pytest.mark.parametrize("decimals", [-1, -2, -30])
def test_integers_rounded_to_powers_of_ten(device, dtype, decimals):
    a = np.array([[0, 5, 14], [15, 25, 119]], dtype)
    check(lambda xp, a: xp.round(a, decimals), a, device=device)
    check(lambda xp, a: xp.round(a.T, decimals), a, device=device)
    check(lambda xp, a: xp.round(a[0, 1], decimals), a, device=device)
    for out in ("f4", "f8", dtype, "c16"):
        check(
            lambda xp, a, out: xp.round(a, decimals, out=out),
            *(a, np.zeros((2, 3), out)),
            device=device,
        )


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "i4", "i8"])
@pytest.mark.parametrize("decimals", [-1, 0, 2])
def test_rounded_arrays_lie_as_numpys(device, dtype, decimals):
    a = np.arange(24).reshape(2, 3, 4).astype(dtype)
    for view in (a, a.T, a.transpose(1, 0, 2), a[:, ::2]):
        check(lambda xp, a: xp.round(a, decimals).strides, view, device=device)
        check(lambda xp, a: xp.round(a.transpose(1, 0, 2), decimals).strides, a, device=device)

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

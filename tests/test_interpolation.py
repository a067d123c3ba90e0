"""gpuarray.ndimage's interpolation against SciPy's where its kernels part: at borders and inside, in planes of an array
of more axes, along grids of any layout, at coordinates of either precision."""

import numpy as np
import pytest

import gpuarray
from gpuarray import ndimage

MODES = "reflect constant nearest mirror wrap grid-wrap grid-constant".split()
scipy_ndimage = pytest.importorskip("scipy.ndimage")


def draw(shape, dtype="d"):
    values = np.random.default_rng(shape).standard_normal((*shape, 2))
    return (values @ [1, 1j] if np.dtype(dtype).kind == "c" else values[..., 0]).astype(dtype)


def check(call, device, a):
    """call(ndimage module, array) has SciPy's value, dtype, shape and memory order."""
    theirs = call(scipy_ndimage, a)
    ours = call(ndimage, gpuarray.asarray(a, device=device))
    assert (ours.dtype, ours.shape, ours.device) == (theirs.dtype, theirs.shape, device)
    assert ours.flags.c_contiguous == theirs.flags.c_contiguous
    single = theirs.dtype.char in "fF"
    np.testing.assert_allclose(gpuarray.asnumpy(ours), theirs, 0, 2e-6 if single else 1e-10)


@pytest.mark.parametrize("axes", [(0, 1), (1, 2), (0, 3), (-1, 1), (2, 0)], ids=str)
@pytest.mark.parametrize("order", [0, 1, 3, 4])
def test_planes_are_rotated_at_once(device, order, axes):
    a = draw((5, 6, 7, 3))
    for mode in ("constant", "nearest", "grid-constant", "wrap"):
        check(lambda m, x: m.rotate(x, 33, axes, order=order, mode=mode, cval=2), device, a)  # noqa: B023
    check(lambda m, x: m.rotate(x, -71, axes, False, order=order), device, a[::-1, :, ::2])
    check(lambda m, x: m.rotate(x, 180, axes, order=order), device, a)


def test_rotated_dtypes(device):
    for dtype in ("f", "D"):
        check(lambda m, x: m.rotate(x, 20, (0, 1), order=1), device, draw((9, 8, 3), dtype))
    check(lambda m, x: m.rotate(x, 20, (0, 1), output="f4", order=3), device, draw((9, 8, 3)))
    check(lambda m, x: m.rotate(x, 20, (2, 4)), device, draw((2, 3, 6, 1, 7, 2)))
    check(lambda m, x: m.rotate(x, 20, (0, 1)), device, draw((4, 5, 0)))


def test_rotation_of_no_order():
    with pytest.raises(RuntimeError, match="spline order not supported"):
        ndimage.rotate(gpuarray.ones((2, 3, 4)), 10, order=6)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("ndim", [1, 2, 3, 4])
def test_coordinates_inside_and_outside(device, ndim, mode):
    """More of them than a block takes; whole ones and the last place, too."""
    a = draw((20, 21, 11, 6)[:ndim])
    rng = np.random.default_rng(ndim)
    places = rng.uniform(-3, np.array(a.shape)[:, None] + 2, (ndim, 1500))
    places[:, ::7] = places[:, ::7].round()
    places[:, :40] = np.array(a.shape)[:, None] - 1
    places[0, 77] = np.nan
    usual = places.copy()
    usual[0, 77] = 0.5  # what SciPy makes of no number depends on its version
    for order in orders_of(mode, a.shape, (0, 1, 2, 3)):
        if ndim < 4 or order < 3:
            for dtype in ("f", "d"):
                x, coordinates = a.astype(dtype), usual.astype(dtype)
                check(
                    lambda m, x: m.map_coordinates(x, coordinates, order=order, mode=mode, cval=3),  # noqa: B023
                    device,
                    x,
                )
    ours = gpuarray.asarray(a, device=device)
    assert ndimage.map_coordinates(ours, places, order=1, cval=3)[77] == 3


def orders_of(mode, shape, orders):
    """Those that SciPy is exact for: how it begins a reflected axis is rough where the axis is short."""
    return [order for order in orders if order < 2 or mode != "reflect" or min(shape) > 30]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "shape", [(300,), (70, 90), (40, 3), (3, 140), (6, 7, 20), (4, 3, 5, 6)], ids=str
)
def test_grids(device, shape, mode):
    """Tiles of few columns and of many, of one row and of many."""
    a, scale = draw(shape), [1.7, 0.6, 2, 1.3][: len(shape)]
    moved = [1.3, -2.45, 20, 0][: len(shape)]
    for order in orders_of(mode, shape, (0, 1, 2, 3, 5) if len(shape) < 4 else (1, 3)):
        options = {"order": order, "mode": mode, "cval": 1.5}
        for x in (a, a[::-1, ..., ::-1] if len(shape) > 1 else a[::-1]):
            check(lambda m, x: m.zoom(x, scale, **options), device, x)  # noqa: B023
        check(lambda m, x: m.shift(x, moved, **options), device, a)  # noqa: B023
        check(lambda m, x: m.zoom(x.T, 1.5, **options), device, a.astype("f"))  # noqa: B023


@pytest.mark.parametrize("ndim", [2, 3])
@pytest.mark.parametrize("order", [0, 1, 3])
def test_maps_of_large_images(device, order, ndim):
    a = draw((130, 140) if ndim == 2 else (20, 30, 40))
    matrix = np.eye(ndim) * 0.9 + np.eye(ndim, k=1) * 0.21 - np.eye(ndim, k=-1) * 0.13
    for dtype in ("f", "d"):
        for x in (a.astype(dtype), a.astype(dtype)[::-1].T):
            check(lambda m, x: m.affine_transform(x, matrix, 1.3, order=order), device, x)
    shape = (9, 8, 7)[: ndim - 1]
    check(lambda m, x: m.affine_transform(x, matrix[:, 1:], -0.4, shape, order=order), device, a)


@pytest.mark.parametrize("order", [0, 1, 3])
def test_axes_that_stay(device, order):
    """Nothing is filtered or interpolated along them; one of many channels behind, between or in front."""
    a = draw((12, 13, 3))
    for mode in ("constant", "nearest", "mirror"):
        check(lambda m, x: m.zoom(x, (2, 1.5, 1), order=order, mode=mode), device, a)  # noqa: B023
        check(lambda m, x: m.zoom(x, (1, 0.7, 2), order=order, mode=mode), device, a)  # noqa: B023
        check(lambda m, x: m.shift(x, (1.5, 0, -2.25), order=order, mode=mode), device, a)  # noqa: B023
    check(lambda m, x: m.shift(x, 0, order=order), device, a)
    check(lambda m, x: m.zoom(x, (1, 2, 1, 1.5, 1), order=order), device, draw((2, 5, 3, 6, 2)))
    matrix = [[0.9, 0.1, 0.3], [0.2, 1.1, 0], [0, 0, 1]]
    check(lambda m, x: m.affine_transform(x, matrix, (1, 0.5, 0), order=order), device, a)
    check(lambda m, x: m.affine_transform(x, matrix, (1, 0.5, 1), order=order), device, a)


@pytest.mark.parametrize("char", "?bBhHiIlL")
def test_integers_are_rounded_and_limited(device, char):
    """Values beyond a dtype's range come from splines between its limits, and from the constant."""
    dtype, values = np.dtype(char), np.random.default_rng(4).integers(0, 2, (30, 41))
    info = np.iinfo(dtype) if dtype.kind in "iu" else None
    limits = np.array([info.min, info.max] if info else [0, 3], dtype)
    a = limits[values]
    small = (values * 50 + np.arange(41)).astype(dtype)
    for x, cval in ((a, 0), (a, -1e30), (small, 300.5)):
        if x is a and dtype.itemsize == 8 or dtype.kind not in "iu" and abs(cval) > 1e4:
            continue  # the largest are no numbers of float64
        for order in (1, 3):
            theirs = scipy_ndimage.shift(x, (1.5, 2.25), order=order, cval=cval)
            ours = ndimage.shift(
                gpuarray.asarray(x, device=device), (1.5, 2.25), order=order, cval=cval
            )
            assert ours.dtype == theirs.dtype
            apart = gpuarray.asnumpy(ours).astype(float) - theirs.astype(float)
            assert np.abs(apart).max() <= (order > 1), (order, cval)
    check(lambda m, x: m.rotate(x, 30, order=1, output="i4"), device, small.astype("f8"))

"""gpuarray.ndimage against SciPy's, and against values of its own where SciPy is not installed."""

import numpy as np
import pytest
from scipy_values import NDIMAGE
from scipy_values import image as stored_image

import gpuarray
from gpuarray import ndimage

FILTER_MODES = "reflect constant nearest mirror wrap grid-wrap grid-mirror grid-constant".split()
SPLINE_MODES = "reflect constant nearest mirror wrap grid-wrap grid-mirror grid-constant".split()


@pytest.fixture(scope="module")
def scipy_ndimage():
    return pytest.importorskip("scipy.ndimage")


def image(shape, dtype="d", seed=0):
    rng = np.random.default_rng([seed, *shape])
    kind = np.dtype(dtype).kind
    if kind in "iu":
        return rng.integers(0, 100, shape).astype(dtype)
    if kind == "b":
        return rng.random(shape) > 0.5
    values = rng.standard_normal(shape)
    return (values + 1j * rng.standard_normal(shape) if kind == "c" else values).astype(dtype)


def agree(ours, theirs, rtol=None, steps=0):
    """Whether value, dtype and shape are SciPy's; integers may be `steps` apart."""
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    ours = gpuarray.asnumpy(ours)
    if theirs.dtype.kind in "iub":
        assert np.abs(ours.astype(float) - theirs.astype(float)).max(initial=0) <= steps
        return
    rtol = rtol if rtol is not None else {"f": 1e-6, "F": 1e-6}.get(theirs.dtype.char, 1e-12)
    largest = max(1.0, np.abs(theirs[np.isfinite(theirs)]).max(initial=0))
    assert np.allclose(ours, theirs, rtol=0, atol=rtol * largest, equal_nan=True)


def both(module, name, device, a, *args, steps=0, rtol=None, **keywords):
    theirs = getattr(module, name)(a, *args, **keywords)
    ours = getattr(ndimage, name)(gpuarray.array(a, device=device), *args, **keywords)
    assert ours.device == device
    agree(ours, theirs, rtol, steps)


# ---- more than one tile of a GPU's kernels ----


@pytest.mark.parametrize("dtype", ["f", "d", "u1", "i4"])
@pytest.mark.parametrize("shape", [(5, 4000), (4000, 5), (70, 90), (3, 33, 300)])
def test_lines_of_many_lengths(scipy_ndimage, device, dtype, shape):
    a = image(shape, dtype)
    for axis in range(a.ndim):
        for mode in ("reflect", "constant", "wrap"):
            both(
                scipy_ndimage, "correlate1d", device, a, [1, 2, 4], axis, mode=mode, cval=3, steps=1
            )
            both(scipy_ndimage, "maximum_filter1d", device, a, 25, axis, mode=mode, cval=3)
    both(scipy_ndimage, "uniform_filter1d", device, a.astype("d"), 301, 0, mode="nearest")


@pytest.mark.parametrize("dtype", ["f", "d", "u1", "i4"])
@pytest.mark.parametrize("mode", ["reflect", "constant", "mirror", "wrap"])
def test_boxes_of_large_images(scipy_ndimage, device, dtype, mode):
    a = image((70, 130), dtype)
    cross = scipy_ndimage.generate_binary_structure(2, 1)
    for size in (2, 3, 5, 7, (5, 9)):
        both(scipy_ndimage, "median_filter", device, a, size, mode=mode, cval=7)
    both(scipy_ndimage, "rank_filter", device, a, 1, footprint=cross, mode=mode, cval=7)
    both(scipy_ndimage, "maximum_filter", device, a, footprint=cross, mode=mode, cval=7)
    both(scipy_ndimage, "correlate", device, a, cross * 2.0, mode=mode, cval=7)


@pytest.mark.parametrize("mode", FILTER_MODES[:5])
@pytest.mark.parametrize("shape", [(16, 112), (17, 113), (33, 57), (300, 3), (5, 17, 113)], ids=str)
def test_boxes_at_the_ends_of_tiles(scipy_ndimage, device, shape, mode):
    for size in (2, 3, 5):
        box = (size,) * len(shape)
        weights = image(box)
        for dtype in "fdBh":
            a = image(shape, dtype)
            both(scipy_ndimage, "correlate", device, a, weights, mode=mode, cval=3, steps=1)
            both(scipy_ndimage, "maximum_filter", device, a, footprint=weights > 0, mode=mode)
            both(scipy_ndimage, "minimum_filter", device, a, size, mode=mode, cval=5)
        both(scipy_ndimage, "median_filter", device, image(shape, "q"), size, mode=mode, cval=5)
        both(scipy_ndimage, "rank_filter", device, image(shape, "H"), 1, size, mode=mode, cval=5)


@pytest.mark.parametrize("size", [7, 31, 33])
def test_large_boxes(scipy_ndimage, device, size):
    for dtype in "fd":
        a, weights = image((40, 150), dtype), image((size, size))
        both(scipy_ndimage, "correlate", device, a, weights)
        both(scipy_ndimage, "convolve", device, a, weights[:, :3], mode="constant", cval=2)
        both(scipy_ndimage, "correlate1d", device, a, weights.ravel()[:1100], mode="wrap")


@pytest.mark.parametrize("dtype", ["d", "f", "i4", "D"])
def test_weights_on_the_device(scipy_ndimage, device, dtype):
    a, plane = image((20, 30), "D" if dtype == "D" else "d"), image((4, 3), dtype)
    for name, weights in [
        ("correlate", plane),
        ("convolve", plane),
        ("convolve", plane.T),
        ("correlate1d", plane[0]),
        ("convolve1d", plane[:, 1]),
    ]:
        on_device = gpuarray.array(weights, device=device)
        ours = getattr(ndimage, name)(gpuarray.array(a, device=device), on_device)
        agree(ours, getattr(scipy_ndimage, name)(a, weights))
    weights = gpuarray.array(plane, device=device)[::2, ::-1]
    ours = ndimage.correlate(gpuarray.array(a[None], device=device), weights, axes=(1, 2))
    agree(ours, scipy_ndimage.correlate(a[None], plane[::2, ::-1], axes=(1, 2)))


def test_filters_of_views(scipy_ndimage, device):
    a = image((40, 3, 60))
    ours, weights = gpuarray.array(a, device=device), image((3, 5))
    for index in [np.s_[::2, 0, ::-1], np.s_[::-3, 1, 5:], np.s_[7:, 2, ::7]]:
        for x, theirs in [(ours[index], a[index]), (ours[index].T, a[index].T)]:
            agree(ndimage.correlate(x, weights), scipy_ndimage.correlate(theirs, weights))
            agree(ndimage.median_filter(x, 3), scipy_ndimage.median_filter(theirs, 3))


# ---- weighted sums ----


@pytest.mark.parametrize("mode", FILTER_MODES)
@pytest.mark.parametrize("size, origin", [(3, 0), (4, 0), (4, 1), (5, -2), (5, 2), (9, 0)])
def test_weights_along_an_axis(scipy_ndimage, device, mode, size, origin):
    weights = np.arange(1, size + 1) ** 1.5
    for axis in (0, 1, -1):
        for name in ("correlate1d", "convolve1d"):
            if (
                name == "convolve1d"
                and not -(size // 2) <= -origin - (size % 2 == 0) <= size // 2 - 1
            ):
                continue
            both(
                scipy_ndimage,
                name,
                device,
                image((5, 4, 6)),
                weights,
                axis=axis,
                mode=mode,
                cval=2.5,
                origin=origin,
            )


@pytest.mark.parametrize("mode", FILTER_MODES)
@pytest.mark.parametrize("shape", [(3, 3), (2, 3), (4, 1), (1, 5), (5, 6)], ids=str)
def test_weights_over_planes(scipy_ndimage, device, mode, shape):
    weights = image(shape, seed=4)
    for name in ("correlate", "convolve"):
        both(scipy_ndimage, name, device, image((6, 7)), weights, mode=mode, cval=-1.5)


@pytest.mark.parametrize("dtype", "u1 i1 i2 u4 i8 f d F D".split())
def test_dtypes(scipy_ndimage, device, dtype):
    a = image((9, 8), dtype)
    both(scipy_ndimage, "correlate1d", device, a, [0.25, 0.5, 0.3])
    both(
        scipy_ndimage, "correlate", device, a, [[0.25, 0.5], [0.3, 0.1]], mode="constant", cval=0.5
    )
    both(scipy_ndimage, "uniform_filter", device, a, 3)
    if np.dtype(dtype).kind != "c":
        both(scipy_ndimage, "gaussian_filter", device, a, 1.2)
        both(scipy_ndimage, "gaussian_filter", device, a, 1.2, output=np.float32)


def test_complex_weights(scipy_ndimage, device):
    weights = image((3,), "D", 2)
    for dtype in ("d", "D"):
        both(scipy_ndimage, "correlate1d", device, image((7, 5), dtype), weights)
        both(scipy_ndimage, "convolve1d", device, image((7, 5), dtype), weights)
        both(scipy_ndimage, "convolve", device, image((7, 5), dtype), image((2, 3), "D", 1))


@pytest.mark.parametrize("axes", (None, (0,), (0, 2), (-1, 1)))
def test_filters_over_some_axes(scipy_ndimage, device, axes):
    a = image((6, 5, 7))
    count = 3 if axes is None else len(axes)
    both(scipy_ndimage, "gaussian_filter", device, a, [0.7, 1.1, 2.0][:count], axes=axes)
    both(scipy_ndimage, "uniform_filter", device, a, [2, 3, 4][:count], axes=axes)
    both(scipy_ndimage, "correlate", device, a, image((2, 3, 2)[:count]), axes=axes)
    both(scipy_ndimage, "maximum_filter", device, a, [2, 3, 4][:count], axes=axes)
    both(scipy_ndimage, "median_filter", device, a, [2, 3, 4][:count], axes=axes)
    both(scipy_ndimage, "laplace", device, a, axes=axes)


@pytest.mark.parametrize("order", (0, 1, 2, 3))
@pytest.mark.parametrize(
    "options", ({}, {"truncate": 2.0}, {"radius": 3}, {"mode": "wrap"}), ids=str
)
def test_gaussians(scipy_ndimage, device, order, options):
    both(scipy_ndimage, "gaussian_filter", device, image((20, 15)), 1.7, order=order, **options)
    both(scipy_ndimage, "gaussian_filter1d", device, image((20, 15)), 1.7, 0, order, **options)


@pytest.mark.parametrize("mode", FILTER_MODES[:5])
@pytest.mark.parametrize(
    "name", "sobel prewitt laplace gaussian_laplace gaussian_gradient_magnitude".split()
)
def test_derivatives(scipy_ndimage, device, name, mode):
    args = (1.3,) if name.startswith("gaussian") else ()
    both(scipy_ndimage, name, device, image((12, 9)), *args, mode=mode)
    if not args:
        both(scipy_ndimage, name, device, image((12, 9), "i4"), mode=mode)


# ---- choices ----


@pytest.mark.parametrize("mode", FILTER_MODES)
@pytest.mark.parametrize("dtype", "? u1 i4 f d".split())
def test_extrema(scipy_ndimage, device, dtype, mode):
    a = image((9, 8), dtype)
    cross = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], bool)
    for name in ("minimum_filter", "maximum_filter"):
        both(scipy_ndimage, name, device, a, size=(3, 4), mode=mode, cval=1)
        both(scipy_ndimage, name, device, a, footprint=cross, mode=mode, cval=1, origin=(1, -1))
        both(scipy_ndimage, name + "1d", device, a, 4, axis=0, mode=mode, cval=1, origin=1)


@pytest.mark.parametrize("mode", FILTER_MODES)
@pytest.mark.parametrize("dtype", "u1 i2 f d i8".split())
def test_ranks(scipy_ndimage, device, dtype, mode):
    a = image((9, 8), dtype)
    both(scipy_ndimage, "median_filter", device, a, size=3, mode=mode, cval=1)
    both(scipy_ndimage, "median_filter", device, a, size=(9, 8), mode=mode, cval=1)
    both(scipy_ndimage, "percentile_filter", device, a, 30, size=(2, 4), mode=mode, cval=1)
    both(scipy_ndimage, "rank_filter", device, a, -3, size=4, mode=mode, cval=1)
    ring = np.array([[1, 1, 1], [1, 0, 1], [1, 1, 0]], bool)
    both(scipy_ndimage, "rank_filter", device, a, 2, footprint=ring, mode=mode, cval=1)


def test_medians_of_other_shapes(scipy_ndimage, device):
    both(scipy_ndimage, "median_filter", device, image((50,)), size=5)
    both(scipy_ndimage, "median_filter", device, image((6, 5, 4)), size=3)
    both(scipy_ndimage, "percentile_filter", device, image((30,), "i4"), -20, size=7)


# ---- interpolation ----


@pytest.mark.parametrize("mode", SPLINE_MODES)
@pytest.mark.parametrize("order", range(6))
def test_coordinates(scipy_ndimage, device, order, mode):
    rng = np.random.default_rng(order)
    places = rng.uniform(-30, 60, (2, 300))
    for dtype in ("d", "f", "i2"):
        a = image((26, 25), dtype)
        theirs = scipy_ndimage.map_coordinates(a, places, order=order, mode=mode, cval=3.0)
        ours = ndimage.map_coordinates(
            gpuarray.array(a, device=device), places, order=order, mode=mode, cval=3.0
        )
        agree(ours, theirs, rtol=1e-6 if dtype == "f" else 1e-10)


@pytest.mark.parametrize("mode", SPLINE_MODES)
@pytest.mark.parametrize("order", (0, 1, 2, 3, 5))
def test_transforms(scipy_ndimage, device, order, mode):
    a = image((26, 25))
    options = {"order": order, "mode": mode, "cval": 1.5, "rtol": 1e-10}
    both(scipy_ndimage, "shift", device, a, (1.3, -2.45), **options)
    both(scipy_ndimage, "zoom", device, a, (1.7, 0.6), **options)
    both(
        scipy_ndimage,
        "affine_transform",
        device,
        a,
        [[0.9, 0.23], [-0.2, 1.1]],
        (0.51, -1.2),
        **options,
    )
    both(scipy_ndimage, "affine_transform", device, a, [0.7, 1.3], 0.41, (5, 6), **options)
    if order:
        both(scipy_ndimage, "rotate", device, a, 33.0, **options)


@pytest.mark.parametrize("order", (2, 3, 4, 5))
@pytest.mark.parametrize("mode", ("mirror", "reflect", "grid-wrap", "wrap", "constant", "nearest"))
def test_coefficients(scipy_ndimage, device, order, mode):
    # SciPy's rule for the beginning of a mirrored axis is rough where the axis is short.
    short = ((11, 6), (1, 5), (2, 3)) if mode not in ("reflect", "nearest") else ()
    for shape in (*short, (40,), (27, 30)):
        both(scipy_ndimage, "spline_filter", device, image(shape), order, mode=mode, rtol=1e-11)
    both(scipy_ndimage, "spline_filter1d", device, image((31, 6)), order, 0, mode=mode, rtol=1e-11)


def test_more_transforms(scipy_ndimage, device):
    a = image((5, 6, 4))
    both(scipy_ndimage, "zoom", device, a, 1.5)
    both(scipy_ndimage, "zoom", device, a, 2, mode="grid-constant", grid_mode=True)
    both(scipy_ndimage, "zoom", device, a, 1)
    both(scipy_ndimage, "rotate", device, a, 20, axes=(0, 2), reshape=False, mode="nearest")
    for angle in (90, 180, 270, -90):
        both(scipy_ndimage, "rotate", device, image((5, 7)), angle, order=1)
    both(scipy_ndimage, "shift", device, image((5, 6), "D"), 0.5, cval=1 + 2j)
    homogeneous = np.array([[0.9, 0.1, 1.2], [0.2, 1.1, -0.3], [0, 0, 1]])
    both(scipy_ndimage, "affine_transform", device, image((7, 6)), homogeneous)
    both(scipy_ndimage, "affine_transform", device, image((7, 6)), homogeneous[:2], output="f4")
    both(scipy_ndimage, "shift", device, image((9, 8), "u1"), 0.5, order=3, steps=1)


def test_splines_run_through_the_elements(device):
    """Of short axes too, in every mode: read at its places, a spline gives the array."""
    for mode in SPLINE_MODES:
        for shape in ((6, 3), (2, 5), (1, 4)):
            a = gpuarray.array(image(shape), device=device)
            for order in range(6):
                again = ndimage.shift(a, 0, order=order, mode=mode)
                assert np.abs(gpuarray.asnumpy(again - a)).max() < 1e-9, (mode, shape, order)


# ---- labels ----


@pytest.mark.parametrize("connectivity", (1, 2, 3))
@pytest.mark.parametrize("shape", [(30,), (40, 50), (12, 13, 14), (5, 6, 7, 4)], ids=str)
@pytest.mark.parametrize("density", (0.1, 0.45, 0.6, 1.0))
def test_labels(scipy_ndimage, device, shape, connectivity, density):
    a = np.random.default_rng(len(shape)).random(shape) < density
    structure = scipy_ndimage.generate_binary_structure(len(shape), connectivity)
    theirs, count = scipy_ndimage.label(a, structure)
    ours, ours_count = ndimage.label(gpuarray.array(a, device=device), structure)
    assert ours_count == count
    agree(ours, theirs)


@pytest.mark.parametrize("ndim", (1, 2, 3, 4))
def test_labels_of_any_structure(scipy_ndimage, device, ndim):
    """Neighbours of all kinds, among which joins are left out that others make needless."""
    rng = np.random.default_rng(ndim)
    for _ in range(40):
        shape = tuple(rng.integers(1, (300, 70, 12, 6)[ndim - 1], ndim))
        a = rng.random(shape) < rng.random()
        structure = rng.random((3,) * ndim) < rng.random()
        structure |= structure[(slice(None, None, -1),) * ndim]
        theirs, count = scipy_ndimage.label(a, structure)
        ours, ours_count = ndimage.label(gpuarray.array(a, device=device), structure)
        assert ours_count == count
        agree(ours, theirs)


def test_labels_of_spirals(scipy_ndimage, device):
    """Long paths that lead back and forth: trees of many levels."""
    a = np.zeros((64, 64), int)
    a[::2] = 1
    a[1::4, -1] = a[3::4, 0] = 1
    a[32, 10] = 0
    theirs, count = scipy_ndimage.label(a)
    out = gpuarray.zeros(a.shape, "i2", device=device)
    assert ndimage.label(gpuarray.array(a, device=device), output=out) == count
    assert (gpuarray.asnumpy(out) == theirs).all()


def test_structures(scipy_ndimage):
    for rank in range(4):
        for connectivity in (0, 1, 2, 5):
            theirs = scipy_ndimage.generate_binary_structure(rank, connectivity)
            agree(ndimage.generate_binary_structure(rank, connectivity), theirs)


# ---- outputs and errors ----


@pytest.mark.parametrize("name", ("gaussian_filter", "uniform_filter", "median_filter", "zoom"))
def test_outputs(scipy_ndimage, device, name):
    a = image((6, 8))
    theirs = getattr(scipy_ndimage, name)(a, 3)
    out = gpuarray.zeros(theirs.shape, "d", device=device)
    moved = gpuarray.array(a, device=device)
    assert getattr(ndimage, name)(moved, 3, output=out) is out
    agree(out, theirs)
    if name != "zoom":
        assert getattr(ndimage, name)(moved, 3, output=moved) is moved
        agree(moved, getattr(scipy_ndimage, name)(a, 3, output=a.copy()))
    host = np.zeros(theirs.shape)
    assert getattr(ndimage, name)(gpuarray.array(a, device=device), 3, output=host) is host
    assert np.allclose(host, theirs)


ERRORS = {
    "mode": lambda m, a: m.gaussian_filter(a, 1, mode="none"),
    "origin": lambda m, a: m.correlate1d(a, [1, 2, 3], origin=2),
    "origin of a box": lambda m, a: m.uniform_filter1d(a, 3, origin=5),
    "no weights": lambda m, a: m.correlate1d(a, []),
    "weights of other axes": lambda m, a: m.correlate(a, [1, 2]),
    "size": lambda m, a: m.uniform_filter1d(a, 0),
    "sizes": lambda m, a: m.uniform_filter(a, [1, 2, 3]),
    "footprint": lambda m, a: m.median_filter(a),
    "rank": lambda m, a: m.rank_filter(a, 9, size=3),
    "percentile": lambda m, a: m.percentile_filter(a, 200, size=3),
    "complex": lambda m, a: m.maximum_filter(a * 1j, 3),
    "axis": lambda m, a: m.gaussian_filter1d(a, 1, axis=4),
    "axes": lambda m, a: m.gaussian_filter(a, 1, axes=(0, 4)),
    "axes twice": lambda m, a: m.uniform_filter(a, 3, axes=(1, 1)),
    "order": lambda m, a: m.shift(a, 1, order=6),
    "derivative": lambda m, a: m.gaussian_filter1d(a, 1, order=-1),
    "radius": lambda m, a: m.gaussian_filter1d(a, 1, radius=1.5),
    "output shape": lambda m, a: m.gaussian_filter(a, 1, output=a[:2].copy()),
    "coordinates": lambda m, a: m.map_coordinates(a, [[1.0, 2.0]]),
    "spline mode": lambda m, a: m.zoom(a, 2, mode="none"),
    "matrix": lambda m, a: m.affine_transform(a, [[1.0, 0, 0]]),
    "plane": lambda m, a: m.rotate(a, 3, axes=(0, 5)),
    "vector": lambda m, a: m.rotate(a[0], 3),
    "structure": lambda m, a: m.label(a, [1, 1, 1]),
    "structure size": lambda m, a: m.label(a, np.ones((2, 3))),
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors(scipy_ndimage, device, case):
    a = image((4, 5))
    with pytest.raises(Exception) as theirs:
        ERRORS[case](scipy_ndimage, a)
    with pytest.raises(theirs.type):
        ERRORS[case](ndimage, gpuarray.array(a, device=device))


def test_structures_are_symmetric(device):
    with pytest.raises(ValueError, match="symmetric"):
        ndimage.label(gpuarray.ones((2, 2), device=device), [[1, 0, 0], [0, 1, 0], [0, 0, 0]])


def test_what_is_not_there(device):
    a = gpuarray.ones((2,) * 5, device=device)
    with pytest.raises(NotImplementedError, match="axes"):
        ndimage.zoom(a, 2)
    with pytest.raises(NotImplementedError, match="axes"):
        ndimage.median_filter(a, 2)
    with pytest.raises(NotImplementedError, match="axes"):
        ndimage.label(a)


# ---- without SciPy ----


@pytest.mark.parametrize("row", NDIMAGE, ids=lambda row: row[0])
def test_stored_values(device, row):
    name, args, keywords, expected = row
    result = getattr(ndimage, name)(
        gpuarray.array(stored_image(), device=device), *args, **keywords
    )
    assert result.shape == np.shape(expected)
    assert np.abs(gpuarray.asnumpy(result) - expected).max() < 2e-6


@pytest.mark.smoke
def test_values(device):
    a = gpuarray.array([[0, 0, 9], [3, 0, 0], [0, 6, 0]], dtype=float, device=device)
    assert ndimage.uniform_filter(a, 3)[1, 1].tolist() == 2
    assert ndimage.maximum_filter(a, 3).tolist() == [[3, 9, 9], [6, 9, 9], [6, 6, 6]]
    assert ndimage.median_filter(a, (1, 3)).tolist() == [[0, 0, 9], [3, 0, 0], [0, 0, 0]]
    assert ndimage.sobel(a, 1)[1].tolist() == [0, 3, 3]
    labels, count = ndimage.label(a)
    assert (labels.tolist(), count) == ([[0, 0, 1], [2, 0, 0], [0, 3, 0]], 3)
    assert ndimage.shift(a, (0, 1), order=1).tolist() == [[0, 0, 0], [0, 3, 0], [0, 0, 6]]
    half = ndimage.map_coordinates(a, [[0.5], [2.0]], order=1)
    assert half.tolist() == [4.5]
    assert ndimage.gaussian_filter(gpuarray.ones(5, device=device), 2).round(12).tolist() == [1] * 5

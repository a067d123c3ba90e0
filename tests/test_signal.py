"""gpuarray.signal against SciPy's, and against values of its own where SciPy is not installed."""

import numpy as np
import pytest
from scipy_values import SIGNAL
from scipy_values import image as stored_image

import gpuarray
from gpuarray import signal

MODES = ("full", "same", "valid")


@pytest.fixture(scope="module")
def scipy_signal():
    return pytest.importorskip("scipy.signal")


def numbers(shape, dtype, seed=0):
    rng = np.random.default_rng([seed, *shape])
    values = rng.integers(-9, 9, shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.integers(-9, 9, shape)
    return values.astype(dtype)


def agree(ours, theirs, tolerance=0.0):
    """Whether value, dtype and shape are SciPy's."""
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    error = np.abs(gpuarray.asnumpy(ours).astype(complex) - theirs).max(initial=0)
    assert error <= tolerance * max(1.0, np.abs(theirs).max(initial=0)), error


def both(scipy_signal, name, device, arrays, *args, tolerance=0.0, **keywords):
    theirs = getattr(scipy_signal, name)(*arrays, *args, **keywords)
    moved = [gpuarray.array(x, device=device) for x in arrays]
    ours = getattr(signal, name)(*moved, *args, **keywords)
    assert ours.device == device
    agree(ours, theirs, tolerance)


SHAPES = [((9,), (4,)), ((4,), (9,)), ((6, 7), (3, 2)), ((3, 2), (6, 7)), ((4, 5, 6), (2, 3, 2))]
SHAPES += [((2000,), (101,)), ((40, 130), (5, 7))]  # more than one tile of a GPU's kernel


@pytest.mark.parametrize("method", ("direct", "fft"))
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", "i4 f d D".split())
@pytest.mark.parametrize("name", ("convolve", "correlate"))
def test_convolve(scipy_signal, device, name, dtype, shapes, mode, method):
    arrays = [numbers(shape, dtype, i) for i, shape in enumerate(shapes)]
    tolerance = {"f": 1e-6}.get(dtype, 1e-13)
    both(scipy_signal, name, device, arrays, mode, method, tolerance=tolerance)


@pytest.mark.parametrize("boundary, fill", [("fill", 0), ("fill", 3), ("wrap", 0), ("symm", 0)])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "shapes", [((6, 7), (3, 2)), ((6, 7), (4, 4)), ((5, 4), (5, 4)), ((40, 130), (5, 7))], ids=str
)
@pytest.mark.parametrize("dtype", "u1 i4 f d F".split())
@pytest.mark.parametrize("name", ("convolve2d", "correlate2d"))
def test_planes(scipy_signal, device, name, dtype, shapes, mode, boundary, fill):
    arrays = [numbers(shape, dtype, i) for i, shape in enumerate(shapes)]
    both(scipy_signal, name, device, arrays, mode, boundary, fill)


def test_planes_swapped(scipy_signal, device):
    arrays = numbers((2, 3), "D"), numbers((5, 6), "D", 1)
    for name in ("convolve2d", "correlate2d"):
        both(scipy_signal, name, device, arrays, "valid")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("axes", (None, 0, (1,), (0, 1), -1))
def test_fftconvolve(scipy_signal, device, mode, axes):
    one = (9, 8) if axes in (None, (0, 1)) else (9, 1) if axes == 0 else (1, 8)
    arrays = numbers((9, 8), "d"), numbers((4, 3), "d", 1)
    if axes not in (None, (0, 1)):
        arrays = arrays[0], numbers(tuple(min(n, 4) for n in one), "d", 1)
    both(scipy_signal, "fftconvolve", device, arrays, mode, axes, tolerance=1e-13)


def test_long_signals(scipy_signal, device):
    rng = np.random.default_rng(2)
    arrays = rng.standard_normal(5000), rng.standard_normal(700)
    for method in ("auto", "direct", "fft"):
        both(scipy_signal, "convolve", device, arrays, "same", method, tolerance=1e-12)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("sizes", [(5, 3), (6, 3), (3, 5), (4, 4)], ids=str)
def test_lags(scipy_signal, mode, sizes):
    agree(signal.correlation_lags(*sizes, mode), scipy_signal.correlation_lags(*sizes, mode))


ERRORS = {
    "dimensions": lambda s, a: s.convolve(a, a[0]),
    "mode": lambda s, a: s.correlate(a, a, "none"),
    "method": lambda s, a: s.convolve(a, a, "full", "none"),
    "neither is larger": lambda s, a: s.convolve(a[:1], a[:, :1], "valid"),
    "boundary": lambda s, a: s.convolve2d(a, a, boundary="none"),
    "planes": lambda s, a: s.convolve2d(a[0], a[0]),
    "axes": lambda s, a: s.fftconvolve(a, a, axes=5),
    "axis twice": lambda s, a: s.fftconvolve(a, a, axes=(0, 0)),
    "broadcast": lambda s, a: s.fftconvolve(a, a[:2], axes=1),
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors(scipy_signal, device, case):
    a = numbers((3, 4), "d")
    with pytest.raises(Exception) as theirs:
        ERRORS[case](scipy_signal, a)
    with pytest.raises(theirs.type):
        ERRORS[case](signal, gpuarray.array(a, device=device))


# ---- without SciPy ----


@pytest.mark.parametrize("row", SIGNAL, ids=lambda row: row[0])
def test_stored_values(device, row):
    name, args, keywords, expected = row
    result = getattr(signal, name)(gpuarray.array(stored_image(), device=device), *args, **keywords)
    assert result.shape == np.shape(expected)
    assert np.abs(gpuarray.asnumpy(result) - expected).max() < 2e-6


@pytest.mark.smoke
def test_values(device):
    a = gpuarray.array([[1, 2], [3, 4]], device=device)
    assert signal.convolve(a, a).tolist() == [[1, 4, 4], [6, 20, 16], [9, 24, 16]]
    assert signal.correlate(a, [[1, 0], [0, 1]], "valid").tolist() == [[5]]
    assert signal.convolve2d(a, [[1, 1]], "same", "wrap").tolist() == [[3, 3], [7, 7]]
    assert signal.convolve2d(a, [[1, 1]], "same", "symm").tolist() == [[2, 3], [6, 7]]
    z = gpuarray.array([1j, 2], device=device)
    assert signal.correlate(z, [1, 1j], method="direct").tolist() == [1, -1j, 2]
    assert signal.fftconvolve(gpuarray.array([1.0, 2.0]), [1.0, 1.0]).round(12).tolist() == [
        1,
        3,
        2,
    ]


def test_integers_are_exact_by_either_method(device):
    a = gpuarray.arange(1, 40, device=device)
    direct = signal.convolve(a, a, method="direct")
    assert direct.dtype == np.int64
    assert signal.convolve(a, a, method="fft").tolist() == direct.tolist()
    assert signal.choose_conv_method(a * 2**40, a * 2**40) == "direct"


def test_choice(device):
    small, large = (gpuarray.ones(n, device=device) for n in (100, 5))
    assert signal.choose_conv_method(small, large) == "direct"
    assert signal.choose_conv_method(*(gpuarray.ones((300, 300)),) * 2) == "fft"
    method, times = signal.choose_conv_method(small, large, measure=True)
    assert times[method] == min(times.values())


def test_fast_lengths():
    for n in (1, 2, 3, 11, 13, 121, 997, 4097, 10007):
        fast, rest = signal.fast_length(n), signal.fast_length(n)
        for factor in (2, 3, 5, 7):
            while rest % factor == 0:
                rest //= factor
        assert rest == 1 and n <= fast < 1.3 * n + 1

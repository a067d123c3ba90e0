"""Fourier transforms against NumPy's: values within 5 eps log2(n) of the largest, dtypes, shapes, errors."""

import copy
import math

import numpy as np
import pytest
from conftest import list_devices
from oracle import check, kind_of, run, to_device

import gpuarray
from gpuarray import _core, _fourier

COMPLEX = "fft ifft hfft irfft".split()
REAL = "rfft ihfft".split()
PLANES = "fft2 ifft2 fftn ifftn irfft2 irfftn rfft2 rfftn".split()
LENGTHS = [1, 2, 3, 4, 7, 8, 13, 30, 64, 97, 1000, 1009, 4096]


def step_of_numpy(src, dst, axes, inverse, scale, signals=0):
    """What the backend of a GPU does with arrays on the CPU device, spoilt input and what it takes along included."""
    x, y = np.asarray(src), np.asarray(dst)
    if src.dtype.kind == dst.dtype.kind:
        y[...] = (np.fft.ifftn if inverse else np.fft.fftn)(
            x, axes=axes, norm="forward" if inverse else "backward"
        )
        y *= scale
        if signals:
            assert y.shape[-1] == signals // 2 + 1
            y.imag[..., 0] = 0
            y.imag[..., -1] *= signals % 2
        return True, signals > 0
    if src.dtype.kind == "f":
        y[...] = np.fft.rfftn(x, axes=axes)
    else:
        (axis,) = axes
        ends = (0, -1) if dst.shape[axis] % 2 == 0 else (0,)
        assert all((x.imag.take(end, axis) == 0).all() for end in ends)
        y[...] = np.fft.irfft(x, dst.shape[axis], axis, norm="forward")
        x[...] = np.nan
    return False, False


@pytest.fixture(params=[*list_devices(), "steps"])
def device(request, monkeypatch):
    """The devices, and the CPU device with the steps that a GPU takes."""
    before = gpuarray.default_device()
    name = "cpu" if request.param == "steps" else request.param
    if request.param == "steps":
        monkeypatch.setattr(_core, "_fft", step_of_numpy)
        # There may be wheels, and no driver.
        monkeypatch.setattr(_fourier, "find_library", lambda: None)
        monkeypatch.setattr(
            gpuarray.fft, "is_numpys", lambda a, out: not isinstance(a, gpuarray.ndarray)
        )
    gpuarray.set_default_device(name)
    yield name
    gpuarray.set_default_device(before)


def signal(shape, dtype="D", seed=5):
    """Random numbers about zero, complex where the dtype is."""
    rng = np.random.default_rng([seed, *np.atleast_1d(shape)])
    values = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    if np.dtype(dtype).kind in "iu":
        values = values * 100
    return values.astype(dtype)


def caller(name, *options, **keywords):
    """The transform of that name as a function of the array module and an array."""
    return lambda xp, a: getattr(xp.fft, name)(a, *options, **keywords)


def check_close(function, *args, device, points, order=True):
    """As oracle.check, with the error judged against the largest element, as FFT bounds are."""
    ours = to_device(list(args), device)
    expected, failure = run(function, np, copy.deepcopy(args))
    result, our_failure = run(function, gpuarray, ours)
    assert failure is None and our_failure is None, (failure, our_failure)
    assert kind_of(result) == kind_of(expected)
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    if order:
        assert result.flags.c_contiguous == expected.flags.c_contiguous
        assert result.flags.f_contiguous == expected.flags.f_contiguous
    rounded = args[0].dtype if args[0].dtype == np.float16 else expected.dtype  # NumPy rounds 1/n
    bound = 5 * np.finfo(rounded).eps * max(1.0, math.log2(points))
    largest = np.abs(expected).max(initial=0)
    assert np.abs(gpuarray.asnumpy(result) - expected).max(initial=0) <= bound * largest
    return result


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("name", COMPLEX + REAL)
@pytest.mark.parametrize("single", (False, True), ids=("double", "single"))
def test_lengths(device, name, n, single):
    dtype = ("fd" if name in REAL else "FD")[not single]
    check_close(caller(name, n), signal((3, n), dtype), device=device, points=n)


@pytest.mark.parametrize("norm", (None, "backward", "ortho", "forward"))
@pytest.mark.parametrize("name", COMPLEX + REAL)
def test_norms(device, name, norm):
    a = signal((4, 12), "d" if name in REAL else "D")
    check_close(caller(name, norm=norm), a, device=device, points=12)


@pytest.mark.parametrize("dtype", "? i1 u2 i4 i8 e f d F D".split())
@pytest.mark.parametrize("name", COMPLEX + REAL)
def test_dtypes(device, name, dtype):
    a = signal((2, 9), dtype)
    if name in REAL and np.dtype(dtype).kind == "c":
        check(caller(name), a, device=device)
    else:
        check_close(caller(name), a, device=device, points=16)


@pytest.mark.parametrize("dtype", "? e i4 f D".split())
@pytest.mark.parametrize("axes", [(0, 1), (1,)])
@pytest.mark.parametrize("name", PLANES)
def test_dtypes_of_planes(device, name, axes, dtype):
    """float16 becomes single precision on the way where a complex transform comes before the real one."""
    if name.startswith("rfft") and dtype == "D":
        dtype = "d"
    check_close(caller(name, axes=axes), signal((4, 9), dtype), device=device, points=64)


@pytest.mark.parametrize("axis", (0, 1, 2, -1, -3))
@pytest.mark.parametrize("n", (None, 3, 5, 16))
@pytest.mark.parametrize("name", COMPLEX + REAL)
def test_axes_cropped_and_padded(device, name, axis, n):
    a = signal((5, 6, 7), "d" if name in REAL else "D")
    check_close(caller(name, n, axis), a, device=device, points=16)


LAYOUTS = {
    "F order": lambda a: np.asfortranarray(a),
    "transposed": lambda a: a.transpose(1, 2, 0),
    "every second": lambda a: a[::2, 1:, ::3],
    "backwards": lambda a: a[:, ::-1, ::-1],
    "repeated": lambda a: np.broadcast_to(a[:, :1], (8, 6, 9)),
    "one long": lambda a: a[:, :1, :],
}


@pytest.mark.parametrize("name", ("fft", "irfft", "rfft", "fftn", "rfftn", "irfftn", "ifft2"))
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(device, name, layout):
    whole = signal((8, 6, 9), "d" if name.startswith("r") else "D")

    def function(xp, a):
        view = LAYOUTS[layout](a) if xp is np else ours(a)
        return getattr(xp.fft, name)(view)

    def ours(a):
        views = {
            "F order": lambda: gpuarray.asfortranarray(a),
            "repeated": lambda: gpuarray.broadcast_to(a[:, :1], (8, 6, 9)),
        }
        return views.get(layout, lambda: LAYOUTS[layout](a))()

    check_close(function, whole, device=device, points=8 * 6 * 9, order=False)


PLANE_CALLS = [
    {},
    {"norm": "ortho"},
    {"norm": "forward"},
    {"axes": (0, 2)},
    {"axes": (1,)},
    {"axes": (-1, 0)},
    {"axes": (0, 0)},
    {"s": (4, 9), "axes": (1, 2)},
    {"s": (9, -1), "axes": (2, 0)},
    {"s": (3, 12), "axes": (0, 1), "norm": "forward"},
]


@pytest.mark.parametrize("keywords", PLANE_CALLS, ids=str)
@pytest.mark.parametrize("name", PLANES)
def test_several_axes(device, name, keywords):
    a = signal((5, 6, 7), "d" if name.startswith("r") else "D")
    check_close(caller(name, **keywords), a, device=device, points=5 * 6 * 7)


def test_more_axes_than_a_plan_has(device):
    a = signal((3, 4, 2, 5, 3), "d")
    for name in ("fftn", "ifftn", "rfftn", "irfftn"):
        check_close(caller(name), a, device=device, points=a.size)


@pytest.mark.parametrize("name", ("fftn", "rfft2", "irfftn"))
def test_single_precision_planes(device, name):
    a = signal((33, 20), "f" if name.startswith("r") else "F")
    check_close(caller(name), a, device=device, points=33 * 20)


def test_input_is_kept(device):
    for name in COMPLEX + PLANES[:6]:
        a = gpuarray.array(signal((4, 6)), device=device)
        before = gpuarray.asnumpy(a).copy()
        getattr(gpuarray.fft, name)(a)
        assert (gpuarray.asnumpy(a) == before).all(), name


def test_spectra_that_no_real_signal_has(device):
    a = np.array([[1 + 5j, 2 - 1j, 3 + 4j], [2j, 1, 1j]])
    for n in (3, 4, 5):
        check_close(lambda xp, a, n=n: xp.fft.irfft(a, n), a, device=device, points=4)
        check_close(lambda xp, a, n=n: xp.fft.hfft(a, n), a, device=device, points=4)
    check_close(lambda xp, a: xp.fft.irfft2(a), a, device=device, points=8)


OUTPUTS = {
    "same": lambda xp, a: xp.zeros((4, 6), "D"),
    "narrower": lambda xp, a: xp.zeros((4, 6), "F"),
    "view": lambda xp, a: xp.zeros((8, 6), "D")[::2],
    "transposed": lambda xp, a: xp.zeros((6, 4), "D").T,
    "input": lambda xp, a: a,
    "input backwards": lambda xp, a: a[::-1],
}


@pytest.mark.parametrize("name", ("fft", "ifft", "fft2", "ifftn"))
@pytest.mark.parametrize("target", OUTPUTS)
def test_out(device, name, target):
    def function(xp, a):
        out = OUTPUTS[target](xp, a)
        result = getattr(xp.fft, name)(a, norm="ortho", out=out)
        assert result is out
        return result

    if target == "narrower" and name in ("fft2", "ifftn"):
        return  # NumPy rounds after each axis there
    check_close(function, signal((4, 6)), device=device, points=24)


@pytest.mark.parametrize("name, dtype", (("rfft", "D"), ("irfft", "d"), ("ihfft", "D")))
def test_out_of_real_transforms(device, name, dtype):
    a = signal((4, 6), "d" if name in REAL else "D")

    def function(xp, a):
        out = xp.zeros((4, 4 if name in REAL else 10), dtype)
        getattr(xp.fft, name)(a, out=out)
        return out

    check_close(function, a, device=device, points=10)


def test_hfft_writes_to_out(device):
    """NumPy takes an out there and leaves it alone."""
    a = gpuarray.array(signal((4, 6)), device=device)
    out = gpuarray.zeros((4, 10), "f", device=device)
    assert gpuarray.fft.hfft(a, out=out) is out
    assert np.abs(gpuarray.asnumpy(out) - np.fft.hfft(gpuarray.asnumpy(a))).max() < 1e-5


ERRORS = {
    "no points": lambda xp, a: xp.fft.fft(a[:, :0]),
    "no points asked for": lambda xp, a: xp.fft.fft(a, 0),
    "one element of a spectrum": lambda xp, a: xp.fft.irfft(a[:, :1]),
    "axis": lambda xp, a: xp.fft.fft(a, axis=2),
    "axis with n": lambda xp, a: xp.fft.fft(a, 3, axis=2),
    "fraction": lambda xp, a: xp.fft.fft(a, 2.5),
    "norm": lambda xp, a: xp.fft.fft(a, norm="none"),
    "norm of an inverse": lambda xp, a: xp.fft.ifft(a, norm="none"),
    "complex": lambda xp, a: xp.fft.rfft(a),
    "times": lambda xp, a: xp.fft.fft(xp.zeros(3, "m8[s]")),
    "no axis": lambda xp, a: xp.fft.fft(a[0, 0]),
    "out of another shape": lambda xp, a: xp.fft.fft(a, out=xp.zeros((3, 3), "D")),
    "out of fewer axes": lambda xp, a: xp.fft.fft(a, out=xp.zeros(3, "D")),
    "real out": lambda xp, a: xp.fft.fft(a, out=xp.zeros((2, 3))),
    "out is a list": lambda xp, a: xp.fft.fft(a, out=[1]),
    "lengths": lambda xp, a: xp.fft.fftn(a, (2,), (0, 1)),
    "axes": lambda xp, a: xp.fft.fftn(a, axes=(0, 5)),
    "no axes": lambda xp, a: xp.fft.rfftn(a.real, axes=()),
    "too few axes": lambda xp, a: xp.fft.fft2(a[0]),
    "frequencies of a fraction": lambda xp, a: xp.fft.fftfreq(2.5),
    "no frequencies": lambda xp, a: xp.fft.fftfreq(0),
    "negative frequencies": lambda xp, a: xp.fft.fftfreq(-3),
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors(device, case):
    failure = check(ERRORS[case], signal((2, 3)), device=device)
    assert isinstance(failure, Exception)


@pytest.mark.parametrize("n", [3, 4])
def test_words_of_what_is_not_taken_follow_the_length(device, n):
    with pytest.raises(TypeError) as theirs:
        np.fft.rfft(np.ones(n, "D"))
    with pytest.raises(TypeError) as ours:
        gpuarray.fft.rfft(gpuarray.ones(n, "D"))
    assert str(ours.value) == str(theirs.value)


def test_empty_batches(device):
    for name in COMPLEX + PLANES[:2]:
        check(caller(name), np.zeros((0, 4), "F"), device=device)
    check(lambda xp, a: xp.fft.rfft(a, axis=0), np.zeros((4, 0), "f"), device=device)


def test_no_axes_give_the_array(device):
    check(lambda xp, a: xp.fft.fftn(a, axes=()), signal((2, 3), "f"), device=device)


@pytest.mark.parametrize("n", (1, 2, 5, 8))
@pytest.mark.parametrize("d", (1.0, 0.25, 3))
def test_frequencies(device, n, d):
    check(lambda xp: xp.fft.fftfreq(n, d), device=device)
    check(lambda xp: xp.fft.rfftfreq(n, d=d), device=device)


def test_frequencies_of_a_dtype(device):
    result = gpuarray.fft.fftfreq(6, 0.5, device, dtype="f4")
    assert result.dtype == np.float32 and result.device == device
    assert gpuarray.asnumpy(result).tolist() == np.fft.fftfreq(6, 0.5).astype("f4").tolist()
    assert gpuarray.fft.rfftfreq(6, device=device, dtype="f4").dtype == np.float32


@pytest.mark.parametrize("axes", (None, 0, -1, (0,), (0, 1), (1, 1)))
@pytest.mark.parametrize("name", ("fftshift", "ifftshift"))
def test_shifts(device, name, axes):
    check(
        lambda xp, a: getattr(xp.fft, name)(a, axes),
        np.arange(35).reshape(5, 7),
        device=device,
    )


@pytest.mark.smoke
def test_round_trip(device):
    a = gpuarray.array(signal((3, 50), "d"), device=device)
    for forward, back in (
        ("rfft", "irfft"),
        ("fft", "ifft"),
        ("rfftn", "irfftn"),
        ("ihfft", "hfft"),
    ):
        spectrum = getattr(gpuarray.fft, forward)(a)
        again = getattr(gpuarray.fft, back)(spectrum)
        assert np.abs(gpuarray.asnumpy(again - a)).max() < 1e-14, forward
    assert spectrum.device == device


def test_values():
    a = gpuarray.array([1.0, 2.0, 4.0, 8.0])
    assert gpuarray.asnumpy(gpuarray.fft.fft(a)).tolist() == [15, -3 + 6j, -5, -3 - 6j]
    assert gpuarray.asnumpy(gpuarray.fft.rfft(a)).tolist() == [15, -3 + 6j, -5]


def test_through_numpy(device):
    result = check(lambda xp, a: np.fft.fft(a), signal(8), device=device, rtol=1e-12, atol=1e-14)
    assert isinstance(result, gpuarray.ndarray)


def test_lists_and_scalars_in_lists(device):
    check(lambda xp: xp.fft.ifft([1, 2, 3, 5]), device=device, rtol=1e-14)


def test_cpu_results_share_no_memory_with_arguments():
    a = gpuarray.array(signal((4, 4)), device="cpu")
    result = gpuarray.fft.fftn(a)
    assert not gpuarray.shares_memory(a, result)


def test_long_doubles_stay_with_numpy():
    result = gpuarray.fft.fft(np.ones(3, "g"))
    assert isinstance(result, np.ndarray) and result.dtype == np.dtype("G")


def test_the_cpu_backend_has_no_step():
    a = gpuarray.zeros((3, 4), "D", device="cpu")
    with pytest.raises(NotImplementedError, match="Fourier"):
        _core._fft(a, gpuarray.empty_like(a), (1,), False, 1)
    with pytest.raises(ValueError, match="length"):
        _core._fft(a, gpuarray.zeros((3, 5), "D", device="cpu"), (1,), False, 1)
    with pytest.raises(ValueError, match="differ"):
        _core._fft(a, a, (1, 1), False, 1)


def test_plan_cache(device):
    """Plans are kept, up to a limit, and forgotten; where NumPy transforms there are none."""
    gpuarray.fft.clear_plan_cache(device)
    before = gpuarray.fft.set_plan_cache_size(2, device)
    try:
        start = gpuarray.fft.plan_cache_info(device)
        for n in (8, 9, 10, 9):
            gpuarray.fft.fft(gpuarray.ones(n, device=device))
        after = gpuarray.fft.plan_cache_info(device)
        if str(device) == "cpu":
            assert after == {"plans": 0, "limit": 0, "hits": 0, "misses": 0}
            return
        assert (after["plans"], after["limit"]) == (2, 2)
        assert (after["hits"] - start["hits"], after["misses"] - start["misses"]) == (1, 3)
        assert gpuarray.memory_stats(device)["fft_plans"] == 2
        gpuarray.free_memory(device)
        assert gpuarray.memory_stats(device)["fft_plans"] == 0
    finally:
        gpuarray.fft.set_plan_cache_size(before, device)
    with pytest.raises(ValueError, match="size"):
        gpuarray.fft.set_plan_cache_size(-1, device)


def test_a_plan_serves_several_streams(device):
    a = gpuarray.array(signal((64, 128)), device=device)
    expected = np.fft.fft(gpuarray.asnumpy(a))
    results = []
    for _ in range(4):
        with gpuarray.cuda.Stream(device=device):
            results.append(gpuarray.fft.fft(a))
    for result in results:
        assert np.abs(gpuarray.asnumpy(result) - expected).max() < 1e-12


@pytest.mark.parametrize("length", [256, 1024, 2048, 4096])
@pytest.mark.parametrize("dtype", "FD")
def test_long_columns(device, length, dtype):
    """Axes that do not lie innermost, which have ways of their own on a GPU."""
    a = signal((length, 130), dtype)
    stack = signal((2, length, 65), dtype)
    for name in COMPLEX + REAL:
        x, y = (a.real, stack.real) if name in REAL else (a, stack)
        check_close(caller(name, axis=0), x.copy(), device=device, points=length)
        check_close(caller(name, axis=1, norm="ortho"), y.copy(), device=device, points=length)
    check_close(caller("fft", axis=-1), a.T.copy().T, device=device, points=130)
    check_close(caller("ifft", axis=1, norm="forward"), a.T, device=device, points=length)
    check_close(caller("fft", axis=0), a[:, 1:128:2], device=device, points=length)
    check_close(caller("fft", axis=0), a[::-1, 3:], device=device, points=length)


@pytest.mark.parametrize("name", PLANES)
@pytest.mark.parametrize("shape", [(256, 300), (2, 512, 130), (3, 256, 256)])
def test_large_planes(device, name, shape):
    for dtype in "FD":
        a = signal(shape, dtype)
        x = a.real.copy() if name.startswith("r") else a
        check_close(caller(name), x, device=device, points=math.prod(shape))
        check_close(
            caller(name, norm="ortho", axes=(-1, -2)), x, device=device, points=math.prod(shape)
        )

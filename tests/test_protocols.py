"""NumPy's functions and operators with device arrays, copies to the host, and what other libraries look for."""

import copy
import pickle

import numpy as np
import pytest
from oracle import check

import gpuarray

VECTOR = np.array([3.0, 1.0, 2.0])
MATRIX = np.arange(6.0).reshape(2, 3)


@pytest.fixture
def vector(device):
    return gpuarray.array(VECTOR, device=device)


@pytest.mark.parametrize("name", ["sin", "negative", "isfinite", "sqrt", "conj", "modf"])
def test_numpy_ufunc_stays_on_the_device(vector, device, name):
    result = getattr(np, name)(vector)
    first = result[0] if isinstance(result, tuple) else result
    assert isinstance(first, gpuarray.ndarray)
    assert str(first.device) == device


@pytest.mark.smoke
@pytest.mark.parametrize("symbol", ["+", "-", "*", "/", "//", "%", "**", "<", ">=", "==", "!="])
def test_numpy_array_on_the_left(device, symbol):
    def function(xp, a):
        return eval(f"left {symbol} a", {"left": np.array([1.0, 2.0, 3.0]), "a": a})

    result = check(function, VECTOR, device=device)
    assert isinstance(result, gpuarray.ndarray)


@pytest.mark.parametrize(
    "left", [np.float64(2), np.int8(2), np.float32(0.5), np.bool_(True), 2, 2.5, 1j, True]
)
def test_scalars_on_the_left(device, left):
    for array in (VECTOR, np.arange(3, dtype="i2"), VECTOR.astype("f4")):
        check(lambda xp, a: (left + a, left * a, left > a.real, a + left), array, device=device)


def test_numpy_array_in_place(device):
    target = np.ones(3)
    target += gpuarray.array(VECTOR, device=device)
    assert type(target) is np.ndarray
    assert target.tolist() == [4.0, 2.0, 3.0]


def test_out_is_a_numpy_array(vector):
    out = np.zeros(3)
    assert np.add(vector, 1, out=out) is out
    assert out.tolist() == [4.0, 2.0, 3.0]
    total = np.zeros(())
    assert np.sum(vector, out=total) is total
    assert total == 6


def test_numpys_assertions(vector):
    np.testing.assert_array_equal(vector, VECTOR)
    np.testing.assert_allclose(vector, VECTOR)
    with pytest.raises(AssertionError):
        np.testing.assert_array_equal(vector, VECTOR + 1)


def test_out_of_numpys_ufunc_is_ours(vector):
    result = gpuarray.zeros_like(vector)
    assert np.multiply(vector, 2, out=result) is result
    assert result.tolist() == [6.0, 2.0, 4.0]


UFUNC_METHODS = [
    lambda a: np.add.reduce(a),
    lambda a: np.maximum.accumulate(a),
    lambda a: np.add.outer(a, a),
    lambda a: np.add.reduceat(a, [0, 1]),
    lambda a: np.subtract.reduce(a),
]


@pytest.mark.parametrize("method", UFUNC_METHODS)
def test_numpy_ufunc_methods(device, method):
    check(lambda xp, a: method(a), VECTOR, device=device)


def test_numpy_ufunc_without_kernel(vector):
    doubled = np.frompyfunc(lambda x: 2 * x, 1, 1)(vector)
    assert doubled.tolist() == [6.0, 2.0, 4.0]


NUMPY_FUNCTIONS = [
    lambda a: np.concatenate([a, a]),
    lambda a: np.sum(a, axis=0),
    lambda a: np.mean(a),
    lambda a: np.stack([a, a]),
    lambda a: np.where(a > 1, a, 0),
    lambda a: np.zeros_like(a),
    lambda a: np.full_like(a, 7),
    lambda a: np.linalg.norm(a),
    lambda a: np.fft.fft(a),
    lambda a: np.median(a),
    lambda a: np.dot(a, a),
    lambda a: np.argmax(a),
    lambda a: np.shape(a),
    lambda a: np.clip(a, 1, 2),
    lambda a: np.asarray([1, 2], like=a),
]


@pytest.mark.parametrize("function", NUMPY_FUNCTIONS)
def test_numpy_functions(device, function):
    result = check(lambda xp, a: function(a), VECTOR, device=device, ulp=4)
    assert isinstance(result, (gpuarray.ndarray, tuple))


class Foreign:
    """An array of another library, which takes over what it takes part in."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return "foreign ufunc"

    def __array_function__(self, function, types, args, kwargs):
        return "foreign function"


def test_other_libraries_have_their_turn(vector):
    assert np.add(vector, Foreign()) == "foreign ufunc"
    assert np.concatenate([vector, Foreign()]) == "foreign function"


def test_asarray_on_the_host(vector, device):
    host = np.asarray(vector)
    assert type(host) is np.ndarray
    assert host.tolist() == VECTOR.tolist()
    assert np.asarray(vector, dtype="f4").dtype == np.float32
    if device != "cpu":
        assert not host.flags.writeable
    writable = np.array(vector)
    writable[0] = 9
    assert vector[0] == 3
    assert gpuarray.asnumpy(vector).flags.writeable


def test_host_copy_shares_memory_on_the_cpu():
    a = gpuarray.zeros(3, device="cpu")
    np.asarray(a)[1] = 5
    assert a.tolist() == [0.0, 5.0, 0.0]


def test_lists_of_scalars(device):
    def function(xp, a):
        return xp.array([a.max(), a.min(), 7.0]), np.array([float(a[0]), 1.0])

    check(function, VECTOR, device=device)


def test_copies_keep_dtype_order_and_device(device):
    a = gpuarray.asfortranarray(gpuarray.array(MATRIX, dtype="f4", device=device))
    for twin in (copy.copy(a), copy.deepcopy(a), pickle.loads(pickle.dumps(a))):
        assert twin.dtype == a.dtype
        assert twin.flags.f_contiguous and not twin.flags.c_contiguous
        assert str(twin.device) == device
        assert gpuarray.array_equal(twin, a)
        twin[0, 0] = 99
    assert a[0, 0] == 0


def test_pickle_of_ufuncs_and_wrappers():
    for each in (gpuarray.sin, gpuarray.median, gpuarray.linspace):
        assert pickle.loads(pickle.dumps(each)) is each


@pytest.mark.smoke
def test_scalars_pass_for_numbers(device):
    a = gpuarray.array([1, 5, 2], device=device)
    assert [10, 20, 30][a.argmax()] == 20
    assert list(range(gpuarray.arange(4, device=device).max())) == [0, 1, 2]
    assert {gpuarray.arange(3, device=device).sum(): 1}[3] == 1
    assert round(gpuarray.array([1.25, 2.5], device=device).sum(), 1) == 3.8
    assert f"{a.sum():d}" == "8"
    assert a.max() in [5]
    assert "ab" * a[0] == "ab"


def member(name):
    def call(xp, a):
        x = getattr(a[0], name)
        return x(a.item(0).hex()) if name == "fromhex" else x() if callable(x) else x

    return call


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "f4", "f8", "D"])
def test_members_that_only_scalars_have(device, dtype):
    names = (
        "as_integer_ratio",
        "bit_count",
        "denominator",
        "fromhex",
        "hex",
        "is_integer",
        "numerator",
    )
    for name in names:
        check(member(name), np.array([2.5, 1]).astype(dtype), device=device)
        assert not hasattr(gpuarray.ones((), dtype, device=device), name)
    check(lambda xp, a: a[0].byteswap(), np.array([1, 2], dtype), device=device)


def test_scalars_are_copies(device):
    a = gpuarray.arange(3, device=device)
    x = a[0]
    a[0] = 9
    assert int(x) == 0
    total = gpuarray.arange(3, device=device).sum()
    kept = total
    total += 1
    assert (int(kept), int(total)) == (3, 4)
    with pytest.raises(TypeError):
        hash(gpuarray.array(3, device=device))


def test_views_by_one_index_are_writable(device):
    a = gpuarray.arange(3, device=device)
    v = a[0, ...]
    v[...] = 9
    assert a[0] == 9
    m = gpuarray.eye(3, device=device)
    m[m[:, 0].argmax()][:] = 5
    assert m[0, 0] == 5


def test_array_namespace(vector):
    assert vector.__array_namespace__() is gpuarray
    assert vector.__array_namespace__(api_version="2023.12") is gpuarray
    with pytest.raises(ValueError, match="api_version"):
        vector.__array_namespace__(api_version="1999.12")


def test_plot_accepts_arrays(vector):
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    figure, axes = plt.subplots()
    (line,) = axes.plot(vector)
    assert list(line.get_ydata()) == VECTOR.tolist()
    plt.close(figure)


def test_default_device_is_settable(device):
    with gpuarray.Device(device):
        assert str(gpuarray.ones(1).device) == device
    assert gpuarray.cuda.device_count() == len(gpuarray.devices()) - 1


def test_moving_between_devices(vector, device):
    there = vector.to_device("cpu")
    assert str(there.device) == "cpu"
    assert str(there.to_device(device).device) == device
    with pytest.raises(ValueError, match="teapot"):
        vector.to_device("teapot")


def test_reason_for_no_cuda():
    assert (gpuarray.cuda.reason() is None) == gpuarray.cuda.is_available()


@pytest.mark.parametrize("make", [lambda a: a, lambda a: a.T, lambda a: a[:, ::2], lambda a: a[:0]])
def test_pickle_out_of_band(device, make):
    a = make(gpuarray.arange(12.0).reshape(3, 4))
    buffers = []
    data = pickle.dumps(a, protocol=5, buffer_callback=buffers.append)
    back = pickle.loads(data, buffers=buffers)
    assert (back.dtype, back.shape, str(back.device)) == (a.dtype, a.shape, device)
    assert gpuarray.array_equal(back, a) and back.flags.f_contiguous == a.flags.f_contiguous
    if device == "cpu" and buffers and a.size:
        assert gpuarray.shares_memory(back, a)


def test_pickle_of_scalars_and_read_only_buffers(device):
    total = pickle.loads(pickle.dumps(gpuarray.arange(4).sum(), protocol=5))
    assert hash(total) == 6
    data = pickle.dumps(gpuarray.arange(4), protocol=5)
    back = pickle.loads(data)
    back[0] = 9
    assert pickle.loads(data).tolist() == [0, 1, 2, 3]


def test_buffers_keep_strides_and_read_only():
    a = gpuarray.arange(24, dtype="i4", device="cpu").reshape(4, 6)
    view = memoryview(a[::-1, ::2])
    assert view.strides == (-24, 8) and view.tolist() == a[::-1, ::2].tolist()
    frozen = gpuarray.broadcast_to(a[0], (2, 6))
    assert memoryview(frozen).readonly and memoryview(frozen).strides == (0, 4)


def test_no_buffer_on_a_gpu(device):
    if device == "cpu":
        pytest.skip("the CPU device has buffers")
    with pytest.raises(BufferError, match="get"):
        memoryview(gpuarray.zeros(2))

"""Exchange with PyTorch, CuPy, JAX and Numba on a GPU: both ways, one address, in stream order.

Order is tested with work that takes long enough to be overtaken: a fill that follows many large products.
"""

import importlib
import os
import time

import numpy as np
import pytest

import gpuarray

if not gpuarray.cuda.is_available():
    pytest.skip("needs a GPU", allow_module_level=True)

os.environ.setdefault(
    "XLA_PYTHON_CLIENT_PREALLOCATE", "false"
)  # JAX takes most of the card otherwise

SIZE = 1 << 22
DTYPES = ["b1", "i1", "u1", "i2", "i4", "i8", "f2", "f4", "f8", "c8", "c16"]


@pytest.fixture(autouse=True)
def on_the_card():
    before = gpuarray.default_device()
    gpuarray.set_default_device("cuda:0")
    yield
    gpuarray.set_default_device(before)


def library(name):
    """A module, or a skipped test: some versions of these cannot be imported beside some versions of NumPy."""
    try:
        return importlib.import_module(name)
    except Exception as error:
        pytest.skip(f"{name} cannot be imported: {error!r}")


@pytest.fixture
def cupy():
    return library("cupy")


@pytest.fixture
def torch():
    torch = library("torch")
    if not torch.cuda.is_available():
        pytest.skip("PyTorch without CUDA")
    return torch


@pytest.fixture
def jax():
    jax = library("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX without CUDA")
    return jax


@pytest.fixture
def numba_cuda():
    cuda = library("numba.cuda")
    if not cuda.is_available():
        pytest.skip("Numba without CUDA")
    return cuda


def address(x):
    return x.__cuda_array_interface__["data"][0]


def slow_fill(value):
    """An array that is full of `value` once the GPU has done some milliseconds of other work."""
    square = gpuarray.full((2048, 2048), 1e-4, "f4")
    for _ in range(20):
        square = square @ square
    result = gpuarray.full(SIZE, value, "f4")
    result += 0 * square[0, 0]
    return result


# ---- Without a copy ----


@pytest.mark.parametrize("dtype", DTYPES)
def test_cupy(cupy, dtype):
    ours = gpuarray.ones((4, 6), dtype).T[::-1, ::2]
    for theirs in (cupy.from_dlpack(ours), cupy.asarray(ours)):
        assert theirs.data.ptr == address(ours) and theirs.strides == ours.strides
        assert theirs.dtype == ours.dtype
        for back in (gpuarray.from_dlpack(theirs), gpuarray.asarray(theirs)):
            assert address(back) == address(ours) and back.strides == ours.strides
            assert back.dtype == ours.dtype and str(back.device) == "cuda:0"


@pytest.mark.parametrize("dtype", DTYPES)
def test_torch(torch, dtype):
    ours = gpuarray.ones((4, 6), dtype).T
    theirs = torch.from_dlpack(ours)
    assert theirs.data_ptr() == address(ours) and theirs.is_cuda
    assert tuple(theirs.stride()) == (1, 6)
    assert torch.as_tensor(ours, device="cuda").data_ptr() == address(ours)
    for back in (gpuarray.from_dlpack(theirs), gpuarray.asarray(theirs)):
        assert address(back) == address(ours) and back.dtype == ours.dtype
        assert back.strides == ours.strides


def test_jax(jax):
    ours = gpuarray.arange(12, dtype="f4").reshape(3, 4)
    theirs = jax.numpy.from_dlpack(ours)
    assert theirs.unsafe_buffer_pointer() == address(ours)
    made = jax.numpy.arange(6.0, dtype="float32")
    back = gpuarray.from_dlpack(made)
    assert address(back) == made.unsafe_buffer_pointer()
    assert back.tolist() == list(range(6)) and not back.flags.writeable


def test_numba(numba_cuda):
    ours = gpuarray.arange(12.0).reshape(3, 4)
    theirs = numba_cuda.as_cuda_array(ours)
    assert theirs.device_ctypes_pointer.value == address(ours)
    made = numba_cuda.to_device(np.arange(6.0))
    back = gpuarray.asarray(made)
    assert address(back) == made.device_ctypes_pointer.value
    assert back.tolist() == list(range(6))


def test_numba_kernel(numba_cuda):
    @numba_cuda.jit
    def double(x):
        i = numba_cuda.grid(1)
        if i < x.size:
            x[i] *= 2

    try:
        double[1, 1](numba_cuda.to_device(np.ones(1)))
    except AttributeError as error:
        pytest.skip(f"this Numba compiles nothing beside this NumPy: {error}")
    ours = slow_fill(3)
    double[(SIZE + 255) // 256, 256](ours)
    assert float(ours.min()) == float(ours.max()) == 6


def test_zero_size_and_0d(cupy):
    for shape in ((), (0,), (2, 0, 3)):
        ours = gpuarray.zeros(shape)
        assert cupy.from_dlpack(ours).shape == cupy.asarray(ours).shape == shape
        assert gpuarray.from_dlpack(cupy.zeros(shape)).shape == shape
        assert gpuarray.asarray(cupy.zeros(shape)).shape == shape


def test_writes_are_seen(cupy, torch):
    ours = gpuarray.zeros(4)
    cupy.asarray(ours)[1] = 5
    torch.from_dlpack(ours)[2] = 7
    ours[3] = 9
    assert ours.tolist() == [0, 5, 7, 9]


def test_read_only(cupy):
    ours = gpuarray.broadcast_to(gpuarray.ones(3), (2, 3))
    assert ours.__cuda_array_interface__["data"][1] is True
    assert cupy.asarray(ours).strides == (0, 8)


# ---- Memory ----


def test_memory_lives_as_long_as_needed(cupy, torch):
    theirs = [take(gpuarray.full(SIZE, 7, "f4")) for take in (cupy.from_dlpack, torch.from_dlpack)]
    gpuarray.zeros(SIZE, "f4")
    assert [float(x.sum()) for x in theirs] == [7.0 * SIZE] * 2
    ours = [
        gpuarray.from_dlpack(cupy.full(SIZE, 7, "f4")),
        gpuarray.asarray(cupy.full(SIZE, 7, "f4")),
    ]
    cupy.get_default_memory_pool().free_all_blocks()
    cupy.zeros(SIZE, "f4")
    assert [float(x.sum()) for x in ours] == [7.0 * SIZE] * 2


def test_memory_is_given_back(torch):
    before = gpuarray.cuda.memory_stats("cuda:0")["live_bytes"]
    for _ in range(5):
        tensor = torch.from_dlpack(gpuarray.ones(SIZE))
        del tensor
    assert gpuarray.cuda.memory_stats("cuda:0")["live_bytes"] == before
    held = torch.cuda.memory_allocated()
    for _ in range(5):
        ours = gpuarray.from_dlpack(torch.ones(SIZE, device="cuda"))
        del ours
    gpuarray.synchronize()
    assert torch.cuda.memory_allocated() == held


def test_nobody_waits_for_imported_memory(torch):
    tensor = torch.ones(SIZE, device="cuda")
    torch.cuda.synchronize()
    torch.cuda._sleep(2_000_000_000)
    began = time.perf_counter()
    total = gpuarray.from_dlpack(tensor).sum()
    del tensor
    assert time.perf_counter() - began < 0.5
    torch.full((SIZE,), 3.0, device="cuda")
    assert float(total) == SIZE


# ---- To the host ----


def test_dlpack_to_the_host():
    ours = gpuarray.arange(6.0).reshape(2, 3).T
    host = np.from_dlpack(ours, device="cpu")
    assert host.tolist() == ours.tolist()
    host[0, 0] = 9
    assert float(ours[0, 0]) == 0
    with pytest.raises((ValueError, BufferError)):
        np.from_dlpack(ours, device="cpu", copy=False)


def test_from_a_card_to_the_cpu_device(cupy):
    ours = gpuarray.from_dlpack(cupy.arange(6.0), device="cpu")
    assert str(ours.device) == "cpu" and ours.tolist() == list(range(6))


# ---- In stream order ----


def test_default_streams(cupy, torch):
    assert float(cupy.from_dlpack(slow_fill(1)).sum()) == SIZE
    assert float(cupy.asarray(slow_fill(2)).sum()) == 2 * SIZE
    assert float(torch.from_dlpack(slow_fill(3)).sum()) == 3 * SIZE
    assert float(torch.as_tensor(slow_fill(4), device="cuda").sum()) == 4 * SIZE


def test_our_side_stream(cupy, torch):
    with gpuarray.cuda.Stream():
        assert float(cupy.from_dlpack(slow_fill(1)).sum()) == SIZE
        assert float(cupy.asarray(slow_fill(2)).sum()) == 2 * SIZE
        assert float(torch.from_dlpack(slow_fill(3)).sum()) == 3 * SIZE


def test_streams_of_cupy(cupy):
    ours = slow_fill(1)
    with cupy.cuda.Stream(non_blocking=True):
        theirs = cupy.from_dlpack(ours)
        assert float(theirs.sum()) == SIZE
        work = cupy.ones((2048, 2048), "f4")
        for _ in range(20):
            work = work @ work * cupy.float32(0)
        made = cupy.full(SIZE, 5, "f4") + work[0, 0]
        total = gpuarray.from_dlpack(made).sum(), gpuarray.asarray(made).sum()
        assert [float(each) for each in total] == [5.0 * SIZE] * 2


def test_streams_of_torch(torch):
    ours = slow_fill(1)
    with torch.cuda.stream(torch.cuda.Stream()):
        assert float(torch.from_dlpack(ours).sum()) == SIZE
        work = torch.ones((2048, 2048), device="cuda")
        for _ in range(20):
            work = work @ work * 0
        made = torch.full((SIZE,), 5.0, device="cuda") + work[0, 0]
        assert float(gpuarray.from_dlpack(made).sum()) == 5 * SIZE


def test_imports_on_two_of_our_streams(cupy):
    made = cupy.full(SIZE, 5, "f4")
    with gpuarray.cuda.Stream():
        ours = gpuarray.from_dlpack(made)
        ours2 = ours + 1
    assert float((ours + ours2).sum()) == 11 * SIZE

"""Kernels of the user's own: RawKernel, RawModule, ElementwiseKernel, ReductionKernel."""

import io

import numpy as np
import pytest

import gpuarray

needs_gpu = pytest.mark.skipif(
    not gpuarray.cuda.is_available(), reason="needs a GPU: compiles for it"
)

SCALE = r"""
template <class T> __device__ T twice(T x) { return x + x; }
template <class T> __global__ void scale(const T *x, T *y, T factor, long long n)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = twice(x[i]) * factor;
}
extern "C" __global__ void reverse(int *x, bool negate)
{
    extern __shared__ int kept[];
    kept[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    int value = kept[blockDim.x - 1 - threadIdx.x];
    x[threadIdx.x] = negate ? -value : value;
}
"""


@pytest.fixture
def card():
    before = gpuarray.default_device()
    gpuarray.set_default_device("cuda:0")
    yield
    gpuarray.set_default_device(before)


@needs_gpu
@pytest.mark.parametrize("dtype, name", [("f4", "float"), ("f8", "double"), ("i8", "long long")])
def test_templates(card, dtype, name):
    module = gpuarray.RawModule(SCALE, options=("-std=c++17",), name_expressions=[f"scale<{name}>"])
    scale = module.get_function(f"scale<{name}>")
    x = gpuarray.arange(1000, dtype=dtype)
    y = gpuarray.zeros_like(x)
    scale((4,), (256,), (x, y, np.dtype(dtype).type(3), x.size))
    assert (y.get() == np.arange(1000) * 6).all()
    alone = gpuarray.RawKernel(SCALE, f"scale<{name}>")
    alone(4, 256, (x, y, np.dtype(dtype).type(1), 10))
    assert (y.get()[:10] == np.arange(10) * 2).all() and y[10].item() == 60


@needs_gpu
def test_shared_memory_and_streams(card):
    reverse = gpuarray.RawKernel(SCALE, "reverse")
    x = gpuarray.arange(64, dtype="i4")
    with gpuarray.cuda.Stream():
        reverse((1, 1, 1), (64,), (x, True), shared_mem=256)
    assert (x.get() == -np.arange(64)[::-1]).all()
    reverse((1,), (64,), (x[:64], False), shared_mem=60000)
    assert (x.get() == -np.arange(64)).all()


@needs_gpu
def test_refusals_on_the_card(card):
    with pytest.raises(gpuarray.CompileException, match="undefined|expected"):
        gpuarray.RawKernel('extern "C" __global__ void f() { oh no }', "f")((1,), (1,), ())
    with pytest.raises(ValueError, match="no kernel 'nothing'"):
        gpuarray.RawModule(SCALE).get_function("nothing")
    reverse = gpuarray.RawKernel(SCALE, "reverse")
    with pytest.raises(TypeError, match="arrays and numbers, not str"):
        reverse((1,), (1,), ("text",))
    with pytest.raises(ValueError, match="one to three"):
        reverse((1, 1, 1, 1), (1,), ())
    with pytest.raises(ValueError, match="cpu"):
        reverse((1,), (1,), (gpuarray.ones(1, "i4"), gpuarray.ones(1, device="cpu")))
    log = io.StringIO()
    gpuarray.RawModule(SCALE).compile(log_stream=log)
    assert (gpuarray.ones(3) + 1).tolist() == [2, 2, 2]  # the device is as it was


@needs_gpu
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4", "u1"])
def test_elements(card, dtype):
    squared = gpuarray.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared")
    a = np.arange(12).reshape(3, 4).astype(dtype)
    x = gpuarray.array(a)
    for other in (x[0], x[:, ::-1], x.T.copy().T, a[::-1]):
        host = other.get() if isinstance(other, gpuarray.ndarray) else other
        assert (squared(x, other).get() == (a - host) * (a - host)).all()
    assert (squared(x, 2).get() == (a - a.dtype.type(2)) ** 2).all()
    assert squared(x, 2).dtype == dtype
    out = gpuarray.zeros((4, 3), dtype).T
    assert squared(x, x[0], out) is out
    assert (out.get() == (a - a[0]) ** 2).all()


@needs_gpu
def test_elements_by_number(card):
    shift = gpuarray.ElementwiseKernel(
        "raw T x, int32 by", "T y", "y = x[(i + by) % x.size()] + n", no_return=False
    )
    x = gpuarray.arange(5.0)
    assert shift(x, 2, size=5).tolist() == [7, 8, 9, 5, 6]
    both = gpuarray.ElementwiseKernel("T x", "T s, T c", "s = sin(x); c = cos(x)")
    s, c = both(x)
    np.testing.assert_allclose(s.get() ** 2 + c.get() ** 2, 1)
    assert isinstance(
        gpuarray.ElementwiseKernel("T x", "T y", "y = x", return_tuple=True)(x), tuple
    )
    assert both(x[:0])[0].shape == (0,)


@needs_gpu
@pytest.mark.parametrize(
    "shape", [(7,), (3, 4, 5), (300000,), (2, 200000), (5000, 3), (0,), (4, 0)]
)
def test_reductions(card, shape):
    norm = gpuarray.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
    most = gpuarray.ReductionKernel("T x, T w", "int64 y", "x * w", "max(a, b)", "y = a", "-1000")
    a = np.random.default_rng(3).integers(-9, 9, shape)
    x = gpuarray.array(a.astype(float))
    for axis in (None, *range(len(shape)), (0, len(shape) - 1) if len(shape) > 1 else 0):
        for keepdims in (False, True):
            expected = np.sqrt((a**2).sum(axis=axis, keepdims=keepdims))
            given = norm(x, axis=axis, keepdims=keepdims)
            assert given.shape == expected.shape
            np.testing.assert_allclose(given.get(), expected)
        expected = (a * 2).max(axis=axis, initial=-1000)
        assert (most(gpuarray.array(a), 2, axis=axis).get() == expected).all()


def test_declarations():
    for wrong in ("float32", "raw", "float32 i", "T _x", "cooked T x"):
        with pytest.raises(ValueError):
            gpuarray.ElementwiseKernel(wrong, "T y", "y = 1")
    with pytest.raises(ValueError, match="one output"):
        gpuarray.ReductionKernel("T x", "T y, T z", "x", "a + b", "y = a", "0")
    with pytest.raises(TypeError):
        gpuarray.ElementwiseKernel("text x", "T y", "y = 1")


def test_types_of_arguments():
    add = gpuarray.ElementwiseKernel("T x, T y, float32 f", "U z", "z = x + y")
    with pytest.raises(TypeError, match="U"):
        add(gpuarray.ones(3), gpuarray.ones(3), 1.0)
    add = gpuarray.ElementwiseKernel("T x, float32 f", "T z", "z = x + f")
    with pytest.raises(TypeError, match="f must be float32"):
        add(gpuarray.ones(3), gpuarray.ones(3))
    with pytest.raises(TypeError, match="takes 2 or 3 arguments"):
        add(1)
    with pytest.raises(TypeError, match="complex128"):
        add(gpuarray.ones(3, "D"), 1)


def test_the_cpu_device_says_that_it_has_none():
    gpuarray.set_default_device("cpu")
    x = gpuarray.ones(3, device="cpu")
    for call in (
        lambda: gpuarray.RawKernel(SCALE, "reverse")((1,), (1,), (x,)),
        lambda: gpuarray.ElementwiseKernel("T x", "T y", "y = x")(x),
        lambda: gpuarray.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0")(x),
    ):
        with pytest.raises(NotImplementedError, match="CUDA device"):
            call()

"""fuse: on a GPU one kernel that gives what the operations give one by one; on the CPU device the function as it is.

What needs no GPU is tested everywhere: what a trace finds out, and that NVRTC, where it is there, takes the kernels.
"""

import copy
import ctypes
import pickle
import warnings

import numpy as np
import pytest
from oracle import check

import gpuarray
from gpuarray import _core, _fused_kernel, _fused_source, _fusion, _symbols, _tracing, special

DTYPES = "?bBhHiIlLefdFD"
UFUNCS = list(
    dict.fromkeys(
        each
        for module in (gpuarray, special)
        for each in vars(module).values()
        if isinstance(each, _core.ufunc)
    )
)


def fuse_for(xp, function):
    """The function as `xp` has it: NumPy's operations are not fused."""
    return gpuarray.fuse(function) if xp is gpuarray else function


def is_fused(function, device, *args):
    """Whether all calls so far ran kernels of the function's own; on the CPU, whether it can be traced."""
    if device == "cpu":
        trace(function._function, *args)
        return True
    kernels = list(function._kernels.values())
    return bool(kernels) and all(each.function or each.kernels for each in kernels)


def samples(dtype, shape, seed=0):
    """Numbers of all sizes and signs, with zeros, infinities and NaN."""
    random = np.random.default_rng(seed)
    values = np.asarray(random.standard_normal(shape) * random.choice([1, 30], shape))
    if np.dtype(dtype).kind == "c":
        values = np.asarray(values + 1j * random.standard_normal(shape))
    if np.dtype(dtype).kind in "fc":
        values[random.random(shape) < 0.1] = np.inf
        values[random.random(shape) < 0.1] = np.nan
    values[random.random(shape) < 0.1] = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return values.astype(dtype)


def compare_bits(fused, function, *args):
    """The fused function's results are those of the plain one, in everything that shows."""
    got, expected = fused(*args), function(*args)
    pairs = zip(got, expected, strict=True) if isinstance(expected, tuple) else [(got, expected)]
    for ours, theirs in pairs:
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        assert ours.flags.c_contiguous == theirs.flags.c_contiguous
        assert ours.flags.f_contiguous == theirs.flags.f_contiguous
        ours, theirs = ours.get(), theirs.get()
        if ours.dtype.kind in "fc":  # the sign of NaN is not specified
            parts = [
                x.view(x.real.dtype) if x.dtype.kind == "c" else x
                for x in map(np.ascontiguousarray, (ours, theirs))
            ]
            ours, theirs = (np.where(np.isnan(x), x.dtype.type(np.nan), x) for x in parts)
        assert ours.tobytes() == theirs.tobytes()


# ---- on every device ----


@gpuarray.fuse
def plus_one(x):
    return x + 1


def distance(xp, x, y):
    return xp.sqrt(x * x + y * y) * 0.5


@pytest.mark.smoke
def test_against_numpy(device):
    a, b = samples("f4", 1003), samples("f4", 1003, 1)
    check(lambda xp, a, b: fuse_for(xp, lambda x, y: distance(xp, x, y))(a, b), a, b, device=device)
    check(
        lambda xp, a, b: fuse_for(xp, lambda x, y: xp.where(x > y, x, y))(a, b),
        *(samples("d", (7, 9), seed) for seed in (0, 1)),
        device=device,
    )


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: gpuarray.where(x > y, x, y),
        lambda x, y: gpuarray.where(x > 0, 1, y),
        lambda x, y: gpuarray.clip(x, -0.5, 0.5) + y,
        lambda x, y: gpuarray.clip(x, y, None),
        lambda x, y: x.clip(max=0.25) * y.clip(0),
        lambda x, y: np.clip(x, -1.0, 1.0) - np.minimum(y, 2),
        lambda x, y: gpuarray.round(x, 2) + y.round(-1),
        lambda x, y: gpuarray.isclose(x, y, equal_nan=True),
        lambda x, y: gpuarray.sinc(x) / y,
        lambda x, y: gpuarray.special.expit(x) + gpuarray.special.erf(y),
        lambda x, y: gpuarray.fix(x) + gpuarray.square(y),
        lambda x, y: abs(-x) ** 2 + y**0.5,
        lambda x, y: (x > y) & (x < 2) | ~gpuarray.isnan(y),
        lambda x, y: x // y + x % y,
        lambda x, y: gpuarray.ldexp(gpuarray.frexp(x)[0], 3) * y.conj(),
    ],
)
@pytest.mark.parametrize("dtype", "efd")
def test_functions(device, function, dtype):
    fused = gpuarray.fuse(function)
    x, y = (gpuarray.array(samples(dtype, 500, seed)) for seed in (0, 1))
    compare_bits(fused, function, x, y)
    assert is_fused(fused, device, x, y)


def test_decorators(device):
    @gpuarray.fuse
    def first(x):
        "Its text."
        return x * 2 + 1

    @gpuarray.fuse()
    def second(x, y=3):
        return x - y

    @gpuarray.fuse(kernel_name="third")
    def third(x, y=3):
        return x * y

    x = gpuarray.arange(3)
    assert first(x).tolist() == [1, 3, 5]
    assert second(x).tolist() == [-3, -2, -1] and second(x, y=1).tolist() == [-1, 0, 1]
    assert third(x=x).tolist() == [0, 3, 6] and third(y=x, x=2).tolist() == [0, 2, 4]
    assert gpuarray.fuse(lambda x: -x)(x).tolist() == [0, -1, -2]
    assert first.__name__ == "first" and first.__doc__ == "Its text."
    assert all(is_fused(each, device, x) for each in (first, second, third))
    with pytest.raises(TypeError):
        first(x, x)
    with pytest.raises(TypeError):
        second(x, z=1)


def test_pickle(device):
    assert pickle.loads(pickle.dumps(plus_one)) is plus_one
    assert copy.copy(plus_one) is plus_one


def test_method(device):
    class Scaled:
        factor = 3

        @gpuarray.fuse
        def scale(x, y):
            return x * y

        @gpuarray.fuse
        def own(self, x):
            return x * self.factor

    assert Scaled.scale(gpuarray.arange(3), 2).tolist() == [0, 2, 4]
    assert Scaled().own(gpuarray.arange(3)).tolist() == [0, 3, 6]


@pytest.mark.parametrize("other", "?lefD")
@pytest.mark.parametrize("dtype", "?bHilefdD")
def test_dtypes(device, dtype, other):
    def function(x, y):
        total = x + y
        scaled = total * 2 + x.astype("F")
        return total, scaled, gpuarray.where(x, y, total), x == y, abs(scaled)

    fused = gpuarray.fuse(function)
    x, y = (gpuarray.array(samples(each, 333, seed)) for seed, each in enumerate((dtype, other)))
    compare_bits(fused, function, x, y)
    assert is_fused(fused, device, x, y)


SHAPES = [
    ((7, 5), (7, 5)),
    ((7, 5), (5,)),
    ((7, 5), (7, 1)),
    ((1, 5), (7, 1)),
    ((3, 1, 40), (4, 1)),
    ((2, 3, 4, 5, 6), (4, 1, 6)),
    ((33, 65), (33, 65)),
    ((0, 4), (4,)),
    ((5,), ()),
    ((), ()),
]


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["B", "f", "D"])
def test_broadcasting(device, shapes, dtype):
    def function(x, y):
        return (x + y) * x - y, x + y

    fused = gpuarray.fuse(function)
    x, y = (gpuarray.array(samples(dtype, each, seed)) for seed, each in enumerate(shapes))
    for one, two in ((x, y), (y, x), (x[::-1] if x.ndim else x, y)):
        compare_bits(fused, function, one, two)
    wide = gpuarray.array(samples(dtype, (*shapes[0], 3)))
    compare_bits(fused, function, wide[..., 1], x)
    compare_bits(fused, function, x.copy("F"), x)
    if x.ndim == 2:
        compare_bits(fused, function, x.T, gpuarray.array(samples(dtype, shapes[0][::-1])))


def test_misaligned(device):
    raw = gpuarray.arange(401, dtype="B")
    x = raw[1:].view("f4")
    function = lambda x, y: x * 2 + y  # noqa: E731
    compare_bits(gpuarray.fuse(function), function, x, gpuarray.ones(100, "f4"))
    compare_bits(
        gpuarray.fuse(function), function, gpuarray.ones(101, "f4")[1:], gpuarray.ones(100, "f4")
    )


@pytest.mark.parametrize(
    "number", [2, -3, 0.25, True, 1.5 + 2j, np.float32(0.1), np.int8(-3), np.bool(True)], ids=repr
)
@pytest.mark.parametrize("dtype", "?Bilefd")
def test_numbers(device, number, dtype):
    def function(x, n):
        return n * x + 1, x < n if isinstance(n, (int, float)) else x == n, gpuarray.where(x, n, x)

    x = gpuarray.array(samples(dtype, 100))
    for given in (number, number):
        try:
            expected = function(x, given)
        except Exception as error:
            with pytest.raises(type(error)):
                gpuarray.fuse(function)(x, given)
        else:
            assert expected
            compare_bits(gpuarray.fuse(function), function, x, given)


def test_numbers_out_of_range(device):
    fused = gpuarray.fuse(lambda x, n: x + n)
    x = gpuarray.arange(3, dtype="u1")
    assert fused(x, 250).tolist() == [250, 251, 252]
    with pytest.raises(OverflowError):
        fused(x, 300)
    with pytest.raises(OverflowError):
        gpuarray.fuse(lambda x: x + 300)(x)
    assert gpuarray.fuse(lambda x, n: x < n)(x, 300).tolist() == [True] * 3


def test_values_that_are_looked_at(device):
    def function(x, n, flag=False):
        scale = n / 2 if n > 1 else -n
        return x**n * scale + (1 if flag else 0)

    fused = gpuarray.fuse(function)
    x = gpuarray.linspace(1, 2, 5)
    for n in (0.5, 1.0, 2, 3, -1.0, 7.5, 0.0, -0.0):
        compare_bits(fused, function, x, n)
        compare_bits(fused, function, x, n, True)
    for n in range(300):
        compare_bits(fused, function, x, float(n))
    assert len(fused._programs) < 9


def test_in_place(device):
    def function(x, y):
        total = x + 1
        alias = total
        total += y
        total *= 2
        return alias, total

    x = gpuarray.arange(4.0)
    fused = gpuarray.fuse(function)
    one, two = fused(x, x)
    assert one.tolist() == two.tolist() == [2, 6, 10, 14]
    fused(gpuarray.arange(4, dtype="f4"), gpuarray.arange(4.0))
    with pytest.raises(ValueError, match="non-broadcastable"):
        fused(x, gpuarray.ones((2, 4)))
    with pytest.raises(TypeError):
        fused(gpuarray.arange(4), x)


def test_arguments_changed_in_place(device):
    def function(x, y):
        before = x * 1
        x += y
        y *= 2
        return x * 2, before, x

    def changed(fuse, x, y):
        given = x, y
        doubled, before, same = fuse(function)(x, y)
        assert same is x
        return doubled, before, *given

    x, y = gpuarray.arange(12.0).reshape(3, 4), gpuarray.ones((3, 4), "f4")
    results = [changed(fuse, x.copy(), y.copy()) for fuse in (gpuarray.fuse, lambda f: f)]
    for ours, theirs in zip(*results, strict=True):
        assert ours.dtype == theirs.dtype and ours.tolist() == theirs.tolist()
    turned = x.copy()
    assert changed(gpuarray.fuse, turned.T, y.T)[2] is not None
    assert turned.tolist() == (x + 1).tolist()


def test_in_place_on_shared_memory(device):
    def function(x, y):
        x += 1
        return x + y

    fused = gpuarray.fuse(function)
    x = gpuarray.arange(5.0)
    assert fused(x, x).tolist() == [2, 4, 6, 8, 10] and x.tolist() == [1, 2, 3, 4, 5]
    assert fused(x[1:], x[:-1]).tolist() == [4, 7, 9, 11] and x.tolist() == [1, 3, 4, 5, 6]
    with pytest.raises(ValueError, match="read-only"):
        fused(gpuarray.broadcast_to(x, (2, 5)), x)
    with pytest.raises(ValueError, match="non-broadcastable"):
        gpuarray.fuse(lambda x, y: x.__iadd__(y))(x, gpuarray.ones((2, 5)))
    with pytest.raises(TypeError):
        gpuarray.fuse(lambda x: x.__itruediv__(2))(gpuarray.arange(3))

    def fill(x, y):
        x[...] = y * 2

    given = gpuarray.zeros((2, 3), "i4")
    assert gpuarray.fuse(fill)(given, gpuarray.arange(3.5, 6)) is None
    assert given.tolist() == [[7, 9, 11]] * 2


def test_forms_of_results(device):
    x = gpuarray.arange(3.0)
    assert gpuarray.fuse(lambda x: None)(x) is None
    assert gpuarray.fuse(lambda x: x)(x) is x
    same, changed, number, one, given = gpuarray.fuse(lambda x, n: (x, -x, None, [1, x + n], n))(
        x, 5
    )
    assert same is x and changed.tolist() == [0, -1, -2] and number is None
    assert one[0] == 1 and one[1].tolist() == [5, 6, 7] and given == 5
    whole, fraction = gpuarray.fuse(lambda x: divmod(x, 2))(x)
    assert (whole.tolist(), fraction.tolist()) == ([0, 0, 1], [0, 1, 0])
    first, second = gpuarray.fuse(lambda x: (x + 1, x + 1))(x)
    assert not gpuarray.shares_memory(first, second)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x - x.mean(),
        lambda x: x[1:] * 2,
        lambda x: x * x.size,
        lambda x: x * x.shape[0],
        lambda x: (x if x.sum() > 0 else -x) + 1,
        lambda x: x + gpuarray.arange(4.0),
        lambda x: gpuarray.sum(x * 2),
        lambda x: gpuarray.concatenate([x, x]) + 1,
        lambda x: gpuarray.add.reduce(x) + x,
        lambda x: gpuarray.add(x, 1, where=x > 1, out=gpuarray.zeros(4)),
        lambda x: float((x * 2).sum()),
        lambda x: str(x + 1),
        lambda x: np.array(x.tolist()) * 2,
        lambda x: [each * 2 for each in x],
        lambda x: x @ x,
        lambda x: x.astype("M8[s]"),
        lambda x: gpuarray.zeros(4),
        lambda x: x * np.arange(4),
    ],
)
def test_functions_that_run_as_they_are(device, function):
    x = gpuarray.arange(4.0)
    got, expected = gpuarray.fuse(function)(x), function(x)
    if isinstance(expected, list):
        assert [each.tolist() for each in got] == [each.tolist() for each in expected]
    elif hasattr(expected, "tolist"):
        assert got.tolist() == expected.tolist() and type(got) is type(expected)
    else:
        assert got == expected


def test_an_exception_that_the_function_catches(device):
    def function(x):
        try:
            return x[0] + x
        except BaseException:
            return x

    assert gpuarray.fuse(function)(gpuarray.arange(1.0, 3.0)).tolist() == [2, 3]


def test_other_arguments(device):
    fused = gpuarray.fuse(lambda x, y: x if y is None else x + 1)
    x = gpuarray.arange(2)
    assert fused(x, None) is x and fused(x, "text").tolist() == [1, 2]
    assert gpuarray.fuse(lambda x, y: x + y)(x, np.arange(2)).tolist() == [0, 2]
    assert gpuarray.fuse(lambda x, y: x + y)(2, 3) == 5
    times = gpuarray.array(["2020-01-01"], dtype="M8[D]")
    assert gpuarray.fuse(lambda x: x + 1)(times).tolist()[0].day == 2


def test_through_numpy(device):
    x = gpuarray.linspace(0, 1, 9)
    function = lambda x: np.where(np.sin(x) > 0.5, np.add(x, 1), np.sqrt(x))  # noqa: E731
    fused = gpuarray.fuse(function)
    compare_bits(fused, function, x)
    assert is_fused(fused, device, x)


def test_streams(device):
    fused = gpuarray.fuse(lambda x, y: x * 2 + y)
    x = gpuarray.ones(1 << 20)
    if device == "cpu":
        assert fused(x, x).sum() == 3 << 20
        return
    for _ in range(4):
        with gpuarray.cuda.Stream():
            x = fused(x, x)
    assert x.sum() == 81 << 20


def test_many_arrays(device):
    arrays = [gpuarray.full(10, number) for number in range(14)]
    assert gpuarray.fuse(lambda *xs: sum(xs) + 0)(*arrays).tolist() == [91] * 10
    assert gpuarray.fuse(lambda *xs: sum(xs) + 0)(*arrays[:11]).tolist() == [55] * 10


def test_long_functions(device):
    def function(x):
        y = x
        for number in range(200):
            y = y * 0.5 + number % 7
        return y

    fused, x = gpuarray.fuse(function), gpuarray.linspace(-1, 1, 50)
    compare_bits(fused, function, x)
    assert is_fused(fused, device, x)


# ---- without a GPU ----


def trace(function, *args, looks=()):
    """The trace of a function and the nodes of its results."""
    made = _tracing.Trace()
    results = _fused_kernel.Results(made, function(*made.symbols(args, looks)))
    return made, results.nodes


@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda ufunc: ufunc.__name__)
def test_traced_dtypes(ufunc):
    """What a trace says of a ufunc's results is what the ufunc gives."""
    for dtypes in [(one, two) for one in DTYPES for two in DTYPES][:: 5 if ufunc.nin == 2 else 14]:
        args = [gpuarray.ones(2, each, device="cpu") for each in dtypes[: ufunc.nin]]
        try:
            _, nodes = trace(ufunc, *args)
        except (_symbols.Untraceable, TypeError):
            continue
        results = ufunc(*args)
        expected = results if isinstance(results, tuple) else (results,)
        assert [each.dtype for each in nodes] == [each.dtype for each in expected]


def test_common_subexpressions():
    x = gpuarray.ones(3, device="cpu")
    made, (one, two) = trace(lambda x: (x * x + 1, x * x + 1), x)
    assert one is two and len(made.steps) == 2
    _, (zero, negative) = trace(lambda x: (x + 0.0, x + -0.0), x)
    assert zero is not negative


def find_nvrtc():
    for name in ("libnvrtc.so.13", "libnvrtc.so.12"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


NVRTC = find_nvrtc()
needs_nvrtc = pytest.mark.skipif(NVRTC is None, reason="needs NVRTC in the loader's reach")


def compile_source(source):
    """The compiler's words, empty where it has none."""
    options = [each.encode() for each in ("--gpu-architecture=sm_90", *_fused_kernel.OPTIONS)]
    program, length = ctypes.c_void_p(), ctypes.c_size_t()
    NVRTC.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"fused.cu", 0, None, None)
    array = (ctypes.c_char_p * len(options))(*options)
    result = NVRTC.nvrtcCompileProgram(program, len(options), array)
    NVRTC.nvrtcGetProgramLogSize(program, ctypes.byref(length))
    text = ctypes.create_string_buffer(length.value)
    NVRTC.nvrtcGetProgramLog(program, text)
    NVRTC.nvrtcDestroyProgram(ctypes.byref(program))
    return text.value.decode() if result else ""


@needs_nvrtc
@pytest.mark.parametrize("dtype", "lfF")
def test_nvrtc_takes_every_ufunc(dtype):
    x, nodes = gpuarray.ones(3, dtype, device="cpu"), []
    made = _tracing.Trace()
    symbols = made.symbols((x, x), ())
    for ufunc in UFUNCS:
        try:
            results = ufunc(*symbols[: ufunc.nin])
        except (_symbols.Untraceable, TypeError):
            continue
        nodes += [each.node for each in (results if isinstance(results, tuple) else (results,))]
    assert len(nodes) > 40
    source, _, _ = _fused_source.write_kernel("every", made.order(nodes), made.input_nodes, nodes)
    assert compile_source(source) == ""


@needs_nvrtc
@pytest.mark.parametrize("name", ["erf", "gammaln", "j0", "expit", "log_expit", "logit", "i0"])
def test_nvrtc_takes_what_headers_are_left(name):
    made, nodes = trace(getattr(special, name), gpuarray.ones(3, "f8", device="cpu"))
    source, _, _ = _fused_source.write_kernel(
        "fused_" + name, made.order(nodes), made.input_nodes, nodes
    )
    assert compile_source(source) == ""


def test_kernels_name():
    assert gpuarray.fuse(lambda x: x)._name == "fused_kernel"
    assert _fusion.Fused(distance, "no name")._name == "fused_kernel"
    assert gpuarray.fuse(distance)._name == "fused_distance"

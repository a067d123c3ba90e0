"""Random arrays of every dtype, shape and layout through views, operators and reductions, against NumPy."""

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from oracle import check

settings.register_profile(
    "gpuarray",
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("gpuarray")

DTYPES = "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16 M8[s] m8[ms]".split()
NUMBERS = [dtype for dtype in DTYPES if dtype[0] not in "?Mm"]


def shapes(max_dims=4, min_side=0):
    return npst.array_shapes(min_dims=0, max_dims=max_dims, min_side=min_side, max_side=5)


@st.composite
def arrays(draw, dtypes=tuple(DTYPES), shape=None):
    """An array with any bits: NaN with payloads, infinities, extreme integers."""
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    shape = draw(shapes()) if shape is None else shape
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if draw(st.booleans()):
        return rng.integers(-100, 100, shape).astype(dtype)
    size = int(np.prod(shape)) * dtype.itemsize
    return np.frombuffer(rng.bytes(size), dtype).reshape(shape).copy()


@st.composite
def layouts(draw, ndim):
    """A function that gives a view of an array: other order of axes, steps, reversals, dropped elements."""
    order = draw(st.permutations(range(ndim)))
    step = st.integers(-3, 3).filter(bool)
    bound = st.none() | st.integers(-6, 6)
    index = tuple(draw(st.builds(slice, bound, bound, step)) for _ in range(ndim))
    return lambda a: a.transpose(order)[index]


@given(st.data())
def test_views(device, data):
    array = data.draw(arrays())
    view = data.draw(layouts(array.ndim))
    check(lambda xp, a: view(a), array, device=device)


@given(st.data())
def test_basic_indexing(device, data):
    array = data.draw(arrays())
    index = data.draw(npst.basic_indices(array.shape, allow_newaxis=True))
    check(lambda xp, a: a[index], array, device=device)


@given(st.data())
def test_basic_assignment(device, data):
    array = data.draw(arrays(dtypes=NUMBERS))
    index = data.draw(npst.basic_indices(array.shape, allow_newaxis=True))
    value = data.draw(arrays(dtypes=[array.dtype.str], shape=array[index].shape))

    def function(xp, a, b):
        a[index] = b
        return a

    check(function, array, value, device=device)


@given(st.data())
def test_advanced_indexing(device, data):
    array = data.draw(arrays(shape=data.draw(npst.array_shapes(max_dims=3, max_side=4))))
    index = data.draw(
        npst.integer_array_indices(array.shape, result_shape=npst.array_shapes(max_dims=2))
    )
    check(lambda xp, a, *i: a[tuple(i)], array, *index, device=device)


@given(st.data())
def test_overlapping_assignment(device, data):
    n = data.draw(st.integers(1, 40))
    shift = data.draw(st.integers(0, n - 1))
    reverse = data.draw(st.booleans())
    array = data.draw(arrays(shape=(n,)))

    def function(xp, a):
        source = a[: n - shift]
        a[shift:] = source[::-1] if reverse else source
        return a

    check(function, array, device=device)


OPERATORS = ["+", "-", "*", "==", "<", ">=", "&", "|", "^"]


def stays_in_range(*arrays):
    """Whether sums of times fit into int64, NaT apart: from 2.5 on NumPy raises where ours wrap."""
    if not any(array.dtype.kind in "mM" for array in arrays):
        return True
    whole = [array.astype("i8") for array in arrays if array.dtype.kind in "iumM"]
    nat = np.iinfo("i8").min
    return all(((a == nat) | ((a > -(2**61)) & (a < 2**61))).all() for a in whole)


@given(st.data())
def test_operators(device, data):
    symbol = data.draw(st.sampled_from(OPERATORS))
    pair = data.draw(npst.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=4))
    x, y = (data.draw(arrays(shape=shape)) for shape in pair.input_shapes)
    assume(
        not (symbol == "*" and "c" in (x.dtype.kind, y.dtype.kind))
    )  # overflow: NaN or inf, as compilers like
    assume(stays_in_range(x, y))
    first, second = (data.draw(layouts(array.ndim)) for array in (x, y))

    def function(xp, a, b):
        return eval(f"a {symbol} b", {"a": first(a), "b": second(b)})

    check(function, x, y, device=device, order=False)


@given(st.data())
def test_results_keep_the_order_of_axes(device, data):
    array = data.draw(arrays(dtypes=["f4", "i8"]))
    order = data.draw(st.permutations(range(array.ndim)))
    check(lambda xp, a: a.transpose(order) + a.transpose(order), array, device=device)


@given(st.data())
def test_in_place(device, data):
    pair = data.draw(npst.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=4))
    x, y = (data.draw(arrays(dtypes=NUMBERS, shape=shape)) for shape in pair.input_shapes)

    def function(xp, a, b):
        a += b
        return a

    check(function, x, y, device=device)


@given(st.data())
def test_casts(device, data):
    array = data.draw(arrays(dtypes=[dtype for dtype in NUMBERS if dtype[0] in "iu"]))
    target = data.draw(st.sampled_from(NUMBERS))
    view = data.draw(layouts(array.ndim))
    check(lambda xp, a: view(a).astype(target), array, device=device)


REDUCTIONS = ["sum", "prod", "min", "max", "any", "all"]


@given(st.data())
def test_reductions(device, data):
    integers = [dtype for dtype in DTYPES if dtype[0] in "?iu"]
    array = data.draw(arrays(dtypes=integers))
    axis = data.draw(st.none() | npst.valid_tuple_axes(array.ndim))
    name = data.draw(st.sampled_from(REDUCTIONS))
    keepdims = data.draw(st.booleans())
    view = data.draw(layouts(array.ndim))

    def function(xp, a):
        return getattr(xp, name)(view(a), axis=axis, keepdims=keepdims)

    check(function, array, device=device)


@given(st.data())
def test_positions_of_extremes(device, data):
    array = data.draw(arrays(dtypes=[dtype for dtype in DTYPES if dtype[0] != "c"]))
    axis = data.draw(st.none() | st.integers(-array.ndim, array.ndim - 1)) if array.ndim else None
    name = data.draw(st.sampled_from(["argmin", "argmax"]))
    check(lambda xp, a: getattr(xp, name)(a, axis=axis), array, device=device)


@given(st.data())
def test_reshape(device, data):
    array = data.draw(arrays())
    view = data.draw(layouts(array.ndim))
    size = view(array).size
    shape = data.draw(st.sampled_from(factorings(size)))
    order = data.draw(st.sampled_from("CFA"))
    check(lambda xp, a: view(a).reshape(shape, order=order), array, device=device)


def factorings(size):
    """Some shapes of a size, with one length to be found out."""
    pairs = [(n, size // n) for n in range(1, size + 1) if size % n == 0]
    return [(size,), (-1,), *pairs, *((1, n, m, 1) for n, m in pairs)]


@given(st.data())
def test_where(device, data):
    triple = data.draw(npst.mutually_broadcastable_shapes(num_shapes=3, max_dims=3, max_side=4))
    condition = data.draw(arrays(dtypes=["?"], shape=triple.input_shapes[0]))
    x, y = (
        data.draw(arrays(dtypes=["?", *NUMBERS], shape=shape)) for shape in triple.input_shapes[1:]
    )
    assume(not {x.dtype.kind, y.dtype.kind} & set("fc"))  # casts of NaN are not the question here
    check(lambda xp, c, a, b: xp.where(c, a, b), condition, x, y, device=device, order=False)


@given(st.data())
def test_concatenate(device, data):
    shape = data.draw(npst.array_shapes(max_dims=3, max_side=4))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    dtypes = ["?", *(dtype for dtype in NUMBERS if dtype[0] in "iu")]
    parts = [
        data.draw(arrays(dtypes=dtypes, shape=shape)) for _ in range(data.draw(st.integers(1, 3)))
    ]
    check(lambda xp, *a: xp.concatenate(a, axis=axis), *parts, device=device)


@given(st.data())
def test_printing(device, data):
    array = data.draw(arrays())
    with np.printoptions(
        threshold=data.draw(st.integers(0, 20)), edgeitems=data.draw(st.integers(1, 3))
    ):
        check(lambda xp, a: (repr(a), str(a)), array, device=device)


@given(st.data())
def test_scalars_in_operators(device, data):
    array = data.draw(arrays(dtypes=NUMBERS))
    number = data.draw(st.integers(-300, 300) | st.floats(-10, 10) | st.booleans())
    check(lambda xp, a: (a + number, number - a, a < number), array, device=device, order=False)


def test_profile_is_deterministic():
    assert settings().max_examples == 60


@pytest.mark.smoke
def test_oracle_sees_differences(device):
    """The oracle itself fails where it should."""
    cases = [
        lambda xp: xp.ones(3) if xp is np else xp.zeros(3),
        lambda xp: xp.ones(3) if xp is np else xp.ones(3, "f4"),
        lambda xp: xp.ones(3) if xp is np else xp.ones((3, 1)),
        lambda xp: xp.zeros(3) if xp is np else -xp.zeros(3),
        lambda xp: 1 / 0 if xp is np else xp.ones(3),
        lambda xp: xp.ones(3).sum() if xp is np else xp.asarray(3.0),
        lambda xp: xp.ones((2, 2)) if xp is np else xp.ones((2, 2), order="F").T[:, ::-1],
    ]
    for case in cases:
        with pytest.raises(AssertionError):
            check(case, device=device)

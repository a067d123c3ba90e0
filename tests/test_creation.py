"""Arrays from shapes, from values and from data: empty ... full_like, array ... asfortranarray, arange."""

import inspect

import numpy
import pytest
from oracle import check

import gpuarray

DTYPES = [
    "?",
    "i1",
    "u1",
    "i2",
    "u2",
    "i4",
    "u4",
    "i8",
    "u8",
    "e",
    "f",
    "d",
    "F",
    "D",
    "M8[s]",
    "m8[ms]",
]
SHAPES = [(), 0, 3, (2, 3), (2, 0, 3), [4, 1], (1,) * 9]
ARANGES = [
    (5,), (0,), (-3,), (2, 9), (9, 2, -2), (2, 9, 3), (0, 10, 3), (0, 1, 0.1), (0.1, 2.3, 0.2), (1, 0, -0.1), (5.0,),
    (-0.3, 4.0), (0, -10, -3), (2**62, 2**62 + 4), (1e16, 1e16 + 6), (0.5, 3, 1e-1), (numpy.float32(0), 1, 0.25),
    (numpy.int8(1), numpy.int8(6)), (0, numpy.inf, numpy.inf), (True, 4), (0, 3j, 1j), (1, 7, numpy.uint8(2)),
    (-1e-3, 1e-3, 1e-4),
]  # fmt: skip


@pytest.mark.smoke
@pytest.mark.parametrize("name", ["zeros", "ones"])
@pytest.mark.parametrize("dtype", [None, *DTYPES])
def test_filled(device, name, dtype):
    for shape in SHAPES:
        check(lambda xp, s: getattr(xp, name)(s, dtype), shape, device=device)
        check(lambda xp, s: getattr(xp, name)(s, dtype=dtype, order="F"), shape, device=device)


def test_empty_has_the_layout_of_numpy(device):
    for shape in SHAPES:
        for order in "CF":
            ours, theirs = gpuarray.empty(shape, "f4", order), numpy.empty(shape, "f4", order)
            assert (ours.shape, ours.dtype, ours.strides) == (
                theirs.shape,
                theirs.dtype,
                theirs.strides,
            )
            assert ours.flags.writeable and ours.device == device


@pytest.mark.parametrize("shape", [-1, (2, -3), "ab", 1.5, None, (2**40, 2**40), [[1]], (1,) * 65])
def test_shapes_that_are_none(device, shape):
    check(lambda xp: xp.zeros(shape), device=device)


@pytest.mark.parametrize(
    "arguments",
    [
        {"dtype": "nonsense"}, {"order": "K"}, {"order": "x"}, {"shap": 3}, {"device": "nowhere"}
    ],
)  # fmt: skip
def test_arguments_that_are_none(device, arguments):
    check(lambda xp: xp.ones(2, **arguments), device=device)


@pytest.mark.parametrize(
    "value",
    [
        1,
        1.5,
        True,
        2j,
        numpy.float32(2.5),
        numpy.int8(-1),
        numpy.datetime64("2024-01-02"),
        [1, 2],
        [[1.5], [2]],
    ],
)
def test_full_finds_the_dtype(device, value):
    check(lambda xp: xp.full((2, 2), value), device=device)


@pytest.mark.parametrize("dtype", DTYPES[:14])
@pytest.mark.parametrize(
    "value",
    [
        0,
        1,
        -1,
        300,
        2**40,
        2**70,
        1.75,
        -2.5,
        float("nan"),
        1e300,
        True,
        1 + 2j,
        numpy.float64(3.5),
    ],
)
def test_full_converts_the_value(device, dtype, value):
    check(lambda xp: xp.full(3, value, dtype), device=device)


def test_full_with_arrays(device):
    check(lambda xp, v: xp.full((2, 3), v), numpy.arange(3.0), device=device)
    check(lambda xp, v: xp.full((2, 3), v, "i4"), numpy.array([1.5, 2.5, 3.5]), device=device)
    check(lambda xp, v: xp.full((2, 3), v), numpy.arange(4.0), device=device)


@pytest.mark.parametrize("name", ["zeros_like", "ones_like"])
@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
def test_like_keeps_the_layout(device, name, order):
    base = numpy.arange(24.0).reshape(2, 3, 4)
    for model in (
        base,
        base.T,
        base.transpose(1, 0, 2),
        base[:, ::2],
        base[::-1],
        base.astype("i2"),
        numpy.float32(3),
    ):
        check(lambda xp, m: getattr(xp, name)(m, order=order), model, device=device)
        check(lambda xp, m: getattr(xp, name)(m, "f4", order), model, device=device)


def test_like_with_another_shape(device):
    base = numpy.arange(6.0).reshape(2, 3).T
    for shape in (5, (3, 2), (4, 5), (2, 2, 2), ()):
        ours = gpuarray.empty_like(gpuarray.array(base), shape=shape)
        theirs = numpy.empty_like(base, shape=shape)
        assert ours.shape == theirs.shape
        assert ours.flags.c_contiguous == theirs.flags.c_contiguous
        check(lambda xp, m, s: xp.zeros_like(m, shape=s), base, shape, device=device)


def test_like_of_what_is_not_ours(device):
    for model in ([1, 2], 3.0, [[True]], numpy.arange(4, dtype="f4"), numpy.arange(4, dtype=">i4")):
        ours, theirs = gpuarray.full_like(model, 7), numpy.full_like(model, 7)
        assert ours.dtype == theirs.dtype.newbyteorder("=") and numpy.array_equal(
            ours.get(), theirs
        )
        assert gpuarray.zeros_like(model).device == device


def test_full_like(device):
    check(lambda xp, m: xp.full_like(m, 7.9), numpy.arange(3), device=device)
    check(lambda xp, m: xp.full_like(m, [1, 2, 3]), numpy.zeros((2, 3)), device=device)
    check(lambda xp, m: xp.full_like(m, 1000), numpy.zeros(3, "i1"), device=device)


@pytest.mark.smoke
@pytest.mark.parametrize("limits", ARANGES, ids=str)
def test_arange(device, limits):
    check(lambda xp: xp.arange(*limits), device=device)


@pytest.mark.parametrize("dtype", DTYPES[1:14])
def test_arange_with_a_dtype(device, dtype):
    for limits in ((5,), (0, 1, 0.1), (300, 310), (-3, 3, 2), (0.5, 700, 1.7)):
        check(lambda xp, *args: xp.arange(*args, dtype=dtype), *limits, device=device)


def test_arange_by_keyword_and_in_error(device):
    check(lambda xp: xp.arange(start=1, stop=6, step=2), device=device)
    check(lambda xp: xp.arange(stop=3), device=device)
    check(lambda xp: xp.arange(2, None), device=device)
    check(lambda xp: xp.arange(2, dtype="?"), device=device)
    check(
        lambda xp: xp.arange(numpy.datetime64("2024-01-01"), numpy.datetime64("2024-01-04")),
        device=device,
    )
    for arguments in (
        (),
        (0, 1, 0),
        ("a",),
        (0, numpy.inf),
        (0, numpy.nan),
        ((1, 2),),
        (1, 2, 3, "f4", 5),
    ):
        check(lambda xp, *args: xp.arange(*args), *arguments, device=device)
    assert gpuarray.arange(gpuarray.arange(4)[3]).tolist() == [0, 1, 2]


def test_arange_is_numpys_to_the_last_bit(device):
    rng = numpy.random.default_rng(7)
    for _ in range(60):
        start, span, count = rng.normal(), abs(rng.normal()), int(rng.integers(1, 400))
        for dtype in ("f8", "f4"):
            ours = gpuarray.arange(start, start + span, span / count, dtype).get()
            theirs = numpy.arange(start, start + span, span / count, dtype)
            assert ours.tobytes() == theirs.tobytes()


@pytest.mark.parametrize(
    "data",
    [
        3, 2.5, True, 1j, [], [[], []], [1, 2.5], [[1, 2], [3, 4]], (1, (2)), [True, 2], range(4), 2**63, [2**63, 1],
        [numpy.float32(1), 2], numpy.float16(2), numpy.datetime64("2024-03-01"), [numpy.timedelta64(3, "h")],
        [[1], [2, 3]],
        memoryview(b"abc"), bytearray(b"xyz"),
    ],
    ids=lambda data: repr(data).split(" at 0x")[0],
)  # fmt: skip
def test_array_of_python_data(device, data):
    check(lambda xp: xp.array(data), device=device)
    check(lambda xp: xp.asarray(data), device=device)
    check(lambda xp: xp.array(data, dtype="f4"), device=device)
    check(lambda xp: xp.array(data, ndmin=3, order="F"), device=device)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
def test_array_of_numpy_layouts(device, dtype, order):
    base = numpy.arange(24).reshape(2, 3, 4).astype(dtype)
    stretched = numpy.broadcast_to(base[:1], (3, 3, 4))
    for source in (base, base.T, base[:, ::-1], base[::2, 1:], base.transpose(0, 2, 1), stretched):
        check(lambda xp, a: xp.array(a, order=order), source, device=device)
        assert numpy.array_equal(gpuarray.array(source, order=order).get(), source)


def test_big_endian_data_are_swapped(device):
    for code in (">i2", ">u4", ">f8", ">c8", ">M8[s]"):
        source = numpy.arange(5).astype(code)
        ours = gpuarray.asarray(source)
        assert ours.dtype.isnative and ours.dtype == source.dtype.newbyteorder("=")
        assert numpy.array_equal(ours.get(), source)
    assert gpuarray.array([1, 2], dtype=">i4").dtype.isnative


def test_copy_modes(device):
    a = gpuarray.arange(3)
    assert gpuarray.asarray(a) is a
    assert gpuarray.array(a, copy=None) is a
    assert gpuarray.array(a) is not a
    assert gpuarray.asarray(a, copy=True) is not a
    assert gpuarray.asarray(a, dtype="f4").dtype == "f4"
    with pytest.raises(ValueError, match="copy"):
        gpuarray.asarray(a, dtype="f4", copy=False)
    with pytest.raises(ValueError, match="copy"):
        gpuarray.asarray(gpuarray.zeros((2, 2)), order="F", copy=False)
    with pytest.raises(ValueError, match="copy"):
        gpuarray.asarray([1, 2], copy=False)
    for copy in ("always", ""):
        with pytest.raises(ValueError, match="copy"):
            gpuarray.array([1, 2], copy=copy)


def test_copies_share_nothing(device):
    for source in (numpy.zeros(3), gpuarray.zeros(3)):
        ours = gpuarray.array(source)
        ours[0] = 5
        assert source[0] == 0


def test_scalars_become_ordinary_arrays(device):
    a = gpuarray.asarray(gpuarray.arange(4).sum())
    a[...] = 1
    assert int(a) == 1
    with pytest.raises(TypeError):
        hash(a)


def test_lists_of_device_arrays(device):
    def nest(xp, a):
        return [
            xp.array([a, a]),
            xp.array([a.sum(), 2, a.max()]),
            xp.array([[a[0], 1.5], (a[1], 2)]),
            xp.asarray([a, [1, 2, 3]]),
            xp.array([a, a * 1.5], dtype="f4"),
        ]

    check(nest, numpy.arange(3), device=device)
    check(lambda xp, a, b: xp.array([a, b]), numpy.arange(3), numpy.arange(2), device=device)


def test_data_no_device_holds(device):
    assert gpuarray.array(["a", "bb"]).dtype == "<U2"
    assert isinstance(gpuarray.array([1, None]), numpy.ndarray)
    assert isinstance(gpuarray.zeros(2, dtype=object), numpy.ndarray)
    assert isinstance(gpuarray.asarray(numpy.zeros(2, numpy.longdouble)), numpy.ndarray)
    assert gpuarray.full(2, "ab").tolist() == ["ab", "ab"]
    for make in (
        lambda: gpuarray.array(["a"], device=device),
        lambda: gpuarray.zeros(2, object, device=device),
        lambda: gpuarray.asarray(numpy.zeros(2, "i4,f8"), device=device),
        lambda: gpuarray.full_like(numpy.zeros(2, "U3"), "a", device=device),
    ):
        with pytest.raises(TypeError, match="dtype"):
            make()


def test_device_and_like(device):
    a = gpuarray.zeros(3, device="cpu")
    assert a.device == "cpu"
    assert gpuarray.ones(2, like=a).device == "cpu"
    assert gpuarray.ones_like(a).device == "cpu"
    assert gpuarray.asarray([1], device=device).device == device
    assert gpuarray.array(a, device=device).device == device


def test_contiguous_functions(device):
    base = numpy.arange(6.0).reshape(2, 3)
    for source in (base, base.T, base[:, ::2], numpy.array(3.0)):
        check(lambda xp, a: xp.ascontiguousarray(a), source, device=device)
        check(lambda xp, a: xp.asfortranarray(a, dtype="f4"), source, device=device)


def test_many_dimensions(device):
    check(lambda xp: xp.zeros((1,) * 63 + (2,)), device=device)
    theirs = numpy.arange(1024).reshape((2,) * 10).transpose([3, 1, 9, 0, 5, 2, 8, 6, 4, 7])
    check(lambda xp, a: xp.array(a, "f4"), theirs, device=device)


@pytest.mark.parametrize(
    "name",
    "empty zeros ones full empty_like zeros_like ones_like full_like array asarray asanyarray ascontiguousarray "
    "asfortranarray arange concatenate".split(),
)
def test_signatures_have_numpys_names(name):
    ours = list(inspect.signature(getattr(gpuarray, name)).parameters)
    theirs = [p for p in inspect.signature(getattr(numpy, name)).parameters if p != "ndmax"]
    assert [p for p in ours if p in theirs] == theirs
    assert set(ours) - set(theirs) <= {"device"}


@pytest.mark.parametrize("order", ["A", "K", "C", "F"])
@pytest.mark.parametrize("axes", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (0, 2, 1)])
def test_order_of_arrays_that_are_converted(device, order, axes):
    cube = numpy.arange(8).reshape(2, 2, 2)
    for dtype in (None, "i8", "f4"):
        for function in ("array", "asarray"):
            check(
                lambda xp, a, f=function, t=dtype: getattr(xp, f)(
                    a.transpose(axes)[::-1], t, order=order
                ),
                cube,
                device=device,
            )

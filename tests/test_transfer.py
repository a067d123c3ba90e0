"""Between devices and the host: conversions, get and set, NumPy's protocols, assignment between layouts and devices."""

import gc
import itertools

import numpy
import pytest
from oracle import check

import gpuarray

NUMBERS = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "e", "f", "d", "F", "D"]


@pytest.mark.smoke
@pytest.mark.parametrize(("source", "target"), list(itertools.product(NUMBERS, NUMBERS)))
def test_conversion_between_dtypes(device, source, target):
    values = numpy.array([0, 1, 2, 5, 100, 127]).astype(source)
    if source in "i1i2i4i8efd":
        values[1] = -1 if target not in ("u1", "u2", "u4", "u8") or source[0] == "i" else 1
    check(lambda xp, a: xp.asarray(a, dtype=target), values, device=device)


@pytest.mark.parametrize(
    ("source", "target"),
    [("M8[s]", "M8[ms]"), ("M8[ms]", "M8[s]"), ("m8[h]", "m8[s]"), ("M8[M]", "M8[D]"), ("M8[D]", "M8[M]"),
     ("m8[s]", "i8"), ("i8", "m8[D]"), ("M8[D]", "i8"), ("m8", "m8[s]")],
)  # fmt: skip
def test_conversion_of_times(device, source, target):
    values = numpy.array([0, 1, -1, 1000, -1500, numpy.iinfo("i8").min], "i8").astype(source)
    check(lambda xp, a: xp.asarray(a, dtype=target), values, device=device)


def layouts(base):
    """Views of a three-dimensional array, from plain to awkward."""
    return {
        "plain": base, "reversed axes": base.T, "mixed axes": base.transpose(1, 0, 2), "stepped": base[:, ::2, 1:],
        "backwards": base[::-1, :, ::-1], "row": base[0, 1], "single": base[1, 2, 3], "nothing": base[:, :0],
        "stretched": numpy.broadcast_to(base[:1, :, :1], base.shape),
    }  # fmt: skip


@pytest.mark.parametrize("layout", list(layouts(numpy.zeros((2, 3, 4)))))
@pytest.mark.parametrize("dtype", ["u1", "f4", "D"])
def test_round_trip(device, layout, dtype):
    source = layouts(numpy.arange(24).reshape(2, 3, 4).astype(dtype))[layout]
    ours = gpuarray.array(source)
    back = ours.get(order="K")
    assert numpy.array_equal(back, source) and back.dtype == source.dtype
    assert back.flags.writeable


def test_views_come_back_right(device):
    theirs = numpy.arange(60.0).reshape(3, 4, 5)
    ours = gpuarray.array(theirs)
    for index in (
        (slice(None, None, -1),),
        (0,),
        (slice(None), 1),
        (Ellipsis, slice(0, 5, 2)),
        (2, 3, 4),
    ):
        assert numpy.array_equal(gpuarray.asnumpy(ours[index]), theirs[index])
    assert numpy.array_equal(ours.T.get(), theirs.T)


def test_get_order_and_out(device):
    theirs = numpy.arange(6.0).reshape(2, 3).T
    ours = gpuarray.array(theirs)
    assert ours.get().flags.c_contiguous
    assert ours.get(order="F").flags.f_contiguous
    assert ours.get(order="A").flags.f_contiguous
    out = numpy.zeros((3, 2))
    assert ours.get(out=out) is out
    assert numpy.array_equal(out, theirs)
    with pytest.raises(ValueError, match="out"):
        ours.get(out=numpy.zeros((2, 3)))
    with pytest.raises(ValueError, match="out"):
        ours.get(out=numpy.zeros((3, 2), "f4"))
    with pytest.raises(TypeError, match="out"):
        ours.get(out=[1])


def test_set(device):
    a = gpuarray.zeros((2, 3))
    a.set(numpy.arange(6).reshape(2, 3))
    assert a.tolist() == [[0, 1, 2], [3, 4, 5]]
    a.T.set(numpy.ones((3, 2)))
    assert a.tolist() == [[1, 1, 1], [1, 1, 1]]
    with pytest.raises(ValueError, match=r"\(2,3\)"):
        a.set(numpy.zeros(3))
    with pytest.raises(ValueError, match="read-only"):
        gpuarray.broadcast_to(a, (2, 2, 3)).set(numpy.zeros((2, 2, 3)))


def test_asnumpy_takes_anything(device):
    assert isinstance(gpuarray.asnumpy([1, 2]), numpy.ndarray)
    source = numpy.arange(3)
    assert gpuarray.asnumpy(source) is source
    assert gpuarray.asnumpy(gpuarray.arange(3)).tolist() == [0, 1, 2]


@pytest.mark.parametrize("dtype", ["?", "i4", "e", "f8", "F", "M8[s]"])
def test_numpy_reads_arrays(device, dtype):
    theirs = numpy.arange(6).reshape(2, 3).astype(dtype)
    ours = gpuarray.array(theirs)
    whole, row = slice(None), (0, slice(1, 2))
    for index in (whole, (whole, slice(None, None, -1)), row):
        seen, expected = numpy.asarray(ours[index].T), theirs[index].T
        assert seen.dtype == expected.dtype and numpy.array_equal(seen, expected)
    assert numpy.asarray(ours, dtype="M8[ms]" if dtype == "M8[s]" else "D").dtype != dtype
    assert numpy.array(ours).flags.writeable
    assert numpy.array_equal(numpy.array(ours, order="F"), theirs)


def test_sharing_on_the_cpu():
    a = gpuarray.zeros((2, 3), device="cpu")
    shared = numpy.asarray(a)
    shared[0, 1] = 7
    assert float(a[0, 1]) == 7
    assert numpy.array(a, copy=False)[0, 1] == 7
    copy = numpy.array(a)
    copy[0, 1] = 9
    assert float(a[0, 1]) == 7
    with pytest.raises(ValueError, match="copy"):
        a.__array__("f4", copy=False)


def test_shared_memory_outlives_the_array():
    shared = numpy.asarray(gpuarray.arange(100000, device="cpu"))
    gc.collect()
    gpuarray.ones(100000, device="cpu")
    assert numpy.array_equal(shared, numpy.arange(100000))


def test_read_only_arrays_are_seen_read_only():
    a = gpuarray.broadcast_to(gpuarray.zeros(3, device="cpu"), (2, 3))
    assert not numpy.asarray(a).flags.writeable
    assert memoryview(gpuarray.arange(3, device="cpu")).readonly is False
    assert memoryview(a).readonly


def test_numpy_memory_on_the_cpu():
    source = numpy.arange(12.0).reshape(3, 4)
    for view in (source, source.T, source[::-1, ::2]):
        ours = gpuarray.asarray(view, device="cpu")
        assert numpy.shares_memory(numpy.asarray(ours), source)
        ours[0, 0] = 99
        assert view[0, 0] == 99
        view[0, 0] = 0
    assert not numpy.shares_memory(numpy.asarray(gpuarray.array(source, device="cpu")), source)
    source.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        gpuarray.asarray(source, device="cpu")[0] = 1


def test_wrapped_memory_is_given_back():
    class Watched(numpy.ndarray):
        pass

    import weakref

    source = numpy.arange(1000.0).view(Watched)
    reference = weakref.ref(source)
    ours = gpuarray.asarray(source, device="cpu")
    view = ours[10:20]
    del source, ours
    assert reference() is not None and float(view[0]) == 10
    del view
    gc.collect()
    assert reference() is None


def test_buffer_protocol():
    a = gpuarray.arange(6, dtype="i4", device="cpu").reshape(2, 3)
    view = memoryview(a)
    assert (view.shape, view.format, view.itemsize) == ((2, 3), "i", 4)
    view[1, 2] = 50
    assert int(a[1, 2]) == 50
    assert bytes(memoryview(gpuarray.array([1, 2], "u1", device="cpu"))) == b"\1\2"
    with pytest.raises((BufferError, ValueError)):
        memoryview(gpuarray.zeros(2, "M8[s]", device="cpu"))


def test_array_interfaces():
    a = gpuarray.zeros((2, 3), "f4", device="cpu")
    assert a.__array_interface__["shape"] == (2, 3)
    assert a.__array_interface__["data"][0] == numpy.asarray(a).ctypes.data
    assert not hasattr(a, "__cuda_array_interface__")


def test_implicit_copies_from_a_gpu_are_read_only(device):
    if device == "cpu":
        pytest.skip("memory is shared on the CPU device")
    a = gpuarray.arange(3)
    assert not numpy.asarray(a).flags.writeable
    assert numpy.array(a).flags.writeable and a.get().flags.writeable
    with pytest.raises(ValueError, match="copy"):
        numpy.asarray(a, copy=False)
    with pytest.raises(BufferError):
        memoryview(a)
    assert not hasattr(a, "__array_interface__")


def test_cuda_array_interface(device):
    if device == "cpu":
        pytest.skip("the CPU device has no CUDA memory")
    a = gpuarray.arange(12.0).reshape(3, 4)
    interface = a.T.__cuda_array_interface__
    assert interface["shape"] == (4, 3) and interface["strides"] == (8, 32)
    assert (interface["version"], interface["typestr"], interface["stream"]) == (3, "<f8", 1)

    class Foreign:
        __cuda_array_interface__ = interface

    shared = gpuarray.asarray(Foreign())
    shared[0, 0] = 50
    assert float(a[0, 0]) == 50 and shared.device == device


def test_malformed_cuda_array_interface(device):
    class Foreign:
        __cuda_array_interface__ = {"shape": (2,), "version": 3, "data": (0, False)}

    with pytest.raises(ValueError, match="typestr"):
        gpuarray.asarray(Foreign())


def test_objects_with_array_protocols(device):
    class Wrapper:
        def __array__(self, dtype=None, copy=None):
            return numpy.arange(3.0)

    class Producer:
        def __init__(self):
            self.data = numpy.arange(4)

        def __dlpack__(self, **arguments):
            return self.data.__dlpack__(**arguments)

        def __dlpack_device__(self):
            return self.data.__dlpack_device__()

    assert gpuarray.asarray(Wrapper()).tolist() == [0, 1, 2]
    assert gpuarray.asarray(Producer()).tolist() == [0, 1, 2, 3]


# ---- Assignment ----


@pytest.mark.smoke
def test_assignment_broadcasts_and_converts(device):
    def assign(xp, a, b):
        a[...] = b
        return a

    for target, source in (
        ((2, 3), (3,)),
        ((2, 3), (1, 3)),
        ((2, 3), ()),
        ((3,), (1, 1, 3)),
        ((2, 3), (2, 2)),
        ((0, 3), (3,)),
        ((3,), (2, 3)),
        ((2, 1), (2, 1)),
    ):
        for dtype in ("i8", "f4", "D", "?"):
            check(assign, numpy.zeros(target), numpy.ones(source, dtype), device=device)


def test_assignment_to_overlapping_memory(device):
    def shift(xp, a, to, source):
        a[to] = a[source]
        return a

    for to, source in (
        (slice(1, None), slice(0, -1)),
        (slice(0, -1), slice(1, None)),
        (slice(None), slice(None, None, -1)),
        (slice(0, 50), slice(0, 100, 2)),
        (slice(None), slice(None)),
    ):
        check(shift, numpy.arange(100.0), to, source, device=device)
        if to.stop != 50:
            check(shift, numpy.arange(200000), to, source, device=device)

    def transpose(xp, a):
        a[...] = a.T
        return a

    check(transpose, numpy.arange(900.0).reshape(30, 30), device=device)


def test_assignment_through_awkward_views(device):
    def fill(xp, a):
        a[::2, ::-1] = 5
        a.T[1] = [7, 8, 9, 10]
        a[1:3, 1:3] = a[:2, :2]
        return a

    check(fill, numpy.arange(12).reshape(4, 3), device=device)


@pytest.mark.parametrize("dtype", ["f4", "f8", "D", "i2"])
def test_misaligned_arrays(device, dtype):
    def use(xp, raw):
        a = raw[1 : 1 + 12 * numpy.dtype(dtype).itemsize].view(dtype)
        a[:] = 3
        a[2:4] = [1, 2]
        a[6:] = a[:6]
        return [xp.array(a), xp.asarray(a[::2], dtype="f4"), raw]

    check(use, numpy.zeros(1 + 16 * 12, "u1"), device=device)


def random_view(array, rng):
    """The array through a random index and a random order of axes, chosen by rng alone."""
    steps = [rng.choice([1, 1, 2, -1, -2, 3]) for _ in range(array.ndim)]
    view = array[tuple(slice(None, None, int(step)) for step in steps)]
    if rng.random() < 0.3:
        view = view[(0, ...) if rng.random() < 0.5 else (..., None)]
    return view.transpose([int(axis) for axis in rng.permutation(view.ndim)])


@pytest.mark.parametrize("seed", range(30))
def test_random_views(device, seed):
    rng = numpy.random.default_rng(seed)
    for _ in range(10):
        shape = rng.integers(1, 6, int(rng.integers(1, 5)))
        theirs = (
            numpy.arange(shape.prod()).reshape(shape).astype(rng.choice(["u1", "i8", "f4", "D"]))
        )
        ours = gpuarray.array(theirs)
        state = rng.bit_generator.state
        their_views = [random_view(theirs, rng), random_view(theirs, rng)]
        rng.bit_generator.state = state
        our_views = [random_view(ours, rng), random_view(ours, rng)]
        assert numpy.array_equal(our_views[0].get(), their_views[0])
        copies = gpuarray.array(our_views[0]), numpy.array(their_views[0])
        strides = [
            [step for step, n in zip(a.strides, a.shape, strict=True) if n > 1] for a in copies
        ]
        assert strides[0] == strides[1] and numpy.array_equal(copies[0].get(), copies[1])
        try:
            their_views[0][...] = their_views[1]
        except ValueError:
            with pytest.raises(ValueError, match="broadcast"):
                our_views[0][...] = our_views[1]
        else:
            our_views[0][...] = our_views[1]
        assert numpy.array_equal(ours.get(), theirs)


def test_many_axes_that_do_not_merge(device):
    theirs = numpy.arange(2**11).reshape((2,) * 11)
    axes = [9, 0, 7, 2, 5, 10, 4, 3, 6, 1, 8]
    assert numpy.array_equal(gpuarray.array(theirs).transpose(axes).get(), theirs.transpose(axes))
    check(lambda xp, a: xp.array(a.transpose(axes), "f4", order="C"), theirs, device=device)


def test_between_devices(device):
    theirs = numpy.arange(24.0).reshape(2, 3, 4)
    for view in (theirs, theirs.T, theirs[:, ::-1], theirs[..., 1]):
        ours = gpuarray.array(view, device="cpu")
        there = gpuarray.asarray(ours, device=device)
        back = gpuarray.asarray(there, device="cpu")
        assert there.device == device and back.device == "cpu"
        assert numpy.array_equal(numpy.asarray(back), view)
    a = gpuarray.zeros((3, 2))
    a[:, ::-1] = gpuarray.arange(2, dtype="i4", device="cpu")
    assert a.tolist() == [[1, 0]] * 3


# ---- Elements ----


@pytest.mark.parametrize("dtype", [*NUMBERS, "M8[s]", "m8[D]", "M8[ns]"])
def test_items(device, dtype):
    theirs = numpy.array([[0, 1, 2], [3, 100, 5]]).astype(dtype)
    ours = gpuarray.array(theirs)
    for index in ((0, 1), (1, 1), (5,), (-1,)):
        mine, expected = ours.item(*index), theirs.item(*index)
        assert type(mine) is type(expected) and mine == expected
    assert ours.T.item(1) == theirs.T.item(1)
    assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize(
    "value",
    [
        1, -1, 255, 256, 2**31, 2**63, 2**64, -(2**63) - 1, 1.5, -0.0, 1e39, 1e400, float("nan"), 1j, True, None, "2",
        "x", numpy.int64(300), numpy.float32(2.5), numpy.complex64(1j),
    ],
    ids=repr,
)  # fmt: skip
def test_elements_convert_as_in_numpy(device, dtype, value):
    def assign(xp, a):
        a[1] = value
        return a

    check(assign, numpy.zeros(3, dtype), device=device)


@pytest.mark.parametrize("size", [1, 4095, 70000, 1 << 20])
def test_sizes(device, size):
    theirs = numpy.arange(size, dtype="f4")
    ours = gpuarray.array(theirs)
    assert numpy.array_equal(ours.get(), theirs)
    assert numpy.array_equal(ours[::-1].get(), theirs[::-1])
    assert numpy.array_equal(gpuarray.asarray(ours, dtype="i4").get(), theirs.astype("i4"))

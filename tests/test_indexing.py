"""Reading and writing by index. NumPy is the oracle (oracle.check); every case runs for reading, then for writing."""

import itertools
import operator

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from oracle import check

import gpuarray

CUBE = numpy.arange(24.0).reshape(2, 3, 4)

BASIC = [
    0, -1, 1, 2, -3, (0, 1), (0, 1, 2), (-1, -1, -1), (0, 3), (0, 0, 0, 0), (), Ellipsis, None,
    (None, 0), (0, None), slice(None), slice(1, None), slice(None, None, -1), slice(5, -10, -2),
    slice(1, 1), slice(-100, 100), slice(None, None, 0), slice(2**70),
    slice(None, None, -(2**70)), (slice(None), 1),
    (slice(None), slice(None, None, 2), slice(3, 0, -1)), (Ellipsis, 1), (1, Ellipsis),
    (0, Ellipsis, 0), (0, 1, 2, Ellipsis), (Ellipsis, 0, 1, 2), (Ellipsis, Ellipsis),
    (None, Ellipsis, None), (slice(None), None, 0, None, slice(1, 3)), numpy.int8(1),
    numpy.uint64(1), (numpy.int64(-1), slice(None, numpy.int32(2))), numpy.array(1),
    (numpy.array(0), 1, 2), (numpy.array(0), slice(None), 1), 1.0, "a", (0, "a"), (0, 1.5), 2**70,
    -(2**70), numpy.float64(1), NotImplemented, 1j, (None,) * 62, (None,) * 200,
]  # fmt: skip

ADVANCED = [
    [0], [1, 0, 1], [], [True, False], True, False, numpy.True_, numpy.array(True),
    numpy.array([1, 1]), (0, [2, 0]), ([0, 1], [1, 2]), ([0, 1], slice(None), [3, 0]),
    (slice(None), [2, 0]), (Ellipsis, [1, 2]), ([[0], [1]], [[0, 1]]), CUBE > 5,
    (0, CUBE[0, :, 0] > 3), (None, [0]), [0, 5], (0, [3]), ([0, 1], [0, 1, 2]), [1.0],
    [[True, False, True]], numpy.array([], "i8"), range(2), ["a"],
]  # fmt: skip


def identify(key):
    return repr(key).replace("\n", "")[:40]


@pytest.mark.smoke
@pytest.mark.parametrize("key", BASIC, ids=identify)
def test_basic(device, key):
    check(lambda xp, a: a[key], CUBE, device=device)
    check(lambda xp, a: a.T[::-1][key], CUBE, device=device)
    check(assign, CUBE, key, -1, device=device)
    check(assign, CUBE, key, numpy.array(7, "i2"), device=device)


@pytest.mark.parametrize("key", ADVANCED, ids=identify)
def test_advanced(device, key):
    check(lambda xp, a, key: a[key], CUBE, key, device=device)
    check(assign, CUBE, key, -1, device=device)


def assign(xp, a, key, value):
    a[key] = value
    return a


@pytest.mark.parametrize("key", BASIC + ADVANCED, ids=identify)
def test_without_axes(device, key):
    if isinstance(key, slice) and key.step == 0:
        pytest.skip("two faults at once: NumPy names the other one")
    check(lambda xp, a, key: a[key], numpy.array(3.5), key, device=device)
    check(assign, numpy.array(3.5), key, -1, device=device)


def test_scalars_take_no_index(device):
    for key in (0, slice(None), (), Ellipsis, None, (Ellipsis, None)):
        check(lambda xp, a, key=key: a[1, 1, 1][key], CUBE, device=device)
    check(lambda xp, a: assign(xp, a[1, 1, 1], (), 3), CUBE, device=device)


def test_device_arrays_as_integers(device):
    """Flagged ones count as integers, so a view results; unflagged ones give a copy (trap 31)."""

    def through_flag(xp):
        m = xp.eye(3)
        m[m[:, 0].argmax()][:] = 5
        return m

    def through_array(xp):
        m = xp.eye(3)
        m[xp.array(1)][:] = 9
        return m

    def through_ellipsis(xp):
        a = xp.arange(3)
        a[0, ...][...] = 9
        return a

    for body in (through_flag, through_array, through_ellipsis):
        check(body, device=device)
    check(lambda xp: xp.arange(5)[xp.arange(5)[1] : xp.array(4)], device=device)
    check(lambda xp: xp.arange(5)[xp.arange(5) == 3], device=device)
    check(lambda xp: xp.arange(5)[xp.array([True])[0]], device=device)
    check(lambda xp: xp.arange(5)[xp.array([1.0])[0]], device=device)
    check(lambda xp: xp.arange(5)[xp.array(1.0)], device=device)


VALUES = [
    3, 2.5, True, 1 + 2j, numpy.float32(1.5), numpy.complex64(1 + 2j), numpy.int8(-1),
    numpy.bool_(True), [1, 2, 3, 4], [[1], [2], [3]], (5, 6, 7, 8), [1, 2], [], numpy.arange(4),
    numpy.arange(4, dtype=">i4"), numpy.arange(3.0)[:, None], numpy.ones((1, 1, 1, 3, 4), "f4"),
    numpy.ones((2, 1, 3, 4)), numpy.ones((4, 3)), numpy.arange(4) * 1j, numpy.array(5),
    numpy.longdouble(2), numpy.arange(4, dtype="g"), numpy.array([1, 2, 3, 4], object), range(4),
    "5", "x", None, [None], ["1", "2", "3", "4"], 2**40, 2**70, -1, float("nan"), float("inf"),
    [300, 1, 2, 3], [1e10, 1, 2, 3], [[1, 2], [3]],
]  # fmt: skip


def overflows(value, dtype):
    """Whether a float is beyond an integer dtype: what comes out then is the processor's choice."""
    if (
        dtype not in ("u1", "i4")
        or isinstance(value, list)
        and (not value or isinstance(value[0], list))
    ):
        return False
    numbers = numpy.asarray(value)
    return numbers.dtype.kind == "f" and not numpy.all(numpy.abs(numbers) < 100)


@pytest.mark.smoke
@pytest.mark.parametrize("dtype", ["d", "u1", "i4", "D", "?", "e"])
@pytest.mark.parametrize("value", VALUES, ids=identify)
def test_assigned_value(device, dtype, value):
    """Values as they come, then NumPy's arrays as arrays of the device."""
    if overflows(value, dtype):
        pytest.skip("a float that the dtype cannot hold")
    a = CUBE.astype(dtype)
    check(lambda xp, a: assign(xp, a, Ellipsis, value), a, device=device)
    check(lambda xp, a: assign(xp, a[0].T, slice(None), value), a, device=device)
    if not isinstance(value, list) and numpy.ndim(value) == 0:
        check(lambda xp, a: assign(xp, a, (0, 1, 2), value), a, device=device)
    if isinstance(value, numpy.ndarray) and value.dtype.isnative:
        check(assign, a, Ellipsis, value, device=device)


def test_assigned_device_arrays(device):
    check(lambda xp, a: assign(xp, a, 0, a[1]), CUBE, device=device)
    check(lambda xp, a: assign(xp, a, slice(None, None, -1), a), CUBE, device=device)
    check(lambda xp, a: assign(xp, a, (0, 0), a[1, 2, 3]), CUBE, device=device)
    check(lambda xp, a: assign(xp, a, (0, slice(1, None)), a[0, :-1]), CUBE, device=device)
    check(lambda xp, a: assign(xp, a, (0, slice(None, -1)), a[0, 1:]), CUBE, device=device)
    check(lambda xp, a: assign(xp, a, 0, [a[1, 0], a[1, 1], a[1, 2]]), CUBE, device=device)
    check(
        lambda xp, a: assign(xp, a, (0, 0), [a[1, 1, 1], 2, a[0, 0, 0], 4.5]), CUBE, device=device
    )
    with pytest.warns(numpy.exceptions.ComplexWarning):
        gpuarray.zeros(3, device=device)[:] = gpuarray.ones(3, "D", device=device)
    with pytest.warns(numpy.exceptions.ComplexWarning):
        gpuarray.zeros(3, device=device)[0] = numpy.complex64(1j)


def test_between_devices(device):
    a = gpuarray.zeros((2, 3), device=device)
    a[:, 1:] = gpuarray.arange(4, device="cpu").reshape(2, 2)
    assert a.tolist() == [[0, 0, 1], [0, 2, 3]]
    there = gpuarray.zeros((2, 3), "i4", device="cpu")
    there[:] = a.T[::-1].T
    assert there.tolist() == [[1, 0, 0], [3, 2, 0]]


def test_read_only(device):
    for key in (0, Ellipsis, [0], (), slice(0, 0)):
        check(
            lambda xp, a, key=key: assign(xp, xp.broadcast_to(a, (2, 2, 3, 4)), key, 1),
            CUBE,
            device=device,
        )
    check(lambda xp, a: operator.delitem(a, 0), CUBE, device=device)


def test_failure_changes_nothing(device):
    """Traps 1 and 8: an index out of range, a value that does not fit."""
    for key, value in [
        ([1, 3], 10),
        (slice(None), [1, 2, 3, 4]),
        (0, "x"),
        ((0, 0), 1),
        (slice(None), ["1", "x", "2"]),
    ]:
        check(
            lambda xp, a, key=key, value=value: assign(xp, a, key, value),
            numpy.arange(3),
            device=device,
        )
        a = gpuarray.arange(3, device=device)
        with pytest.raises((IndexError, ValueError)):
            a[key] = value
        assert a.tolist() == [0, 1, 2]


def test_last_of_duplicates_wins(device):
    check(
        lambda xp, a, i, v: assign(xp, a, i, v),
        numpy.zeros(2),
        numpy.arange(10000) % 2,
        numpy.arange(10000.0),
        device=device,
    )


def test_many_axes(device):
    a = numpy.arange(64).reshape((1, 2) * 6)
    check(lambda xp, a: a[0, 1, ..., 0, 1], a, device=device)
    check(lambda xp, a: a[..., None, ::-1, :], a, device=device)
    check(lambda xp, a: a[(0, 1) * 6], a, device=device)
    check(assign, a, (0, slice(None, None, -1)), a[0] * 3, device=device)
    check(lambda xp, a: a[(None,) * 52], a, device=device)
    check(lambda xp, a: a[(None,) * 53], a, device=device)


def test_empty(device):
    for shape, key in itertools.product(
        [(0,), (0, 3), (3, 0)],
        [0, slice(None), (Ellipsis, 0), slice(1, None), -1, (slice(None), slice(1))],
    ):
        check(lambda xp, a, key=key: a[key], numpy.zeros(shape), device=device)
        check(assign, numpy.zeros(shape), key, 1, device=device)


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_random_basic_index(data):
    """Any basic index of any small array, read and written."""
    a = numpy.asarray(
        data.draw(
            npst.arrays(
                "i4",
                npst.array_shapes(min_dims=0, max_dims=4, max_side=5, min_side=0),
                elements=st.integers(-9, 9),
            )
        )
    )
    key = data.draw(npst.basic_indices(a.shape, allow_newaxis=True, allow_ellipsis=True))
    second = (
        data.draw(npst.basic_indices(a[key].shape)) if isinstance(a[key], numpy.ndarray) else ()
    )
    check(lambda xp, a: a[key], a, device="cpu")
    check(lambda xp, a: a.T[::-1][key] if a.ndim else a[key], a, device="cpu")
    if isinstance(a[key], numpy.ndarray):
        check(lambda xp, a: a[key][second], a, device="cpu")
        check(lambda xp, a: assign(xp, a[key], second, a[key][second] * 2), a, device="cpu")
    check(assign, a, key, 99, device="cpu")

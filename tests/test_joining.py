"""concatenate, and what stands on it."""

import itertools

import numpy
import pytest
from oracle import check, to_device

import gpuarray

DTYPES = ["?", "i1", "u4", "i8", "f4", "f8", "F", "m8[s]"]


@pytest.mark.smoke
@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3, None])
def test_axes(device, axis):
    a = numpy.arange(24.0).reshape(2, 3, 4)
    check(lambda xp, x, y: xp.concatenate((x, y, x), axis=axis), a, a * 2, device=device)
    b, c = a.transpose(0, 2, 1), a[:, ::-1].transpose(0, 2, 1)
    check(lambda xp, x, y: xp.concatenate([x, y], axis), b, c, device=device)


@pytest.mark.parametrize(("one", "other"), list(itertools.product(DTYPES, DTYPES)))
def test_dtypes(device, one, other):
    a, b = numpy.arange(3).astype(one), numpy.arange(2).astype(other)
    check(lambda xp, x, y: xp.concatenate((x, y)), a, b, device=device)


def test_dtypes_promote_together(device):
    """int16, uint16 and float16 two by two would be float64."""
    for dtypes in (
        ["i2", "u2", "f2"],
        ["u2", "i1", "f4"],
        ["f4", "i2", "u2", "F"],
        ["?", "i1", "u1"],
    ):
        arrays = [numpy.ones((2, 3), dtype) for dtype in dtypes]
        for name in ("concatenate", "stack", "vstack", "hstack", "column_stack"):
            check(lambda xp, a, f=name: getattr(xp, f)(a), arrays, device=device)


@pytest.mark.parametrize("orders", ["CC", "FF", "CF", "FC"])
def test_order_of_the_result(device, orders):
    a, b = (numpy.array(numpy.arange(6.0).reshape(2, 3), order=order) for order in orders)
    for axis in (0, 1):
        check(lambda xp, x, y, k: xp.concatenate((x, y), axis=k), a, b, axis, device=device)
    c = numpy.arange(24.0).reshape(2, 3, 4).transpose(1, 0, 2)
    check(lambda xp, x: xp.concatenate((x, x), axis=2), c, device=device)


@pytest.mark.parametrize("seed", range(8))
def test_strides_are_numpys(device, seed):
    rng = numpy.random.default_rng(seed)
    for _ in range(25):
        shape, axes = rng.integers(1, 4, 4), rng.permutation(4)
        a = numpy.arange(shape.prod()).reshape(shape).transpose(axes)
        b = numpy.array(a, order=rng.choice(["C", "F", "K"]))
        axis = int(rng.integers(4))
        theirs = numpy.concatenate((a, b), axis)
        ours = gpuarray.concatenate((gpuarray.array(a), gpuarray.array(b)), axis)
        assert numpy.array_equal(ours.get(), theirs)
        assert ours.strides == theirs.strides, (a.shape, a.strides, b.strides, axis)


def test_dtype_and_casting(device):
    a, b = numpy.arange(3), numpy.arange(2.5)
    check(lambda xp, x, y: xp.concatenate((x, y), dtype="f4"), a, b, device=device)
    check(lambda xp, x, y: xp.concatenate((x, y), dtype="i4"), a, b, device=device)
    check(
        lambda xp, x, y: xp.concatenate((x, y), dtype="i4", casting="unsafe"), a, b, device=device
    )
    check(lambda xp, x, y: xp.concatenate((x, y), dtype="f4", casting="safe"), a, b, device=device)
    check(lambda xp, x, y: xp.concatenate((x, y), casting="nonsense"), a, b, device=device)


def test_out(device):
    def join(xp, x, y, out, **arguments):
        result = xp.concatenate((x, y), out=out, **arguments)
        return result, result is out

    a, b = numpy.arange(3), numpy.arange(2.5)
    check(join, a, b, numpy.zeros(6), device=device)
    check(join, a, b, numpy.zeros(12)[::2], device=device)
    check(join, a, b, numpy.zeros(6, "i8"), device=device)
    check(join, a, b, numpy.zeros(5), device=device)
    check(join, a, b, numpy.zeros((6, 1)), device=device)
    check(lambda xp, *arrays: join(xp, *arrays, dtype="f8"), a, b, numpy.zeros(6), device=device)
    check(
        lambda xp, *arrays: join(xp, *arrays, axis=None),
        a.reshape(3, 1),
        b,
        numpy.zeros(6),
        device=device,
    )


def test_one_array_as_the_sequence(device):
    check(lambda xp, x: xp.concatenate(x), numpy.arange(24).reshape(2, 3, 4), device=device)
    check(lambda xp, x: xp.concatenate(x), numpy.arange(3), device=device)


def test_inputs_of_other_kinds(device):
    check(lambda xp, x: xp.concatenate((x, [7, 8])), numpy.arange(3.0), device=device)
    check(
        lambda xp, x: xp.concatenate(([[1, 2]], x)),
        numpy.arange(4, dtype="f4").reshape(2, 2),
        device=device,
    )
    a = gpuarray.arange(3)
    assert gpuarray.concatenate((numpy.arange(2.0), a)).tolist() == [0, 1, 0, 1, 2]
    assert gpuarray.concatenate(([1], [2])).device == device
    assert gpuarray.concatenate((["a"], ["b"])).tolist() == ["a", "b"]


def test_empty_arrays(device):
    check(lambda xp, x, y: xp.concatenate((x, y)), numpy.zeros(0), numpy.arange(3), device=device)
    check(
        lambda xp, x, y: xp.concatenate((x, y), axis=1),
        numpy.zeros((0, 2)),
        numpy.zeros((0, 3)),
        device=device,
    )


def test_errors(device):
    a, b = numpy.zeros((2, 3)), numpy.zeros((3, 3))
    check(lambda xp: xp.concatenate(()), device=device)
    check(lambda xp, x: xp.concatenate((x, x), axis=2), a, device=device)
    check(lambda xp, x: xp.concatenate((x, x), axis="a"), a, device=device)
    check(lambda xp, x, y: xp.concatenate((x, y), axis=1), a, b, device=device)
    check(lambda xp, x, y: xp.concatenate((x, y)), a, numpy.zeros(3), device=device)
    check(lambda xp, x: xp.concatenate((x, x)), numpy.array(1.0), device=device)
    check(lambda xp: xp.concatenate(5), device=device)


@pytest.mark.parametrize("name", ["stack", "vstack", "hstack", "dstack", "column_stack"])
def test_stacks(device, name):
    for source in (
        numpy.arange(3.0),
        numpy.arange(6).reshape(2, 3),
        numpy.arange(6).reshape(2, 3).T,
    ):
        check(lambda xp, x: getattr(xp, name)((x, x + 1)), source, device=device)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, 3])
def test_stack_axes(device, axis):
    a = numpy.arange(6.0).reshape(2, 3)
    check(lambda xp, x, y: xp.stack([x, y], axis=axis), a, a + 1, device=device)


def test_large(device):
    a, b = (
        numpy.arange(300000.0).reshape(500, 600),
        numpy.arange(120000, dtype="f4").reshape(500, 240),
    )
    check(lambda xp, x, y: xp.concatenate((x, y), axis=1), a, b, device=device)


@pytest.mark.parametrize(
    "a",
    [
        numpy.arange(6.0).reshape(2, 3, order="F"),
        numpy.arange(12.0).reshape(2, 6)[:, ::2],
        numpy.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1),
        numpy.ones((600, 700, 2)).transpose(1, 0, 2),
    ],
)
def test_blocks_keep_the_order_of_axes(device, a):
    nested = [[[a, a], [a, a]], [[a], [a]], [a, a], a, [a[0], a[0]]]
    for arrangement in nested:
        theirs = numpy.block(arrangement)
        ours = gpuarray.block(to_device(arrangement, device))
        assert ours.strides == theirs.strides
    check(lambda xp, a: xp.block([[a, a[:, :1]]]), a, device=device)


@pytest.mark.parametrize("dtype", ["f4", "u1", "i8", "F", "?"])
def test_python_numbers_adapt_to_the_arrays_they_join(device, dtype):
    a = numpy.ones(2).astype(dtype)
    for numbers in ((1,), (0.5, 2), (1j,), (True,), (300,)):
        check(lambda xp, a, n=numbers: xp.concatenate([a, *n], axis=None), a, device=device)
    check(lambda xp, a: xp.union1d(a, 0), a, device=device)

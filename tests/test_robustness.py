"""Hard use: data no device holds, memory that is not there, failing calls, references."""

import sys

import numpy as np
import pytest
from oracle import check

import gpuarray

OBJECTS, WIDE = np.array([1, None, 3], object), np.arange(3, dtype="g")


@pytest.mark.parametrize("name", ["any", "all"])
@pytest.mark.parametrize(
    "values", [OBJECTS, WIDE, np.array(["a", ""]), [1, None], [2**70, 1]], ids=str
)
def test_truth_of_data_on_the_host(name, values, device):
    check(lambda xp: getattr(xp, name)(values), device=device)


@pytest.mark.parametrize("name", ["argmax", "argmin", "mean"])
@pytest.mark.parametrize("values", [WIDE, [2**70, 1]], ids=str)
def test_reductions_of_data_on_the_host(name, values, device):
    check(lambda xp: getattr(xp, name)(values, axis=0), device=device)


@pytest.mark.parametrize("name", ["dot", "matmul"])
@pytest.mark.parametrize("values", [WIDE, [2**70, 1, 2]], ids=str)
def test_products_of_data_on_the_host(name, values, device):
    check(lambda xp: getattr(xp, name)(values, values), device=device)
    check(lambda xp, a: getattr(xp, name)(a, values), np.arange(3.0), device=device)


@pytest.mark.parametrize(
    "call", [lambda xp, a: xp.matmul(a, None), lambda xp, a: xp.dot(a, ["a"] * 3)]
)
def test_products_of_nonsense(call, device):
    assert isinstance(check(call, np.arange(3.0), device=device), (TypeError, ValueError))


@pytest.mark.smoke
@pytest.mark.parametrize("dtype", ["?", "i1", "f2", "f4", "i8", "c16", "m8[s]", "M8[D]"])
def test_where_and_masks(dtype, device):
    """A mask without a pattern, over whole, strided and turned arrays."""
    mask = np.random.default_rng(1).random((50, 40)) > 0.5
    a = np.arange(2000).reshape(50, 40).astype("i8" if dtype[0] in "mM" else dtype).astype(dtype)

    def run(xp, a, mask):
        target, columns, turned = xp.zeros_like(a), xp.zeros_like(a), xp.zeros_like(a)
        xp.copyto(target, a, where=mask)
        xp.copyto(columns[:, ::2], a[:, 1::2], where=mask[:, ::2])
        xp.copyto(turned.T, a.T, where=mask.T)
        return xp.where(mask, a, a[::-1]), target, columns, turned

    check(run, a, mask, device=device)


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, t, z: t.clip(t[0], t[1]),
        lambda xp, t, z: xp.clip(t, 2, 5),
        lambda xp, t, z: z.mean(0),
        lambda xp, t, z: z.mean(()),
        lambda xp, t, z: z.sum(0),
        lambda xp, t, z: z.repeat(2, -1),
        lambda xp, t, z: z.repeat(2, 1),
    ],
)
def test_times_and_arrays_without_dimensions(call, device):
    check(call, np.array([3, 9, 4], "m8[s]"), np.array(3.5), device=device)


def test_times_have_no_conjugate(device):
    with pytest.raises(TypeError, match="cannot conjugate"):
        gpuarray.zeros(3, "m8[s]").conj()


@pytest.mark.parametrize("shape", [10**14, (10**7, 10**7)])
def test_memory_that_is_not_there(shape, device):
    for make in (gpuarray.empty, gpuarray.zeros, gpuarray.ones):
        with pytest.raises(MemoryError, match=r"asked for 800000000000000 bytes.*free.*total"):
            make(shape, device=device)
    with pytest.raises(ValueError):
        gpuarray.empty(2**60, device=device)
    assert int(gpuarray.arange(5, device=device).sum()) == 10


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, a: a.__setitem__(9, 1),
        lambda xp, a: a.__setitem__([0, 9], 1),
        lambda xp, a: a.__setitem__(slice(None), [1, 2]),
        lambda xp, a: a.__setitem__(0, "x"),
        lambda xp, a: xp.add(a, [1, 2], out=a),
        lambda xp, a: xp.add(a, 1j, out=a),
        lambda xp, a: a.__iadd__(xp.ones((2, 4))),
        lambda xp, a: a.fill("x"),
        lambda xp, a: xp.copyto(a, [1, 2]),
        lambda xp, a: xp.sum(a, out=a),
        lambda xp, a: a.reshape(3),
    ],
)
def test_a_failing_call_changes_nothing(call, device):
    """Not even what NumPy writes before it finds the fault, as put does."""
    a = gpuarray.arange(4.0)
    with pytest.raises((TypeError, ValueError, IndexError)):
        call(gpuarray, a)
    assert a.tolist() == [0, 1, 2, 3]


def expect_failure(call):
    with pytest.raises((TypeError, ValueError, IndexError)):
        call()


def test_references_are_given_back(device):
    x, host, dtype = gpuarray.ones((3, 4)), np.ones((3, 4)), np.dtype("M8[D]")
    calls = [
        lambda: x + x,
        lambda: x + host,
        lambda: host + x,
        lambda: x[1:, None].sum(axis=0),
        lambda: float(x.sum()),
        lambda: gpuarray.add(x, x, out=gpuarray.empty((3, 4))),
        lambda: np.concatenate([x, x]),
        lambda: gpuarray.arange(4).astype(dtype),
        lambda: np.asarray(x),
        lambda: gpuarray.mean([2**70, 1]),
        lambda: expect_failure(lambda: x + gpuarray.ones(5)),
        lambda: expect_failure(lambda: x[9]),
        lambda: expect_failure(lambda: gpuarray.add(x, x, out=gpuarray.ones(2))),
    ]
    for call in calls:
        call()
        before = [sys.getrefcount(each) for each in (x, host, dtype)]
        for _ in range(50):
            call()
        after = [sys.getrefcount(each) for each in (x, host, dtype)]
        assert all(abs(b - a) < 25 for a, b in zip(before, after, strict=True))


@pytest.mark.smoke
@pytest.mark.parametrize(
    "call",
    [
        lambda xp, a: xp.broadcast_to(a[::-1], (2, 3, 4)),
        lambda xp, a: xp.broadcast_to(a.T[::-2, ::-1], (5, 2, 3)) + 1,
        lambda xp, a: xp.power(a, xp.asarray(2), out=xp.zeros((3, 4), int), where=a > 3),
        lambda xp, a: xp.power(a, a[0] - 1, out=xp.zeros((3, 4), int), where=a > 20),
        lambda xp, a: xp.power(a[:0], a[0] - 1),
        lambda xp, a: xp.power(a, a[0] - 1, out=xp.zeros((3, 4), int), where=a % 4 > 0),
        lambda xp, a: xp.power(a, a[0] - 1, out=xp.zeros((3, 4), int), where=a[:, :1] > 3),
    ],
)
def test_found_by_random_calls(call, device):
    check(call, np.arange(12).reshape(3, 4), device=device)

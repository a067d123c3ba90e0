"""ndarray itself: construction, flags, iteration, reductions as methods, lifetime, the list of its names."""

import inspect
import operator
import weakref

import numpy
import pytest
from grids import grid
from oracle import check

import gpuarray


@pytest.mark.smoke
def test_flags_as_mapping(device):
    def body(xp):
        flags = xp.asarray(grid()).T.flags
        return [flags[key] for key in ("C", "F", "W", "A", "X", "C_CONTIGUOUS", "FORC", "FNC", "B")]

    check(body, device=device)
    check(lambda xp: xp.asarray(grid()).flags["nonsense"], device=device)
    check(lambda xp: repr(xp.zeros((2, 3)).T.flags), device=device)
    check(lambda xp: xp.zeros((2, 3)).flags == xp.ones((4, 5)).flags, device=device)


def test_writeable(device):
    def refuse(xp):
        a = xp.zeros(3)
        a.flags.writeable = False
        a[0] = 1

    def through_view(xp):
        a = xp.zeros(3)
        a.setflags(write=False)
        a[1:].flags.writeable = True

    def again(xp):
        a = xp.zeros(3)
        a.flags["W"] = False
        a.flags.writeable = True
        a[0] = 1
        return a

    for body in (refuse, through_view, again):
        check(body, device=device)


def test_reduction_methods(device):
    a = grid()
    for name in ("sum", "prod", "max", "min", "any", "all", "mean", "argmax", "argmin"):
        check(lambda xp, a, name=name: getattr(a, name)(), a, device=device, rtol=1e-14)
        check(lambda xp, a, name=name: getattr(a, name)(0), a, device=device, rtol=1e-14)
        check(
            lambda xp, a, name=name: getattr(a, name)(axis=-1, keepdims=True),
            a,
            device=device,
            rtol=1e-14,
        )
        check(lambda xp, a, name=name: getattr(a, name)(axis=7), a, device=device)
        check(lambda xp, a, name=name: getattr(a, name)(wrong=7), a, device=device)
        check(lambda xp, a, name=name: getattr(a[:0], name)(), a, device=device)
    check(lambda xp, a: a.sum(where=a > 3, initial=10), a, device=device)
    check(lambda xp, a: a.mean(where=a > 3, axis=1), a, device=device)
    check(lambda xp, a: a.max(initial=99), a, device=device)
    check(lambda xp, a: a.sum((0, 1), "f4"), a, device=device)
    check(lambda xp, a, out: a.sum(0, None, out), a, numpy.zeros(4), device=device)
    check(lambda xp, a, out: a.mean(0, None, out) is out, a, numpy.zeros(4, "f4"), device=device)
    for dtype in ("?", "i4", "u8", "e", "f", "D"):
        check(
            lambda xp, a: (a.mean(), a.mean(0), a.sum(), a.sum(1)),
            grid(dtype),
            device=device,
            rtol=1e-6,
        )


def test_contains(device):
    check(lambda xp, a: (3 in a, 99 in a, numpy.float64(5) in a, True in a), grid(), device=device)
    check(lambda xp, a: 3 in a[:0], grid(), device=device)
    check(lambda xp, a: 2j in a, grid("D"), device=device)


def test_iteration(device):
    check(lambda xp, a: list(a), grid(), device=device)
    check(lambda xp, a: list(a[0]), grid(), device=device)
    check(lambda xp, a: list(a[0, 0, ...]), grid(), device=device)
    check(lambda xp, a: [list(row) for row in a.T[1:]], grid(), device=device)
    check(lambda xp, a: operator.length_hint(iter(a)), grid(), device=device)

    def written(xp, a):
        for row in a:
            row[0] = -1
        first, *_, last = a
        last[1] = first[1]
        return a

    check(written, grid(), device=device)


def test_devices(device):
    ours = gpuarray.asarray(grid(order="F"), device=device)
    assert ours.to_device(device) is ours
    assert ours.to_device(ours.device) is ours
    there = ours.to_device("cpu")
    assert (
        str(there.device) == "cpu" and there.flags.f_contiguous and there.tolist() == ours.tolist()
    )
    with pytest.raises(ValueError):
        ours.to_device("tpu")
    with pytest.raises(ValueError):
        ours.to_device(device, stream=3)
    assert ours.__array_namespace__() is gpuarray
    assert ours.__array_namespace__(api_version="2024.12") is gpuarray
    with pytest.raises(ValueError):
        ours.__array_namespace__(api_version="1999.01")


@pytest.mark.smoke
def test_constructor(device):
    a = gpuarray.ndarray((2, 3), "f4", order="F", device=device)
    assert (a.shape, a.dtype, a.flags.f_contiguous, str(a.device)) == (
        (2, 3),
        numpy.dtype("f4"),
        True,
        device,
    )
    base = gpuarray.arange(12, device=device)
    view = gpuarray.ndarray((2, 2), "i8", buffer=base, offset=8, strides=(32, 16))
    assert view.tolist() == [[1, 3], [5, 7]] and view.base is base
    for arguments in [{"offset": 80}, {"offset": -8}, {"strides": (800, 8)}]:
        with pytest.raises((TypeError, ValueError)):
            gpuarray.ndarray((2, 2), "i8", buffer=base, **arguments)
    for arguments in [((-1,),), ((2,), "S3"), ((2,), "f4", b"12345678")]:
        with pytest.raises((TypeError, ValueError)):
            gpuarray.ndarray(*arguments)


def test_no_such_memory(device):
    if device == "cpu":
        pytest.skip("the system overcommits")
    with pytest.raises(MemoryError, match="free"):
        gpuarray.empty(2**45, device=device)
    assert gpuarray.ones(3, device=device).sum() == 3


def test_too_large(device):
    check(lambda xp: xp.zeros((2**40, 2**40)), device=device)
    check(lambda xp: xp.zeros((1,) * 65), device=device)


def test_weak_references_and_free_list(device):
    a = gpuarray.zeros(3, device=device)
    reference = weakref.ref(a)
    assert reference() is a
    del a
    assert reference() is None
    kept = [gpuarray.zeros((1, 2, 1, 2, 1, 2), device=device) for _ in range(300)]
    del kept
    again = [gpuarray.zeros(2, device=device) for _ in range(300)]
    assert all(weakref.getweakrefcount(x) == 0 and x.base is None for x in again)


def test_bases(device):
    a = gpuarray.zeros((3, 4), device=device)
    assert a.base is None and a.flags.owndata
    view = a[1:][:, 1:].T
    assert view.base is a and not view.flags.owndata
    assert a[0, 0].base is None


def test_signatures():
    """Every method can be inspected, with NumPy's parameter names."""
    same = [
        *("astype", "copy", "reshape", "ravel", "flatten", "transpose", "swapaxes", "squeeze"),
        *("diagonal", "item", "resize", "all", "any", "argmax", "argmin", "fill", "tobytes"),
        *("tolist", "setflags"),
    ]
    for name in same:
        mine, theirs = (inspect.signature(getattr(xp.ndarray, name)) for xp in (gpuarray, numpy))
        assert list(mine.parameters) == list(theirs.parameters), name
        defaults = [
            [p.default for p in signature.parameters.values()] for signature in (mine, theirs)
        ]
        assert defaults[0] == defaults[1], name
    for name in dir(gpuarray.ndarray):
        method = getattr(gpuarray.ndarray, name)
        if callable(method) and not name.startswith("_"):
            inspect.signature(method)


def test_every_public_name():
    missing = [
        n
        for n in dir(numpy.ndarray)
        if not n.startswith("_") and n != "ctypes" and not hasattr(gpuarray.ndarray, n)
    ]
    assert missing == []


FIELDS = [("f4", 0), ("f4", 4), ("u1", 3), ("u2", 1), ("i8", 0), ("f8", 4), ("u1", 8), ("u1", -1)]


@pytest.mark.parametrize("dtype", ["f8", "i8", "c16", "m8[s]"])
@pytest.mark.parametrize("part, offset", FIELDS)
def test_fields(device, dtype, part, offset):
    a = numpy.arange(1, 7).reshape(2, 3).astype(dtype)
    check(lambda xp, a: a.getfield(part, offset), a, device=device, order=False)
    check(lambda xp, a: a.T.getfield(part, offset), a, device=device, order=False)
    check(lambda xp, a: a.setfield(3, part, offset), a, device=device)
    check(lambda xp, a: a.T.setfield([1, 2], part, offset), a, device=device)
    check(lambda xp, a: a.setfield([1, 2, 3, 4], part, offset), a, device=device)


def test_an_aligned_field_is_a_view(device):
    a = gpuarray.zeros(3, "i8")
    a.getfield("i4", 4)[...] = 1
    assert a.tolist() == [2**32] * 3
    a.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        a.setfield(1, "i4")


@pytest.mark.parametrize("dtype", ["?", "i2", "u4", "f8", "c8", "c16", "M8[s]"])
def test_byteswap(device, dtype):
    for a in (numpy.arange(6).reshape(2, 3).astype(dtype), numpy.array(5).astype(dtype)):
        check(lambda xp, a: a.byteswap().view("u1"), a.reshape(-1), device=device)
        check(lambda xp, a: a.T.byteswap().flags.f_contiguous, a, device=device)
        check(lambda xp, a: a.byteswap().byteswap(), a, device=device)
        check(lambda xp, a: a.byteswap(inplace=True) is a, a, device=device)
    check(lambda xp, a: a[:0].byteswap(), numpy.arange(3).astype(dtype), device=device)

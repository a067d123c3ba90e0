"""Arrays and scalars to other dtypes, to Python objects, to text, to copies and pickles."""

import copy
import math
import operator
import pickle
import warnings

import numpy
import pytest
from grids import DTYPES, grid
from oracle import check

import gpuarray

# Dates and spans of a unit convert in test_times.py.
WITHOUT_UNITS = [dtype for dtype in DTYPES if dtype[0] != "M" and dtype != "m8[ms]"]


@pytest.mark.smoke
@pytest.mark.parametrize("dtype", DTYPES)
def test_dtype_survives(device, dtype):
    host = grid(dtype)
    ours = gpuarray.asarray(host, device=device)
    assert ours.dtype is host.dtype or ours.dtype == host.dtype
    check(lambda xp, a: a.copy(), host, device=device)
    check(lambda xp, a: a[1, 2], host, device=device)
    check(lambda xp, a: a.tolist(), host, device=device)
    check(lambda xp, a: a.item(5), host, device=device)
    check(lambda xp, a: a.tobytes("F"), host, device=device)
    check(lambda xp, a: (repr(a), str(a), repr(a[0, 1]), str(a[0, 1])), host, device=device)
    check(lambda xp, a: bool(a[0, 0]), host, device=device)
    check(lambda xp, a: hash(a[1, 2]), host, device=device)


@pytest.mark.smoke
@pytest.mark.parametrize("source", WITHOUT_UNITS)
@pytest.mark.parametrize("target", WITHOUT_UNITS)
def test_astype(device, source, target):
    check(lambda xp, a: a.astype(target), grid(source), device=device)
    for casting in ("no", "equiv", "safe", "same_kind"):
        check(
            lambda xp, a, casting=casting: a.astype(target, casting=casting),
            grid(source),
            device=device,
        )


def test_doubles_become_float16_by_one_rounding(device):
    """Between each two neighbours, and so little beside that float32 does not see it."""
    halves = numpy.arange(0x7C00, dtype="u2").view("e").astype("f8")
    middle = (halves[1:] + halves[:-1]) / 2
    beside = [middle, numpy.nextafter(middle, 0), numpy.nextafter(middle, 1e9), middle * (1 + 1e-9)]
    far = [
        numpy.array([65519.999999, 65520.0, 1e300, 1e-300, 5e-324, numpy.inf, numpy.nan, 2.0**-25])
    ]
    numbers = numpy.concatenate(beside + far)
    check(lambda xp, a: (a.astype("e"), (-a).astype("e")), numbers, device=device)
    check(lambda xp, a: (a.astype("e"), (a + 1j).astype("e")), numbers[::3], device=device)


def test_astype_arguments(device):
    a = grid()
    check(lambda xp, a: a.astype("d", copy=False) is a, a, device=device)
    check(lambda xp, a: a.astype("d", order="F", copy=False) is a, a, device=device)
    check(lambda xp, a: a.astype("d") is a, a, device=device)
    check(lambda xp, a: a.astype(), a, device=device)
    check(lambda xp, a: a.astype("i4", casting="nonsense"), a, device=device)
    check(lambda xp, a: a[0, 1].astype("i4"), a, device=device)
    with pytest.raises(TypeError, match="S5"):
        gpuarray.ones(3, device=device).astype("S5")
    with pytest.warns(numpy.exceptions.ComplexWarning):
        gpuarray.ones(3, dtype="D", device=device).astype("d")


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, a: a.sum(dtype="f4"),
        lambda xp, a: xp.prod(a, axis=0, dtype="i4"),
        lambda xp, a: a.sum(out=xp.zeros((), "d")),
        lambda xp, a: xp.cumsum(a, out=xp.zeros(a.size, "f4")),
        lambda xp, a: a.mean(axis=0, dtype="d"),
        lambda xp, a: xp.add.reduceat(a, [0], dtype="i8"),
        lambda xp, a: xp.negative(a, out=xp.zeros(a.shape), casting="unsafe"),
        lambda xp, a: xp.add(a, 1, dtype="d", casting="unsafe"),
        lambda xp, a: xp.copyto(xp.zeros(a.shape), 1j, casting="unsafe"),
        lambda xp, a: xp.concatenate([a, a], dtype="f4", casting="unsafe"),
        lambda xp, a: xp.full((2, 2), a[0, 0], "f4"),
        lambda xp, a: xp.full((2, 2), a, "f4"),
    ],
    ids=range(12),
)
def test_lost_imaginary_parts_are_warned_of(device, call):
    a = numpy.array([[1 + 2j, 3], [4, 5j]])
    for xp in (numpy, gpuarray):
        with pytest.warns(numpy.exceptions.ComplexWarning):
            call(xp, xp.asarray(a))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(numpy.exceptions.ComplexWarning):
            call(gpuarray, gpuarray.asarray(a))


UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "7s", "25ms"]


@pytest.mark.parametrize("source", UNITS)
@pytest.mark.parametrize("target", UNITS)
def test_times(device, source, target):
    values = numpy.array([0, 1, -1, 13, -2000, numpy.iinfo("i8").min])
    check(lambda xp, a: a.astype(f"m8[{target}]"), values.view(f"m8[{source}]"), device=device)
    check(lambda xp, a: a.astype(f"M8[{target}]"), values.view(f"M8[{source}]"), device=device)


def test_times_and_numbers(device):
    for dtype in ("M8[s]", "m8[ms]"):
        for other in ("i8", "i4", "u1", "d"):
            check(lambda xp, a, dtype=dtype: a.astype(dtype), grid(other), device=device)
        for other in ("i8", "i4", "u1"):
            check(lambda xp, a, other=other: a.astype(other), grid(dtype), device=device)


def test_swapped_bytes(device):
    host = grid(">f8")
    check(lambda xp: xp.asarray(host).sum().item(), device=device)
    ours = gpuarray.ones(3, device=device).astype(">i4")
    assert ours.dtype == numpy.dtype("i4") and ours.dtype.isnative


@pytest.mark.parametrize(
    "args", [(), (3,), (-1,), (1, 2), ((1, 2),), (12,), (1, 4), (1, 2, 3), (-4, 0), ("a",)]
)
def test_item(device, args):
    check(lambda xp, a: a.item(*args), grid(), device=device)
    check(lambda xp, a: a.T[1:].item(*args), grid(), device=device)
    check(lambda xp, a: a[1, 2].item(*args), grid(), device=device)


def test_fill(device):
    def body(xp, a, value):
        a[:, ::2].fill(value)
        return a

    for value in (3, 2.5, numpy.float32(1), True, numpy.array(4), "5"):
        check(body, grid(), value, device=device)
    check(body, grid("u1"), 300, device=device)
    check(body, grid("u1"), -1, device=device)
    check(body, grid(), [1, 2], device=device)


CONVERSIONS = [
    bool,
    int,
    float,
    complex,
    operator.index,
    len,
    hash,
    list,
    round,
    math.floor,
    str,
    repr,
    iter,
]


@pytest.mark.parametrize("convert", CONVERSIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    "value", [0, 3, 2.75, 1 + 2j, True, [5], [1.5], [1, 2], [], [[7]], [True]], ids=str
)
def test_conversion(device, convert, value):
    if convert is not iter:
        check(lambda xp: convert(xp.array(value)), device=device)
    if not isinstance(value, list):
        check(lambda xp: convert(xp.array([value])[0]), device=device) if convert not in (
            iter,
            list,
            len,
        ) else None
    if convert in (iter, len, list) and not isinstance(value, list):
        with pytest.raises(TypeError):
            convert(gpuarray.array([value], device=device)[0])


@pytest.mark.parametrize("spec", ["", ".2f", "10.3e", "d", ">8", "x"])
def test_format(device, spec):
    for value in (1.5, 7, [1.5], [1, 2]):
        check(lambda xp, value=value: format(xp.array(value), spec), device=device)
    check(lambda xp: format(xp.array([1.5])[0], spec), device=device)
    check(lambda xp: format(xp.array([7])[0], spec), device=device)


def test_round_of_an_array_without_axes(device):
    for decimals in (-1, 0, 1):
        for dtype in ("f4", "D", "i4"):
            check(lambda xp, a, n=decimals: xp.round(a, n), numpy.array(3.26, dtype), device=device)


def test_round_of_scalars(device):
    for value in (1.25, 2.5, -0.5, 1234):
        for digits in (None, 0, 1, -2):
            args = () if digits is None else (digits,)
            check(
                lambda xp, value=value, args=args: round(xp.array([value])[0], *args), device=device
            )
    check(lambda xp: round(xp.array(1.5)), device=device)


@pytest.mark.smoke
def test_scalars_pass_for_numbers(device):
    """Traps 4, 6, 7 and 31 of NumPy's users."""
    check(lambda xp: {xp.arange(3).sum(): 1}[3], device=device)
    check(lambda xp: [10, 20, 30][xp.array([1, 5, 2]).argmax()], device=device)
    check(lambda xp: range(xp.arange(4).max()), device=device)
    check(lambda xp: hash(xp.array(3)), device=device)
    check(lambda xp: "abc" * xp.array([2])[0], device=device) if device == "cpu" else None

    def copied(xp):
        a = xp.arange(3)
        x = a[0]
        a[0] = 9
        return int(x)

    def rebound(xp):
        x = xp.arange(3).sum()
        y = x
        x += 1
        return x, y

    def assigned(xp):
        xp.arange(3).sum()[()] = 1

    def assigned_all(xp):
        xp.arange(3)[1][...] = 1
        return xp.arange(3)[1]

    for body in (copied, rebound, assigned, assigned_all):
        check(body, device=device)


def test_methods_of_scalars(device):
    names = [
        *(
            "reshape(1)",
            "reshape(())",
            "ravel()",
            "flatten()",
            "copy()",
            "astype('f4')",
            "view('i8')",
        ),
        *("T", "transpose()", "squeeze()", "real", "imag", "shape", "ndim", "size", "dtype"),
        *(
            "item()",
            "tolist()",
            "tobytes()",
            "sum()",
            "max()",
            "mean()",
            "any()",
            "argmax()",
            "conj()",
        ),
        *("flags.writeable", "flags.owndata"),
    ]
    for name in names:
        check(lambda xp, name=name: eval("x." + name, {"x": xp.array([2.5])[0]}), device=device)


def test_copies(device):
    for clone in (
        copy.copy,
        copy.deepcopy,
        lambda a: a.copy(),
        lambda a: pickle.loads(pickle.dumps(a)),
    ):
        for make in (
            lambda a: a,
            lambda a: a.T,
            lambda a: a[:, ::2],
            lambda a: a[0, 1],
            lambda a: a[:0],
            lambda a: a[0, 0, ...],
        ):
            check(lambda xp, a, make=make, clone=clone: clone(make(a)), grid(), device=device)


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_keeps_device(device, protocol):
    ours = gpuarray.asarray(grid("f4", order="F"), device=device)
    back = pickle.loads(pickle.dumps(ours, protocol))
    assert back.device == ours.device and back.dtype == ours.dtype and back.flags.f_contiguous
    back[0, 0] = 5
    assert ours[0, 0] == 0


def test_pickle_of_absent_device(device):
    function, (host, _, scalar) = gpuarray.ones(3, device=device).__reduce__()
    with pytest.warns(RuntimeWarning, match="cuda:99"):
        back = function(host, "cuda:99", scalar)
    assert back.tolist() == [1.0, 1.0, 1.0]


def test_empty_arrays_come_in_as_others(device):
    """Read-only stays read-only where memory is shared, and no elements are no copy."""
    empty = numpy.zeros((0, 3))
    empty.flags.writeable = False
    shared = device == "cpu"
    assert gpuarray.asarray(empty, device=device).flags.writeable != shared
    assert gpuarray.array(empty, device=device).flags.writeable
    if shared:
        assert gpuarray.asarray(empty, copy=False).shape == (0, 3)
        with pytest.raises(ValueError, match="read-only"):
            gpuarray.asarray(empty).fill(1)

"""Operators of ndarray: reflected, in-place, power's short cuts, comparison, and giving way to foreign operands."""

import operator

import numpy
import pytest
from oracle import check

import gpuarray

BINARY = [
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "and_",
    "or_",
    "xor",
    "lshift",
    "rshift",
]
INTEGER_ONLY = {"and_", "or_", "xor", "lshift", "rshift"}
COMPARISONS = ["lt", "le", "eq", "ne", "gt", "ge"]


def operand(dtype, flip=False):
    a = numpy.array([1, 5, 2, 3], dtype)
    return a[::-1].copy() if flip else a


@pytest.mark.smoke
@pytest.mark.parametrize("dtype", ["i4", "u1", "f4", "f8", "c16"])
@pytest.mark.parametrize("name", BINARY + COMPARISONS)
def test_binary(name, dtype, device):
    function = getattr(operator, name)
    check(
        lambda xp, a, b: function(a, b), operand(dtype), operand(dtype, True), device=device, ulp=4
    )


@pytest.mark.parametrize("number", [2, 2.0, True, numpy.float32(2), numpy.int8(2)], ids=repr)
@pytest.mark.parametrize("name", BINARY + COMPARISONS)
def test_numbers_on_either_side(name, number, device):
    function = getattr(operator, name)
    for dtype in ("i8", "u2", "f4"):
        check(lambda xp, a: function(a, number), operand(dtype), device=device, ulp=4)
        check(lambda xp, a: function(number, a), operand(dtype), device=device, ulp=4)


@pytest.mark.parametrize("name", ["i" + name.strip("_") for name in BINARY])
def test_in_place(name, device):
    function = getattr(operator, name)
    dtype = "i8" if name[1:] in {n.strip("_") for n in INTEGER_ONLY} else "f8"

    def run(xp, a, b):
        same = a
        a = function(a, b)
        assert a is same
        view = a[::2]
        view = function(view, 2)
        return a

    check(run, operand(dtype), operand(dtype, True), device=device, ulp=4)


@pytest.mark.parametrize(
    "call",
    [
        lambda a: operator.iadd(a, 1.5),
        lambda a: operator.itruediv(a, 2),
        lambda a: operator.iadd(a, 1j),
        lambda a: operator.iadd(a, numpy.ones((2, 4))),
        lambda a: operator.ipow(a, -1),
    ],
)
def test_in_place_refuses(call, device):
    assert isinstance(check(lambda xp, a: call(a), operand("i4"), device=device), Exception)


def test_in_place_casts_within_a_kind(device):
    check(lambda xp, a, b: operator.iadd(a, b), operand("f4"), operand("f8"), device=device)
    check(lambda xp, a, b: operator.iadd(a, b), operand("i2"), operand("i8"), device=device)


def test_in_place_on_a_scalar_rebinds(device):
    def run(xp, a):
        x = a.sum()
        y = x
        x += 1
        z = a[0]
        z *= 5
        return x, y, z, a

    check(run, numpy.arange(3), device=device)


def test_in_place_on_an_array_without_dimensions(device):
    a = gpuarray.zeros((), device=device)
    b = a
    b += 2
    assert a is b and float(a) == 2.0


@pytest.mark.parametrize("dtype", ["?", "i1", "u4", "f2", "f4", "f8", "c8", "m8[s]"])
@pytest.mark.parametrize("name", ["neg", "pos", "abs", "invert"])
def test_unary(name, dtype, device):
    a = numpy.array([0, 1, 3, 1], "i1").astype(dtype)
    check(lambda xp, x: getattr(operator, name)(x), a, device=device)


@pytest.mark.parametrize("exponent", [2, 2.0, 0.5, -1, 1, 0, 3, -1.0, 1.5, 2j], ids=repr)
@pytest.mark.parametrize("dtype", ["i4", "u1", "f4", "f8", "c16", "?"])
def test_power_short_cuts(dtype, exponent, device):
    check(lambda xp, a: a**exponent, numpy.array([1, 4, 9]).astype(dtype), device=device, rtol=1e-6)


def test_power_takes_no_modulus(device):
    assert isinstance(check(lambda xp, a: pow(a, 2, 3), numpy.arange(3), device=device), TypeError)


def test_divmod(device):
    check(
        lambda xp, a: (divmod(a, 3), divmod(7, a + 8), divmod(a * 1.0, 2.5)),
        numpy.arange(-4, 4),
        device=device,
    )


@pytest.mark.parametrize(
    "other",
    ["abc", None, [1, 2, 3], NotImplemented, numpy.array(["a", "b", "c", "d"]), {}],
    ids=str,
)
@pytest.mark.parametrize("name", COMPARISONS)
def test_comparing_with_anything(name, other, device):
    function = getattr(operator, name)
    check(lambda xp, a: function(a, other), operand("i8"), device=device)


def test_foreign_operands_take_over(device):
    class OptsOut:
        __array_ufunc__ = None

        def __radd__(self, other):
            return "radd"

        def __eq__(self, other):
            return "eq"

        __hash__ = None

    class Higher:
        __array_priority__ = 1000

        def __radd__(self, other):
            return "radd"

    a = gpuarray.ones(3, device=device)
    assert a + OptsOut() == "radd" and (a == OptsOut()) == "eq"
    assert a + Higher() == "radd"
    with pytest.raises(TypeError):
        a + object()


def test_lists_and_numpy_arrays(device):
    check(
        lambda xp, a: (a + [1, 2, 3, 4], [1, 2, 3, 4] - a, a * (1.5, 2, 3, 4)),
        operand("i8"),
        device=device,
    )
    a = gpuarray.arange(4, device=device)
    for result in (
        a + numpy.arange(4),
        numpy.arange(4) + a,
        numpy.float64(2) * a,
        a - numpy.array(2),
    ):
        assert isinstance(result, gpuarray.ndarray) and result.device == a.device


def test_scalar_results(device):
    check(
        lambda xp, a: (a[0] + 1, a.sum() * 2.5, a[1] < a[2], -a[0], a[0, ...] + 1),
        operand("f4"),
        device=device,
    )


def test_chained(device):
    check(
        lambda xp, a, b: ((a - b) / (a + b + 1)) ** 2 > 0.25,
        operand("f8"),
        operand("f8", True),
        device=device,
    )


@pytest.mark.parametrize(
    "number", [2**63, 2**70, -(2**70), 10**400], ids=["u8", "wide", "negative", "huge"]
)
def test_large_exponents(number, device):
    for dtype in ("f4", "f8"):
        check(lambda xp, a: a**number, numpy.array([1.0, 2.0, 0.5], dtype), device=device)


def test_sequences_are_repeated(device):
    check(
        lambda xp, a: ([0] * a.max(), a.argmax() * "ab", (1, 2) * a[0]),
        operand("i8"),
        device=device,
    )


def test_text_and_wide_numbers(device):
    for other in (b"x", "x"):
        assert isinstance(
            check(lambda xp, a, b=other: b + a, operand("i8"), device=device), TypeError
        )
    wide = numpy.longdouble(1.5)
    assert isinstance(
        check(lambda xp, a: operator.iadd(a, wide), operand("i8"), device=device), TypeError
    )


def test_subclasses_of_numpy_arrays(device):
    masked = numpy.ma.array([1, 2, 3, 4], mask=[True, False, False, False])
    a = gpuarray.array(operand("i8"), device=device)
    result = a + masked
    assert isinstance(result, numpy.ma.MaskedArray) and result.mask.tolist() == masked.mask.tolist()
    assert isinstance(
        a + numpy.memmap.__new__(numpy.memmap, __file__, "u1", "r", shape=4), gpuarray.ndarray
    )

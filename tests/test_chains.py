"""Functions that run as one kernel: the same bits as the chain of ufuncs that they stand for, on every layout."""

import numpy as np
import pytest
from backend_calls import count_calls
from oracle import Tolerance, compare

import gpuarray
from gpuarray import _chains, _core
from gpuarray._chains import chained, where


@chained
def arithmetic(x, y, number):
    rest = (x - y) * number + 2 * number
    return _chains.maximum(rest, x) // y + abs(rest) % 3, -rest / 7


@chained
def truths(x, y, number):
    return (x < y) & ~_chains.isnan(x) | (y >= number) & (x != y) | (x == y), x <= y


@chained
def functions(x, y, number):
    chosen = where(x > number, _chains.floor(x), _chains.ceil(y))
    return chosen, _chains.sqrt(abs(x - y)), _chains.minimum(_chains.rint(y), x)


FUNCTIONS = {"arithmetic": arithmetic, "truths": truths, "functions": functions}


def make_operands(dtype, shape, device):
    generator = np.random.default_rng(8)
    x = np.asarray(generator.normal(size=shape) * 4)
    if x.size > 2:
        x.flat[0], x.flat[1] = np.nan, np.inf
    return [
        gpuarray.asarray(np.asarray(each, dtype), device=device) for each in (x, np.flip(x) + 0.5)
    ]


def check_alike(function, *operands, device):
    """One kernel gives what the function gives step by step."""
    with count_calls(device) as calls:
        ours = function(*operands)
    assert calls == {"expression": 1}
    theirs = function.function(*operands)
    for one, other in zip(ours, theirs, strict=True):
        assert one.strides == other.strides and one.flags.writeable == other.flags.writeable
        compare(one, gpuarray.asnumpy(other), Tolerance(), False, "result")


@pytest.mark.parametrize("dtype", "efd")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_bits_are_those_of_the_chain(device, name, dtype):
    x, y = make_operands(dtype, (70, 9), device)
    check_alike(FUNCTIONS[name], x, y, 1.5, device=device)
    check_alike(FUNCTIONS[name], x.T, y.T, 2, device=device)
    check_alike(FUNCTIONS[name], x[::2, ::-1], y[1::2, 3:4], 0.1, device=device)
    check_alike(FUNCTIONS[name], x[:, :1], y, x[0], device=device)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_float32_beside_float64(device, name):
    (x, _), (_, y) = make_operands("f", (70, 9), device), make_operands("d", (70, 9), device)
    check_alike(FUNCTIONS[name], x, y, 0.3, device=device)
    check_alike(FUNCTIONS[name], y, x, x[:1], device=device)


@pytest.mark.parametrize("shape", [(), (1,), (256,), (257,), (5000,), (3, 1, 2, 2, 1, 3)])
def test_sizes(device, shape):
    x, y = make_operands("d", shape, device)
    for function in FUNCTIONS.values():
        for one, other in zip(function(x, y, 0.5), function.function(x, y, 0.5), strict=True):
            assert one.shape == other.shape
            compare(one[...], gpuarray.asnumpy(other), Tolerance(), False, "result")


def test_empty(device):
    x, y = make_operands("f", (0, 4), device)
    assert [each.shape for each in arithmetic(x, y, 1.0)] == [(0, 4)] * 2


def test_other_operands_take_the_chain(device):
    x = gpuarray.arange(6, device=device)
    assert arithmetic(x + 1, x + 2, 2)[0].dtype == int
    result = truths(x, gpuarray.ones(6, "c8", device=device), 1)
    assert result[1].tolist() == [True, True] + [False] * 4


def test_integers_and_given_results(device):
    x = gpuarray.asarray([-7, 2**53 + 1, 9], device=device)
    places = gpuarray.empty((2, 3), int, device=device)

    @chained
    def halves(length):
        return length // 2, (length + 1) % 2

    halves(x, dtype=x.dtype, results=(places[0], places[1]))
    assert places.tolist() == [[-4, 2**52, 4], [0, 0, 0]]
    half = halves(x, dtype=np.dtype("d"), results=(int, bool))
    assert half[0].tolist() == [-4, 2**52, 4] and half[1].dtype == bool


def test_numbers_alone_are_the_hosts(device):
    """1 - weight of a Python number is rounded to float32 once, not twice."""

    @chained
    def rest(x, weight):
        return x * (1 - weight)

    x = gpuarray.ones(3, "f", device=device)
    assert rest(x, 1e-9)[0] == np.float32(1 - 1e-9)
    assert rest(x, 0.1)[0] == np.float32(1 - 0.1)


def test_misaligned_operands(device):
    raw = gpuarray.arange(4 * 9, dtype="u1", device=device)
    x = raw[1:33].view("f4")
    twice = chained(lambda x: x + x)
    assert (twice(x) == x + x).all()


@pytest.mark.parametrize(
    "arguments",
    [
        ("f8", b"\x00\x00\x05\x00\x00", (1,), (), ("f8",)),
        ("f8", b"\xff\x00\x00\x00\x00", (1,), (), ("f8",)),
        ("f8", b"\x01\x00\x00\x00\x00", (1,), (), ("f8",)),
        ("f8", b"\x02\x00\x00\x00\x00", (1,), (), ("f8",)),
        ("f8", b"\x00\x08\x00\x00\x00", (1,), (), ("f8",)),
        ("f8", b"\x00" * 5 * 65, (1,), (), ("f8",)),
        ("f8", b"", (), (), ("f8",)),
        ("f8", b"", (1,) * 8, (), ("f8",)),
        ("f8", b"", (1,), (1.0,) * 17, ("f8",)),
    ],
)
def test_programs_that_are_refused(device, arguments):
    dtype, steps, arrays, numbers, results = arguments
    arrays = tuple(gpuarray.ones(2, device=device) for _ in arrays)
    with pytest.raises(ValueError, match="_express"):
        _core._express(dtype, steps, arrays, numbers, results)

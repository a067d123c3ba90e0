"""reduce, accumulate, reduceat and outer of every ufunc by chance: shapes, layouts, dtypes, axes, and every keyword.

Seeds are fixed: a failure comes again. Values are small integers, so that no operation runs into infinities at once.
"""

import warnings

import numpy
import pytest
from oracle import check
from ufunc_table import ROWS

import gpuarray

BINARY = [
    row for row in ROWS if getattr(numpy, row.name).nin == 2 and getattr(numpy, row.name).nout == 1
]
DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
TRIALS = 25
# Of out=: NumPy casts to a narrower dtype after some of the steps (docs/differences.md), and so do roundings show.
WIDE, WIDE_INTEGER = ["f8", "c16"], ["i8"]
# NumPy's vector loops of these skip elements when they reduce (seen in 2.4 with AVX-512).
WRONG_IN_NUMPY = {"power", "float_power", "arctan2"}
ROWS_RIGHT = [row for row in BINARY if row.name not in WRONG_IN_NUMPY]


def choose(rng, options):
    return options[rng.integers(len(options))]


def random_shape(rng):
    shape = tuple(int(n) for n in rng.integers(1, 6, rng.integers(0, 5)))
    if shape and rng.random() < 0.1:
        shape = (*shape[:-1], 0)
    return shape


def random_array(rng, shape, dtype):
    """Small numbers in one of several layouts, none of which owns its memory alone."""
    axes = rng.permutation(len(shape))
    steps = [int(choose(rng, [1, 1, 2, -1])) for _ in shape]
    room = [n * abs(step) for n, step in zip(shape, steps, strict=True)]
    base = rng.integers(0 if dtype == "?" else 1, 4, [room[axis] for axis in axes]).astype(dtype)
    view = base.transpose(numpy.argsort(axes)) if shape else base
    return view[tuple(slice(None, None, step) for step in steps)]


def random_axis(rng, ndim, single=False):
    if ndim == 0:
        return choose(rng, [0, -1] if single else [None, 0, (), -1])
    axis = int(rng.integers(-ndim, ndim))
    if single or rng.random() < 0.5:
        return axis
    count = rng.integers(0, ndim + 1)
    several = tuple(int(x) for x in rng.permutation(ndim)[:count])
    return choose(rng, [None, several, several])


def reduced_shape(shape, axis, keepdims):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return numpy.empty(shape).max(axis=axis, keepdims=keepdims, initial=0).shape


def wide_dtypes(row):
    return WIDE if "dd->d" in getattr(numpy, row.name).types else WIDE_INTEGER


def random_reduce(rng, a, row):
    """Keywords of reduce; arrays among them are handed over apart, so that they come to the device."""
    keywords, arrays = {"axis": random_axis(rng, a.ndim)}, {}
    keywords["keepdims"] = bool(rng.random() < 0.3)
    if rng.random() < 0.3:
        keywords["dtype"] = choose(rng, DTYPES)
    if rng.random() < 0.4:
        keywords["initial"] = choose(rng, [1, 2, 1.0, True])
    if rng.random() < 0.4:
        mask_shape = choose(rng, [a.shape, a.shape[-1:], (1,) * a.ndim])
        arrays["where"] = rng.random(mask_shape) < 0.6
    if rng.random() < 0.3:
        shape = reduced_shape(a.shape, keywords["axis"], keywords["keepdims"])
        arrays["out"] = numpy.zeros(shape, choose(rng, wide_dtypes(row)))
    return keywords, arrays


def random_scan(rng, a, row):
    keywords, arrays = {"axis": random_axis(rng, a.ndim, single=True)}, {}
    if rng.random() < 0.3:
        keywords["dtype"] = choose(rng, DTYPES)
    # ldexp is left to NumPy, which keeps a reference to `out` when it refuses.
    if rng.random() < 0.3 and row.name != "ldexp":
        arrays["out"] = numpy.zeros(a.shape, choose(rng, wide_dtypes(row)))
    return keywords, arrays


def tolerance_of(row, *arrays):
    chars = {array.dtype.char for array in arrays}
    if chars & set("e?bB"):
        return 2e-2
    return 4e-3 if row.ulp or chars & set("fFhH") else 1e-10


def compare_calls(row, method, a, positional, keywords, arrays, device):
    def call(xp, a, arrays):
        return getattr(getattr(xp, row.name), method)(a, *positional, **keywords, **arrays)

    typed = [numpy.empty(0, keywords.get("dtype", "f8")), *arrays.values()]
    try:
        check(call, a, arrays, device=device, order=False, rtol=tolerance_of(row, a, *typed))
    except AssertionError as error:
        given = {name: (x.dtype.str, x.shape) for name, x in arrays.items()}
        call = f"{row.name}.{method}({a.dtype.str} {a.shape} {a.strides}, {positional}, {keywords}, {given})"
        raise AssertionError(call) from error


@pytest.mark.parametrize("row", ROWS_RIGHT, ids=lambda row: row.name)
def test_reduce(row, device):
    rng = numpy.random.default_rng([1, row.name.encode()[0], len(row.name)])
    for _ in range(TRIALS):
        a = random_array(rng, random_shape(rng), choose(rng, DTYPES))
        compare_calls(row, "reduce", a, (), *random_reduce(rng, a, row), device)


@pytest.mark.parametrize("row", ROWS_RIGHT, ids=lambda row: row.name)
def test_accumulate(row, device):
    rng = numpy.random.default_rng([2, row.name.encode()[0], len(row.name)])
    for _ in range(TRIALS):
        a = random_array(rng, random_shape(rng), choose(rng, DTYPES))
        compare_calls(row, "accumulate", a, (), *random_scan(rng, a, row), device)


@pytest.mark.parametrize("row", ROWS_RIGHT, ids=lambda row: row.name)
def test_reduceat(row, device):
    rng = numpy.random.default_rng([3, row.name.encode()[0], len(row.name)])
    for _ in range(TRIALS):
        a = random_array(rng, random_shape(rng), choose(rng, DTYPES))
        keywords, _ = random_scan(rng, a, row)
        length = a.shape[keywords["axis"]] if a.ndim else 1
        indices = rng.integers(0, max(length, 1), rng.integers(0, 5)).tolist()
        compare_calls(row, "reduceat", a, (numpy.array(indices, int),), keywords, {}, device)


@pytest.mark.parametrize("row", BINARY, ids=lambda row: row.name)
def test_outer(row, device):
    rng = numpy.random.default_rng([4, row.name.encode()[0], len(row.name)])
    for _ in range(TRIALS // 2):
        a = random_array(rng, random_shape(rng)[:2], choose(rng, DTYPES))
        b = random_array(rng, random_shape(rng)[:2], choose(rng, DTYPES))
        keywords = {"order": choose(rng, "KCFA")} if rng.random() < 0.5 else {}
        arrays = {"B": b}
        if rng.random() < 0.3:
            arrays["where"] = rng.random(a.shape + b.shape) < 0.5
            arrays["out"] = numpy.zeros(a.shape + b.shape, choose(rng, DTYPES))

        def call(xp, a, arrays, keywords=keywords):
            given = dict(arrays)
            return getattr(xp, row.name).outer(a, given.pop("B"), **keywords, **given)

        rtol = tolerance_of(row, a, *arrays.values())
        check(call, a, arrays, device=device, order="out" not in arrays, rtol=rtol)


def test_the_fuzz_reaches_everything():
    """Most trials have a result: a fuzz in which NumPy refuses nearly all calls would show nothing."""
    results = 0
    for row in ROWS_RIGHT:
        rng = numpy.random.default_rng([1, row.name.encode()[0], len(row.name)])
        for _ in range(TRIALS):
            a = random_array(rng, random_shape(rng), choose(rng, DTYPES))
            keywords, arrays = random_reduce(rng, a, row)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    getattr(numpy, row.name).reduce(a, **keywords, **arrays)
                    results += 1
                except (TypeError, ValueError):
                    pass
    assert results > len(ROWS_RIGHT) * TRIALS // 4
    assert isinstance(gpuarray.add, gpuarray.ufunc)

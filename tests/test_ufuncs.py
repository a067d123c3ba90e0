"""Every ufunc, loop, layout and edge value against NumPy; then the keywords, the objects and the choice of loops.

Floats are judged against a float64 evaluation within the row's `ulp`; a row with ulp 0 gives NumPy's own bits.
"""

import pickle

import numpy
import pytest
from oracle import Tolerance, check, compare_values
from ufunc_table import ROWS, operands_of

import gpuarray

UFUNCS = {row.name: getattr(gpuarray, row.name) for row in ROWS}
EACH_ROW = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
# Generalised ufuncs are matrix products; gpuarray has them as functions.
GENERALISED = {"matmul", "vecdot", "matvec", "vecmat"}
WIDER = {"e": "d", "f": "d", "F": "D", "d": "g", "D": "G"}
NUMPY = numpy.lib.NumpyVersion(numpy.__version__)
# NumPy's vector code for these gives either of 0.0 and -0.0, depending on the processor. nextafter gives its second
# argument where both are zeros, as C does; before 2.5 NumPy's for float16 gave the first.
ANY_ZERO = {"maximum", "minimum", "fmax", "fmin"} | ({"nextafter"} if NUMPY < "2.5.0" else set())
# Its complex products use fused multiply-add where the processor has it; ours never do.
COMPLEX_ULP = 4


def numpy_ufuncs():
    found = {name: getattr(numpy, name) for name in dir(numpy)}
    return {name: f for name, f in found.items() if isinstance(f, numpy.ufunc)}


def as_tuple(value):
    return value if isinstance(value, tuple) else (value,)


def reference(row, loop, operands):
    """NumPy's result in the loop's dtypes, and floats evaluated in float64 where the loop's own are narrower."""
    function = getattr(numpy, row.name)
    with numpy.errstate(all="ignore"):
        own = as_tuple(function(*operands))
        if not any(char in "FD" for char in loop) and (
            row.ulp == 0 or not any(char in WIDER for char in loop)
        ):
            return own, own
        wide = [x.astype(WIDER[x.dtype.char]) if x.dtype.char in WIDER else x for x in operands]
        return own, as_tuple(function(*wide))


def judge(ours, own, exact, ulp, where, any_zero=False):
    """Exactly NumPy's, or as near the exact value as `ulp` or NumPy; NaN and infinities stand where NumPy has them."""
    assert ours.dtype == own.dtype and ours.shape == own.shape, where
    if ulp == 0 or own.dtype.kind not in "fc":
        compare_values(ours, own, Tolerance(rtol=0 if any_zero else None), where)
        return
    finite = numpy.isfinite(own) & numpy.isfinite(ours)
    if own.dtype.kind == "f":
        compare_values(ours[~finite], own[~finite], Tolerance(), where + " (not finite)")
    with numpy.errstate(all="ignore"):
        unit = numpy.spacing(numpy.abs(own[finite]))
        error = numpy.abs(ours[finite].astype(exact.dtype) - exact[finite]) / unit
        theirs = numpy.abs(own[finite].astype(exact.dtype) - exact[finite]) / unit
    worst, allowed = float(error.max(initial=0.0)), max(ulp + 0.5, float(theirs.max(initial=0.0)))
    assert worst <= allowed, f"{where}: {worst} units in the last place, {allowed} are allowed"


def drop_overflows(operands):
    """Pairs without those whose product leaves int64: NumPy 2.5 raises OverflowError there, ours wraps."""
    x, y = (each.view("i8").astype("g") for each in operands)
    nat = numpy.any([numpy.isnat(each) for each in operands if each.dtype.kind == "m"], axis=0)
    return [each[nat | (abs(x * y) <= numpy.iinfo("i8").max)] for each in operands]


@EACH_ROW
def test_values(row, device):
    function = UFUNCS[row.name]
    for loop in function.types:
        operands = operands_of(row, loop)
        if NUMPY >= "2.5.0" and row.name == "multiply" and loop in ("mq->m", "qm->m"):
            operands = drop_overflows(operands)
        own, exact = reference(row, loop, operands)
        results = as_tuple(function(*[gpuarray.array(x, device=device) for x in operands]))
        assert len(results) == len(own)
        ulp = max(row.ulp, COMPLEX_ULP) if set(loop) & set("FD") else row.ulp
        for ours, theirs, wide in zip(results, own, exact, strict=True):
            judge(
                gpuarray.asnumpy(ours),
                theirs,
                wide,
                ulp,
                f"{row.name} {loop}",
                row.name in ANY_ZERO,
            )


LAYOUTS = {
    "c": lambda x: x,
    "transposed": lambda x: x.T,
    "strided": lambda x: x[:, ::2],
    "negative": lambda x: x[::-1, ::-1],
    "row": lambda x: x[:1],
    "column": lambda x: x[:, :1],
    "empty": lambda x: x[:0],
    "0-d": lambda x: x[0, 0, ...],
    "3-d": lambda x: x.reshape(2, 2, 4)[:, :, ::3],
}


def layout_operands(row, loop):
    vectors = [numpy.resize(x, 16).reshape(4, 4) for x in operands_of(row, loop)]
    with numpy.errstate(all="ignore"):
        return [
            numpy.where(x == x, x, x.dtype.type(1)) if x.dtype.kind in "fc" else x for x in vectors
        ]


@EACH_ROW
def test_layouts(row, device):
    for loop in UFUNCS[row.name].types:
        operands = layout_operands(row, loop)
        close = row.ulp or row.name in ANY_ZERO or set(loop) & set("FD")
        for first in LAYOUTS.values():
            check(
                lambda xp, *xs, view=first: getattr(xp, row.name)(*[view(x) for x in xs]),
                *operands,
                device=device,
                rtol=2e-3 if close else None,
                atol=1e-5,
            )


@pytest.mark.parametrize("second", ["transposed", "negative", "row", "column", "0-d"])
@pytest.mark.parametrize("first", ["c", "transposed", "strided", "column"])
def test_mixed_layouts(first, second, device):
    a, b = numpy.arange(16.0).reshape(4, 4), numpy.arange(16.0, 32.0).reshape(4, 4)

    def run(xp, a, b):
        return LAYOUTS[first](a) - LAYOUTS[second](b)

    check(run, a, b, device=device)


@pytest.mark.smoke
def test_table_has_every_numpy_ufunc():
    names = {f.__name__ for f in numpy_ufuncs().values()} - GENERALISED
    assert names <= set(UFUNCS), sorted(names - set(UFUNCS))


KNOWN = set(
    "?bBhHiIlLqQefdFDMm->"
)  # other libraries add loops of their own dtypes to NumPy's ufuncs


@EACH_ROW
def test_loops_are_numpys(row):
    theirs, ours = (
        {loop.replace("q", "l").replace("Q", "L") for loop in ufunc.types if set(loop) <= KNOWN}
        for ufunc in (getattr(numpy, row.name), UFUNCS[row.name])
    )
    # Older versions lack some loops: floor of integers, for one.
    if NUMPY >= "2.5.0" and row.name == "sign":  # of a timedelta as float64, by the host
        assert theirs == ours - {"m->m"} | {"m->d"}
    else:
        assert ours == theirs if NUMPY >= "2.4.0" else ours >= theirs


@EACH_ROW
def test_objects(row):
    ours, theirs = UFUNCS[row.name], getattr(numpy, row.name)
    for attribute in ("nin", "nout", "nargs", "identity", "signature", "__name__"):
        assert getattr(ours, attribute) == getattr(theirs, attribute), attribute
    assert repr(ours) == repr(theirs)
    assert pickle.loads(pickle.dumps(ours)) is ours
    assert ours.ntypes == len(ours.types)
    assert ours.__doc__.startswith(row.name + "(") and "Parameters\n----------" in ours.__doc__


@pytest.mark.smoke
@pytest.mark.parametrize(
    "where",
    [True, [True, False, True], numpy.array([[True], [False]])],
    ids=["all", "list", "array"],
)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8"])
def test_out_and_where(dtype, where, device):
    def run(xp, out, where):
        result = xp.add([[1, 2, 3], [4, 5, 6]], 10, out=out, where=where, casting="unsafe")
        assert result is out
        return result

    check(run, numpy.zeros((2, 3), dtype), where, device=device)


def test_out_in_another_dtype_keeps_masked_elements(device):
    def run(xp, a, out, mask):
        return xp.multiply(a, a, out=out, where=mask)

    check(
        run,
        numpy.array([2, 3], "f4"),
        numpy.array([0.1, 0.1]),
        numpy.array([True, False]),
        device=device,
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, a, o: xp.add(a, a, out=o[:2]),
        lambda xp, a, o: xp.add(a, a, out=o.astype("i4")),
        lambda xp, a, o: xp.add(a, a, o, o),
        lambda xp, a, o: xp.add(a),
        lambda xp, a, o: xp.add(a, a, o, out=o),
        lambda xp, a, o: xp.add(a, a, out=3),
        lambda xp, a, o: xp.add(a, a, out=(o, o)),
        lambda xp, a, o: xp.add(a, a, order="x"),
        lambda xp, a, o: xp.add(a, a, casting="x"),
        lambda xp, a, o: xp.add(a, a, nothing=1),
        lambda xp, a, o: xp.add(a, a, dtype="d", signature="dd->d"),
        lambda xp, a, o: xp.add(a, a, where=a),
        lambda xp, a, o: xp.add(a, o[:2]),
        lambda xp, a, o: xp.add(a, a, out=xp.broadcast_to(a[:1], 3)),
        lambda xp, a, o: xp.add(a, a, dtype="i4"),
        lambda xp, a, o: xp.add(a, a, casting="no", dtype="f4"),
        lambda xp, a, o: xp.invert(a),
        lambda xp, a, o: xp.divmod(a, a, out=o),
    ],
)
def test_bad_calls_fail_as_numpys(call, device):
    assert isinstance(check(call, numpy.arange(3.0), numpy.zeros(3), device=device), Exception)


@pytest.mark.parametrize(
    "keywords",
    [
        {"dtype": "f4"},
        {"dtype": "f8"},
        {"dtype": "c16"},
        {"signature": "dd->d"},
        {"sig": "ff->f"},
        {"casting": "unsafe", "dtype": "i2"},
        {"signature": (None, None, "f8")},
        {"signature": ("f8", "f8", None)},
        {"signature": "d"},
        {"signature": ("d",)},
        {"signature": "f8"},
        {"signature": "ddd"},
        {"signature": "dx->d"},
        {"subok": True},
        {"dtype": None},
        {"casting": "safe"},
    ],
    ids=str,
)
def test_dtype_signature_casting(keywords, device):
    check(
        lambda xp, a, b: xp.add(a, b, **keywords),
        numpy.arange(4, dtype="f4"),
        numpy.arange(4, dtype="i2"),
        device=device,
    )


@pytest.mark.parametrize("order", "CFAK")
@pytest.mark.parametrize("layout", ["C", "F", "other"])
def test_order(order, layout, device):
    a = numpy.arange(24.0).reshape(2, 3, 4)
    a = a.copy(order=layout) if layout != "other" else a
    turn = (lambda x: x.transpose(1, 0, 2)) if layout == "other" else (lambda x: x)
    check(lambda xp, x: xp.sqrt(turn(x), order=order), a, device=device)


def test_two_outputs(device):
    def run(xp, a, first, second):
        result = xp.divmod(a, 3, out=(first, None)), xp.modf(a * 1.5, out=(None, second))
        assert result[0][0] is first and result[1][1] is second
        return result

    check(run, numpy.arange(-5, 5), numpy.zeros(10, int), numpy.zeros(10), device=device)


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, a: xp.add(a[1:], a[:-1], out=a[1:]),
        lambda xp, a: xp.add(a[::-1], a, out=a),
        lambda xp, a: xp.add(a, 1, out=a),
        lambda xp, a: xp.add(a, a[:1], out=a),
        lambda xp, a: xp.less(a, 3, out=a, casting="unsafe"),
        lambda xp, a: xp.add(a, 1, out=a, where=a > 4),
    ],
)
def test_overlap(call, device):
    check(call, numpy.arange(10.0), device=device)


def test_many_dimensions(device):
    a = numpy.arange(2.0**11).reshape((2,) * 11)
    axes = (10, 3, 7, 0, 5, 1, 9, 2, 8, 4, 6)
    check(lambda xp, x: x + x.transpose(axes)[::-1], a, device=device)


@pytest.mark.smoke
@pytest.mark.parametrize(
    "operand",
    [1, -1, 2.5, 1j, True, numpy.float32(2), numpy.int8(3), numpy.array(7), [1, 2, 3], (1.5, 2, 3)],
    ids=repr,
)
@pytest.mark.parametrize("dtype", ["?", "b", "B", "i", "l", "L", "e", "f", "d", "F", "D"])
def test_promotion(dtype, operand, device):
    check(
        lambda xp, a: (xp.add(a, operand), xp.multiply(operand, a)),
        numpy.array([1, 0, 1], dtype),
        device=device,
    )


@pytest.mark.parametrize("dtype", "bBhHiIlLefdFD?")
def test_promotion_of_pairs(dtype, device):
    for other in "bBhHiIlLefdFD?":
        check(
            lambda xp, a, b: (a + b, a == b, xp.maximum(a, b)),
            numpy.array([1, 0], dtype),
            numpy.array([1, 1], other),
            device=device,
        )


@pytest.mark.parametrize("dtype", ["u1", "i8", "u8", "?"])
@pytest.mark.parametrize("number", [300, -1, 2**70, -(2**70), 5])
def test_numbers_out_of_range(dtype, number, device):
    for name in ("less", "less_equal", "equal", "not_equal", "greater", "greater_equal"):
        check(
            lambda xp, a, name=name: (getattr(xp, name)(a, number), getattr(xp, name)(number, a)),
            numpy.array([1, 0], dtype),
            device=device,
        )


@pytest.mark.parametrize("number", [300, -1])
def test_arithmetic_out_of_range_is_refused(number, device):
    assert isinstance(
        check(lambda xp, a: a + number, numpy.array([1], "u1"), device=device), OverflowError
    )


def test_scalars_only(device):
    check(
        lambda xp: (
            xp.add(1, 2),
            xp.sin(1.0),
            xp.add(1, 2.5),
            xp.less(1, 2),
            xp.multiply(True, 3),
            xp.sqrt(4),
        ),
        device=device,
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, d, t: d + t,
        lambda xp, d, t: d - d[0],
        lambda xp, d, t: t * 2,
        lambda xp, d, t: t * 2.5,
        lambda xp, d, t: t / t[1],
        lambda xp, d, t: t // numpy.timedelta64(7, "s"),
        lambda xp, d, t: t % numpy.timedelta64(7, "s"),
        lambda xp, d, t: d < d[1],
        lambda xp, d, t: -t,
        lambda xp, d, t: abs(t),
        lambda xp, d, t: xp.isnat(d),
        lambda xp, d, t: d + 1,
        lambda xp, d, t: d + d,
        lambda xp, d, t: t + t.astype("m8[ms]"),
        lambda xp, d, t: xp.maximum(t, t[0]),
        lambda xp, d, t: divmod(t, t[1]),
        lambda xp, d, t: d == 3,
        lambda xp, d, t: d + numpy.timedelta64(1, "D"),
    ],
)
def test_times(call, device):
    days = numpy.array(["2024-01-02", "2024-03-04", "NaT"], "M8[D]")
    check(call, days, numpy.array([90, 7200, -5], "m8[m]"), device=device)


def test_bad_power(device):
    for exponent in (-1, numpy.array([1, -2])):
        assert isinstance(
            check(lambda xp, a, e: a**e, numpy.array([2, 3]), exponent, device=device), ValueError
        )
    check(
        lambda xp, a, m: xp.power(a, a, where=m, out=xp.zeros_like(a)),
        numpy.array([2, -3]),
        numpy.array([True, False]),
        device=device,
    )


def test_devices_must_agree(device):
    if device == "cpu":
        pytest.skip("needs a second device")
    a, b = gpuarray.ones(3, device="cpu"), gpuarray.ones(3, device=device)
    with pytest.raises(ValueError, match="to_device"):
        a + b
    assert (b * a.sum()).device == b.device


def test_strings_and_objects_go_to_the_host(device):
    assert (gpuarray.add(numpy.array([1, 2], object), 1) == numpy.array([2, 3], object)).all()

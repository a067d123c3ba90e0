"""Methods and attributes of ufuncs beyond call and reduce: reduceat, at, outer, and what they say of themselves."""

import functools

import numpy
import pytest
from oracle import check
from ufunc_table import ROWS

import gpuarray
from gpuarray import _ufunc_at

BINARY = [
    row for row in ROWS if getattr(numpy, row.name).nin == 2 and getattr(numpy, row.name).nout == 1
]
DTYPES = ["?", "i1", "u1", "i2", "i4", "u8", "i8", "f2", "f4", "f8", "c8", "c16"]
INDICES = [[0], [0, 2, 4], [4, 0, 2], [1, 1, 3, 3], [5, 5, 0], [3, 2, 1, 0, 5]]


def tolerance_of(row, dtype):
    return 1e-2 if dtype == "f2" else 4e-3 if row.ulp else 1e-5 if dtype in ("f4", "c8") else 1e-12


# NumPy's vector loops of these skip elements when they reduce (seen in 2.4 with AVX-512).
WRONG_IN_NUMPY = {"power", "float_power", "arctan2"}


def reduceat_by(xp, name, a, indices):
    """reduceat along axis 1; of what NumPy gets wrong, by calls of the ufunc."""
    ufunc = getattr(xp, name)
    if xp is not numpy or name not in WRONG_IN_NUMPY:
        return ufunc.reduceat(a, indices, 1)
    ends = [*indices[1:], a.shape[1]]
    slices = [a[:, i : max(i + 1, end)] for i, end in zip(indices, ends, strict=True)]
    parts = [(ufunc.reduce(part[:, :1], axis=1), part.T[1:]) for part in slices]
    return numpy.stack([functools.reduce(ufunc, rest, first) for first, rest in parts], 1)


@pytest.mark.parametrize("row", BINARY, ids=lambda row: row.name)
def test_reduceat_of_every_ufunc(row, device):
    values = numpy.array([[7, 2, 1, 1, 3, 1], [3, 1, 2, 1, 1, 2], [1, 2, 1, 3, 2, 1]])
    for dtype in DTYPES:
        for indices in INDICES:
            check(
                lambda xp, a, indices=indices: reduceat_by(xp, row.name, a, indices),
                values.astype(dtype),
                device=device,
                order=False,
                rtol=tolerance_of(row, dtype),
            )


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", ["i2", "f8"])
def test_reduceat_along_axes(axis, dtype, device):
    values = (numpy.arange(120) * 7 % 11).reshape(4, 5, 6).astype(dtype)
    for layout in (
        lambda a: a,
        lambda a: a.T,
        lambda a: a[::-1, :, ::-1],
        lambda a: a[:, ::1, ::2],
    ):
        for name in ("add", "maximum", "subtract"):
            check(
                lambda xp, a, name=name, layout=layout: getattr(xp, name).reduceat(
                    layout(a), [0, 2, 1], axis
                ),
                values,
                device=device,
                rtol=1e-12,
            )


def test_reduceat_of_long_slices(device):
    values = numpy.arange(300000) % 1013
    for indices in ([0], [0, 100000, 5, 299999], numpy.arange(0, 300000, 1000)):
        check(lambda xp, a, i=indices: xp.add.reduceat(a, i), values, device=device)
        check(
            lambda xp, a, i=indices: xp.maximum.reduceat(a, i), values.astype("f4"), device=device
        )
    wide = values.reshape(3000, 100)
    check(lambda xp, a: xp.add.reduceat(a, [0, 7, 1000], 0), wide, device=device)


def test_reduceat_keywords(device):
    def into(xp, a):
        out = xp.zeros(3, "f4")
        assert xp.add.reduceat(a, [0, 1, 4], out=out) is out
        return out

    values = numpy.array([1, 2, 3, 4, 5], "i1")
    check(into, values, device=device)
    check(lambda xp, a: xp.add.reduceat(a, [0, 2], dtype="f8"), values, device=device)
    check(lambda xp, a: xp.add.reduceat(a, xp.asarray([0, 2])), values, device=device)
    check(lambda xp, a: xp.add.reduceat(a, xp.asarray([], int)), values, device=device)
    check(lambda xp, a: xp.multiply.reduceat([1, 2, 3, 4], [0, 2]), values, device=device)


@pytest.mark.parametrize("name", ["hypot", "gcd", "logaddexp", "multiply", "maximum"])
def test_an_element_alone_is_its_slice(device, name):
    values = numpy.array([-3, -6, 4]).astype("i4" if name == "gcd" else "f4")
    check(lambda xp, a: getattr(xp, name).reduceat(a, [2, 0, 1, 0, 2]), values, device=device)
    wide = numpy.array([[-3, -6, 4]] * 50).astype(values.dtype)
    check(lambda xp, a: getattr(xp, name).reduceat(a, [1, 0], 1), wide, device=device, ulp=4)


@pytest.mark.parametrize("dtype", ["i1", "i8", "u2"])
def test_negative_exponents_of_integers(device, dtype):
    numbers = numpy.array([[2, 3, -2, 1], [2, -1, 0, 3], [-5, 2, 1, 0]]).astype(dtype)
    calls = [
        lambda xp, a, x: xp.power.reduce(a, x),
        lambda xp, a, x: xp.power.reduce(a, x, dtype="i8"),
        lambda xp, a, x: xp.power.reduce(a, x, initial=2),
        lambda xp, a, x: xp.power.reduce(a, x, initial=2, where=a > -1),
        lambda xp, a, x: xp.power.accumulate(a, x),
        lambda xp, a, x: xp.power.reduceat(a, [0, 2, 1], x),
        lambda xp, a, x: xp.power.reduceat(a, [2, 2, 2], x),
    ]
    for call in calls:
        for axis in (0, 1):
            for part in (slice(None), slice(0, 1), slice(2), slice(1, None), slice(0, 0)):
                check(call, numbers[part], axis, device=device, rtol=1e-6)
                check(call, numbers[:, part].T, axis, device=device, rtol=1e-6)
    check(lambda xp, a: xp.power.reduce(a, ()), numbers, device=device)


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, a: xp.add.reduceat(a, [0, 6]),
        lambda xp, a: xp.add.reduceat(a, [-1]),
        lambda xp, a: xp.add.reduceat(a, [0.5]),
        lambda xp, a: xp.add.reduceat(a, [[0]]),
        lambda xp, a: xp.add.reduceat(a, [0], axis=1),
        lambda xp, a: xp.sin.reduceat(a, [0]),
        lambda xp, a: xp.add.reduceat(a[0], [0]),
        lambda xp, a: xp.add.reduceat(a),
    ],
)
def test_reduceat_refusals(call, device):
    check(call, numpy.arange(6.0), device=device)


@pytest.mark.parametrize("row", BINARY, ids=lambda row: row.name)
def test_at_of_every_ufunc(row, device):
    def apply(xp, a, b):
        a = a.copy()
        getattr(xp, row.name).at(a, [0, 3, 0, 1, 0, 3], b)
        return a

    for dtype in DTYPES:
        values = numpy.array([5, 2, 1, 3]).astype(dtype)
        operand = numpy.array([1, 2, 1, 1, 2, 1]).astype(dtype)
        check(apply, values, operand, device=device, rtol=tolerance_of(row, dtype))


OTHERS = ["?", "i1", "u1", "i8", "u8", "f2", "f4", "f8", "c16", "m8[s]"]
SINGLE = [row for row in ROWS if getattr(numpy, row.name).nout == 1]
PLACES = [0, 3, 0, 1, 0, 3]


def apply_natively(ufunc, a, indices, operand=None):
    """What CUDA arrays do, on every device."""
    operands = () if operand is None else (operand,)
    _ufunc_at.check_call(ufunc, a, operands)
    dtypes = (a.dtype, *(x.dtype for x in operands), a.dtype)
    assert _ufunc_at.apply(ufunc, a, indices, operand, _ufunc_at.resolve(ufunc, dtypes))


def at_both_ways(xp, name, a, *operands):
    if xp is gpuarray:
        apply_natively(getattr(xp, name), a, PLACES, *operands)
    else:
        getattr(xp, name).at(a, PLACES, *operands)
    return a


@pytest.mark.parametrize("row", SINGLE, ids=lambda row: row.name)
def test_at_by_sorting(row, device):
    """Every pair of dtypes, cast as NumPy does or refused as it does."""
    unary = getattr(numpy, row.name).nin == 1
    for dtype in (*DTYPES, "m8[s]", "M8[s]"):
        values = numpy.array([1, 2, 1, 0] if unary else [5, 2, 1, 3]).astype(dtype)
        for other in [None] if unary else OTHERS:
            operand = () if unary else (numpy.array([1, 2, 1, 1, 2, 1]).astype(other),)
            single = any(numpy.dtype(x).char in "fFe" for x in (dtype, other) if x)
            check(
                lambda xp, a, *b: at_both_ways(xp, row.name, a, *b),
                values,
                *operand,
                device=device,
                rtol=max(tolerance_of(row, dtype), 4e-3 if single else 0),
                # A last place of a float may be the next integer when it is cast.
                atol=1.0 if row.ulp and device != "cpu" and values.dtype.kind in "iu" else 0.0,
            )


def test_at_by_sorting_in_views(device):
    def apply(xp, a):
        for view in (a[::2, 1:], a.T, a[0]):
            if xp is gpuarray:
                apply_natively(xp.add, view, ([0, 1, 0],), xp.asarray(7))
            else:
                xp.add.at(view, ([0, 1, 0],), 7)
        return a

    check(apply, numpy.arange(20).reshape(4, 5), device=device)


def test_at_with_wrapping_steps(device):
    """The cast comes after each step: 300 is 44 in eight bits before 100 is compared with it."""
    a = numpy.array([5, 5, 5, 5], "i1")
    for name in ("maximum", "floor_divide", "add", "subtract", "multiply", "bitwise_xor"):
        b = numpy.array([300, 1, 100, -700, 3, 9])
        check(lambda xp, a, b, name=name: at_both_ways(xp, name, a, b), a, b, device=device)


def test_at_named_very_often(device):
    """Too many rounds: left to the host, with nothing done before."""
    a = gpuarray.ones(3, "f4")
    loop = _ufunc_at.resolve(gpuarray.divide, (a.dtype, numpy.dtype("f8"), a.dtype))
    places, operand = gpuarray.zeros(100, int), gpuarray.full(100, 1.01)
    assert not _ufunc_at.apply(gpuarray.divide, a, places, operand, loop)
    assert a.tolist() == [1, 1, 1]
    gpuarray.divide.at(a, places, operand)
    numpy.testing.assert_allclose(a.tolist(), [1.01**-100, 1, 1], rtol=1e-4)


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, a: xp.add.at(a, [0, 1]),
        lambda xp, a: xp.negative.at(a, [0], 1),
        lambda xp, a: xp.divmod.at(a, [0], 1),
        lambda xp, a: xp.add.at(a, [0], 1, 2),
        lambda xp, a: xp.add.at(a, [9], 1),
        lambda xp, a: xp.add.at(a, xp.asarray([0, 9]), 1),
        lambda xp, a: xp.add.at(a, [0], 1j),
        lambda xp, a: xp.add.at(a.astype("i4"), [0, 0], 1.5),
        lambda xp, a: xp.add.at(a, [0, 1], [1, 2, 3]),
        lambda xp, a: xp.add.at(a, [0], "x"),
        lambda xp, a: xp.add.at(xp.broadcast_to(a, (2, 4)), [0], 1),
        lambda xp, a: xp.add.at(a, [], []),
        lambda xp, a: xp.add.at(a, slice(None, None, 2), 2.5),
        lambda xp, a: xp.add.at(a, xp.asarray([True, False, True, True]), [1, 2, 3]),
        lambda xp, a: xp.sqrt.at(a, ...),
        lambda xp, a: xp.add.at(a[:0], [], 1),
        lambda xp, a: xp.add.at(xp.zeros((), "f4"), (), 1),
    ],
)
def test_calls_of_at(call, device):
    check(lambda xp, a: (call(xp, a), a)[1], numpy.arange(4.0), device=device)


def test_outer(device):
    check(lambda xp, a: xp.subtract.outer(a, a[:2]), numpy.arange(3.0), device=device)
    check(lambda xp, a: xp.less.outer(a, [[1], [2]]), numpy.arange(3), device=device)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_attributes(row):
    ours, theirs = getattr(gpuarray, row.name), getattr(numpy, row.name)
    for name in ("nin", "nout", "nargs", "identity", "signature", "__name__", "__signature__"):
        assert getattr(ours, name, None) == getattr(theirs, name, None), name
    assert ours.ntypes == len(ours.types)
    theirs = {loop for loop in theirs.types if not set(loop) & set("gGOpP")}
    same = {loop.replace("q", "l").replace("Q", "L") for loop in theirs}  # two names of one dtype
    if (
        numpy.lib.NumpyVersion(numpy.__version__) >= "2.5.0" and row.name == "sign"
    ):  # of a timedelta as float64, by the host
        same, theirs = same - {"m->d"}, theirs | {"m->m"}
    assert {loop.replace("q", "l").replace("Q", "L") for loop in ours.types} >= same
    assert set(ours.types) <= theirs | {"eei->e"}


def test_resolve_dtypes():
    i4, f4 = numpy.dtype("i4"), numpy.dtype("f4")
    for dtypes in ((i4, f4, None), (i4, i4, None), (f4, float, None)):
        assert gpuarray.add.resolve_dtypes(dtypes) == numpy.add.resolve_dtypes(dtypes)

"""Splitting, repeating, moving, padding, inserting and deleting: values, dtypes, shapes, orders and errors."""

import numpy
import pytest
from grids import grid
from oracle import check

import gpuarray

CALLS = {
    "atleast": lambda xp, a: [f(a, 1.5) for f in (xp.atleast_1d, xp.atleast_2d, xp.atleast_3d)],
    "expand_dims": lambda xp, a: (xp.expand_dims(a, 0), xp.expand_dims(a, (0, -1))),
    "expand_dims far": lambda xp, a: xp.expand_dims(a, 5),
    "broadcast": lambda xp, a: xp.broadcast_arrays(a, a[0], a[:, :1]),
    "flips": lambda xp, a: (
        xp.flip(a),
        xp.flip(a, 0),
        xp.flip(a, (0, -1)),
        xp.flipud(a),
        xp.fliplr(a),
    ),
    "flip far": lambda xp, a: xp.flip(a, 2),
    "rot90": lambda xp, a: [xp.rot90(a, k) for k in range(-2, 6)] + [xp.rot90(a, 1, (1, 0))],
    "rot90 alike": lambda xp, a: xp.rot90(a, axes=(1, 1)),
    "rolls": lambda xp, a: [
        xp.roll(a, s, x) for s, x in ((2, None), (-1, 0), (7, 1), ((1, 2), (0, 1)))
    ],
    "roll one for all": lambda xp, a: (
        xp.roll(a, 1, (0, 1)),
        xp.roll(a, (1, 1), (0, 0)),
        xp.roll(a, (1, 2), 1),
    ),
    "roll far": lambda xp, a: xp.roll(a, 1, 2),
    "roll unlike": lambda xp, a: xp.roll(a, (1, 2, 3), (0, 1)),
    "tile": lambda xp, a: [xp.tile(a, r) for r in (2, (2, 1), (1, 3), (2, 1, 2), 0)],
    "repeat": lambda xp, a: [
        xp.repeat(a, n, x) for n, x in ((2, None), (3, 0), (2, 1), (0, 1), (1, -1))
    ],
    "repeat each": lambda xp, a: (
        xp.repeat(a, [1, 0, 2], 0),
        xp.repeat(a, xp.array([2, 1, 0, 1]), 1),
        xp.repeat(a, [2], 1),
        a.repeat([1, 2, 3], axis=0),
    ),
    "repeat unlike": lambda xp, a: xp.repeat(a, [1, 2], 0),
    "repeat negative": lambda xp, a: xp.repeat(a, [1, -2, 1], 0),
    "repeat minus one": lambda xp, a: xp.repeat(a, -1),
    "split": lambda xp, a: (
        xp.array_split(a, 3, 1),
        xp.split(a, [1, 2]),
        xp.hsplit(a, 2),
        xp.vsplit(a, 3),
    ),
    "split unlike": lambda xp, a: xp.split(a, 2),
    "dsplit": lambda xp, a: xp.dsplit(a.reshape(1, 3, 4), 2),
    "dsplit flat": lambda xp, a: xp.dsplit(a, 2),
    "split by array": lambda xp, a: xp.array_split(a, xp.array([1, 3]), axis=1),
    "unstack": lambda xp, a: (xp.unstack(a), xp.unstack(a, axis=1)),
    "unstack scalar": lambda xp, a: xp.unstack(a[0, 0]),
    "resize": lambda xp, a: [xp.resize(a, s) for s in (5, (2, 3), (5, 7), (0, 2), (3, 4))],
    "resize negative": lambda xp, a: xp.resize(a, (-1, 2)),
    "append": lambda xp, a: (xp.append(a, 9), xp.append(a, a[:1], 0), xp.append([1, 2], [[3]])),
    "append unlike": lambda xp, a: xp.append(a, [1, 2], 0),
    "trim": lambda xp, a: (
        [xp.trim_zeros(a, t) for t in ("fb", "f", "B")] + [xp.trim_zeros(a, axis=1)]
    ),
    "trim wrong": lambda xp, a: xp.trim_zeros(a, "x"),
    "kron": lambda xp, a: (
        xp.kron(a, a[:2, :2]),
        xp.kron(a, [1, 2]),
        xp.kron(a[0], a),
        xp.kron(2, a),
    ),
    "trace": lambda xp, a: (
        xp.trace(a),
        xp.trace(a, 1),
        a.trace(-1, dtype="f4"),
        xp.trace(a, out=xp.zeros(())),
    ),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("dtype", ["?", "u1", "i8", "f4", "F"])
def test_call(name, dtype, device):
    for order in "CF":
        check(CALLS[name], grid(dtype, order=order), device=device)


@pytest.mark.parametrize("name", [name for name in CALLS if name not in ("kron", "trace")])
def test_times(name, device):
    check(CALLS[name], grid("m8[ms]"), device=device)


STACKS = ["vstack", "hstack", "dstack", "column_stack"]


@pytest.mark.parametrize("name", STACKS)
def test_stacks_of_scalars_and_vectors(name, device):
    check(lambda xp, x: getattr(xp, name)((x, x)), numpy.array(2.5), device=device)
    check(lambda xp, x: getattr(xp, name)((x, [1, 2, 3])), numpy.arange(3.0), device=device)
    check(lambda xp, x: getattr(xp, name)([]), numpy.arange(3.0), device=device)
    check(lambda xp, x: getattr(xp, name)(x), numpy.arange(12.0).reshape(2, 2, 3), device=device)


BLOCKS = {
    "flat": lambda xp, a: xp.block([a, a[:, :1], a]),
    "nested": lambda xp, a: xp.block([[a, a[:, :1]], [a[:1], xp.zeros((1, 1))]]),
    "vectors": lambda xp, a: xp.block([a[0], 1, a[1]]),
    "rows": lambda xp, a: xp.block([[a[0]], [a[1]]]),
    "three deep": lambda xp, a: xp.block([[[a], [a]], [[a], [a]]]),
    "alone": lambda xp, a: (xp.block(a), xp.block([a]), xp.block(1.5)),
    "fortran": lambda xp, a: xp.block([[a.T, a.T]]),
    "depths": lambda xp, a: xp.block([[a], a]),
    "shapes": lambda xp, a: xp.block([[a, a[:2]]]),
    "empty": lambda xp, a: xp.block([[a], []]),
    "tuple": lambda xp, a: xp.block((a, a)),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_block(name, device):
    check(BLOCKS[name], grid("f4"), device=device)


PADS = [
    ("constant", {}),
    ("constant", {"constant_values": 7}),
    ("constant", {"constant_values": ((1, 2), (3, 4))}),
    ("edge", {}),
    ("linear_ramp", {"end_values": (5, -4)}),
    ("linear_ramp", {}),
    ("maximum", {}),
    ("maximum", {"stat_length": 2}),
    ("minimum", {"stat_length": ((1, 2), (2, 1))}),
    ("mean", {}),
    ("mean", {"stat_length": 3}),
    ("median", {"stat_length": (2, 3)}),
    ("reflect", {}),
    ("reflect", {"reflect_type": "odd"}),
    ("symmetric", {}),
    ("symmetric", {"reflect_type": "odd"}),
    ("wrap", {}),
]
WIDTHS = [0, 2, (1, 3), ((0, 2), (9, 11)), {0: 1}, {1: (2, 0), -2: 3}]


@pytest.mark.parametrize(("mode", "keywords"), PADS, ids=lambda value: str(value))
@pytest.mark.parametrize("dtype", ["i8", "f8"])
def test_pad(mode, keywords, dtype, device):
    for width in WIDTHS:
        for order in "CF":
            check(
                lambda xp, a, width=width: xp.pad(a, width, mode, **keywords),
                grid(dtype, order=order) * 3,
                device=device,
                ulp=1,
            )


def fill_with_width(vector, width, axis, keywords):
    vector[: width[0]] = keywords.get("value", axis)


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, a: xp.pad(a, 2, fill_with_width),
        lambda xp, a: xp.pad(a, 2, fill_with_width, value=9),
        lambda xp, a: xp.pad(a, 1.5),
        lambda xp, a: xp.pad(a, -1),
        lambda xp, a: xp.pad(a, (1, 2, 3)),
        lambda xp, a: xp.pad(a, 1, "nonsense"),
        lambda xp, a: xp.pad(a, 1, "edge", constant_values=1),
        lambda xp, a: xp.pad(a, 1, "maximum", stat_length=0),
        lambda xp, a: xp.pad(a[:0], 1, "edge"),
        lambda xp, a: xp.pad(a[:0], ((0, 0), (1, 1)), "edge"),
        lambda xp, a: xp.pad(a[:0], 1),
        lambda xp, a: xp.pad(a[:1], 2, "reflect"),
        lambda xp, a: xp.pad(a[0, 0], ()),
        lambda xp, a: xp.pad(a, 1, "empty").shape,
        lambda xp, a: xp.pad(a.astype("u1"), 3, "linear_ramp", end_values=200),
    ],
)
def test_pad_otherwise(call, device):
    check(call, grid(), device=device)


EDITS = {
    "insert": lambda xp, a: [xp.insert(a, i, 9) for i in (0, 3, -1, 12)],
    "insert along": lambda xp, a: (xp.insert(a, 1, 9, 0), xp.insert(a, 1, [7, 8, 9], axis=1)),
    "insert layers": lambda xp, a: (
        xp.insert(a, [1], a[:2], 0),
        xp.insert(a, [1], [[1], [2], [3]], 1),
    ),
    "insert many": lambda xp, a: (
        xp.insert(a, [3, 1, 1], [7, 8, 9]),
        xp.insert(a, [0, 2], 5, axis=1),
    ),
    "insert slice": lambda xp, a: xp.insert(a, slice(0, 4, 2), [5, 6]),
    "insert mask": lambda xp, a: xp.insert(a[0], xp.array([True, False, True, False]), [5, 6]),
    "insert none": lambda xp, a: xp.insert(a, [], []),
    "insert far": lambda xp, a: xp.insert(a, 13, 1),
    "insert 2-d": lambda xp, a: xp.insert(a, [[1]], 1),
    "delete": lambda xp, a: [xp.delete(a, i) for i in (0, 3, -1, [1, 2], [1, -1], [])],
    "delete along": lambda xp, a: (
        xp.delete(a, 1, 0),
        xp.delete(a, [0, 2], 1),
        xp.delete(a, [1], 1),
    ),
    "delete slice": lambda xp, a: [
        xp.delete(a, s, 1)
        for s in (slice(1, 3), slice(None, None, 2), slice(3, 0, -1), slice(2, 2))
    ],
    "delete mask": lambda xp, a: xp.delete(a, xp.array([True, False, True]), 0),
    "delete wrong mask": lambda xp, a: xp.delete(a, [True, False], 0),
    "delete far": lambda xp, a: xp.delete(a, 12),
    "delete list far": lambda xp, a: xp.delete(a, [1, 12]),
}


@pytest.mark.parametrize("name", EDITS)
def test_edit(name, device):
    for order in "CF":
        check(EDITS[name], grid("i4", order=order), device=device, order=False)


def test_trim_zeros_of_times(device):
    spans = numpy.array(["NaT", 0, 3, 0], "m8[s]")
    check(lambda xp, a: (xp.trim_zeros(a), xp.trim_zeros(a[1:])), spans, device=device)
    check(lambda xp, a: xp.trim_zeros(a), spans.astype("M8[s]"), device=device)


def test_flip_of_a_number(device):
    check(lambda xp, a: (xp.flip(a), xp.flip(a, ())), numpy.array(3.0), device=device)


@pytest.mark.parametrize("dtype", ["f8", "i4", "?", "M8[D]"])
def test_ix_of_nothing(device, dtype):
    check(lambda xp, a: xp.ix_(a, [], [1, 2]), numpy.zeros(0, dtype), device=device)
    check(lambda xp, a: xp.ix_(a), numpy.zeros((), dtype), device=device)


def test_trim_zeros(device):
    a = numpy.zeros((5, 6))
    a[1, 2] = a[3, 4] = 1
    for keywords in ({}, {"trim": "f"}, {"trim": "b"}, {"axis": 0}, {"axis": (1,)}):
        check(lambda xp, x, k=keywords: xp.trim_zeros(x, **k), a, device=device)
    check(lambda xp, x: xp.trim_zeros(x), numpy.zeros(4), device=device)
    check(lambda xp: xp.trim_zeros([0, 0, 1, 2, 0]), device=device)


def test_resize_method_fills_with_zeros(device):
    def enlarge(xp, a):
        b = a.copy()
        b.resize((3, 5), refcheck=False)
        return b

    check(enlarge, grid(), device=device)


COPIES = {
    "plain": lambda xp, a: xp.copyto(a, 3),
    "broadcast": lambda xp, a: xp.copyto(a, [1, 2, 3, 4]),
    "where": lambda xp, a: xp.copyto(a, a[::-1], where=a > 5),
    "where row": lambda xp, a: xp.copyto(a, -1, where=[True, False, True, False]),
    "casting": lambda xp, a: xp.copyto(a, xp.array([1.5, 2, 3, 4], "c16")),
    "unsafe": lambda xp, a: xp.copyto(a, xp.array([1.5, 2, 3, 4], "c16"), casting="unsafe"),
    "shape": lambda xp, a: xp.copyto(a, [1, 2]),
    "mask type": lambda xp, a: xp.copyto(a, 1, where=xp.arange(4)),
}


@pytest.mark.parametrize("name", COPIES)
def test_copyto(name, device):
    for dtype in ("i4", "f8"):
        check(COPIES[name], grid(dtype), device=device)


@pytest.mark.parametrize(
    "keywords",
    [
        {"out": True},
        {"dtype": "f8"},
        {"where": True},
        {"dtype": "f4", "casting": "unsafe"},
        {"casting": "no"},
        {"order": "F"},
    ],
    ids=str,
)
def test_clip_keywords(keywords, device):
    def clip(xp, a):
        chosen = dict(keywords)
        if "out" in chosen:
            chosen["out"] = xp.zeros((3, 4))
        if "where" in chosen:
            chosen.update(out=xp.full((3, 4), -1.0), where=a > 5)
        return [xp.clip(a, low, high, **chosen) for low, high in ((2, 8), (None, 7), (3, None))]

    check(clip, grid("f4"), device=device)


DIFFERENCES = {
    "diff": lambda xp, a: (
        xp.diff(a),
        xp.diff(a, 2, 0),
        xp.diff(a, prepend=1, append=a[:, :2]),
        xp.diff(a, 0),
    ),
    "ediff1d": lambda xp, a: (
        xp.ediff1d(a),
        xp.ediff1d(a, to_end=9),
        xp.ediff1d(a, [1, 2], [3]),
        xp.ediff1d([]),
    ),
    "ediff1d cast": lambda xp, a: xp.ediff1d(a.astype("i4"), 1.5),
    "gradient": lambda xp, a: (
        xp.gradient(a),
        xp.gradient(a, axis=0),
        xp.gradient(a, 2.0),
        xp.gradient(a, 2, 0.5),
    ),
    "gradient uneven": lambda xp, a: xp.gradient(a, xp.array([1.0, 2, 4]), [0, 1, 3, 7]),
    "gradient even": lambda xp, a: xp.gradient(a, [0, 2, 4, 6], axis=1),
    "gradient ends": lambda xp, a: (
        xp.gradient(a, edge_order=2),
        xp.gradient(a, [0, 1, 3, 7], axis=1, edge_order=2),
    ),
    "gradient short": lambda xp, a: xp.gradient(a[:1]),
    "gradient order": lambda xp, a: xp.gradient(a, edge_order=3),
    "gradient count": lambda xp, a: xp.gradient(a, 1.0, 2.0, 3.0),
    "gradient lengths": lambda xp, a: xp.gradient(a, [1, 2], axis=0),
    "trapezoid": lambda xp, a: (
        xp.trapezoid(a),
        xp.trapezoid(a, dx=0.5, axis=0),
        xp.trapezoid(a, [1, 2, 4, 7]),
    ),
    "trapezoid each": lambda xp, a: xp.trapezoid(a, xp.cumsum(xp.abs(a), axis=1)),
}


@pytest.mark.parametrize("name", DIFFERENCES)
@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
def test_differences(name, dtype, device):
    a = (numpy.arange(12).reshape(3, 4) ** 2 % 7).astype(dtype)
    check(DIFFERENCES[name], a, device=device, ulp=4, order=False)


def test_differences_of_truth_values(device):
    a = numpy.array([[True, True, False], [True, False, True]])
    check(lambda xp, a: (xp.trapezoid(a), xp.trapezoid(a, [0, 1, 3]), xp.diff(a)), a, device=device)
    check(lambda xp, a: xp.trapezoid(a[0], [[0, 1, 3], [0, 2, 5]]), a * 1.5, device=device)
    check(lambda xp, a: xp.gradient(a, axis=1), a, device=device)
    check(lambda xp, a: xp.gradient(a, [0, 1, 3], axis=1), a, device=device)
    check(lambda xp, a: xp.gradient(a, [0, 1, 3], axis=1, edge_order=2), a, device=device, ulp=4)


def test_gradient_of_dates(device):
    check(lambda xp, a: xp.gradient(a), numpy.array([1, 4, 9, 7], "M8[s]"), device=device)


def test_unwrap(device):
    a = numpy.linspace(0, 30, 24).reshape(4, 6) % 5
    check(lambda xp, x: xp.unwrap(x), a, device=device, rtol=1e-12)
    check(lambda xp, x: xp.unwrap(x, axis=0, period=5), a, device=device, rtol=1e-12)
    check(lambda xp, x: xp.unwrap(x, 4.0, period=5), a, device=device, rtol=1e-12)
    check(lambda xp, x: xp.unwrap(x, period=4), numpy.array([0, 3, 6, 1, 2, 5]), device=device)


CROSSES = {
    "vectors": lambda xp, a: xp.cross(a[0], a[1]),
    "rows": lambda xp, a: xp.cross(a, a[::-1]),
    "broadcast": lambda xp, a: xp.cross(a, [1, 2, 3]),
    "axes": lambda xp, a: xp.cross(a.T, a, axisa=0, axisc=0),
    "axis": lambda xp, a: xp.cross(a.T, a.T, axis=0),
    "short": lambda xp, a: xp.cross(a[:, :1], a),
    "scalar": lambda xp, a: xp.cross(a, 1),
    "pairs": lambda xp, a: xp.cross(a[:, :2], a[::-1, 1:]),
    "two pairs": lambda xp, a: xp.cross(a[0, :2], a[1, 1:]),
    "pairs and triples": lambda xp, a: (xp.cross(a[:, :2], a), xp.cross(a, a[0, :2])),
}


@pytest.mark.filterwarnings("ignore:Arrays of 2-dim:DeprecationWarning")
@pytest.mark.parametrize("name", CROSSES)
@pytest.mark.parametrize("dtype", ["b", "H", "i4", "q", "e", "f", "f8", "F", "D"])
def test_cross(name, dtype, device):
    check(CROSSES[name], grid(dtype, (4, 3)), device=device, ulp=2, order=False)


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "complex128"])
def test_cross_of_layouts(dtype, device):
    random = numpy.random.default_rng(3)
    a, b = (random.integers(-9, 9, (5, 7, 6)).astype(dtype) for _ in range(2))
    check(lambda xp, a, b: xp.cross(a[..., ::2], b[..., 1::2]), a, b, device=device, order=False)
    check(
        lambda xp, a, b: xp.cross(a[:, ::-1, 2::-1], b[0, :, :3]), a, b, device=device, order=False
    )
    check(lambda xp, a, b: xp.cross(a.T[:3], b.T[3:], axis=0), a, b, device=device, order=False)
    check(
        lambda xp, a, b: xp.cross(a[:, :3], b[:, 4:], axisa=1, axisb=1, axisc=0),
        a,
        b,
        device=device,
        order=False,
    )
    check(lambda xp, a, b: xp.cross(a[:, :1, :3], b[:0, :, :3][:, None, 0]), a, b, device=device)


def test_polyval(device):
    a = numpy.linspace(-2, 2, 7)
    check(lambda xp, x: xp.polyval([1, 2, 3], x), a, device=device, ulp=2)
    check(lambda xp, x: xp.polyval(x, x), a, device=device, ulp=2)
    check(lambda xp, x: xp.polyval([], x), a, device=device)
    check(lambda xp, x: xp.polyval([3, 0, 1], 5), a, device=device)


@pytest.mark.parametrize("points", [1, 2, 3, 100, 2048, 2049, 5000, 70001])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_interp_among_many_points(dtype, points, device):
    random = numpy.random.default_rng(points)
    xp_ = numpy.cumsum(random.integers(0, 3, points)).astype(float)  # with steps
    fp = random.standard_normal(points)
    x = numpy.concatenate((random.uniform(-2, xp_[-1] + 2, 5003), xp_[:50], xp_[-1:])).astype(dtype)
    check(lambda xp, *a: xp.interp(*a), x, xp_, fp, device=device, ulp=2)
    check(lambda xp, *a: xp.interp(*a, left=7.5, right=-1), x, xp_, fp, device=device, ulp=2)
    check(lambda xp, a, b, c: xp.interp(a[::3], b, c + 2j * c), x, xp_, fp, device=device, ulp=2)


def test_interp_of_complex_values_at_nan(device):
    x, fp = numpy.array([numpy.nan, 0.5, 7]), numpy.array([1 + 2j, 3j, 2])
    for points in (3, 1):
        check(
            lambda xp, *a: xp.interp(*a), x, numpy.arange(1.0 * points), fp[:points], device=device
        )


def test_interp_at_infinities_and_nan(device):
    inf, nan = numpy.inf, numpy.nan
    x = numpy.array([[-inf, -1, 0, 0.5], [1, 1.5, 2, 2.5], [3, 4, inf, nan]])
    xp_, fp = numpy.array([-1.0, 0, 1, 2, 3, inf]), numpy.array([1, inf, 2, -inf, -inf, 3])
    check(lambda xp, *a: xp.interp(*a), x, xp_, fp, device=device)
    check(
        lambda xp, *a: xp.interp(*a),
        x.T,
        numpy.append(-inf, xp_),
        numpy.append(nan, fp),
        device=device,
    )
    check(lambda xp, x: xp.interp(x, [1.0], [5.0]), x, device=device)
    check(lambda xp, x: xp.interp(x, [1.0], [5.0], 2, 3), x, device=device)
    check(lambda xp, x: xp.interp(x[:0], [1.0, 2], [5.0, 3]), x, device=device)
    check(lambda xp, x: xp.interp(x, [1.0, 2], [5.0, 3], left=xp.ones(2)), x, device=device)


def test_interp(device):
    x, xp_, fp = numpy.linspace(-1, 5, 13), numpy.array([0.0, 1, 3, 4]), numpy.array([1.0, 5, 2, 8])
    check(lambda xp, a, b, c: xp.interp(a, b, c), x, xp_, fp, device=device, ulp=2)
    check(lambda xp, a, b, c: xp.interp(a, b, c, -1, 99), x, xp_, fp, device=device, ulp=2)
    check(lambda xp, a, b, c: xp.interp(a, b, c, period=4.5), x, xp_, fp, device=device, rtol=1e-12)
    check(lambda xp, a, b, c: xp.interp(a, b, c * 1j), x, xp_, fp, device=device, ulp=2)
    check(lambda xp, a, b, c: xp.interp(2.5, b, c), x, xp_, fp, device=device, ulp=2)
    check(lambda xp, a, b, c: xp.interp(a, b, c[:2]), x, xp_, fp, device=device)
    check(lambda xp, a, b, c: xp.interp(a * 1j, b, c), x, xp_, fp, device=device)
    check(lambda xp, a, b, c: xp.interp(a, b, c, left=1j), x, xp_, fp, device=device)
    check(lambda xp, a, b, c: xp.interp(a, b, c * 1j, left=1j), x, xp_, fp, device=device, ulp=2)
    fp[2] = numpy.inf
    check(lambda xp, a, b, c: xp.interp(a, b, c + 1j * a[:4]), x, xp_, fp, device=device, ulp=2)


def test_insert_reads_positions_from_the_device(device):
    a = gpuarray.arange(5)
    assert gpuarray.insert(a, gpuarray.array([1, 3]), 9).tolist() == [0, 9, 1, 2, 9, 3, 4]
    assert gpuarray.delete(a, gpuarray.array([1, 3])).tolist() == [0, 2, 4]


def fill_margins(vector, widths, axis, keywords):
    vector[: widths[0]] = keywords.get("before", 10)
    vector[len(vector) - widths[1] :] = -axis


@pytest.mark.parametrize("widths", [1, (1, 2), ((1, 2), (0, 3))], ids=str)
def test_padding_by_a_function(device, widths):
    a = numpy.arange(6.0).reshape(2, 3)
    check(lambda xp, a: xp.pad(a, widths, fill_margins), a, device=device)
    check(lambda xp, a: xp.pad(a.T, widths, fill_margins, before=3), a, device=device)


REQUIREMENTS = [None, ["C"], ["F"], "CW", ["E"], ["O"], ["A", "W"], ["C", "F"], ["X"], []]


@pytest.mark.parametrize("wanted", REQUIREMENTS, ids=str)
def test_require(device, wanted):
    a = numpy.asfortranarray(numpy.arange(6.0).reshape(2, 3))
    for dtype in (None, "f4"):
        check(lambda xp, a, d=dtype: xp.require(a, d, wanted), a, device=device)
        check(lambda xp, a, d=dtype: xp.require(a[::2], d, wanted), a, device=device)
        check(lambda xp, a, d=dtype: xp.require(a.T, d, wanted), a, device=device)
    fixed = gpuarray.asarray(a, device=device)
    fixed.flags.writeable = False
    assert gpuarray.require(fixed) is fixed
    assert gpuarray.require(fixed, requirements="W").flags.writeable


def test_matrix_and_vector_products_refuse(device):
    names = ("matvec", "vecmat", "vecdot", "matmul")
    for name in (name for name in names if hasattr(numpy, name)):
        for first, second in (((3,), (3,)), ((), (3,)), ((2, 3), ()), ((2, 3), (2,))):
            check(
                lambda xp, a, b, n=name: getattr(xp, n)(a, b),
                numpy.ones(first),
                numpy.ones(second),
                device=device,
            )

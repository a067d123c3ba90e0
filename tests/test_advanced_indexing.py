"""Index arrays, lists and masks, read and written. NumPy is the oracle: a table first, then any key."""

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import check

import gpuarray

CUBE = numpy.arange(24.0).reshape(2, 3, 4)
GRID = numpy.arange(120, dtype="i4").reshape(2, 3, 4, 5)
FIRST = numpy.array([1, 0, -1])
PAIRS = numpy.array([[0, 2], [-1, 1]])
MASK = CUBE[0] % 3 == 0

KEYS = [
    FIRST, PAIRS, (slice(None), FIRST), (Ellipsis, FIRST), (FIRST, Ellipsis), (None, FIRST),
    (FIRST % 2, FIRST), (FIRST % 2, slice(None), FIRST), (0, slice(None), FIRST), (0, FIRST),
    (slice(None), 0, FIRST), (slice(None), FIRST, 0), (FIRST % 2, None, FIRST), (PAIRS % 2, [0, 1]),
    (PAIRS % 2, Ellipsis, [[1], [2]]), (FIRST, Ellipsis, 0), (Ellipsis, PAIRS, 0), ([0], [1], [2]),
    (slice(1, None), PAIRS), (slice(None, None, -1), FIRST, slice(None, None, 2)),
    (numpy.array([True, False]),), ([False, True], FIRST[:1]), (slice(None), MASK),
    (0, MASK), (numpy.array([True, False]), slice(None), [0, 3]), CUBE > 7, (CUBE > 7,),
    (numpy.array([True, True]), [0, 2]), (True, FIRST), (FIRST, True), (True, slice(None), FIRST % 2),
    (False, 0), (numpy.zeros(0, bool),), (slice(None), numpy.zeros((3, 0), bool)), [], ([], 0), ([[]],),
    ([], [9]), numpy.zeros((0, 3), int), FIRST.astype("i1"), (FIRST % 2).astype("u8"),
    (FIRST, FIRST, FIRST, FIRST), FIRST + 5, (0, FIRST + 9), (slice(None), PAIRS - 9),
    (FIRST, PAIRS), MASK, numpy.ones(3, bool), FIRST * 1.0, ["a"], [[0, 1], [2]], (0, 1, 2, [0]),
    (Ellipsis, FIRST, Ellipsis), numpy.asfortranarray(PAIRS), numpy.array([[True], [False]]),
]  # fmt: skip

VALUES = [
    7, 2.5, True, numpy.arange(4), numpy.arange(3)[:, None], numpy.ones((1, 1, 1, 1, 4), "f4"),
    numpy.array(3, "i2"), numpy.arange(3), [1, 2], [], numpy.arange(24.0).reshape(2, 3, 4), 1j, "x", None,
]  # fmt: skip


def identify(key):
    return repr(key).replace("\n", "")[:60]


def assign(xp, a, key, value):
    a[key] = value
    return a


@pytest.mark.smoke
@pytest.mark.parametrize("key", KEYS, ids=identify)
def test_read(device, key):
    """Keys as they come, and with NumPy's arrays as arrays of the device; arrays in any layout."""
    for a in (CUBE, GRID, GRID.T, CUBE[::-1, :, ::2], CUBE[:, :0]):
        check(lambda xp, a: a[key], a, device=device)
        check(lambda xp, a, key: a[key], a, key, device=device)
        check(lambda xp, a, key: a.T[::-1][key], a, key, device=device)


@pytest.mark.smoke
@pytest.mark.parametrize("key", KEYS, ids=identify)
def test_write(device, key):
    for value in (
        VALUES if is_good(key) else VALUES[:3]
    ):  # of two faults at once NumPy names the other one
        check(lambda xp, a, value=value: assign(xp, a, key, value), CUBE, device=device)
        check(assign, CUBE, key, value, device=device)
    check(lambda xp, a, key: assign(xp, a.T[::-1], key, -1), GRID, key, device=device)


def is_good(key):
    try:
        CUBE[key]
    except (IndexError, ValueError):
        return False
    return True


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "e", "f", "q", "F", "D", "M8[s]"])
def test_dtypes(device, dtype):
    """Items of every size; rows that are moved as wider items, and rows that cannot be."""
    for columns in (1, 2, 3, 4, 8, 16):
        a = (numpy.arange(6 * columns) % 100).astype("i8").astype(dtype).reshape(6, columns)
        rows = numpy.array([5, 0, -2, 5])
        check(lambda xp, a, i: a[i], a, rows, device=device)
        check(lambda xp, a, i: a[:, 1:][i], a, rows, device=device)
        check(assign, a, rows, a[:4][::-1].copy(), device=device)
        check(
            lambda xp, a, i, v: assign(xp, a[:, 1:], i, v), a, rows, a[:4, 1:].copy(), device=device
        )
        check(assign, a, rows, a[0, 0], device=device)


def test_last_of_duplicates_wins(device):
    """Trap 3, also along rows, through two arrays, and where few indices meet a large array."""
    n = 20000
    rng = numpy.random.default_rng(3)
    rows, columns = rng.integers(0, 7, n), rng.integers(-3, 3, n)
    check(assign, numpy.zeros(2), numpy.arange(n) % 2, numpy.arange(float(n)), device=device)
    check(assign, numpy.zeros((7, 6)), rows, numpy.arange(n * 6.0).reshape(n, 6), device=device)
    check(
        assign,
        numpy.zeros((6, 7)),
        (slice(None), rows),
        numpy.arange(n * 6.0).reshape(6, n),
        device=device,
    )
    check(assign, numpy.zeros((7, 6)), (rows, columns), numpy.arange(n), device=device)
    check(
        assign,
        numpy.zeros((7, 5, 6)),
        (rows, slice(None), columns),
        numpy.arange(5.0 * n).reshape(n, 5),
        device=device,
    )
    few = rng.integers(0, 50, 200) * 17
    check(assign, numpy.zeros(100000), few, numpy.arange(200), device=device)
    check(
        assign,
        numpy.zeros(3),
        numpy.broadcast_to(numpy.array([1]), (5, 1)),
        numpy.arange(5)[:, None],
        device=device,
    )


def test_failure_changes_nothing(device):
    """Trap 1, with indices of the host and of the device."""
    for key in ([1, 3], numpy.array([1, -4]), (numpy.array([0, 1, 9]),)):
        check(assign, numpy.arange(3), key, 10, device="cpu")
        check(lambda xp, a, key=key: assign(xp, a, key, 10), numpy.arange(3), device=device)


def test_overlap(device):
    check(lambda xp, a: assign(xp, a, a, a[::-1]), numpy.array([3, 0, 2, 1]), device=device)
    check(lambda xp, a: assign(xp, a, [0, 1, 2], a[1:]), numpy.arange(4), device=device)
    check(lambda xp, a: assign(xp, a, a, ~a), numpy.array([True, False, True]), device=device)
    check(lambda xp, a: assign(xp, a, a, False), numpy.array([True, False, True]), device=device)


def test_results_are_copies(device):
    def body(xp, a):
        a[[0, 1]][...] = 9
        a[xp.array([True, False])][...] = 9
        return a

    check(body, CUBE, device=device)


def test_more_arrays_than_a_launch_takes(device):
    a = numpy.arange(3.0**10).reshape((3,) * 10)
    key = tuple(numpy.array([2, 0, 1, 2]) - axis % 2 for axis in range(10))
    check(lambda xp, a, key: a[key], a, key, device=device)
    check(lambda xp, a, key: a[::-1, :, ::-1][key], a, key, device=device)
    check(assign, a, key, numpy.arange(4), device=device)
    check(lambda xp, a: a[a > 59000], a, device=device)
    check(lambda xp, a: assign(xp, a, a > 59000, xp.arange(48)), a, device=device)


def test_more_axes_than_a_launch_takes(device):
    a = numpy.arange(2**12).reshape((2,) * 12)[..., ::-1]
    key = (slice(None), numpy.array([1, 0, 1])) + (slice(None, None, -1), slice(None)) * 4
    check(lambda xp, a, key: a.T[key], a, key, device=device, order=False)
    check(lambda xp, a, key: assign(xp, a.T, key, a.T[key] * 2), a, key, device=device)


def test_lists_of_device_scalars(device):
    check(lambda xp, a: a[[a[0].argmax(), 0]], numpy.arange(6).reshape(3, 2), device=device)


def test_masked_assignment(device):
    for mask in (CUBE > 5, numpy.array([True, False]), CUBE[:, :, 0] > 5):
        for value in (3, numpy.float32(2.5), [1], [1, 2], numpy.array(4)):
            check(assign, CUBE, mask, value, device=device)
    check(assign, CUBE, CUBE > 21, numpy.arange(2)[None], device=device)
    check(assign, CUBE.astype("M8[s]"), CUBE > 5, numpy.datetime64(7, "s"), device=device)
    check(lambda xp, a, m: assign(xp, a.T, m.T, 1), CUBE, CUBE > 5, device=device)


@pytest.mark.smoke
def test_bad_index_on_the_device(device):
    """On a GPU it is raised once, by what waits next, and the process works on; nothing was written."""
    a, bad = gpuarray.arange(3), gpuarray.array([0, 5])
    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 with size 3"):
        a[bad] = 10
        repr(a)
        gpuarray.synchronize()
    assert a.tolist() == [0, 1, 2]
    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 with size 3"):
        gpuarray.take(a, bad).tolist()
    a[gpuarray.array([2, 2])] = gpuarray.array([7, 8])
    assert a.tolist() == [0, 1, 8]


def draw_item(draw, shape, axis):
    """One item of a key, and how many axes it uses."""
    length = shape[axis]
    kind = draw(st.sampled_from(["array", "mask", "slice", "integer", "newaxis", "truth", "list"]))
    if kind in ("array", "list"):
        extent = draw(st.sampled_from([(), (1,), (2,), (3, 1), (2,), (3, 2), (0,)]))
        numbers = st.integers(-length - (draw(st.integers(0, 20)) == 0), max(length - 1, 0))
        count = int(numpy.prod(extent)) if length else 0
        array = numpy.array(draw(st.lists(numbers, min_size=count, max_size=count)), "i4")
        array = array.reshape(extent if length else (0,))
        return (array.tolist() if kind == "list" else array), 1
    if kind == "mask":
        axes = draw(st.integers(1, min(2, len(shape) - axis)))
        size = int(numpy.prod(shape[axis : axis + axes]))
        bits = draw(st.lists(st.booleans(), min_size=size, max_size=size))
        return numpy.array(bits, bool).reshape(shape[axis : axis + axes]), axes
    if kind == "slice":
        bound, step = st.sampled_from([None, 0, 1, -1, 5]), st.sampled_from([None, 1, -1, 2])
        return slice(draw(bound), draw(bound), draw(step)), 1
    if kind == "integer" and length:
        return draw(st.integers(-length, length - 1)), 1
    return (None, 0) if kind == "newaxis" else (draw(st.booleans()), 0)


@st.composite
def keyed_arrays(draw):
    """A small array and a key for it."""
    shape = tuple(draw(st.lists(st.sampled_from([0, 1, 2, 3, 4]), min_size=1, max_size=4)))
    dtype = draw(st.sampled_from(["i2", "f4", "D", "?"]))
    a = numpy.arange(int(numpy.prod(shape))).astype(dtype).reshape(shape)
    key, axis = [], 0
    while axis < len(shape) and len(key) < 7 and draw(st.integers(0, 5)):
        item, used = draw_item(draw, shape, axis)
        key.append(item)
        axis += used
    if draw(st.integers(0, 3)) == 0:
        key.insert(draw(st.integers(0, len(key))), Ellipsis)
    return a, tuple(key)


@settings(max_examples=400, deadline=None)
@given(case=keyed_arrays(), on_device=st.booleans())
def test_random_key(case, on_device):
    a, key = case
    keys = (key,) if on_device else ()

    def read(xp, a, key=key):
        return a[key]

    def write(xp, a, key=key):
        a[key] = xp.arange(a[key].size).reshape(a[key].shape) + 3
        return a

    for body in (read, write):
        check(body, a, *keys, device="cpu")
        check(body, numpy.asfortranarray(a), *keys, device="cpu")


@pytest.mark.parametrize("repeated", ["none", "one", "many", "all"])
def test_many_points_and_the_last_one_is_written(repeated, device):
    random = numpy.random.default_rng(1)
    x, y = random.random(150000), random.random(100000)
    j = random.permutation(x.size)[: y.size]
    if repeated == "one":
        j[70] = j[-5]
    elif repeated == "many":
        j = random.integers(0, 500, y.size)
    elif repeated == "all":
        j[:] = 7

    def assign(xp, x, j, y):
        x[j] = y
        return x

    check(assign, x, j, y, device=device)
    check(assign, x.astype(numpy.float32), j - x.size, y.astype(numpy.float32), device=device)


@pytest.mark.parametrize("dtype", ["u1", "f2", "f4", "f8", "c16"])
@pytest.mark.parametrize(
    "shape, picks", [((40, 300), 500), ((3, 9000), 400), ((5, 7), 3000), ((2, 20000), 9000)]
)
def test_picks_along_lines(dtype, shape, picks, device):
    random = numpy.random.default_rng(7)
    a = random.integers(0, 200, shape).astype(dtype)
    index = random.integers(-shape[1], shape[1], picks)
    check(lambda xp, a, i: a[:, i], a, index, device=device)
    check(lambda xp, a, i: a[::-1, i[::2]], a, index, device=device)
    check(lambda xp, a, i: a[:, i.reshape(2, -1)], a, index, device=device)
    check(lambda xp, a, i: a[..., ::-1][:, i], a, index, device=device)
    check(lambda xp, a, i: xp.take(a, i * 3, 1, mode="wrap"), a, index, device=device)
    check(lambda xp, a, i: xp.take(a, i * 3, 1, mode="clip"), a, index, device=device)
    check(
        lambda xp, a, i: xp.take_along_axis(a, i + 0 * a[:, :1].astype(int), 1),
        a,
        index,
        device=device,
    )
    index[picks // 2] = shape[1]
    check(lambda xp, a, i: a[:, i], a, index, device=device)


@pytest.mark.parametrize("dtype", ["u1", "f2", "f4", "f8", "c16"])
@pytest.mark.parametrize("named", [100, 5000, 100000])
def test_the_last_of_many_values_is_written(dtype, named, device):
    random = numpy.random.default_rng(8)
    index = random.integers(-named, named, 70000)
    values = random.integers(0, 250, 70000).astype(dtype)

    def write(xp, a, i, v):
        a[i] = v
        a[::-1][i[::2]] = v[::-2]
        a.reshape(10, -1)[i % 10, i % (named // 10)] = v
        a[i.reshape(7, -1)[:, ::-1]] = v.reshape(7, -1)

    check(write, numpy.zeros(named, dtype), index, values, device=device)
    check(write, numpy.zeros(named, dtype), index[:350], values[:350], device=device)
    index[6789] = named
    check(
        lambda xp, a, i, v: a.__setitem__(i, v),
        numpy.zeros(named, dtype),
        index,
        values,
        device=device,
    )

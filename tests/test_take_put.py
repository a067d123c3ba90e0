"""Elements by number: take, put and their like, and functions that make positions. NumPy is the oracle."""

import numpy
import pytest
from oracle import check

import gpuarray

CUBE = numpy.arange(24.0).reshape(2, 3, 4)
LINE = numpy.arange(5, dtype="i4")


def identify(value):
    return repr(value).replace("\n", "")[:40]


def changed(name):
    """Body of a test: the function of this name, then the array it wrote to."""

    def body(xp, a, *args, **kwargs):
        getattr(xp, name)(a, *args, **kwargs)
        return a

    return body


INDICES = [
    0, -1, 5, -6, [], [0], [4, -5, 2], [[0, 1], [2, 3]], [5], numpy.array([1, 2], "u8"),
    numpy.array([True, False]), numpy.array([1.0]), [1.5], numpy.zeros((0, 2), int), range(2),
]  # fmt: skip


@pytest.mark.smoke
@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
@pytest.mark.parametrize("indices", INDICES, ids=identify)
def test_take(device, indices, mode):
    """Trap 2; indices as they come and as arrays of the device."""
    check(lambda xp, a: xp.take(a, indices, mode=mode), LINE, device=device)
    for axis in (None, 0, 1, -1, 3):
        check(
            lambda xp, a, i, axis=axis: xp.take(a, i, axis, mode=mode), CUBE, indices, device=device
        )
    check(lambda xp, a: a.T.take(indices, 1, mode=mode), CUBE, device=device)


def test_take_out(device):
    for dtype, shape in (
        ("d", (2, 2, 4)),
        ("f", (2, 2, 4)),
        ("i4", (2, 2, 4)),
        ("D", (2, 2, 4)),
        ("d", (2, 2, 3)),
    ):
        check(
            lambda xp, a, out: xp.take(a, [2, 0], 1, out=out),
            CUBE,
            numpy.zeros(shape, dtype),
            device=device,
        )
    check(lambda xp, a: xp.take(a, [1, 0], 0, out=a[::-1]), numpy.eye(2), device=device)


def test_take_edges(device):
    check(lambda xp: xp.take([10, 20, 30], [2, 0]), device=device)
    check(lambda xp: xp.take(7, [0, 0]), device=device)
    check(lambda xp, a: xp.take(a, [0], axis=0), numpy.zeros((0, 3)), device=device)
    check(lambda xp, a: xp.take(a, [0], axis=0, mode="clip"), numpy.zeros((0, 3)), device=device)
    check(lambda xp, a: xp.take(a, [9], axis=0), numpy.zeros((3, 0)), device=device)
    for mode in ("raise", "wrap", "clip"):
        # Wrapping around an axis of no elements NumPy does not come to an end for (2, 0, 0).
        for shape in ((0, 0, 2), (2, 0, 2), (0, 2, 2)) + (((2, 0, 0),) if mode == "raise" else ()):
            check(
                lambda xp, a, m=mode: xp.take(a, [0, 9], 1, mode=m),
                numpy.zeros(shape),
                device=device,
            )
    check(lambda xp, a: xp.compress([0, 0, 2], a, 2), numpy.zeros((0, 1, 1)), device=device)
    check(lambda xp, a: xp.put(a, [0], []), numpy.zeros((0, 3)), device=device)
    check(lambda xp, a: xp.take(a, [0], mode="other"), LINE, device=device)
    for dtype in "?bHiqefdFD":
        check(lambda xp, a: xp.take(a, [1, 1, 3]), LINE.astype(dtype), device=device)


VALUES = [9, [7], [7, 8], [1, 2, 3, 4, 5], [], 2.7, numpy.array([[1.5], [2.5]])]


@pytest.mark.smoke
@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
@pytest.mark.parametrize("indices", INDICES, ids=identify)
def test_put(device, indices, mode):
    for values in VALUES:
        check(
            lambda xp, a, v: changed("put")(xp, a, indices, v, mode=mode),
            LINE,
            values,
            device=device,
        )
    check(changed("put"), LINE[::-1], indices, [1, 2], mode, device=device)
    check(lambda xp, a: changed("put")(xp, a.T, indices, [1, 2], mode), CUBE, device=device)


def test_put_last_of_duplicates_wins(device):
    check(
        changed("put"), numpy.zeros(3), numpy.arange(9999) % 3, numpy.arange(9999.0), device=device
    )
    check(changed("put"), numpy.zeros(3), [0, 5], 1, device=device)
    check(lambda xp, a: a.put([0, -1], 7) or a, LINE, device=device)
    check(changed("put"), numpy.broadcast_to(LINE, (2, 5)), [0], 1, device=device)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, None, 3])
def test_along_axis(device, axis):
    order = numpy.argsort(-CUBE, axis=axis if axis in (0, 1, 2, -1) else 0)
    for indices in (
        order,
        order[:1, :1, :1],
        order.astype("i1"),
        order + 9,
        order.T,
        order[0],
        order * 1.0,
    ):
        check(lambda xp, a, i: xp.take_along_axis(a, i, axis), CUBE, indices, device=device)
        check(lambda xp, a, i: xp.take_along_axis(a.T, i, axis), CUBE, indices, device=device)
        check(changed("put_along_axis"), CUBE, indices, -1, axis, device=device)
    check(
        lambda xp, a, i: xp.take_along_axis(a, i, axis),
        CUBE,
        numpy.array([3, -1, 3]),
        device=device,
    )
    check(changed("put_along_axis"), CUBE, numpy.array([3, -1, 3]), [1, 2, 3], axis, device=device)
    check(changed("put_along_axis"), CUBE, order, CUBE * 2, axis, device=device)


def test_compress_and_extract(device):
    for condition in (
        [True, False, True],
        [0, 1],
        [],
        numpy.array([False, True]),
        [1] * 9,
        True,
        [[True]],
    ):
        for axis in (None, 0, 1, 2):
            check(
                lambda xp, a, c, axis=axis: xp.compress(c, a, axis), CUBE, condition, device=device
            )
        check(lambda xp, a, c: a.compress(c, 1), CUBE, condition, device=device)
    check(
        lambda xp, a: xp.compress([True, False], a, 0, out=xp.zeros((1, 3, 4))), CUBE, device=device
    )
    check(lambda xp, a: xp.extract(a > 5, a), CUBE, device=device)
    check(lambda xp, a: xp.extract([1, 0, 1], a), LINE, device=device)
    check(lambda xp, a: xp.extract(a.T > 5, a), CUBE, device=device)
    check(lambda xp, a: xp.extract((a - 5) * 0.5, a.T), CUBE, device=device)
    check(lambda xp, a: xp.compress(a.reshape(-1) % 3, a), CUBE, device=device)
    check(lambda xp, a: xp.extract(a[:2] > 5, a), CUBE, device=device)


@pytest.mark.parametrize("values", VALUES, ids=identify)
def test_place_and_putmask(device, values):
    for mask in (CUBE % 3 == 0, CUBE.reshape(-1) > 8, CUBE < 0, CUBE[0] > 1, CUBE + 0):
        check(changed("place"), CUBE, mask, values, device=device)
        check(changed("putmask"), CUBE, mask, values, device=device)
        check(lambda xp, a, m: changed("putmask")(xp, a.T, m, values), CUBE, mask, device=device)
    check(changed("putmask"), LINE, [1, 0, 1, 0, 1], values, device=device)
    check(changed("place"), LINE, [1, 0, 1, 0, 1], values, device=device)
    check(changed("putmask"), CUBE, CUBE > 3, CUBE * 2, device=device)


def test_choose(device):
    choices = [LINE, LINE * 10, 7, LINE * 0.5]
    for index in (
        2,
        [0, 1, 2, 3, 0],
        [[3], [1]],
        numpy.array([1, 1, 0, 2, 3], "u1"),
        [4] * 5,
        [-1] * 5,
        [1.5],
    ):
        for mode in ("raise", "wrap", "clip"):
            check(
                lambda xp, i, c, mode=mode: xp.choose(i, c, mode=mode),
                index,
                choices,
                device=device,
            )
    check(lambda xp, i: i.choose([[1, 2], [3, 4]]), numpy.array([1, 0]), device=device)
    turned = numpy.array([[0, 1, 1], [1, 0, 1]], order="F")
    check(lambda xp, i: xp.choose(i, [turned, 5]), turned, device=device)
    check(lambda xp: xp.choose([0, 1], [[1, 2], [3, 4]], out=xp.zeros(2, int)), device=device)


def test_select(device):
    for default in (0, -1, 2.5, [1]):
        check(
            lambda xp, a, d: xp.select([a > 3, a > 1], [a, a * 10], d), LINE, default, device=device
        )
    check(lambda xp, a: xp.select([a > 3], [[1, 2, 3, 4, 5]]), LINE, device=device)
    check(lambda xp, a: xp.select([a > 3], [a, a]), LINE, device=device)
    check(lambda xp: xp.select([], []), device=device)
    check(lambda xp, a: xp.select([a], [a]), LINE, device=device)
    check(lambda xp: xp.select([True, False], [1, 2]), device=device)


def test_piecewise(device):
    """With values and with callables."""
    check(lambda xp, a: xp.piecewise(a, [a < 1, a > 3], [-1, 1]), LINE * 1.0, device=device)
    check(lambda xp, a: xp.piecewise(a, [a < 1, a > 3], [-1, 1, 7]), LINE, device=device)
    functions = [lambda x, n: -x, lambda x, n: x * n]
    check(lambda xp, a: xp.piecewise(a, [a < 2, a >= 2], functions, 3), LINE, device=device)
    check(lambda xp, a: xp.piecewise(a, a < 2, [1]), LINE, device=device)
    check(lambda xp, a: xp.piecewise(a, [a < 2], [1, 2, 3]), LINE, device=device)
    check(lambda xp, a: xp.piecewise(a, [xp.array(True)], [5]), LINE, device=device)
    check(
        lambda xp, a: xp.piecewise(a, [xp.array(False), xp.array(True)], [5, 6]),
        LINE,
        device=device,
    )
    check(lambda xp, a: xp.piecewise(a, [True], [5]), LINE, device=device)


@pytest.mark.parametrize(
    "shape", [(3, 3), (5, 3), (3, 5), (3, 3, 3), (4,), (2, 3, 3), (0, 0)], ids=str
)
def test_fill_diagonal(device, shape):
    a = numpy.zeros(shape)
    for value in (5, [1, 2], [1, 2, 3, 4, 5, 6], 2.5):
        check(changed("fill_diagonal"), a, value, device=device)
        check(
            lambda xp, a, v: changed("fill_diagonal")(xp, a, v, wrap=True), a, value, device=device
        )
        check(lambda xp, a, v: changed("fill_diagonal")(xp, a.T, v), a, value, device=device)


def test_index_makers(device):
    check(lambda xp: xp.diag_indices(4), device=device)
    check(lambda xp: xp.diag_indices(2, 3), device=device)
    check(lambda xp, a: xp.diag_indices_from(a), numpy.eye(3), device=device)
    check(lambda xp, a: xp.diag_indices_from(a), numpy.ones((2, 3)), device=device)
    for k in (-1, 0, 2):
        check(lambda xp, k=k: xp.tril_indices(3, k, 4), device=device, order=False)
        check(lambda xp, k=k: xp.triu_indices(4, k), device=device, order=False)
        check(
            lambda xp, a, k=k: xp.triu_indices_from(a, k),
            numpy.ones((3, 2)),
            device=device,
            order=False,
        )
        check(
            lambda xp, a, k=k: xp.tril_indices_from(a, k),
            numpy.ones((3, 2)),
            device=device,
            order=False,
        )
        check(lambda xp, k=k: xp.mask_indices(3, xp.triu, k), device=device, order=False)
    check(lambda xp: xp.indices((2, 3)), device=device)
    check(lambda xp: xp.indices((2, 2), sparse=True), device=device)
    check(lambda xp: xp.indices((2, 0, 1), dtype="f4"), device=device)
    check(lambda xp: xp.indices(()), device=device)
    check(lambda xp: xp.ix_([0, 1], [True, False, True]), device=device)
    check(lambda xp, a: a[xp.ix_([1, 0], [0, 2], [3, 3])], CUBE, device=device)


def test_ravel_multi_index(device):
    pairs = numpy.array([[1, 0, 1], [2, 1, 0]])
    for order in "CF":
        check(
            lambda xp, i, order=order: xp.ravel_multi_index(i, (2, 3), order=order),
            pairs,
            device=device,
        )
        check(
            lambda xp, i, order=order: xp.ravel_multi_index(tuple(i), (2, 3), order=order),
            pairs,
            device=device,
        )
        check(
            lambda xp, order=order: xp.ravel_multi_index(
                ([5, -1], [7, -4]), (2, 3), mode=("clip", "wrap"), order=order
            ),
            device=device,
        )
    for mode in (
        ("clip", "raise"),
        ("raise", "wrap"),
        ("wrap", "clip"),
    ):  # what "raise" does not judge may be anywhere
        for rows, columns in ((5, 1), (1, 5), (-7, 2)):
            check(
                lambda xp, i, j, mode=mode: xp.ravel_multi_index((i, j), (2, 3), mode=mode),
                rows,
                columns,
                device=device,
            )
    check(lambda xp: xp.ravel_multi_index((1, 2), (2, 3)), device=device)
    check(lambda xp: xp.ravel_multi_index(([1], [3]), (2, 3)), device=device)
    check(lambda xp: xp.ravel_multi_index(([-1], [0]), (2, 3)), device=device)
    check(lambda xp: xp.ravel_multi_index(([1.5], [0]), (2, 3)), device=device)
    check(lambda xp: xp.ravel_multi_index(([1],), (2, 3)), device=device)


def test_unravel_index(device):
    for order in "CF":
        for shape in ((2, 3, 4), (24,), 24, (4, 6)):
            check(
                lambda xp, i, shape=shape, order=order: xp.unravel_index(i, shape, order=order),
                numpy.array([[0, 23], [7, 11]]),
                device=device,
                order=False,
            )
    check(lambda xp: xp.unravel_index(5, (2, 3)), device=device, order=False)
    check(lambda xp: xp.unravel_index([], (2, 3)), device=device, order=False)
    for bad in (6, [0, -1], 1.5, [1.0]):
        check(lambda xp, bad=bad: xp.unravel_index(bad, (2, 3)), device=device, order=False)


def test_flat(device):
    for key in (slice(1, 9, 2), [0, 5, -1], numpy.arange(24) % 2 == 0, 3):
        check(lambda xp, a, key: a.flat[key], CUBE, key, device=device)
        for value in (7, [1, 2, 3]):
            check(lambda xp, a, key, value=value: set_flat(a, key, value), CUBE, key, device=device)
            check(
                lambda xp, a, key, value=value: set_flat(a.T, key, value), CUBE, key, device=device
            )


def set_flat(a, key, value):
    a.flat[key] = value
    return a


def test_nothing_runs_on_the_host(device):
    before = gpuarray.set_fallback("error")
    try:
        a = gpuarray.arange(12).reshape(3, 4)
        index = gpuarray.array([2, 0])
        a[index], a[:, index], a[index, index] = 1, 2, 3
        a[a > 4] = 0
        gpuarray.put(a, index, 5)
        gpuarray.put_along_axis(a, index[None], 1, 1)
        gpuarray.choose(index, [index, index, index])
        gpuarray.select([a > 1], [a])
        gpuarray.fill_diagonal(a, 3)
        assert gpuarray.take(a, index, 1).shape == a[:, index].shape == (3, 2)
        assert gpuarray.unravel_index(gpuarray.ravel_multi_index((index, index), (3, 4)), (3, 4))[
            0
        ].tolist() == [2, 0]
    finally:
        gpuarray.set_fallback(before)


OF_TEXT = {
    "take": lambda xp, text, places: xp.take(text, places),
    "take_along_axis": lambda xp, text, places: xp.take_along_axis(text, places, 0),
    "repeat": lambda xp, text, places: xp.repeat(text, places),
    "compress": lambda xp, text, places: xp.compress(places == 1, text),
    "extract": lambda xp, text, places: xp.extract(places == 1, text),
    "permutation": lambda xp, text, places: numpy.sort(xp.random.default_rng(1).permutation(text)),
    "permuted": lambda xp, text, places: numpy.sort(xp.random.default_rng(1).permuted(text)),
    "choice": lambda xp, text, places: xp.random.default_rng(1).choice(text[:1], 3),
}


@pytest.mark.parametrize("name", OF_TEXT)
def test_text_at_places_on_a_device(device, name):
    """Text stays with NumPy, wherever the places are."""
    text, places = numpy.array(["a", "bc", "d"]), numpy.array([0, 2, 1])
    expected = OF_TEXT[name](numpy, text, places)
    result = OF_TEXT[name](gpuarray, text, gpuarray.asarray(places))
    assert isinstance(result, numpy.ndarray) and result.dtype == expected.dtype
    assert result.tolist() == expected.tolist()


def test_take_writes_to_arrays_of_ours_alone(device):
    a = gpuarray.asarray([3, 1, 2])
    with pytest.raises(TypeError, match="expected an ndarray"):
        gpuarray.take(a, a, mode="clip", out=numpy.zeros(3, a.dtype))

"""matmul, dot, @ and @=: vectors, batches, dtypes, layouts, out, and the errors."""

import operator

import numpy
import pytest
from oracle import check

import gpuarray

SHAPES = [
    ((3, 4), (4, 5)),
    ((4,), (4,)),
    ((4,), (4, 5)),
    ((3, 4), (4,)),
    ((2, 3, 4), (4, 5)),
    ((2, 3, 4), (2, 4, 5)),
    ((2, 1, 3, 4), (6, 4, 5)),
    ((4,), (2, 4, 5)),
    ((2, 3, 4), (4,)),
    ((0, 4), (4, 5)),
    ((3, 0), (0, 5)),
    ((2, 0, 4), (4, 0)),
    ((1, 1), (1, 1)),
    ((70, 33), (33, 65)),
]
DTYPES = ["?", "i1", "u2", "i8", "f2", "f4", "f8", "c8", "c16"]


def matrix(shape, dtype="f8", seed=0):
    return numpy.random.default_rng(seed).integers(-4, 5, shape).astype(dtype)


@pytest.mark.smoke
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_shapes(shapes, device):
    for dtype in DTYPES:
        a, b = (matrix(shape, dtype, i) for i, shape in enumerate(shapes))
        check(lambda xp, a, b: xp.matmul(a, b), a, b, device=device, rtol=1e-3, order=False)
        check(lambda xp, a, b: a @ b, a, b, device=device, rtol=1e-3, order=False)


@pytest.mark.parametrize(
    "pair",
    [("f4", "f8"), ("i4", "f4"), ("?", "i1"), ("u8", "i8"), ("f4", "c8"), ("f2", "f4")],
    ids=str,
)
def test_promotion(pair, device):
    check(
        lambda xp, a, b: a @ b,
        matrix((3, 4), pair[0]),
        matrix((4, 2), pair[1]),
        device=device,
        rtol=1e-6,
    )


@pytest.mark.parametrize("dtype", ["i4", "f4", "c16"])
def test_layouts(dtype, device):
    views = [
        lambda x: x,
        lambda x: x.T,
        lambda x: x[::-1],
        lambda x: x[:, ::-1],
        lambda x: x.T[::-1],
    ]
    for first in views:
        for second in views:
            check(
                lambda xp, a, b, first=first, second=second: first(a) @ second(b),
                matrix((6, 6), dtype),
                matrix((6, 6), dtype, 1),
                device=device,
                rtol=1e-6,
            )
    check(
        lambda xp, a, b: a[::2, 1:4] @ b[1:4, ::3],
        matrix((6, 6), dtype),
        matrix((6, 6), dtype, 1),
        device=device,
        rtol=1e-6,
    )
    check(
        lambda xp, a: xp.broadcast_to(a, (3, 6, 6)) @ a,
        matrix((6, 6), dtype),
        device=device,
        rtol=1e-6,
    )


@pytest.mark.smoke
@pytest.mark.parametrize(
    "call",
    [
        lambda xp, a, b: xp.matmul(1, a),
        lambda xp, a, b: a @ 2,
        lambda xp, a, b: a @ b,
        lambda xp, a, b: xp.dot(a, b),
        lambda xp, a, b: xp.matmul(a, a.T, out=b),
        lambda xp, a, b: xp.matmul(a, a.T, out=xp.zeros((3, 3), int)),
        lambda xp, a, b: xp.matmul(xp.ones((2, 3, 3)), xp.ones((4, 3, 3))),
        lambda xp, a, b: xp.matmul(a),
        lambda xp, a, b: xp.matmul(a, a.T, dtype="i4"),
        lambda xp, a, b: xp.dot(xp.ones((2, 3, 4)), xp.ones((2, 3, 4))),
        lambda xp, a, b: xp.dot(a, a.T, out=xp.zeros((3, 3), "f4")),
        lambda xp, a, b: xp.matmul(a, b, nothing=1),
    ],
)
def test_errors(call, device):
    assert isinstance(check(call, matrix((3, 4)), matrix((3, 2)), device=device), Exception)


def test_out(device):
    def run(xp, a, out, wide):
        assert xp.matmul(a, a.T, out=out) is out
        assert xp.matmul(a, a.T, wide) is wide
        assert xp.dot(a, a.T, out=out.copy()).shape == (3, 3)
        return out, wide

    check(
        run,
        matrix((3, 4), "f4"),
        numpy.zeros((3, 3), "f4"),
        numpy.zeros((3, 3), "c16"),
        device=device,
    )


def test_out_that_overlaps(device):
    check(lambda xp, a: xp.matmul(a, a, out=a), matrix((5, 5)), device=device)
    check(lambda xp, a: xp.matmul(a, a.T, out=a[::-1]), matrix((5, 5), "i8"), device=device)


@pytest.mark.smoke
@pytest.mark.parametrize("dtype", ["i8", "f4", "c16"])
def test_in_place(dtype, device):
    def run(xp, a, b):
        same = a
        a @= b
        assert a is same
        return a

    check(run, matrix((4, 4), dtype), matrix((4, 4), dtype, 1), device=device)
    check(run, matrix((2, 4, 4), dtype), matrix((4, 4), dtype, 1), device=device)


@pytest.mark.parametrize("dtype", ["i4", "f8"])
def test_in_place_refuses(dtype, device):
    for shape in ((4, 3), (3, 3)):
        assert isinstance(
            check(
                lambda xp, a, b: operator.imatmul(a, b),
                matrix((4, 4), dtype),
                matrix(shape),
                device=device,
            ),
            Exception,
        )


@pytest.mark.parametrize(
    "shapes",
    [
        ((), ()),
        ((3,), ()),
        ((), (2, 2)),
        ((4,), (4,)),
        ((3, 4), (4,)),
        ((3, 4), (4, 2)),
        ((2, 3, 4), (4,)),
        ((2, 3, 4), (4, 5)),
        ((2, 3, 4), (5, 4, 6)),
        ((4,), (5, 4, 6)),
        ((3, 0), (0, 2)),
    ],
    ids=str,
)
def test_dot(shapes, device):
    for dtype in ("?", "i4", "f4", "c16"):
        check(
            lambda xp, a, b: xp.dot(a, b),
            matrix(shapes[0], dtype),
            matrix(shapes[1], dtype, 1),
            device=device,
            rtol=1e-6,
        )
    check(lambda xp: xp.dot(3, 4), device=device)


@pytest.mark.parametrize(
    "keywords",
    [{"dtype": "f8"}, {"casting": "unsafe", "dtype": "i2"}, {"order": "F"}, {"order": "C"}],
    ids=str,
)
def test_keywords(keywords, device):
    check(
        lambda xp, a, b: xp.matmul(a, b, **keywords),
        matrix((3, 4), "f4"),
        matrix((4, 2), "f4", 1),
        device=device,
    )


def test_lists_and_numpy_operands(device):
    a = gpuarray.array(matrix((3, 3)), device=device)
    for result in (
        a @ numpy.eye(3),
        numpy.eye(3) @ a,
        a @ [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        gpuarray.matmul([[1, 2]], [[3], [4]]),
    ):
        assert isinstance(result, gpuarray.ndarray)
    check(lambda xp: (xp.matmul([[1, 2]], [[3], [4]]), xp.dot([1, 2], [3, 4])), device=device)


def test_float_products_are_accurate(device):
    rng = numpy.random.default_rng(0)
    a, b = rng.standard_normal((130, 257)).astype("f4"), rng.standard_normal((257, 65)).astype("f4")
    exact = a.astype("f8") @ b.astype("f8")
    ours = gpuarray.asnumpy(gpuarray.array(a, device=device) @ gpuarray.array(b, device=device))
    assert numpy.abs(ours - exact).max() < 257 * numpy.finfo("f4").eps * 4


@pytest.mark.parametrize("dtype", ["?", "u1", "i2", "i4", "i8"])
@pytest.mark.parametrize(
    "shapes",
    [
        ((7, 300), (300,)),
        ((300,), (300, 7)),
        ((900,), (900,)),
        ((130, 5), (5, 3)),
        ((3, 130), (130, 70)),
    ]
    + [((4, 6, 50), (50,)), ((4, 1, 50), (2, 50, 1)), ((0, 5), (5,)), ((2, 200, 3), (3, 66))],
    ids=str,
)
def test_thin_products(dtype, shapes, device):
    """Products in which one side is short: exact, in every layout."""
    a, b = (matrix(shape, dtype, i) for i, shape in enumerate(shapes))
    check(lambda xp, a, b: xp.matmul(a, b), a, b, device=device)
    check(lambda xp, a, b: xp.matmul(a[..., ::-1], b), a, b, device=device)
    check(
        lambda xp, a, b: xp.matmul(a, b),
        numpy.asfortranarray(a),
        numpy.asfortranarray(b),
        device=device,
    )


SHORT_ROWS = {
    "a few": lambda xp, a, v: a[:, :3] @ v[:3],
    "one": lambda xp, a, v: a[:, :1] @ v[:1],
    "whole vectors": lambda xp, a, v: xp.ascontiguousarray(a[:, :16]) @ v[:16],
    "an odd number": lambda xp, a, v: a[1:, :13] @ v[::-3][:13],
    "vector first": lambda xp, a, v: v[:12] @ a[:, 1:13].T,
    "many matrices": lambda xp, a, v: xp.reshape(a, (50, -1, 40))[:, :, 2:7] @ v[:5],
    "many vectors": lambda xp, a, v: a[:, None, :32] @ v[:32, None],
    "upwards": lambda xp, a, v: a[::-1, :4] @ v[:4],
    "into": lambda xp, a, v: xp.matmul(a, v, out=xp.zeros((3000, 2), a.dtype)[:, 1]),
}


@pytest.mark.parametrize("name", SHORT_ROWS)
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16"])
def test_matrices_with_short_rows(dtype, name, device):
    """Times a vector; small whole numbers, so that every order of adding gives the same."""
    a, v = matrix((3000, 40), "i2", 1) % 5, matrix((40,), "i2", 2) % 5
    if dtype[0] == "c":
        a, v = a - 1j * a[::-1], v + 2j * v[::-1]
    check(SHORT_ROWS[name], a.astype(dtype), v.astype(dtype), device=device)


SMALL = {
    "plain": lambda xp, a, b: a[0, 0] @ b[0, 0],
    "stack": lambda xp, a, b: a @ b,
    "turned": lambda xp, a, b: xp.swapaxes(a, 1, 3) @ b[..., ::-1],
    "one for all": lambda xp, a, b: a @ b[1, :1],
    "pairs": lambda xp, a, b: a[:, :1] @ b[:1],
    "vector": lambda xp, a, b: (a[0, 0, 0] @ b, a @ b[0, 0, :, 0], a[0, 0, 0] @ b[0, 0, :, 0]),
    "into": lambda xp, a, b: xp.matmul(
        a, b, out=xp.zeros((5, 2, b.shape[3], 7), a.dtype).swapaxes(2, 3)[:2, :, : a.shape[2]]
    ),
}


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("k", [1, 7, 8, 32, 33, 64, 65])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16"])
def test_small_products(dtype, k, name, device):
    """Of small whole numbers, so that every order of adding gives the same."""
    a, b = matrix((2, 2, 7, k), "i2", 1) % 5, matrix((2, 2, k, 7), "i2", 2) % 5
    if dtype[0] == "c":
        a, b = a - 1j * a[::-1], b + 2j * b[::-1]
    check(SMALL[name], a.astype(dtype), b.astype(dtype), device=device)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_small_products_are_accurate(device, dtype):
    rng = numpy.random.default_rng(3)
    a, b = (rng.standard_normal((20, 31, 31, 2)).view("c16")[..., 0] for _ in range(2))
    a, b = (x.astype(dtype) if dtype[0] == "c" else x.real.astype(dtype) for x in (a, b))
    exact = a.astype("G") @ b.astype("G")
    room = 31 * numpy.finfo(dtype).eps * (abs(a) @ abs(b))
    assert (
        abs((gpuarray.asarray(a, device=device) @ gpuarray.asarray(b, device=device)).get() - exact)
        < room
    ).all()


@pytest.mark.parametrize("shapes", [((70, 333), (333, 65)), ((3, 40, 90), (90, 7)), ((5000,),) * 2])
def test_float16_products_round_once(device, shapes):
    rng = numpy.random.default_rng(7)
    a, b = (rng.standard_normal(shape).astype("f2") for shape in shapes)
    exact = a.astype(float) @ b.astype(float)
    given = gpuarray.array(a) @ gpuarray.array(b)
    assert given.dtype == numpy.float16
    rounding = numpy.spacing(numpy.abs(exact).astype("f2")).astype(float) / 2
    room = 1e-6 * a.shape[-1] * numpy.abs(a).max() * numpy.abs(b).max()  # of sums in float32
    assert (numpy.abs(given.get() - exact) <= rounding + room).all()
    out = gpuarray.zeros(given.shape, "f2", order="F")
    assert gpuarray.matmul(gpuarray.array(a), gpuarray.array(b), out=out) is out
    assert (out == given).all()


def make_vectors(dtype, shape, layout):
    """Two arrays of small whole numbers, the vectors along their last axis."""
    rng = numpy.random.default_rng(shape[-1])
    a, b = (rng.integers(-3, 4, (*shape[:-1], 2 * shape[-1] + 1)).astype(dtype) for _ in range(2))
    cut = {
        "packed": lambda x: x[..., : shape[-1]].copy(),
        "misaligned": lambda x: x[..., 1 : shape[-1] + 1],
        "apart": lambda x: x[..., :-1:2],
        "backwards": lambda x: x[..., shape[-1] - 1 :: -1],
        "columns": lambda x: numpy.moveaxis(
            numpy.moveaxis(x[..., : shape[-1]], -1, 0).copy(), 0, -1
        ),
    }[layout]
    return cut(a), cut(b)


@pytest.mark.parametrize("layout", ["packed", "misaligned", "apart", "backwards", "columns"])
@pytest.mark.parametrize(
    "shape", [(1,), (7,), (4096,), (70001,), (1000003,), (5, 3, 1000), (300, 64), (40000, 3)]
)
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_dot_products_take_every_layout(dtype, shape, layout, device):
    a, b = make_vectors(dtype, shape, layout)
    ours = [gpuarray.asarray(x, device=device) for x in (a, b)]
    exact = (a.astype("f8") * b.astype("f8")).sum(axis=-1).astype(dtype)
    assert numpy.array_equal(gpuarray.vecdot(*ours).get(), exact)
    mixed = gpuarray.vecdot(ours[0], ours[1].copy()[..., ::-1])
    assert numpy.array_equal(
        mixed.get(), (a.astype("f8") * b[..., ::-1].astype("f8")).sum(-1).astype(dtype)
    )


def test_dot_products_broadcast(device):
    a, b = make_vectors("f4", (6, 1, 500), "packed")
    check(lambda xp, x, y: xp.vecdot(x, y[:, 0]), a, b, device=device)
    check(lambda xp, x, y: xp.einsum("ijk,ijk->k", x, y), a, b, device=device)
    check(lambda xp, x: xp.dot(x[0, 0], x[0, 0]), a, device=device)

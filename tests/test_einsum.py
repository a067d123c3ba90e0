"""einsum: subscripts of every form, views, dtypes, out, many operands, and the errors."""

import numpy
import pytest
from oracle import check

import gpuarray


def values(shape, dtype="f8", seed=0):
    return numpy.random.default_rng(seed).integers(-3, 4, shape).astype(dtype)


ONE = [
    "ij",
    "ji",
    "ij->ji",
    "ij->i",
    "ij->j",
    "ij->",
    "ii",
    "ii->i",
    "ii->",
    "...",
    "...j->...",
    "i...->...i",
    "i j",
]


@pytest.mark.parametrize("text", ONE)
@pytest.mark.parametrize("dtype", ["?", "i1", "f2", "f8", "D"])
def test_one_operand(text, dtype, device):
    check(
        lambda xp, a: xp.einsum(text, a),
        values((3, 3), dtype),
        device=device,
        rtol=1e-3,
        order=False,
    )


TWO = [
    ("i,i", (4,), (4,)),
    ("i,i->i", (4,), (4,)),
    ("i,j", (4,), (3,)),
    ("i,j->ji", (4,), (3,)),
    ("ij,jk", (3, 4), (4, 5)),
    ("ij,jk->ki", (3, 4), (4, 5)),
    ("ij,ij->", (3, 4), (3, 4)),
    ("ij,ji->", (3, 4), (4, 3)),
    ("ij,ij->i", (3, 4), (3, 4)),
    ("ij,j->i", (3, 4), (4,)),
    ("ij,i->j", (3, 4), (3,)),
    ("ij,k->i", (3, 4), (2,)),
    ("ij,kj->ik", (3, 4), (5, 4)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
    ("bij,bjk->ikb", (2, 3, 4), (2, 4, 5)),
    ("bhqd,bhkd->bhqk", (2, 2, 3, 4), (2, 2, 5, 4)),
    ("ijk,jil->kl", (3, 4, 5), (4, 3, 2)),
    ("ii,ij->j", (3, 3), (3, 4)),
    ("...ij,...jk", (2, 1, 3, 4), (5, 4, 3)),
    ("...i,...i", (2, 3), (2, 3)),
    ("i...,...j->ij...", (3, 2), (2, 4)),
    ("ij,j", (3, 4), (1,)),
    ("ij,jk->ik", (3, 1), (4, 5)),
    ("ij,jk->ik", (3, 0), (0, 5)),
    ("ij,jk->ik", (0, 4), (4, 5)),
    (",ij", (), (3, 4)),
    ("ij,", (3, 4), ()),
    ("ij,jk->", (3, 4), (4, 5)),
    ("aB,Bc->ca", (3, 4), (4, 5)),
]


@pytest.mark.parametrize(("text", "first", "second"), TWO, ids=str)
@pytest.mark.parametrize("dtype", ["?", "i1", "f4", "D"])
def test_two_operands(text, first, second, dtype, device):
    a, b = values(first, dtype), values(second, dtype, 1)
    check(lambda xp, a, b: xp.einsum(text, a, b), a, b, device=device, rtol=1e-5, order=False)


@pytest.mark.parametrize(
    "optimize", [False, True, "greedy", "optimal", ["einsum_path", (0, 1), (0, 1)]], ids=str
)
def test_many_operands(optimize, device):
    a, b, c = values((3, 4)), values((4, 5), seed=1), values((5, 3), seed=2)
    for text in ("ij,jk,kl->il", "ij,jk,ki->j", "ij,jk,kj->j", "ij,jk,kl->lij"):
        check(
            lambda xp, *arrays, t=text: xp.einsum(t, *arrays, optimize=optimize) + 0.0,  # no -0.0
            a,
            b,
            c,
            device=device,
            order=False,
        )
    check(
        lambda xp, a, b: xp.einsum("...i,ij,...i->...j", a, b, a) + 0.0,
        values((2, 4)),
        b,
        device=device,
        order=False,
    )


def test_many_operands_to_a_scalar(device):
    arrays = values((3, 4)), values((4, 5), seed=1), values((5, 3), seed=2)
    check(lambda xp, a, b, c: xp.einsum("ij,jk,ki->", a, b, c), *arrays, device=device)
    check(
        lambda xp, a, b, c: float(xp.einsum("ij,jk,ki", a, b, c, optimize=True)),
        *arrays,
        device=device,
    )


def test_lists_of_numbers(device):
    a, b = values((3, 4)), values((4, 5), seed=1)
    check(lambda xp, a, b: xp.einsum(a, [0, 1], b, [1, 2]), a, b, device=device)
    check(
        lambda xp, a, b: xp.einsum(a, [0, 1], b, [1, 2], [2, 0]), a, b, device=device, order=False
    )
    check(lambda xp, a: xp.einsum(a, [0, Ellipsis], [Ellipsis, 0]), a, device=device)
    check(lambda xp, a: xp.einsum(a, [30, 2]), a, device=device)
    check(lambda xp, a: xp.einsum(a, [0, 52]), a, device=device)
    check(lambda xp, a: xp.einsum(a, ["i", 1]), a, device=device)


def test_views_can_be_written_to(device):
    def clear(xp, a):
        xp.einsum("ii->i", a)[:] = 0
        xp.einsum("ij->ji", a)[0, 1] = 99
        return a

    check(clear, values((4, 4)), device=device)


KEYWORDS = [
    {"dtype": "D"},
    {"dtype": "f4"},
    {"dtype": "f4", "casting": "unsafe"},
    {"casting": "no"},
    {"order": "F"},
    {"order": "C"},
    {"order": "X"},
    {"nothing": 1},
]


@pytest.mark.parametrize("keywords", KEYWORDS, ids=str)
def test_keywords(keywords, device):
    check(
        lambda xp, a, b: xp.einsum("ij,jk->ik", a, b, **keywords),
        values((3, 4)),
        values((4, 5), seed=1),
        device=device,
    )


@pytest.mark.parametrize("dtype", ["f8", "f4", "D"])
def test_out(dtype, device):
    def call(xp, a, b):
        out = xp.zeros((3, 5), dtype)
        result = xp.einsum("ij,jk->ik", a, b, out=out)
        return result is out, out

    check(call, values((3, 4)), values((4, 5), seed=1), device=device)
    check(lambda xp, a: xp.einsum("ij->ji", a, out=xp.zeros((4, 3))), values((3, 4)), device=device)
    check(lambda xp, a: xp.einsum("ij->i", a, out=xp.zeros(5)), values((3, 4)), device=device)


@pytest.mark.parametrize("dtype", ["i4", "f8", "D", "u1"])
def test_sums_are_as_wide_as_out(dtype, device):
    short = numpy.array([200, 100], "u1")
    for text, count in (("i->", 1), ("i,i->", 2), ("i,i->i", 2)):
        out = numpy.zeros(2 if text.endswith("i") else (), dtype)
        check(
            lambda xp, a, o, t=text, n=count: xp.einsum(t, *[a] * n, out=o),
            short,
            out,
            device=device,
        )
    check(
        lambda xp, a, o: xp.einsum("i->", a, out=o),
        short > 0,
        numpy.zeros((), dtype),
        device=device,
    )


ERRORS = [
    "ij,jk->ikk",
    "ij,jk->im",
    "ij",
    "ij,jk,kl",
    "i,jk",
    "ijk,jk",
    "i1,jk",
    "i-,jk",
    "ij,jk->i->k",
    "i..,jk",
    "...,jk->jk",
    "ij,ik",
    "ij,ii",
]


@pytest.mark.parametrize("text", ERRORS)
def test_errors(text, device):
    failure = check(
        lambda xp, a, b: xp.einsum(text, a, b),
        values((3, 4)),
        values((4, 5), seed=1),
        device=device,
    )
    assert isinstance(failure, ValueError)


def test_other_errors(device):
    check(lambda xp: xp.einsum(), device=device)
    check(lambda xp: xp.einsum("ij"), device=device)
    check(lambda xp, a: xp.einsum("i,i", a, a), numpy.ones(3, "m8[s]"), device=device)


def test_mixed_dtypes_and_scalars(device):
    check(
        lambda xp, a, b: xp.einsum("ij,jk", a, b),
        values((3, 4), "i1"),
        values((4, 5), "f4"),
        device=device,
    )
    check(lambda xp, a: xp.einsum("i,", a, 2.5), values(4), device=device)
    check(lambda xp: xp.einsum("i,i", [1, 2], [3, 4]), device=device)
    check(lambda xp: xp.einsum("", 3.0), device=device)


def test_path_is_numpys(device):
    a, b = numpy.ones((3, 4)), numpy.ones((4, 5))
    ours = gpuarray.einsum_path(
        "ij,jk,kl->il", gpuarray.array(a), gpuarray.array(b), gpuarray.array(b.T)
    )
    assert ours == numpy.einsum_path("ij,jk,kl->il", a, b, b.T)


def test_order_of_the_result(device):
    a, b = numpy.arange(6.0).reshape(2, 3), numpy.arange(12.0).reshape(3, 4)
    for order in "CFA":
        check(lambda xp, a, b, o=order: xp.einsum("ij,jk->ki", a, b, order=o), a, b, device=device)
        check(
            lambda xp, a, b, o=order: xp.einsum("ij,jk->ik", a.T.copy().T, b.T.copy().T, order=o),
            *(a, b),
            device=device,
        )
        check(lambda xp, a, o=order: xp.einsum("i,j->ji", a[0], a[1], order=o), a, device=device)

"""vdot, inner, outer, tensordot, kron, multi_dot, and matmul, vecdot, matvec, vecmat with the keywords of ufuncs."""

import inspect

import numpy
import pytest
from oracle import check

import gpuarray

DTYPES = ["?", "i1", "u4", "i8", "f2", "f4", "f8", "F", "D"]


def values(shape, dtype="f8", seed=0):
    rng = numpy.random.default_rng(seed)
    real = rng.integers(-3, 4, shape)
    return (real + 1j * rng.integers(-3, 4, shape) if dtype in "FD" else real).astype(dtype)


PRODUCTS = {
    "vdot": lambda xp, a, b: (xp.vdot(a, b.T), xp.vdot(a, a), xp.vdot(a[0], b[:, 0])),
    "vdot unlike": lambda xp, a, b: xp.vdot(a, b[:2]),
    "inner": lambda xp, a, b: (
        xp.inner(a, b.T),
        xp.inner(a[0], a[1]),
        xp.inner(a, 2),
        xp.inner(a[0], a),
    ),
    "inner unlike": lambda xp, a, b: xp.inner(a, b),
    "outer": lambda xp, a, b: (xp.outer(a, b), xp.outer(a[0], [1, 2]), xp.outer(3, a)),
    "tensordot": lambda xp, a, b: (
        xp.tensordot(a, b, 1),
        xp.tensordot(a, b.T, 2),
        xp.tensordot(a, b, 0),
        xp.tensordot(a, b, ([1], [0])),
        xp.tensordot(a, b, ((0, 1), (1, 0))),
        xp.tensordot(a, b, (-1, 0)),
    ),
    "tensordot unlike": lambda xp, a, b: xp.tensordot(a, b, 2),
    "dot": lambda xp, a, b: (xp.dot(a, b), a.dot(b), xp.dot(a, 3), xp.dot(a[0], b)),
    "multi_dot": lambda xp, a, b: (
        xp.linalg.multi_dot([a, b, a]),
        xp.linalg.multi_dot([a[0], b, a, b]),
        xp.linalg.multi_dot([a[0], b, a, b[:, 0]]),
        xp.linalg.multi_dot([a, b]),
    ),
    "multi_dot one": lambda xp, a, b: xp.linalg.multi_dot([a]),
    "multi_dot 3-d": lambda xp, a, b: xp.linalg.multi_dot([a, b[None], a]),
    "matmul": lambda xp, a, b: (xp.matmul(a, b), a @ b, xp.matmul(a[0], b), xp.linalg.matmul(a, b)),
    "vecdot": lambda xp, a, b: (xp.vecdot(a, b.T), xp.vecdot(a, a[0]), xp.vecdot(a[0], a[1])),
    "vecdot axis": lambda xp, a, b: (
        xp.vecdot(a, a, axis=0),
        xp.vecdot(a, b.T, axis=-2),
        xp.vecdot(a, a, keepdims=True),
    ),
    "vecdot axes": lambda xp, a, b: (
        xp.vecdot(a, b, axes=[1, 0]),
        xp.vecdot(a, b, axes=[(1,), (0,), ()]),
        xp.vecdot(a, a, axis=0, keepdims=True),
    ),
    "matvec": lambda xp, a, b: (xp.matvec(a, b[:, 0]), xp.matvec(b, a), xp.matvec(a[None], b.T)),
    "vecmat": lambda xp, a, b: (xp.vecmat(a, b), xp.vecmat(a[0], b), xp.vecmat(a[:, None], b)),
    "matmul axes": lambda xp, a, b: (
        xp.matmul(a, b, axes=[(1, 0), (1, 0), (1, 0)]),
        xp.matmul(a, b.T, axes=[(0, 1), (1, 0), (0, 1)]),
        xp.matmul(xp.stack([a, a], 2), b, axes=[(0, 1), (0, 1), (1, 2)]),
    ),
    "matvec axes": lambda xp, a, b: xp.matvec(a, a, axes=[(1, 0), 0, 0]),
    "matmul signature": lambda xp, a, b: xp.matmul(a, b, signature="DD->D"),
}


@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_product(name, dtype, device):
    a, b = values((3, 4), dtype), values((4, 3), dtype, 1)
    check(PRODUCTS[name], a, b, device=device, rtol=1e-3 if dtype == "f2" else 1e-6, order=False)


ERRORS = {
    "matmul axis": lambda xp, a: xp.matmul(a, a.T, axis=0),
    "matmul keepdims": lambda xp, a: xp.matmul(a, a.T, keepdims=True),
    "matvec axis": lambda xp, a: xp.matvec(a, a[0], axis=0),
    "axes no list": lambda xp, a: xp.matmul(a, a.T, axes=(0, 1)),
    "axes few": lambda xp, a: xp.matmul(a, a.T, axes=[(0, 1)]),
    "axes wrong": lambda xp, a: xp.matmul(a, a.T, axes=[(0, 1, 2), (0, 1), (0, 1)]),
    "both": lambda xp, a: xp.vecdot(a, a, axis=0, axes=[0, 0, ()]),
    "scalar": lambda xp, a: xp.vecdot(a, 1),
    "vector for matrix": lambda xp, a: xp.matvec(a[0], a[0]),
    "lengths": lambda xp, a: xp.vecdot(a, a[:, :2]),
    "matvec lengths": lambda xp, a: xp.matvec(a, a[:, 0]),
    "vecmat lengths": lambda xp, a: xp.vecmat(a[0], a),
    "batches": lambda xp, a: xp.vecdot(a, a[:2]),
    "unknown": lambda xp, a: xp.vecdot(a, a, nothing=1),
    "where": lambda xp, a: xp.matmul(a, a.T, where=True),
    "dtype": lambda xp, a: xp.vecdot(a, a, dtype="i4"),
    "out shape": lambda xp, a: xp.vecdot(a, a, out=xp.zeros(2)),
    "out type": lambda xp, a: xp.matvec(a, a[0], out=xp.zeros(3, "i4")),
}


@pytest.mark.parametrize("name", ERRORS)
def test_error(name, device):
    assert isinstance(check(ERRORS[name], values((3, 4)), device=device), Exception)


OUTS = {
    "outer": lambda xp, a, out: xp.outer(a[0], a[1], out=out((4, 4))),
    "vecdot": lambda xp, a, out: xp.vecdot(a, a, out=out(3)),
    "vecdot tuple": lambda xp, a, out: xp.vecdot(a, a, out=(out(3),)),
    "vecdot keepdims": lambda xp, a, out: xp.vecdot(a, a, out=out((3, 1)), keepdims=True),
    "matvec": lambda xp, a, out: xp.matvec(a, a[0], out=out(3)),
    "vecmat": lambda xp, a, out: xp.vecmat(a[:, 0], a, out=out(4)),
    "matmul": lambda xp, a, out: xp.matmul(a, a.T, out=out((3, 3))),
    "matmul axes": lambda xp, a, out: xp.matmul(
        a, a.T, out=out((3, 3)), axes=[(0, 1), (0, 1), (1, 0)]
    ),
    "multi_dot": lambda xp, a, out: xp.linalg.multi_dot([a, a.T, a], out=out((3, 4))),
    "dtype": lambda xp, a, out: xp.vecdot(a, a, dtype="f4", casting="unsafe", out=out(3)),
}


@pytest.mark.parametrize("name", OUTS)
@pytest.mark.parametrize("dtype", ["f8", "D"])
def test_out(name, dtype, device):
    def call(xp, a):
        made = []

        def out(shape):
            made.append(xp.zeros(shape, dtype))
            return made[-1]

        result = OUTS[name](xp, a, out)
        return result is made[0], result

    check(call, values((3, 4), dtype), device=device, rtol=1e-6, order=False)


@pytest.mark.parametrize("name", ["matmul", "vecdot", "matvec", "vecmat"])
def test_attributes_are_those_of_ufuncs(name):
    ours, theirs = getattr(gpuarray, name), getattr(numpy, name)
    for attribute in ("nin", "nout", "nargs", "types", "identity", "signature", "__name__"):
        assert getattr(ours, attribute) == getattr(theirs, attribute)
    two = (numpy.dtype("f4"), numpy.dtype("f4"), None)
    assert ours.resolve_dtypes(two) == theirs.resolve_dtypes(two)
    parameters = list(inspect.signature(ours).parameters.values())
    assert [each.kind for each in parameters[:2]] == [inspect.Parameter.POSITIONAL_ONLY] * 2
    with pytest.raises(AttributeError):
        _ = ours.nothing


def test_numpys_ufuncs_come_here(device):
    a = gpuarray.ones((2, 3))
    for result in (
        numpy.matmul(a, a.T),
        numpy.vecdot(a, a),
        numpy.matvec(a, a[0]),
        numpy.einsum("ij->i", a),
    ):
        assert isinstance(result, gpuarray.ndarray)


def test_broadcast_batches(device):
    a, b = values((5, 1, 3, 4)), values((2, 4, 3), seed=1)
    check(lambda xp, a, b: xp.matmul(a, b), a, b, device=device)
    check(lambda xp, a, b: xp.matmul(xp.broadcast_to(a, (5, 2, 3, 4)), b), a, b, device=device)
    check(lambda xp, a, b: xp.tensordot(a, b, ((3, 0), (1, 1))), a[:, 0, 0], b, device=device)


@pytest.mark.parametrize("dtype", ["f4", "F", "f8"])
def test_matmul_precision(dtype, device):
    a, b = values((8, 8), dtype), values((8, 8), dtype, 1)  # small integers are exact in TF32 too
    with gpuarray.set_matmul_precision("tf32"):
        check(lambda xp, a, b: a @ b, a, b, device=device)
        with gpuarray.set_matmul_precision("highest"):
            check(lambda xp, a, b: a @ b, a, b, device=device)
        assert gpuarray.get_matmul_precision() == "tf32"
    assert gpuarray.get_matmul_precision() == "highest"


def test_matmul_precision_as_a_function():
    gpuarray.set_matmul_precision("tf32")
    assert gpuarray.get_matmul_precision() == "tf32"
    gpuarray.set_matmul_precision("highest")
    assert gpuarray.get_matmul_precision() == "highest"
    with pytest.raises(ValueError, match="highest"):
        gpuarray.set_matmul_precision("lowest")


@pytest.mark.parametrize("name", ["dot", "inner"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "D"])
def test_order_of_products_with_a_number(device, name, dtype):
    a = numpy.arange(24).reshape(2, 3, 4).astype(dtype)
    for number in (numpy.array(2.0), numpy.array(3)):
        for turn in (
            lambda a: a[0],
            lambda a: a[0].T,
            lambda a: a[1, :, ::2],
            lambda a: a[::-1, 1],
            lambda a: a.T,
            lambda a: a.transpose(1, 0, 2),
        ):
            check(lambda xp, a, n, t=turn: getattr(xp, name)(t(a), n), a, number, device=device)
            check(lambda xp, a, n, t=turn: getattr(xp, name)(n, t(a)), a, number, device=device)


def test_an_operand_with_itself(device):
    """Squares are read once, views of the same memory twice."""
    a = numpy.random.default_rng(3).integers(-9, 9, (256, 256)).astype("f4")
    flipped = [lambda a: a, lambda a: a.T, lambda a: a[::-1], lambda a: a[:, ::-1], lambda a: a[:1]]
    for turn in flipped:
        check(lambda xp, a, turn=turn: xp.vecdot(a, turn(a)), a, device=device, rtol=1e-6)
    check(lambda xp, a: xp.dot(a.ravel(), a.ravel()), a, device=device, rtol=1e-6)

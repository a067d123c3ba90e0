"""norm and vector_norm along every kind of axis, and the products of numpy.linalg."""

import matrices
import numpy as np
import pytest
from oracle import check

import gpuarray

VECTOR_ORDERS = [None, 0, 1, 2, 3, 0.5, -1, -2.5, np.inf, -np.inf]
DTYPES = ["?", "i4", "f2", "f4", "f8", "F", "D"]


def keywords(dtype, device):
    rtol = 5e-3 if dtype == "f2" else 1e-5 if dtype in ("f4", "F") else 1e-12
    return {"device": device, "rtol": rtol, "atol": rtol, "order": False}


@pytest.mark.parametrize("ord", VECTOR_ORDERS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_vectors(dtype, ord, device):
    a = (3 * matrices.general((3, 4, 5), "D" if dtype in "FD" else "d")).astype(dtype)
    a[a == 0] = 1  # negative powers of zero

    def norms(xp, a):
        along = [
            xp.linalg.norm(a, ord, axis=axis, keepdims=k)
            for axis in (0, -1, (1,))
            for k in (False, True)
        ]
        return *along, xp.linalg.norm(a[0, 0], ord), xp.linalg.norm(a[:, ::2, 1], ord, 1)

    check(norms, a, **keywords(dtype, device))


@pytest.mark.parametrize("dtype", DTYPES)
def test_all_elements(dtype, device):
    a = (3 * matrices.general((3, 4, 5), "D" if dtype in "FD" else "d")).astype(dtype)

    def norms(xp, a):
        views = (a, a[0], a.T, a[::2, ::-1], a[0, 0, 0], a[0, 0], a[:0])
        return [xp.linalg.norm(view, keepdims=k) for view in views for k in (False, True)]

    check(norms, a, **keywords(dtype, device))


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2), (2, 0), (0, 1, 2), (-1, 1)])
@pytest.mark.parametrize("ord", [2, 1, 0, 3, np.inf, -np.inf])
def test_vector_norm(ord, axis, device):
    a = matrices.general((3, 4, 5), "D")

    def norms(xp, a):
        return [xp.linalg.vector_norm(a, axis=axis, ord=ord, keepdims=k) for k in (False, True)]

    check(norms, a, **keywords("D", device))


ERRORS = {
    "cube": lambda xp, a: xp.linalg.norm(a, 2),
    "word": lambda xp, a: xp.linalg.norm(a[0, 0], "nuc"),
    "unknown word": lambda xp, a: xp.linalg.norm(a[0], "x"),
    "matrix order": lambda xp, a: xp.linalg.norm(a[0], 3),
    "one axis twice": lambda xp, a: xp.linalg.norm(a, axis=(0, 0)),
    "no such axis": lambda xp, a: xp.linalg.norm(a, axis=3),
    "no such axes": lambda xp, a: xp.linalg.norm(a, axis=(0, 3)),
    "three axes": lambda xp, a: xp.linalg.norm(a, axis=(0, 1, 2)),
    "text for an axis": lambda xp, a: xp.linalg.norm(a, axis="x"),
    "least of nothing": lambda xp, a: xp.linalg.norm(a[:0, 0, 0], -np.inf),
    "cross of pairs": lambda xp, a: xp.linalg.cross(a[..., :2], a[..., :2]),
    "outer of matrices": lambda xp, a: xp.linalg.outer(a[0], a[0]),
    "vector as matrix": lambda xp, a: xp.linalg.matrix_norm(a[0, 0]),
    "multi_dot": lambda xp, a: xp.linalg.multi_dot([a[0]]),
    "word along no axis": lambda xp, a: xp.linalg.vector_norm(a[0, 0], axis=3, ord="fro"),
    "vector turned": lambda xp, a: xp.linalg.matrix_transpose(a[0, 0]),
}


@pytest.mark.parametrize("name", ERRORS)
def test_error(name, device):
    assert isinstance(check(ERRORS[name], np.ones((3, 4, 5)), device=device), Exception)


WORDS = [
    "word",
    "unknown word",
    "one axis twice",
    "no such axis",
    "three axes",
    "cube",
    "matrix order",
]
WORDS += ["word along no axis", "vector turned"]


@pytest.mark.parametrize("name", WORDS)
def test_words_of_errors(name, device):
    with pytest.raises(ValueError) as theirs:
        ERRORS[name](np, np.ones((3, 4, 5)))
    with pytest.raises(ValueError) as ours:
        ERRORS[name](gpuarray, gpuarray.ones((3, 4, 5)))
    assert str(ours.value) == str(theirs.value)


PRODUCTS = {
    "cross": lambda xp, a: (xp.linalg.cross(a, a + 1), xp.linalg.cross(a.T, a.T, axis=0)),
    "outer": lambda xp, a: xp.linalg.outer(a[0, 0], a[0, 1]),
    "diagonal": lambda xp, a: (xp.linalg.diagonal(a), xp.linalg.diagonal(a, offset=1)),
    "trace": lambda xp, a: (xp.linalg.trace(a), xp.linalg.trace(a[0], offset=-1, dtype="c8")),
    "matrix_transpose": lambda xp, a: xp.linalg.matrix_transpose(a),
    "tensordot": lambda xp, a: xp.linalg.tensordot(a, a, axes=((1, 2), (1, 2))),
    "vecdot": lambda xp, a: (xp.linalg.vecdot(a, a), xp.linalg.vecdot(a, a, axis=0)),
    "matmul": lambda xp, a: xp.linalg.matmul(a, a.mT),
    "objects": lambda xp, a: xp.linalg.norm(np.array([3, 4], dtype=object)),
    "long": lambda xp, a: xp.linalg.norm(np.array([3, 4], dtype="g")),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_product(name, device):
    check(PRODUCTS[name], np.arange(24.0).reshape(2, 4, 3), device=device, order=False, rtol=1e-12)

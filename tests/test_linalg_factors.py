"""QR, eigenvalues, singular values, and what is composed of them: judged by residuals, as factors are not unique."""

import matrices
import numpy as np
import pytest
from matrices import DTYPES, ORDERS, STACKS, adjoint, bound, distance, to_host
from oracle import check

import gpuarray

SHAPES = [(1, 4), (5, 1), (6, 4), (4, 6), (32, 32), (33, 32), (45, 40), (40, 45)]
RTOL = {"f4": 2e-4, "c8": 2e-4, "f8": 1e-11, "c16": 1e-11}


def like_numpys(ours, theirs, order=True):
    """Whether dtypes, shapes and contiguity are those of NumPy's results."""
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.dtype == other.dtype and mine.shape == other.shape
        assert not order or mine.flags.c_contiguous == other.flags.c_contiguous


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("mode", ["reduced", "complete", "r"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_qr(dtype, mode, shape, stack, device):
    a = matrices.general((*stack, *shape), dtype)
    factors = gpuarray.linalg.qr(gpuarray.asarray(a), mode)
    theirs = np.linalg.qr(a, mode)
    if mode == "r":
        factors, theirs = (factors,), (theirs,)
    like_numpys(factors, theirs)
    *q, r = to_host(factors)
    assert np.array_equal(r, np.triu(r))
    n = max(shape)
    assert distance(adjoint(r) @ r, adjoint(a) @ a.astype("c16")) <= 2 * bound(n, dtype)
    if q:
        assert matrices.is_orthonormal(q[0], dtype)
        assert distance(q[0] @ r, a) <= bound(n, dtype)


@pytest.mark.parametrize("shape", [(20, 33, 33), (20, 40, 33), (20, 33, 40), (40, 128, 60)])
@pytest.mark.parametrize("mode", ["reduced", "complete", "r"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_qr_of_many(dtype, mode, shape, device):
    """A GPU takes so many at once."""
    a = matrices.general(shape, dtype)
    factors = gpuarray.linalg.qr(gpuarray.asarray(a), mode)
    *q, r = to_host((factors,) if mode == "r" else factors)
    n = max(shape[-2:])
    assert distance(adjoint(r) @ r, adjoint(a) @ a.astype("c16")) <= 2 * bound(n, dtype)
    if q:
        assert matrices.is_orthonormal(q[0], dtype)
        assert distance(q[0] @ r, a) <= bound(n, dtype)


@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5), (2, 4, 3), (40, 35), (20, 40, 35)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_qr_raw(dtype, shape, device):
    """Reflectors and their factors give Q; those of NumPy may differ in sign."""
    a = matrices.general(shape, dtype)
    h, tau = gpuarray.linalg.qr(gpuarray.asarray(a), "raw")
    like_numpys((h, tau), np.linalg.qr(a, "raw"))
    (h, tau), (r,) = to_host((h, tau)), to_host((gpuarray.linalg.qr(gpuarray.asarray(a), "r"),))
    packed, k = np.swapaxes(h, -1, -2), min(shape[-2:])
    assert distance(np.triu(packed[..., :k, :]), r) <= bound(max(shape), dtype)
    product = np.zeros((*shape[:-2], shape[-2], shape[-1]), "c16")
    product[..., :k, :] = np.triu(packed[..., :k, :])
    for i in reversed(range(k)):
        v = packed[..., i].copy()
        v[..., :i], v[..., i] = 0, 1
        v = v[..., None]
        product = product - tau[..., i, None, None] * v @ (adjoint(v) @ product)
    assert distance(product, a) <= bound(max(shape), dtype)


def test_old_qr_modes(device):
    a = matrices.general((4, 3))
    with pytest.warns(DeprecationWarning):
        q, r = gpuarray.linalg.qr(gpuarray.asarray(a), "full")
    assert q.shape == (4, 3)
    with pytest.warns(DeprecationWarning):
        packed = gpuarray.linalg.qr(gpuarray.asarray(a), "economic")
    assert np.allclose(np.triu(gpuarray.asnumpy(packed)[:3]), gpuarray.asnumpy(r))
    assert isinstance(check(lambda xp, a: xp.linalg.qr(a, "x"), a, device=device), ValueError)


@pytest.mark.parametrize("uplo", ["L", "u"])
@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("n", ORDERS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_eigh(dtype, n, stack, uplo, device):
    a = matrices.hermitian(stack, n, dtype)
    # What lies in the other triangle is not read.
    spoilt = a + (np.triu if uplo in "Ll" else np.tril)(np.ones_like(a), 1 if uplo in "Ll" else -1)
    ours = gpuarray.linalg.eigh(gpuarray.asarray(spoilt), uplo)
    like_numpys(ours, np.linalg.eigh(a))
    values, vectors = to_host(ours)
    assert np.array_equal(values, np.sort(values))
    assert matrices.is_orthonormal(vectors, dtype)
    assert distance(a.astype("c16") @ vectors, vectors * values[..., None, :]) <= bound(n, dtype)
    alone = gpuarray.linalg.eigvalsh(gpuarray.asarray(spoilt), uplo)
    assert alone.dtype == ours[0].dtype
    assert distance(to_host([alone])[0][..., None], values[..., None]) <= bound(n, dtype)


@pytest.mark.parametrize("n", [1, 5, 8, 16, 31, 32])
@pytest.mark.parametrize("dtype", DTYPES)
def test_eigh_of_many(dtype, n, device):
    """Stacks of matrices of which some are diagonal, of equal eigenvalues, zero, or very large and small."""
    a = matrices.hermitian((60,), n, dtype)
    a[1], a[2], a[3], a[4] = np.eye(n), np.ones((n, n)), 0, np.diag(np.arange(n, 0, -1))
    a[5] *= 2.0**100
    a[6] *= 2.0**-100
    a[7, n // 2, n // 2] = 1e6
    before = a.copy()
    ours = gpuarray.asarray(a)
    values, vectors = to_host(gpuarray.linalg.eigh(ours))
    assert np.array_equal(gpuarray.asnumpy(ours), before)
    assert np.array_equal(values, np.sort(values))
    assert matrices.is_orthonormal(vectors, dtype)
    scale = np.maximum(np.abs(a).max(axis=(1, 2)), np.finfo(dtype).tiny)
    a, values = a.astype("c16") / scale[:, None, None], values / scale[:, None]
    assert distance(a @ vectors, vectors * values[:, None, :]) <= bound(n, dtype)
    alone = to_host([gpuarray.linalg.eigvalsh(ours)])[0] / scale[:, None]
    assert np.abs(alone - values).max() <= 10 * n * np.finfo(dtype).eps
    turned = to_host(gpuarray.linalg.eigh(ours.mT[::2]))[0] / scale[::2, None]
    assert np.abs(turned - values[::2]).max() <= 10 * n * np.finfo(dtype).eps
    if device != "cpu":  # LAPACK finds NaN in some cases only
        ours[40, -1, 0] = np.nan
        with pytest.raises(np.linalg.LinAlgError, match="Eigenvalues did not converge"):
            gpuarray.linalg.eigh(ours)


SPECTRA = {
    "graded": lambda k: 10.0 ** (-k / 4),
    "of both signs": lambda k: (-1.0) ** k * 2.0**-k,
    "repeated": lambda k: (-1.0) ** k,
    "clustered at two ends": lambda k: (
        np.where(k % 2, 1, 1 - 1e-7) * np.where(k < k.size // 2, 1, 1e-3)
    ),
    "singular": lambda k: np.where(k % 2, 0, 1.0 + k),
    "of one large one": lambda k: np.where(k, 1, 1e6),
}


@pytest.mark.parametrize("power", [0, 1, -1])
@pytest.mark.parametrize("n", [8, 17, 32])
@pytest.mark.parametrize("dtype", DTYPES)
def test_eigh_of_known_spectra(dtype, n, power, device):
    """Stacks whose eigenvalues lie far apart or close together, also where their squares overflow or underflow."""
    bases = np.linalg.qr(
        matrices.general((len(SPECTRA), n, n), "c16" if dtype[0] == "c" else "f8")
    )[0]
    spectra = np.array([spectrum(np.arange(n)) for spectrum in SPECTRA.values()], "f8")
    scale = 2.0 ** (power * (100 if dtype in ("f4", "c8") else 900))
    a = (bases * spectra[:, None, :] @ adjoint(bases) * scale).astype(dtype)
    values, vectors = to_host(gpuarray.linalg.eigh(gpuarray.asarray(a)))
    exact = (a / scale).astype("c16")
    exact = np.tril(exact, -1) + adjoint(np.tril(exact, -1)) + np.eye(n) * exact.real
    assert matrices.is_orthonormal(vectors, dtype)
    assert distance(exact @ vectors, vectors * (values / scale)[:, None, :]) <= bound(n, dtype)
    alone = to_host([gpuarray.linalg.eigvalsh(gpuarray.asarray(a))])[0] / scale
    for got in (values / scale, alone):
        assert distance(got[..., None], np.linalg.eigvalsh(exact)[..., None]) <= bound(n, dtype)


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("n", [1, 2, 7, 33])
@pytest.mark.parametrize("dtype", DTYPES)
def test_eig(dtype, n, stack, device):
    a = matrices.general((*stack, n, n), dtype)
    ours = gpuarray.linalg.eig(gpuarray.asarray(a))
    like_numpys(ours, np.linalg.eig(a), order=False)
    values, vectors = to_host(ours)
    residual = distance(a.astype("c16") @ vectors, vectors * values[..., None, :])
    assert residual <= 10 * bound(n, dtype)
    assert np.allclose(np.linalg.norm(vectors, axis=-2), 1, rtol=1e-5)
    alone = gpuarray.linalg.eigvals(gpuarray.asarray(a))
    assert alone.dtype == ours[0].dtype
    (alone,), theirs = to_host([alone]), np.linalg.eigvals(a.astype("c16"))
    apart = abs(alone[..., :, None] - theirs[..., None, :])  # in whatever order they come
    assert apart.min(axis=-1).max() <= 1e-3 and apart.min(axis=-2).max() <= 1e-3


def test_eig_of_real_eigenvalues(device):
    """Real results where all eigenvalues of a real stack are, until NumPy 2.5."""
    a = np.stack(
        [np.diag([3.0, 1.0, 2.0]), np.triu(np.arange(9.0).reshape(3, 3)) + np.diag([1, 2, 3])]
    )
    values, vectors = gpuarray.linalg.eig(gpuarray.asarray(a))
    dtype = np.linalg.eigvals(a).dtype
    assert values.dtype == vectors.dtype == gpuarray.linalg.eigvals(a).dtype == dtype
    rotation = np.array([[0.0, -1.0], [1.0, 0.0]])
    check(
        lambda xp, a: xp.sort(xp.linalg.eigvals(a)), rotation, device=device, rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_svd(dtype, shape, stack, full, device):
    a = matrices.general((*stack, *shape), dtype)
    ours = gpuarray.linalg.svd(gpuarray.asarray(a), full)
    like_numpys(ours, np.linalg.svd(a, full))
    check_singular(a, ours, dtype)
    alone = gpuarray.linalg.svdvals(gpuarray.asarray(a))
    assert alone.dtype == ours.S.dtype
    assert distance(to_host([alone])[0][..., None], to_host([ours.S])[0][..., None]) <= bound(
        max(shape), dtype
    )


def check_singular(a, factors, dtype):
    u, s, vh = to_host(factors)
    n, k = max(a.shape[-2:]), s.shape[-1]
    assert np.all(s >= 0) and np.array_equal(s, np.sort(s)[..., ::-1])
    assert matrices.is_orthonormal(u, dtype) and matrices.is_orthonormal(adjoint(vh), dtype)
    assert distance(u[..., :k] * s[..., None, :] @ vh[..., :k, :], a) <= bound(n, dtype)
    exact = np.linalg.svd(a.astype("c16"), compute_uv=False)
    assert distance(s[..., None], exact[..., None]) <= bound(n, dtype)


DEFICIENT = {
    "zero": np.zeros((40, 40)),
    "ones": np.ones((40, 36)),
    "low rank": matrices.general((50, 3)) @ matrices.general((3, 40), seed=1),
    "graded": np.diag(10.0 ** -np.arange(40)),
    "repeated": np.kron(np.eye(20), np.diag([2.0, 1.0])),
    "small zero": np.zeros((5, 4)),
    "small low rank": matrices.general((8, 2)) @ matrices.general((2, 8), seed=1),
    "tiny": 1e-200 * matrices.general((40, 40)),
    "huge": 1e200 * matrices.general((40, 40)),
}


@pytest.mark.parametrize("name", DEFICIENT)
@pytest.mark.parametrize("full", [True, False])
def test_svd_of_deficient_matrices(name, full, device):
    a = DEFICIENT[name]
    u, s, vh = factors = gpuarray.linalg.svd(gpuarray.asarray(a), full)
    scale = max(np.abs(a).max(), 1e-300)
    check_singular(a / scale, (u, s / scale, vh), "f8") if a.any() else check_zero(factors)
    check(lambda xp, a: xp.linalg.matrix_rank(a), a, device=device)


def check_zero(factors):
    u, s, vh = to_host(factors)
    assert not s.any()
    assert matrices.is_orthonormal(u, "f8") and matrices.is_orthonormal(adjoint(vh), "f8")


@pytest.mark.parametrize("dtype", DTYPES)
def test_svd_of_hermitian_matrices(dtype, device):
    a = matrices.hermitian((3,), 6, dtype)
    ours = gpuarray.linalg.svd(gpuarray.asarray(a), hermitian=True)
    like_numpys(ours, np.linalg.svd(a, hermitian=True), order=False)
    check_singular(a, ours, dtype)
    keywords = {"device": device, "rtol": RTOL[dtype], "atol": RTOL[dtype]}
    check(
        lambda xp, a: xp.linalg.svd(a, compute_uv=False, hermitian=True), a, order=False, **keywords
    )
    check(lambda xp, a: xp.linalg.pinv(a, hermitian=True), a, **keywords)
    check(lambda xp, a: xp.linalg.matrix_rank(a, hermitian=True), a, device=device)


COMPOSED = {
    "pinv": lambda xp, a: xp.linalg.pinv(a),
    "pinv rcond": lambda xp, a: xp.linalg.pinv(a, 0.3),
    "pinv rcond of each": lambda xp, a: xp.linalg.pinv(a, xp.full(a.shape[:-2], 0.3)),
    "pinv rtol": lambda xp, a: (xp.linalg.pinv(a, rtol=0.3), xp.linalg.pinv(a, rtol=None)),
    "pinv both": lambda xp, a: xp.linalg.pinv(a, 0.1, rtol=0.3),
    "rank": lambda xp, a: xp.linalg.matrix_rank(a),
    "rank tol": lambda xp, a: (xp.linalg.matrix_rank(a, 2.5), xp.linalg.matrix_rank(a, tol=[2.5])),
    "rank rtol": lambda xp, a: xp.linalg.matrix_rank(a, rtol=0.4),
    "rank both": lambda xp, a: xp.linalg.matrix_rank(a, tol=0.1, rtol=0.4),
    "cond": lambda xp, a: (xp.linalg.cond(a), xp.linalg.cond(a, 2), xp.linalg.cond(a, -2)),
    "cond norms": lambda xp, a: [
        xp.linalg.cond(a[..., :3, :3], p) for p in (1, -1, np.inf, -np.inf, "fro", "nuc")
    ],
    "cond not square": lambda xp, a: xp.linalg.cond(a, 1),
    "norms": lambda xp, a: [
        xp.linalg.matrix_norm(a, ord=p) for p in (1, -1, 2, -2, np.inf, -np.inf, "fro", "nuc")
    ],
    "kept": lambda xp, a: [
        xp.linalg.matrix_norm(a, ord=p, keepdims=True)
        for p in (1, -1, 2, -2, np.inf, -np.inf, "fro", "nuc")
    ],
    "norm axes": lambda xp, a: [
        xp.linalg.norm(a, p, axis=(-1, -2))
        for p in (1, -1, 2, -2, np.inf, -np.inf, "fro", "nuc", None)
    ],
}


@pytest.mark.parametrize("shape", [(4, 4), (6, 3), (3, 6), (2, 5, 3), (2, 2, 3, 4)])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", COMPOSED)
def test_composed(name, dtype, shape, device):
    a = matrices.general(shape, dtype)
    check(COMPOSED[name], a, device=device, rtol=2e-3 if dtype in ("f4", "c8") else 1e-9, atol=1e-4)


def test_conditions_of_singular_matrices(device):
    a = np.stack([np.eye(2), np.ones((2, 2)), np.full((2, 2), np.nan), np.zeros((2, 2))])
    check(lambda xp, a: xp.linalg.cond(a[[0, 3]]), a, device=device)
    check(lambda xp, a: [xp.linalg.cond(a, p) for p in (1, np.inf, "fro")], a, device=device)
    check(lambda xp, a: [xp.linalg.cond(a[i], 1) for i in range(4)], a, device=device)
    check(lambda xp, a: xp.linalg.cond(a), np.zeros((0, 3)), device=device)


SYSTEMS = {
    "tall": ((7, 4), (7, 2)),
    "wide": ((4, 7), (4, 2)),
    "square": ((5, 5), (5, 1)),
    "vector": ((7, 4), (7,)),
    "wide vector": ((4, 7), (4,)),
    "large": ((60, 40), (60, 3)),
    "one column": ((5, 1), (5,)),
    "lengths": ((5, 2), (4,)),
    "stack": ((2, 5, 2), (2, 5)),
    "deep": ((5, 2), (5, 2, 2)),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", SYSTEMS)
def test_lstsq(name, dtype, device):
    first, second = SYSTEMS[name]
    a, b = matrices.general(first, dtype), matrices.general(second, dtype, 1)
    rtol = 5e-3 if dtype in ("f4", "c8") else 1e-9
    check(
        lambda xp, a, b: xp.linalg.lstsq(a, b),
        a,
        b,
        device=device,
        order=False,
        rtol=rtol,
        atol=rtol,
    )


@pytest.mark.parametrize("rcond", [None, -1, 0, 1, 1.5, 0.3, 1e-3])
def test_lstsq_of_lower_rank(rcond, device):
    a, b = matrices.general((8, 2)) @ matrices.general((2, 4), seed=1), matrices.general((8, 2))
    if rcond is not None and not 0 < rcond < 1:
        a = matrices.general((8, 4))
        a[:, 2] = 0
    check(
        lambda xp, a, b: xp.linalg.lstsq(a, b, rcond),
        a,
        b,
        device=device,
        order=False,
        rtol=1e-9,
        atol=1e-9,
    )


def test_no_convergence(device):
    a = np.full((3, 3), np.nan)
    for name in ("svd", "svdvals", "pinv", "eig", "eigvals"):
        error = check(lambda xp, a, name=name: getattr(xp.linalg, name)(a), a, device=device)
        assert isinstance(error, np.linalg.LinAlgError)
    error = check(lambda xp, a: xp.linalg.lstsq(a, a), a, device=device)
    assert str(error) == "SVD did not converge in Linear Least Squares"
    assert isinstance(check(lambda xp, a: xp.linalg.eigh(a, "x"), a, device=device), ValueError)


def solve_large(a):
    square, b = a[:, : len(a)] + 2 * len(a) ** 0.5 * np.eye(len(a)), a[:, :3]
    (x,) = to_host([gpuarray.linalg.solve(gpuarray.asarray(square), gpuarray.asarray(b))])
    return square @ x, b


def decompose_large(a):
    values, vectors = to_host(gpuarray.linalg.eigh(gpuarray.asarray(a[:, : len(a)])))
    symmetric = np.tril(a[:, : len(a)]) + np.tril(a[:, : len(a)], -1).T
    return vectors * values @ vectors.T, symmetric


def find_singular_vectors(a):
    u, s, vh = to_host(gpuarray.linalg.svd(gpuarray.asarray(a), full_matrices=False))
    return u * s @ vh, a


def factor_positive(a):
    (lower,) = to_host([gpuarray.linalg.cholesky(gpuarray.asarray(a @ a.T))])
    return lower @ lower.T, a @ a.T


def multiply_factors(a):
    q, r = to_host(gpuarray.linalg.qr(gpuarray.asarray(a)))
    return q @ r, a


def invert_twice(a):
    (inverse,) = to_host([gpuarray.linalg.pinv(gpuarray.asarray(a))])
    return a @ inverse @ a, a


@pytest.mark.parametrize(
    "function",
    [
        solve_large,
        decompose_large,
        find_singular_vectors,
        factor_positive,
        multiply_factors,
        invert_twice,
    ],
)
def test_large_matrix(function, device):
    """On a GPU so large that cuSOLVER's blocked algorithms run."""
    n = 100 if device == "cpu" else 600
    ours, expected = function(matrices.general((n, n + n // 4)))
    assert distance(ours, expected) <= bound(n, "f8")

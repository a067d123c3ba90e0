"""solve, inv, det, slogdet, matrix_power, tensorsolve, tensorinv and cholesky."""

import matrices
import numpy as np
import pytest
from matrices import DTYPES, ORDERS, STACKS
from oracle import check

import gpuarray

TOLERANCE = {"f4": 2e-4, "c8": 2e-4, "f8": 1e-11, "c16": 1e-11}


def loose(dtype):
    """Keywords of check for results of well-conditioned problems."""
    rtol = TOLERANCE.get(dtype, 1e-11)
    return {"rtol": rtol, "atol": rtol}


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("n", ORDERS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_solve(dtype, n, stack, device):
    a, b = matrices.regular(stack, n, dtype), matrices.general((*stack, n, 3), dtype, 1)
    x = gpuarray.linalg.solve(gpuarray.asarray(a), gpuarray.asarray(b))
    assert x.dtype == dtype and x.shape == b.shape and x.flags.c_contiguous
    (x,) = matrices.to_host([x])
    size = np.linalg.norm(a, axis=(-2, -1)) * np.linalg.norm(x, axis=(-2, -1))
    residual = np.linalg.norm(a.astype(x.dtype) @ x - b, axis=(-2, -1)) / size
    assert np.max(residual) <= matrices.bound(n, dtype)


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("n", [8, 33, 129])
@pytest.mark.parametrize("dtype", DTYPES)
def test_solve_for_many_columns(dtype, n, stack, device):
    """From some tens of columns on a GPU goes by triangular solves."""
    a, b = matrices.regular(stack, n, dtype), matrices.general((*stack, n, 97), dtype, 1)
    a = a[..., ::-1, :].copy()  # so that rows have to be swapped
    (x,) = matrices.to_host([gpuarray.linalg.solve(gpuarray.asarray(a), gpuarray.asarray(b))])
    assert matrices.distance(a.astype("c16") @ x, b) <= matrices.bound(n, dtype)


@pytest.mark.parametrize("shape", [(40, 40), (2, 3, 40, 40)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_inv_with_swapped_rows(dtype, shape, device):
    a = matrices.regular(shape[:-2], shape[-1], dtype)[..., ::-1, :].copy()
    (inverse,) = matrices.to_host([gpuarray.linalg.inv(gpuarray.asarray(a))])
    eye = np.broadcast_to(np.eye(shape[-1]), shape)
    assert matrices.distance(a.astype("c16") @ inverse, eye) <= matrices.bound(shape[-1], dtype)
    assert matrices.distance(inverse.astype("c16") @ a, eye) <= matrices.bound(shape[-1], dtype)


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("n", ORDERS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_inv(dtype, n, stack, device):
    a = matrices.regular(stack, n, dtype)
    inverse = gpuarray.linalg.inv(gpuarray.asarray(a))
    assert inverse.dtype == dtype and inverse.flags.c_contiguous
    (inverse,) = matrices.to_host([inverse])
    eye = np.broadcast_to(np.eye(n), a.shape)
    assert matrices.distance(a.astype("c16") @ inverse, eye) <= matrices.bound(n, dtype)


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("n", ORDERS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_determinants(dtype, n, stack, device):
    a = matrices.general((*stack, n, n), dtype)
    keywords = {"device": device, "rtol": 50 * TOLERANCE[dtype], "atol": 50 * TOLERANCE[dtype]}
    check(lambda xp, a: xp.linalg.slogdet(a), a, **keywords)
    if n < 10:
        check(lambda xp, a: xp.linalg.det(a), a, **keywords)


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("n", ORDERS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_cholesky(dtype, n, stack, upper, device):
    a = matrices.positive(stack, n, dtype)
    # What lies in the other triangle is not read.
    a = a + np.tril(np.ones_like(a), -1) if upper else a + np.triu(np.ones_like(a), 1)
    check(lambda xp, a: xp.linalg.cholesky(a, upper=upper), a, device=device, **loose(dtype))


SOLVES = {
    "vector": ((4, 4), (4,)),
    "vector for a stack": ((3, 4, 4), (4,)),
    "one column": ((3, 4, 4), (3, 4, 1)),
    "stack of sides": ((4, 4), (3, 4, 2)),
    "deep stack of sides": ((4, 4), (2, 3, 4, 2)),
    "broadcast": ((3, 1, 4, 4), (2, 4, 2)),
    "one matrix in a stack": ((1, 4, 4), (3, 4, 2)),
    "many sides": ((4, 4), (4, 50)),
    "order 0": ((0, 0), (0, 2)),
    "order 0 vector": ((0, 0), (0,)),
    "no sides": ((4, 4), (4, 0)),
    "no matrices": ((0, 4, 4), (0, 4, 2)),
    "no matrices, one side": ((0, 4, 4), (4,)),
    "orders differ": ((4, 4), (3, 2)),
    "lengths differ": ((4, 4), (3,)),
    "stacks differ": ((2, 4, 4), (3, 4, 1)),
    "no dimensions": ((4, 4), ()),
    "not square": ((4, 3), (4, 1)),
    "vectors": ((4,), (4,)),
}


@pytest.mark.parametrize("name", SOLVES)
def test_solve_shapes(name, device):
    a, b = (matrices.general(shape, seed=seed) for seed, shape in enumerate(SOLVES[name]))
    check(lambda xp, a, b: xp.linalg.solve(a, b), a, b, device=device, **loose("f8"))


MATRIX = matrices.regular((), 6)
STACK = matrices.regular((4,), 6)

LAYOUTS = {
    "transposed": lambda a: a.T,
    "swapped": lambda a: a.swapaxes(0, 1)[:6, :, :4] if a.ndim == 3 else a,
    "backwards": lambda a: a[..., ::-1, :],
    "part": lambda a: a[..., 1:4, 2:5],
    "stepped": lambda a: a[..., ::2, ::2],
}
LAYOUT_CALLS = {
    "solve": lambda xp, a: xp.linalg.solve(a, a[..., :2]),
    "inv": lambda xp, a: xp.linalg.inv(a),
    "det": lambda xp, a: xp.linalg.det(a),
    "svdvals": lambda xp, a: xp.linalg.svdvals(a),
    "eigvalsh": lambda xp, a: xp.linalg.eigvalsh(a),
    "r": lambda xp, a: abs(xp.linalg.qr(a, "r")),
}


@pytest.mark.parametrize("a", [MATRIX, STACK], ids=["matrix", "stack"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", LAYOUT_CALLS)
def test_layout(name, layout, a, device):
    if layout == "transposed" and a.ndim == 3:
        a = matrices.regular((6,), 6)  # square all round

    def call(xp, a):
        return LAYOUT_CALLS[name](xp, LAYOUTS[layout](a))

    check(call, a, device=device, order=False, rtol=1e-9, atol=1e-9)


PROMOTED = {
    "inv": lambda xp, a: xp.linalg.inv(a),
    "solve": lambda xp, a: (xp.linalg.solve(a, a), xp.linalg.solve(a, [1, 2, 3])),
    "solve f4": lambda xp, a: xp.linalg.solve(a, xp.ones(3, "f4")),
    "det": lambda xp, a: (xp.linalg.det(a), xp.linalg.slogdet(a)),
    "cholesky": lambda xp, a: xp.linalg.cholesky(a),
    "r": lambda xp, a: abs(xp.linalg.qr(a, "r")),
    "svdvals": lambda xp, a: xp.linalg.svdvals(a),
    "eigvalsh": lambda xp, a: xp.linalg.eigvalsh(a),
    "eigvals": lambda xp, a: xp.sort(xp.linalg.eigvals(a)),
    "norm": lambda xp, a: (xp.linalg.norm(a), xp.linalg.norm(a, 1), xp.linalg.norm(a, axis=0)),
    "cond": lambda xp, a: (xp.linalg.cond(a), xp.linalg.cond(a, 1)),
    "pinv": lambda xp, a: xp.linalg.pinv(a),
    "rank": lambda xp, a: xp.linalg.matrix_rank(a),
    "lstsq": lambda xp, a: xp.linalg.lstsq(a, [1, 2, 3]),
    "power": lambda xp, a: (xp.linalg.matrix_power(a, 3), xp.linalg.matrix_power(a, -2)),
}


@pytest.mark.parametrize("dtype", ["?", "i1", "u4", "i8", "f2", "f4", "F"])
@pytest.mark.parametrize("name", PROMOTED)
def test_promotion(name, dtype, device):
    a = np.eye(3).astype(dtype)
    check(PROMOTED[name], a, device=device, rtol=1e-4, atol=1e-4)


POWERS = [0, 1, 2, 3, 4, 7, 12, -1, -2, -3]


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("dtype", ["i8", "f8", "c8"])
def test_matrix_power(dtype, power, device):
    a = (matrices.general((2, 4, 4), "f8") * 3).round().astype(dtype) + np.eye(4).astype(dtype)
    rtol = 1e-3 if dtype == "c8" else 1e-9
    check(lambda xp, a: xp.linalg.matrix_power(a, power), a, device=device, rtol=rtol, atol=rtol)


def test_power_one_is_the_array_itself(device):
    a = gpuarray.eye(3)
    assert gpuarray.linalg.matrix_power(a, 1) is a


TENSORS = {
    "tensorsolve": lambda xp, a: xp.linalg.tensorsolve(a, xp.ones((2, 3))),
    "tensorsolve axes": lambda xp, a: xp.linalg.tensorsolve(a, xp.ones((3, 2)), axes=(0, 2)),
    "tensorsolve shape": lambda xp, a: xp.linalg.tensorsolve(a, xp.ones((2, 2))),
    "tensorinv": lambda xp, a: xp.linalg.tensorinv(a),
    "tensorinv ind": lambda xp, a: xp.linalg.tensorinv(a.reshape(6, 2, 3), ind=1),
    "tensorinv zero": lambda xp, a: xp.linalg.tensorinv(a, ind=0),
    "tensorinv uneven": lambda xp, a: xp.linalg.tensorinv(a, ind=1),
}


@pytest.mark.parametrize("name", TENSORS)
def test_tensors(name, device):
    a = matrices.general((2, 3, 3, 2))
    check(TENSORS[name], a, device=device, order=False, rtol=1e-9, atol=1e-9)


SINGULAR = np.array([[1.0, 2.0], [2.0, 4.0]])
ERRORS = {
    "solve singular": (lambda xp, a: xp.linalg.solve(a, [1.0, 2.0]), SINGULAR),
    "solve one of many": (
        lambda xp, a: xp.linalg.solve(xp.stack([xp.eye(2), a]), xp.ones(2)),
        SINGULAR,
    ),
    "inv singular": (lambda xp, a: xp.linalg.inv(a), np.zeros((40, 40))),
    "inv one of many": (lambda xp, a: xp.linalg.inv(xp.stack([xp.eye(2), a, a])), SINGULAR),
    "inv one of many large": (
        lambda xp, a: xp.linalg.inv(xp.stack([xp.eye(40), a])),
        np.zeros((40, 40)),
    ),
    "power": (lambda xp, a: xp.linalg.matrix_power(a, -1), SINGULAR),
    "power float": (lambda xp, a: xp.linalg.matrix_power(a, 1.5), SINGULAR),
    "cholesky": (lambda xp, a: xp.linalg.cholesky(-a), SINGULAR),
    "cholesky one of many": (
        lambda xp, a: xp.linalg.cholesky(xp.stack([xp.eye(40), a])),
        -np.eye(40),
    ),
    "cholesky large": (lambda xp, a: xp.linalg.cholesky(a), -np.eye(40)),
    "tensorinv": (lambda xp, a: xp.linalg.tensorinv(a, 1), SINGULAR),
}
for _name in ("inv", "det", "slogdet", "cholesky", "eig", "eigvals", "eigh", "eigvalsh"):
    ERRORS[f"{_name} not square"] = (
        lambda xp, a, name=_name: getattr(xp.linalg, name)(a),
        np.ones((2, 3)),
    )
    ERRORS[f"{_name} vector"] = (lambda xp, a, name=_name: getattr(xp.linalg, name)(a), np.ones(3))
    ERRORS[f"{_name} f2"] = (
        lambda xp, a, name=_name: getattr(xp.linalg, name)(a),
        np.eye(2, dtype="f2"),
    )
    ERRORS[f"{_name} text"] = (
        lambda xp, a, name=_name: getattr(xp.linalg, name)([["a"]]),
        SINGULAR,
    )
    ERRORS[f"{_name} g"] = (
        lambda xp, a, name=_name: getattr(xp.linalg, name)(np.eye(2, dtype="g")),
        SINGULAR,
    )


@pytest.mark.parametrize("name", ERRORS)
def test_error(name, device):
    function, a = ERRORS[name]
    error = check(function, a, device=device)
    assert isinstance(error, Exception)
    try:
        function(np, a)
    except (np.linalg.LinAlgError, TypeError) as theirs:
        if "ufunc" not in str(theirs):
            assert " ".join(str(error).split()) == " ".join(str(theirs).split())


def test_times_are_no_numbers(device):
    with pytest.raises(TypeError):
        gpuarray.linalg.inv(gpuarray.zeros((2, 2), "M8[s]"))


def test_determinant_of_singular_matrices(device):
    a = np.stack([SINGULAR, np.eye(2)])
    check(lambda xp, a: (xp.linalg.det(a), xp.linalg.slogdet(a)), a, device=device, rtol=1e-15)
    large = np.zeros((2, 40, 40))
    check(lambda xp, a: (xp.linalg.det(a), xp.linalg.slogdet(a[0])), large, device=device)


EMPTY = {
    "inv": lambda xp, a: xp.linalg.inv(a),
    "det": lambda xp, a: (xp.linalg.det(a), xp.linalg.slogdet(a)),
    "cholesky": lambda xp, a: xp.linalg.cholesky(a),
    "eigh": lambda xp, a: (xp.linalg.eigh(a), xp.linalg.eigvalsh(a)),
    "eig": lambda xp, a: (xp.linalg.eig(a), xp.linalg.eigvals(a)),
    "qr": lambda xp, a: (xp.linalg.qr(a), xp.linalg.qr(a, "complete"), xp.linalg.qr(a, "r")),
    "raw": lambda xp, a: xp.linalg.qr(a, "raw"),
    "svd": lambda xp, a: (xp.linalg.svd(a), xp.linalg.svd(a, False), xp.linalg.svdvals(a)),
    "hermitian": lambda xp, a: xp.linalg.svd(a, hermitian=True),
    "rank": lambda xp, a: xp.linalg.matrix_rank(a),
    "pinv": lambda xp, a: xp.linalg.pinv(a),
    "cond": lambda xp, a: xp.linalg.cond(a),
    "cond 1": lambda xp, a: xp.linalg.cond(a, 1),
    "power": lambda xp, a: (xp.linalg.matrix_power(a, 0), xp.linalg.matrix_power(a, -2)),
    "norm": lambda xp, a: xp.linalg.norm(a),
    "matrix norm": lambda xp, a: xp.linalg.matrix_norm(a),
    "matrix norm 2": lambda xp, a: xp.linalg.matrix_norm(a, ord=2),
    "matrix norm nuc": lambda xp, a: xp.linalg.matrix_norm(a, ord="nuc"),
    "lstsq": lambda xp, a: xp.linalg.lstsq(a, xp.ones(a.shape[0])),
    "lstsq no sides": lambda xp, a: xp.linalg.lstsq(a, xp.ones((a.shape[0], 0))),
}


@pytest.mark.parametrize("shape", [(0, 0), (0, 3, 3), (2, 0, 0), (0, 3), (3, 0), (0, 2, 3)])
@pytest.mark.parametrize("name", EMPTY)
def test_empty(name, shape, device):
    check(EMPTY[name], np.ones(shape, "f4"), device=device, order=False)


NUMPYS = [
    lambda a: np.linalg.solve(a, np.ones(3)),
    lambda a: np.linalg.inv(a),
    lambda a: np.linalg.svd(a).U,
    lambda a: np.linalg.eigh(a)[0],
    lambda a: np.linalg.norm(a, axis=0),
    lambda a: np.linalg.lstsq(a, a)[0],
    lambda a: np.linalg.matrix_power(a, -2),
]


@pytest.mark.parametrize("function", NUMPYS)
def test_numpys_functions_stay_on_the_device(function, device):
    before = gpuarray.set_fallback("error")
    try:
        result = function(gpuarray.asarray(matrices.positive((), 3)))
    finally:
        gpuarray.set_fallback(before)
    assert isinstance(result, gpuarray.ndarray) and result.device == device


def test_nothing_runs_on_the_host(device):
    assert not [
        name
        for name in np.linalg.__all__
        if hasattr(getattr(gpuarray.linalg, name), "runs_on_host")
    ]
    assert sorted(gpuarray.linalg.__all__) == sorted(np.linalg.__all__)


def test_inputs_are_left_alone(device):
    a, b = matrices.regular((), 5), matrices.general((5, 2))
    check(lambda xp, a, b: xp.linalg.solve(a, b), a, b, device=device, **loose("f8"))
    for function in (
        np.linalg.inv,
        np.linalg.det,
        np.linalg.cholesky,
        np.linalg.eigvalsh,
        np.linalg.svdvals,
    ):
        ours = gpuarray.asarray(matrices.positive((), 5))
        getattr(gpuarray.linalg, function.__name__)(ours)
        assert np.array_equal(gpuarray.asnumpy(ours), matrices.positive((), 5))


def test_mixed_operands(device):
    a, b = matrices.regular((), 3), matrices.general((3,))
    expected = np.linalg.solve(a, b)
    for left, right in (
        (gpuarray.asarray(a), b),
        (a.tolist(), gpuarray.asarray(b)),
        (a, b.tolist()),
    ):
        x = gpuarray.linalg.solve(left, right)
        assert x.device == device and np.allclose(gpuarray.asnumpy(x), expected)


# Sizes around those of the panels and blocks of lapack_panel_cuda.cu.
LARGE = [33, 64, 100, 257, 513, 700, 1025, 1536, 1537]


@pytest.mark.parametrize("n", LARGE)
@pytest.mark.parametrize("kind", ["random", "reversed", "scaled"])
def test_large_matrices(device, n, kind):
    """Solutions, inverses and determinants of matrices whose rows have to change places."""
    random = np.random.default_rng(n)
    a = random.standard_normal((n, n))
    if kind == "reversed":
        a = np.tri(n)[::-1] + 1e-3 * a
    elif kind == "scaled":
        a *= np.logspace(-150, 150, n)[:, None]
    ours = gpuarray.asarray(a, device=device)
    eps = 10 * n * np.finfo(a.dtype).eps
    for columns in (1, 3, 70) if n < 600 else (1,):
        b = random.standard_normal((n, columns)) * np.abs(a).max(axis=1, keepdims=True)
        x = gpuarray.asnumpy(gpuarray.linalg.solve(ours, gpuarray.asarray(b, device=device)))
        bound = np.abs(a).sum(axis=1, keepdims=True) * np.abs(x).max()
        assert (np.abs(a @ x - b) <= eps * bound).all()
    if n < 1100:
        inverse = gpuarray.asnumpy(gpuarray.linalg.inv(ours))
        condition = np.linalg.cond(a / np.abs(a).max(axis=1, keepdims=True))
        assert np.abs(inverse @ a - np.eye(n)).max() <= eps * condition
    sign, logarithm = (float(part) for part in gpuarray.linalg.slogdet(ours))
    expected = np.linalg.slogdet(a)
    assert sign == expected[0] and abs(logarithm - expected[1]) < 1e-8 * n


def hermitian(n, dtype, shift):
    """Equal to its conjugate transpose to the last bit; positive definite for a large `shift`."""
    random = np.random.default_rng(n)
    half = random.standard_normal((n, n)) + 1j * random.standard_normal((n, n))
    half = half.astype(dtype) if dtype.kind == "c" else half.real.astype(dtype)
    return half + half.conj().T + dtype.type(shift) * np.eye(n, dtype=dtype)


def check_residual(a, b, device):
    """That a system is solved as well as rounding allows, and that its operands are left alone."""
    ours, sides = gpuarray.asarray(a, device=device), gpuarray.asarray(b, device=device)
    x = gpuarray.linalg.solve(ours, sides)
    assert x.dtype == np.result_type(a, b) and x.shape == b.shape
    assert np.array_equal(gpuarray.asnumpy(ours), a)
    assert np.array_equal(gpuarray.asnumpy(sides), b)
    x = gpuarray.asnumpy(x).astype(np.complex128)
    bound = 10 * len(a) * np.finfo(a.dtype).eps * np.abs(a).sum(axis=1).max() * np.abs(x).max()
    assert np.abs(a @ x - b).max() <= bound


# Large Hermitian matrices go by way of Cholesky's factors on a GPU (lapack_positive_cuda.cu), others do not.
@pytest.mark.parametrize(
    ("n", "letter"), [(511, "d"), (512, "f"), (577, "d"), (512, "F"), (530, "D")]
)
def test_hermitian_systems(device, n, letter):
    dtype = np.dtype(letter)
    for shift in (4 * n, 0, -4 * n):  # positive definite, indefinite, negative definite
        a = hermitian(n, dtype, shift)
        for sides in (a[0], a[:, :70]) if shift > 0 else (a[:, :3],):
            check_residual(a, sides, device)
    a = hermitian(n, dtype, 4 * n)
    check_residual(a.T, a[:, ::-2][:, :5], device)
    check_residual(np.repeat(a, 2, axis=1)[:, ::2], a[3], device)


@pytest.mark.parametrize("letter", "dD")
def test_nearly_hermitian_systems(device, letter):
    """One element decides who factorises: the solution is right for either."""
    a = hermitian(600, np.dtype(letter), 2400)
    for place, value in (
        ((599, 0), 7),
        ((0, 599), 7),
        ((300, 331), 0),
        ((64, 31), -2),
        ((5, 5), -1),
    ):
        other = a.copy()
        other[place] = value
        check_residual(other, a[1], device)
    skew = a - 2j * np.triu(a.imag) if letter == "D" else np.triu(a)
    check_residual(skew, a[1], device)


def test_singular_hermitian_systems(device):
    n = 640
    random = np.random.default_rng(n)
    half = random.integers(-2, 3, (n, n)).astype(float)
    half[:, 100] = half[:, 500]
    empty_row = half @ half.T + np.eye(n)
    empty_row[77] = empty_row[:, 77] = 0
    for a in (np.ones((n, n)), np.zeros((n, n)), empty_row, np.full((n, n), 2.0)):
        with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
            gpuarray.linalg.solve(
                gpuarray.asarray(a, device=device), gpuarray.ones(n, device=device)
            )
    check_residual(half.T @ half + 1e-9 * np.eye(n), random.standard_normal(n), device)
    unknown = hermitian(n, np.dtype("d"), 4 * n)
    unknown[400, 40] = unknown[40, 400] = np.nan
    x = gpuarray.linalg.solve(
        gpuarray.asarray(unknown, device=device), gpuarray.ones(n, device=device)
    )
    assert np.isnan(gpuarray.asnumpy(x)).any()


@pytest.mark.parametrize("n", [40, 600, 1500])
def test_large_singular_matrices(device, n):
    a = np.random.default_rng(n).standard_normal((n, n))
    a[:, n // 2] = 0
    ours = gpuarray.asarray(a, device=device)
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        gpuarray.linalg.inv(ours)
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        gpuarray.linalg.solve(ours, ours[0])
    assert gpuarray.asnumpy(gpuarray.linalg.slogdet(ours)[0]) == 0
    assert gpuarray.asnumpy(gpuarray.linalg.slogdet(ours)[1]) == -np.inf
    unknown = gpuarray.asarray(np.full((n, n), np.nan), device=device)
    assert np.isnan(gpuarray.asnumpy(gpuarray.linalg.solve(unknown, unknown[0]))).all()

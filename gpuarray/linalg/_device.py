"""Factorisations by the CUDA backend, and how matrices lie for it.

cuSOLVER counts columns first: a C-contiguous array (..., c, r) is to it a stack of matrices of r rows and c columns.
So a matrix that lies in rows is there as its transpose without being moved. Where the transpose serves as well (LU,
Cholesky, Hermitian and wide matrices), that is what is factorised; elsewhere the one copy that in-place work needs
anyway turns it. Invariant: what goes to _core._lapack is C-contiguous, of one dtype, and ours to overwrite.
"""

import numpy
from numpy.linalg import LinAlgError

from gpuarray import _core
from gpuarray._choice import where
from gpuarray._core import conjugate, empty, exp, multiply
from gpuarray._creation import triu
from gpuarray._joining import roll
from gpuarray.linalg._stacks import QRResult, real_dtype

SMALL = 32  # rows that go to kernels of our own
SINGULAR = "Singular matrix"
NOT_POSITIVE = "Matrix is not positive definite"
NO_EIGENVALUES = "Eigenvalues did not converge"
NO_SINGULAR_VALUES = "SVD did not converge"


def run(operation, message, a, b=None, c=None, values=None, **flags):
    """One call of the backend; LinAlgError with `message` where it says that a matrix has no such factors."""
    if _core._lapack(operation, a, b, c, values, **flags) and message:
        raise LinAlgError(message)


def dense(a, dtype, stack=None):
    """A C-contiguous copy in another dtype, broadcast over a stack."""
    shape = a.shape if stack is None else (*stack, *a.shape[-2:])
    copy = empty(shape, dtype, device=a.device)
    copy[...] = a
    return copy


def turned(a):
    """A C-contiguous copy of the transposes."""
    return a.mT.copy(order="C")


def adjoint(a):
    """A C-contiguous copy of the conjugate transposes."""
    if a.dtype.kind != "c":
        return turned(a)
    return conjugate(a.mT, out=empty(a.mT.shape, a.dtype, device=a.device))


def solve(a, b, dtype):
    is_vector = b.ndim == 1
    columns = b[:, None] if is_vector else b
    stack = numpy.broadcast_shapes(a.shape[:-2], columns.shape[:-2])
    if a.ndim == 2:  # right-hand sides of one matrix are one set of them
        sides = dense(columns.mT, dtype)
        run("solve", SINGULAR, dense(a, dtype), sides.reshape(-1, a.shape[-1]))
    else:
        sides = dense(columns.mT, dtype, stack)
        run("solve", SINGULAR, dense(a, dtype, stack), sides)
    if is_vector:
        return sides[..., 0, :].copy()
    return turned(sides) if columns.shape[-1] > 1 else sides.reshape((*stack, *columns.shape[-2:]))


def invert(a, dtype, strict=True):
    """The inverses; of a singular matrix NaN, unless `strict`."""
    inverse = empty(a.shape, dtype, device=a.device)
    run("invert", SINGULAR if strict else None, dense(a, dtype), inverse)
    return inverse


def log_determinant(a, dtype):
    """Signs and logarithms of the absolute values of determinants."""
    sign = empty(a.shape[:-2], dtype, device=a.device)
    logarithm = empty(a.shape[:-2], real_dtype(dtype), device=a.device)
    run("determinant", None, dense(a, dtype), sign, values=logarithm)
    return (sign[()], logarithm[()]) if sign.ndim == 0 else (sign, logarithm)


def determinant(a, dtype):
    sign, logarithm = log_determinant(a, dtype)
    return multiply(sign, exp(logarithm))


def factor_cholesky(a, upper, dtype):
    # Rows of a lower triangle are columns of an upper one, which cuSOLVER takes twice the time for: a large matrix is
    # turned.
    if a.ndim == 2 and a.shape[0] > SMALL and not upper:
        factor = dense(a.mT, dtype)
        run("cholesky", NOT_POSITIVE, factor)
        return turned(factor)
    factor = dense(a, dtype)
    run("cholesky", NOT_POSITIVE, factor, upper=not upper)
    return factor


def factor_qr(a, mode, dtype):
    m, n = a.shape[-2:]
    factor = dense(a.mT, dtype)
    tau = empty((*a.shape[:-2], min(m, n)), dtype, device=a.device)
    run("qr", None, factor, tau)
    if mode == "raw":
        return turned(factor).mT, tau
    if mode == "economic":
        return turned(factor)
    columns = m if mode == "complete" else min(m, n)
    r = triu(factor.mT[..., :columns, :])
    if mode == "r":
        return r
    if columns != n:
        basis = empty((*a.shape[:-2], columns, m), dtype, device=a.device)
        basis[..., : min(columns, n), :] = factor[..., : min(columns, n), :]
        factor = basis
    run("basis", None, factor, tau)
    return QRResult(turned(factor), r)


def decompose_hermitian(a, lower, dtype):
    """Eigenvalues and eigenvectors: those of the transpose are conjugate, and its upper triangle is the lower one."""
    values = empty(a.shape[:-1], real_dtype(dtype), device=a.device)
    if is_rotated(a):
        vectors = empty(a.shape, dtype, device=a.device)
        run(
            "eigh",
            NO_EIGENVALUES,
            as_rows(a, dtype),
            vectors,
            values=values,
            upper=lower,
            vectors=True,
        )
        return values, vectors
    vectors = dense(a, dtype)
    run("eigh", NO_EIGENVALUES, vectors, values=values, upper=lower, vectors=True)
    return values, adjoint(vectors)


def is_rotated(a):
    """Whether matrices are several and small: then they are left alone, and vectors come as rows."""
    return a.shape[-1] <= SMALL and a.size > a.shape[-1] ** 2


def as_rows(a, dtype):
    """The array itself if it will do for what is left alone."""
    flags = a.flags
    fits = a.dtype == dtype and flags.c_contiguous and flags.aligned and flags.writeable
    return a if fits else dense(a, dtype)


def find_hermitian_values(a, lower, dtype):
    values = empty(a.shape[:-1], real_dtype(dtype), device=a.device)
    if a.ndim == 2:  # cuSOLVER is a little faster with lower triangles
        run("eigh", NO_EIGENVALUES, dense(a.mT, dtype), values=values, upper=not lower)
    else:
        matrices = as_rows(a, dtype) if is_rotated(a) else dense(a, dtype)
        run("eigh", NO_EIGENVALUES, matrices, values=values, upper=lower)
    return values


def complex_dtype(dtype):
    return numpy.dtype(dtype.char.upper())


def decompose_general(a, dtype):
    """Complex eigenvalues and eigenvectors."""
    packed = empty(a.shape, dtype, device=a.device)
    values = empty(a.shape[:-1], complex_dtype(dtype), device=a.device)
    run("eig", NO_EIGENVALUES, dense(a.mT, dtype), packed, values=values, vectors=True)
    return values, turned(packed if dtype.kind == "c" else unpack_pairs(packed, values.imag))


def unpack_pairs(packed, imaginary):
    """Eigenvectors of real matrices, as rows. Of a conjugate pair, the first with the positive imaginary part, real and
    imaginary part of the first one are stored."""
    first, second = (imaginary > 0)[..., None], (imaginary < 0)[..., None]
    zero = packed.dtype.type(0)
    vectors = empty(packed.shape, complex_dtype(packed.dtype), device=packed.device)
    vectors.real = where(second, roll(packed, 1, axis=-2), packed)
    vectors.imag = where(first, roll(packed, -1, axis=-2), where(second, -packed, zero))
    return vectors


def find_general_values(a, dtype):
    values = empty(a.shape[:-1], complex_dtype(dtype), device=a.device)
    run("eig", NO_EIGENVALUES, dense(a.mT, dtype), values=values)
    return values


def run_svd(a, dtype, left=None, right=None):
    """Singular values, and with memory for them vectors, of `a` or of its transpose, whichever has the more rows."""
    values = empty((*a.shape[:-2], min(a.shape[-2:])), real_dtype(dtype), device=a.device)
    work = dense(a.mT if a.shape[-2] >= a.shape[-1] else a, dtype)
    run("svd", NO_SINGULAR_VALUES, work, left, right, values, vectors=left is not None)
    return values


def decompose_singular(a, full, dtype):
    """U, singular values and Vh. The backend takes at least as many rows as columns and gives V: of a wide matrix it
    decomposes the transpose, conj(V) S U^T."""
    is_tall = a.shape[-2] >= a.shape[-1]
    rows, columns = max(a.shape[-2:]), min(a.shape[-2:])
    stack = a.shape[:-2]
    left = empty((*stack, rows if full else columns, rows), dtype, device=a.device)
    right = empty((*stack, columns, columns), dtype, device=a.device)
    values = run_svd(a, dtype, left, right)
    if not is_tall:
        return adjoint(right), values, left
    return turned(left), values, conjugate(right) if dtype.kind == "c" else right

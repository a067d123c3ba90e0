"""The singular value decomposition, and what is read off it: ranks, conditions, pseudo-inverses, least squares."""

import numpy
from numpy import _NoValue
from numpy.linalg import LinAlgError

from gpuarray._choice import where
from gpuarray._core import (
    absolute,
    all,
    asarray,
    conjugate,
    copysign,
    divide,
    empty,
    isnan,
    logical_and,
    logical_not,
    matmul,
    multiply,
    sum,
    zeros_like,
)
from gpuarray._shape import flip
from gpuarray._sorting import argsort, sort
from gpuarray._taking import take_along_axis
from gpuarray.linalg import _device
from gpuarray.linalg._eigen import eigh, eigvalsh
from gpuarray.linalg._norms import norm
from gpuarray.linalg._stacks import (
    SVDResult,
    check_matrix,
    check_square,
    check_stack,
    common_dtype,
    is_empty_matrix,
    is_numpys,
    on_host_if_unheld,
    real_dtype,
    run_numpys,
    take,
)


@on_host_if_unheld
def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """The singular values S, in descending order, and the singular vectors of a = U @ diag(S) @ Vh.

    Parameters
    ----------
    a : array_like, (..., M, N)
    full_matrices : bool
        Give all M columns of U and all N rows of Vh, not just the K first, K the lesser of M and N.
    compute_uv : bool
        False: give the singular values alone.
    hermitian : bool
        `a` is known to be Hermitian: its eigenvectors are computed instead, which is faster.

    Raises
    ------
    LinAlgError
        If the computation does not converge.
    """
    a = take(a)
    if hermitian:
        return decompose_hermitian(a) if compute_uv else find_hermitian_values(a)
    check_stack(a)
    dtype = common_dtype(a)
    if is_numpys(a):
        return run_numpys("svd", a, full_matrices, compute_uv)
    if not compute_uv:
        return _device.run_svd(a, dtype)
    return SVDResult(*_device.decompose_singular(a, bool(full_matrices), dtype))


def decompose_hermitian(a):
    """The singular values and vectors of Hermitian matrices, from their eigenvalues."""
    values, u = eigh(a)
    order = flip(argsort(absolute(values)), -1)
    values = take_along_axis(values, order, axis=-1)
    u = take_along_axis(u, order[..., None, :], axis=-1)
    sign = copysign(values.dtype.type(1), values)
    vh = conjugate((u * sign[..., None, :]).mT)
    return SVDResult(u, absolute(values), vh)


def find_hermitian_values(a):
    return flip(sort(absolute(eigvalsh(a))), -1)


def svdvals(x, /):
    """The singular values of matrices, in descending order."""
    return svd(x, compute_uv=False)


@on_host_if_unheld
def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    """How many singular values are above a tolerance.

    Parameters
    ----------
    A : array_like, (M,) or (..., M, N)
        Matrices; the rank of a vector is 1, unless it is zero.
    tol : array_like, optional
        The tolerance, for each matrix.
    hermitian : bool
        `A` is known to be Hermitian, which is faster.
    rtol : array_like, optional
        The tolerance in relation to the greatest singular value; max(M, N) times the dtype's eps if neither is given.
    """
    if rtol is not None and tol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    A = take(A)
    if A.ndim < 2:
        return int(not all(A == 0))
    values = svd(A, compute_uv=False, hermitian=hermitian)
    if tol is not None:
        tol = asarray(tol, device=A.device)[..., None]
    else:
        if rtol is None:
            rtol = max(A.shape[-2:]) * numpy.finfo(values.dtype).eps
        else:
            rtol = asarray(rtol, device=A.device)[..., None]
        tol = values.max(axis=-1, keepdims=True, initial=0) * rtol
    return sum(values > tol, axis=-1)


@on_host_if_unheld
def cond(x, p=None):
    """The condition number of matrices in the norm `p`: the norm of `x` times that of its inverse.

    Parameters
    ----------
    x : array_like, (..., M, N)
    p : {None, 1, -1, 2, -2, inf, -inf, "fro"}
        The norm; None is 2, the quotient of the greatest and the least singular value.
    """
    x = take(x)
    if is_empty_matrix(x):
        raise LinAlgError("cond is not defined on empty arrays")
    if p is None or p in (2, -2):
        values = svd(x, compute_uv=False)
        ends = (values[..., 0], values[..., -1])
        result = divide(*(reversed(ends) if p == -2 else ends))
    elif is_numpys(x):
        return run_numpys("cond", x, p)
    else:
        check_square(x)
        inverse = _device.invert(x, common_dtype(x), strict=False)
        result = multiply(norm(x, p, axis=(-2, -1)), norm(inverse, p, axis=(-2, -1)))
        result = result.astype(inverse.real.dtype, copy=False)
    unknown = logical_and(isnan(result), logical_not(isnan(x).any(axis=(-2, -1))))
    return where(unknown, result.dtype.type(numpy.inf), result)[() if result.ndim == 0 else ...]


@on_host_if_unheld
def pinv(a, rcond=None, hermitian=False, *, rtol=_NoValue):
    """The Moore-Penrose pseudo-inverse of a matrix, or of each one of a stack.

    Parameters
    ----------
    a : array_like, (..., M, N)
    rcond : array_like, optional
        Singular values of at most `rcond` times the greatest one count as zero; 1e-15 if it is not given, but for
        float32 on a GPU, which computes in float32, max(M, N) times its eps.
    hermitian : bool
        `a` is known to be Hermitian, which is faster.
    rtol : array_like, optional
        As `rcond`; None stands for max(M, N) times the dtype's eps.
    """
    if rcond is not None and rtol is not _NoValue:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    a = take(a)
    cutoff = rcond if rcond is not None else choose_cutoff(a) if rtol is _NoValue else rtol
    if cutoff is None:
        cutoff = max(a.shape[-2:]) * numpy.finfo(a.dtype).eps
    if is_empty_matrix(a):
        return empty((*a.shape[:-2], a.shape[-1], a.shape[-2]), dtype=a.dtype, device=a.device)
    cutoff = asarray(cutoff, device=a.device)
    a = conjugate(a) if a.dtype.kind == "c" else a
    u, values, vh = svd(a, full_matrices=False, hermitian=hermitian)
    large = values > cutoff[..., None] * values.max(axis=-1, keepdims=True)
    inverse = divide(1, values, where=large, out=zeros_like(values))
    return matmul(vh.mT, multiply(inverse[..., None], u.mT))


def choose_cutoff(a):
    """The default `rcond` of pinv."""
    narrow = a.device != "cpu" and a.dtype.char in "fF"
    return max(a.shape[-2:]) * numpy.finfo(a.dtype).eps if narrow else 1e-15


@on_host_if_unheld
def lstsq(a, b, rcond=None):
    """The least-squares solution of a @ x = b, that of the least norm where there are several.

    Parameters
    ----------
    a : array_like, (M, N)
    b : array_like, (M,) or (M, K)
    rcond : float, optional
        Singular values of at most `rcond` times the greatest one count as zero; max(M, N) times the eps of the
        precision in which it is computed if it is not given, half its eps unless it is above 0 and below 1.

    Returns
    -------
    x : ndarray, (N,) or (N, K)
    residuals : ndarray, (K,) or (0,)
        Sums of squares of b - a @ x; empty where the rank of `a` is not N, or M is not above N.
    rank : scalar
    s : ndarray, (min(M, N),)
        Singular values of `a`.
    """
    a, b = take(a, b)
    matrix = b[:, None] if b.ndim == 1 else b
    check_matrix(a, matrix)
    if a.shape[0] != b.shape[0]:
        raise LinAlgError("Incompatible dimensions")
    dtype = common_dtype(a, b)
    if is_numpys(a, b):
        return run_numpys("lstsq", a, b, rcond)
    x, residuals, rank, values = find_least_squares(a, matrix, rcond, dtype)
    return x[:, 0].copy() if b.ndim == 1 else x, residuals, rank, values


def find_least_squares(a, b, rcond, dtype):
    """As lstsq, by the singular values; waits for the rank."""
    m, n = a.shape
    a, b = a.astype(dtype, copy=False), b.astype(dtype, copy=False)
    if rcond is None:
        rcond = max(m, n) * numpy.finfo(dtype).eps
    if rcond <= 0 or rcond >= 1:  # to LAPACK
        rcond = numpy.finfo(dtype).eps / 2
    try:
        u, values, vh = svd(a, full_matrices=False)
    except LinAlgError:
        raise LinAlgError("SVD did not converge in Linear Least Squares") from None
    large = values > rcond * values[:1]
    inverse = divide(1, values, where=large, out=zeros_like(values))
    x = matmul(conjugated(vh).mT, multiply(inverse[:, None], matmul(conjugated(u).mT, b)))
    rank = sum(large, dtype="i4")
    if m <= n or rank != n:
        residuals = empty(0, real_dtype(dtype), device=a.device)
    else:
        error = absolute(b - matmul(a, x))
        residuals = multiply(error, error).sum(axis=0)
    return x, residuals, rank, values


def conjugated(x):
    return conjugate(x) if x.dtype.kind == "c" else x

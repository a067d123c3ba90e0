"""Systems of equations, inverses, determinants and powers: what stands on the LU factorisation."""

import math
import operator

from numpy.linalg import LinAlgError

from gpuarray._core import asarray, empty_like, matmul, ndarray
from gpuarray._creation import eye
from gpuarray.linalg import _device
from gpuarray.linalg._stacks import (
    SlogdetResult,
    check_square,
    common_dtype,
    is_numpys,
    on_host_if_unheld,
    run_numpys,
    take,
)

SOLVE_SIGNATURES = {1: "(m,m),(m)->(m)", 2: "(m,m),(m,n)->(m,n)"}


@on_host_if_unheld
def solve(a, b):
    """The x for which a @ x is b.

    Parameters
    ----------
    a : array_like, (..., M, M)
        Coefficient matrices.
    b : array_like, (M,) or (..., M, K)
        Right-hand sides: one vector for all matrices where it has one dimension, else matrices.

    Returns
    -------
    x : ndarray, (..., M) or (..., M, K)

    Raises
    ------
    LinAlgError
        If a matrix is singular.

    Notes
    -----
    By LU with row exchanges. On a GPU one matrix of at least 512 rows that equals its conjugate transpose is factorised
    by Cholesky's method where it is positive definite.
    """
    a, b = take(a, b)
    check_square(a)
    dtype = common_dtype(a, b)
    check_sides(a, b)
    return run_numpys("solve", a, b) if is_numpys(a, b) else _device.solve(a, b, dtype)


def check_sides(a, b):
    """ValueError where the right-hand sides do not have as many rows as the matrices."""
    core = 1 if b.ndim == 1 else 2
    name, signature = ("solve1", "solve")[core - 1], SOLVE_SIGNATURES[core]
    if b.ndim == 0:
        raise ValueError(
            f"{name}: Input operand 1 does not have enough dimensions "
            f"(has 0, gufunc core with signature {signature} requires 2)"
        )
    if b.shape[-core] != a.shape[-1]:
        raise ValueError(
            f"{name}: Input operand 1 has a mismatch in its core dimension 0, with gufunc "
            f"signature {signature} (size {b.shape[-core]} is different from {a.shape[-1]})"
        )


@on_host_if_unheld
def inv(a):
    """The inverse of a square matrix, or of each one of a stack; LinAlgError if one is singular."""
    a = take(a)
    check_square(a)
    dtype = common_dtype(a)
    return run_numpys("inv", a) if is_numpys(a) else _device.invert(a, dtype)


@on_host_if_unheld
def det(a):
    """The determinant of a square matrix, or of each one of a stack."""
    a = take(a)
    check_square(a)
    dtype = common_dtype(a)
    return run_numpys("det", a) if is_numpys(a) else _device.determinant(a, dtype)


@on_host_if_unheld
def slogdet(a):
    """Sign of the determinant, and the logarithm of its absolute value, which does not overflow."""
    a = take(a)
    check_square(a)
    dtype = common_dtype(a)
    if is_numpys(a):
        return run_numpys("slogdet", a)
    return SlogdetResult(*_device.log_determinant(a, dtype))


def matrix_power(a, n):
    """A square matrix, or each one of a stack, to an integer power; a negative one inverts it first."""
    a = take(a)
    check_square(a)
    try:
        n = operator.index(n)
    except TypeError as error:
        raise TypeError("exponent must be an integer") from error
    if n == 0:
        result = empty_like(a)
        result[...] = eye(a.shape[-2], dtype=a.dtype, device=a.device)
        return result
    return multiply_powers(inv(a) if n < 0 else a, abs(n))


def multiply_powers(a, n):
    """The n-th power, n > 0, by products of powers with exponents that are powers of two."""
    if n == 3:
        return matmul(matmul(a, a), a)
    result, square = None, a
    while True:
        if n % 2:
            result = square if result is None else matmul(result, square)
        n //= 2
        if n == 0:
            return result
        square = matmul(square, square)


@on_host_if_unheld
def tensorsolve(a, b, axes=None):
    """The x for which tensordot(a, x, x.ndim) is b; `axes` of `a` are moved to its end first."""
    a, b = take(a, b)
    if axes is not None:
        order = list(range(a.ndim))
        for axis in axes:
            order.remove(axis)
            order.insert(a.ndim, axis)
        a = a.transpose(order)
    shape = a.shape[b.ndim - a.ndim :]
    size = math.prod(shape)
    if a.size != size**2:
        raise LinAlgError(
            "Input arrays must satisfy the requirement prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])"
        )
    return solve(a.reshape(size, size), b.ravel()).reshape(shape)


@on_host_if_unheld
def tensorinv(a, ind=2):
    """The inverse of `a` as a map from its last axes to its first `ind` ones."""
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    a = a if isinstance(a, ndarray) else asarray(a)
    shape = a.shape[ind:] + a.shape[:ind]
    return inv(a.reshape(math.prod(a.shape[ind:]), -1)).reshape(shape)

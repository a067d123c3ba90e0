"""Eigenvalues and eigenvectors."""

from gpuarray.linalg import _device
from gpuarray.linalg._stacks import (
    NARROWS_EIGENVALUES,
    EighResult,
    EigResult,
    check_finite,
    check_square,
    common_dtype,
    is_numpys,
    on_host_if_unheld,
    run_numpys,
    take,
)


def take_square(a):
    """`a` as an array of square matrices, and the dtype of the result."""
    a = take(a)
    check_square(a)
    return a, common_dtype(a)


def reads_lower(uplo):
    """Whether UPLO names the lower triangle; ValueError where it names none."""
    if uplo.upper() not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return uplo.upper() == "L"


@on_host_if_unheld
def eigh(a, UPLO="L"):
    """Eigenvalues in ascending order and orthonormal eigenvectors, as columns, of Hermitian matrices.

    Parameters
    ----------
    a : array_like, (..., M, M)
    UPLO : {"L", "U"}
        The triangle of `a` that is read.

    Raises
    ------
    LinAlgError
        If the computation does not converge.
    """
    lower = reads_lower(UPLO)
    a, dtype = take_square(a)
    if is_numpys(a):
        return run_numpys("eigh", a, UPLO)
    return EighResult(*_device.decompose_hermitian(a, lower, dtype))


@on_host_if_unheld
def eigvalsh(a, UPLO="L"):
    """Eigenvalues of Hermitian matrices in ascending order; of `a` the triangle UPLO is read."""
    lower = reads_lower(UPLO)
    a, dtype = take_square(a)
    if is_numpys(a):
        return run_numpys("eigvalsh", a, UPLO)
    return _device.find_hermitian_values(a, lower, dtype)


@on_host_if_unheld
def eig(a):
    """Eigenvalues and eigenvectors, as columns, of square matrices.

    They are complex; until NumPy 2.5 those of real matrices are real where all eigenvalues are.

    Raises
    ------
    LinAlgError
        If an element is infinite or NaN, or if the computation does not converge.
    """
    a, dtype = take_square(a)
    if is_numpys(a):
        return run_numpys("eig", a)
    check_finite(a)
    values, vectors = _device.decompose_general(a, dtype)
    if are_narrow(values, dtype):
        values, vectors = values.real.copy(), vectors.real.copy()
    return EigResult(values, vectors)


@on_host_if_unheld
def eigvals(a):
    """Eigenvalues of square matrices, complex or real as those of eig."""
    a, dtype = take_square(a)
    if is_numpys(a):
        return run_numpys("eigvals", a)
    check_finite(a)
    values = _device.find_general_values(a, dtype)
    return values.real.copy() if are_narrow(values, dtype) else values


def are_narrow(values, dtype):
    """Whether eigenvalues of matrices of a dtype are given as real numbers."""
    return NARROWS_EIGENVALUES and dtype.kind != "c" and not values.imag.any()

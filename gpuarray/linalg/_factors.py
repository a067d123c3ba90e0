"""The Cholesky and QR factorisations."""

import warnings

from gpuarray.linalg import _device
from gpuarray.linalg._stacks import (
    check_square,
    check_stack,
    common_dtype,
    is_numpys,
    on_host_if_unheld,
    run_numpys,
    take,
)

QR_MODES = ("reduced", "complete", "r", "raw")

# Deprecated in NumPy: mode -> what it means, and the warning.
OLD_QR_MODES = {
    "f": ("reduced", "The 'full' option is deprecated in favor of 'reduced'."),
    "e": ("economic", "The 'economic' option is deprecated."),
}
OLD_QR_MODES |= {"full": OLD_QR_MODES["f"], "economic": OLD_QR_MODES["e"]}


@on_host_if_unheld
def cholesky(a, /, *, upper=False):
    """The triangular factor L of a positive definite matrix a = L @ L.conj().T, or of each one of a stack.

    Parameters
    ----------
    a : array_like, (..., M, M)
        Hermitian matrices, of which the lower triangle is read, or the upper one with `upper`.
    upper : bool
        Give L.conj().T instead.

    Raises
    ------
    LinAlgError
        If a matrix is not positive definite.
    """
    a = take(a)
    check_square(a)
    dtype = common_dtype(a)
    if is_numpys(a):
        return run_numpys("cholesky", a, upper=upper)
    return _device.factor_cholesky(a, bool(upper), dtype)


@on_host_if_unheld
def qr(a, mode="reduced"):
    """The factors of a = Q @ R, Q with orthonormal columns and R upper triangular.

    Parameters
    ----------
    a : array_like, (..., M, N)
    mode : {"reduced", "complete", "r", "raw"}
        "reduced": Q is M x K and R is K x N, K the lesser of M and N. "complete": M x M and M x N. "r": R alone.
        "raw": the reflectors and their factors, as LAPACK's geqrf stores them.
    """
    if mode in OLD_QR_MODES:
        mode, text = OLD_QR_MODES[mode]
        warnings.warn(text, DeprecationWarning, stacklevel=3)
    elif mode not in QR_MODES:
        raise ValueError(f"Unrecognized mode '{mode}'")
    a = take(a)
    check_stack(a)
    dtype = common_dtype(a)
    if is_numpys(a):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # it was given above
            return run_numpys("qr", a, mode)
    return _device.factor_qr(a, mode, dtype)

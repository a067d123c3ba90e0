"""What the CUDA backend does for gpuarray.linalg, done by NumPy on the CPU device, to test how matrices are laid out.

Follows csrc/core/call/lapack.h: the last two axes of an operand are its columns and rows. Small matrices go to our own
kernels, as they do on a GPU.
"""

import numpy as np

from gpuarray import _core

SMALL = 32
OWN = ("solve", "invert", "determinant", "cholesky", "qr", "basis")
on_backend = _core._lapack


def run(operation, a, b=None, c=None, values=None, upper=False, vectors=False):
    """As _core._lapack, for matrices of any size."""
    if (operation in OWN and max(a.shape[-2:]) <= SMALL) or is_rotated(operation, a):
        return on_backend(operation, a, b, c, values, upper=upper, vectors=vectors)
    held = [None if x is None else np.asarray(x) for x in (a, b, c, values)]
    try:
        OPERATIONS[operation](*held, upper, vectors)
    except np.linalg.LinAlgError:
        return True
    return False


def is_rotated(operation, a):
    """Whether it is a matrix for the kernel that decomposes stacks."""
    return operation == "svd" and a.shape[-1] <= SMALL * np.prod(a.shape[:-2], dtype=int)


def solve(a, b, c, values, upper, vectors):
    b[...] = np.linalg.solve(a, b.mT).mT


def invert(a, b, c, values, upper, vectors):
    b[...] = np.nan
    b[...] = np.linalg.inv(a)


def find_determinant(a, b, c, values, upper, vectors):
    b[...], values[...] = np.linalg.slogdet(a)


def factor_cholesky(a, b, c, values, upper, vectors):
    a[...] = np.linalg.cholesky(a.mT, upper=upper).mT


def factor_qr(a, b, c, values, upper, vectors):
    h, b[...] = np.linalg.qr(a.mT, "raw")
    a[...] = h


def form_basis(a, b, c, values, upper, vectors):
    columns, rows = a.shape[-2:]
    q = np.broadcast_to(np.eye(rows, columns, dtype=a.dtype), (*a.shape[:-2], rows, columns))
    for i in reversed(range(b.shape[-1])):
        v = np.where(np.arange(rows) > i, a[..., i, :], np.arange(rows) == i)[..., None]
        q = q - b[..., i, None, None] * v @ (v.conj().mT @ q)
    a[...] = q.mT


def decompose_hermitian(a, b, c, values, upper, vectors):
    if a.shape[-1] <= SMALL and a.size > a.shape[-1] ** 2:  # several small ones are left alone
        values[...], v = np.linalg.eigh(a, "L" if upper else "U")
        if vectors:
            b[...] = v
        return
    values[...], v = np.linalg.eigh(a.mT, "U" if upper else "L")
    a[...] = v.mT if vectors else np.nan


def decompose_general(a, b, c, values, upper, vectors):
    values[...], v = np.linalg.eig(a.mT)
    if not vectors:
        return
    if a.dtype.kind != "c":  # the second of a pair holds the imaginary part of the first
        v = np.where((values.imag < 0)[..., None, :], -v.imag, v.real)
    b[...] = v.mT


def decompose_singular(a, b, c, values, upper, vectors):
    assert a.shape[-1] >= a.shape[-2]
    if not np.isfinite(a).all():
        raise np.linalg.LinAlgError
    u, values[...], vh = np.linalg.svd(
        a.mT, full_matrices=b is not None and b.shape[-2] == a.shape[-1]
    )
    if vectors:
        b[...], c[...] = u.mT, vh.conj()


OPERATIONS = {
    "solve": solve,
    "invert": invert,
    "determinant": find_determinant,
    "cholesky": factor_cholesky,
    "qr": factor_qr,
    "basis": form_basis,
    "eigh": decompose_hermitian,
    "eig": decompose_general,
    "svd": decompose_singular,
}

"""Linear algebra: the names of numpy.linalg, for matrices and stacks of them.

A stack is an array whose last two axes are the matrices. On the CPU device NumPy's LAPACK works on the same memory; on
CUDA cuSOLVER, cuBLAS and, for small matrices, kernels of our own do, all matrices of a stack in one call. What is no
factorisation itself (norms, least squares, pseudo-inverses, powers) is composed of factorisations, ufuncs and products.

This file only brings the names together. _stacks.py takes arguments, _device.py lays them out for the CUDA backend.
"""

from numpy.linalg import LinAlgError

from gpuarray._linear import multi_dot
from gpuarray._shape import matrix_transpose
from gpuarray.linalg._eigen import eig, eigh, eigvals, eigvalsh
from gpuarray.linalg._factors import cholesky, qr
from gpuarray.linalg._norms import matrix_norm, norm, vector_norm
from gpuarray.linalg._products import cross, diagonal, matmul, outer, tensordot, trace, vecdot
from gpuarray.linalg._singular import cond, lstsq, matrix_rank, pinv, svd, svdvals
from gpuarray.linalg._systems import (
    det,
    inv,
    matrix_power,
    slogdet,
    solve,
    tensorinv,
    tensorsolve,
)

__all__ = [
    "LinAlgError",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vecdot",
    "vector_norm",
]

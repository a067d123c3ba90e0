"""Matrices for the tests of linear algebra, and how far results may be off: all in NumPy, on the host."""

import numpy as np

import gpuarray

DTYPES = ["f4", "f8", "c8", "c16"]
ORDERS = [1, 2, 8, 32, 33, 70]
STACKS = [(), (2, 3)]


def general(shape, dtype="f8", seed=0):
    """Random elements, of both parts where the dtype is complex."""
    rng = np.random.default_rng(seed)
    a = rng.standard_normal(shape)
    return (a + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else a).astype(dtype)


def regular(stack, n, dtype="f8", seed=0):
    """Square matrices whose condition is small."""
    return (general((*stack, n, n), dtype, seed) + 2 * n**0.5 * np.eye(n)).astype(dtype)


def hermitian(stack, n, dtype="f8", seed=0):
    a = general((*stack, n, n), dtype, seed)
    return a + np.conj(np.swapaxes(a, -1, -2))


def positive(stack, n, dtype="f8", seed=0):
    """Hermitian positive definite matrices."""
    a = general((*stack, n, n), dtype, seed)
    return (a @ np.conj(np.swapaxes(a, -1, -2)) + n * np.eye(n)).astype(dtype)


def adjoint(a):
    return np.conj(np.swapaxes(a, -1, -2))


def bound(n, dtype):
    """The residual that is allowed: ten times the order and the precision."""
    return 10 * max(n, 2) * float(np.finfo(dtype).eps)


def distance(a, b):
    """The greatest Frobenius norm of a difference of matrices in a stack, by that of `b`; in the widest dtype."""
    a, b = (np.asarray(x).astype("c16") for x in (a, b))
    assert a.shape == b.shape
    if b.size == 0:
        return 0.0
    apart = np.linalg.norm(a - b, axis=(-2, -1))
    return float(np.max(apart / np.maximum(np.linalg.norm(b, axis=(-2, -1)), 1e-300)))


def is_orthonormal(q, dtype):
    """Whether the columns are, within the allowed residual."""
    return distance(
        adjoint(q) @ q,
        np.broadcast_to(np.eye(q.shape[-1]), (*q.shape[:-2], q.shape[-1], q.shape[-1])),
    ) <= (bound(q.shape[-2], dtype))


def to_host(values):
    """NumPy arrays in double precision of device arrays, for sums and products that add no error of their own."""
    wide = [gpuarray.asnumpy(x) for x in values]
    return [x.astype("c16" if x.dtype.kind == "c" else "f8") for x in wide]

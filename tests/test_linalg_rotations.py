"""The kernel that decomposes stacks by rotations, on either device: plain, deficient, graded, tiny, huge matrices."""

import numpy as np
import pytest
from numpy.linalg import LinAlgError

import gpuarray
from gpuarray.linalg import _device

SHAPES = [
    (5, 1, 1),
    (4, 2, 2),
    (7, 8, 8),
    (3, 5, 3),
    (3, 33, 7),
    (4, 7, 33),
    (3, 64, 64),
    (1, 32, 31),
]


def make_matrices(kind, shape, dtype):
    random = np.random.default_rng(sum(shape))
    a = random.standard_normal(shape).astype(dtype)
    if dtype in "FD":
        a = a + 1j * random.standard_normal(shape).astype(dtype)
    wide = np.finfo(dtype).bits == 64
    columns = shape[-1]
    if kind == "zero":
        a[...] = 0
    elif kind == "deficient":
        a[..., columns // 2] = 0
        a[0] = a[0, :, :1]
    elif kind == "graded":
        a *= np.logspace(0, -30 if wide else -14, columns).astype(dtype)
    elif kind in ("huge", "tiny"):
        a *= a.dtype.type((1e300 if wide else 1e36) ** (1 if kind == "huge" else -1))
    return a


def decompose(a, full, device):
    parts = _device.decompose_singular(gpuarray.asarray(a, device=device), full, a.dtype)
    return [gpuarray.asnumpy(part) for part in parts]


def distance_from_unit(q):
    return np.abs(q.conj().mT @ q - np.eye(q.shape[-1])).max()


@pytest.mark.parametrize("kind", ["plain", "zero", "deficient", "graded", "huge", "tiny"])
@pytest.mark.parametrize("dtype", list("fdFD"))
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_decomposition(device, shape, dtype, kind):
    a = make_matrices(kind, shape, dtype)
    least, eps = min(shape[-2:]), np.finfo(dtype).eps
    scale = a.real.dtype.type(np.abs(a).max() or 1)
    for full in (False, True):
        u, values, vh = decompose(a, full, device)
        s = values / scale
        assert distance_from_unit(u) < 10 * max(shape[-2:]) * eps
        assert distance_from_unit(vh.conj().mT) < 10 * max(shape[-2:]) * eps
        product = u[..., :least] * s[..., None, :] @ vh[..., :least, :]
        assert np.abs(product - a / scale).max() < 10 * least * eps * s.max(initial=1)
        assert (np.diff(values) <= 0).all()
    expected = np.linalg.svd((a / scale).astype("D"), compute_uv=False)
    assert np.abs(expected - s).max() < 10 * least * eps * expected.max(initial=1)
    alone = gpuarray.asnumpy(_device.run_svd(gpuarray.asarray(a, device=device), a.dtype))
    assert np.array_equal(alone, values)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite_is_refused(device, value):
    a = np.ones((3, 4, 4))
    a[1, 2, 3] = value
    with pytest.raises(LinAlgError, match="SVD did not converge"):
        decompose(a, False, device)

"""Sequences and grids: logspace, geomspace, vander, indices, meshgrid, mgrid, ogrid, r_, c_, fromfunction."""

import numpy
import pytest
from oracle import check

import gpuarray

SEQUENCES = {
    "logspace": lambda xp: (
        xp.logspace(0, 3, 7),
        xp.logspace(0, 2, 5, False, 2),
        xp.logspace(1, 2, 3, dtype="i4"),
    ),
    "logspace arrays": lambda xp: xp.logspace([0, 1], [2, 3], 4, axis=1),
    "logspace bases": lambda xp: (
        xp.logspace(0, 3, 4, base=[2, 3]),
        xp.logspace(0, [2, 3], 4, base=[2, 3], axis=-1),
    ),
    "geomspace": lambda xp: (
        xp.geomspace(1, 1000, 4),
        xp.geomspace(1, 256, 9, dtype="f4"),
        xp.geomspace(8, 1, 3, False),
    ),
    "geomspace negative": lambda xp: (
        xp.geomspace(-1, -1000, 4),
        xp.geomspace(1, 9, 0),
        xp.geomspace(2, 9, 1),
    ),
    "geomspace complex": lambda xp: xp.geomspace(1j, 1000j, 4),
    "geomspace arrays": lambda xp: xp.geomspace([1, 2], [8, 54], 4, axis=-1),
    "geomspace zero": lambda xp: xp.geomspace(0, 5),
}


@pytest.mark.parametrize("name", SEQUENCES)
def test_sequence(name, device):
    check(SEQUENCES[name], device=device, rtol=1e-13, order=False)


MATRICES = {
    "identity": lambda xp: (xp.identity(3), xp.identity(2, "i4"), xp.identity(0)),
    "tri": lambda xp: (xp.tri(3), xp.tri(3, 5, 1, "i4"), xp.tri(4, 2, -1), xp.tri(0)),
    "diagflat": lambda xp: (xp.diagflat([[1, 2], [3, 4]]), xp.diagflat([1, 2], -1), xp.diagflat(3)),
    "vander": lambda xp: (xp.vander([1, 2, 3]), xp.vander([1.5, 2], 4, True), xp.vander([1, 2], 0)),
    "vander 2-d": lambda xp: xp.vander([[1]]),
    "indices": lambda xp: (xp.indices((2, 3)), xp.indices((2, 0), "f4"), xp.indices(())),
    "indices sparse": lambda xp: xp.indices((2, 3, 4), sparse=True),
    "fromfunction": lambda xp: xp.fromfunction(lambda i, j: i * 10 + j, (3, 4), dtype=int),
    "fromfunction float": lambda xp: xp.fromfunction(lambda i, k=1: i + k, (3,), k=2.5),
    "mgrid": lambda xp: (
        xp.mgrid[0:3, 1:7:2],
        xp.mgrid[-1:1:5j],
        xp.mgrid[0:2, 0:1:3j],
        xp.mgrid[2:5],
    ),
    "ogrid": lambda xp: (xp.ogrid[0:3, 1:7:2], xp.ogrid[0:2, 0:1:3j], xp.ogrid[:4]),
    "mgrid wrong": lambda xp: xp.mgrid[3],
    "r_": lambda xp: (
        xp.r_[1:4, 0, 4.5],
        xp.r_[-1:1:6j, [0] * 3, 5],
        xp.r_[xp.arange(3, dtype="i1"), 7],
    ),
    "r_ directives": lambda xp: (
        xp.r_["-1", xp.ones((2, 2)), xp.zeros((2, 2))],
        xp.r_["0,2", [1, 2, 3], [4, 5, 6]],
        xp.r_["0,2,0", [1, 2, 3], [4, 5, 6]],
        xp.r_["1,3,1", [1, 2, 3], [4, 5, 6]],
    ),
    "r_ wrong": lambda xp: xp.r_[1, "0"],
    "r_ unknown": lambda xp: xp.r_["what", 1],
    "r_ empty": lambda xp: xp.r_[()],
    "c_": lambda xp: (xp.c_[[1, 2, 3], [4, 5, 6]], xp.c_[xp.ones((2, 2)), [7, 8]], xp.c_[1:4, 2:5]),
    "c_ unlike": lambda xp: xp.c_[[1, 2], [1, 2, 3]],
}


@pytest.mark.parametrize("name", MATRICES)
def test_matrix(name, device):
    check(MATRICES[name], device=device)


GRIDS = {
    "xy": lambda xp, x, y: xp.meshgrid(x, y),
    "ij": lambda xp, x, y: xp.meshgrid(x, y, indexing="ij"),
    "three": lambda xp, x, y: xp.meshgrid(x, y, [1, 2]),
    "sparse": lambda xp, x, y: xp.meshgrid(x, y, [1, 2], sparse=True),
    "views": lambda xp, x, y: xp.meshgrid(x, y, copy=False),
    "one": lambda xp, x, y: (xp.meshgrid(x), xp.meshgrid()),
    "wrong": lambda xp, x, y: xp.meshgrid(x, y, indexing="yx"),
    "triangles": lambda xp, x, y: [
        f(xp.outer(x, y), k) for f in (xp.tril, xp.triu) for k in (-1, 0, 2)
    ],
    "triangles of vectors": lambda xp, x, y: (xp.tril(x), xp.triu(y, 1)),
    "diag": lambda xp, x, y: [xp.diag(x, k) for k in (-2, 0, 1)] + [xp.diag(xp.outer(x, y), 1)],
    "diag 3-d": lambda xp, x, y: xp.diag(x.reshape(1, 1, -1)),
}


@pytest.mark.parametrize("name", GRIDS)
@pytest.mark.parametrize("dtypes", ["ii", "fd", "D?"])
def test_grid(name, dtypes, device):
    x, y = numpy.arange(4).astype(dtypes[0]), numpy.arange(3).astype(dtypes[1])
    check(GRIDS[name], x, y, device=device)


def test_results_lie_on_the_device_asked_for(device):
    for result in (
        gpuarray.indices((2, 2), device="cpu"),
        gpuarray.geomspace(1, 9, 3, device="cpu"),
        gpuarray.logspace(1, 2, 3, device="cpu"),
        gpuarray.fromfunction(lambda i: i, (3,), device="cpu"),
        gpuarray.r_[gpuarray.ones(2, device="cpu"), 1:3, 5],
    ):
        assert result.device == "cpu"


def test_matrices_of_r_are_numpys(device):
    assert isinstance(gpuarray.r_["r", [1, 2]], numpy.matrix)


def test_geomspace_of_integers(device):
    """Truncated powers: NumPy's own integers where powers are its own, else at most one away."""
    expected = numpy.geomspace(1, 256, 9, dtype=int)
    result = gpuarray.asnumpy(gpuarray.geomspace(1, 256, 9, dtype=int))
    assert result.dtype == expected.dtype
    assert abs(result - expected).max() <= (0 if device == "cpu" else 1)


@pytest.mark.parametrize("dtype", ["f2", "f4", "F", "i4"])
def test_python_numbers_adapt_to_the_bound_beside_them(device, dtype):
    bounds = numpy.array([1, 2]).astype(dtype)
    for other in (3, 3.0, 3j):
        check(
            lambda xp, a, b=other: (xp.linspace(a, b, 3), xp.linspace(b, a, 3)),
            bounds,
            device=device,
            rtol=1e-3,
        )
    check(
        lambda xp, a: (xp.logspace(a, 1, 3), xp.linspace(a[0], 1, 3)),
        bounds,
        device=device,
        rtol=1e-3,
    )


def test_an_array_is_no_dtype_and_true_no_axis(device):
    calls = [
        lambda xp, a: xp.array(a, a),
        lambda xp, a: xp.full_like(a, 1, a),
        lambda xp, a: xp.ones(2, a),
        lambda xp, a: xp.sum(a, 0, a),
        lambda xp, a: xp.sum(a, True),
        lambda xp, a: xp.max(a[0], axis=True),
        lambda xp, a: xp.round(a, 1.5),
    ]
    for call in calls:
        check(call, numpy.ones((2, 2)), device=device)

"""Triangles of matrices, truth values as bits, histograms of even bins: kernels where arrays are plain."""

import numpy as np
import pytest
from oracle import check

DTYPES = ["?", "u1", "e", "i4", "d", "F", "D", "M8[s]"]


def fill(shape, dtype):
    return (np.arange(np.prod(shape)).reshape(shape) % 120 + 1).astype("i8").astype(dtype)


@pytest.mark.parametrize("name", ["tril", "triu"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_triangles(dtype, name, device):
    for shape in [
        (5, 5),
        (3, 40),
        (40, 3),
        (1, 17),
        (17, 1),
        (4, 7, 9),
        (2, 3, 33, 16),
        (0, 4),
        (3, 0),
    ]:
        a = fill(shape, dtype)
        for k in (0, 1, -1, 5, -7, 100, -100, 1 << 62, -(1 << 62), True):
            check(lambda xp, a, k=k: getattr(xp, name)(a, k), a, device=device)
    a = fill((70, 90), dtype)
    check(lambda xp, a: getattr(xp, name)(a, 1 << 70), a, device=device)
    check(
        lambda xp, a: [getattr(xp, name)(each) for each in (a.T, a[::2], a[:, 3:], a[5:], a[0])],
        a,
        device=device,
    )


@pytest.mark.parametrize("bitorder", ["big", "little"])
@pytest.mark.parametrize("dtype", ["?", "u1", "i1", "i4", "u8"])
def test_packed_bits(dtype, bitorder, device):
    random = np.random.default_rng(1)
    a = (random.random((6, 5, 77)) < 0.4).astype(dtype)
    a *= random.integers(1, 100, a.shape).astype(dtype)
    for axis in (None, 0, 1, 2, -1):
        check(lambda xp, a, axis=axis: xp.packbits(a, axis, bitorder), a, device=device)
        check(lambda xp, a, axis=axis: xp.packbits(a.T, axis, bitorder), a, device=device)
        check(
            lambda xp, a, axis=axis: xp.packbits(a[::2, :, 3:67], axis, bitorder), a, device=device
        )
    check(
        lambda xp, a: [xp.packbits(a.ravel()[i:], bitorder=bitorder) for i in range(9)],
        a,
        device=device,
    )
    check(lambda xp, a: [xp.packbits(a.ravel()[:n]) for n in (0, 1, 8, 9, 2048)], a, device=device)
    check(lambda xp, a: xp.packbits(a[:, :0]), a, device=device)


SAMPLES = {
    "uniform": lambda r: r.random(40000),
    "normal": lambda r: r.normal(0.5, 0.2, 40000),
    "alike": lambda r: np.full(40000, 0.5),
    "edges": lambda r: np.linspace(0, 1, 257)[r.integers(0, 257, 3000)],
    "special": lambda r: np.array([np.nan, np.inf, -np.inf, 0, 1, -0.0, np.nextafter(1, 0), 2, -1]),
    "none": lambda r: np.zeros(0),
}


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("dtype", ["e", "f", "d", "i4"])
def test_histograms_of_even_bins(dtype, sample, device):
    with np.errstate(invalid="ignore"):
        x = SAMPLES[sample](np.random.default_rng(4)).astype(dtype)
    for bins in (1, 7, 10, 256, 1000, 1023, 1024, 3000):
        check(lambda xp, x, bins=bins: xp.histogram(x, bins, (0.0, 1.0)), x, device=device)
        check(lambda xp, x, bins=bins: xp.histogram(x[::-3], bins, (-0.3, 1.7)), x, device=device)
    check(lambda xp, x: xp.histogram(x, 50, (1e-3, 1.0), density=True), x[:7000], device=device)
    check(lambda xp, x: xp.histogram(x[1:]), np.nan_to_num(x, posinf=3, neginf=-3), device=device)


@pytest.mark.parametrize("dtype", ["f", "d"])
def test_histograms_whose_edges_lie_close(dtype, device):
    info = np.finfo(dtype)
    steps = np.arange(-50, 400) * info.eps
    for base in (1.0, 1e6, -3.0):
        x = (base * (1 + steps)).astype(dtype)
        check(
            lambda xp, x, b=base: xp.histogram(
                x, 100, (b - abs(b) * 300 * info.eps, b + abs(b) * 300 * info.eps)
            ),
            x,
            device=device,
        )
    x = np.linspace(-0.9, 0.9, 500).astype(dtype) * info.max
    check(
        lambda xp, x: xp.histogram(x, 20, (-float(info.max) / 4, float(info.max) / 4)),
        x,
        device=device,
    )

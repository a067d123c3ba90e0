"""Histograms in one and more dimensions, and bincount with weights."""

import numpy as np
import pytest
from oracle import check

import gpuarray

RNG = np.random.default_rng(7)
SAMPLE = RNG.normal(size=700) * 30
WEIGHTS = {
    "float": RNG.normal(size=700),
    "int": RNG.integers(0, 5, 700),
    "complex": RNG.normal(size=700) + 1j,
    "small": RNG.integers(0, 99, 700).astype("i1"),
    "truth": RNG.integers(0, 2, 700).astype(bool),
}
BINS = [
    10,
    1,
    np.linspace(-20, 20, 7),
    [-10, 0, 5, 30],
    [1],
    [0.0, 0.0, 5.0, np.inf],
    "auto",
    "fd",
    "doane",
    "scott",
    "stone",
    "rice",
    "sturges",
    "sqrt",
]
KEYWORDS = [{}, {"range": (-10, 20)}, {"range": (5, 5)}, {"density": True}]


def compare(call, *args, device):
    check(call, *args, device=device, order=False, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "i8", "u1"])
@pytest.mark.parametrize("bins", BINS, ids=str)
def test_histogram(device, bins, dtype):
    sample = (SAMPLE + (100 if dtype == "u1" else 0)).astype(dtype)
    for keywords in KEYWORDS:
        compare(lambda xp, a, b, k=keywords: xp.histogram(a, b, **k), sample, bins, device=device)


@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("bins", [10, [-10, 0, 5, 30]], ids=str)
def test_histogram_with_weights(device, bins, kind):
    def call(xp, a, w):
        return xp.histogram(a, bins, weights=w), xp.histogram(a, bins, (-9, 9), weights=w)

    if (
        kind == "truth" and bins != 10
    ):  # NumPy's error for it is a class of its own, below TypeError
        with pytest.raises(TypeError):
            call(gpuarray, SAMPLE, WEIGHTS[kind])
        return
    compare(call, SAMPLE, WEIGHTS[kind], device=device)


ODD_SAMPLES = [
    np.array([]),
    np.array([], int),
    np.array(3),
    np.array([True, False]),
    np.array([0.5, np.nan]),
    np.array([1, np.inf]),
    np.array([1j]),
    np.arange(12.0).reshape(3, 4),
    np.array([1, 2, 3], "m8[s]"),
]


@pytest.mark.parametrize("sample", ODD_SAMPLES, ids=str)
def test_histogram_of_odd_samples(device, sample):
    for bins in (3, "auto", [0, 1, 2]):
        for keywords in ({}, {"range": (0, 2)}, {"weights": np.ones(sample.shape)}):
            if sample.dtype.kind == "m" and "weights" not in keywords:
                continue
            compare(
                lambda xp, a, k, b=bins: xp.histogram(a, b, **k), sample, keywords, device=device
            )


EDGES = [[0, 1, 1], [0, 0, 1], [1, 1], [-1, 0.0], [-1, -0.0], [0, 1, np.nan], [0, np.nan], [5]]


@pytest.mark.parametrize("edges", EDGES, ids=str)
def test_the_last_bin_has_its_upper_edge(device, edges):
    sample = np.array([0.0, -0.0, 0.5, 1, 1, 2, np.nan, -1, np.inf])
    weights = np.arange(9.0)
    compare(lambda xp, a: xp.histogram(a, edges), sample, device=device)
    compare(lambda xp, a, w: xp.histogram(a, edges, weights=w), sample, weights, device=device)


def test_histogram_of_times(device):
    times, edges = np.array([1, 2, 3, 5, 9], "M8[s]"), np.array([0, 2, 5], "M8[s]")
    compare(lambda xp, a, b: xp.histogram(a, b), times, edges, device=device)


REFUSALS = [
    lambda xp, a: xp.histogram(a, 0),
    lambda xp, a: xp.histogram(a, 2.5),
    lambda xp, a: xp.histogram(a, "no such"),
    lambda xp, a: xp.histogram(a, [[1, 2]]),
    lambda xp, a: xp.histogram(a, [2, 1]),
    lambda xp, a: xp.histogram(a, range=(2, 1)),
    lambda xp, a: xp.histogram(a, range=(2, xp.inf)),
    lambda xp, a: xp.histogram(a, "auto", weights=a),
    lambda xp, a: xp.histogram(a, weights=a[:3]),
    lambda xp, a: xp.histogramdd(a.reshape(350, 2), 0),
    lambda xp, a: xp.histogramdd(a.reshape(350, 2), (1, 2, 3)),
    lambda xp, a: xp.histogramdd(a.reshape(350, 2), (1.5, 2)),
    lambda xp, a: xp.histogramdd(a.reshape(350, 2), ([2, 1], 2)),
    lambda xp, a: xp.histogramdd(a.reshape(350, 2), range=[(0, 1)]),
    lambda xp, a: xp.histogramdd(a.reshape(350, 2), weights=a),
    lambda xp, a: xp.histogram2d(a, a[:3]),
]


@pytest.mark.parametrize("call", REFUSALS, ids=range(len(REFUSALS)))
def test_refusals(device, call):
    check(call, SAMPLE, device=device)


def draw_wide(dtype, rule):
    """Samples whose extremes lie far apart, or close together where no rounded deviation decides."""
    if np.dtype(dtype).kind == "f":
        few = RNG.integers(0, 4, 60) * float(np.finfo(dtype).eps) * 1000 + 1000
        close = [] if rule in ("doane", "scott") else [few.astype(dtype), few[:2].astype(dtype)]
        return [RNG.normal(size=333).astype(dtype), *close]
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    return [
        RNG.integers(least, most, 333, dtype, endpoint=True),
        np.array([least, most, 0, 1, most], dtype),
        np.array([most - k for k in range(0, 99, 3)], dtype),
    ]


@pytest.mark.parametrize(
    "dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
)
@pytest.mark.parametrize("rule", [each for each in BINS if isinstance(each, str)])
def test_rules_for_wide_and_narrow_samples(device, rule, dtype):
    for sample in draw_wide(dtype, rule):
        for given in (None, (0, 100)):
            compare(
                lambda xp, a, r=given: xp.histogram_bin_edges(a, rule, r), sample, device=device
            )


def test_bins_that_have_no_width_are_counted_in_the_error():
    for sample in (np.array([2**63 - 9, 2**63 - 1]), np.array([1000, 1003], "f2")):
        messages = []
        for xp in (np, gpuarray):
            with pytest.raises(ValueError, match="Too many bins for data range") as caught:
                xp.histogram(xp.asarray(sample), "stone")
            messages.append(str(caught.value))
        assert messages[0] == messages[1]


@pytest.mark.smoke
def test_edges_alone(device):
    for bins in (4, "sqrt", [1.0, 2.0]):
        compare(lambda xp, a, b=bins: xp.histogram_bin_edges(a, b), SAMPLE, device=device)


GRIDS = [4, (2, 3, 4), [2, [-1, 0, 1], 3], [np.array([-1.0, 1.0]), 2, 3]]


@pytest.mark.parametrize("bins", GRIDS, ids=range(len(GRIDS)))
def test_histogram_of_points(device, bins):
    points = RNG.normal(size=(400, 3))
    for keywords in (
        {},
        {"range": [(-1, 1), None, (0, 1)]},
        {"density": True},
        {"weights": points[:, 0]},
    ):
        compare(
            lambda xp, a, b, k: xp.histogramdd(a, b, **k), points, bins, keywords, device=device
        )
    compare(lambda xp, a, b: xp.histogramdd(list(a.T), b), points, bins, device=device)


def test_histogram_in_the_plane(device):
    x, y = RNG.normal(size=(2, 300))
    for bins in (4, (2, 3), [0, 1, 2, 3], [np.linspace(-1, 1, 5), 4], np.linspace(-1, 1, 5)):
        compare(lambda xp, x, y, b: xp.histogram2d(x, y, b), x, y, bins, device=device)


@pytest.mark.parametrize("bins", [1, 7, 4096, 8192, 8193, 300_000])
def test_counts_of_many_and_of_few(device, bins):
    """Each way in which a kernel keeps its counters."""
    places = RNG.integers(0, bins, 100_000)
    check(lambda xp, a: xp.bincount(a), places, device=device)
    compare(lambda xp, a: xp.bincount(a, a / 7, 20), places, device=device)


def test_weighted_counts_repeat(device):
    """The order of the additions is fixed, so the bits are."""
    places = gpuarray.asarray(RNG.integers(0, 5, 50_000), device=device)
    weights = gpuarray.asarray(RNG.normal(size=50_000), device=device)
    first = gpuarray.bincount(places, weights)
    assert all((gpuarray.bincount(places, weights) == first).all() for _ in range(3))


@pytest.mark.parametrize("bins", [1, 10, 254, 255, 300])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "u1", "f2"])
def test_equal_bins_of_many(device, dtype, bins):
    """Of up to 254 bins each element's is one byte."""
    a = np.random.default_rng(bins).integers(0, 200, 9001).astype(dtype)
    weights = np.arange(a.size) / 4
    check(lambda xp, a: xp.histogram(a, bins, (0.0, 256.0)), a, device=device)
    check(
        lambda xp, a, w: xp.histogram(a, bins, (3.0, 131.0), weights=w),
        a,
        weights,
        device=device,
        rtol=1e-12,
    )

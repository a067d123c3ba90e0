"""How much functions composed in Python ask of a backend: the number of uses of its slots, an upper bound a call.

Counted on the CPU device, since transfers differ between devices. Each use is one launch on a GPU, or a few where a
family works in steps. A number here may go down; if it goes up, a function has got slower for small arrays. Creating
the operands does not count.
"""

import numpy as np
import pytest
from backend_calls import count_calls

import gpuarray as gp
from gpuarray import _ufunc_at

MOST = {
    "apply_along_axis(lambda line: line.sum(), 0, a[:, :3])": 7,
    "array_equal(a, a, equal_nan=True)": 2,
    "average(a, 0, weights=abs(b))": 6,
    "average(a, weights=abs(b))": 6,
    "bartlett(300)": 2,
    "bincount(i[0])": 4,
    "bincount(i[0], v[:200])": 3,
    "blackman(300)": 2,
    "choose(i % 2, [a, b])": 6,
    "clip(a, 0, 1)": 1,
    "corrcoef(a[0], b[0])": 6,
    "corrcoef(a[:5] + 1j)": 12,
    "corrcoef(a[:5])": 5,
    "cov(a[:5])": 4,
    "cov(a[:5], aweights=abs(b[0]))": 14,
    "cov(a[:5], fweights=i[0])": 11,
    "cross(a[:, :3], b[:, :3])": 1,
    "cumulative_sum(a, axis=0, include_initial=True)": 4,
    "delete(a, [1, 2, 3], 0)": 2,
    "diff(a)": 1,
    "digitize(a, v[::-1])": 7,
    "einsum('ij,ij->i', a, b)": 0,
    "fft.fftshift(a)": 1,
    "geomspace(1, 10, 300)": 5,
    "gradient(a)": 4,
    "gradient(v, v)": 6,
    "gradient(v, v, edge_order=2)": 6,
    "hamming(300)": 2,
    "hanning(300)": 2,
    "histogram(i, 10)": 5,
    "histogram(i, 'stone')": 11,
    "histogram(v, 'auto')": 5,
    "histogram(v, 'doane')": 8,
    "histogram(v, 'fd')": 5,
    "histogram(v, 'rice')": 4,
    "histogram(v, 'scott')": 5,
    "histogram(v, 'stone')": 9,
    "histogram(v, 10)": 4,
    "histogram(v, 10, density=True)": 9,
    "histogram(v, 10, weights=v)": 5,
    "histogram(v, v)": 5,
    "histogram2d(v, v, 5)": 12,
    "histogramdd(a[:, :3], 4)": 14,
    "histogramdd(a[:, :3], 4, density=True)": 19,
    "insert(v, [1, 2, 3], 7)": 5,
    "interp(v, v, v)": 1,
    "interp(v, v, v, period=1)": 9,
    "intersect1d(v, v)": 6,
    "intersect1d(v, v, return_indices=True)": 12,
    "isclose(a, b)": 1,
    "isclose(c, c)": 6,
    "isclose(i, i)": 3,
    "isneginf(a)": 1,
    "isposinf(a)": 1,
    "kaiser(300, 3)": 6,
    "linspace(0, 1, 300)": 1,
    "linspace(v[:3], 1, 30)": 10,
    "logspace(0, 1, 300)": 2,
    "median(a)": 2,
    "median(a, 0)": 3,
    "mgrid[0:30, 0:40]": 4,
    "nan_to_num(a)": 1,
    "nanargmax(a)": 5,
    "nancumsum(a)": 2,
    "nanmean(a)": 1,
    "nanmedian(a)": 5,
    "nanpercentile(a, 50)": 5,
    "nanpercentile(a, [10, 50], 1)": 5,
    "nanstd(a, 0)": 4,
    "nanvar(a)": 4,
    "ndimage.affine_transform(a, [[0.9, 0.1], [-0.1, 0.9]], order=1)": 1,
    "ndimage.label(m)": 5,
    "ndimage.map_coordinates(a, a[:2], order=1)": 1,
    "ndimage.rotate(a, 20)": 4,
    "ndimage.rotate(a.reshape(60, 100, 10), 20)": 4,
    "ndimage.rotate(a.reshape(60, 100, 10), 20, (0, 2), order=1)": 1,
    "ndimage.shift(a.reshape(3, 100, 20, 10), 0.5, order=1)": 1,
    "ndimage.spline_filter(a.reshape(60, 100, 10))": 4,
    "ndimage.zoom(a, 2, order=1)": 1,
    "ndimage.zoom(a.reshape(60, 100, 10), (2, 2, 1))": 4,
    "nonzero(m)": 2,
    "packbits(m, 0)": 3,
    "pad(a, 2)": 1,
    "pad(a, 2, 'edge')": 1,
    "pad(a, 2, 'linear_ramp')": 9,
    "pad(a, 2, 'mean')": 7,
    "pad(a, 2, 'median')": 11,
    "pad(a, 2, 'reflect', reflect_type='odd')": 11,
    "pad(i, 2, 'linear_ramp')": 15,
    "percentile(a, 50)": 2,
    "percentile(a, 50, 0, weights=abs(b), method='inverted_cdf')": 15,
    "percentile(a, [10, 50])": 2,
    "percentile(i, [10, 50], 0)": 7,
    "piecewise(v, [v < 0.2, v > 0.5], [1, 2, lambda x: x * 2])": 15,
    "place(v, v > 0.5, [1, 2])": 7,
    "poly(v[:4])": 1,
    "polydiv(v, v[:3])": 8,
    "polyfit(v, v, 2)": 9,
    "polyint(v, 3)": 10,
    "polymul(v, v)": 6,
    "polyval(v[:4], a)": 3,
    "put_along_axis(a, i[:1] % 300, 1, 0)": 4,
    "quantile(a, 0.3, axis=1)": 2,
    "quantile(i, 0.3, axis=1)": 4,
    "random.default_rng(1).exponential(v)": 1,
    "random.default_rng(1).gamma(i, 2.0)": 1,
    "random.default_rng(1).normal(v, v)": 1,
    "random.default_rng(1).poisson(v, (20, 500))": 1,
    "ravel_multi_index((i[0], i[0]), (300, 300))": 4,
    "repeat(v, i[0, :1])": 0,
    "roll(a, (1, 2), (0, 1))": 1,
    "roll(a, 3, 1)": 1,
    "roots(v[1:5])": 8,  # one less before NumPy 2.5, whose eigenvalues are complex
    "searchsorted(v, v)": 1,
    "select([m, a > 2], [a, b])": 4,
    "setdiff1d(i[0], i[1])": 10,
    "setxor1d(v, v)": 7,
    "sort(a, 0)": 4,
    "special.log_softmax(a, 1)": 8,
    "special.softmax(a, axis=1)": 4,
    "take(a, [1, 2], 0)": 2,
    "top_k(a, 5, axis=0)": 7,
    "trapezoid(a)": 2,
    "trapezoid(a, v[:200])": 3,
    "tri(300)": 2,
    "tril(a)": 1,
    "tril_indices(30)": 4,
    "trim_zeros(v)": 3,
    "union1d(v, v)": 7,
    "unique(i, return_counts=True)": 9,
    "unique(i, return_inverse=True)": 12,
    "unique(i[:, :3], axis=0)": 5,
    "unique(v)": 5,
    "unique(v, return_counts=True)": 8,
    "unique_all(v)": 12,
    "unravel_index(i[0], (300, 300))": 3,
    "unwrap(v)": 4,
    "vander(v, 4)": 2,
    "var(a)": 1,
    "where(m, a, 0)": 1,
}


def make_operands():
    a = gp.asarray(np.random.default_rng(1).normal(size=(300, 200)).astype("f4"))
    return {
        **{"gp": gp, "a": a, "b": a + 1, "m": a > 0, "c": a + 1j},
        "i": gp.arange(60000, dtype="i4").reshape(300, 200),
        "v": gp.linspace(0, 1, 500),
    }


@pytest.mark.parametrize("call", MOST)
def test_calls_are_few(call):
    calls = count_run(call)
    assert sum(calls.values()) <= MOST[call], dict(calls)


def count_run(call):
    """The calls of the CPU backend by name."""
    before = gp.default_device()
    gp.set_default_device("cpu")
    try:
        run = eval(f"lambda: gp.{call}", make_operands())
        run()  # what is made once, as programs, does not count
        with count_calls() as calls:
            run()
    finally:
        gp.set_default_device(before)
    return calls


@pytest.mark.parametrize(
    "call",
    [
        "median(v)",
        "percentile(a, [10, 50], 0)",
        "nanquantile(a, 0.3)",
        "partition(v, 9)",
        "top_k(v, 5)",
    ],
)
def test_few_places_are_selected(call):
    """Nothing as long as the operand is sorted."""
    calls = count_run(call)
    assert calls["sort"] == (call == "top_k(v, 5)")  # what it found


# A ufunc, its dtype, how many of 200 operands go to elements of their own, and the most calls.
AT = [
    ("add", "f4", 21, 15),
    ("bitwise_or", "i4", 21, 15),
    ("divide", "i4", 200, 20),
    ("maximum", "f8", 21, 15),
    ("negative", "i4", 200, 17),
    ("subtract", "f4", 21, 19),
]


@pytest.mark.parametrize(("name", "dtype", "places", "most"), AT)
def test_calls_of_at_are_few(name, dtype, places, most):
    """As on a GPU: on the CPU device `at` is NumPy's own."""
    ufunc, a = getattr(gp, name), gp.ones(200, dtype, device="cpu")
    places = gp.arange(200, device="cpu") % places
    operand = gp.ones(200, dtype, device="cpu") if ufunc.nin == 2 else None
    loop = _ufunc_at.resolve(ufunc, (a.dtype,) * (ufunc.nin + 1))
    with count_calls() as calls:
        _ufunc_at.apply(ufunc, a, places, operand, loop)
    assert sum(calls.values()) <= most, dict(calls)

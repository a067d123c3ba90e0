"""How much functions composed in Python ask of a backend: the number of uses of its slots, an upper bound a call.

Counted on the CPU device, since transfers differ between devices. Each use is one launch on a GPU, or a few where a
family works in steps. A number here may go down; if it goes up, a function has got slower for small arrays. Creating
the operands does not count.
"""

import numpy as np
import pytest
from backend_calls import count_calls

import gpuarray as gp

MOST = {
    "bartlett(300)": 2,
    "bincount(i[0], v[:200])": 3,
    "blackman(300)": 2,
    "choose(i % 2, [a, b])": 6,
    "clip(a, 0, 1)": 1,
    "corrcoef(a[:5])": 7,
    "cross(a[:, :3], b[:, :3])": 1,
    "diff(a)": 1,
    "einsum('ij,ij->i', a, b)": 0,
    "fft.fftshift(a)": 1,
    "gradient(a)": 4,
    "gradient(v, v)": 6,
    "gradient(v, v, edge_order=2)": 6,
    "hamming(300)": 2,
    "hanning(300)": 2,
    "histogram(v, 'auto')": 9,
    "histogram(v, 10)": 5,
    "histogram(v, 10, weights=v)": 5,
    "histogram2d(v, v, 5)": 12,
    "histogramdd(a[:, :3], 4)": 16,
    "interp(v, v, v)": 3,
    "intersect1d(v, v)": 9,
    "isclose(a, b)": 1,
    "isneginf(a)": 1,
    "isposinf(a)": 1,
    "kaiser(300, 3)": 6,
    "linspace(0, 1, 300)": 1,
    "median(a)": 2,
    "median(a, 0)": 3,
    "mgrid[0:30, 0:40]": 4,
    "nan_to_num(a)": 1,
    "nanmean(a)": 1,
    "nanmedian(a)": 5,
    "nanpercentile(a, 50)": 5,
    "nanpercentile(a, [10, 50], 1)": 5,
    "nanstd(a, 0)": 4,
    "nanvar(a)": 4,
    "nonzero(m)": 2,
    "pad(a, 2)": 1,
    "pad(a, 2, 'edge')": 1,
    "pad(a, 2, 'linear_ramp')": 17,
    "pad(a, 2, 'mean')": 7,
    "percentile(a, 50)": 2,
    "percentile(a, [10, 50])": 2,
    "polyfit(v, v, 2)": 13,
    "polymul(v, v)": 6,
    "quantile(a, 0.3, axis=1)": 2,
    "quantile(i, 0.3, axis=1)": 4,
    "ravel_multi_index((i[0], i[0]), (300, 300))": 4,
    "roll(a, (1, 2), (0, 1))": 1,
    "roll(a, 3, 1)": 1,
    "searchsorted(v, v)": 1,
    "setxor1d(v, v)": 17,
    "special.softmax(a, axis=1)": 4,
    "take(a, [1, 2], 0)": 2,
    "trapezoid(a)": 2,
    "trapezoid(a, v[:200])": 3,
    "tri(300)": 2,
    "tril(a)": 1,
    "tril_indices(30)": 4,
    "trim_zeros(v)": 3,
    "union1d(v, v)": 7,
    "unique(i[:, :3], axis=0)": 5,
    "unique(v)": 5,
    "unique(v, return_counts=True)": 9,
    "unravel_index(i[0], (300, 300))": 3,
    "unwrap(v)": 4,
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
    before = gp.default_device()
    gp.set_default_device("cpu")
    try:
        calls = count_run(call)
    finally:
        gp.set_default_device(before)
    assert sum(calls.values()) <= MOST[call], dict(calls)


def count_run(call):
    names = make_operands()
    run = eval(f"lambda: gp.{call}", names)
    run()  # what is made once, as programs, does not count
    with count_calls() as calls:
        run()
    return calls

"""How much functions composed in Python ask of a backend: the number of uses of its slots, an upper bound a call.

Each use is one launch on a GPU, or a few where a family works in steps. A number here may go down; if it goes up, a
function has got slower for small arrays. Creating the operands does not count.
"""

import numpy as np
import pytest
from backend_calls import count_calls

import gpuarray as gp

MOST = {
    "bartlett(300)": 2,
    "blackman(300)": 2,
    "corrcoef(a[:5])": 7,
    "gradient(a)": 4,
    "gradient(v, v)": 9,
    "hamming(300)": 2,
    "hanning(300)": 2,
    "kaiser(300, 3)": 6,
    "median(a)": 3,
    "median(a, 0)": 3,
    "nanmedian(a)": 5,
    "nanpercentile(a, 50)": 5,
    "nanpercentile(a, [10, 50], 1)": 6,
    "percentile(a, 50)": 2,
    "percentile(a, [10, 50])": 3,
    "quantile(a, 0.3, axis=1)": 2,
    "quantile(i, 0.3, axis=1)": 6,
    "trapezoid(a)": 2,
    "trapezoid(a, v[:200])": 3,
    "unwrap(v)": 4,
}


def make_operands():
    a = gp.asarray(np.random.default_rng(1).normal(size=(300, 200)).astype("f4"))
    return {
        **{"gp": gp, "a": a, "b": a + 1, "m": a > 0, "c": a + 1j},
        "i": gp.arange(60000, dtype="i4").reshape(300, 200),
        "v": gp.linspace(0, 1, 500),
    }


@pytest.mark.parametrize("call", MOST)
def test_calls_are_few(device, call):
    names = make_operands()
    run = eval(f"lambda: gp.{call}", names)
    run()  # what is made once, as programs, does not count
    with count_calls(device) as calls:
        run()
    assert sum(calls.values()) <= MOST[call], dict(calls)

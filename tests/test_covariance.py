"""cov and corrcoef."""

import numpy as np
import pytest
from oracle import check

RNG = np.random.default_rng(3)
ROWS, MORE = RNG.normal(size=(4, 9)), RNG.normal(size=(2, 9))
COUNTS, WORTH = RNG.integers(1, 5, 9), RNG.random(9)
SAMPLES = {
    "f8": ROWS,
    "vector": ROWS[0],
    "f4": ROWS.astype("f4"),
    "f2": ROWS.astype("f2"),
    "i8": ROWS.astype(int),
    "truth": ROWS > 0,
    "c16": ROWS + 1j * ROWS[::-1],
    "no rows": np.zeros((0, 3)),
    "one column": ROWS[:, :1],
    "one number": ROWS[0, :1],
    "cube": np.zeros((2, 2, 2)),
    "list": [1, 2, 3.0],
}
SHARED = [{}, {"rowvar": False}, {"y": MORE}, {"y": MORE.T, "rowvar": False}, {"dtype": "f4"}]
OWN = [
    {"bias": True},
    {"ddof": 0},
    {"ddof": 2},
    {"ddof": 1.5},
    {"fweights": COUNTS},
    {"aweights": WORTH},
    {"fweights": COUNTS, "aweights": WORTH},
    {"fweights": COUNTS, "ddof": 0},
    {"aweights": WORTH, "ddof": 0},
    {"fweights": COUNTS * 1.5},
    {"fweights": -COUNTS},
    {"aweights": -WORTH},
    {"aweights": WORTH[:3]},
    {"fweights": COUNTS.reshape(3, 3)},
]


@pytest.mark.parametrize("kind", SAMPLES)
def test_covariance(device, kind):
    for keywords in SHARED + OWN:
        check(
            lambda xp, m, k: xp.cov(m, **k),
            SAMPLES[kind],
            keywords,
            device=device,
            order=False,
            rtol=1e-4 if "dtype" in keywords else 1e-9,
            atol=1e-6 if "dtype" in keywords else 1e-12,
        )


@pytest.mark.parametrize("kind", SAMPLES)
def test_correlation(device, kind):
    for keywords in SHARED:
        check(
            lambda xp, m, k: xp.corrcoef(m, **k),
            SAMPLES[kind],
            keywords,
            device=device,
            order=False,
            rtol=1e-4,
            atol=1e-6,
        )

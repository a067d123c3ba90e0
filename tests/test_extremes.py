"""Extremes and their places, and masked reductions, along every axis, forwards and backwards."""

import numpy as np
import pytest
from oracle import check

SHAPES = [(9,), (65,), (130,), (20001,), (7, 30), (300, 700), (700, 5), (33, 20, 10)]
VIEWS = [np.s_[...], np.s_[::-1], np.s_[..., ::-1], np.s_[..., ::2]]
SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -1.0]


def arrays(dtype, shape):
    """Random elements; of floats also with a few special ones, with nothing but NaN and without finite ones."""
    random = np.random.default_rng(3)
    kind = np.dtype(dtype).kind
    if kind in "mM":
        times = random.integers(-5, 50, shape).astype(dtype + "8[s]")
        rare = random.random(shape) < 0.01
        return [times, np.where(rare, np.array("NaT", times.dtype), times)]
    if kind not in "fc":
        return [random.integers(0, 100, shape).astype(dtype), random.random(shape).astype(dtype)]
    numbers = np.round(random.normal(0, 9, shape)).astype(dtype)
    if kind == "c":
        numbers += 1j * np.round(random.normal(0, 9, shape)).astype(dtype)
    numbers += numbers.dtype.type(
        0
    )  # zeros of both signs are alike, and whichever comes first is left
    mixed = numbers.copy()
    for value in SPECIAL:
        mixed[random.random(shape) < 0.003] = value
    least = np.full(shape, -np.inf, dtype)
    return [numbers, mixed, np.full(shape, np.nan, dtype), least]


@pytest.mark.parametrize("dtype", "?bBhHiIlLefdFDmM")
def test_extremes_and_places(dtype, device):
    def every(xp, a, axis):
        results = [getattr(xp, name)(a, axis) for name in ("argmax", "argmin", "max", "min")]
        return results + [getattr(xp, name).reduce(a, axis) for name in ("fmax", "fmin")]

    for shape in SHAPES:
        for a in arrays(dtype, shape):
            for view in VIEWS:
                for axis in (None, *range(a.ndim)):
                    check(lambda xp, a, v=view, x=axis: every(xp, a[v], x), a, device=device)


@pytest.mark.parametrize("dtype", "?bBhHiIlLfdFD")
def test_under_a_mask(dtype, device):
    """Of small numbers, whose sums and products are exact."""

    def every(xp, a, mask, axis):
        sums = [getattr(xp, name)(a, axis, where=mask) for name in ("sum", "any", "all")]
        products = xp.prod(a % 2 + 1 if dtype in "bBhHiIlL" else a, axis, where=mask)
        return [*sums, products, xp.max(a, axis, initial=-1 if dtype in "fdl" else 0, where=mask)]

    for shape in SHAPES:
        random = np.random.default_rng(4)
        a = random.integers(0, 2, shape).astype(dtype)
        mask = random.random(shape) < 0.7
        for view in VIEWS:
            for axis in (None, *range(a.ndim)):
                check(
                    lambda xp, a, m, v=view, x=axis: every(xp, a[v], m[v], x),
                    *(a, mask),
                    device=device,
                )


@pytest.mark.parametrize("dtype", "bhilfd")
def test_extremes_at_the_ends_of_vectors(dtype, device):
    """Each place of rows of every length once."""
    for length in (8, 9, 15, 16, 17, 31, 33, 64, 65, 127, 129, 260):
        a = np.zeros((length, length), dtype)
        a[np.diag_indices(length)] = 5
        check(lambda xp, a: (xp.max(a, 1), xp.argmax(a, 1), xp.argmax(a, 0)), a, device=device)
        check(lambda xp, a: (xp.min(-a, 1), xp.argmin(-a, 1)), a, device=device)

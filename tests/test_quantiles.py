"""Quantiles beyond the plain ones of test_sorting.py: weights, every method past NaN, times, complex medians."""

import numpy as np
import pytest
from oracle import check

from gpuarray._quantile_methods import METHODS

RNG = np.random.default_rng(5)
CUBE = RNG.normal(size=(4, 5, 3)).round(1)
HOLED = np.where(RNG.random(CUBE.shape) < 0.3, np.nan, CUBE)
HOLED[0, :, 1] = np.nan
SPANS = (CUBE * 10).astype("m8[s]")
DATES = np.where(np.isnan(HOLED), np.datetime64("NaT"), (CUBE * 10).astype("M8[s]")).astype("M8[s]")
ARRAYS = {
    "f8": CUBE,
    "holed": HOLED,
    "f4": HOLED.astype("f4"),
    "f2": HOLED.astype("f2"),
    "i8": (CUBE * 10).astype(int),
    "u1": (CUBE * 10).astype("u1"),
    "truth": CUBE > 0,
    "spans": SPANS,
    "dates": DATES,
    "one": CUBE[0, 0, :1],
    "number": np.array(3.0),
    "nothing": CUBE[:0],
}
FUNCTIONS = ["quantile", "nanquantile", "percentile", "nanpercentile"]
FRACTIONS = [0.3, 0, [0.2, 0.7, 1.0], np.float32(0.25), np.array([[0.1, 0.5], [0, 1]]), 1.5]
FRACTIONS += [[[[0.2]]], []]


def compare(call, *args, device):
    check(call, *args, device=device, order=False, rtol=2e-3, atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
def test_methods(device, name, method):
    for array in ARRAYS.values():
        for axis in (None, 1):
            for q in FRACTIONS[:3]:
                compare(
                    lambda xp, a, q, x=axis: getattr(xp, name)(a, q, x, method=method),
                    array,
                    q,
                    device=device,
                )


@pytest.mark.parametrize("kind", ARRAYS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_fractions_and_axes(device, name, kind):
    unit = 100 if "percentile" in name else 1
    for axis in (None, -1, (0, 2), 5):
        if axis is None and kind in ("f4", "f2"):
            continue  # where there is a NaN, NumPy's result has the dtype of the elements
        for q in FRACTIONS:
            if name.startswith("nan") and np.ndim(q) > 1:
                continue  # NumPy's nan-forms do not refuse three dimensions, and mix up two
            q = np.multiply(q, unit) if unit == 100 else q
            compare(
                lambda xp, a, q, x=axis: getattr(xp, name)(a, q, x, keepdims=True),
                ARRAYS[kind],
                q,
                device=device,
            )


@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
@pytest.mark.parametrize("kind", ["f8", "holed", "i8", "spans", "one", "number"])
def test_weights(device, name, kind):
    array = ARRAYS[kind]
    weights = RNG.integers(0, 4, array.shape).astype(float)
    for given in (weights, weights * 0, -weights - 1, weights.astype(int), np.full(9, 1.0)):
        for axis in (None, 1, (0, 2)):
            for q in (0.3, 0, [0.2, 0.7, 1.0]):
                compare(
                    # Only the data tell whether NumPy gives a scalar or an array without dimensions.
                    lambda xp, a, w, x=axis, q=q: xp.positive(
                        getattr(xp, name)(a, q, x, method="inverted_cdf", weights=w)
                    ),
                    array,
                    given,
                    device=device,
                )


def test_weights_of_an_axis(device):
    compare(
        lambda xp, a, w: xp.quantile(a, 0.4, 1, method="inverted_cdf", weights=w),
        CUBE,
        np.array([1, 0, 2, 1, 5]),
        device=device,
    )
    compare(lambda xp, a: xp.quantile(a, 0.4, weights=a * a), CUBE, device=device)


MEDIANS = {**ARRAYS, "c16": CUBE[1:] + 1j * HOLED[1:], "c8": (CUBE - 1j).astype("c8")}


@pytest.mark.parametrize("kind", MEDIANS)
@pytest.mark.parametrize("name", ["median", "nanmedian"])
def test_medians(device, name, kind):
    array = MEDIANS[kind]
    for axis in (None, 0, 1, (0, 2)):
        for keepdims in (False, True):
            if array.dtype.kind == "M":
                continue  # NumPy's error is a class of its own
            compare(
                lambda xp, a, x=axis, k=keepdims: getattr(xp, name)(a, x, keepdims=k),
                array,
                device=device,
            )


def test_medians_into_arrays(device):
    for out in (np.zeros((5, 3)), np.zeros((5, 3), "f4"), np.zeros((5, 3), int), np.zeros(5)):
        compare(
            lambda xp, a, out: (xp.median(a, 0, out=out), xp.nanmedian(a, 0, out=out)),
            CUBE,
            out,
            device=device,
        )


def test_medians_near_the_largest_number(device):
    large = np.array([[3e38, np.nan, np.nan], [2e38, 1e38, np.nan]], "f4")
    compare(lambda xp, a: xp.nanmedian(a, axis=1), large, device=device)


@pytest.mark.parametrize("name", ["median", "nanmedian"])
@pytest.mark.parametrize("axis", [0, 1, -1, (1,), (0, 2), None])
@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (1, 3, 0, 2), (2, 0, 3, 1)])
def test_medians_lie_as_the_array(device, name, axis, order):
    a = np.random.default_rng(5).integers(0, 99, (3, 4, 5, 2)).astype("f8")
    a[0, 1, 2] = np.nan

    def find(xp, a, **keywords):
        return getattr(xp, name)(a.transpose(order), axis=axis, **keywords)

    check(find, a, device=device)
    check(lambda xp, a: find(xp, a[::-1, :, ::-1]).shape, a, device=device)
    check(lambda xp, a: find(xp, a[::-1, :, ::-1], keepdims=True).strides, a, device=device)

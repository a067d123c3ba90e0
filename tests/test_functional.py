"""Functions of the caller's along axes."""

import numpy as np
import pytest
from oracle import check

import gpuarray

CUBE = np.arange(24.0).reshape(2, 3, 4)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, 3])
@pytest.mark.parametrize(
    "function",
    [
        lambda xp, v: xp.cumsum(v),
        lambda xp, v: xp.sum(v),
        lambda xp, v: xp.outer(v, v),
        lambda xp, v: float(v[0]),
        lambda xp, v: v[:0],
        lambda xp, v: [1, 2],
    ],
)
def test_along_axis(device, function, axis):
    check(
        lambda xp, a: xp.apply_along_axis(lambda v: function(xp, v), axis, a), CUBE, device=device
    )


def test_along_axis_with_arguments(device):
    check(
        lambda xp, a: xp.apply_along_axis(lambda v, k, b=1: v * k + b, 1, a, 2, b=3),
        CUBE,
        device=device,
    )
    check(lambda xp, a: xp.apply_along_axis(lambda v: v, 1, a[:0]), CUBE, device=device)


def test_along_axis_gets_arrays_of_the_device(device):
    seen = []
    gpuarray.apply_along_axis(lambda v: seen.append(v.device) or v, 0, gpuarray.ones((2, 2)))
    assert set(map(str, seen)) == {device}


@pytest.mark.parametrize("axes", [0, -1, [0, 2], (1,), 3])
def test_over_axes(device, axes):
    check(lambda xp, a: xp.apply_over_axes(xp.sum, a, axes), CUBE, device=device)
    check(
        lambda xp, a: xp.apply_over_axes(lambda a, x: a.max(x, keepdims=True), a, axes),
        CUBE,
        device=device,
    )
    check(lambda xp, a: xp.apply_over_axes(lambda a, x: a.sum(), a, axes), CUBE, device=device)

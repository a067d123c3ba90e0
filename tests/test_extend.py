"""Arrays padded or moved round by one kernel: every rule, item size, layout and number of axes."""

import numpy as np
import pytest
from backend_calls import count_calls
from oracle import check

import gpuarray
from gpuarray import _core

MODES = ["constant", "edge", "reflect", "symmetric", "wrap"]
SHAPES = {
    (7,): (3, 4),
    (1,): (2, 1),
    (4, 300): ((1, 2), (3, 0)),
    (2, 3, 5): ((5, 1), (0, 9), (11, 2)),
    (2, 1, 2, 2, 1, 2): 1,
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["i1", "f2", "i4", "f8", "c16"])
def test_pad(device, dtype, shape, mode):
    a = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    width = SHAPES[shape]
    check(lambda xp, a: xp.pad(a, width, mode), a, device=device)
    check(lambda xp, a: xp.pad(a.T, 2, mode), a, device=device)
    check(lambda xp, a: xp.pad(a[..., ::-1], 2, mode), a, device=device)


@pytest.mark.parametrize("value", [7, -2.75, 300, np.nan, np.float32(1.5), True, [1, 2], 2 + 1j])
@pytest.mark.parametrize("dtype", ["?", "u1", "i8", "f4", "c8"])
def test_constants(device, dtype, value):
    a = np.ones((3, 4), dtype)
    check(lambda xp, a: xp.pad(a, 1, constant_values=value), a, device=device)


@pytest.mark.parametrize(
    "shift, axis",
    [(1, None), (-3, 0), ((1, 2), (0, 1)), ((1, 2), (1, 1)), (10**9 + 7, 1), (0, 0), (2, -1)],
)
@pytest.mark.parametrize("order", "CF")
def test_roll(device, order, shift, axis):
    a = np.arange(35, dtype="f4").reshape(5, 7, order=order)
    check(lambda xp, a: xp.roll(a, shift, axis), a, device=device)
    check(lambda xp, a: xp.roll(a[:, ::2], shift, axis), a, device=device)


def test_misaligned(device):
    raw = gpuarray.arange(4 * 9, dtype="u1", device=device)
    x = raw[1:33].view("f4")
    assert (gpuarray.roll(x, 1) == gpuarray.roll(x.copy(), 1)).all()


def test_one_kernel(device):
    a = gpuarray.ones((40, 50), device=device)
    for mode in MODES:
        with count_calls(device) as calls:
            gpuarray.pad(a, 3, mode)
        assert calls == {"extend": 1}


def test_many_axes_are_copied_in_parts(device):
    a = np.arange(1024).reshape((2,) * 10)
    check(lambda xp, a: xp.roll(a, (1, 1), (0, 9)), a, device=device)
    for mode in MODES:
        check(lambda xp, a, mode=mode: xp.pad(a, [(0, 0)] * 9 + [(3, 2)], mode), a, device=device)
    check(lambda xp, a: xp.roll(a, 1, 2), a.reshape(4, 8, 32).transpose(1, 0, 2), device=device)


def test_large_arrays(device):
    a = np.arange(1 << 20, dtype="f8").reshape(1 << 10, -1)
    check(lambda xp, a: xp.roll(a, (3, 5), (0, 1)), a, device=device)
    check(lambda xp, a: xp.pad(a, 3, "wrap"), a, device=device)


def test_arguments_that_are_refused(device):
    a, b = gpuarray.ones((3, 4), device=device), gpuarray.ones((3, 4), "f4", device=device)
    for arguments in [(a, b, (0, 0), 0, 0), (a, a.T, (0, 0), 0, 0), (a, a[0], (0, 0), 0, 0)]:
        with pytest.raises(ValueError, match="_extend"):
            _core._extend(*arguments)
    for arguments, error in [
        (((0,), 0, 0), TypeError),
        (((0, 0), 9, 0), ValueError),
        (((0, 0), 0, "x"), ValueError),
    ]:
        with pytest.raises(error, match="_extend"):
            _core._extend(a, a.copy(), *arguments)

"""Layouts that have kernels, or ways through one, of their own: what they give must not depend on which was taken.

Turned operands (consecutive along another dimension than the result), turned and flipped ones, columns and rows
that are broadcast, operands that begin between two vectors, short rows, steps, and masks over all of them.
"""

import numpy as np
import pytest
from oracle import check

DTYPES = ["uint8", "float16", "float32", "float64", "complex128"]
SHAPES = [(16, 16), (64, 64), (67, 130), (128, 33), (200, 17), (1, 70), (70, 1), (9, 300)]


def fill(shape, dtype):
    return (np.arange(np.prod(shape)) * 7 % 251).astype(dtype).reshape(shape)


TURNED = {
    "turned": lambda a: a.T,
    "turned up": lambda a: a.T[::-1],
    "turned left": lambda a: a.T[:, ::-1],
    "turned over": lambda a: a.T[::-1, ::-1],
    "part": lambda a: a[1:, 3:].T,
    "steps": lambda a: a[::2].T,
    "flipped": lambda a: a[:, ::-1],
}


@pytest.mark.parametrize("way", TURNED)
@pytest.mark.parametrize("dtype", DTYPES)
def test_copies_of_turned_matrices(dtype, way, device):
    for shape in SHAPES:
        check(lambda xp, a: TURNED[way](a).copy("C"), fill(shape, dtype), device=device)
    stack = fill((3, 40, 70), dtype)
    check(lambda xp, a: [TURNED[way](each).copy("C") for each in a], stack, device=device)
    check(lambda xp, a: a.transpose(0, 2, 1)[:, ::-1].copy("C"), stack, device=device)
    check(lambda xp, a: a.transpose(2, 0, 1)[::-1].copy("C"), stack, device=device)


@pytest.mark.parametrize("way", TURNED)
@pytest.mark.parametrize("dtype", DTYPES)
def test_turned_operands(dtype, way, device):
    for shape in [*SHAPES, (600, 700)]:
        a = fill(shape, dtype)
        turned = np.ascontiguousarray(TURNED[way](a))

        def add(xp, a, b):
            return (
                b + TURNED[way](a),
                TURNED[way](a) + b[:1],
                xp.add(TURNED[way](a), b, dtype="c16"),
            )

        check(add, a, turned, device=device)
    stack = fill((5, 80, 130), dtype)
    check(
        lambda xp, a, b: b + a.transpose(0, 2, 1), stack, fill((5, 130, 80), dtype), device=device
    )
    check(
        lambda xp, a, b: b + a.transpose(2, 0, 1), stack, fill((130, 5, 80), dtype), device=device
    )
    check(
        lambda xp, a, b: b + a.transpose(1, 2, 0), stack, fill((80, 130, 5), dtype), device=device
    )


def test_turned_operands_of_other_dtypes(device):
    a, b = fill((300, 200), "int16"), fill((200, 300), "float64")
    check(
        lambda xp, a, b: (b * a.T, a.T.astype("f4"), a.T[::-1] > b, xp.sin(b.T)),
        a,
        b,
        device=device,
        ulp=4,
    )
    check(lambda xp, a, b: xp.add(b, a.T, where=b > 20, out=xp.ones_like(b)), a, b, device=device)
    check(lambda xp, a, b: xp.divmod(b, a.T + 1), a, b, device=device)


@pytest.mark.parametrize("first", range(1, 5))
@pytest.mark.parametrize("dtype", DTYPES)
def test_operands_between_vectors(dtype, first, device):
    x = fill(5000, dtype)
    check(lambda xp, x: x[first:] - x[:-first], x, device=device)
    check(lambda xp, x: x[first:] * x[first:], x, device=device)
    check(lambda xp, x: (x[first:].copy(), -x[first:-1]), x, device=device)
    check(lambda xp, x: x[first:] + 1, x + 0 * 1j, device=device)

    def in_place(xp, x):
        x[first:] += x[:-first].copy()

    check(in_place, x, device=device)


@pytest.mark.parametrize("dtype", DTYPES)
def test_short_rows_and_steps(dtype, device):
    bodies = fill((40, 3), dtype)
    check(lambda xp, a: a[None] + a[:, None], bodies, device=device)
    check(lambda xp, a: (a[None] + a[:, None]) * a[:, :1], bodies, device=device)
    check(
        lambda xp, a: (xp.repeat(a, 2), xp.repeat(a, 3, 1), xp.kron(a[:5], a[:4])),
        bodies,
        device=device,
    )
    check(lambda xp, a: a[::3] + a[1::3][: len(a[::3])], fill(1000, dtype), device=device)
    check(lambda xp, a: a[::-2] + a[::2], fill(1000, dtype), device=device)
    check(lambda xp, a: xp.tile(a, (3, 5)), bodies, device=device)

    def masked(xp, a, mask):
        xp.add(a, a[:1], out=a, where=mask)
        xp.add(a[::2], 1, out=a[::2], where=mask[::2, :1])
        return a

    check(masked, fill((333, 3), dtype), fill((333, 3), "u1") > 100, device=device)
    check(masked, fill((33, 300), dtype), fill((33, 300), "u1") > 100, device=device)


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_that_end_within_tiles(dtype, device):
    """Longer than what a processor buffers at once, at steps, mirrored, broadcast and of other dtypes, with a mask."""
    a, mask = fill((9, 10007), dtype), fill((9, 10007), "u1") > 100

    def run(xp, a, mask):
        out = xp.zeros((9, 20014), a.dtype)
        xp.add(a[:, ::-1], a[:1], out=out[:, ::2], where=mask)
        xp.multiply(a, a[:, 3:4], out=out[::-1, 1::2], where=mask[:, ::-1])
        return (
            out,
            a[:, ::2] + mask[:, 1::2].repeat(2, 1)[:, :5004],
            a[::2, ::3] + a[::-2, 2::3][:, :1],
        )

    check(run, a, mask, device=device)


def test_outer_products_and_grids(device):
    x, y = fill(300, "f4"), fill(200, "f4")
    check(lambda xp, x, y: xp.outer(x, y), x, y, device=device)
    check(lambda xp, x, y: x[:, None] + y, x, y, device=device)
    check(lambda xp, x, y: [each + 1 for each in xp.meshgrid(x, y)], x, y, device=device)
    check(lambda xp, x, y: xp.broadcast_to(x[:, None], (300, 200)).copy(), x, y, device=device)
    check(
        lambda xp, x, y: xp.broadcast_to(x[:, None, None], (300, 20, 30)).astype("f8"),
        x,
        y,
        device=device,
    )

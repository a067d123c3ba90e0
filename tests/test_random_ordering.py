"""permutation, shuffle, permuted, choice."""

import math

import numpy as np
import pytest

import gpuarray
from gpuarray import _core

host = gpuarray.asnumpy


def rng(seed=1):
    return gpuarray.random.default_rng(seed)


@pytest.mark.parametrize("length", [0, 1, 2, 10, 10_000, 300_000])
def test_permutation_of_a_range(device, length):
    order = rng().permutation(length)
    assert order.dtype == np.int64 and order.device == device
    assert np.sort(host(order)).tolist() == list(range(length))
    assert length < 10 or host(order).tolist() != list(range(length))
    assert host(rng().permutation(length)).tolist() == host(order).tolist()


def test_permutations_are_equally_likely(device):
    keys = gpuarray.asarray(np.tile(np.arange(4), (48_000, 1)))
    rows = host(rng(3).permuted(keys, axis=1))
    counts = np.bincount(rows @ [64, 16, 4, 1], minlength=256)
    counts = counts[counts > 0]
    assert counts.size == 24
    assert ((counts - 2000) ** 2 / 2000).sum() < 23 + 5 * math.sqrt(46)


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_permutation_and_shuffle_along_an_axis(device, axis):
    a = np.arange(4 * 5 * 6).reshape(4, 5, 6)
    expected = host(rng(5).permutation(a, axis))
    order = host(rng(5).permutation(a.shape[axis]))
    assert (expected == np.take(a, order, axis)).all()
    ours = gpuarray.array(a)
    assert rng(5).shuffle(ours, axis) is None
    assert (host(ours) == expected).all()
    theirs = a.copy()
    rng(5).shuffle(theirs, axis)
    assert (theirs == expected).all()
    view = gpuarray.asarray(np.stack([a, a], axis=-1))[..., 0]
    rng(5).shuffle(view, axis)
    assert (host(view) == expected).all()


def test_shuffle_of_lists(device):
    items = list("abcdef")
    rng().shuffle(items)
    assert sorted(items) == list("abcdef")
    assert items == ["abcdef"[i] for i in host(rng().permutation(6)).tolist()]


def test_shuffle_refuses_what_is_read_only(device):
    a = gpuarray.arange(5)
    a.flags.writeable = False
    with pytest.raises(ValueError):
        rng().shuffle(a)


@pytest.mark.parametrize("dtype", ["?", "i2", "f4", "c16", "M8[s]"])
def test_permutation_keeps_dtypes(device, dtype):
    a = np.arange(9).astype("i8").astype(dtype)
    result = rng().permutation(gpuarray.asarray(a))
    assert result.dtype == a.dtype and np.sort(host(result)).tolist() == np.sort(a).tolist()


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_permuted(device, axis):
    a = np.arange(60).reshape(5, 12)
    result = host(rng().permuted(gpuarray.asarray(a), axis=axis))
    assert result.shape == a.shape
    if axis is None:
        assert np.sort(result.ravel()).tolist() == list(range(60))
        assert len(set(result[0] // 12)) > 1
    else:
        assert (np.sort(result, axis=axis) == a).all()
        parts = np.moveaxis(result, axis, -1) // (12 if axis == 0 else 1)
        assert not (parts[0] % 12 == parts[1] % 12).all()
    out = gpuarray.empty((5, 12), dtype=int)
    assert rng().permuted(a, axis=axis, out=out) is out and (host(out) == result).all()
    with pytest.raises(ValueError):
        rng().permuted(a, out=gpuarray.empty(3, dtype=int))


def test_choice_with_replacement(device):
    drawn = host(rng().choice(10, 100_000))
    assert drawn.dtype == np.int64
    assert (np.abs(np.bincount(drawn, minlength=10) - 10_000) < 500).all()
    weights = np.array([0.1, 0.0, 0.6, 0.3])
    for p in (weights, weights.tolist(), gpuarray.asarray(weights)):
        drawn = host(rng().choice(4, (100, 1000), p=p)).ravel()
        counts = np.bincount(drawn, minlength=4)
        assert counts[1] == 0 and (np.abs(counts - 100_000 * weights) < 800).all()


def test_choice_scalars_and_arrays(device):
    value = rng().choice(10)
    assert value.shape == () and value.dtype == np.int64
    hash(value)
    a = np.arange(12.0).reshape(3, 4)
    rows = host(rng().choice(a, 5))
    assert rows.shape == (5, 4) and all(row.tolist() in a.tolist() for row in rows)
    columns = host(rng().choice(gpuarray.asarray(a), (2, 2), axis=1))
    assert columns.shape == (3, 2, 2)
    assert rng().choice(a).shape == (4,)
    assert float(rng().choice([1.5])) == 1.5
    assert rng().choice(5, 0).shape == (0,)


@pytest.mark.parametrize(("length", "count"), [(10, 10), (1000, 3), (10**9, 1000), (5000, 600)])
def test_choice_without_replacement(device, length, count):
    drawn = host(rng().choice(length, count, replace=False))
    assert len(set(drawn.tolist())) == count and drawn.min() >= 0 and drawn.max() < length
    assert count < 600 or drawn.tolist() != sorted(drawn.tolist())
    assert rng().choice(length, replace=False).shape == ()
    if length == 10**9:
        assert abs(drawn.mean() / length - 0.5) < 5 / math.sqrt(12 * count)


def test_each_pair_is_chosen_equally_often(device):
    counts, generator = np.zeros((20, 20)), rng(3)
    for _ in range(4000):
        first, second = host(generator.choice(20, 2, replace=False)).tolist()
        counts[first, second] += 1
    off = counts[~np.eye(20, dtype=bool)]
    expected = 4000 / 380
    assert np.diag(counts).sum() == 0
    assert ((off - expected) ** 2 / expected).sum() < 379 + 5 * math.sqrt(2 * 379)


def test_weighted_choice_without_replacement(device):
    weights, generator, counts = np.array([0.5, 0.3, 0.2, 0.0]), rng(3), np.zeros((4, 4))
    for _ in range(3000):
        first, second = host(generator.choice(4, 2, replace=False, p=weights)).tolist()
        counts[first, second] += 1
    expected = 3000 * np.outer(weights, weights) / (1 - weights[:, None])
    np.fill_diagonal(expected, 0)
    assert (counts[expected == 0] == 0).all()
    assert (np.abs(counts - expected) <= 5 * np.sqrt(expected)).all()


@pytest.mark.parametrize("count", [1, 3, 8, 11, 12])
def test_choices_without_replacement_are_equally_likely(device, count):
    """Of all ways that a choice may go, by a table and by an order: each position's element, and each pair's."""
    generator, rounds = rng(9), 4000
    rows = np.stack([host(generator.choice(12, count, replace=False)) for _ in range(rounds)])
    assert all(len(set(row)) == count for row in rows.tolist())
    for position in {0, count - 1}:
        counts = np.bincount(rows[:, position], minlength=12)
        assert ((counts - rounds / 12) ** 2).sum() / (rounds / 12) < 40
    if count > 1:
        pairs = np.bincount(rows[:, 0] * 12 + rows[:, 1], minlength=144)
        expected = np.where(np.eye(12, dtype=bool).ravel(), 0, rounds / 132)
        assert (pairs[expected == 0] == 0).all()
        assert ((pairs - expected) ** 2)[expected > 0].sum() / (rounds / 132) < 240


def test_large_choices_without_replacement(device):
    chosen = host(rng(4).choice(100_000, 60_000, replace=False))
    assert len(np.unique(chosen)) == 60_000 and chosen.dtype == np.int64
    assert abs(chosen.mean() - 50_000) < 500 and (np.diff(chosen) < 0).any()


SHORT = _core.GA_RANDOM_ORDER_ROW  # rows that are sorted
MAKERS = [gpuarray.random.Philox4x32, np.random.Philox, np.random.PCG64]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("shape", [(5, 7), (40, SHORT), (3, 4, 300), (1000, 1), (700, 5)])
def test_short_orders_are_those_of_random_keys(device, make, shape):
    first, second = (gpuarray.random.Generator(make(6)) for _ in range(2))
    source = second._stream.places(1)
    keys = host(second._run("integers", source, shape, np.dtype("u4"), (0, 2**32)))
    ordered = np.take_along_axis(keys, host(first._orders(shape)), -1)
    assert np.array_equal(ordered, np.sort(keys, axis=-1))


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("length", [2049, 4096, 4097, 65_536, 300_001, 2_000_003])
def test_a_choice_is_what_an_order_begins_with(device, make, length):
    first, second = (gpuarray.random.Generator(make(5)) for _ in range(2))
    whole = host(first.permutation(length))
    assert np.array_equal(np.sort(whole), np.arange(length))
    chosen = host(second.choice(length, length * 2 // 3, replace=False))
    assert np.array_equal(chosen, whole[: length * 2 // 3])
    assert first.random() == second.random()


def apply_rounds(number, length, keys):
    """What kernels/random_order.cu says, number by number."""

    def mix(half, key):
        half = (half ^ key) * 0x85EBCA6B & 0xFFFFFFFF
        return (half ^ half >> 16) * 0xC2B2AE35 & 0xFFFFFFFF

    bits = ((length - 1).bit_length() + 1) // 2
    lefts = -(-length // 2**bits)
    while True:
        left, right = divmod(number, 2**bits)
        for first, second in zip(keys[::2], keys[1::2], strict=True):
            left = (left + (mix(right, first) * lefts >> 32)) % lefts
            right = (right + (mix(left, second) >> 32 - bits)) % 2**bits
        number = left << bits | right
        if number < length:
            return number


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize(
    "length", [2049, 2**20, 2**32 + 1, 10**12 + 7, 2**62, 2**62 + 1, 2**63 - 1]
)
def test_long_orders_are_their_bijections(device, make, length):
    first, second = (gpuarray.random.Generator(make(7)) for _ in range(2))
    source = second._stream.places(1)
    words = second._run("integers", source, (3, 16), np.dtype("u4"), (0, 2**32))
    chosen = host(first._orders((3, 40), length=length)).tolist()
    for row, keys in zip(chosen, host(words).tolist(), strict=True):
        assert row == [apply_rounds(i, length, keys) for i in range(40)]


def count_cycles(order):
    """The cycles of a permutation: each element's least element, by doubling the way."""
    least, step = np.arange(len(order)), order
    for _ in range(len(order).bit_length()):
        least, step = np.minimum(least, least[step]), step[step]
    return len(np.unique(least))


@pytest.mark.parametrize("length", [2049, 4096, 5000])
def test_long_orders_are_random_permutations(device, length):
    """Elements by position, neighbours, fixed points, parities and cycles of 1000 orders."""
    rows, parts = 1000, 32
    orders = host(rng(11)._orders((rows, length)))
    shares = np.bincount(np.arange(length) * parts // length) / length
    expected = np.outer(shares, shares).ravel()

    def check_table(first, second):
        table = np.bincount((first * parts + second).ravel(), minlength=parts**2)
        expected_here = expected * first.size
        squares = ((table - expected_here) ** 2 / expected_here).sum()
        assert abs(squares - parts**2) < 6 * math.sqrt(2) * parts

    values = orders * parts // length
    check_table(np.broadcast_to(np.arange(length) * parts // length, orders.shape), values)
    check_table(values[:, :-1], values[:, 1:])
    for distance in (1, 64, 128):
        near = orders[:, distance:] - orders[:, :-distance] == distance
        assert (
            abs(near.sum() - rows * near.shape[1] * (length - distance) / length**2) < 5 * rows**0.5
        )
    fixed = (orders == np.arange(length)).sum(axis=1)
    assert abs(fixed.mean() - 1) < 5 / rows**0.5 and abs(fixed.var() - 1) < 0.3
    cycles = np.array([count_cycles(order) for order in orders[:300]])
    assert abs(((length - cycles) % 2).mean() - 0.5) < 2.5 / math.sqrt(len(cycles))
    assert abs(cycles.mean() - (1 / np.arange(1, length + 1)).sum()) < 5 * math.sqrt(
        9 / len(cycles)
    )


def test_orders_of_rows_differ(device):
    orders = host(rng(12)._orders((3, 5000)))
    assert all(np.array_equal(np.sort(order), np.arange(5000)) for order in orders)
    assert (orders[0] == orders[1]).sum() < 12 and (orders[1] == orders[2]).sum() < 12


def test_orders_refuse_what_they_do_not_make(device):
    generator = rng()
    for shape, length in (((2, 5), 6), ((5,), 4), ((2, 2048), 2047)):
        source = generator._stream.places(1)
        with pytest.raises(ValueError, match="no such rows"):
            generator._run("order", source, shape, np.dtype("i8"), (length,))


@pytest.mark.parametrize("count", [100, 3000])
def test_choices_among_many_are_equally_likely(device, count):
    """By a table, and by an order's first buckets."""
    generator, rounds = rng(10), 1000
    rows = np.stack([host(generator.choice(5000, count, replace=False)) for _ in range(rounds)])
    assert all(len(np.unique(row)) == count for row in rows)
    for numbers in (rows[:, 0], rows[:, -1], rows[:, :100].ravel()):
        counts = np.bincount(numbers // 100, minlength=50)
        assert ((counts - numbers.size / 50) ** 2).sum() / (numbers.size / 50) < 49 + 5 * math.sqrt(
            98
        )

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


def order_by_steps(generator, shape):
    """Random orders as keys are sorted, and equal ones settled, step by step."""
    source = generator._order_source(math.prod(shape))
    keys = generator._run("integers", source, shape, np.dtype("u4"), (0, 2**32))
    keys, order = _core._sort_both(keys)
    return generator._run("settle", source, shape, np.dtype("i8"), (keys,), order)


@pytest.mark.parametrize("make", [gpuarray.random.Philox4x32, np.random.Philox, np.random.PCG64])
@pytest.mark.parametrize("length", [2, 3, 2048, 2049, 5000, 300_001, 2_000_003])
def test_an_order_is_that_of_its_steps(device, make, length):
    """By buckets or by a sort: equal keys, of which the longest has 465 pairs on average, are shuffled alike."""
    generators = [gpuarray.random.Generator(make(5)) for _ in range(3)]
    whole = host(generators[0]._order(length))
    assert np.array_equal(whole, host(order_by_steps(generators[1], (length,))))
    count = length * 2 // 3
    assert np.array_equal(whole[:count], host(generators[2]._order(length, count=count)))


@pytest.mark.parametrize("shape", [(5, 7), (40, 2048), (3, 4, 300), (3, 2049)])
def test_orders_of_rows_are_those_of_their_steps(device, shape):
    first, second = rng(6), rng(6)
    assert np.array_equal(host(first._orders(shape)), host(order_by_steps(second, shape)))
    assert first.random() == second.random()


def test_orders_refuse_what_they_do_not_make(device):
    generator = rng()
    for shape, length in (((2, 2049), 2049), ((2, 5), 6), ((5,), 4), ((2**24 + 1,), 2**24 + 1)):
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

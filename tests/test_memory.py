"""Memory of devices: what it says of itself, limits, and what happens before there is a MemoryError."""

import gc
import os
import subprocess
import sys

import numpy as np
import pytest

import gpuarray

MIB = 1 << 20


class Node:
    """Something that can stand in a cycle and hold arrays."""


@pytest.fixture
def limit(device):
    """Sets how many bytes may be added to what is live now; no limit afterwards."""
    gc.collect()
    gpuarray.free_memory()
    live = gpuarray.memory_stats()["live_bytes"]
    yield lambda nbytes: gpuarray.set_memory_limit(live + nbytes)
    gpuarray.set_memory_limit(None)
    gpuarray.set_memory_tracing(False)


def test_statistics(device):
    gpuarray.free_memory()
    gpuarray.reset_peak_memory()
    before = gpuarray.memory_stats()
    assert before["cached_bytes"] == 0 and before["peak_bytes"] == before["live_bytes"]
    a = gpuarray.empty(4 * MIB, "u1")
    during = gpuarray.memory_stats()
    assert during["live_bytes"] == before["live_bytes"] + 4 * MIB
    assert during["live_blocks"] == before["live_blocks"] + 1
    assert during["allocations"] == before["allocations"] + 1 and during["hits"] == before["hits"]
    del a
    after = gpuarray.memory_stats()
    assert after["live_bytes"] == before["live_bytes"] and after["cached_bytes"] == 4 * MIB
    assert after["peak_bytes"] == during["live_bytes"] and after["limit_bytes"] == 0
    again = gpuarray.empty(4 * MIB, "u1")
    assert gpuarray.memory_stats()["hits"] == before["hits"] + 1
    gpuarray.reset_peak_memory(device)
    assert gpuarray.memory_stats()["peak_bytes"] == before["live_bytes"] + again.nbytes


def test_limit_is_checked(device):
    for wrong in (0, -1):
        with pytest.raises(ValueError, match="nbytes must be positive"):
            gpuarray.set_memory_limit(wrong)
    with pytest.raises(TypeError):
        gpuarray.set_memory_limit("1G")
    gpuarray.set_memory_limit(10**15, device)
    assert gpuarray.memory_stats()["limit_bytes"] == 10**15
    gpuarray.set_memory_limit(None, device=device)
    assert gpuarray.memory_stats()["limit_bytes"] == 0


def test_cache_is_dropped_first(limit):
    limit(8 * MIB)
    for size in (1, 2, 3):
        gpuarray.empty(size * MIB, "u1")
    assert gpuarray.memory_stats()["cached_bytes"] == 6 * MIB
    a = gpuarray.ones(7 * MIB, "u1")
    assert gpuarray.memory_stats()["cached_bytes"] == 0
    assert int(a[-1]) == 1


def test_garbage_is_collected_next(limit):
    limit(8 * MIB)
    node = Node()
    node.me, node.array = node, gpuarray.ones(7 * MIB, "u1")
    del node
    a = gpuarray.full(7 * MIB, 3, "u1")
    assert int(a[0]) == 3


@pytest.mark.parametrize("traced", [False, True])
def test_then_an_error_says_all(traced, limit, device):
    gpuarray.set_memory_tracing(traced)
    limit(8 * MIB)
    small, large = gpuarray.ones(MIB, "u1"), gpuarray.ones(5 * MIB, "u1")
    with pytest.raises(MemoryError) as caught:
        gpuarray.ones(6 * MIB, "u1")
    said = str(caught.value)
    for part in (f"out of memory on {device}", f"asked for {6 * MIB} bytes", "free of", "in total"):
        assert part in said
    assert f"under a limit of {gpuarray.memory_stats()['limit_bytes']} bytes" in said
    assert f"the largest: {5 * MIB} bytes" in said or not traced
    assert (f"{5 * MIB} bytes made at {__file__}:" in said) is traced or len(__file__) > 100
    assert ("set_memory_tracing(True)" in said) is not traced
    assert int((small + large[:MIB])[0]) == 2  # work goes on
    del large
    assert int(gpuarray.ones(6 * MIB, "u1")[0]) == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda a: a + a,
        lambda a: a.astype("f8"),
        lambda a: a[::-1].copy(),
        lambda a: gpuarray.concatenate([a, a]),
        lambda a: a[a > 0],
        lambda a: a[gpuarray.arange(a.size)],
        lambda a: gpuarray.sort(a),
        lambda a: gpuarray.cumsum(a),
        lambda a: gpuarray.add.outer(a, a[:2]),
        lambda a: gpuarray.add(a, a, out=gpuarray.zeros(a.shape, "f8"), where=a > 0),
        lambda a: a.reshape(1024, -1) @ a.reshape(-1, 1024),
        lambda a: gpuarray.array(np.ones(2 * MIB)),
        lambda a: a.repeat(3),
        lambda a: gpuarray.unique(a),
        lambda a: gpuarray.argsort(a),
    ],
)
def test_every_call_fails_cleanly_and_succeeds_later(call, limit):
    """A call that finds no memory leaves nothing behind; with memory it works."""
    a = gpuarray.ones(MIB, "f4")
    live = gpuarray.memory_stats()["live_bytes"]
    limit(4 * MIB + 2 * MIB)  # of which a has four
    with pytest.raises(MemoryError):
        call(a)
    gc.collect()
    assert gpuarray.memory_stats()["live_bytes"] == live
    assert float(a.sum()) == MIB
    gpuarray.set_memory_limit(None)
    call(a)
    assert float(a.sum()) == MIB


def test_origin_of_arrays(limit):
    gpuarray.set_memory_tracing(True)
    line = sys._getframe().f_lineno + 1
    a = gpuarray.repeat(gpuarray.ones(30 * MIB, "u1"), 2)
    nbytes, origin = gpuarray.largest_arrays(count=1)[0]
    assert (nbytes, origin) == (a.nbytes, f"{__file__}:{line}")
    gpuarray.set_memory_tracing(False)
    b = gpuarray.ones(61 * MIB, "u1")
    assert gpuarray.largest_arrays(count=2) == [(b.nbytes, None), (nbytes, origin)]
    assert gpuarray.largest_arrays(count=0) == []
    sizes = [size for size, _ in gpuarray.largest_arrays(count=50)]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize(
    ("text", "nbytes"),
    [("2.5M", 5 * MIB // 2), ("much", 0)],
)
def test_limit_of_the_environment(text, nbytes):
    code = "import gpuarray; print(gpuarray.memory_stats('cpu')['limit_bytes'])"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "GPUARRAY_MEMORY_LIMIT": text},
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) == nbytes


@pytest.mark.huge
def test_kernels_find_memory_that_is_cached(device):
    """What a kernel needs beside its arrays comes out of the cache where the device has no more."""
    if device == "cpu":
        pytest.skip("the CPU device asks the system")
    a = gpuarray.arange(64 * MIB, dtype="i4")[::-1].copy()
    block = 256 * MIB
    free, _ = gpuarray.memory_info()
    blocks = []
    try:
        while len(blocks) < free // block:
            blocks.append(gpuarray.empty(block, "u1"))
    except MemoryError:
        pass
    del blocks
    assert gpuarray.memory_stats()["cached_bytes"] >= block
    assert int(gpuarray.sort(a)[5]) == 5
    assert int(gpuarray.cumsum(a)[1]) == 2 * 64 * MIB - 3
    gpuarray.free_memory()


A = (1024, 1024)  # as float32 four times as large as what a call may take beside its result
ONE_STEP = {
    "a + b": lambda a, b, i, m: a + b,
    "a + 1": lambda a, b, i, m: a + 1,
    "a * column": lambda a, b, i, m: a * b[:, :1],
    "a.T + b": lambda a, b, i, m: a.T + b,
    "slices": lambda a, b, i, m: a[::2, ::3] - b[::-2, ::3],
    "a > b": lambda a, b, i, m: a > b,
    "m & m": lambda a, b, i, m: m & ~m,
    "i ** 2": lambda a, b, i, m: i**2,
    "i // 7": lambda a, b, i, m: i // 7,
    "power": lambda a, b, i, m: gpuarray.power(i, i),
    "divmod": lambda a, b, i, m: gpuarray.divmod(a, b),
    "sin": lambda a, b, i, m: gpuarray.sin(a),
    "ldexp": lambda a, b, i, m: gpuarray.ldexp(a, i),
    "in place": lambda a, b, i, m: a.__iadd__(b),
    "out and where": lambda a, b, i, m: gpuarray.add(a, b, out=a, where=m),
    "where": lambda a, b, i, m: gpuarray.where(m, a, b),
    "clip": lambda a, b, i, m: gpuarray.clip(a, 0, 1),
    "clip between arrays": lambda a, b, i, m: gpuarray.clip(a, b, b),
    "isclose": lambda a, b, i, m: gpuarray.isclose(a, b),
    "isposinf": lambda a, b, i, m: gpuarray.isposinf(a),
    "nan_to_num": lambda a, b, i, m: gpuarray.nan_to_num(a),
    "round": lambda a, b, i, m: gpuarray.round(a, 2),
    "sinc": lambda a, b, i, m: gpuarray.sinc(a),
    "astype": lambda a, b, i, m: a.astype("f8"),
    "assignment": lambda a, b, i, m: a.__setitem__(..., i),
    "copy": lambda a, b, i, m: a.T.copy(),
    "concatenate": lambda a, b, i, m: gpuarray.concatenate([a, b]),
    "sum": lambda a, b, i, m: a.sum(),
    "sum(0)": lambda a, b, i, m: a.sum(0),
    "sum(1)": lambda a, b, i, m: a.T.sum(1),
    "sum of integers": lambda a, b, i, m: i.sum(axis=1),
    "sum in another dtype": lambda a, b, i, m: a.sum(dtype="D"),
    "sum where": lambda a, b, i, m: a[::2].sum(0, where=m[::2]),
    "prod": lambda a, b, i, m: i.prod(0),
    "mean": lambda a, b, i, m: i.mean(0),
    "var": lambda a, b, i, m: a.var(1),
    "std": lambda a, b, i, m: i.std(),
    "max": lambda a, b, i, m: a.max(0),
    "argmax": lambda a, b, i, m: a.argmax(),
    "argmin(0)": lambda a, b, i, m: a.argmin(0),
    "any": lambda a, b, i, m: a.any(),
    "all": lambda a, b, i, m: i.all(0),
    "ptp": lambda a, b, i, m: gpuarray.ptp(a, 0),
    "count_nonzero": lambda a, b, i, m: gpuarray.count_nonzero(a, 0),
    "nansum": lambda a, b, i, m: gpuarray.nansum(a, 0),
    "nanmean": lambda a, b, i, m: gpuarray.nanmean(a),
    "nanmax": lambda a, b, i, m: gpuarray.nanmax(a, 1),
    "logaddexp.reduce": lambda a, b, i, m: gpuarray.logaddexp.reduce(a),
    "subtract.reduce": lambda a, b, i, m: gpuarray.subtract.reduce(a, 1),
    "cumsum": lambda a, b, i, m: a.cumsum(),
    "cumsum(0)": lambda a, b, i, m: i.cumsum(0),
    "vdot": lambda a, b, i, m: gpuarray.vdot(a, b),
    "matmul": lambda a, b, i, m: a @ b.T,
    "a + i": lambda a, b, i, m: a + i,
    "m * a": lambda a, b, i, m: m * a,
    "i < m": lambda a, b, i, m: i < m,
    "divide integers": lambda a, b, i, m: i / i,
    "sqrt of integers": lambda a, b, i, m: gpuarray.sqrt(i),
    "sin of bools": lambda a, b, i, m: gpuarray.sin(m),
    "modf of integers": lambda a, b, i, m: gpuarray.modf(i),
    "exp in double": lambda a, b, i, m: gpuarray.exp(a, dtype="f8"),
    "exp in half": lambda a, b, i, m: gpuarray.exp(a, dtype="f2"),
    "add in complex": lambda a, b, i, m: gpuarray.add(a, i, dtype="F"),
    "negative of fewer bits": lambda a, b, i, m: gpuarray.negative(i, dtype="i2"),
    "ldexp of integers": lambda a, b, i, m: gpuarray.ldexp(i, m),
    "power of bools": lambda a, b, i, m: gpuarray.power(i, m),
    "sum of bytes": lambda a, b, i, m: m.sum(axis=0, dtype="i4"),
    "mean of bools": lambda a, b, i, m: m.mean(axis=1),
    "prod in half": lambda a, b, i, m: a.prod(axis=1, dtype="f2"),
    "max in double": lambda a, b, i, m: gpuarray.maximum.reduce(i, axis=0, dtype="d"),
}
CONVERTED = {  # bytes of the temporaries: casts that only casting="unsafe" allows, overlap, misaligned memory
    "floats to integers": (
        lambda a, b, i, m: gpuarray.negative(a, dtype="i4", casting="unsafe"),
        4 * MIB,
    ),
    "overlap": (lambda a, b, i, m: gpuarray.add(a[1:], 1, out=a[:-1]), 4 * MIB),
    "out of another dtype": (
        lambda a, b, i, m: gpuarray.add(a, b, out=i, casting="unsafe"),
        4 * MIB,
    ),
}


def count_bytes(result):
    """Memory that a result holds and no argument did."""
    if isinstance(result, (tuple, list)):
        return sum(map(count_bytes, result))
    return result.nbytes if isinstance(result, gpuarray.ndarray) and result.base is None else 0


def measure_excess(call):
    """Bytes that a call had allocated at its worst moment, beyond its result."""
    a, b = gpuarray.ones(A, "f4"), gpuarray.full(A, 2, "f4")
    i, m = gpuarray.ones(A, "i4"), gpuarray.ones(A, bool)
    given = {id(each) for each in (a, b, i, m)}
    gpuarray.reset_peak_memory()
    before = gpuarray.memory_stats()["live_bytes"]
    result = call(a, b, i, m)
    peak = gpuarray.memory_stats()["peak_bytes"] - before
    return peak - (0 if id(result) in given else count_bytes(result))


@pytest.mark.parametrize("name", ONE_STEP)
def test_a_call_takes_its_result_and_little_more(device, name):
    assert measure_excess(ONE_STEP[name]) <= MIB


@pytest.mark.parametrize("name", CONVERTED)
def test_what_conversions_take(device, name):
    call, most = CONVERTED[name]
    assert MIB < measure_excess(call) <= most + MIB

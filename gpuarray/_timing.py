"""Times matrix products, element-wise operations and reductions against NumPy: the table of ``python -m gpuarray``.

Bandwidth counts each input byte read once and each output byte written once; "percent" is of what a large copy on the
same device reached in the same run.
"""

import functools
import time

import numpy as np


def _once(function, wait, repeats):
    """Seconds a call, over `repeats` calls that run back to back before one wait for the device."""
    start = time.perf_counter()
    for _ in range(repeats):
        result = function()
    wait()
    del result
    return (time.perf_counter() - start) / repeats


def measure(function, wait, budget):
    """Median seconds of a call within a time budget in seconds; the first call does not count."""
    function()
    wait()
    estimate = max(_once(function, wait, 1), 1e-7)
    repeats = max(1, min(1000, int(budget / 5 / estimate)))
    batches = 5 if estimate * repeats * 5 <= 2 * budget else 1
    return float(np.median([_once(function, wait, repeats) for _ in range(batches)]))


def _sizes(is_gpu, quick):
    """Orders of the matrix products, and elements of the vectors."""
    if is_gpu:
        return ((1000, 5000) if quick else (1000, 5000, 10000)), (1 << 24 if quick else 1 << 27)
    return ((256, 512) if quick else (500, 1000, 2000)), (1 << 20 if quick else 1 << 23)


def _cases(is_gpu, quick):
    """Yield (name, function of module and inputs, input shapes, floating-point operations, bytes moved)."""
    orders, n = _sizes(is_gpu, quick)
    for order in orders:
        square = (order, order)
        yield (
            f"A @ B, {order} x {order}",
            lambda xp, a, b: a @ b,
            (square, square),
            2.0 * order**3,
            None,
        )
    vector, side = (n,), int(n**0.5)
    matrix = (side, side)
    yield "a + b", lambda xp, a, b: a + b, (vector, vector), None, 12 * n
    yield "a * 2.0", lambda xp, a: a * 2.0, (vector,), None, 8 * n
    yield "sin(a)", lambda xp, a: xp.sin(a), (vector,), None, 8 * n
    yield "exp(a)", lambda xp, a: xp.exp(a), (vector,), None, 8 * n
    yield "a > b", lambda xp, a, b: a > b, (vector, vector), None, 9 * n
    yield "M + M[0]", lambda xp, m: m + m[0], (matrix,), None, 8 * side * side
    yield "a.copy()", lambda xp, a: a.copy(), (vector,), None, 8 * n
    yield "a.sum()", lambda xp, a: a.sum(), (vector,), None, 4 * n
    yield "a.max()", lambda xp, a: a.max(), (vector,), None, 4 * n
    yield "a.argmax()", lambda xp, a: a.argmax(), (vector,), None, 4 * n
    yield "M.sum(axis=0)", lambda xp, m: m.sum(axis=0), (matrix,), None, 4 * side * side
    yield "M.sum(axis=1)", lambda xp, m: m.sum(axis=1), (matrix,), None, 4 * side * side


def _copy_bandwidth(device, n, budget):
    """Bytes a second, read plus written, of a large copy on the device."""
    import gpuarray

    source = gpuarray.ones(n, dtype=np.float32, device=device)
    wait = functools.partial(gpuarray.synchronize, device)
    return 8 * n / measure(source.copy, wait, budget)


def _numpy_seconds(function, host, flops, budget, rate):
    """NumPy's time; a product that would take minutes is extrapolated from the rate of the last one measured."""
    if flops and rate and flops / rate > 8 * budget:
        return flops / rate, True
    return measure(functools.partial(function, np, *host), lambda: None, budget), False


def run(device, quick=False, progress=None):
    """Time every case on a device and with NumPy.

    Parameters
    ----------
    device : str or Device
    quick : bool
        Smaller arrays and shorter batches.
    progress : callable, optional
        Called with each case's name before it runs.

    Returns
    -------
    rows : list of dict
        name, seconds, numpy_seconds, numpy_extrapolated, speedup, gflops (or None), bandwidth in bytes/s (or None),
        percent of the copy bandwidth (or None).
    copy_bandwidth : float
        Bytes a second.
    """
    import gpuarray

    is_gpu = str(device) != "cpu"
    budget = 0.1 if quick else 0.5
    random = np.random.default_rng(0)
    wait = functools.partial(gpuarray.synchronize, device)
    copy_bandwidth = _copy_bandwidth(device, _sizes(is_gpu, quick)[1], budget)
    rows, rate = [], None
    for name, function, shapes, flops, moved in _cases(is_gpu, quick):
        if progress:
            progress(name)
        host = [random.random(shape, dtype=np.float32) for shape in shapes]
        ours = [gpuarray.asarray(array, device=device) for array in host]
        seconds = measure(functools.partial(function, gpuarray, *ours), wait, budget)
        theirs, extrapolated = _numpy_seconds(function, host, flops, budget, rate)
        rate = flops / theirs if flops else rate
        rows.append(
            {
                "name": name,
                "seconds": seconds,
                "numpy_seconds": theirs,
                "numpy_extrapolated": extrapolated,
                "speedup": theirs / seconds,
                "gflops": flops / seconds / 1e9 if flops else None,
                "bandwidth": moved / seconds if moved else None,
                "percent": 100 * moved / seconds / copy_bandwidth if moved else None,
            }
        )
    return rows, copy_bandwidth

"""Measures every case with one library, in a process of its own. Prints one JSON object.

    python benchmarks/worker.py LIBRARY [--quick] [--elements N]

Called by run.py. Medians of five batches; the device is synchronised around each batch. Every result is compared
once with NumPy's for the same input; one that differs is reported as a problem.
"""

import argparse
import functools
import json
import time

import numpy as np
from cases import select
from inputs import STAYS_ON_HOST, make_input


class Library:
    """One array library: its module, how inputs come to its device, how to wait for it, how results come back."""

    def __init__(self, name):
        self.name = name
        if name == "numpy":
            self.xp, self.to, self.back = np, lambda a: a.copy(), np.asarray
            self.wait, self.version = (lambda: None), np.__version__
        elif name == "gpuarray":
            import gpuarray

            self.xp, self.to, self.back = gpuarray, gpuarray.asarray, gpuarray.asnumpy
            self.wait, self.version = gpuarray.synchronize, gpuarray.__version__
        elif name == "cupy":
            import cupy

            self.xp, self.to, self.back = cupy, cupy.asarray, cupy.asnumpy
            self.wait, self.version = cupy.cuda.Device().synchronize, cupy.__version__
        else:
            import torch

            self.xp, self.to = torch, lambda a: torch.from_numpy(np.array(a)).cuda()
            self.back = lambda t: t.cpu().numpy() if isinstance(t, torch.Tensor) else np.asarray(t)
            self.wait, self.version = torch.cuda.synchronize, torch.__version__

    def bring(self, name, array):
        """The input where the case wants it: on the device, unless the case is about bringing it there."""
        return array if name in STAYS_ON_HOST else self.to(array)


def batch(function, wait, repeats):
    """Seconds a call; the result of each call is dropped when the next one is made."""
    wait()
    start = time.perf_counter()
    for _ in range(repeats):
        result = function()
    host = time.perf_counter() - start
    wait()
    total = time.perf_counter() - start
    del result
    return host / repeats, total / repeats


def measure(function, wait, budget):
    """Median over five batches of (host seconds, total seconds) a call."""
    _, once = batch(function, wait, 1)
    if once > budget:  # seconds a call: once more, now that everything is warm
        return list(batch(function, wait, 1))
    _, once = batch(function, wait, 3)
    repeats = int(min(2000, max(1, budget / 5 / max(once, 1e-7))))
    samples = [batch(function, wait, repeats) for _ in range(5)]
    return [float(v) for v in np.median(np.array(samples), axis=0)]


def agrees(got, expected):
    """Whether two results are the same up to rounding."""
    got, expected = np.asarray(got), np.asarray(expected)
    if got.shape != expected.shape:
        return False
    if expected.dtype.kind in "fc":
        tolerance = 1e-2 if expected.dtype == np.float16 else 1e-4
        return bool(
            np.allclose(
                got, expected, rtol=tolerance, atol=tolerance * float(np.abs(expected).max() or 1)
            )
        )
    return bool(np.array_equal(got, expected))


def is_alike(got, expected):
    """Whether two samples have about the same mean and spread."""
    unit = expected.std()
    near = abs(got.mean() - expected.mean()) < unit / 5
    return got.shape == expected.shape and near and 0.8 * unit < got.std() < 1.25 * unit


def check(case, library, random):
    """Compare with NumPy on small inputs of the same kind; None or what is wrong."""
    small = [
        make_input(name.split(":")[0] + ":64" if ":" in name else name, 64 * 64, random)
        for name in case.inputs
    ]
    inputs = [library.bring(name, array) for name, array in zip(case.inputs, small, strict=True)]
    got = library.back(case.call(library.name)(library.xp, *inputs))
    if case.kind == "transfer":
        return None if agrees(got, small[0]) else "differs from what was sent"
    expected = case.function(np, *small)
    agree = is_alike if case.kind == "random" else agrees
    return None if agree(got, expected) else "differs from NumPy"


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", choices=["gpuarray", "cupy", "torch", "numpy"])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--elements", type=int, default=1 << 28)
    options = parser.parse_args()
    library = Library(options.library)
    n = options.elements if options.library != "numpy" else min(options.elements, 1 << 24)
    budget = 0.1 if options.quick else 0.5
    random, cache, results = np.random.default_rng(1), {}, {}
    for case in select(options.quick):
        if options.library == "numpy" and case.kind == "product" and case.moved(0) > 1e12:
            continue  # minutes on a CPU
        key = f"{case.kind}: {case.name}"
        try:
            problem = check(case, library, random)
            for name in case.inputs:
                if name not in cache:
                    cache[name] = library.bring(name, make_input(name, n, random))
            inputs = [cache[name] for name in case.inputs]
            call = functools.partial(case.call(options.library), library.xp, *inputs)
            host, total = measure(call, library.wait, budget)
        except Exception as error:
            problem, host, total = f"{type(error).__name__}: {error}", None, None
        results[key] = {"host": host, "seconds": total, "moved": case.moved(n), "problem": problem}
        if case.kind == "product":
            cache.clear()
    print(
        json.dumps(
            {
                "library": options.library,
                "version": library.version,
                "elements": n,
                "results": results,
            }
        )
    )


if __name__ == "__main__":
    main()

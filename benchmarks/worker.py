"""Measures every case with one library, in a process of its own. Prints one JSON object.

    python benchmarks/worker.py LIBRARY [--quick] [--elements N] [--kinds latency,functions]

Called by run.py. Medians of five batches; the device is synchronised around each batch. Every result is compared
once with NumPy's for the same input; one that differs is reported as a problem.
"""

import argparse
import functools
import json
import time

import numpy as np
from cases import KINDS, select
from inputs import STAYS_ON_HOST, make_input, make_small


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
    batch(function, wait, 1)  # the first call makes plans, opens libraries
    host, once = batch(function, wait, 1)
    if once > budget:  # seconds a call: that is enough
        return [host, once]
    _, once = batch(function, wait, 3)
    repeats = int(min(2000, max(1, budget / 5 / max(once, 1e-7))))
    samples = [batch(function, wait, repeats) for _ in range(5)]
    return [float(v) for v in np.median(np.array(samples), axis=0)]


def agrees(got, expected):
    """Whether two results are the same up to rounding."""
    got, expected = np.asarray(got), np.asarray(expected)
    if got.shape != expected.shape:
        return False
    if expected.dtype.kind not in "fc":
        return bool(np.array_equal(got, expected))
    tolerance = 1e-2 if expected.dtype == np.float16 else 1e-4
    size = float(np.abs(expected[np.isfinite(expected)]).max(initial=1))
    return bool(np.allclose(got, expected, rtol=tolerance, atol=tolerance * size, equal_nan=True))


def is_alike(got, expected):
    """Whether two samples have about the same mean and spread."""
    unit = expected.std()
    near = abs(got.mean() - expected.mean()) < unit / 5
    return got.shape == expected.shape and near and 0.8 * unit < got.std() < 1.25 * unit


def check(case, library, random):
    """Compare with NumPy on small inputs of the same kind; None or what is wrong."""
    small = [make_small(name, random) for name in case.inputs]
    kept = [array.copy() for array in small]  # a library may work in the same memory
    inputs = [library.bring(name, array) for name, array in zip(case.inputs, small, strict=True)]
    got = library.back(case.call(library.name)(library.xp, *inputs))
    if case.check == "sent":
        return None if agrees(got, kept[0]) else "differs from what was sent"
    with np.errstate(all="ignore"):
        expected = case.call("numpy")(np, *kept)
    agree = is_alike if case.check == "alike" else agrees
    return None if agree(got, expected) else "differs from NumPy"


class Bench:
    """The arrays of a library, made when a case first wants them, and its measurements."""

    def __init__(self, library, elements, budget):
        self.library, self.elements, self.budget = library, elements, budget
        self.random, self.cache = np.random.default_rng(1), {}

    def take(self, name):
        if name not in self.cache:
            array = make_input(name, self.elements, self.random)
            self.cache[name] = self.library.bring(name, array)
        return self.cache[name]

    def run(self, case):
        """The line of a case: seconds, or what went wrong."""
        problem, host, total = None, None, None
        try:
            problem = check(case, self.library, self.random)
            inputs = [self.take(name) for name in case.inputs]
            call = functools.partial(case.call(self.library.name), self.library.xp, *inputs)
            host, total = measure(call, self.library.wait, self.budget)
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"[:200]
        if case.kind == "products":
            self.cache.clear()
        return {
            "host": host,
            "seconds": total,
            "moved": case.moved(self.elements),
            "problem": problem,
        }

    def can(self, case):
        minutes = self.library.name == "numpy" and case.kind == "products" and case.moved(0) > 1e12
        return case.spelling(self.library.name) is not None and not minutes


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", choices=["gpuarray", "cupy", "torch", "numpy"])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--elements", type=int, default=1 << 28)
    parser.add_argument("--kinds", default=",".join(KINDS))
    options = parser.parse_args()
    library = Library(options.library)
    elements = options.elements if options.library != "numpy" else min(options.elements, 1 << 24)
    bench = Bench(library, elements, 0.05 if options.quick else 0.5)
    cases = [case for case in select(options.quick, options.kinds.split(",")) if bench.can(case)]
    with np.errstate(all="ignore"):
        results = {f"{case.kind}: {case.name}": bench.run(case) for case in cases}
    kept = {
        "library": options.library,
        "version": library.version,
        "elements": elements,
        "results": results,
    }
    print(json.dumps(kept))


if __name__ == "__main__":
    main()

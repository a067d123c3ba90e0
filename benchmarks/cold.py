"""Cold start in a fresh process: import, context, and the first call of every function. Prints JSON, seconds.

python benchmarks/cold.py [gpuarray|cupy] [--seconds LIMIT]

The calls are those of cases/functions.txt, and then, counted apart, each name of linalg, fft, random, special, signal
and ndimage (cases/submodules.txt) and fused functions (cases/fused.txt), on small arrays; a library that is over the
limit is asked no further, and `calls` says how many were made.
"""

import argparse
import json
import time

import numpy as np
from cases import read
from inputs import make_small

clock = time.perf_counter


def time_calls(library, xp, wait, kind, arrays, deadline):
    """First and second calls of the cases of one file, in a report; what a library lacks takes no time."""

    def timed(case):
        call, inputs = case.call(library), [arrays[name] for name in case.inputs]
        began = clock()
        try:
            call(xp, *inputs)
        except Exception:
            return 0.0
        wait()
        return clock() - began

    first, second = {}, {}
    for case in read(kind):
        if clock() < deadline:
            first[case.name], second[case.name] = timed(case), timed(case)
    return {
        "calls": len(first),
        "without a result": [name for name, seconds in first.items() if seconds == 0],
        "first calls": sum(first.values()),
        "second calls": sum(second.values()),
        "slowest": dict(sorted(first.items(), key=lambda item: -item[1])[:10]),
    }


def main():
    """Time each first and second call and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", nargs="?", default="gpuarray", choices=["gpuarray", "cupy"])
    parser.add_argument("--seconds", type=float, default=100)
    options = parser.parse_args()
    random = np.random.default_rng(1)
    cases = read("functions") + read("submodules") + read("fused")
    names = dict.fromkeys(name for case in cases for name in case.inputs)
    small = {name: make_small(name, random) for name in names}

    start = clock()
    xp = __import__(options.library)
    imported = clock()
    wait = xp.synchronize if options.library == "gpuarray" else xp.cuda.Device().synchronize
    arrays = {name: xp.asarray(array) for name, array in small.items()}
    wait()
    ready = clock()
    asked = options.library, xp, wait
    kept = {
        "library": options.library,
        "import beyond numpy": imported - start,
        "context and first transfers": ready - imported,
        **time_calls(*asked, "functions", arrays, ready + options.seconds),
        "submodules": time_calls(*asked, "submodules", arrays, ready + options.seconds),
        "fused": time_calls(*asked, "fused", arrays, ready + options.seconds),
    }
    print(json.dumps(kept))


if __name__ == "__main__":
    main()

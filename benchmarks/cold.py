"""Cold start in a fresh process: import, context, and the first call of every function. Prints JSON, seconds.

python benchmarks/cold.py [gpuarray|cupy] [--seconds LIMIT]

The calls are those of cases/functions.txt, on small arrays; a library that is over the limit is asked no further, and
`calls` says how many were made.
"""

import argparse
import json
import time

import numpy as np
from cases import read
from inputs import make_small


def main():
    """Time each first and second call and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", nargs="?", default="gpuarray", choices=["gpuarray", "cupy"])
    parser.add_argument("--seconds", type=float, default=100)
    options = parser.parse_args()
    clock, random = time.perf_counter, np.random.default_rng(1)
    cases = read("functions")
    names = dict.fromkeys(name for case in cases for name in case.inputs)
    small = {name: make_small(name, random) for name in names}

    start = clock()
    xp = __import__(options.library)
    imported = clock()
    wait = xp.synchronize if options.library == "gpuarray" else xp.cuda.Device().synchronize
    arrays = {name: xp.asarray(array) for name, array in small.items()}
    wait()
    ready = clock()

    def timed(case):
        call, inputs = case.call(options.library), [arrays[name] for name in case.inputs]
        began = clock()
        try:
            call(xp, *inputs)
        except Exception:  # some libraries lack some functions: no time of theirs
            return 0.0
        wait()
        return clock() - began

    first, second = {}, {}
    for case in cases:
        if clock() - ready < options.seconds:
            first[case.name], second[case.name] = timed(case), timed(case)
    slowest = dict(sorted(first.items(), key=lambda item: -item[1])[:10])
    kept = {
        "library": options.library,
        "import beyond numpy": imported - start,
        "context and first transfers": ready - imported,
        "calls": len(first),
        "first calls": sum(first.values()),
        "second calls": sum(second.values()),
        "slowest": slowest,
    }
    print(json.dumps(kept))


if __name__ == "__main__":
    main()

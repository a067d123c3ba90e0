"""Cold start in a fresh process: import, context, and the first call of each of a few operations. Prints JSON, seconds.

python benchmarks/cold.py [gpuarray|cupy]
"""

import json
import sys
import time

import numpy as np

CALLS = {
    "a + b": lambda xp, a: a + a,
    "a.sum()": lambda xp, a: a.sum(),
    "sin(a)": lambda xp, a: xp.sin(a),
    "a.sum(axis=0)": lambda xp, a: a.sum(axis=0),
    "a.argmax()": lambda xp, a: a.argmax(),
    "a > 0": lambda xp, a: a > 0,
    "a.astype(float64)": lambda xp, a: a.astype(np.float64),
    "exp of complex128": lambda xp, a: xp.exp(a.astype(np.complex128)),
    "concatenate": lambda xp, a: xp.concatenate([a, a]),
    "a @ a": lambda xp, a: a @ a,
}


def main():
    """Time each first call and print the results."""
    name = sys.argv[1] if len(sys.argv) > 1 else "gpuarray"
    clock, times = time.perf_counter, {}
    start = clock()
    xp = __import__(name)
    times["import beyond numpy"] = clock() - start
    wait = xp.synchronize if name == "gpuarray" else xp.cuda.Device().synchronize
    start = clock()
    a = xp.asarray(np.ones((100, 100), np.float32))
    wait()
    times["context and first transfer"] = clock() - start
    for label, function in CALLS.items():
        start = clock()
        function(xp, a)
        wait()
        times[label] = clock() - start
    print(json.dumps({"library": name, "seconds": times}))


if __name__ == "__main__":
    main()

"""How the cost of a call grows with the number of elements: 10 to the power of 2, 3, ... 9.

    python benchmarks/scaling.py [LIBRARY] [--powers 2,3,4]

The calls are the lines of cases/scaling.txt, their arrays are made on the device. Prints a table of microseconds a
call, medians of five batches, and one JSON object of seconds, of which plot.py draws a picture.
"""

import argparse
import functools
import json

from cases import read
from run import card_name
from worker import Library, measure

MAKERS = {
    "x": lambda xp, n: xp.random.default_rng(1).random(n, dtype=xp.float32),
    "y": lambda xp, n: xp.random.default_rng(2).random(n, dtype=xp.float32),
    "k": lambda xp, n: xp.random.default_rng(3).integers(0, 1000, n, dtype=xp.int32),
    "mask": lambda xp, n: xp.random.default_rng(4).random(n, dtype=xp.float32) > 0.5,
    "j": lambda xp, n: xp.random.permutation(n),
}


def measure_size(library, cases, n, budget):
    """Seconds of every case on n elements; None for what does not work at that size."""
    make = functools.cache(lambda name: MAKERS[name](library.xp, n))
    seconds = {}
    for case in cases:
        try:
            inputs = [make(name) for name in case.inputs]
            call = functools.partial(case.call(library.name), library.xp, *inputs)
            seconds[case.name] = measure(call, library.wait, budget)[1]
        except MemoryError:
            seconds[case.name] = None
    return seconds


def show(table):
    """Print a line a case, a column a size."""
    names = list(next(iter(table.values())))
    print(f"{'':28s}" + "".join(f"{f'1e{power}':>12s}" for power in table))
    for name in names:
        cells = (times[name] for times in table.values())
        print(f"{name:28s}" + "".join(f"{t * 1e6:12.1f}" if t else f"{'-':>12s}" for t in cells))


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", nargs="?", default="gpuarray", choices=["gpuarray", "cupy"])
    parser.add_argument("--powers", default="2,3,4,5,6,7,8,9")
    parser.add_argument("--budget", type=float, default=0.1, help="seconds a case and size")
    options = parser.parse_args()
    library, cases = Library(options.library), read("scaling")
    table = {}
    for power in map(int, options.powers.split(",")):
        table[power] = measure_size(library, cases, 10**power, options.budget)
    show(table)
    kept = {"library": library.name, "version": library.version, "scaling": table}
    print(json.dumps({"card": card_name(), **kept}))


if __name__ == "__main__":
    main()

"""The CPU device beside NumPy: every kind of call on 1e6 elements, and small ones on 100.

    python benchmarks/cpu.py [WORD...] [--kinds small,cast] [--elements N] [--processor-time] [--all] [--results DIR]

The calls are the lines of cases/cpu.txt, for each of their dtypes; with words, those that contain one of them. Ours and
NumPy's take turns and the least time of each counts: other programs only add to it. A ratio above its kind's limit is
measured again, then listed; --all lists every line. --processor-time counts the time of one thread instead, which
holds on a machine that is shared. --results writes <date>-cpu-<processor>.json there, of one thread
<date>-cpu-<processor>-one-thread.json. Ends with each kind's geometric mean and worst lines.
"""

import argparse
import collections
import datetime
import itertools
import json
import math
import os
import pathlib
import re
import time
from dataclasses import dataclass

import calls
import numpy as np

FOLDER = pathlib.Path(__file__).parent
DTYPES = {
    "every": "?bBhHiIlLefdFD",
    "number": "bBhHiIlLefdFD",
    "real": "bBhHiIlLefd",
    "integer": "bBhHiIlL",
    "bits": "?bBhHiIlL",
    "loops": "?bhilefdFD",
    "float": "efd",
    "inexact": "efdFD",
}
LIMITS = collections.defaultdict(lambda: 1.1, function=1.5, small=1.5)
SMALL = 100
ROUNDS, MORE_ROUNDS = 5, 15
SAMPLE = 2e-4  # seconds that are measured at once, at least


def _numbers(n, dtype, random, least=0.05):
    """Without zeros, infinities, or what overflows in a product."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return random.random(n) > 0.5
    if kind == "f":
        return (random.random(n) * 0.9 + least).astype(dtype)
    if kind == "c":
        return (random.random(n) * 3 + 1 + 1j * random.random(n)).astype(dtype)
    return (random.random(n) * 100 + 1).astype(dtype)


def _square(n, dtype, random):
    side = math.isqrt(n)
    return _numbers(side * side, dtype, random).reshape(side, side)


INPUTS = {
    "x": _numbers,
    "y": _numbers,
    "above": lambda n, dtype, random: _numbers(n, dtype, random, 1),
    "other": lambda n, dtype, random: _numbers(n, "b", random),
    "square": _square,
    "row": lambda n, dtype, random: _numbers(math.isqrt(n), dtype, random),
    "column": lambda n, dtype, random: _numbers(math.isqrt(n), dtype, random)[:, None],
    "mask": lambda n, dtype, random: random.random(n) > 0.5,
    "few": lambda n, dtype, random: random.integers(0, 5, n),
    "index": lambda n, dtype, random: random.integers(0, n, n),
    "rows": lambda n, dtype, random: random.permutation(math.isqrt(n)),
}


@dataclass(frozen=True)
class Case:
    """One call of one dtype."""

    kind: str
    expression: str
    dtype: str

    @property
    def name(self):
        return f"{self.kind}: {self.expression.replace('xp.', '')} {self.dtype}"

    def call(self, xp, arrays):
        """A function without arguments; `arrays` names the inputs."""
        text = f"lambda xp, {', '.join(arrays)}: lambda: {self.expression}"
        return eval(text, dict(vars(calls)))(xp, **arrays)


def expand(text):
    """The texts that {a b} stands for, of several groups all combinations."""
    parts = re.split(r"{(.*?)}", text)
    choices = [part.split() if k % 2 else [part] for k, part in enumerate(parts)]
    return map("".join, itertools.product(*choices))


def read():
    """The cases of the table."""
    for line in (FOLDER / "cases/cpu.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            kind, template, dtypes = (column.strip() for column in line.split("|"))
            for expression in expand(template):
                for dtype in DTYPES.get(dtypes, dtypes):
                    yield Case(kind, expression, dtype)


class Bench:
    """The arrays of both libraries, and the clock."""

    def __init__(self, gpuarray, elements, clock):
        self.gpuarray, self.elements, self.clock = gpuarray, elements, clock
        self.made = {}

    def arrays(self, case):
        """NumPy's inputs and ours, kept as long as the dtype stays."""
        n, names = SMALL if case.kind == "small" else self.elements, {}
        for name in INPUTS:
            if re.search(rf"\b{name}\b", case.expression):
                key = (name, n, case.dtype)
                if key not in self.made:
                    array = INPUTS[name](n, case.dtype, np.random.default_rng(len(name)))
                    self.made[key] = array, self.gpuarray.asarray(array)
                names[name] = self.made[key]
        return [{name: pair[k] for name, pair in names.items()} for k in range(2)]

    def sample(self, call, repeats):
        """Seconds a call."""
        start = self.clock()
        for _ in range(repeats):
            call()
        return (self.clock() - start) / repeats

    def run(self, case):
        """Least seconds (ours, NumPy's), or None where NumPy has no such call."""
        theirs, ours = self.arrays(case)
        functions = [case.call(self.gpuarray, ours), case.call(np, theirs)]
        try:
            functions[1]()
        except TypeError:
            return None
        functions[0]()
        repeats = [max(1, int(SAMPLE / max(self.sample(f, 1), 1e-8))) for f in functions]
        least = [math.inf, math.inf]
        for rounds in (ROUNDS, MORE_ROUNDS):
            for _ in range(rounds):
                for k, function in enumerate(functions):
                    least[k] = min(least[k], self.sample(function, repeats[k]))
            if least[0] <= LIMITS[case.kind] * least[1]:
                break
        return least


def show_line(name, pair):
    ours, numpy = (seconds * 1e6 for seconds in pair)
    print(f"{ours / numpy:8.2f}  {name:60s}{ours:12.2f} us{numpy:12.2f} us", flush=True)


def summarise(results):
    """Print a kind's geometric mean of our time over NumPy's, and its worst lines."""
    kinds = collections.defaultdict(dict)
    for name, (ours, numpy) in results.items():
        kind, call = name.split(": ", 1)
        kinds[kind][call] = ours / numpy
    for kind, ratios in kinds.items():
        mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
        over = sum(ratio > LIMITS[kind] for ratio in ratios.values())
        worst = sorted(ratios, key=ratios.get, reverse=True)[:5]
        listed = ", ".join(f"{call} {ratios[call]:.2f}" for call in worst)
        print(
            f"{kind}: {mean:.2f} of NumPy's time, {len(ratios)} cases, {over} over {LIMITS[kind]}; worst: {listed}"
        )


def processor_name():
    found = re.search(r"^model name\s*:\s*(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    return found[1] if found else "unknown"


def keep(folder, options, gpuarray, results):
    """Write what was measured, and on what."""
    kept = {
        "processor": processor_name(),
        "threads": 1 if options.processor_time else len(os.sched_getaffinity(0)),
        "clock": "processor" if options.processor_time else "wall",
        "elements": options.elements,
        "versions": {"gpuarray": gpuarray.__version__, "numpy": np.__version__},
        "seconds": {name: [float(f"{t:.4g}") for t in pair] for name, pair in results.items()},
    }
    folder.mkdir(parents=True, exist_ok=True)
    name = re.sub("[^a-z0-9]+", "-", kept["processor"].lower()).strip("-")
    suffix = "-one-thread" if options.processor_time else ""
    path = folder / f"{datetime.date.today()}-cpu-{name}{suffix}.json"
    path.write_text(json.dumps(kept, indent=1) + "\n")


def main():
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="measure cases whose name contains one of these")
    parser.add_argument("--kinds", default="", help="measure these kinds only")
    parser.add_argument("--elements", type=int, default=10**6)
    parser.add_argument("--processor-time", action="store_true")
    parser.add_argument("--all", action="store_true", help="list every line")
    parser.add_argument("--results", type=pathlib.Path)
    options = parser.parse_args()
    if options.processor_time:
        os.environ["GPUARRAY_CPU_THREADS"] = "1"
    import gpuarray

    gpuarray.set_default_device("cpu")
    clock = time.thread_time if options.processor_time else time.perf_counter
    bench, results = Bench(gpuarray, options.elements, clock), {}
    chosen = [case for case in read() if not options.kinds or case.kind in options.kinds.split(",")]
    chosen = [c for c in chosen if not options.words or any(w in c.name for w in options.words)]
    with np.errstate(all="ignore"):
        for case in chosen:
            pair = bench.run(case)
            if pair:
                results[case.name] = pair
                if options.all or pair[0] > LIMITS[case.kind] * pair[1]:
                    show_line(case.name, pair)
    summarise(results)
    if options.results:
        keep(options.results, options, gpuarray, results)


if __name__ == "__main__":
    main()

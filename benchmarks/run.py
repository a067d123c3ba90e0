"""Side by side on one card in one job: gpuarray, CuPy, PyTorch, NumPy, and the floor that the hardware sets.

    python benchmarks/run.py [--quick] [--libraries gpuarray,cupy,torch,numpy] [--kinds functions,...] [--results DIR]

One process a library, the cases of cases/*.txt, the floor of floor.cu (compiled with nvcc). Prints a table: seconds,
ratio to the best peer (above 1: we are faster), percent of the floor; then the geometric mean of each kind of cases
and the cold start (CuPy's takes minutes, --quick leaves it out). Writes <date>-<card>.json into the results folder,
of which plot.py draws a picture.
"""

import argparse
import datetime
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

from cases import KINDS

HERE = pathlib.Path(__file__).parent


def run_json(command, seconds):
    """The JSON object that a command prints last, or None with the reason on stderr."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        print(f"{command[-1]}: more than {seconds} s", file=sys.stderr)
        return None
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not lines:
        print(f"{' '.join(map(str, command))}: {done.stderr.strip()[-800:]}", file=sys.stderr)
        return None
    return json.loads(lines[-1])


def measure_floor():
    """Compile and run floor.cu; None without nvcc or a card."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "floor"
        try:
            subprocess.run(
                ["nvcc", "-O3", "-arch=native", HERE / "floor.cu", "-o", program], check=True
            )
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"no floor: {error}", file=sys.stderr)
            return None
        return run_json([program], 60)


def card_name():
    """What nvidia-smi calls the card, or 'cpu'."""
    try:
        query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
        return subprocess.run(
            query, capture_output=True, text=True, check=True
        ).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "cpu"


def floor_of(key, line, floor):
    """The least seconds a line can take, or None where the floor says nothing."""
    if not floor:
        return None
    if key.startswith("latency"):
        return None if "[10:50]" in key else floor["launch"] * 1e-6
    if key.startswith("bandwidth"):
        words = ("sum()", "sum(axis", "max", "mean", "std")
        reads_only = any(word in key for word in words)
        return line["moved"] / (
            1e9 * floor["read" if reads_only else "add" if "+" in key else "copy"]
        )
    if key.startswith("fused") and line["moved"]:
        return line["moved"] / (1e9 * floor["add"])
    return None


def table(runs, floor):
    """Yield (key, seconds by library, ratio to the best peer, percent of the floor, problem)."""
    ours = runs["gpuarray"]["results"]
    for key, line in ours.items():
        which = "host" if key.startswith("latency") and "float(" not in key else "seconds"
        times = {name: run["results"].get(key, {}) for name, run in runs.items()}
        same_size = {
            name: t
            for name, t in times.items()
            if t.get("moved") == line["moved"] and not t.get("problem")
        }
        seconds = {name: t[which] for name, t in same_size.items() if t.get(which)}
        peers = [s for name, s in seconds.items() if name not in ("gpuarray", "numpy")]
        mine, least = seconds.get("gpuarray"), floor_of(key, line, floor)
        ratio = min(peers) / mine if mine and peers else None
        percent = 100 * least / mine if mine and least else None
        yield key, seconds, ratio, percent, line["problem"]


def show(rows, libraries):
    """Print the table."""
    wide = max(len(row[0]) for row in rows) + 2
    names = "".join(f"{name:>12s}" for name in libraries)
    print(f"{'':{wide}s}{names}{'vs peer':>9s}{'of floor':>10s}")
    for key, seconds, ratio, percent, problem in rows:
        cells = "".join(
            f"{seconds[name] * 1e6:>10.1f}us" if name in seconds else f"{'-':>12s}"
            for name in libraries
        )
        print(
            f"{key:{wide}s}{cells}"
            + (f"{ratio:>8.2f}x" if ratio else f"{'':9s}")
            + (f"{percent:>9.0f}%" if percent else "")
            + (f"  PROBLEM {problem}" if problem else "")
        )


def compare(rows, kind, peer):
    """Geometric mean of a peer's seconds over ours for a kind of cases, how many, and those that are slower."""
    ratios = {
        key: seconds[peer] / seconds["gpuarray"]
        for key, seconds, *_ in rows
        if key.startswith(kind) and peer in seconds and "gpuarray" in seconds
    }
    if not ratios:
        return None
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    return mean, len(ratios), {key: ratio for key, ratio in ratios.items() if ratio < 1}


def summarise(rows, peers):
    """Print how each kind of cases stands against each peer."""
    for kind in KINDS:
        for peer in peers:
            found = compare(rows, kind, peer)
            if found:
                mean, count, slower = found
                worst = ", ".join(
                    f"{key.split(': ')[1]} {slower[key]:.2f}"
                    for key in sorted(slower, key=slower.get)
                )
                print(
                    f"{kind}: {mean:.2f} times as fast as {peer} ({count} cases); slower: {worst or 'none'}"
                )


def keep(folder, kept):
    """Write what there is so far; a later library may run out of time."""
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{datetime.date.today()}-{re.sub('[^a-z0-9]+', '-', kept['card'].lower())}.json"
    (folder / name).write_text(json.dumps(kept, indent=1) + "\n")


def main():
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--libraries", default="gpuarray,cupy,torch,numpy")
    parser.add_argument("--elements", type=int, default=1 << 28)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--results", default=HERE / "results", type=pathlib.Path)
    options = parser.parse_args()
    floor, runs, cold, card = measure_floor(), {}, {}, card_name()
    kept = {"card": card, "floor": floor, "runs": runs, "cold": cold, "quick": options.quick}
    flags = ["--elements", str(options.elements), "--kinds", options.kinds]
    flags += ["--quick"] if options.quick else []
    for name in options.libraries.split(","):
        run = run_json([sys.executable, HERE / "worker.py", name, *flags], 300)
        if run:
            runs[name] = run
        if name == "gpuarray" or (name == "cupy" and not options.quick):
            cold[name] = run_json([sys.executable, HERE / "cold.py", name], 150)
        keep(options.results, kept)
    if "gpuarray" not in runs:
        return 1
    rows = list(table(runs, floor))
    print(
        f"{card}; floor {floor}; "
        + ", ".join(f"{name} {run['version']}" for name, run in runs.items())
    )
    show(rows, list(runs))
    summarise(rows, [name for name in runs if name != "gpuarray"])
    print(f"cold start, seconds: {json.dumps(cold)}")
    return 1 if any(problem for *_, problem in rows) else 0


if __name__ == "__main__":
    sys.exit(main())

"""Side by side on one card in one job: gpuarray, CuPy, PyTorch, NumPy, and the floor that the hardware sets.

    python benchmarks/run.py [--quick] [--libraries gpuarray,cupy,torch,numpy] [--results DIR]

One process a library, the cases of cases.py, the floor of floor.cu (compiled with nvcc). Prints a table: seconds,
ratio to the best peer (above 1: we are faster), percent of the floor. Writes <date>-<card>.json into the results
folder.
"""

import argparse
import datetime
import json
import pathlib
import re
import subprocess
import sys
import tempfile

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
        reads_only = any(word in key for word in ("sum", "max", "mean"))
        return line["moved"] / (
            1e9 * floor["read" if reads_only else "add" if "+" in key else "copy"]
        )
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
    print(
        f"{'':32s}"
        + "".join(f"{name:>12s}" for name in libraries)
        + f"{'vs peer':>9s}{'of floor':>10s}"
    )
    for key, seconds, ratio, percent, problem in rows:
        cells = "".join(
            f"{seconds[name] * 1e6:>10.1f}us" if name in seconds else f"{'-':>12s}"
            for name in libraries
        )
        print(
            f"{key:32s}{cells}"
            + (f"{ratio:>8.2f}x" if ratio else f"{'':9s}")
            + (f"{percent:>9.0f}%" if percent else "")
            + (f"  PROBLEM {problem}" if problem else "")
        )


def main():
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--libraries", default="gpuarray,cupy,torch,numpy")
    parser.add_argument("--elements", type=int, default=1 << 28)
    parser.add_argument("--results", default=HERE / "results", type=pathlib.Path)
    options = parser.parse_args()
    floor, runs, cold = measure_floor(), {}, {}
    flags = ["--elements", str(options.elements), *(["--quick"] if options.quick else [])]
    for name in options.libraries.split(","):
        run = run_json([sys.executable, HERE / "worker.py", name, *flags], 300)
        if run:
            runs[name] = run
        if name in ("gpuarray", "cupy"):
            cold[name] = (run_json([sys.executable, HERE / "cold.py", name], 120) or {}).get(
                "seconds"
            )
    if "gpuarray" not in runs:
        return 1
    rows = list(table(runs, floor))
    card = card_name()
    print(
        f"{card}; floor {floor}; "
        + ", ".join(f"{name} {run['version']}" for name, run in runs.items())
    )
    show(rows, list(runs))
    print(f"cold start, seconds: {json.dumps(cold)}")
    options.results.mkdir(parents=True, exist_ok=True)
    name = f"{datetime.date.today()}-{re.sub('[^a-z0-9]+', '-', card.lower())}.json"
    kept = {"card": card, "floor": floor, "runs": runs, "cold": cold, "quick": options.quick}
    (options.results / name).write_text(json.dumps(kept, indent=1) + "\n")
    return 1 if any(problem for *_, problem in rows) else 0


if __name__ == "__main__":
    sys.exit(main())

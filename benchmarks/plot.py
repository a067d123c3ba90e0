"""Draws how much faster than CuPy every function is, or what scaling.py found.

python benchmarks/plot.py RESULTS.json PICTURE.png
"""

import json
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def find_ratios(runs, kinds):
    """Seconds of CuPy over ours, the slowest first, of the cases of some kinds."""
    ours, theirs = (runs[name]["results"] for name in ("gpuarray", "cupy"))
    ratios = {}
    for key, line in ours.items():
        other = theirs.get(key, {})
        if key.split(":")[0] in kinds and line["seconds"] and other.get("seconds"):
            ratios[key.split(": ", 1)[1]] = other["seconds"] / line["seconds"]
    return dict(sorted(ratios.items(), key=lambda item: item[1]))


def draw(axes, ratios, title):
    """One bar a case, on a logarithmic scale; named where there is room."""
    names, values = list(ratios), list(ratios.values())
    colours = ["tab:red" if value < 1 else "tab:green" for value in values]
    axes.bar(
        range(len(values)), [value - 1 for value in values], bottom=1, width=0.9, color=colours
    )
    axes.set_yscale("log")
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_title(title)
    axes.set_ylabel("times as fast as CuPy")
    if len(names) < 40:
        axes.set_xticks(range(len(names)), names, rotation=60, ha="right", fontsize=8)
    else:
        axes.set_xticks([])


def draw_scaling(kept):
    """Seconds over elements, a curve a call: on logarithmic axes what is linear is straight."""
    figure, axes = plt.subplots(figsize=(9, 6), layout="constrained")
    table = {10.0 ** int(power): times for power, times in kept["scaling"].items()}
    for number, name in enumerate(next(iter(table.values()))):
        points = [(n, times[name]) for n, times in table.items() if times[name]]
        style = "-" if number < 10 else "--"  # there are ten colours
        axes.loglog(*zip(*points, strict=True), style, marker="o", markersize=3, label=name)
    axes.set_xlabel("elements")
    axes.set_ylabel("seconds a call")
    axes.set_title(f"{kept['library']} {kept['version']}, {kept['card']}")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    return figure


def draw_ratios(kept):
    """All functions above, the workloads below."""
    figure, (above, below) = plt.subplots(2, 1, figsize=(10, 8), layout="constrained")
    functions = find_ratios(kept["runs"], ("functions", "linalg", "random"))
    draw(above, functions, f"{len(functions)} functions, {kept['card']}")
    workloads = find_ratios(kept["runs"], ("workloads",))
    draw(below, {name.split("(")[0]: ratio for name, ratio in workloads.items()}, "Workloads")
    return figure


def main():
    """Read, draw, keep."""
    kept = json.loads(pathlib.Path(sys.argv[1]).read_text())
    figure = draw_scaling(kept) if "scaling" in kept else draw_ratios(kept)
    figure.savefig(sys.argv[2], dpi=110)


if __name__ == "__main__":
    main()

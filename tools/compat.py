"""Writes docs/compat.md: for each name of NumPy whether it runs on the device, is composed there, or goes to the host.

python tools/compat.py           write the page
python tools/compat.py --check   exit with 1 if the page is not what would be written
"""

import argparse
import importlib
import sys
import types
import warnings
from pathlib import Path

import numpy

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "compat.md"

KINDS = {
    "native": "runs in kernels on the device",
    "composed": "a few native calls, put together in Python; on the device",
    "host": "runs in NumPy on the host, with a one-time PerformanceWarning where arrays are copied for it",
    "numpy": "NumPy's own object: dtypes, constants, classes, settings",
    "module": "a submodule",
}
SUBMODULES = ("linalg", "fft", "random", "emath")
SPECIAL_ROWS = "the ufuncs, which are the rows of csrc/tables/ufuncs.def from `erf` on, and `psi`"
SCIPYS = ("special", "signal", "ndimage")  # of which ours are a part


def classify_names(theirs, ours):
    """Kind of each public name of a module."""
    from gpuarray import _namespace

    names = getattr(theirs, "__all__", None) or [
        name for name in dir(theirs) if not name.startswith("_")
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            name: _namespace.classify(name, getattr(ours, name), theirs) for name in sorted(names)
        }


def format_table(kinds):
    """One line a kind: how many names, and which."""
    rows = []
    for kind in KINDS:
        names = [f"`{name}`" for name, each in kinds.items() if each == kind]
        if names:
            rows.append(f"**{kind}** ({len(names)}): {' '.join(names)}\n")
    return "\n".join(rows)


def classify_methods():
    """Kind of each public method and attribute of ndarray."""
    import gpuarray

    kinds = {}
    for name in sorted(name for name in dir(numpy.ndarray) if not name.startswith("_")):
        value = getattr(gpuarray.ndarray, name, None)
        if value is None:
            continue
        on_host = hasattr(value, "runs_on_host")
        kinds[name] = (
            "host" if on_host else "composed" if isinstance(value, types.FunctionType) else "native"
        )
    return kinds


def is_public_function(module, name):
    return name in getattr(module, "__all__", ()) or (
        not hasattr(module, "__all__")
        and not name.startswith("_")
        and callable(getattr(module, name))
    )


def name_version():
    return f"The names are those of NumPy {numpy.__version__.rpartition('.')[0]}."


def is_current():
    """Whether the page is right, as far as this version of NumPy can tell."""
    written = PAGE.read_text() if PAGE.exists() else ""
    return written == format_page() or (bool(written) and name_version() not in written)


def format_page():
    import gpuarray

    parts = [
        "# What runs where\n",
        "Made by `python -m tools.compat`; do not edit. Every public name of NumPy is a name of gpuarray:\n",
        "\n".join(f"- **{kind}**: {text}" for kind, text in KINDS.items()) + "\n",
        name_version() + "\n",
        "## numpy\n",
        format_table(classify_names(numpy, gpuarray)),
        "## numpy.ndarray\n",
        format_table(classify_methods()),
        "Methods of ufuncs: call, `reduce`, `accumulate`, `reduceat`, `outer` are native, "
        "and `at` is composed on CUDA.\n",
    ]
    for name in SUBMODULES:
        kinds = classify_names(getattr(numpy, name), getattr(gpuarray, name))
        parts += [f"## numpy.{name}\n", format_table(kinds)]
    for name in SCIPYS:
        ours = importlib.import_module(f"gpuarray.{name}")
        kinds = {each: "composed" for each in dir(ours) if is_public_function(ours, each)}
        rows = [each for each in kinds if isinstance(getattr(ours, each), gpuarray.ufunc)]
        parts += [f"## scipy.{name}\n"]
        parts += [f"**native**: {SPECIAL_ROWS}\n"] if rows else []
        parts += [format_table({each: kinds[each] for each in kinds if each not in rows})]
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    options = parser.parse_args()
    if not options.check:
        PAGE.write_text(format_page())
    elif not is_current():
        sys.exit("docs/compat.md is out of date: run python -m tools.compat")


if __name__ == "__main__":
    main()

"""Checks objects of nvcc for host code that calls device functions: in templates it compiles, and ends the process.

    python tools/check_host_calls.py [OBJECT...]      (all of build/ without arguments)

On the host nvcc gives a function that is only for the device a body that calls exit(), which nothing else here does.
Prints a line for each object that refers to it and exits with 1 if there is one.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def list_undefined(path):
    """Names that an object wants from elsewhere."""
    done = subprocess.run(
        ["nm", "--undefined-only", path], check=True, capture_output=True, text=True
    )
    return {line.split()[-1] for line in done.stdout.splitlines()}


def main():
    """Look at each object."""
    paths = [Path(name) for name in sys.argv[1:]] or sorted(ROOT.glob("build/**/cuda-*/**/*.o"))
    if not paths:
        print("no objects: build the CUDA library first", file=sys.stderr)
        return 1
    bad = [path for path in paths if "exit" in list_undefined(path)]
    for path in bad:
        print(f"{path.name}: host code calls a function that is only for the device")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

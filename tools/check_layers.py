"""Checks that every file includes and imports only what its layer may.

Layers from the bottom: csrc/tables, csrc/core, then csrc/python and kernels beside each other, then
gpuarray. Prints a line for each breach and exits with 1 if there is one.
"""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
C_FILES = {".c", ".h", ".def", ".cu", ".cuh", ".cc"}
PYTHON_HEADERS = re.compile(r"^(Python\.h|numpy/)")
CUDA_HEADERS = re.compile(
    r"^(cuda|cublas|cusolver|cufft|curand|cusparse|nvrtc|nvml|cub/|thrust/|cooperative_groups)"
)
TARGET_FILES = {"port.cuh", "types.cuh", "iterate.cuh", "block.cuh"}


@dataclass(frozen=True)
class Layer:
    """A folder, where its quoted includes may lie, and the system headers it may not see."""

    folder: str
    may_include: tuple[str, ...]
    forbidden: tuple[re.Pattern[str], ...]


LAYERS = (
    Layer("csrc/tables", ("csrc/tables/",), (PYTHON_HEADERS, CUDA_HEADERS)),
    Layer("csrc/core", ("csrc/tables/", "csrc/core/"), (PYTHON_HEADERS, CUDA_HEADERS)),
    Layer("csrc/python", ("csrc/tables/", "csrc/core/", "csrc/python/"), (CUDA_HEADERS,)),
    Layer(
        "kernels",
        ("csrc/tables/", "csrc/core/backend.h", "csrc/core/call/", "kernels/"),
        (PYTHON_HEADERS,),
    ),
)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    yield from enumerate(path.read_text().splitlines(), start=1)


def _check_quoted(layer: Layer, path: Path, name: str) -> str:
    """Why the quoted include `name` is wrong; empty if it is right."""
    target = (path.parent / name).resolve()
    if not target.is_file():
        return f'"{name}" is no file beside {path.name}: write includes relative to the file'
    place = target.relative_to(ROOT).as_posix() if target.is_relative_to(ROOT) else str(target)
    if not place.startswith(layer.may_include):
        return f"{layer.folder} may not include {place}"
    if path.name.endswith("_cpu.cc") and "_cuda" in target.name:
        return f"CPU code may not include {place}"
    return ""


def _check_system(layer: Layer, path: Path, name: str) -> str:
    if any(pattern.match(name) for pattern in layer.forbidden):
        return f"{layer.folder} may not include <{name}>"
    if path.name.endswith("_cpu.cc") and CUDA_HEADERS.match(name):
        return f"CPU code may not include <{name}>"
    return ""


def check_file(layer: Layer, path: Path) -> Iterator[tuple[int, str]]:
    """Line number and reason of each breach in a C, C++ or CUDA file."""
    for number, line in _lines(path):
        if quoted := re.match(r'\s*#\s*include\s+"([^"]+)"', line):
            reason = _check_quoted(layer, path, quoted[1])
        elif system := re.match(r"\s*#\s*include\s+<([^>]+)>", line):
            reason = _check_system(layer, path, system[1])
        elif re.match(r"\s*#\s*(el)?if.*\b__CUDACC__\b", line) and path.name not in TARGET_FILES:
            reason = f"__CUDACC__ belongs into {', '.join(sorted(TARGET_FILES))} only"
        else:
            continue
        if reason:
            yield number, reason


def check_python(path: Path) -> Iterator[tuple[int, str]]:
    """Line number and reason of each breach in a Python file of the package."""
    for node in ast.walk(ast.parse(path.read_text(), str(path))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        if any(name.split(".")[0] == "ctypes" for name in names):
            yield node.lineno, "gpuarray may not use ctypes"


def find_breaches() -> Iterator[str]:
    """All breaches in the tree, as file:line: reason."""
    for layer in LAYERS:
        for path in sorted(p for p in (ROOT / layer.folder).rglob("*") if p.suffix in C_FILES):
            for number, reason in check_file(layer, path):
                yield f"{path.relative_to(ROOT)}:{number}: {reason}"
    for path in sorted((ROOT / "gpuarray").rglob("*.py")):
        for number, reason in check_python(path):
            yield f"{path.relative_to(ROOT)}:{number}: {reason}"


def main() -> int:
    breaches = list(find_breaches())
    print("\n".join(breaches) if breaches else "layers: every include and import is in order")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())

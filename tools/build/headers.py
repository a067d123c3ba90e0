"""Puts the kernels' headers into one file of the package, from which programs are made at run time (gpuarray.fuse).

NVRTC has neither the source tree nor C++'s headers: what a header includes stands in its place, once, without
comments; REPLACED says what stands for headers that are for other compilers. "//@ name" stands before what comes of a
file, so that a program may take the parts that it uses (gpuarray/_fused_source.py).
"""

import os
import re
from pathlib import Path

ROOT_HEADERS = tuple(
    Path("kernels") / name for name in ("fused.cuh", "ufunc_op.cuh", "formula.cuh")
)
TEXT_FILE = "_fused_headers.cuh"
REPLACED = {"port.cuh": "program_port.cuh", "map_vector.cuh": None, "map_tile.cuh": None}
INCLUDE = re.compile(r'^#include "([^"]+)"$')
DROPPED = re.compile(r"^(#pragma once|#include <.*>)?\s*$")
ROW_BREAK = re.compile(r",\n\s+")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def _read(path: Path) -> list[str]:
    """The lines without comments; a row of a table is one."""
    text = COMMENT.sub("", path.read_text())
    return (ROW_BREAK.sub(", ", text) if path.suffix == ".def" else text).splitlines()


def _inline(path: Path, done: set[Path]) -> list[str]:
    """The lines of a file with those of the files it includes; tables (*.def) each time, all else once."""
    if path in done:
        return []
    if path.suffix != ".def":
        done.add(path)
    mark = f"//@ {path.name}"
    lines = [mark]
    for line in _read(path):
        if included := INCLUDE.match(line):
            name = REPLACED.get(included[1], included[1])
            if name:
                lines += [*_inline(Path(os.path.normpath(path.parent / name)), done), mark]
        elif not DROPPED.match(line):
            lines.append(line.rstrip())
    return lines


def bundle_headers() -> str:
    """The text of the file."""
    done: set[Path] = set()
    return "\n".join(line for root in ROOT_HEADERS for line in _inline(root, done)) + "\n"

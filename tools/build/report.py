"""Tells what a build made: some lines at its end, and _build_info.json for show_config()."""

import contextlib
import json
import runpy
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .settings import Settings

INFO_FILE = "_build_info.json"


@dataclass(frozen=True)
class Library:
    """One library: what compiled it and for which architectures, or why it is missing."""

    name: str
    compiler: str = ""
    archs: list[str] = field(default_factory=list)
    missing: str = ""

    def line(self) -> str:
        if self.missing:
            return f"{self.name}: not built ({self.missing})"
        archs = ", ".join(f"PTX {a[3:]}" if a.startswith("ptx") else f"sm_{a}" for a in self.archs)
        return f"{self.name}: {self.compiler}{' for ' + archs if archs else ''}"


def version() -> str:
    """The version of the package, from the one place that holds it."""
    return runpy.run_path("gpuarray/_version.py")["__version__"]


def _write_terminal(text: str) -> None:
    """Also to the terminal where there is one: pip shows a build's output only when it fails."""
    if sys.stderr.isatty():
        return
    with contextlib.suppress(OSError), open("/dev/tty", "w") as terminal:
        terminal.write("\n" + text)


def finish(target: Path, settings: Settings, libraries: Sequence[Library]) -> None:
    """Writes the record of a build into the package and prints it."""
    entries = [asdict(library) for library in libraries]
    info = {"version": version(), "variant": settings.variant, "libraries": entries}
    (target / INFO_FILE).write_text(json.dumps(info, indent=2) + "\n")
    text = f"gpuarray-cuda {version()}, built into {target}:\n"
    text += "".join(f"  {entry.line()}\n" for entry in libraries)
    print(text, end="", file=sys.stderr, flush=True)
    _write_terminal(text)

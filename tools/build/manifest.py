"""Writes ninja manifests: rules, compile edges with dependency files, link edges.

All paths are relative to the repository root, from which ninja runs, so that objects stay valid when
the checkout moves.
"""

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path


def _path(path: Path | str) -> str:
    return str(path).replace("$", "$$").replace(" ", "$ ").replace(":", "$:")


def _command(words: Iterable[str]) -> str:
    """A shell command; $in, $out and $flags stay ninja variables, everything else is quoted."""
    variables = ("$in", "$out", "$out.d", "$flags")
    return " ".join(w if w in variables else shlex.quote(w).replace("$", "$$") for w in words)


class Manifest:
    """The ninja statements of one component, whose outputs lie in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lines: list[str] = []

    def rule(self, name: str, command: Sequence[str], *, depends: bool = False) -> None:
        """A rule; with `depends` its command writes $out.d, by which headers are tracked."""
        self._lines += [f"rule {name}", f"  command = {_command(command)}"]
        self._lines += [f"  description = {name} $out"]
        if depends:
            self._lines += ["  depfile = $out.d", "  deps = gcc"]

    def edge(
        self,
        rule: str,
        output: Path,
        inputs: Sequence[Path],
        *,
        flags: Sequence[str] = (),
        needs: Sequence[Path] = (),
    ) -> Path:
        """One output made by `rule`; `needs` are inputs that do not stand on the command line."""
        implicit = " | " + " ".join(map(_path, needs)) if needs else ""
        explicit = " ".join(map(_path, inputs))
        self._lines.append(f"build {_path(output)}: {rule} {explicit}{implicit}")
        if flags:
            self._lines.append(f"  flags = {_command(flags)}")
        return output

    def write(self) -> Path:
        """Writes the manifest beside its outputs and returns its path."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / "rules.ninja"
        path.write_text("\n".join(self._lines) + "\n")
        return path


def write_root(folder: Path) -> Path:
    """The manifest of a variant: every component that was ever set up in it.

    The union, not only what this build wants: ninja forgets the headers of objects that no manifest
    names.
    """
    lines = ["ninja_required_version = 1.10", f"builddir = {_path(folder)}"]
    lines += [f"subninja {_path(path)}" for path in sorted(folder.glob("*/rules.ninja"))]
    path = folder / "build.ninja"
    path.write_text("\n".join(lines) + "\n")
    return path

"""Finds the C and C++ compilers and nvcc, and decides which GPU architectures to compile for.

Users write architectures as in `80;90+PTX`: machine code for 8.0 and 9.0, and PTX of 9.0, which the
driver compiles for any later card. In here that is ["80", "90", "ptx90"].
"""

import functools
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .settings import BuildError, Settings

COMPILERS = {"C": ("CC", ("gcc", "clang", "cc")), "C++": ("CXX", ("g++", "clang++", "c++"))}
ALL_ARCHS = (75, 80, 86, 89, 90, 100, 120)  # and PTX of the last
PORTABLE_ARCHS = ("90", "ptx75")  # machine code for one common card, PTX so that any other starts
# What a processor of each level has that no older one has, the best level first
LEVELS = {
    "x86-64-v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
    "x86-64-v3": {"avx2", "bmi2", "f16c", "fma", "movbe"},
}
WIDE_VECTORS = "-mprefer-vector-width=512"
WHEEL_FOLDERS = ("nvidia/cu13", "nvidia/cuda_nvcc")  # of the nvidia-cuda-nvcc wheels


@dataclass(frozen=True)
class Compiler:
    """A C or C++ compiler: its command, and its first line of --version."""

    command: tuple[str, ...]
    version: str

    @property
    def is_clang(self) -> bool:
        return "clang" in self.version


@dataclass(frozen=True)
class Nvcc:
    """The CUDA compiler, with the folder of the toolkit around it and its version."""

    path: Path
    version: tuple[int, int]
    supported: frozenset[int]

    @property
    def root(self) -> Path:
        return self.path.parent.parent

    @property
    def library_folders(self) -> list[Path]:
        places = (self.root / "lib64", self.root / "lib", self.root / "targets/x86_64-linux/lib")
        return [place for place in places if (place / "libcudart_static.a").is_file()]


def _output(*command: str) -> str:
    """What a command prints; empty when it is missing or fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


def find_compiler(language: str, chosen: tuple[str, ...]) -> Compiler:
    """The compiler for "C" or "C++": the chosen command, else GNU's, else Clang."""
    variable, names = COMPILERS[language]
    for command in [chosen] if chosen else [(name,) for name in names if shutil.which(name)]:
        version = _output(*command, "--version")
        if version:
            return Compiler(command, version.splitlines()[0])
    if chosen:
        raise BuildError(f"{variable} names {' '.join(chosen)!r}, which does not run")
    raise BuildError(
        f"no {language} compiler found: install gcc and g++ (Debian and Ubuntu: apt-get install gcc "
        f"g++; Fedora: dnf install gcc gcc-c++), or set {variable}, and run this again"
    )


def _processor_flags() -> set[str]:
    """What this machine's processor can do, as Linux names it; empty where that is not known."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return set()
    found = re.search(r"^flags\s*:(.*)$", text, re.MULTILINE)
    return set(found[1].split()) if found else set()


def machine_flags(cpu_arch: str) -> tuple[str, ...]:
    """Flags that say which processors code is for; none where the compiler's own choice stands."""
    if cpu_arch == "auto":
        flags = _processor_flags()
        cpu_arch = next((level for level, needs in LEVELS.items() if needs <= flags), "")
    wide = (WIDE_VECTORS,) if cpu_arch == "x86-64-v4" else ()
    return (f"-march={cpu_arch}", *wide) if cpu_arch else ()


def _nvcc_candidates() -> list[Path]:
    """Places to look for nvcc, best first."""
    roots = [Path(os.environ[name]) for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)]
    found = [root / "bin/nvcc" for root in roots]
    if on_path := shutil.which("nvcc"):
        found.append(Path(on_path))
    found.append(Path("/usr/local/cuda/bin/nvcc"))
    # An isolated build sees its own sys.path, yet sysconfig still knows the environment it is for.
    sites = dict.fromkeys([sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *sys.path])
    toolkits = [Path(site) / folder for site in sites if site for folder in WHEEL_FOLDERS]
    return found + [toolkit / "bin/nvcc" for toolkit in toolkits]


@functools.cache
def find_nvcc() -> Nvcc | None:
    """The first nvcc that runs, or None."""
    for path in _nvcc_candidates():
        release = re.search(r"release (\d+)\.(\d+)", _output(str(path), "--version"))
        if release:
            supported = re.findall(r"compute_(\d+)\b", _output(str(path), "--list-gpu-arch"))
            version = (int(release[1]), int(release[2]))
            return Nvcc(path.resolve(), version, frozenset(map(int, supported)))
    return None


def card_archs() -> list[int]:
    """Compute capabilities of this machine's cards as in 90, each once; empty without a driver."""
    listed = _output("nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader")
    pairs = re.findall(r"^(\d+)\.(\d+)\s*$", listed, re.M)
    return sorted({int(major) * 10 + int(minor) for major, minor in pairs})


def _number(entry: str) -> int:
    return int(entry.removeprefix("ptx"))


def _parse_archs(text: str) -> list[str]:
    """The user's list, sorted; a BuildError if it is none."""
    chosen = set()
    for entry in re.split(r"[;,\s]+", text.strip(";, ")):
        parts = re.fullmatch(r"(\d{1,2})\.?(\d)(\+PTX)?", entry, re.IGNORECASE)
        if not parts:
            raise BuildError(
                f"GPUARRAY_CUDA_ARCHS is {text!r}; it is a list like 90 or 80;90+PTX, or the word all"
            )
        chosen |= {parts[1] + parts[2], *(["ptx" + parts[1] + parts[2]] if parts[3] else [])}
    return sorted(chosen, key=lambda entry: (entry.startswith("ptx"), _number(entry)))


def choose_archs(settings: Settings, nvcc: Nvcc) -> list[str]:
    """What to compile for: the user's list, else this machine's cards, else PORTABLE_ARCHS."""
    if settings.archs == "all":
        known = [str(arch) for arch in ALL_ARCHS if arch in nvcc.supported]
        return [*known, "ptx" + known[-1]]
    if settings.archs:
        chosen = _parse_archs(settings.archs)
        unknown = [entry for entry in chosen if _number(entry) not in nvcc.supported]
        if unknown:
            raise BuildError(f"GPUARRAY_CUDA_ARCHS: {nvcc.path} cannot compile for {unknown[0]}")
        return chosen
    cards = card_archs()
    if cards and nvcc.supported.issuperset(cards):
        return [str(arch) for arch in cards]
    return list(PORTABLE_ARCHS)


def describe_archs(archs: Sequence[str]) -> str:
    """The list as users write it; also what the CUDA backend is told that it holds."""
    return ";".join(f"{_number(a)}+PTX" if a.startswith("ptx") else a for a in archs)

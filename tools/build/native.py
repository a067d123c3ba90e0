"""Runs a build: sets up the components, has ninja make them, puts the libraries into the package.

Objects stay under build/<variant>/, so an unchanged tree is installed again in seconds, whichever
environment asks. Installed libraries are replaced as whole files: a process that has the old one open
keeps it.
"""

import fcntl
import filecmp
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from . import components, report
from .components import CUDA_LIBRARY, NumpyHeaders
from .headers import TEXT_FILE, bundle_headers
from .manifest import write_root
from .settings import BuildError, Settings
from .toolchain import Compiler, Nvcc, choose_archs, find_compiler, find_nvcc

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path("build")
NO_NVCC = (
    "nvcc was not found in CUDA_HOME, CUDA_PATH, PATH, /usr/local/cuda or site-packages; install the "
    "CUDA toolkit, or the wheels that docs/building.md lists, and install again"
)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One build at a time in a variant's folder; a second waits."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _replace(source: Path, target: Path) -> None:
    """Copies a file in one step, unless the target has the same content."""
    if target.is_file() and filecmp.cmp(source, target, shallow=False):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(f"{target.name}.{os.getpid()}")
    shutil.copy2(source, fresh)
    os.replace(fresh, target)


def _numpy_headers() -> NumpyHeaders:
    """NumPy's headers, copied once to where the next build environment finds them too."""
    try:
        import numpy
    except ImportError:
        raise BuildError("NumPy is needed to build: python -m pip install 'numpy>=2.0'") from None
    source, target = Path(numpy.get_include()), BUILD / f"numpy-include-{numpy.__version__}"
    for header in source.rglob("*.h"):
        _replace(header, target / header.relative_to(source))
    return NumpyHeaders(numpy.__version__, target)


def _check_python_headers() -> None:
    folder = Path(sysconfig.get_path("include"))
    if not (folder / "Python.h").is_file():
        raise BuildError(
            f"Python.h is not in {folder}: install Python's development package (Debian and Ubuntu: "
            "apt-get install python3-dev; Fedora: dnf install python3-devel), and run this again"
        )


def _ninja_path() -> str:
    try:
        import ninja

        return os.path.join(ninja.BIN_DIR, "ninja")
    except ImportError:
        if path := shutil.which("ninja"):
            return path
    raise BuildError("ninja is needed to build: python -m pip install ninja")


def _run_ninja(root: Path, settings: Settings, targets: Sequence[Path]) -> None:
    jobs = settings.jobs or len(os.sched_getaffinity(0))
    command = [_ninja_path(), "-f", str(write_root(root)), "-j", str(jobs), *map(str, targets)]
    sys.stdout.flush()
    if subprocess.run(command).returncode:
        raise BuildError("a compile step failed; the compiler's own message stands above")


def _wants_cuda(settings: Settings) -> Nvcc | None:
    """nvcc if this build is to use it."""
    if settings.cuda in ("0", "prebuilt") or settings.sanitize:
        return None
    nvcc = find_nvcc()
    if nvcc is None and settings.cuda == "1":
        raise BuildError(f"GPUARRAY_CUDA=1, but {NO_NVCC}")
    return nvcc


def _why_no_cuda(settings: Settings) -> str:
    if settings.sanitize:
        return "sanitizer builds have the CPU backend only"
    return "GPUARRAY_CUDA=0" if settings.cuda == "0" else NO_NVCC


def _describe_cuda(settings: Settings, nvcc: Nvcc | None, archs: Sequence[str]) -> report.Library:
    if nvcc:
        return report.Library(CUDA_LIBRARY, "nvcc " + ".".join(map(str, nvcc.version)), list(archs))
    if settings.cuda == "prebuilt":
        return report.Library(CUDA_LIBRARY, "kept as it was (GPUARRAY_CUDA=prebuilt)")
    return report.Library(CUDA_LIBRARY, missing=_why_no_cuda(settings))


def _place(target: Path, built: Sequence[Path], settings: Settings) -> None:
    """Puts the libraries into the package, and takes away a CUDA backend that is none of them."""
    for library in built:
        _replace(library, target / library.name)
    prebuilt = target / CUDA_LIBRARY
    if settings.cuda == "prebuilt":
        kept = Path("gpuarray") / CUDA_LIBRARY
        if not kept.is_file():
            raise BuildError(f"GPUARRAY_CUDA=prebuilt, but there is no {kept}")
        if target.resolve() != kept.parent.resolve():
            _replace(kept, prebuilt)
    elif CUDA_LIBRARY not in [library.name for library in built]:
        prebuilt.unlink(missing_ok=True)


def _in_root(task: Callable[..., None]) -> Callable[..., None]:
    """Runs a task from the repository root, which all paths of a manifest start from."""

    def wrapped(*arguments: object) -> None:
        before = Path.cwd()
        os.chdir(ROOT)
        try:
            task(*arguments)
        finally:
            os.chdir(before)

    return wrapped


@_in_root
def build_package(settings: Settings, target: Path) -> None:
    """Builds all libraries into the package folder `target`, with a record of what they are."""
    cc, cxx = find_compiler("C", settings.cc), find_compiler("C++", settings.cxx)
    _check_python_headers()
    nvcc = _wants_cuda(settings)
    archs = choose_archs(settings, nvcc) if nvcc else []
    root = BUILD / settings.variant
    with _locked(root):
        numpy = _numpy_headers()
        core, core_objects = components.core(root, settings, cc)
        python, extension = components.python(root, settings, cc, numpy, core_objects)
        cpu, cpu_library = components.cpu(root, settings, cxx)
        manifests, built = [core, python, cpu], [extension, cpu_library]
        if nvcc:
            cuda, cuda_library = components.cuda(root, nvcc, archs)
            manifests, built = [*manifests, cuda], [*built, cuda_library]
        for manifest in manifests:
            manifest.write()
        _run_ninja(root, settings, built)
        _place(target, built, settings)
        (target / TEXT_FILE).write_text(bundle_headers())
    headers = f"Python {sys.version.split()[0]}, NumPy {numpy.version} headers"
    libraries = [
        report.Library(extension.name, f"{headers}, {cc.version}"),
        report.Library(cpu_library.name, cxx.version),
        _describe_cuda(settings, nvcc, archs),
    ]
    report.finish(target, settings, libraries)


@_in_root
def check_warnings(settings: Settings) -> None:
    """Compiles csrc with the project's warnings as errors."""
    cc: Compiler = find_compiler("C", settings.cc)
    root = BUILD / settings.variant
    with _locked(root):
        manifest, objects = components.strict(root, cc, _numpy_headers())
        manifest.write()
        _run_ninja(root, settings, objects)


@_in_root
def run_c_tests(settings: Settings) -> None:
    """Builds and runs every program of tests/c; the first one that fails ends the run."""
    cc = find_compiler("C", settings.cc)
    root = BUILD / settings.variant
    with _locked(root):
        core, core_objects = components.core(root, settings, cc)
        tests, programs = components.c_tests(root, settings, cc, core_objects)
        for manifest in (core, tests):
            manifest.write()
        _run_ninja(root, settings, programs)
    for program in programs:
        print(f"== {program.name}", flush=True)
        if code := subprocess.run([program]).returncode:
            raise BuildError(f"C test {program.name} failed (exit status {code})")
    print(f"{len(programs)} C test programs passed", flush=True)

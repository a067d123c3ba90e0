"""Which sources become which library, and with which flags.

core    csrc/core, plain C: part of every _core, and what the C tests link
python  csrc/python: one _core for each Python version, over the shared core objects
cpu     kernels/*.cu as C++, and kernels/*_cpu.cc: libga_cpu.so
cuda    kernels/*.cu, and kernels/*_cuda.cc, which have no kernels, by nvcc: libga_cuda.so
Kernel files named *_groups.cu are compiled once for each group of the dtypes of dtypes.def, so that the work
is parallel and even. GA_STORED rows are compiled where STORED says so.
"""

import re
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .manifest import Manifest
from .settings import Settings
from .toolchain import Compiler, Nvcc, describe_archs, machine_flags

CORE = Path("csrc/core")
PYTHON = Path("csrc/python")
KERNELS = Path("kernels")
EXPORTS = KERNELS / "exports.map"
VECTOR_MATH = KERNELS / "math_cpu.h"
CPU_LIBRARY, CUDA_LIBRARY = "libga_cpu.so", "libga_cuda.so"
DTYPES = Path("csrc/tables/dtypes.def")

C_FLAGS = ("-std=c11", "-O2", "-fPIC", "-fvisibility=hidden", "-fno-strict-aliasing")
C_WARNINGS = ("-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Wmissing-prototypes", "-Werror")
CXX_FLAGS = (
    *("-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", "-fno-exceptions", "-fno-rtti"),
    *("-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"),
)
NVCC_FLAGS = (
    *("-std=c++17", "-fmad=false", "--expt-relaxed-constexpr", "-cudart=static"),
    "-Xcompiler=-fPIC,-fvisibility=hidden,-fno-gnu-unique",
    "-diag-suppress=186",  # an unsigned value compared with zero, which templates do
)
# A quarter of the size for a twentieth more of nvcc's time; the driver unpacks a kernel's module once.
COMPRESSED = "--compress-mode=size"
# -O2 with -O3's willingness to make vectors, for a third less time; where -O3 is asked for, without clones of functions
# for constant arguments, which took a tenth of its time and made no call faster
GCC_VECTORS = ("-ftree-vectorize", "-fvect-cost-model=dynamic", "-fno-ipa-cp-clone")
# Their accumulators stay in registers only where the loops over them are unrolled: -O2 is three to seven times slower.
THOROUGH = ("reduce_groups", "argreduce_groups", "moments_groups", "present")
STORED = ("ufunc_groups",)
# Objects of a *_groups.cu: more where they would take long; each has headers to parse, 1.4 seconds of nvcc's.
GROUPS = {"ufunc_groups": 9, "reduce_groups": 4, "scan_groups": 4}
FEW_GROUPS = 2
# Of host code; nvcc optimises kernels fully at any level. Loops have nothing but launchers there.
HOST_LEVEL, LAUNCHER_LEVEL = "-O3", "-O1"
DEPENDS = ("-MD", "-MF", "$out.d")
COMPILE = (*DEPENDS, "-c", "$in", "-o", "$out")
LIBRARIES = ("-ldl", "-lpthread", "-lm")


@dataclass(frozen=True)
class NumpyHeaders:
    """A copy of NumPy's headers at a path that outlives an isolated build environment."""

    version: str
    folder: Path


def _sources(folder: Path, pattern: str) -> list[Path]:
    return sorted(folder.glob(pattern))


def _object(manifest: Manifest, source: Path, suffix: str = "") -> Path:
    return manifest.folder / f"{source.name}{suffix}.o"


def _sanitizer_flags(settings: Settings) -> tuple[str, ...]:
    if not settings.sanitize:
        return ()
    return (
        f"-fsanitize={','.join(settings.sanitize)}",
        *("-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-g1", "-O1"),
    )


def core(root: Path, settings: Settings, cc: Compiler) -> tuple[Manifest, list[Path]]:
    """The objects of csrc/core."""
    manifest = Manifest(root / "core")
    flags = (*C_FLAGS, *_sanitizer_flags(settings), *settings.cflags)
    manifest.rule("cc", (*cc.command, *flags, *COMPILE), depends=True)
    return manifest, [manifest.edge("cc", _object(manifest, s), [s]) for s in _sources(CORE, "*.c")]


def _python_includes(numpy: NumpyHeaders) -> list[str]:
    python_folders = (sysconfig.get_path("include"), sysconfig.get_path("platinclude"))
    folders = dict.fromkeys([*python_folders, str(numpy.folder)])
    return [word for folder in folders for word in ("-isystem", folder)]


def python_tag(numpy: NumpyHeaders) -> str:
    """Names what the objects of csrc/python depend on besides their sources."""
    release = ".".join(map(str, sys.version_info[:3]))
    return f"python-{release}-{sysconfig.get_config_var('SOABI')}-numpy-{numpy.version}"


def extension_name() -> str:
    return "_core" + sysconfig.get_config_var("EXT_SUFFIX")


def python(
    root: Path, settings: Settings, cc: Compiler, numpy: NumpyHeaders, core_objects: Sequence[Path]
) -> tuple[Manifest, Path]:
    """The extension module _core."""
    manifest = Manifest(root / python_tag(numpy))
    sanitize = _sanitizer_flags(settings)
    flags = (*C_FLAGS, *sanitize, *settings.cflags, *_python_includes(numpy))
    manifest.rule("cc", (*cc.command, *flags, *COMPILE), depends=True)
    link = (*cc.command, "-shared", *sanitize, "$in", "-o", "$out", *LIBRARIES)
    manifest.rule("link", link)
    objects = [manifest.edge("cc", _object(manifest, s), [s]) for s in _sources(PYTHON, "*.c")]
    return manifest, manifest.edge(
        "link", manifest.folder / extension_name(), [*objects, *core_objects]
    )


def dtype_ids(stored: bool = False) -> list[str]:
    """The ids of dtypes.def in the table's order."""
    rows = "GA_(?:DTYPE|STORED)" if stored else "GA_DTYPE"
    return re.findall(rf"^{rows}\((\w+),", DTYPES.read_text(), re.M)


def _dtype_groups(family: str) -> list[list[str]]:
    """Dealt out in turn, so that neighbours, which cost alike, are spread evenly."""
    ids, count = dtype_ids(family in STORED), GROUPS.get(family, FEW_GROUPS)
    return [ids[k::count] for k in range(count)]


def _kernel_objects(
    manifest: Manifest, other_suffix: str
) -> Iterator[tuple[Path, Path, list[str]]]:
    """Object, source and flags of each compile step from .cu files not the other backend's."""
    for source in _sources(KERNELS, "*.cu"):
        if source.stem.endswith(other_suffix):
            continue
        if source.stem.endswith("_groups"):
            for group in _dtype_groups(source.stem):
                loops = "".join(f"GA_LOOP({dtype})" for dtype in group)
                target = _object(manifest, source, "." + "-".join(group))
                yield target, source, [f"-DGA_LOOPS={loops}"]
        else:
            yield _object(manifest, source), source, []


def _thorough_flags(source: Path, settings: Settings) -> tuple[str, ...]:
    return ("-O3",) if source.stem in THOROUGH and not settings.sanitize else ()


def cpu(root: Path, settings: Settings, cxx: Compiler) -> tuple[Manifest, Path]:
    """The CPU backend."""
    manifest = Manifest(root / "cpu")
    sanitize = _sanitizer_flags(settings)
    own = () if cxx.is_clang else ("-fno-gnu-unique", *GCC_VECTORS)
    machine = (*machine_flags(settings.cpu_arch), "-include", str(VECTOR_MATH))
    defined = () if sanitize else ("-Wl,-z,defs",)
    flags = (*CXX_FLAGS, *machine, *own, *sanitize, *settings.cxxflags, "$flags", "-x", "c++")
    manifest.rule("cxx", (*cxx.command, *flags, *COMPILE), depends=True)
    exports = (f"-Wl,--version-script={EXPORTS}", *defined)
    link = (*cxx.command, "-shared", *sanitize, *exports, "$in", "-o", "$out", *LIBRARIES)
    manifest.rule("link", link)
    objects = [
        manifest.edge("cxx", target, [source], flags=[*flags, *_thorough_flags(source, settings)])
        for target, source, flags in _kernel_objects(manifest, "_cuda")
    ]
    pairs = _sources(KERNELS, "*_cpu.cc")
    objects += [manifest.edge("cxx", _object(manifest, s), [s]) for s in pairs]
    library = manifest.folder / CPU_LIBRARY
    return manifest, manifest.edge("link", library, objects, needs=[EXPORTS])


def _gencode(arch: str) -> str:
    number = arch.removeprefix("ptx")
    return f"-gencode=arch=compute_{number},code={'compute' if arch.startswith('ptx') else 'sm'}_{number}"


def cuda(root: Path, nvcc: Nvcc, archs: Sequence[str]) -> tuple[Manifest, Path]:
    """The CUDA backend for the given architectures."""
    manifest = Manifest(root / ("cuda-" + "-".join(archs)))
    flags = (
        *NVCC_FLAGS,
        *map(_gencode, archs),
        COMPRESSED if len(archs) > 1 else "--compress-mode=none",
        f'-DGA_CUDA_ARCHS="{describe_archs(archs)}"',
    )
    manifest.rule("nvcc", (str(nvcc.path), *flags, "$flags", *COMPILE), depends=True)
    folders = [f"-L{folder}" for folder in nvcc.library_folders]
    exports = f"-Xlinker=--version-script={EXPORTS}"
    link = (str(nvcc.path), "-shared", "-cudart=static", exports, *folders, "$in", "-o", "$out")
    manifest.rule("link", (*link, *LIBRARIES, "-lrt"))
    objects = [
        manifest.edge(
            "nvcc", target, [source], flags=[*flags, LAUNCHER_LEVEL if flags else HOST_LEVEL]
        )
        for target, source, flags in _kernel_objects(manifest, "_cpu")
    ]
    host = _sources(KERNELS, "*_cuda.cc")  # parsed once, by the host's compiler
    objects += [manifest.edge("nvcc", _object(manifest, s), [s], flags=[HOST_LEVEL]) for s in host]
    library = manifest.folder / CUDA_LIBRARY
    return manifest, manifest.edge("link", library, objects, needs=[EXPORTS])


def strict(root: Path, cc: Compiler, numpy: NumpyHeaders) -> tuple[Manifest, list[Path]]:
    """csrc compiled with every warning an error; the core without Python's headers in reach."""
    manifest = Manifest(root / ("strict-" + python_tag(numpy)))
    words = (*cc.command, *C_FLAGS, *C_WARNINGS, "$flags", *COMPILE)
    manifest.rule("strict", words, depends=True)
    sources = _sources(CORE, "*.c")
    objects = [manifest.edge("strict", _object(manifest, s, ".core"), [s]) for s in sources]
    objects += [
        manifest.edge("strict", _object(manifest, s, ".python"), [s], flags=_python_includes(numpy))
        for s in _sources(PYTHON, "*.c")
    ]
    return manifest, objects


def c_tests(
    root: Path, settings: Settings, cc: Compiler, core_objects: Sequence[Path]
) -> tuple[Manifest, list[Path]]:
    """A program for each tests/c/*.c, linked with the core's objects."""
    manifest = Manifest(root / "c_tests")
    words = (*cc.command, *C_FLAGS, *_sanitizer_flags(settings), *DEPENDS, "$in", "-o", "$out")
    manifest.rule("program", (*words, *LIBRARIES), depends=True)
    sources = _sources(Path("tests/c"), "*.c")
    return manifest, [
        manifest.edge("program", manifest.folder / s.stem, [s, *core_objects]) for s in sources
    ]

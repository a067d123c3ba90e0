"""python -m tools.build [COMMAND]: what `make` and .ci/run call, without pip.

in-place     builds all libraries beside the Python files (the default)
into FOLDER  makes FOLDER a copy of the package with the libraries in it
warnings     compiles csrc with every warning an error
c-tests      builds and runs the programs of tests/c
has-nvcc     exits with 1 if there is no CUDA compiler
"""

import shutil
import sys
from pathlib import Path

from .native import ROOT, build_package, check_warnings, run_c_tests
from .settings import BuildError, read_settings
from .toolchain import find_nvcc


def build_copy(folder: Path) -> None:
    """The package with this build's libraries in another folder; the tree's own stay untouched."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "gpuarray", folder, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    build_package(read_settings(), folder)


def main(arguments: list[str]) -> None:
    match arguments:
        case [] | ["in-place"]:
            build_package(read_settings(), ROOT / "gpuarray")
        case ["into", folder]:
            build_copy(Path(folder).resolve())
        case ["warnings"]:
            check_warnings(read_settings())
        case ["c-tests"]:
            run_c_tests(read_settings())
        case ["has-nvcc"]:
            sys.exit(find_nvcc() is None)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except BuildError as error:
        sys.exit(f"gpuarray-cuda: {error}")

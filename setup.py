"""Builds gpuarray's libraries within a setuptools build.

The metadata is in pyproject.toml, the compiling in tools/build.
"""

import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))

from tools.build.components import extension_name  # noqa: E402
from tools.build.native import build_package  # noqa: E402
from tools.build.settings import BuildError, read_settings  # noqa: E402


class BuildLibraries(build_ext):
    """Hands the job to tools/build; an editable or in-place build puts the result into the tree."""

    def run(self):
        in_place = self.inplace or self.editable_mode
        target = ROOT / "gpuarray" if in_place else Path(self.build_lib).resolve() / "gpuarray"
        try:
            build_package(read_settings(), target)
        except BuildError as error:
            sys.exit(f"gpuarray-cuda: {error}")

    def get_outputs(self):
        return [str(Path(self.build_lib) / "gpuarray" / extension_name())]

    def get_output_mapping(self):
        return {}


# The one extension marks the wheel as a platform's; tools/build finds its sources.
setup(ext_modules=[Extension("gpuarray._core", sources=[])], cmdclass={"build_ext": BuildLibraries})

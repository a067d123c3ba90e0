"""The version: that of the installed distribution, or of the checkout where it is only built in place."""

import tomllib
from importlib import metadata
from pathlib import Path


def find_version():
    try:
        return metadata.version("gpuarray-cuda")
    except metadata.PackageNotFoundError:
        project = Path(__file__).resolve().parent.parent / "pyproject.toml"
        return tomllib.loads(project.read_text())["project"]["version"]


__version__ = find_version()

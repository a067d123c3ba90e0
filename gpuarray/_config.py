"""What this installation is made of and what it found on this machine: show_config and the report of the main job."""

import platform

import numpy

from gpuarray import _core
from gpuarray._libraries import use_wheels
from gpuarray._version import __version__

__all__ = ["show_config"]


def describe():
    """Facts as a dict: versions, devices, driver and runtime of CUDA, why there is no CUDA, builds, libraries.

    Asking opens the CUDA backend, where there is one.
    """
    reason = _core.backend_reason("cuda")
    devices = [{"device": str(device), **_core.device_info(device)} for device in _core.devices()]
    gpus = [device for device in devices if device["device"] != "cpu"]
    if reason is None and not gpus:
        reason = "no CUDA device is visible"
    return {
        "version": __version__,
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "devices": devices,
        "default_device": str(_core.default_device()),
        "driver": format_cuda(gpus[0]["driver_version"]) if gpus else None,
        "runtime": format_cuda(gpus[0]["runtime_version"]) if gpus else None,
        "cuda_reason": reason,
        "builds": {
            name: _core.backend_build(name)
            for name in ("cpu", "cuda")
            if _core.backend_reason(name) is None
        },
        "libraries": describe_libraries() if gpus else {},
    }


def describe_libraries():
    """Version, or the reason why it is missing, of each library that the CUDA backend opens on first use."""
    use_wheels()
    return dict(_core.libraries("cuda"))


def format_cuda(version):
    """13000 as '13.0'."""
    return f"{version // 1000}.{version % 1000 // 10}" if version else None


def show_config(mode="stdout"):
    """Print versions, devices, libraries and, where CUDA is not used, the reason.

    mode: 'stdout' prints, 'dicts' returns the facts instead.
    """
    if mode not in ("stdout", "dicts"):
        raise ValueError(f"mode must be 'stdout' or 'dicts', not {mode!r}")
    facts = describe()
    if mode == "dicts":
        return facts
    print("\n".join(format_lines(facts)))
    return None


def format_lines(facts):
    """The report as lines of text."""
    yield f"gpuarray {facts['version']}, NumPy {facts['numpy']}, Python {facts['python']}"
    for device in facts["devices"]:
        memory = device["total_memory"] / 2**30
        mark = " (default)" if device["device"] == facts["default_device"] else ""
        yield f"  {device['device']:8s} {device['name']}, {memory:.1f} GiB memory{mark}"
    if facts["driver"]:
        yield f"  CUDA     driver {facts['driver']}, runtime {facts['runtime']}"
    if facts["cuda_reason"]:
        yield f"  no CUDA  {facts['cuda_reason']}"
    for name, build in facts["builds"].items():
        yield f"  build    {name}: {build}"
    for name, state in facts["libraries"].items():
        yield f"  library  {name}: {state}"

"""Streams, events, devices and memory, under the names that CuPy's users know.

Everything here works without a GPU too: is_available() is False then, and the CPU device has streams that do nothing.
"""

from gpuarray import _core
from gpuarray._core import (
    Device,
    Event,
    Stream,
    free_memory,
    largest_arrays,
    memory_info,
    memory_stats,
    reset_peak_memory,
    set_memory_limit,
    set_memory_tracing,
    synchronize,
)

__all__ = [
    "Device",
    "Event",
    "Stream",
    "device_count",
    "free_memory",
    "get_device_properties",
    "is_available",
    "largest_arrays",
    "memory_info",
    "memory_stats",
    "reason",
    "reset_peak_memory",
    "set_memory_limit",
    "set_memory_tracing",
    "synchronize",
]


def device_count():
    """Number of CUDA devices that can be used."""
    return sum(device.type == "cuda" for device in _core.devices())


def is_available():
    """Whether there is a CUDA device that can be used."""
    return device_count() > 0


def reason():
    """Why CUDA is not available; None if it is."""
    why = _core.backend_reason("cuda")
    return why if why is not None or is_available() else "no CUDA device is visible"


def get_device_properties(device="cuda:0"):
    """Name, memory, architecture and versions of a device, as a dict."""
    return _core.device_info(device)

"""What the array API standard asks a namespace about itself. Dtypes and capabilities are NumPy's own answers."""

import numpy

from gpuarray import _core

__all__ = ["__array_api_version__", "__array_namespace_info__"]

__array_api_version__ = "2025.12"


class __array_namespace_info__:
    """Devices, dtypes and capabilities of gpuarray, as the array API standard asks for them."""

    def __init__(self):
        self.theirs = numpy.__array_namespace_info__()

    def capabilities(self):
        """What depends on data, and the largest number of dimensions."""
        return {**self.theirs.capabilities(), "max dimensions": 64}

    def default_device(self):
        """Where arrays go when no device is named."""
        return _core.default_device()

    def devices(self):
        """All devices that can be used, as a tuple."""
        return tuple(_core.devices())

    def default_dtypes(self, *, device=None):
        """The dtypes of results when none is named, the same on every device."""
        _core.Device(device)
        return self.theirs.default_dtypes()

    def dtypes(self, *, device=None, kind=None):
        """The standard's dtypes of a kind, or of a tuple of kinds, the same on every device."""
        _core.Device(device)
        return self.theirs.dtypes(kind=kind)

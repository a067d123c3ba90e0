"""Functions that answer in complex numbers where real ones do not reach, as numpy.emath; on the host so far."""

import numpy.lib.scimath

from gpuarray._fallback import wrap

__all__ = list(numpy.lib.scimath.__all__)

globals().update(
    {name: wrap(getattr(numpy.lib.scimath, name), f"gpuarray.emath.{name}") for name in __all__}
)

"""Filters, interpolation and labels of arrays, with the names, keywords and values of scipy.ndimage."""

from gpuarray.ndimage._filters import *  # noqa: F403 - each module says in __all__ what it gives
from gpuarray.ndimage._gradients import *  # noqa: F403
from gpuarray.ndimage._interpolation import *  # noqa: F403
from gpuarray.ndimage._measurements import *  # noqa: F403
from gpuarray.ndimage._ranks import *  # noqa: F403
from gpuarray.ndimage._splines import *  # noqa: F403

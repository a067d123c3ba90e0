"""finfo: what NumPy says about the limits of a floating-point dtype, in the types that the array API standard wants."""

import numpy

from gpuarray._core import ndarray

__all__ = ["finfo"]


class finfo:
    """Limits of a floating-point or complex dtype, with NumPy's attributes.

    Numbers are Python floats, also those of float32, where NumPy has scalars of the dtype.

    Parameters
    ----------
    type : dtype or array
        An array stands for its dtype; a complex dtype for that of its parts.
    """

    def __init__(self, type, /):
        is_array = isinstance(type, (ndarray, numpy.ndarray, numpy.generic))
        self.theirs = numpy.finfo(type.dtype if is_array else type)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        value = getattr(self.theirs, name)
        return float(value) if isinstance(value, numpy.floating) else value

    def __repr__(self):
        return repr(self.theirs)

    def __str__(self):
        return str(self.theirs)

    def __dir__(self):
        return dir(self.theirs)

    def __eq__(self, other):
        return self.dtype == other.dtype if isinstance(other, finfo) else NotImplemented

    def __hash__(self):
        return hash((finfo, self.dtype))

    def __reduce__(self):
        return finfo, (self.dtype,)

"""Python functions made into functions of arrays; they run on the host, element by element, as in NumPy."""

import numpy

from gpuarray._fallback import run

__all__ = ["vectorize"]


class vectorize(numpy.vectorize):
    """numpy.vectorize, whose results go to the device."""

    runs_on_host = True

    def __call__(self, *args, **kwargs):
        return run(super().__call__, "gpuarray.vectorize", args, kwargs)

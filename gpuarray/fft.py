"""Fourier transforms: the names of numpy.fft, which run in NumPy on the host so far."""

import numpy.fft

from gpuarray._namespace import wrap_module

__all__ = list(numpy.fft.__all__)

globals().update(wrap_module("fft", __all__))

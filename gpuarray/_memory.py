"""Whether arrays overlap in memory, decided by NumPy's solver over the same addresses and strides."""

import numpy

from gpuarray._core import ndarray

__all__ = ["may_share_memory", "shares_memory"]


class Outline:
    """Address, shape and strides of a device array, for NumPy to compute with; the memory is never touched."""

    def __init__(self, array):
        described = array._outline
        self.__array_interface__ = {
            "data": (described["data"][0], True),
            "shape": array.shape,
            "strides": array.strides,
            "typestr": described["typestr"],
            "version": 3,
        }


def outline(array):
    return numpy.asarray(Outline(array)) if isinstance(array, ndarray) else array


def shares_memory(a, b, /, max_work=-1):
    """Whether two arrays have an element in common."""
    return numpy.shares_memory(outline(a), outline(b), max_work)


def may_share_memory(a, b, /, max_work=0):
    """Whether the address ranges of two arrays overlap."""
    return numpy.may_share_memory(outline(a), outline(b), max_work)

"""Sample arrays that several test files use."""

import math

import numpy

DTYPES = "? i1 u1 i2 u2 i4 u4 i8 u8 e f d F D M8[s] m8[ms]".split()


def grid(dtype="d", shape=(3, 4), order="C"):
    return numpy.arange(math.prod(shape)).astype(dtype).reshape(shape).copy(order)

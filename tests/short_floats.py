"""bfloat16 and float8 of ml_dtypes for the tests: their values, all of them or those where something turns."""

import numpy
import pytest

ml_dtypes = pytest.importorskip("ml_dtypes")

NAMES = ("bfloat16", "float8_e4m3fn", "float8_e5m2")
DTYPES = [numpy.dtype(getattr(ml_dtypes, name)) for name in NAMES]
EACH_DTYPE = pytest.mark.parametrize("dtype", DTYPES, ids=NAMES)


def every_value(dtype):
    """All elements that there are, NaN of every kind and subnormals among them."""
    bits = numpy.arange(1 << 8 * dtype.itemsize).astype(f"u{dtype.itemsize}")
    return bits.view(dtype)


def edge_values(dtype):
    """Zeros, small and large numbers of either sign, infinities and NaN, as far as the dtype has them."""
    numbers = [0.0, 1.0, 1.5, 2.0, 3.0, 0.5, 448.0, 1e-3, 2.0**-9, 2.0**-16, 3e38, 1e-40]
    numbers = numpy.array([*numbers, numpy.inf, numpy.nan], numpy.float32)
    return numpy.concatenate([numbers, -numbers]).astype(dtype)


def pairs_of_values(dtype):
    """Every pair of float8 elements; of bfloat16 each element once on either side, and pairs of edges."""
    values = every_value(dtype)
    if dtype.itemsize == 1:
        return numpy.repeat(values, values.size), numpy.tile(values, values.size)
    edges, random = edge_values(dtype), numpy.random.default_rng(1)
    left = [random.permutation(values), numpy.repeat(edges, edges.size)]
    right = [random.permutation(values), numpy.tile(edges, edges.size)]
    return numpy.concatenate(left), numpy.concatenate(right)


def ties_of(dtype):
    """float32 numbers half way between neighbours, and just beside."""
    finite = every_value(dtype).astype(numpy.float32)
    finite = numpy.unique(finite[numpy.isfinite(finite)])
    ties = ((finite[1:].astype(float) + finite[:-1]) / 2).astype(numpy.float32)
    above, below = (numpy.nextafter(ties, numpy.float32(end)) for end in (numpy.inf, -numpy.inf))
    return numpy.concatenate([ties, above, below])


def small_matrix(dtype):
    return numpy.arange(1, 13).reshape(3, 4).astype(dtype)

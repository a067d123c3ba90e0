"""Edges of equal bins, as numpy.linspace spaces them, and the error for bins too many to have a width."""

import numpy

import gpuarray
from gpuarray._creation import linspace


def find_edge_type(first, last, x):
    """The dtype of equal bins' edges."""
    dtype = gpuarray.result_type(first, last, x)
    return numpy.result_type(dtype, float) if dtype.kind in "iu" else dtype


def refuse_bins(count):
    raise ValueError(f"Too many bins for data range. Cannot create {count} finite-sized bins.")


def space_edges(x, first, last, count):
    """Edges of `count` equal bins, on the device of the sample x."""
    dtype = find_edge_type(first, last, x)
    if not are_apart(first, last, count, dtype):
        edges = numpy.linspace(first, last, count + 1, endpoint=True, dtype=dtype)
        if (edges[:-1] >= edges[1:]).any():
            refuse_bins(count)
    return linspace(first, last, count + 1, dtype=dtype, device=x.device)


def are_apart(first, last, count, dtype):
    """Whether equal bins are wider than roundings of their edges by far."""
    if dtype.char not in "fd":
        return False
    first, last = float(first), float(last)
    width, size = (last - first) / count, max(abs(first), abs(last))
    return width > 16 * size * float(numpy.finfo(dtype).eps) and 1e-30 < size < 1e30


def space_in_turns(first, last, counts, dtype):
    """Edges of each of some numbers of equal bins, as one NumPy vector: the first rise, the next ones fall, and so on.

    Each number of bins begins with the edge that the one before ended with, so that edges and bins number in all
    `sum(counts) + 1` and `sum(counts)`.
    """
    starts = numpy.cumsum(counts + 1) - (counts + 1)
    ends = starts + counts
    which = numpy.repeat(numpy.arange(len(counts)), counts + 1)
    places = numpy.arange(len(which)) - starts[which]
    wide = numpy.result_type(first, last, 1.0)
    steps = numpy.subtract(last, first, dtype=wide) / counts.astype(wide)
    edges = places.astype(wide) * steps[which] + numpy.asarray(first).astype(wide)
    edges[ends] = last
    edges = edges.astype(dtype, copy=False)
    stuck = edges[:-1] >= edges[1:]
    stuck[ends[:-1]] = False
    if stuck.any():
        refuse_bins(counts[which[numpy.argmax(stuck)]])
    turned = numpy.where(which % 2, ends[which] - places, starts[which] + places)
    return edges[turned[(places > 0) | (which == 0)]]

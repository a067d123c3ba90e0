"""Connected elements and their labels."""

import itertools

import numpy

from gpuarray import _core
from gpuarray._core import array, asarray, ascontiguousarray, empty, ndarray
from gpuarray._scans import cumsum
from gpuarray._transfers import asarray as send
from gpuarray.ndimage._arguments import deliver, refuse_complex, weights_on_host

__all__ = ["generate_binary_structure", "label"]


def generate_binary_structure(rank, connectivity):
    """The neighbours of an element as a mask of three elements an axis.

    Parameters
    ----------
    rank : int
        Number of axes.
    connectivity : int
        Along how many axes at once a neighbour may lie, from one on.
    """
    if rank < 1:
        return array(True)
    distance = numpy.abs(numpy.indices([3] * rank) - 1).sum(axis=0)
    return send(distance <= max(1, connectivity))


def read_structure(structure, ndim):
    """The structure as a numpy array of bool."""
    if structure is None:
        structure = generate_binary_structure(ndim, 1)
    structure = weights_on_host(structure).astype(bool)
    if structure.ndim != ndim:
        raise RuntimeError("structure and input must have equal rank")
    if any(n != 3 for n in structure.shape):
        raise ValueError("structure dimensions must be equal to 3")
    if not (structure == structure[(slice(None, None, -1),) * ndim]).all():
        raise ValueError("Input structuring element is not symmetric")
    return structure


def list_steps(structure):
    """Steps to the neighbours that come before an element, a signed byte for each axis."""
    steps = itertools.product((-1, 0, 1), repeat=structure.ndim)
    centre = (0,) * structure.ndim
    before = [step for step in steps if step < centre and structure[tuple(i + 1 for i in step)]]
    return numpy.array(before, numpy.int8).tobytes()


def label(input, structure=None, output=None):
    """Number the groups of connected elements that are not zero.

    Parameters
    ----------
    input : array_like
        Array of up to four axes.
    structure : array_like, optional
        Which neighbours are connected: a symmetric mask of three elements an axis. Default: those along one axis.
    output : array or dtype, optional
        Where the labels go, or their dtype; int32 unless given.

    Returns
    -------
    labels : ndarray
        Unless an output array was given.
    count : int
        How many groups there are. Finding out waits for the device.
    """
    a = asarray(input)
    refuse_complex(a)
    structure = read_structure(structure, a.ndim)
    given = isinstance(output, (ndarray, numpy.ndarray))
    if given and output.shape != a.shape:
        raise ValueError("output shape not correct")
    wide = a.size >= 2**31 - 2
    dtype = output.dtype if given else numpy.dtype(output or (numpy.intp if wide else numpy.int32))
    mask = ascontiguousarray(a if a.dtype == bool else a != 0)
    labels, count = label_mask(mask, structure, numpy.int64 if wide else numpy.int32)
    if dtype.kind in "iu" and count > numpy.iinfo(dtype).max:
        raise RuntimeError("insufficient bit-depth in requested output type")
    labels = labels.astype(dtype, copy=False)
    if given:
        deliver(labels, output)
        return count
    return labels, count


def label_mask(mask, structure, dtype):
    """Labels in the order of first elements, and how many there are."""
    if mask.ndim == 0:
        return mask.astype(dtype), int(mask)
    if mask.size == 0:
        return mask.astype(dtype), 0
    roots = empty(mask.size, numpy.int64, device=mask.device)
    firsts = empty(mask.size, bool, device=mask.device)
    _core._label(mask, roots, firsts, list_steps(structure))
    numbers = cumsum(firsts, dtype=numpy.int64)
    labels = empty(mask.shape, dtype, device=mask.device)
    _core._number(roots, numbers, labels)
    return labels, int(numbers[-1])

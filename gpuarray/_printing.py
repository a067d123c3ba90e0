"""Text of device arrays, the same that NumPy prints.

Owns array_repr, array_str and array2string. Invariant: of an array that NumPy would summarise, only the corner
elements that are printed come to the host.
"""

import re

import numpy

from gpuarray._core import _peek, ndarray
from gpuarray._scalars import is_scalar

__all__ = ["array2string", "array_repr", "array_str"]

# NumPy adds the shape of a summarised array to its repr since this version.
SHAPE_NOTED = numpy.lib.NumpyVersion(numpy.__version__) >= "2.2.0"


def corner(array, edgeitems):
    """Host array like `array` but with the middle of each long axis shortened to one element.

    Summarising it with the same edgeitems gives the text of the whole: NumPy looks at no middle element,
    except where edgeitems is 0.
    """
    if edgeitems < 1:
        return _peek(array)
    for axis, length in enumerate(array.shape):
        if length > 2 * edgeitems + 1:
            index = [slice(None)] * array.ndim
            pieces = []
            for part in (slice(0, edgeitems + 1), slice(length - edgeitems, length)):
                index[axis] = part
                pieces.append(corner(array[tuple(index)], edgeitems))
            return numpy.concatenate(pieces, axis=axis)
    return _peek(array)


def array2string(
    a,
    max_line_width=None,
    precision=None,
    suppress_small=None,
    separator=" ",
    prefix="",
    *,
    formatter=None,
    threshold=None,
    edgeitems=None,
    sign=None,
    floatmode=None,
    suffix="",
    legacy=None,
):
    """Text of an array's elements, as numpy.array2string gives it."""
    options = numpy.get_printoptions()
    threshold = options["threshold"] if threshold is None else threshold
    edgeitems = options["edgeitems"] if edgeitems is None else edgeitems
    if isinstance(a, ndarray):
        summarised = a.size > threshold
        a, threshold = (corner(a, edgeitems), 0) if summarised else (_peek(a), threshold)
    return numpy.array2string(
        a,
        max_line_width,
        precision,
        suppress_small,
        separator,
        prefix,
        formatter=formatter,
        threshold=threshold,
        edgeitems=edgeitems,
        sign=sign,
        floatmode=floatmode,
        suffix=suffix,
        legacy=legacy,
    )


def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    """repr of an array, as numpy.array_repr gives it; of one that stands for a scalar, repr of the scalar."""
    if not isinstance(arr, ndarray):
        return numpy.array_repr(arr, max_line_width, precision, suppress_small)
    if is_scalar(arr):
        return repr(_peek(arr)[()])
    options = numpy.get_printoptions()
    if arr.size <= options["threshold"] or options.get("override_repr"):
        return numpy.array_repr(_peek(arr), max_line_width, precision, suppress_small)
    return summarised_repr(arr, max_line_width or options["linewidth"], precision, suppress_small)


def summarised_repr(arr, line_width, precision, suppress_small):
    """array_repr of an array too large to be printed whole."""
    text = array2string(arr, line_width, precision, suppress_small, ", ", "array(", suffix=")")
    notes = [f"shape={arr.shape}"] if SHAPE_NOTED else []
    implied = re.search(r"dtype=.*\)$", numpy.array_repr(numpy.zeros(1, arr.dtype)))
    if implied:
        notes.append(implied.group()[:-1])
    if not notes:
        return f"array({text})"
    text, note = f"array({text},", ", ".join(notes) + ")"
    last_line = len(text) - (text.rfind("\n") + 1)
    spacer = " " if last_line + len(note) + 1 <= line_width else "\n" + " " * len("array(")
    return text + spacer + note


def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    """str of an array, as numpy.array_str gives it."""
    if not isinstance(a, ndarray):
        return numpy.array_str(a, max_line_width, precision, suppress_small)
    if a.ndim == 0:
        return str(_peek(a)[()])
    return array2string(a, max_line_width, precision, suppress_small, " ", "")

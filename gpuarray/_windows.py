"""Windows that slide over an array, as views: the counterpart of numpy.lib.stride_tricks."""

import operator

import numpy

from gpuarray._core import asarray, ndarray

__all__ = ["sliding_window_view"]


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """View of all windows of a shape over some axes; the axes of the window come last.

    Parameters
    ----------
    x : array_like
    window_shape : int or tuple of int
    axis : int or tuple of int, optional
        The axes that the window spans, by default all.
    subok : bool, optional
        Accepted; there are no subclasses.
    writeable : bool, optional
        Whether the view may be written to; windows overlap.

    Returns
    -------
    ndarray
    """
    x = asarray(x)
    lengths = window_shape if numpy.iterable(window_shape) else (window_shape,)
    lengths = tuple(map(operator.index, lengths))
    axes = choose_axes(x.ndim, lengths, axis)
    if any(length < 0 for length in lengths):
        raise ValueError("`window_shape` cannot contain negative values")
    shape = list(x.shape)
    for position, length in zip(axes, lengths, strict=True):
        if shape[position] < length:
            raise ValueError("window shape cannot be larger than input array shape")
        shape[position] -= length - 1
    strides = x.strides + tuple(x.strides[position] for position in axes)
    view = ndarray((*shape, *lengths), x.dtype, buffer=x, strides=strides)
    view.flags.writeable = writeable and x.flags.writeable
    return view


def choose_axes(ndim, lengths, axis):
    """The axes that the window spans, one for each of its lengths, counted from zero."""
    if axis is None:
        axes = tuple(range(ndim))
        if len(lengths) != ndim:
            raise ValueError(
                "Since axis is None, must provide window_shape for all dimensions of `x`; got "
                f"{len(lengths)} window_shape elements and `x.ndim` is {ndim}."
            )
        return axes
    axes = numpy.lib.array_utils.normalize_axis_tuple(axis, ndim, allow_duplicate=True)
    if len(lengths) != len(axes):
        raise ValueError(
            f"Must provide matching length window_shape and axis; got {len(lengths)} window_shape "
            f"elements and {len(axes)} axes elements."
        )
    return axes

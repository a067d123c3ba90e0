"""Random orders and choices: permutation, shuffle, permuted, choice.

Short orders are what sorts random keys, and all of them are equally likely. A longer one is a bijection that sixteen
random words choose (kernels/random_order.cu), of which each element is computed for itself: a choice without
replacement takes as long as it has elements, however many there are to choose from. A choice with weights and without
replacement takes the smallest of exponential numbers over the weights (P. S. Efraimidis, P. G. Spirakis, "Weighted
random sampling with a reservoir", Inf. Process. Lett. 97, 2006): each next one is chosen among those left with the
probability its weight has there.
"""

import math
import operator
from collections.abc import MutableSequence

import numpy
from numpy.lib.array_utils import normalize_axis_index

from gpuarray import _core
from gpuarray._core import asarray, asnumpy, empty, ndarray
from gpuarray._random_drawing import Drawing
from gpuarray._random_parameters import count_elements, find_judge, read_shape
from gpuarray._scans import cumsum
from gpuarray._shape import moveaxis
from gpuarray._taking import take, take_along_axis

INT64 = numpy.dtype(numpy.int64)
SUM_TOLERANCE = math.sqrt(numpy.finfo(numpy.float64).eps)


class Ordering(Drawing):
    """Random orders and choices."""

    def _order(self, length, device=None, count=None):
        """The first `count` places, all by default, of a random permutation of range(length), int64."""
        return self._orders((length if count is None else count,), device, length)

    def _orders(self, shape, device=None, length=None):
        """Of random permutations along the last axis, which is as long as they are by default, the first places."""
        length = shape[-1] if length is None else length
        count = count_elements(shape)
        if count == 0:
            return empty(shape, INT64, device=device or self._device)
        rows, block = count // shape[-1], self._stream.block_words
        if length <= _core.GA_RANDOM_ORDER_ROW:
            words = rows * length
            places = -(-words // block) + words  # the latter where keys are equal
        else:
            places = rows * -(-_core.GA_RANDOM_ORDER_WORDS // block)
        source = self._stream.places(places)
        return self._run("order", source, shape, INT64, (length,), device=device)

    def _permute_sequence(self, x):
        """shuffle() of a list or another sequence on the host."""
        if isinstance(x, numpy.ndarray) or not isinstance(x, MutableSequence):
            raise TypeError(f"cannot shuffle {type(x).__name__}")
        order = asnumpy(self._order(len(x))).tolist()
        x[:] = [x[i] for i in order]

    def shuffle(self, x, axis=0):
        """
        Put an array, or a list, into a random order, in place.

        Parameters
        ----------
        x : ndarray, numpy.ndarray or mutable sequence
            What is changed: its parts along an axis change places.
        axis : int, optional
            The axis; 0 by default.
        """
        if not isinstance(x, (ndarray, numpy.ndarray)):
            if axis != 0:
                raise NotImplementedError("Axis argument is only supported on ndarray objects")
            return self._permute_sequence(x)
        if x.ndim == 0:
            raise TypeError("cannot shuffle a 0-d array")
        axis = normalize_axis_index(operator.index(axis), x.ndim)
        if not x.flags.writeable:
            raise ValueError("array is read-only")
        if isinstance(x, ndarray):
            x[...] = take(x, self._order(x.shape[axis], x.device), axis)
        else:
            x[...] = numpy.take(x, asnumpy(self._order(x.shape[axis])), axis)
        return None

    def _permutation(self, x, axis=0):
        if not isinstance(x, (ndarray, numpy.ndarray)) and hasattr(x, "__index__"):
            return self._order(max(operator.index(x), 0))
        x = asarray(x, device=x.device if isinstance(x, ndarray) else self._device)
        axis = normalize_axis_index(operator.index(axis), x.ndim)
        return take(x, self._order(x.shape[axis], x.device), axis)

    def _choose(self, a, size, replace, p, axis=0):
        """The chosen elements of `a`, or positions where it is a number."""
        population = a if isinstance(a, ndarray) else self._as_population(a)
        length = population if isinstance(population, int) else population.shape[axis]
        shape = read_shape(size)
        if length == 0 and count_elements(shape) > 0:
            raise ValueError("a cannot be empty unless no samples are taken")
        device = getattr(population, "device", self._device)
        if p is not None:
            p = self._take_weights(length, p, device)
        positions = self._positions(length, shape, replace, p, device)
        if isinstance(population, int):
            return positions
        return take(population, positions, axis)

    def _as_population(self, a):
        if isinstance(a, (numpy.ndarray, list, tuple)) and numpy.ndim(a) > 0:
            return asarray(a, device=self._device)
        try:
            length = operator.index(a.item() if hasattr(a, "item") else a)
        except (TypeError, ValueError) as error:
            raise ValueError(
                "a must be a sequence or an integer, not " + type(a).__name__
            ) from error
        if length < 0:
            raise ValueError("a must be a positive integer unless no samples are taken")
        return length

    def _take_weights(self, length, p, device):
        """Probabilities on the device, good ones: looking at them waits."""
        weights = asarray(p, dtype=numpy.float64, device=device)
        good = weights.ndim == 1 and weights.size == length
        good = good and float(weights.min()) >= 0
        if not (good and abs(float(weights.sum()) - 1) < SUM_TOLERANCE / 2):
            find_judge(self._kind).choice(length, 0, p=asnumpy(weights))
        return weights

    def _positions(self, length, shape, replace, p, device):
        if not replace:
            return self._distinct(length, shape, p, device)
        if p is None:
            positions = self._integers_below(length, shape, device)
        else:
            steps = cumsum(p)
            steps /= steps[-1:]
            numbers = self._uniform(shape, device=device)
            positions = steps.searchsorted(numbers, side="right")
        return positions

    def _integers_below(self, length, shape, device):
        result = self._integers(0, max(length, 1), shape, INT64)
        return result if device is None else result.to_device(device)

    def _distinct(self, length, shape, p, device):
        count = count_elements(shape)
        if count > length:
            raise ValueError("Cannot take a larger sample than population when replace is False")
        if p is not None:
            positions = self._distinct_weighted(length, count, p)
        else:
            positions = self._order(length, device, count)
        return positions[0] if shape is None else positions.reshape(shape)

    def _distinct_weighted(self, length, count, p):
        if int((p > 0).sum()) < count:
            raise ValueError("Fewer non-zero entries in p than size")
        waits = self._exponential((length,), device=p.device)
        return _core._argsort(waits / p)[:count]


class ModernOrdering(Ordering):
    """What Generator has of it: axes, and orders of each part for itself."""

    def permutation(self, x, axis=0):
        """
        A random permutation of range(x), or a copy of an array in random order along an axis.

        Parameters
        ----------
        x : int or array_like
            The range's length, or the array.
        axis : int, optional
            The axis whose parts change places; 0 by default.

        Returns
        -------
        ndarray
        """
        return self._permutation(x, axis)

    def permuted(self, x, *, axis=None, out=None):
        """
        A copy of an array whose parts along an axis are each shuffled for themselves.

        Parameters
        ----------
        x : array_like
            The array.
        axis : int, optional
            Slices along it are shuffled, each in an order of its own; by default all elements are.
        out : ndarray, optional
            Gets the result.

        Returns
        -------
        ndarray
        """
        given = asarray(x, device=x.device if isinstance(x, ndarray) else self._device)
        if out is not None:
            check_same(out, given)
        if axis is None:
            order = self._order(given.size, given.device)
            result = take(given.reshape(-1), order).reshape(given.shape)
        else:
            axis = normalize_axis_index(operator.index(axis), given.ndim)
            rows = moveaxis(given, axis, -1)
            order = self._orders(rows.shape, given.device)
            result = moveaxis(take_along_axis(rows, order, -1), -1, axis)
        if out is None:
            return result.copy("C") if not result.flags.c_contiguous else result
        out[...] = result
        return out

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        """
        A random sample from range(a), or from the parts of an array along an axis.

        Parameters
        ----------
        a : int or array_like
            The range's length, or the array.
        size : int or tuple of ints, optional
            How many; by default one.
        replace : bool, optional
            Whether one part may be chosen more than once.
        p : array_like of floats, optional
            Their probabilities; equal by default.
        axis : int, optional
            The axis; 0 by default.
        shuffle : bool, optional
            False allows a sample without replacement to come in any order; here it is always random.

        Returns
        -------
        ndarray, or a scalar
        """
        return self._choose(a, size, replace, p, axis)


def check_same(out, given):
    if not isinstance(out, ndarray):
        raise TypeError("out must be a gpuarray.ndarray")
    if out.shape != given.shape:
        raise ValueError("out must have the same shape as x")
    if not numpy.can_cast(given.dtype, out.dtype, "same_kind"):
        raise TypeError(f"Cannot cast array data from {given.dtype!r} to {out.dtype!r}")

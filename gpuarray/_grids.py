"""Grids: coordinates of all points that ranges span, dense or open, and the subscripts that make them."""

import math

import numpy

from gpuarray._chains import chained
from gpuarray._core import arange, array, asarray, concatenate, empty, ndarray
from gpuarray._creation import device_of, linspace
from gpuarray._fallback import run_silently
from gpuarray._shape import broadcast_arrays, expand_dims

__all__ = ["c_", "fromfunction", "indices", "meshgrid", "mgrid", "ogrid", "r_"]


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """Coordinate arrays of the grid that coordinate vectors span."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    axes = list(range(len(xi)))
    if indexing == "xy" and len(xi) > 1:
        axes[:2] = 1, 0
    vectors = (asarray(x).reshape(-1) for x in xi)
    grids = tuple(
        expand_dims(x, [each for each in range(len(xi)) if each != axis])
        for x, axis in zip(vectors, axes, strict=True)
    )
    if not sparse:
        grids = broadcast_arrays(*grids)
    return tuple(grid.copy() for grid in grids) if copy else grids


def along(vector, axis, ndim):
    """A vector as an array of `ndim` dimensions that lies along one of them."""
    return vector.reshape((1,) * axis + (-1,) + (1,) * (ndim - axis - 1))


def indices(dimensions, dtype=int, sparse=False, *, device=None):
    """Indices of all points of a grid: one array a dimension, stacked, or open ones in a tuple."""
    dimensions = tuple(dimensions)
    ndim = len(dimensions)
    vectors = [
        along(arange(length, dtype=dtype, device=device), axis, ndim)
        for axis, length in enumerate(dimensions)
    ]
    if sparse:
        return tuple(vectors)
    return stack_grids(vectors, dimensions, dtype, device)


def stack_grids(vectors, lengths, dtype, device=None):
    """Open grids broadcast to the full grid, stacked along a new first axis."""
    result = empty((len(vectors), *lengths), dtype, device=device)
    for axis, vector in enumerate(vectors):
        result[axis] = vector
    return result


def fromfunction(function, shape, *, dtype=float, like=None, device=None, **kwargs):
    """What a function gives for the arrays of indices of a shape."""
    return function(*indices(shape, dtype, device=device_of(like, device)), **kwargs)


class Steps:
    """One slice of a grid's subscript: a complex step counts points, and includes the end."""

    def __init__(self, key):
        self.start = 0 if key.start is None else key.start
        self.stop = key.stop
        self.step = 1 if key.step is None else key.step
        self.counts = isinstance(self.step, (complex, numpy.complexfloating))
        if self.counts:
            self.step = abs(self.step)

    @property
    def numbers(self):
        """What the grid's dtype is promoted from."""
        return self.start, self.stop, self.step

    @property
    def size(self):
        return int(self.step) if self.counts else math.ceil((self.stop - self.start) / self.step)

    @property
    def distance(self):
        """From one point to the next."""
        if not self.counts:
            return self.step
        intervals = int(self.step) - 1
        return (self.stop - self.start) / float(intervals) if intervals else 1

    def points(self, dtype):
        steps = arange(0, self.size, 1, dtype=dtype)
        whole = all(type(each) is int for each in (self.distance, self.start))
        if whole and (self.distance, self.start) == (1, 0):
            return steps
        computed = dtype if whole and dtype.char == "l" else None
        return place_points(steps, self.distance, self.start, dtype=computed)


@chained
def place_points(step, distance, start):
    return step * distance + start


class Grid:
    """Subscripts with slices give the points of a grid: dense in one array (mgrid), or open (ogrid)."""

    __slots__ = ("sparse",)

    def __init__(self, sparse):
        self.sparse = sparse

    def __getitem__(self, key):
        if not isinstance(key, tuple):
            return self.make_range(key)
        axes = list(map(Steps, key))
        dtype = numpy.result_type(0, *(number for each in axes for number in each.numbers))
        vectors = [along(each.points(dtype), i, len(axes)) for i, each in enumerate(axes)]
        if self.sparse:
            return tuple(vectors)
        return stack_grids(vectors, [each.size for each in axes], dtype)

    @staticmethod
    def make_range(key):
        steps = Steps(key)
        if steps.counts:
            return steps.points(numpy.result_type(*steps.numbers))
        return arange(steps.start, steps.stop, steps.step)


mgrid = Grid(sparse=False)
ogrid = Grid(sparse=True)


class Joiner:
    """Subscripts join what they hold along an axis: numbers, arrays, and slices that stand for ranges.

    Strings that ask for a matrix are NumPy's business (`host`), since matrices live on the host.
    """

    __slots__ = ("axis", "host", "ndmin", "trans1d")

    def __init__(self, host, axis=0, ndmin=1, trans1d=-1):
        self.host, self.axis, self.ndmin, self.trans1d = host, axis, ndmin, trans1d

    def __getitem__(self, key):
        items = key if isinstance(key, tuple) else (key,)
        directive = items[0] if items and isinstance(items[0], str) else None
        if isinstance(key, str) or directive in ("r", "c"):
            return run_silently(lambda key: self.host[key], "gpuarray.r_", (key,), {})
        if directive is not None:
            return self.direct(directive).join(items[1:])
        return self.join(items)

    def __len__(self):
        return 0

    def direct(self, directive):
        """A joiner with the axis, least number of dimensions and place of vectors that a string says."""
        try:
            numbers = [int(each) for each in directive.split(",")]
        except ValueError as error:
            raise ValueError(f"unknown special directive {directive!r}") from error
        return Joiner(self.host, *numbers, *(self.axis, self.ndmin, self.trans1d)[len(numbers) :])

    def join(self, items):
        if any(isinstance(item, str) for item in items):
            raise ValueError("special directives must be the first entry.")
        device = next((item.device for item in items if isinstance(item, ndarray)), None)
        parts = [self.take(item, device) for item in items]
        if parts:
            dtype = numpy.result_type(*(getattr(each, "dtype", each) for each in parts))
            parts = [
                array(each, dtype, copy=None, ndmin=self.ndmin, device=device) for each in parts
            ]
        return concatenate(tuple(parts), axis=self.axis)

    def take(self, item, device):
        """A number as it is, whose dtype is weak; anything else as an array."""
        if isinstance(item, slice):
            return self.take_range(item, device)
        if type(item) in numpy.ScalarType:
            return item
        part = array(item, copy=None, device=device)
        missing = self.ndmin - part.ndim
        if missing <= 0:
            return part
        if self.trans1d == -1:
            return array(part, copy=None, ndmin=self.ndmin)
        before = self.trans1d + (missing + 1 if self.trans1d < 0 else 0)
        return part.reshape((1,) * before + part.shape + (1,) * (missing - before))

    def take_range(self, item, device):
        steps = Steps(item)
        if steps.counts:
            part = linspace(steps.start, steps.stop, steps.size, device=device)
        else:
            part = arange(steps.start, steps.stop, steps.step, device=device)
        part = array(part, copy=None, ndmin=self.ndmin)
        return part.swapaxes(-1, self.trans1d) if self.ndmin > 1 and self.trans1d != -1 else part


r_ = Joiner(numpy.r_)
c_ = Joiner(numpy.c_, -1, 2, 0)

"""The flat iterator: an array's elements in C order, read and written by number."""

import operator

import numpy

from gpuarray._core import arange, asarray, asnumpy, ndarray
from gpuarray._taking import repeat_to


class flatiter:
    """One-dimensional view of an array in C order: what ndarray.flat gives."""

    __array_priority__ = 100.0

    def __init__(self, array):
        self.base = array
        self.index = 0

    @property
    def coords(self):
        """Indices of the element that comes next."""
        return tuple(int(i) for i in numpy.unravel_index(self.index, self.base.shape))

    def __len__(self):
        return self.base.size

    def __iter__(self):
        return self

    def __next__(self):
        if self.index >= self.base.size:
            raise StopIteration
        item = self.base[self.coords]
        self.index += 1
        return item

    def __array__(self, dtype=None, copy=None):
        return asnumpy(self.copy()) if dtype is None else asnumpy(self.copy()).astype(dtype)

    def copy(self):
        """The elements in one dimension, copied."""
        return self.base.flatten()

    def __getitem__(self, key):
        item = self.base.reshape(-1)[key]
        is_view = isinstance(item, ndarray) and not item._is_scalar
        return item.copy() if is_view else item

    def __setitem__(self, key, value):
        value = asarray(value, device=self.base.device).reshape(-1)
        if self.base.flags.c_contiguous:
            self.assign(self.base.reshape(-1), key, value)
            return
        elements = self.base.flatten()
        self.assign(elements, key, value)
        self.base[...] = elements.reshape(self.base.shape)

    @staticmethod
    def assign(elements, key, value):
        """Write values to the selected elements, repeated from the start as often as is needed."""
        if is_integer(key):
            if value.size != 1:
                raise ValueError("Error setting single item of array.")
            elements[key] = value[0]
            return
        selected = count_selected(elements, key)
        if selected and value.size == 0:
            raise ValueError("there are no values to assign")
        if selected:
            elements[key] = repeat_to(value, selected)

    def __eq__(self, other):
        return self.copy() == plain(other)

    def __ne__(self, other):
        return self.copy() != plain(other)

    def __lt__(self, other):
        return self.copy() < plain(other)

    def __le__(self, other):
        return self.copy() <= plain(other)

    def __gt__(self, other):
        return self.copy() > plain(other)

    def __ge__(self, other):
        return self.copy() >= plain(other)

    __hash__ = None


def count_selected(elements, key):
    """How many elements a key selects."""
    if isinstance(key, slice):
        return len(range(*key.indices(elements.size)))
    return arange(elements.size, device=elements.device)[key].size


def is_integer(key):
    try:
        operator.index(key)
    except TypeError:
        return False
    return not isinstance(key, (bool, numpy.bool_))


def plain(value):
    return value.copy() if isinstance(value, flatiter) else value

"""What Generator and RandomState share: uniform and normal numbers, integers, bytes, and the one way to a kernel.

A distribution takes a place of the bit generator's stream for each element; uniform and normal numbers and
integers with one range for all take its words one after the other, as NumPy's do.
"""

import operator

import numpy

from gpuarray import _core
from gpuarray._core import asarray, asnumpy, full, ndarray
from gpuarray._random_parameters import (
    OPERATIONS,
    as_operands,
    as_parameter,
    check_float,
    check_out,
    count_elements,
    find_device,
    find_judge,
    fit_size,
    read_parameters,
    read_shape,
)
from gpuarray._random_streams import find_stream

FLOAT64, WORD = numpy.dtype(numpy.float64), numpy.dtype("<u4")
FEW_WORDS = 4096
# The integer dtypes, with the least and the largest number of each.
LIMITS = {numpy.dtype(bool): (0, 1)} | {
    info.dtype: (int(info.min), int(info.max))
    for info in map(numpy.iinfo, ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"))
}


class Drawing:
    """A bit generator, its stream, and the device that results go to (None: the default one)."""

    _kind = "Generator"

    def _open(self, bit_generator, device):
        self._stream = find_stream(bit_generator)
        self._bit_generator = bit_generator
        self._device = None if device is None else _core.Device(device)

    def _run(self, operation, source, shape, dtype, parameters, out=None, device=None, judge=0):
        device = device or self._device
        operation = OPERATIONS[operation]
        return _core._random(operation, source, out, shape, dtype, device, parameters, judge)

    def _draw(self, method, values, size, dtype=FLOAT64, operation=None, more=(), out=None):
        """Numbers of a distribution that takes a place an element; `more` are operands that need no check."""
        values, shape, judge = read_parameters(self._kind, method, values, size)
        if out is not None:
            check_out(out, dtype, shape, c_order=True)
            shape = out.shape
        device = find_device(self._device, values) if out is None else out.device
        operands = as_operands(values, shape, device) + more
        source = self._stream.places(count_elements(shape))
        operation = operation or method
        return self._run(operation, source, shape, dtype, operands, out, device, judge)

    def _uniform(self, shape, dtype=FLOAT64, parameters=(0.0, 1.0), operation="uniform", **where):
        take = self._stream.words64 if dtype == FLOAT64 else self._stream.words32
        source = take(count_elements(shape))
        return self._run(operation, source, shape, dtype, parameters, **where)

    def _normal(self, shape, dtype=FLOAT64, parameters=(0.0, 1.0), operation="normal", **where):
        a_block = self._stream.block_words // (2 if dtype == FLOAT64 else 1)
        source = self._stream.places(-(-count_elements(shape) // a_block))
        return self._run(operation, source, shape, dtype, parameters, **where)

    def _exponential(
        self,
        shape,
        dtype=FLOAT64,
        parameters=(0.0, 1.0),
        operation="standard_exponential",
        **where,
    ):
        source = self._stream.words64(count_elements(shape))
        return self._run(operation, source, shape, dtype, parameters, **where)

    def _floats(self, draw, name, size, dtype, out):
        """Numbers of either dtype by one of the methods above, into `out` where it is given."""
        dtype, shape = check_float(dtype, name), read_shape(size)
        if out is not None:
            check_out(out, dtype, shape)
            shape = out.shape
        return draw(shape, dtype, out=out)

    def _scaled(self, method, draw, values, size):
        """[offset +] factor * number, with one offset and factor or with some for each element."""
        values, shape, judge = read_parameters(self._kind, method, values, size)
        if all(isinstance(each, (int, float)) for each in values):
            first, second = values if len(values) == 2 else (0.0, *values)
            factor = float(second) - float(first) if method == "uniform" else float(second)
            return draw(shape, FLOAT64, (float(first), factor))
        device = find_device(self._device, values)
        operands = as_operands(values, shape, device)
        return draw(shape, FLOAT64, operands, "each_" + method, device=device, judge=judge)

    def _integers(self, low, width, shape, dtype):
        """low + [0, width) in `dtype`, from whole or partial words as NumPy takes them."""
        elements = count_elements(shape)
        if width == 1:
            result = full(() if shape is None else shape, low, dtype=dtype, device=self._device)
            return result[()] if shape is None else result
        if dtype.itemsize == 8 and width > 2**32:
            source = self._stream.words64(elements)
        else:
            a_word = 32 if dtype.kind == "b" else max(1, 4 // dtype.itemsize)
            if a_word == 4 and self._stream.block_words == 4 and 256 % width:
                a_word = 2  # bytes in pairs: fewer are refused
            source = self._stream.words32(-(-elements // a_word))
        return self._run("integers", source, shape, dtype, (low, width % 2**64))

    def _integers_of_arrays(self, low, high, size, dtype, endpoint):
        """A range of its own for each element, from a place each."""
        wide = numpy.dtype("u8" if dtype == "u8" else "i8")
        common = (getattr(each, "shape", ()) for each in (low, high))
        shape = fit_size(size, numpy.broadcast_shapes(*common))
        device = find_device(self._device, (low, high))
        low, high = (
            asarray(numpy.uint64(each % 2**64) if isinstance(each, int) else each, device=device)
            for each in (low, high)
        )
        low, high = low.astype(wide, copy=False), high.astype(wide, copy=False)
        width = (high - low + int(bool(endpoint))).view("u8")
        operands = as_operands((low.view("u8"), width), shape, device, "u8")
        source = self._stream.places(count_elements(shape))
        drawn = self._run("each_integer", source, shape, "u8", operands, device=device)
        return drawn.view(wide).astype(dtype, copy=False)

    def _ranged(self, method, low, high, size, dtype, endpoint):
        """integers() and randint(): NumPy judges all but plain Python integers within the dtype's limits."""
        if high is None:
            low, high = 0, low
        low, high = as_parameter(low), as_parameter(high)
        dtype = check_integer(dtype, method)
        arrays = [each for each in (low, high) if not isinstance(each, (int, float))]
        shape = read_shape(size)
        if count_elements(shape) == 0 or any(each.size == 0 for each in arrays):
            return _core.empty(
                shape if shape is not None else arrays[0].shape, dtype, device=self._device
            )
        if not is_range(low, high, dtype, endpoint):
            self._judge_range(method, low, high, dtype, endpoint)
        if arrays:
            return self._integers_of_arrays(low, high, size, dtype, endpoint)
        low, high = int(low), int(high)
        return self._integers(low, high - low + int(bool(endpoint)), shape, dtype)

    def _judge_range(self, method, low, high, dtype, endpoint):
        low, high = (asnumpy(each) if isinstance(each, ndarray) else each for each in (low, high))
        keywords = {"endpoint": endpoint} if method == "integers" else {}
        getattr(find_judge(self._kind), method)(low, high, dtype=dtype, **keywords)

    def bytes(self, length):
        """
        Random bytes, as a Python `bytes` object.

        Parameters
        ----------
        length : int
            How many.

        Returns
        -------
        bytes
        """
        length = operator.index(length)
        count = max(1, -(-length // 4))  # NumPy takes a word for no bytes, too
        source = self._stream.words32(count)
        # The same words are made on the host before a GPU has answered.
        device = "cpu" if count <= FEW_WORDS else None
        words = self._run("integers", source, (count,), WORD, (0, 2**32), device=device)
        return asnumpy(words).tobytes()[:length]


def check_integer(dtype, method):
    """A dtype that integers can have; NumPy's TypeError for others."""
    try:
        given = numpy.dtype(dtype)
    except TypeError:
        given = None
    if given not in LIMITS or not given.isnative:
        numpy.random.Generator(numpy.random.PCG64(0)).integers(0, 1, dtype=dtype)
        raise TypeError(f"Unsupported dtype {given!r} for {method}")
    return given


def is_range(low, high, dtype, endpoint):
    """Whether two limits plainly make a range within a dtype; waits for limits on a device."""
    least, most = LIMITS[dtype]
    above = int(bool(endpoint))
    if isinstance(low, int) and isinstance(high, int):
        return least <= low < high + above and high + above <= most + 1
    if not all(isinstance(each, (int, ndarray)) for each in (low, high)):
        return False
    if any(isinstance(each, ndarray) and each.dtype.kind not in "iu" for each in (low, high)):
        return False
    lowest, highest = (
        each if isinstance(each, int) else int(pick(each))
        for each, pick in ((low, lambda a: a.min()), (high, lambda a: a.max()))
    )
    ordered = (low <= high) if endpoint else (low < high)
    return least <= lowest and highest + above <= most + 1 and bool(ordered.all())

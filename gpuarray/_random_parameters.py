"""Parameters of distributions: whether they are good, and how they broadcast.

NumPy is the judge: what is not plainly good is put before NumPy's own method, which draws nothing (its size has a
zero) and raises its own error. Parameters that live on a GPU are plainly good by their smallest or largest
elements, for which the call waits; only where those leave a doubt the arrays are copied to the host to be judged.
"""

import functools
import math
import operator
import struct
from collections.abc import Iterable

import numpy

from gpuarray import _core
from gpuarray._core import asarray, asnumpy, ndarray
from gpuarray._shape import broadcast_to

POISSON_MAX = numpy.random.Generator._poisson_lam_max
NUMBERS = (int, float)
NO_SIZE = "expected a sequence of integers or a single integer, got '{}'"


class Rule:
    """What the numbers of a parameter plainly may be: `holds` of the smallest and the largest one.

    For float64 most rules ask one question of their bits, which order numbers of one sign as integers do: `most` is
    what their bits as unsigned integers may be, where the sign's bit is above all others and NaN above infinity;
    `above` what all are greater than as signed integers, which NaN may be.
    """

    def __init__(self, holds, most=None, above=None, kinds="biuf"):
        self.holds = holds
        self.kinds = kinds
        self.most = None if most is None else as_bits(most)
        self.above = None if above is None else as_bits(above)

    def meets(self, value):
        """Whether a number is good, or plainly all of an array, for which it waits."""
        if isinstance(value, NUMBERS):
            return self.holds(value, value)
        if value.dtype.kind not in self.kinds or value.size == 0:
            return value.dtype.kind in self.kinds
        if value.dtype == numpy.float64 and self.most is not None:
            return int(value.view("u8").max()) <= self.most
        if value.dtype == numpy.float64 and self.above is not None:
            return int(value.view("i8").min()) > self.above
        low, high = float(value.min()), float(value.max())
        if low == 0 and value.dtype.kind == "f":  # its sign is not that of every zero
            return False
        return bool(self.holds(low, high))


class Any(Rule):
    """Whatever it is."""

    def meets(self, value):
        return isinstance(value, NUMBERS) or value.dtype.kind in self.kinds


def as_bits(number):
    return int.from_bytes(struct.pack("<d", number), "little")


def is_not_negative(low):
    return low > 0 or (low == 0 and math.copysign(1.0, low) > 0)


BELOW_ONE = math.nextafter(1.0, 0.0)
any_number = Any(None)
not_negative = Rule(lambda low, high: is_not_negative(low), most=math.inf)
positive = Rule(lambda low, high: low > 0, above=0.0)
probability = Rule(lambda low, high: is_not_negative(low) and high <= 1, most=1.0)
above_zero = Rule(lambda low, high: low > 0 and high <= 1)
below_one = Rule(lambda low, high: is_not_negative(low) and high < 1, most=BELOW_ONE)
above_one = Rule(lambda low, high: low > 1)
poisson_mean = Rule(
    lambda low, high: is_not_negative(low) and high <= POISSON_MAX, most=POISSON_MAX
)
count = Rule(lambda low, high: low >= 0 and high < 2**62, kinds="biu")
few = Rule(lambda low, high: low > 0 and high <= 1e9)
not_rare = Rule(lambda low, high: low >= 1e-6 and high <= 1)


# For each method, what its parameters plainly may be, from the smallest element to the largest; a method
# whose parameters depend on each other is not here, and always judged by NumPy.
PLAINLY_GOOD = {
    "beta": (positive, positive),
    "binomial": (count, probability),
    "chisquare": (positive,),
    "exponential": (not_negative,),
    "f": (positive, positive),
    "gamma": (not_negative, not_negative),
    "geometric": (above_zero,),
    "gumbel": (any_number, not_negative),
    "laplace": (any_number, not_negative),
    "logistic": (any_number, not_negative),
    "lognormal": (any_number, not_negative),
    "logseries": (below_one,),
    "negative_binomial": (few, not_rare),
    "noncentral_chisquare": (positive, not_negative),
    "noncentral_f": (positive, positive, not_negative),
    "normal": (any_number, not_negative),
    "pareto": (positive,),
    "poisson": (poisson_mean,),
    "power": (positive,),
    "rayleigh": (not_negative,),
    "standard_gamma": (not_negative,),
    "standard_t": (positive,),
    "vonmises": (any_number, not_negative),
    "wald": (positive, positive),
    "weibull": (not_negative,),
    "zipf": (above_one,),
}


@functools.cache
def find_judge(kind):
    """An object of NumPy's class `kind`; nothing is ever drawn from it that anybody sees."""
    if kind == "RandomState":
        return numpy.random.RandomState(0)
    return numpy.random.Generator(numpy.random.PCG64(0))


def judge(kind, method, values, **keywords):
    """NumPy's own exception for bad arguments, if they are bad."""
    values = tuple(asnumpy(each) if isinstance(each, ndarray) else each for each in values)
    shapes = [numpy.shape(each) for each in values]
    with numpy.errstate(all="ignore"):
        getattr(find_judge(kind), method)(
            *values, size=(0, *numpy.broadcast_shapes(*shapes)), **keywords
        )


def read_shape(size):
    """`size=` as a tuple, or None."""
    if size is None:
        return None
    try:
        shape = (operator.index(size),)
    except TypeError:
        if not isinstance(size, Iterable):
            raise TypeError(NO_SIZE.format(size)) from None
        shape = tuple(operator.index(each) for each in size)
    if isinstance(size, bool):
        raise TypeError(NO_SIZE.format(size))
    if any(each < 0 for each in shape):
        raise ValueError("negative dimensions are not allowed")
    return shape


def count_elements(shape):
    return 1 if shape is None else math.prod(shape)


def is_good(method, values):
    """Whether the parameters are plainly good; waits for those on a device."""
    rules = PLAINLY_GOOD.get(method)
    return rules is not None and all(
        rule.meets(value) for rule, value in zip(rules, values, strict=False)
    )


def as_parameter(value):
    """A Python number; an array of ours; or what NumPy makes of it."""
    if type(value) in NUMBERS:
        return value
    if isinstance(value, (list, tuple)):
        value = asarray(value) if holds_ours(value) else numpy.asarray(value)
    elif not isinstance(value, ndarray):
        value = numpy.asarray(value)
    if value.ndim == 0 and value.dtype.kind in "biuf":
        return value.item() if value.dtype.kind != "b" else int(value)
    return value


def holds_ours(items):
    return any(
        isinstance(item, ndarray) or (isinstance(item, (list, tuple)) and holds_ours(item))
        for item in items
    )


def read_parameters(kind, method, values, size):
    """Checked parameters as numbers and arrays, and the shape of the result (None: a scalar)."""
    given, values = values, tuple(map(as_parameter, values))
    plain = all(type(each) in NUMBERS for each in values)
    if not is_good_or_host(method, values, plain):
        judge(kind, method, given)
    if plain:
        return values, read_shape(size)
    common = numpy.broadcast_shapes(*(numpy.shape(each) for each in map(without_data, values)))
    return values, fit_size(size, common)


def fit_size(size, common):
    """The shape of a result whose parameters have the shape `common` together."""
    shape = read_shape(size)
    if shape is None:
        return common
    full = numpy.broadcast_shapes(shape, common)
    if full != shape:
        raise ValueError(
            f"Output size {shape} is not compatible with broadcast dimensions of inputs {full}."
        )
    return shape


def without_data(value):
    """Something with the value's shape that numpy.shape may look at without a copy."""
    return numpy.broadcast_to(0, value.shape) if isinstance(value, ndarray) else value


def is_good_or_host(method, values, plain):
    """Whether NumPy need not be asked; host arrays it always is, which costs no copy."""
    if not plain and any(isinstance(each, numpy.ndarray) for each in values):
        return False
    return is_good(method, values)


def as_operands(values, shape, device, dtype="f8"):
    """Parameters as one launch takes them: floats, and arrays broadcast to `shape`."""
    return tuple(
        float(each)
        if type(each) in NUMBERS
        else broadcast_to(asarray(each, dtype=dtype, device=device), shape)
        for each in values
    )


def find_device(device, values):
    """The generator's own device, or that of the first parameter that is on one."""
    if device is not None:
        return device
    return next((each.device for each in values if isinstance(each, ndarray)), None)


def check_out(out, dtype, shape, c_order=False):
    """NumPy's demands on `out=`."""
    if not isinstance(out, ndarray):
        raise TypeError(f"out must be a gpuarray.ndarray, not {type(out).__name__}")
    flags = out.flags
    dense = flags.c_contiguous or (flags.f_contiguous and not c_order)
    if not (dense and flags.writeable and flags.aligned):
        raise ValueError(
            "Supplied output array must be contiguous, writable, aligned, and in machine byte-order."
        )
    if out.dtype != dtype:
        raise TypeError(
            f"Supplied output array has the wrong type. Expected {dtype}, got {out.dtype}"
        )
    if shape is not None and out.shape != shape:
        raise ValueError("size must match out.shape when used together")


def check_float(dtype, name):
    """float32 or float64; TypeError for other dtypes."""
    dtype = numpy.dtype(dtype)
    if dtype not in (numpy.float64, numpy.float32):
        raise TypeError(f"Unsupported dtype {dtype!r} for {name}")
    return dtype


OPERATIONS = _core._RANDOM_OPERATIONS

"""Parameters of distributions: whether they are good, and how they broadcast.

NumPy is the judge of what comes from the host: what is not plainly good is put before NumPy's own method, which draws
nothing (its size has a zero) and raises its own error. Parameters that live on a device are judged by the kernel that
draws (kernels/random_judge.cu), but for their dtypes, and where nothing is drawn.
"""

import functools
import math
import operator
from collections.abc import Iterable

import numpy

from gpuarray import _core
from gpuarray._core import asarray, asnumpy, ndarray
from gpuarray._shape import broadcast_to

POISSON_MAX = numpy.random.Generator._poisson_lam_max
NUMBERS = (int, float)
READ = {numpy.dtype(name).char for name in ("f8", "f4", "i8", "i4")}
NO_SIZE = "expected a sequence of integers or a single integer, got '{}'"


class Rule:
    """What a number plainly may be, `example` for one, and the kinds of arrays that NumPy takes."""

    def __init__(self, holds, example, kinds="biuf"):
        self.holds = holds
        self.example = example
        self.kinds = kinds


def is_not_negative(x):
    return x > 0 or (x == 0 and math.copysign(1.0, x) > 0)


any_number = Rule(lambda x: True, 0.0)
not_negative = Rule(is_not_negative, 1.0)
positive = Rule(lambda x: x > 0, 1.0)
probability = Rule(lambda x: is_not_negative(x) and x <= 1, 0.5)
above_zero = Rule(lambda x: 0 < x <= 1, 0.5)
below_one = Rule(lambda x: is_not_negative(x) and x < 1, 0.5)
above_one = Rule(lambda x: x > 1, 2.0)
poisson_mean = Rule(lambda x: is_not_negative(x) and x <= POISSON_MAX, 1.0)
count = Rule(lambda x: 0 <= x < 2**62, 1, kinds="biu")
few = Rule(lambda x: 0 < x <= 1e9, 1.0)
not_rare = Rule(lambda x: 1e-6 <= x <= 1, 0.5)
# Of those that depend on each other none is plainly good.
related = Rule(lambda x: False, None)
many = Rule(lambda x: False, 10**9 - 1, kinds="biu")
taken = Rule(lambda x: False, 1, kinds="biu")


RULES = {
    "beta": (positive, positive),
    "binomial": (count, probability),
    "chisquare": (positive,),
    "exponential": (not_negative,),
    "f": (positive, positive),
    "gamma": (not_negative, not_negative),
    "geometric": (above_zero,),
    "gumbel": (any_number, not_negative),
    "hypergeometric": (many, many, taken),
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
    "triangular": (related, related, related),
    "uniform": (related, related),
    "vonmises": (any_number, not_negative),
    "wald": (positive, positive),
    "weibull": (not_negative,),
    "zipf": (above_one,),
}
# enum ga_random_judge.
UNJUDGED, JUDGES = 0, {"Generator": 1, "RandomState": 2}


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


def are_good(method, values):
    """Whether numbers are plainly good."""
    rules = RULES.get(method, ())
    return bool(rules) and all(rule.holds(value) for rule, value in zip(rules, values, strict=True))


def as_parameter(value):
    """A Python number; an array of ours; or what NumPy makes of it."""
    if type(value) in NUMBERS or (type(value) is ndarray and value.ndim):
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
    """Parameters as numbers and arrays, the shape of the result (None: a scalar), and who judges them on the device.

    What comes from the host is good then.
    """
    given, values = values, tuple(map(as_parameter, values))
    arrays = [each for each in values if type(each) not in NUMBERS]
    if not arrays:
        if not are_good(method, values):
            judge(kind, method, given)
        return values, read_shape(size), UNJUDGED
    if not any(isinstance(each, ndarray) for each in arrays):
        judge(kind, method, given)
        return values, fit_size(size, join_shapes(arrays)), UNJUDGED
    shape = fit_size(size, join_shapes(arrays))
    if 0 in shape or not are_of_kinds(RULES[method], values):
        judge(kind, method, given)
    judge_host(kind, method, values)
    return values, shape, JUDGES[kind]


def join_shapes(arrays):
    """The shape of arrays together."""
    shapes = {each.shape for each in arrays}
    return shapes.pop() if len(shapes) == 1 else numpy.broadcast_shapes(*shapes)


def are_of_kinds(rules, values):
    """Whether NumPy takes the dtypes of the arrays on a device."""
    return all(
        value.dtype.kind in rule.kinds
        for rule, value in zip(rules, values, strict=True)
        if isinstance(value, ndarray)
    )


def judge_host(kind, method, values):
    """NumPy's exception if parameters from the host are bad, whatever those on a device are."""
    rules = RULES[method]
    host = [each for each in values if not isinstance(each, ndarray)]
    if all(type(each) in NUMBERS for each in host) and all(
        isinstance(each, ndarray) or rule.holds(each)
        for rule, each in zip(rules, values, strict=True)
    ):
        return
    if related not in rules:
        judge(
            kind,
            method,
            [
                rule.example if isinstance(each, ndarray) else each
                for rule, each in zip(rules, values, strict=True)
            ],
        )
    elif method == "uniform":
        judge(kind, method, host * 2)


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


def as_operands(values, shape, device, dtype=None):
    """Parameters as one launch takes them: floats, and arrays broadcast to `shape`."""
    return tuple(
        float(each) if type(each) in NUMBERS else spread(each, shape, device, dtype)
        for each in values
    )


def spread(value, shape, device, dtype):
    """An array of a dtype that kernels read, or of the one given, broadcast."""
    if dtype is None:
        dtype = value.dtype if value.dtype.char in READ else "f8"
    value = asarray(value, dtype=dtype, device=device)
    return value if value.shape == shape else broadcast_to(value, shape)


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

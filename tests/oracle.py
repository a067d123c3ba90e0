"""NumPy as the oracle: one test body, run once with NumPy and once with gpuarray, compared in everything that shows.

    def test_add(device):
        check(lambda xp, a, b: xp.add(a, b), numpy.arange(3), [1, 2, 3], device=device)

Compared are: exception class, or the kind of the result (array, NumPy scalar, Python object; containers element by
element), dtype, shape, contiguity flags and values. Array arguments are handed over as copies, and must have
changed in the same way afterwards.
"""

import copy
import warnings

import numpy

import gpuarray

CONTAINERS = (list, tuple)
SHORT_FLOATS = ("bfloat16", "float8_e4m3fn", "float8_e5m2")  # of ml_dtypes: not NumPy's, but held


def check(function, *args, device, ulp=0, order=True, rtol=None, atol=0.0):
    """Run function(xp, *args) both ways and compare; return our result, or the exception that both raised.

    numpy arrays in args, also inside lists, tuples and dicts, are moved to the device for our run. `ulp` is the
    allowed distance in units of the last place; `rtol` and `atol` replace it where they are given. `order` False
    leaves out the contiguity flags.
    """
    tolerance = Tolerance(ulp, rtol, atol)
    theirs, ours = copy.deepcopy(args), to_device(args, device)
    expected, failure = run(function, numpy, theirs)
    result, our_failure = run(function, gpuarray, ours, lambda: gpuarray.synchronize(device))
    if failure is not None or our_failure is not None:
        compare_failures(our_failure, failure)
        return our_failure
    compare(result, expected, tolerance, order, "result")
    compare(ours, theirs, tolerance, order, "arguments after the call")
    return result


def run(function, xp, args, wait=lambda: None):
    """The result and the exception of one run; NumPy's warnings about values are not ours.

    `wait` brings up what a device reports late: a bad index that lives on the device itself.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = function(xp, *args)
            wait()
            return result, None
        except Exception as error:
            return None, error


def to_device(value, device):
    """Copy of `value` with every numpy array that a device can hold moved to the device."""
    if isinstance(value, numpy.ndarray):
        held = value.dtype.kind in "biufcmM" and value.dtype.char not in "gG"
        held = held or value.dtype.name in SHORT_FLOATS
        return gpuarray.array(value, device=device) if held else value.copy()
    if isinstance(value, dict):
        return {key: to_device(item, device) for key, item in value.items()}
    if type(value) in CONTAINERS:
        return type(value)(to_device(item, device) for item in value)
    return copy.deepcopy(value)


def is_scalar(array):
    """Whether a device array stands for a NumPy scalar: only those hash."""
    try:
        hash(array)
    except TypeError:
        return False
    except ValueError:  # of a span without a unit
        return True
    return True


def kind_of(value):
    """What a caller sees: 'array', 'scalar', or the Python type."""
    if isinstance(value, gpuarray.ndarray):
        return "scalar" if is_scalar(value) else "array"
    if isinstance(value, numpy.ndarray):
        return "array"
    if isinstance(value, numpy.generic):
        return "scalar"
    return type(value)


def compare_failures(ours, theirs):
    if theirs is None:
        raise AssertionError(f"NumPy has a result, ours raised {ours!r}") from ours
    assert ours is not None, f"NumPy raised {theirs!r}, ours has a result"
    if not isinstance(ours, type(theirs)):
        raise AssertionError(f"NumPy raised {theirs!r}, ours {ours!r}") from ours


def compare(ours, theirs, tolerance, order, where):
    """Compare two results, going into containers."""
    if isinstance(theirs, dict):
        assert isinstance(ours, dict) and list(ours) == list(theirs), where
        for key in theirs:
            compare(ours[key], theirs[key], tolerance, order, f"{where}[{key!r}]")
    elif isinstance(theirs, CONTAINERS):
        assert isinstance(ours, type(theirs)) or isinstance(theirs, tuple), f"{where}: {type(ours)}"
        assert len(ours) == len(theirs), f"{where}: {len(ours)} items, NumPy has {len(theirs)}"
        for i, (our_item, their_item) in enumerate(zip(ours, theirs, strict=True)):
            compare(our_item, their_item, tolerance, order, f"{where}[{i}]")
    else:
        compare_leaves(ours, theirs, tolerance, order, where)


def compare_leaves(ours, theirs, tolerance, order, where):
    ours_kind, theirs_kind = kind_of(ours), kind_of(theirs)
    assert ours_kind == theirs_kind, f"{where}: ours is {ours_kind}, NumPy's {theirs_kind}"
    if theirs_kind == "array":
        compare_layouts(ours, theirs, order, where)
    elif theirs_kind == "scalar":
        assert ours.dtype == theirs.dtype, f"{where}: dtype {ours.dtype}, NumPy has {theirs.dtype}"
    if theirs_kind in ("array", "scalar"):
        compare_values(gpuarray.asnumpy(ours), numpy.asarray(theirs), tolerance, where)
    elif theirs is not numpy and not callable(theirs):
        assert ours == theirs or (ours != ours and theirs != theirs), (
            f"{where}: {ours!r} != {theirs!r}"
        )


def compare_layouts(ours, theirs, order, where):
    assert ours.dtype == theirs.dtype, f"{where}: dtype {ours.dtype}, NumPy has {theirs.dtype}"
    assert ours.shape == theirs.shape, f"{where}: shape {ours.shape}, NumPy has {theirs.shape}"
    if order:
        for flag in ("c_contiguous", "f_contiguous"):
            mine, other = getattr(ours.flags, flag), getattr(theirs.flags, flag)
            assert mine == other, f"{where}: {flag} is {mine}, NumPy has {other}"


class Tolerance:
    """How far two numbers may be apart."""

    def __init__(self, ulp=0, rtol=None, atol=0.0):
        self.ulp, self.rtol, self.atol = ulp, rtol, atol

    def accepts(self, ours, theirs):
        """Truth per element of two float arrays of one dtype; NaN equals NaN, and with no tolerance 0.0 is not -0.0."""
        same = (ours == theirs) | (numpy.isnan(ours) & numpy.isnan(theirs))
        if self.rtol is not None:
            return same | (numpy.abs(ours - theirs) <= self.atol + self.rtol * numpy.abs(theirs))
        if self.ulp == 0:
            return same & ((numpy.signbit(ours) == numpy.signbit(theirs)) | numpy.isnan(theirs))
        return same | (ulp_distance(ours, theirs) <= self.ulp)


def ulp_distance(a, b):
    """Distance in units of the last place of two float arrays of one dtype; of infinities and NaN it is huge."""
    with numpy.errstate(all="ignore"):
        unit = numpy.spacing(numpy.minimum(numpy.abs(a), numpy.abs(b)))
        distance = numpy.abs(a - b) / unit
    return numpy.where(numpy.isfinite(a) & numpy.isfinite(b), distance, numpy.inf)


def compare_values(ours, theirs, tolerance, where="result"):
    """Compare two numpy arrays of one dtype and shape."""
    assert ours.shape == theirs.shape, f"{where}: shape {ours.shape}, NumPy has {theirs.shape}"
    kind = theirs.dtype.kind
    if kind == "c":
        compare_values(ours.real, theirs.real, tolerance, f"{where}.real")
        compare_values(ours.imag, theirs.imag, tolerance, f"{where}.imag")
        return
    if kind == "f" or theirs.dtype.name in SHORT_FLOATS:
        with numpy.errstate(all="ignore"):
            good = tolerance.accepts(ours, theirs)
    elif kind in "mM":
        good = ours.view("i8") == theirs.view("i8")
    else:
        good = ours == theirs
    if not numpy.all(good):
        raise AssertionError(describe_difference(ours, theirs, numpy.asarray(good), where))


def describe_difference(ours, theirs, good, where):
    """Which elements differ, with the first few of them."""
    bad = numpy.argwhere(~good)
    lines = [
        f"{where}: {len(bad)} of {good.size} elements differ ({theirs.dtype}, shape {theirs.shape})"
    ]
    for index in map(tuple, bad[:5]):
        lines.append(f"  at {index}: {ours[index]!r}, NumPy has {theirs[index]!r}")
    return "\n".join(lines)

"""bfloat16 and float8 of ml_dtypes: what is stored, how it converts, and every ufunc on every value.

Functions that compute on them are in test_short_float_functions.py.
"""

import copy
import operator
import pickle
import subprocess
import sys

import numpy
import pytest
from oracle import check
from short_floats import (
    DTYPES,
    EACH_DTYPE,
    NAMES,
    edge_values,
    every_value,
    ml_dtypes,
    pairs_of_values,
    small_matrix,
    ties_of,
)
from ufunc_table import ROWS

import gpuarray

NUMBERS = "?bBhHiIlLefdFD"
# NumPy's ufuncs that ml_dtypes has loops for, or that take them as float32.
UFUNCS = sorted(
    name
    for name, each in vars(numpy).items()
    if isinstance(each, numpy.ufunc) and not each.signature and each.__name__ == name
)
# ml_dtypes compares with `<` and so gives either zero; its sign of -0.0 is -0.0, NumPy's of other floats 0.0.
ANY_ZERO = {"maximum", "minimum", "fmax", "fmin", "sign"}


@EACH_DTYPE
def test_every_value_goes_there_and_back(dtype, device):
    host = every_value(dtype)
    array = gpuarray.asarray(host, device=device)
    assert array.dtype == dtype and array.itemsize == dtype.itemsize
    bits = f"u{dtype.itemsize}"
    assert (array.get().view(bits) == host.view(bits)).all()
    assert (gpuarray.asnumpy(array[::-1].copy()).view(bits) == host[::-1].view(bits)).all()


@pytest.mark.smoke
@EACH_DTYPE
@pytest.mark.parametrize("char", NUMBERS)
def test_every_value_converts(dtype, char, device):
    values = every_value(dtype)
    # What C leaves undefined differs between processors, and between NumPy's loops.
    if char in "bBhHiIlLF":
        values = values[numpy.isfinite(values.astype(numpy.float32))]
    if char in "bBhHiIlL":
        info = numpy.iinfo(char)
        wide = values.astype(float)
        values = values[(wide >= info.min) & (wide <= min(info.max, 2.0**62))]
    check(lambda xp, a: a.astype(char), values, device=device)


@EACH_DTYPE
@pytest.mark.parametrize("other", DTYPES, ids=NAMES)
def test_every_value_converts_among_them(dtype, other, device):
    check(lambda xp, a: a.astype(other), every_value(dtype), device=device)


@EACH_DTYPE
@pytest.mark.parametrize("char", NUMBERS)
def test_numbers_are_rounded_once(dtype, char, device):
    random = numpy.random.default_rng(2)
    if char in "efdFD":
        values = numpy.concatenate([ties_of(dtype), random.standard_normal(1000) * 100])
        values = numpy.concatenate([values, [numpy.inf, -numpy.inf, numpy.nan, 464, 465, 57344]])
    else:
        info = numpy.iinfo(char) if char != "?" else numpy.iinfo("b")
        values = random.integers(max(info.min, -70000), min(info.max, 70000), 1000)
        values = numpy.concatenate([values, [2**24 + 1, 2**24 + 3, -1, 257, 259]]).astype("i8")
    with numpy.errstate(all="ignore"):
        values = values.astype(char)
        check(lambda xp, a: a.astype(dtype), values, device=device)


@EACH_DTYPE
def test_every_half_converts(dtype, device):
    halves = numpy.arange(65536).astype("u2").view(numpy.float16)
    check(lambda xp, a: a.astype(dtype), halves, device=device)


@EACH_DTYPE
def test_rounding_of_float32_is_that_of_ml_dtypes(dtype, device):
    bits = numpy.random.default_rng(3).integers(0, 2**32, 100_000, dtype="u4")
    values = numpy.concatenate([bits.view("f4"), ties_of(dtype)])
    check(lambda xp, a: a.astype(dtype), values, device=device)


@EACH_DTYPE
@pytest.mark.parametrize("to", ["M8[s]", "m8[s]", "S3"])
def test_conversions_that_there_are_not(dtype, to, device):
    check(lambda xp, a: a.astype(to), small_matrix(dtype), device=device)
    if to != "S3":
        times = numpy.arange(4).astype(to)
        check(lambda xp, a: a.astype(dtype), times, device=device)
        check(
            lambda xp, a, b: operator.setitem(b, ..., a),
            small_matrix(dtype)[0],
            times,
            device=device,
        )


@EACH_DTYPE
@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind"])
@pytest.mark.parametrize("other", [*"?bhilefdFD", *DTYPES], ids=str)
def test_casting_rules_are_numpys(dtype, other, casting, device):
    check(lambda xp, a: a.astype(other, casting=casting), small_matrix(dtype), device=device)
    matrix = numpy.ones((2, 2), other)
    check(lambda xp, a: a.astype(dtype, casting=casting), matrix, device=device)


# ---- ufuncs ----

INEXACT = {row.name: row.ulp for row in ROWS}


@pytest.mark.smoke
@EACH_DTYPE
@pytest.mark.parametrize("name", UFUNCS)
def test_ufunc_on_every_value(dtype, name, device):
    ufunc = getattr(numpy, name)
    operands = (every_value(dtype),) if ufunc.nin == 1 else pairs_of_values(dtype)
    # Rounded to so few bits what is right to the last bits of float32 is the same, but for ties.
    ulp = 4 if name in ("degrees", "radians", "float_power") else 0
    rtol = 0 if name in ANY_ZERO else None
    rounded = ulp == 0 and rtol is None
    if rounded and (device != "cpu" or INEXACT.get(name)):
        ulp = 1  # transcendental functions of the card, and vector forms of the C library's
    check(lambda xp, *args: getattr(xp, name)(*args), *operands, device=device, ulp=ulp, rtol=rtol)


@EACH_DTYPE
@pytest.mark.parametrize("operation", ["add", "truediv", "mod", "lt", "eq", "and_", "lshift"])
@pytest.mark.parametrize(
    "number",
    [
        2,
        257,
        2**60 + 1,
        1.5,
        True,
        1j,
        *(numpy.dtype(c).type(2) for c in "bhilefd"),
        ml_dtypes.bfloat16(2),
    ],
    ids=repr,
)
def test_numbers_beside_them(dtype, operation, number, device):
    function = getattr(operator, operation)
    check(lambda xp, a: function(a, number), small_matrix(dtype), device=device, ulp=1)
    check(lambda xp, a: function(number, a), small_matrix(dtype), device=device, ulp=1)


@EACH_DTYPE
@pytest.mark.parametrize("other", [*NUMBERS, *DTYPES], ids=str)
def test_arrays_beside_them(dtype, other, device):
    for function in (operator.mul, operator.sub, operator.ge, operator.floordiv):
        pair = small_matrix(dtype), numpy.arange(1, 5).astype(other)
        check(lambda xp, a, b: function(a, b), *pair, device=device)  # noqa: B023
        check(lambda xp, a, b: xp.arctan2(b, a), *pair, device=device, ulp=4)


@EACH_DTYPE
@pytest.mark.parametrize("operation", ["iadd", "imul", "itruediv", "ipow", "ifloordiv", "imod"])
@pytest.mark.parametrize("number", [2, 1.5, numpy.float32(2)], ids=repr)
def test_in_place(dtype, operation, number, device):
    def run(xp, a):
        return getattr(operator, operation)(a, number)

    check(run, small_matrix(dtype), device=device)


LAYOUTS = {
    "transposed": lambda xp, a: a.T,
    "reversed": lambda xp, a: a[::-1, ::2],
    "broadcast": lambda xp, a: xp.broadcast_to(a[0], (3, 4)),
    "no axes": lambda xp, a: a[1, 2],
    "empty": lambda xp, a: a[:0],
    "column": lambda xp, a: a[:, :1],
    "fortran": lambda xp, a: xp.asfortranarray(a),
}


@EACH_DTYPE
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["negative", "cbrt", "add", "hypot", "modf", "isfinite"])
def test_layouts(dtype, layout, name, device):
    def run(xp, a):
        view = LAYOUTS[layout](xp, a)
        return getattr(xp, name)(*[view] * getattr(numpy, name).nin)

    check(run, small_matrix(dtype), device=device)


KEYWORDS = {
    "out": lambda xp, a: xp.sin(a, out=xp.zeros_like(a)),
    "wider out": lambda xp, a: xp.cbrt(a, out=xp.zeros((3, 4), "f4")),
    "out is input": lambda xp, a: xp.cbrt(a, out=a),
    "out overlaps": lambda xp, a: xp.cbrt(a[1:], out=a[:-1]),
    "where": lambda xp, a: xp.cbrt(a, where=a > 3, out=a.copy()),
    "where, own loop": lambda xp, a: xp.add(a, a, where=a > 3, out=a.copy()),
    "dtype": lambda xp, a: xp.add(a, a, dtype="f8"),
    "short dtype": lambda xp, a: xp.cbrt(a.astype("f4"), dtype=a.dtype, casting="unsafe"),
    "rounds operands": lambda xp, a: xp.add(
        a.astype("f4") * xp.float32(1.01), a[0], dtype=a.dtype, casting="unsafe"
    ),
    "two outputs": lambda xp, a: xp.divmod(a, a[0], out=(xp.zeros_like(a), xp.zeros_like(a))),
    "order": lambda xp, a: xp.cbrt(a, order="F"),
    "scalars": lambda xp, a: xp.hypot(a[0, 0], a[2, 3]),
    "outer": lambda xp, a: xp.multiply.outer(a[0], a[1]),
    "at": lambda xp, a: (xp.add.at(a, ([0, 0], [1, 1]), 1), a),
    "at, one operand": lambda xp, a: (xp.negative.at(a, [0, 2]), a),
}


@EACH_DTYPE
@pytest.mark.parametrize("case", KEYWORDS)
def test_ufunc_keywords(dtype, case, device):
    check(KEYWORDS[case], small_matrix(dtype), device=device)


# ---- objects ----


def test_nothing_imports_ml_dtypes_unasked():
    program = """
import sys, numpy, gpuarray
a = gpuarray.ones(3, device="cpu")
repr(a + 1), a.sum(), a.dtype
assert "ml_dtypes" not in sys.modules
z = gpuarray.zeros(3, "bfloat16", device="cpu")
assert "ml_dtypes" in sys.modules and z.dtype.name == "bfloat16"
assert gpuarray.ones(2, device="cpu").astype("float8_e5m2").dtype.itemsize == 1
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_names_without_ml_dtypes():
    program = """
import sys
sys.modules["ml_dtypes"] = None
import gpuarray
try:
    gpuarray.zeros(3, "bfloat16", device="cpu")
except ImportError as error:
    assert "ml_dtypes" in str(error)
else:
    raise AssertionError
"""
    subprocess.run([sys.executable, "-c", program], check=True)


OBJECTS = {
    "item": lambda xp, a: (a[0, 0].item(), a.item(3), a.tolist()),
    "numbers": lambda xp, a: (float(a[0, 1]), int(a[0, 2]), complex(a[0, 0]), hash(a[0, 0])),
    "truth": lambda xp, a: (bool(a[0, 0]), bool(a[0, 0] - a[0, 0]), bool(-(a[0, 0] * 0))),
    "repr": lambda xp, a: (repr(a), str(a), repr(a[0, 0]), f"{a[0, 0]:.2f}"),
    "long repr": lambda xp, a: repr(xp.tile(a, (400, 1))),
    "no index": lambda xp, a: [1, 2, 3][a[0, 0]],
    "as index": lambda xp, a: a[a],
    "attributes": lambda xp, a: (a.nbytes, a.itemsize, a.strides, a.T, a.real, a.imag),
    "view": lambda xp, a: a.view(f"i{a.itemsize}").view(a.dtype),
    "bytes": lambda xp, a: (a.tobytes(), xp.frombuffer(a.tobytes(), a.dtype)),
    "pickle": lambda xp, a: pickle.loads(pickle.dumps(a)),
    "pickle 5": lambda xp, a: pickle.loads(pickle.dumps(a, 5)),
    "copy": lambda xp, a: (copy.copy(a), copy.deepcopy(a), a.copy("F")),
    "contains": lambda xp, a: (3 in a, 99 in a),
    "iter": lambda xp, a: [float(x) for x in a[0]],
    "memory": lambda xp, a: (xp.may_share_memory(a, a[1:]), xp.shares_memory(a[0], a[1])),
    "same": lambda xp, a: a.astype(a.dtype, copy=False) is a,
    "promotion": lambda xp, a: [xp.result_type(a, x) for x in ("f4", "f8", "F", "?", "b")],
}


@EACH_DTYPE
@pytest.mark.parametrize("case", OBJECTS)
def test_objects(dtype, case, device):
    check(OBJECTS[case], small_matrix(dtype), device=device)


@EACH_DTYPE
def test_numpy_sees_the_dtype(dtype, device):
    array = gpuarray.asarray(small_matrix(dtype), device=device)
    for host in (numpy.asarray(array), numpy.array(array), array.get(), gpuarray.asnumpy(array)):
        assert host.dtype == dtype and (host == small_matrix(dtype)).all()
    assert numpy.asarray(array, dtype=numpy.float32).dtype == numpy.float32
    for interface in ("__array_interface__", "__cuda_array_interface__"):
        assert not hasattr(array, interface)  # it would say that these are bytes
    if device == "cpu":
        with pytest.raises(ValueError, match="buffer"):
            memoryview(array)


@EACH_DTYPE
def test_files_of_elements(dtype, device, tmp_path):
    array = gpuarray.asarray(small_matrix(dtype), device=device)
    gpuarray.asnumpy(array).tofile(tmp_path / "elements")
    back = gpuarray.fromfile(tmp_path / "elements", dtype=dtype, device=device)
    assert back.dtype == dtype and (back.get() == small_matrix(dtype).ravel()).all()
    gpuarray.save(tmp_path / "elements.npy", array)
    stored = (tmp_path / "elements.npy").read_bytes()
    assert stored.endswith(small_matrix(dtype).tobytes())


@EACH_DTYPE
def test_dlpack_round_trip(dtype, device):
    array = gpuarray.asarray(edge_values(dtype), device=device)
    back = gpuarray.from_dlpack(array)
    assert back.dtype == dtype
    bits = f"u{dtype.itemsize}"
    assert (back.get().view(bits) == array.get().view(bits)).all()
    back[0] = 2
    assert float(array[0]) == 2  # one memory


@EACH_DTYPE
def test_dlpack_with_torch(dtype, device):
    torch = pytest.importorskip("torch")
    if device != "cpu" and not torch.cuda.is_available():
        pytest.skip("PyTorch without CUDA")
    array = gpuarray.asarray(small_matrix(dtype), device=device)
    try:
        tensor = torch.from_dlpack(array)
    except RuntimeError as error:  # codes of float8 are younger than some versions
        pytest.skip(str(error))
    assert str(tensor.dtype) == f"torch.{dtype.name}"
    assert (tensor.float().cpu().numpy() == small_matrix(dtype).astype("f4")).all()
    back = gpuarray.from_dlpack(tensor)
    assert back.dtype == dtype and (back.get() == small_matrix(dtype)).all()

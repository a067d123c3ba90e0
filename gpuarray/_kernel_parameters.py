"""Parameters of kernels that are made of an expression: their declarations, dtypes, shapes and C++ types."""

import numpy

from gpuarray import _core
from gpuarray._core import asarray, ndarray
from gpuarray._shape import broadcast_to

TYPES = {
    "bool": "bool",
    "int8": "signed char",
    "uint8": "unsigned char",
    "int16": "short",
    "uint16": "unsigned short",
    "int32": "int",
    "uint32": "unsigned int",
    "int64": "long long",
    "uint64": "unsigned long long",
    "float16": "__half",
    "float32": "float",
    "float64": "double",
}

# What a raw parameter is in the kernel: its elements in C order, by number.
RAW = """
template <class T> struct raw_array {
    T *elements;
    long long length;
    __device__ T &operator[](long long i) const { return elements[i]; }
    __device__ long long size() const { return length; }
};
"""


class Parameter:
    """One declaration: "float32 x", "T y" with a type that the arguments decide, "raw T z" for all of an array."""

    def __init__(self, text, is_output):
        words = text.split()
        self.raw = words[:1] == ["raw"]
        if len(words) != 2 + self.raw or not words[-1].isidentifier():
            raise ValueError(f"a parameter is '[raw] type name', not {text!r}")
        self.type, self.name = words[-2:]
        self.is_output = is_output
        self.dtype = numpy.dtype(self.type) if len(self.type) > 1 else None
        if self.name in ("i", "n") or self.name.startswith("_"):
            raise ValueError(f"the name {self.name!r} is the kernel's own")


def parse(text, is_output):
    """Declarations divided by commas."""
    return [Parameter(each, is_output) for each in text.split(",") if each.strip()]


def find_types(parameters, values):
    """The dtype of each parameter by its name; None among the values for outputs that are to be made."""
    letters = {}
    for parameter, value in zip(parameters, values, strict=True):
        if parameter.dtype is None and isinstance(value, (ndarray, numpy.generic)):
            if letters.setdefault(parameter.type, value.dtype) != value.dtype:
                raise TypeError(
                    f"{parameter.name}: {parameter.type} is {letters[parameter.type]}, not {value.dtype}"
                )
    for parameter, value in zip(parameters, values, strict=True):
        if parameter.dtype is None and type(value) in (bool, int, float):
            letters.setdefault(parameter.type, numpy.dtype(type(value)))
    return {each.name: find_type(each, letters) for each in parameters}


def find_type(parameter, letters):
    dtype = parameter.dtype or letters.get(parameter.type)
    if dtype is None:
        raise TypeError(f"{parameter.name}: no argument says what {parameter.type} is")
    if dtype.name not in TYPES:
        raise TypeError(f"{parameter.name}: kernels made of expressions take no {dtype}")
    return dtype


def check_type(parameter, value, dtype):
    if isinstance(value, ndarray) and value.dtype != dtype:
        raise TypeError(f"{parameter.name} must be {dtype}, not {value.dtype}")


def name_type(dtype):
    """The C++ type of elements."""
    return TYPES[numpy.dtype(dtype).name]


def headers(dtypes):
    """What a program of these dtypes includes."""
    return "#include <cuda_fp16.h>\n" if any(dtype == "float16" for dtype in dtypes) else ""


def dense(value, shape):
    """An array of that shape in C order: the same one, or a copy."""
    if value.shape != shape:
        value = broadcast_to(value, shape)
    return value if value.flags.c_contiguous and value.flags.aligned else value.copy()


def as_values(arguments):
    """Arguments on one device; NumPy's arrays go there, numbers stay what they are."""
    arrays = (each for each in arguments if isinstance(each, ndarray))
    device = next((each.device for each in arrays), _core.default_device())
    return [
        asarray(each, device=device) if isinstance(each, (numpy.ndarray, list, tuple)) else each
        for each in arguments
    ], device

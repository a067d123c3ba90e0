"""Every name that NumPy has and gpuarray does not define itself: NumPy's own object, or the host fall-back.

Owns the decision which of the two a name is. gpuarray/__init__.py asks here when an attribute is missing, and keeps
the answer.
"""

import importlib
import types

import numpy

import gpuarray
from gpuarray import _fallback

# Submodules of our own, loaded when they are first used.
# Those that NumPy has not stay out of `import *`.
NOT_NUMPYS = frozenset(("cuda", "ndimage", "signal", "special"))
SUBMODULES = NOT_NUMPYS | {"emath", "fft", "linalg", "polynomial", "random"}

# Names of ours whose modules are loaded when they are first used.
ATTRIBUTES = {
    "__array_api_version__": ("_array_api", "__array_api_version__"),
    "__array_namespace_info__": ("_array_api", "__array_namespace_info__"),
    "__version__": ("_version", "__version__"),
    "CompileException": ("_programs", "CompileException"),
    "ElementwiseKernel": ("_expression_kernels", "ElementwiseKernel"),
    "RawKernel": ("_programs", "RawKernel"),
    "RawModule": ("_programs", "RawModule"),
    "ReductionKernel": ("_expression_kernels", "ReductionKernel"),
    "fuse": ("_fusion", "fuse"),
    "finfo": ("_limits", "finfo"),
    "flatiter": ("_indexing", "flatiter"),
    "get_array_module": ("_dispatch", "get_array_module"),
    "may_share_memory": ("_memory", "may_share_memory"),
    "shares_memory": ("_memory", "shares_memory"),
    "show_config": ("_config", "show_config"),
}

# Functions that neither take nor give arrays, or whose business is the host: NumPy's own.
PLAIN_FUNCTIONS = frozenset(
    (
        "base_repr",
        "binary_repr",
        "broadcast_shapes",
        "datetime_data",
        "frompyfunc",
        "get_include",
        "get_printoptions",
        "getbufsize",
        "geterr",
        "geterrcall",
        "isdtype",
        "issubdtype",
        "iterable",
        "mintypecode",
        "nested_iters",
        "printoptions",
        "promote_types",
        "set_printoptions",
        "setbufsize",
        "seterr",
        "seterrcall",
        "show_runtime",
        "test",
        "typename",
    )
)

# Functions that look at single numbers, or write text or files: the host copy is what was asked for.
SILENT_FUNCTIONS = frozenset(
    (
        "asmatrix",
        "bmat",
        "datetime_as_string",
        "format_float_positional",
        "format_float_scientific",
        "info",
        "savetxt",
    )
)

# Makers of arrays, whose results come from the host in any case.
LOADERS = frozenset(
    (
        "fromregex",
        "genfromtxt",
        "loadtxt",
    )
)


def find(name):
    """The object for `gpuarray.<name>`; AttributeError where NumPy has no such name either."""
    if name in SUBMODULES or name == "_config":
        return importlib.import_module(f"gpuarray.{name}")
    if name in ATTRIBUTES:
        module, attribute = ATTRIBUTES[name]
        return getattr(importlib.import_module(f"gpuarray.{module}"), attribute)
    if name == "__all__":
        return sorted(list_names() - NOT_NUMPYS)
    if name.startswith("_"):
        raise AttributeError(f"module 'gpuarray' has no attribute {name!r}")
    try:
        theirs = getattr(numpy, name)
    except AttributeError as error:
        raise AttributeError(
            f"module 'gpuarray' has no attribute {name!r}, nor has numpy: {error}"
        ) from None
    return adopt(theirs, name)


def adopt(theirs, name):
    """NumPy's object as ours."""
    if is_own(theirs, name):
        return theirs
    if theirs.__name__ != name and getattr(numpy, theirs.__name__, None) is theirs:
        return getattr(gpuarray, theirs.__name__)
    if name in SILENT_FUNCTIONS or name in LOADERS:
        return _fallback.wrap(theirs, f"gpuarray.{name}", _fallback.run_silently)
    return _fallback.wrap(theirs, f"gpuarray.{name}")


def is_own(theirs, name):
    """Whether NumPy's object serves as it is: types, constants, modules and functions that touch no array."""
    is_module = isinstance(theirs, types.ModuleType)
    return is_module or isinstance(theirs, type) or not callable(theirs) or name in PLAIN_FUNCTIONS


def point_to_numpy(names):
    """Let docstrings of functions that NumPy has too, and which say no more than what they are, name NumPy's."""
    for name, value in names.items():
        plain = type(value) is types.FunctionType and "\n" not in (value.__doc__ or "\n")
        if plain and value.__name__ == name and hasattr(numpy, name):
            value.__doc__ += f"\n\nParameters and results are those of ``numpy.{name}``, with arrays on a device."


def list_names():
    """Every public name of NumPy."""
    return {name for name in dir(numpy) if not name.startswith("_")} | SUBMODULES


def classify(name, ours, home=numpy):
    """What stands behind a name of NumPy's module `home`: 'native', 'composed', 'host', 'numpy' or 'module'."""
    theirs = getattr(home, name, None)
    if isinstance(ours, types.ModuleType):
        return "module"
    if ours is theirs:
        return "numpy"
    if hasattr(ours, "runs_on_host"):
        return "host"
    is_python = isinstance(ours, types.FunctionType) or type(ours).__module__.startswith(
        "gpuarray._"
    )
    return "composed" if is_python else "native"

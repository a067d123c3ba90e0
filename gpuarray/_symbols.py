"""What stands for the arguments of a function that is traced: Traced for an array, Number for a number.

A symbol hands what is done to it to its trace (_tracing.py). What has no answer without values (shapes, truth, indices,
reductions) raises Untraceable; what needs a number's value raises NeedsValue. C code finds symbols by their type, and
the functions at the end by the names under which they are registered.
"""

import numpy

import gpuarray
from gpuarray import _core
from gpuarray._core import ndarray
from gpuarray._operators import COMPARISONS, OPERATORS, UNARY

WEAK = (int, float, complex)


class Untraceable(BaseException):
    """The function has to run as it is. No Exception, so that a function's own handlers let it pass."""


class NeedsValue(BaseException):
    """The function looks at the value of the argument in that place."""

    def __init__(self, place):
        self.place = place


def describe_number(value):
    """What the resolution of dtypes asks of a number: the type of Python's, else a dtype."""
    return type(value) if type(value) in WEAK else numpy.dtype(type(value))


class Symbol:
    """What stands for an argument. C code finds such objects by this type."""

    __slots__ = ("trace",)
    __array_priority__ = 1000000.0
    __hash__ = None

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        found = getattr(_core, ufunc.__name__, None)
        if method != "__call__" or not isinstance(found, _core.ufunc):
            self.trace.refuse()
        return call_ufunc(found, method, inputs, kwargs)

    def __array_function__(self, function, types, args, kwargs):
        ours = getattr(gpuarray, function.__name__, None)
        if function.__module__ != "numpy" or ours is None or hasattr(ours, "runs_on_host"):
            self.trace.refuse()
        return ours(*args, **kwargs)

    def __array__(self, *_, **__):
        self.trace.refuse()


def find_trace(values):
    return next(each.trace for each in values if isinstance(each, Symbol))


def call_formula(name, *args):
    trace = find_trace(args)
    return Traced(trace, trace.formula(name, args))


def call_where(*args):
    trace = find_trace(args)
    return Traced(trace, trace.where(*args))


def says_more(keyword):
    """Whether a keyword of a ufunc is not as if it had been left out."""
    name, value = keyword
    return not (value is None and name == "out" or value is True and name in ("where", "subok"))


def call_ufunc(ufunc, method, inputs, kwargs):
    """A call of one of our ufuncs in which there is a symbol."""
    trace = find_trace(inputs)
    dtype = kwargs.pop("dtype", None)
    if method != "__call__" or len(inputs) != ufunc.nin or any(map(says_more, kwargs.items())):
        trace.refuse()
    dtype = None if dtype is None else numpy.dtype(dtype)
    results = [Traced(trace, node) for node in trace.call(ufunc, inputs, dtype)]
    return results[0] if ufunc.nout == 1 else tuple(results)


class Number(Symbol):
    """A number among the arguments, which takes part in operations with arrays; everything else looks at it."""

    __slots__ = ("place", "described")

    def __init__(self, trace, place, value):
        self.trace, self.place = trace, place
        self.described = describe_number(value)

    @property
    def __class__(self):
        return self.described if self.described in WEAK else self.described.type

    def look(self, *_):
        self.trace.fail(NeedsValue(self.place))

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        self.look()

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if not any(isinstance(each, Traced) for each in inputs):
            self.look()
        return super().__array_ufunc__(ufunc, method, *inputs, **kwargs)


class Traced(Symbol):
    """An array whose elements are not known."""

    __slots__ = ("node", "place")

    def __init__(self, trace, node, place=None):
        self.trace, self.node, self.place = trace, node, place

    @property
    def __class__(self):
        return ndarray

    @property
    def dtype(self):
        return self.node.dtype

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        self.trace.refuse()

    def astype(self, dtype, order="K", casting="unsafe", subok=True, *, copy=True):
        dtype = numpy.dtype(dtype)
        if order != "K" or casting != "unsafe":
            self.trace.refuse()
        if not copy and dtype == self.dtype:
            return self
        return Traced(self.trace, self.trace.astype(self.node, dtype))

    def copy(self, order="C"):
        return self.astype(self.dtype, order)

    def conj(self):
        return call_ufunc(_core.conjugate, "__call__", (self,), {})

    conjugate = conj

    def clip(self, *args, **kwargs):
        return gpuarray.clip(self, *args, **kwargs)

    def round(self, *args, **kwargs):
        return gpuarray.round(self, *args, **kwargs)

    def __pow__(self, exponent, modulus=None):
        if modulus is not None:
            self.trace.refuse()
        if isinstance(exponent, Number):
            exponent.look()
        cheaper = find_shortcut(self.dtype.kind, exponent)
        if cheaper is not None:
            return call_ufunc(cheaper, "__call__", (self,), {})
        return call_ufunc(_core.power, "__call__", (self, exponent), {})

    def __rpow__(self, base, modulus=None):
        return call_ufunc(_core.power, "__call__", (base, self), {})

    def assign(self, ufunc, other):
        """An operation in place."""
        (result,) = self.trace.call(ufunc, (self, other))
        if not numpy.can_cast(result.dtype, self.dtype, "same_kind"):
            self.trace.refuse()
        self.trace.change(self, result)
        return self

    def __setitem__(self, key, value):
        if key is not Ellipsis:
            self.trace.refuse()
        self.trace.fill(self, value)


def find_shortcut(kind, exponent):
    """The ufunc that an operator takes for an exponent written as a number, as NumPy does, or None."""
    if kind in "iub":
        return _core.square if type(exponent) is int and exponent == 2 else None
    if type(exponent) not in (int, float):
        return None
    shortcuts = {2: _core.square, 0.5: _core.sqrt, 1: _core.positive, -1: _core.reciprocal}
    return shortcuts.get(exponent)


LOOKS = (
    "bool",
    "int",
    "float",
    "complex",
    "index",
    "str",
    "repr",
    "format",
    "round",
    "trunc",
    "floor",
    "ceil",
)
REFUSED = (
    *(
        *LOOKS,
        "len",
        "iter",
        "getitem",
        "setitem",
        "delitem",
        "contains",
        "matmul",
        "rmatmul",
        "imatmul",
    ),
    *("reduce_ex", "copy", "deepcopy", "dlpack"),
)


def forward(ufunc):
    return lambda self, other: call_ufunc(ufunc, "__call__", (self, other), {})


def reflect(ufunc):
    return lambda self, other: call_ufunc(ufunc, "__call__", (other, self), {})


def put_operators():
    """Numbers give way to arrays, whose operators take them from either side."""
    for name, operation in {**OPERATORS, **COMPARISONS}.items():
        ufunc = getattr(_core, operation)
        if name != "pow":
            setattr(Traced, f"__{name}__", forward(ufunc))
        if name in OPERATORS and name != "pow":
            setattr(Traced, f"__r{name}__", reflect(ufunc))
        if name in OPERATORS and name != "divmod":
            setattr(
                Traced, f"__i{name}__", lambda self, other, ufunc=ufunc: self.assign(ufunc, other)
            )
        setattr(Number, f"__{name}__", give_way)
        setattr(Number, f"__r{name}__", Number.look)
    for name, operation in UNARY.items():
        ufunc = getattr(_core, operation)
        setattr(
            Traced,
            f"__{name}__",
            lambda self, ufunc=ufunc: call_ufunc(ufunc, "__call__", (self,), {}),
        )
        setattr(Number, f"__{name}__", Number.look)
    for name in REFUSED:
        setattr(Traced, f"__{name}__", lambda self, *_: self.trace.refuse())
    for name in LOOKS:
        setattr(Number, f"__{name}__", Number.look)


def give_way(number, other, *_):
    return NotImplemented if isinstance(other, Traced) else number.look()


put_operators()
_core._register_functions(
    {
        "symbol": Symbol,
        "ufunc_traced": call_ufunc,
        "formula_traced": call_formula,
        "where_traced": call_where,
    }
)

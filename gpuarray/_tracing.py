"""What a function does to its arguments, found out by calling it with symbols in their place.

Owns Trace, the operations in their order, each once, and the symbols: Traced stands for an array, Number for a number
whose value is not looked at. What has no answer without values (shapes, truth, indices, reductions) raises Untraceable;
what needs a number's value raises NeedsValue, and the function is traced anew with that number as it is. Which dtypes
an operation has is asked of the ufuncs themselves, so that promotion is theirs.
"""

import numpy

import gpuarray
from gpuarray import _core
from gpuarray._core import ndarray

WEAK = (int, float, complex)
# Functions of _core: how many arrays they take, how many numbers, and how many truths, before `out` where they have it.
FORMULAS = {
    "_close": (2, 2, 1),
    "_clip": (1, 2, 0),
    "_replace_nan": (1, 1, 0),
    "_finite": (1, 3, 0),
    "_sinc": (1, 2, 0),
    "_round": (1, 1, 1),
}


class Untraceable(BaseException):
    """The function has to run as it is. No Exception, so that a function's own handlers let it pass."""


class NeedsValue(BaseException):
    """The function looks at the value of the argument in that place."""

    def __init__(self, place):
        self.place = place


class Node:
    """A value: an input, a number, or what an operation makes of others.

    `layout` is the input or step whose shape and memory order it has, None of a number; `detail` says which operation,
    and of a number (place of the argument or -1, value).
    """

    __slots__ = ("kind", "detail", "dtype", "operands", "layout")

    def __init__(self, kind, detail, dtype, operands=(), layout=None):
        self.kind, self.detail, self.dtype = kind, detail, dtype
        self.operands, self.layout = operands, layout


class Trace:
    """The operations of one run of a function. Nodes are the same object where they are the same value."""

    def __init__(self):
        self.inputs, self.input_nodes = (
            [],
            [],
        )  # places of the arguments that are arrays, and their nodes
        self.arguments = {}  # the symbols of arrays, by place
        self.steps = []  # (whether it keeps order, layouts of its array operands); layouts count inputs first
        self.whole = set()  # layouts that must have the shape of all inputs together
        self.failed = None
        self._nodes = {}

    def fail(self, reason):
        """Also where the function keeps the exception from going further."""
        self.failed = reason
        raise reason

    def refuse(self, *_, **__):
        self.fail(Untraceable())

    def node(self, kind, detail, dtype, operands=(), layout=None):
        key = kind, detail, dtype, tuple(map(id, operands)), layout
        if key not in self._nodes:
            self._nodes[key] = Node(kind, detail, dtype, operands, layout)
        return self._nodes[key]

    def symbols(self, args, looks):
        """What the function is called with: symbols, but for numbers in the places `looks`, and truths."""
        return [self.symbol(place, each, place in looks) for place, each in enumerate(args)]

    def symbol(self, place, value, looked_at):
        if isinstance(value, ndarray):
            layout = len(self.inputs)
            self.inputs.append(place)
            self.input_nodes.append(self.node("input", layout, value.dtype, layout=layout))
            self.arguments[place] = Traced(self, self.input_nodes[-1], place)
            return self.arguments[place]
        return value if looked_at or type(value) is bool else Number(self, place, value)

    def order(self, results):
        """The nodes that results depend on, each after its operands."""
        needed, left = set(), list(results)
        while left:
            node = left.pop()
            if node not in needed:
                needed.add(node)
                left += node.operands
        return [each for each in self._nodes.values() if each in needed]

    def numbers(self):
        """The nodes of numbers among the arguments, also where no result depends on them: they may be out of range."""
        return [
            each for each in self._nodes.values() if each.kind == "number" and each.detail[0] >= 0
        ]

    def step(self, operands, keeps=False):
        """The layout of an operation's result; operands as they came."""
        layouts = tuple(each.layout for each in operands if each.layout is not None)
        if not layouts:
            self.refuse()
        key = keeps, layouts
        if key not in self.steps:
            self.steps.append(key)
        return len(self.inputs) + self.steps.index(key)

    def number(self, value, dtype):
        """A number in the dtype of an operation."""
        if isinstance(value, Number):
            return self.node("number", (value.place, None), dtype)
        # Zeros of either sign are equal, and 1 equals 1.0.
        if dtype.kind in "iu" and not numpy.iinfo(dtype).min <= value <= numpy.iinfo(dtype).max:
            self.refuse()  # an error, or a comparison with an answer of its own
        return self.node("number", (-1, Constant(value)), dtype)

    def cast(self, operand, dtype):
        if not isinstance(operand, Node):
            return self.number(operand, dtype)
        if operand.dtype == dtype:
            return operand
        return self.node("cast", None, dtype, (operand,), operand.layout)

    def take(self, value):
        """An operand: the node of an array, or a number."""
        if isinstance(value, Traced):
            return value.node if value.trace is self else self.refuse()
        if isinstance(value, Number):
            return value if value.trace is self else self.refuse()
        if type(value) in (bool, *WEAK) or isinstance(value, (numpy.number, numpy.bool)):
            return value
        return self.refuse()

    def call(self, ufunc, inputs, dtype=None):
        """The nodes of a ufunc's results."""
        operands = [self.take(each) for each in inputs]
        loop = _core._fused_loop(ufunc, tuple(map(describe, operands)), dtype)
        if loop is NotImplemented or any(each.kind not in "biufc" for each in loop):
            self.refuse()
        check_exponent(self, ufunc, operands, loop)
        nodes = tuple(
            self.cast(each, to) for each, to in zip(operands, loop[: ufunc.nin], strict=True)
        )
        layout = self.step([each for each in operands if isinstance(each, Node)])
        made = self.node("ufunc", (ufunc.__name__, loop[: ufunc.nin]), None, nodes, layout)
        return [
            self.node("part", part if ufunc.nout > 1 else None, to, (made,), layout)
            for part, to in enumerate(loop[ufunc.nin :])
        ]

    def where(self, condition, x, y):
        chosen = [self.take(each) for each in (x, y)]
        condition = self.take(condition)
        if not isinstance(condition, Node):
            self.refuse()
        loop = _core._fused_loop(_core.maximum, tuple(map(describe, chosen)), None)
        if loop is NotImplemented:
            self.refuse()
        layout = self.step([each for each in (*chosen, condition) if isinstance(each, Node)])
        nodes = (
            self.cast(condition, numpy.dtype(bool)),
            *(self.cast(each, loop[0]) for each in chosen),
        )
        return self.node("where", None, loop[0], nodes, layout)

    def formula(self, name, args):
        """One of the functions of _core that have parameters; those are numbers, then truths and `out`."""
        arrays, parameters, truths = FORMULAS[name]
        operands = [self.take(each) for each in args[:arrays]]
        loop = _core._fused_loop(
            (_core.positive, _core.equal)[arrays - 1], tuple(map(describe, operands)), None
        )
        numbers, rest = args[arrays : arrays + parameters], args[arrays + parameters :]
        if loop is NotImplemented or any(each is not None for each in rest[truths:]):
            self.refuse()
        dtype = loop[0]
        nodes = [self.cast(each, dtype) for each in operands] + [
            self.number(each, dtype) for each in numbers
        ]
        layout = self.step([each for each in operands if isinstance(each, Node)])
        return self.node(
            "formula", (name, arrays, *map(bool, rest[:truths])), loop[-1], tuple(nodes), layout
        )

    def astype(self, operand, dtype):
        if dtype.kind not in "biufc" or (operand.dtype.kind == "c" and dtype.kind not in "cb"):
            self.refuse()  # the loss of imaginary parts is warned of
        if not _core._holds(dtype):
            self.refuse()
        layout = self.step([operand], keeps=True)
        return self.node("copy", None, dtype, (self.cast(operand, dtype),), layout)


class Constant:
    """A number that a function has in it, equal to those of its type and text."""

    def __init__(self, value):
        self.value, self.key = value, (type(value), repr(value))

    def __eq__(self, other):
        return isinstance(other, Constant) and self.key == other.key

    def __hash__(self):
        return hash(self.key)


def describe(operand):
    """What the resolution asks of an operand: its dtype, or the type of a Python number."""
    if isinstance(operand, Node):
        return operand.dtype
    if isinstance(operand, Number):
        return operand.described
    return type(operand) if type(operand) in WEAK else numpy.dtype(type(operand))


def check_exponent(trace, ufunc, operands, loop):
    """Negative exponents of integers are an error; of arrays that takes a look at them."""
    if ufunc is not _core.power or loop[1].kind != "i":
        return
    exponent = operands[1]
    if isinstance(exponent, Number):
        exponent.look()
    if isinstance(exponent, Node) or exponent < 0:
        trace.refuse()


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
        self.described = describe(value)

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
        self.change(result)
        return self

    def change(self, result):
        """Have other elements from now on, in the same memory."""
        trace, before = self.trace, self.node
        trace.whole.add(before.layout)
        kept = trace.cast(result, before.dtype)
        self.node = trace.node("copy", None, before.dtype, (kept,), before.layout)

    def __setitem__(self, key, value):
        trace, operand = self.trace, self.trace.take(value)
        if key is not Ellipsis or not isinstance(operand, Node) or self.dtype.kind not in "biufc":
            trace.refuse()
        if operand.dtype.kind == "c" and self.dtype.kind not in "bc":
            trace.refuse()  # the loss of imaginary parts is warned of
        trace.step([self.node, operand])
        self.change(operand)


def find_shortcut(kind, exponent):
    """The ufunc that an operator takes for an exponent written as a number, as NumPy does, or None."""
    if kind in "iub":
        return _core.square if type(exponent) is int and exponent == 2 else None
    if type(exponent) not in (int, float):
        return None
    shortcuts = {2: _core.square, 0.5: _core.sqrt, 1: _core.positive, -1: _core.reciprocal}
    return shortcuts.get(exponent)


OPERATORS = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "left_shift",
    "rshift": "right_shift",
    "pow": "power",
    "divmod": "divmod",
}
COMPARISONS = {
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
}
UNARY = {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}
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

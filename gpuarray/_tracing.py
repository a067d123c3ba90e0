"""What a function does to its arguments, found out by calling it with symbols in their place.

Owns Trace: the operations in their order, each once. Which dtypes an operation has is asked of the ufuncs themselves,
so that promotion is theirs. A function that cannot do with symbols (_symbols.py) runs as it is; where it needs a
number's value, it is traced anew with that number as it is.
"""

import numpy

from gpuarray import _core
from gpuarray._core import ndarray
from gpuarray._symbols import WEAK, Number, Traced, Untraceable, describe_number

# Functions of _core: how many arrays they take, how many numbers, and how many truths, before `out` where they have it.
FORMULAS = {
    "_close": (2, 2, 1),
    "_clip": (1, 2, 0),
    "_replace_nan": (1, 1, 0),
    "_finite": (1, 3, 0),
    "_sinc": (1, 2, 0),
    "_round": (1, 1, 1),
}


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

    def change(self, symbol, result):
        """Have an array hold other elements from now on, in the same memory."""
        before = symbol.node
        self.whole.add(before.layout)
        kept = self.cast(result, before.dtype)
        symbol.node = self.node("copy", None, before.dtype, (kept,), before.layout)

    def fill(self, symbol, value):
        """symbol[...] = value."""
        operand = self.take(value)
        if not isinstance(operand, Node) or symbol.dtype.kind not in "biufc":
            self.refuse()
        if operand.dtype.kind == "c" and symbol.dtype.kind not in "bc":
            self.refuse()  # the loss of imaginary parts is warned of
        self.step([symbol.node, operand])
        self.change(symbol, operand)


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
    return operand.described if isinstance(operand, Number) else describe_number(operand)


def check_exponent(trace, ufunc, operands, loop):
    """Negative exponents of integers are an error; of arrays that takes a look at them."""
    if ufunc is not _core.power or loop[1].kind != "i":
        return
    exponent = operands[1]
    if isinstance(exponent, Number):
        exponent.look()
    if isinstance(exponent, Node) or exponent < 0:
        trace.refuse()

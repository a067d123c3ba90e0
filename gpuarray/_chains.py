"""Functions made of element-wise steps, run as one kernel: written once, with operators, for arrays or for this.

    @chained
    def blend(low, high, weight):
        return low + (high - low) * weight

Called with device arrays of one float dtype, or of float32 and float64, with masks and Python numbers, such a
function is followed once with symbols in the place of its arguments; the steps that it takes become the program of
the `expression` slot. Each result has the shape of all arguments together. Called with anything else it runs as it
stands, a ufunc a step. Each step is rounded as the ufunc's result is, and what is made of numbers alone is computed
on the host, so both ways give the same bits.
"""

import numpy

from gpuarray import _choice, _core
from gpuarray._core import ndarray
from gpuarray._operators import COMPARISONS, OPERATORS

FLOATS = "efd"
SINGLE, DOUBLE = numpy.dtype("f"), numpy.dtype("d")
STEPS = {name: number for number, name in enumerate(_core._express_steps)}
TRUTHS = {
    *("less", "less_equal", "greater", "greater_equal", "equal", "not_equal"),
    *("logical_and", "logical_or", "logical_not", "isnan"),
}
LOGICAL = {"bitwise_and": "logical_and", "bitwise_or": "logical_or"}  # between truth values
# Steps whose results have to be rounded to float32 where their operands are, and others float64.
ROUNDED = {
    *("add", "subtract", "multiply", "divide", "remainder", "floor_divide"),
    *("cos", "exp", "sqrt"),
}
PLACES = 8


class Symbol:
    """A number of an element: an argument, or what a step makes of others."""

    dtype = None  # that of the call

    def __init__(self, step, *parts, char=None):
        """`char` is the dtype's, of an array; of a number, and of truth values, it is empty."""
        self.step, self.parts = step, parts
        self.has_array = char is not None or any(
            each.has_array for each in parts if isinstance(each, Symbol)
        )
        self.char = "" if char is None or char == "?" else char
        if char is None and step not in TRUTHS:
            self.char = max(
                (each.char for each in parts if isinstance(each, Symbol)),
                key=FLOATS.find,
                default="",
            )

    def astype(self, dtype):
        """Itself: numbers that are whole already are made integers where they are stored."""
        return self

    def evaluate(self, arguments):
        """The value of what has no array in it."""
        if self.step == "number":
            return self.parts[0]
        if self.step == "argument":
            return arguments[self.parts[0]]
        function = numpy.where if self.step == "select" else getattr(numpy, self.step)
        value = function(*(each.evaluate(arguments) for each in self.parts)).item()
        return int(value) if self.step in TRUTHS else value


def as_symbol(value):
    return value if isinstance(value, Symbol) else Symbol("number", value)


def make_operator(step, turned=False):
    def operate(self, other):
        parts = (as_symbol(other), self) if turned else (self, as_symbol(other))
        return Symbol(step, *parts)

    return operate


for sign, ufunc in OPERATORS.items():
    step = LOGICAL.get(ufunc, ufunc)
    if step in STEPS:
        setattr(Symbol, f"__{sign}__", make_operator(step))
        setattr(Symbol, f"__r{sign}__", make_operator(step, turned=True))
for sign, step in COMPARISONS.items():
    setattr(Symbol, f"__{sign}__", make_operator(step))
Symbol.__hash__ = object.__hash__
Symbol.__neg__ = lambda self: Symbol("negative", self)
Symbol.__abs__ = lambda self: Symbol("absolute", self)
Symbol.__invert__ = lambda self: Symbol("logical_not", self)


def make_function(step, otherwise):
    """A function of arrays that chained functions may call."""

    def function(*operands):
        if any(isinstance(each, Symbol) for each in operands):
            return Symbol(step, *map(as_symbol, operands))
        return otherwise(*operands)

    return function


where = make_function("select", _choice.where)
ceil, cos, exp, floor, isnan, maximum, minimum, rint, sqrt = (
    make_function(name, getattr(_core, name))
    for name in ("ceil", "cos", "exp", "floor", "isnan", "maximum", "minimum", "rint", "sqrt")
)
around = rint


class Program:
    """The steps of a function for arguments of certain kinds: the characters of arrays' dtypes, "" for numbers.

    `mixed`: they are computed in float64, but what ufuncs give in float32 is rounded to that.
    """

    def __init__(self, function, kinds, mixed):
        self.numbers, self.steps, self.places, self.uses = [], bytearray(), {}, {}
        self.free = list(range(PLACES - 1, -1, -1))
        self.mixed = mixed
        results = function(*make_arguments(kinds))
        self.single = not isinstance(results, tuple)
        results = (results,) if self.single else results
        for result in results:
            self.count_uses(result)
        for number, result in enumerate(results, len(kinds) - kinds.count("")):
            self.add("store", number, self.place(result))
            self.release(result)
        self.steps = bytes(self.steps)
        self.chars = [bool if result.step in TRUTHS else result.char for result in results]

    def count_uses(self, symbol):
        self.uses[symbol] = self.uses.get(symbol, 0) + 1
        if self.uses[symbol] == 1 and symbol.has_array and symbol.step != "load":
            for part in symbol.parts:
                self.count_uses(part)

    def add(self, what, to, x=0, y=0, z=0):
        self.steps += bytes((STEPS[what], to, x, y, z))

    def place(self, symbol):
        """Where a symbol's number is, after the steps that bring it there."""
        if symbol not in self.places:
            self.places[symbol] = self.make(symbol)
        return self.places[symbol]

    def make(self, symbol):
        if not symbol.has_array:
            to = self.free.pop()
            self.add("number", to, len(self.numbers))
            self.numbers.append(symbol)
            return to
        if symbol.step == "load":
            to = self.free.pop()
            self.add("load", to, symbol.parts[0])
            return to
        sources = [self.place(part) for part in symbol.parts]
        for part in symbol.parts:
            self.release(part)
        to = self.free.pop()
        self.add(symbol.step, to, *sources)
        if self.mixed and symbol.char == "f" and symbol.step in ROUNDED:
            self.add("single", to, to)
        return to

    def release(self, symbol):
        self.uses[symbol] -= 1
        if self.uses[symbol] == 0:
            self.free.append(self.places[symbol])

    def run(self, dtype, operands, results):
        """The results, in given arrays or in new ones of given dtypes."""
        if results is None:
            results = tuple([char if self.mixed or char is bool else dtype for char in self.chars])
        numbers = tuple([each.evaluate(operands) for each in self.numbers])
        arrays = tuple([each for each in operands if isinstance(each, ndarray)])
        made = _core._express(dtype, self.steps, arrays, numbers, results)
        return made[0] if self.single else made


def make_arguments(kinds):
    """A symbol for each argument of the kinds."""
    arrays = iter(range(len(kinds)))
    return [
        Symbol("load", next(arrays), char=kind) if kind else Symbol("argument", i)
        for i, kind in enumerate(kinds)
    ]


class Chain:
    """A function of arrays and numbers that runs as one kernel where it can."""

    def __init__(self, function):
        self.function = function
        self.programs = {}
        self.__doc__ = function.__doc__

    def __call__(self, *operands, dtype=None, results=None):
        """What the function gives.

        With a float dtype, or int64, it is computed in that in any case, of arrays of that dtype, bool, int64, float32
        or float64. `results` are dtypes of the results, or arrays for them that share no memory with operands.
        """
        kinds = tuple([each.dtype.char if isinstance(each, ndarray) else "" for each in operands])
        mixed = False
        if dtype is None:
            dtype = find_dtype(operands)
            if dtype is None:
                return self.run_steps(operands, results)
            mixed = dtype is DOUBLE and "f" in kinds
        program = self.programs.get((kinds, mixed))
        if program is None:
            program = self.programs[kinds, mixed] = Program(self.function, kinds, mixed)
        return program.run(dtype, operands, results)

    def run_steps(self, operands, results):
        made = self.function(*operands)
        if results is None:
            return made
        single = not isinstance(made, tuple)
        stored = tuple(map(store, (made,) if single else made, results))
        return stored[0] if single else stored


def store(value, result):
    """A value in an array, or in a dtype."""
    if not isinstance(result, ndarray):
        return value.astype(result, copy=False)
    result[...] = value
    return result


def find_dtype(operands):
    """The float dtype that arrays are computed in; None if operands are of other kinds."""
    dtype = None
    for each in operands:
        if isinstance(each, ndarray):
            given = each.dtype
            if given is not dtype and given.char != "?":
                pair = dtype is SINGLE and given is DOUBLE or dtype is DOUBLE and given is SINGLE
                if given.char not in FLOATS or not (dtype is None or pair):
                    return None
                dtype = DOUBLE if pair else given
        elif type(each) not in (int, float):
            return None
    return dtype


chained = Chain

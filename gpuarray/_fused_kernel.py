"""From a trace to what a call runs: the results' places, the compiled program, and what C has to know of it."""

import warnings

from gpuarray import _core
from gpuarray._core import ndarray
from gpuarray._fallback import PerformanceWarning
from gpuarray._fused_source import write_kernel
from gpuarray._symbols import Number, Traced

MOST_ARRAYS, MOST_NUMBERS = 12, 32  # csrc/core/call/fused.h
MOST_OPERATIONS, MOST_PROGRAMS = 500, 64  # of a function: what a compiler may be asked for
OPTIONS = (
    "-std=c++17",
    "--fmad=false",
    "--device-as-default-execution-space",
    "--disable-warnings",
)
CONSTANTS = (type(None), bool, int, float, complex, str)


class Unfit(Exception):
    """There is something among the results that a kernel does not make."""


class Results:
    """What a function returned with symbols in it; `nodes` are those that the kernel computes: one for each object, and
    for each argument that is changed, whose places are the last of `targets`; -1 stands for new arrays."""

    def __init__(self, trace, returned):
        self.nodes, self._numbers = [], {}
        self._form = self._take(trace, returned)
        changed = {p: a.node for p, a in trace.arguments.items() if a.node.kind != "input"}
        self.targets = [-1] * len(self.nodes) + list(changed)
        self.nodes += changed.values()

    def _take(self, trace, value):
        if isinstance(value, Number):
            return "argument", value.place
        if isinstance(value, Traced):
            return self._take_array(trace, value)
        if type(value) in (tuple, list):
            return type(value), [self._take(trace, each) for each in value]
        if type(value) in CONSTANTS:
            return "constant", value
        raise Unfit

    def _take_array(self, trace, value):
        if value.trace is not trace:
            raise Unfit
        if value.place is not None:
            return "argument", value.place
        if id(value) not in self._numbers:
            self._numbers[id(value)] = len(self.nodes)
            self.nodes.append(value.node)
        return "result", self._numbers[id(value)]

    def giver(self):
        """A function of the arrays that a kernel made, and of the call's arguments."""
        form = self._form
        if form == ("result", 0):
            return lambda arrays, args: arrays[0]
        if form == (tuple, [("result", number) for number in range(len(self.nodes))]):
            return lambda arrays, args: arrays  # a tuple as it is
        return lambda arrays, args: fill(form, arrays, args)


def fill(form, arrays, args):
    kind, detail = form
    if kind == "result":
        return arrays[detail]
    if kind == "argument":
        return args[detail]
    return detail if kind == "constant" else kind(fill(each, arrays, args) for each in detail)


def make(fused, trace, returned, args):
    """(function in C, what gives the results), or None where the function has to run as it is."""
    try:
        results = Results(trace, returned)
    except Unfit:
        return None
    used = sorted(
        {each for _, layouts in trace.steps for each in layouts if each < len(trace.inputs)}
    )
    too_many = len(used) + len(results.nodes) > MOST_ARRAYS or len(trace.steps) > MOST_OPERATIONS
    if not results.nodes or too_many:
        return None
    inputs = [trace.input_nodes[each] for each in used]
    source, lanes, numbers = write_kernel(
        fused._name, trace.order(results.nodes), inputs, results.nodes
    )
    numbers += [each for each in trace.numbers() if each not in numbers]
    if len(numbers) > MOST_NUMBERS:
        return None
    program = find_program(fused, source, args)
    if program is None:
        return None
    return describe(fused, program, lanes, trace, used, results, numbers)


def describe(fused, program, lanes, trace, used, results, numbers):
    """The function in C. Layouts are numbered anew, without inputs that no operation takes."""
    places = {each: number for number, each in enumerate(used)}
    first = len(trace.inputs)
    places |= {first + number: len(used) + number for number in range(len(trace.steps))}
    try:
        function = _core._fused_function(
            program,
            fused._name,
            lanes,
            tuple(trace.inputs[each] for each in used),
            tuple(
                (places[node.layout], node.dtype, target)
                for node, target in zip(results.nodes, results.targets, strict=True)
            ),
            tuple(as_number(*each.detail, each.dtype) for each in numbers),
            tuple((keeps, *(places[each] for each in layouts)) for keeps, layouts in trace.steps),
            tuple(places[each] for each in trace.whole),
        )
    except (
        ArithmeticError,
        TypeError,
        ValueError,
    ):  # a number that its operation's dtype cannot hold
        return None
    return function, results.giver()


def as_number(place, constant, dtype):
    return place, dtype, None if constant is None else constant.value


def find_program(fused, source, args):
    """The program, which kernels that differ in numbers alone share; None, with a warning, without a compiler."""
    device = next(each.device for each in args if isinstance(each, ndarray))
    key = str(device), source
    if key not in fused._programs and len(fused._programs) < MOST_PROGRAMS:
        arch = _core.device_info(device)["arch"]
        options = (f"--gpu-architecture=sm_{arch}", *OPTIONS)
        try:
            fused._programs[key] = _core._program(device, source, options, ())[0]
        except (RuntimeError, ValueError) as error:
            text = f"{fused!r} runs without being fused: {error}"
            warnings.warn(text, PerformanceWarning, stacklevel=5)
            fused._programs[key] = None
    return fused._programs.get(key)

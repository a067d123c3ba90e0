"""The kernel of a traced function as CUDA C++: kernels/fused.cuh says what a thread does, the trace what it computes.

Each operation is the functor of its row in ufuncs.def, between the conversions that separate calls would make, so that
the bits are theirs. Of the headers, which the build put into one file, a program gets what it uses.
"""

import functools
import re
from pathlib import Path

TYPES = {
    "bool": ("b1", "bool"),
    "int8": ("i8", "int8_t"),
    "uint8": ("u8", "uint8_t"),
    "int16": ("i16", "int16_t"),
    "uint16": ("u16", "uint16_t"),
    "int32": ("i32", "int32_t"),
    "uint32": ("u32", "uint32_t"),
    "int64": ("i64", "int64_t"),
    "uint64": ("u64", "uint64_t"),
    "float16": ("f16", "ga_half"),
    "float32": ("f32", "float"),
    "float64": ("f64", "double"),
    "complex64": ("c64", "ga_c64"),
    "complex128": ("c128", "ga_c128"),
}
VECTOR = 16  # bytes
LONG = 128  # operations on the elements of a pack from which on packs are smaller

KERNEL = """
extern "C" __global__ void __launch_bounds__(GA_BLOCK)
{name}(GA_PARAM ga_fused_plan p)
{{
    GA_AWAIT();
    constexpr int V = {lanes};
    ga_fused_place<V> at;
    if (!at.seek(p))
        return;
{before}
    GA_UNROLL
    for (int j = 0; j < V; j++) {{
{elements}
    }}
{after}
}}
"""


def name_type(dtype):
    return TYPES[dtype.name][1]


def name_functor(ufunc, dtypes):
    """The functor of a loop: the row's own, or one of its listed loops, whose inputs have unlike dtypes."""
    if len(set(dtypes)) == 1:
        return f"ga_op_{ufunc}"
    return "_".join(["ga_op", ufunc, *(TYPES[each.name][0] for each in dtypes)])


class Writer:
    """Statements for nodes, which come after their operands."""

    def __init__(self, inputs):
        self.inputs = inputs  # nodes, in the order of the launch
        self.before, self.elements = [], []
        self.numbers = []  # nodes, in the order of the launch
        self.ufuncs, self.functions = set(), set()
        self.names = {}

    def write(self, node):
        name = self.names[node] = f"v{len(self.names)}"
        operands = [self.names[each] for each in node.operands]
        getattr(self, f"write_{node.kind}")(node, name, *operands)

    def define(self, node, name, expression):
        self.elements.append(f"const {name_type(node.dtype)} {name} = {expression};")

    def write_input(self, node, name):
        number, kind = self.inputs.index(node), name_type(node.dtype)
        self.before.append(f"const auto a{number} = ga_fused_get<{kind}, V>(p, {number}, at);")
        self.define(node, name, f"ga_fused_lane<{kind}>(a{number}, j)")

    def write_number(self, node, name):
        number = len(self.numbers)
        self.numbers.append(node)
        kind = name_type(node.dtype)
        self.before.append(f"const {kind} {name} = ga_fused_number<{kind}>(p, {number});")

    def write_cast(self, node, name, operand):
        self.define(node, name, f"ga_convert<{name_type(node.dtype)}>({operand})")

    def write_copy(self, node, name, operand):
        self.define(node, name, operand)

    def write_ufunc(self, node, name, *operands):
        ufunc, dtypes = node.detail
        self.ufuncs.add(ufunc)
        widened = ", ".join(f"ga_widen({each})" for each in operands)
        call = f"{name_functor(ufunc, dtypes)}::call<{name_type(dtypes[0])}>({widened})"
        self.elements.append(f"const auto {name} = {call};")

    def write_part(self, node, name, made):
        member = "" if node.detail is None else (".first", ".second")[node.detail]
        self.define(node, name, f"ga_narrow<{name_type(node.dtype)}>({made}{member})")

    def write_formula(self, node, name, *operands):
        function, arrays, *truths = node.detail
        functor, kind = f"ga_formula{function}", name_type(node.operands[0].dtype)
        self.functions.add(functor)
        parameters = ", ".join([*operands[arrays:], *(("false", "true")[each] for each in truths)])
        widened = ", ".join(f"ga_widen({each})" for each in operands[:arrays])
        call = f"{functor}<{kind}>{{{parameters}}}.call<{kind}>({widened})"
        self.define(node, name, f"ga_narrow<{name_type(node.dtype)}>({call})")

    def write_where(self, node, name, condition, x, y):
        self.define(node, name, f"{condition} ? {x} : {y}")


def choose_lanes(dtypes, operations):
    """Elements of a pack: 16 bytes of the largest, fewer of them where their code would be long."""
    lanes = VECTOR // max(each.itemsize for each in dtypes)
    while lanes > 4 and lanes * operations > LONG:
        lanes //= 2
    return lanes


def write_kernel(name, nodes, inputs, results):
    """(source, lanes, nodes of the numbers) of a kernel: `nodes` are all of it, operands before what they make."""
    writer = Writer(inputs)
    for node in nodes:
        writer.write(node)
    after = []
    for number, node in enumerate(results):
        writer.before.append(f"ga_fused_pack<{name_type(node.dtype)}, V> r{number};")
        writer.elements.append(f"r{number}.item[j] = {writer.names[node]};")
        after.append(f"ga_fused_put(p, {len(inputs) + number}, at, r{number});")
    lanes = choose_lanes([each.dtype for each in (*inputs, *results)], len(writer.elements))
    kernel = KERNEL.format(
        name=name,
        lanes=lanes,
        before="\n".join(f"    {line}" for line in writer.before),
        elements="\n".join(f"        {line}" for line in writer.elements),
        after="\n".join(f"    {line}" for line in after),
    )
    is_complex = any(each.dtype is not None and each.dtype.kind == "c" for each in nodes)
    return (
        select_headers(frozenset(writer.ufuncs), frozenset(writer.functions), is_complex) + kernel,
        lanes,
        writer.numbers,
    )


# ---- headers ----

SECTION = re.compile(r"^//@ (\S+)$", re.M)
ROW = re.compile(r"^[UX]\d\d\((\w+)\s*,")
DEFINED = re.compile(r"^(?:.*\bstruct )?(ga_\w+)(?:\(| \{)", re.M)
NAMES = re.compile(r"\bga_\w+")
OPTIONAL = (
    "formula.cuh",
    "math_error.cuh",
    "math_gamma.cuh",
    "math_bessel.cuh",
    "math_polynomial.cuh",
)
TABLE = "ufuncs.def"


@functools.cache
def read_sections():
    """(file, text) in the order in which they stand."""
    pieces = SECTION.split((Path(__file__).parent / "_fused_headers.cuh").read_text())
    return list(zip(pieces[1::2], pieces[2::2], strict=True))


def split_row(line):
    """The ufunc that a line of ufuncs.def is a row of, or None."""
    found = ROW.match(line)
    return found and found[1]


@functools.cache
def select_headers(ufuncs, functions, is_complex):
    """The headers without the rows of other ufuncs and the mathematics that only those need."""
    sections = read_sections()
    rows = "\n".join(text for name, text in sections if name == TABLE)
    wanted = functions | set(
        NAMES.findall("\n".join(x for x in rows.splitlines() if split_row(x) in ufuncs))
    )
    optional = {"math_time.cuh", *find_unneeded(sections, wanted)}
    if not is_complex:
        optional.add("math_complex_inverse.cuh")
    return "\n".join(
        keep_rows(text, ufuncs) if name == TABLE else text
        for name, text in sections
        if name not in optional
    )


def keep_rows(text, ufuncs):
    return "\n".join(x for x in text.splitlines() if split_row(x) in (None, *ufuncs))


def find_unneeded(sections, wanted):
    """The files of OPTIONAL that define none of the names, nor anything that those which do mention."""
    left = {each: "".join(text for name, text in sections if name == each) for each in OPTIONAL}
    found = True
    while found:
        found = [name for name, text in left.items() if wanted & set(DEFINED.findall(text))]
        for name in found:
            wanted = wanted | set(NAMES.findall(left.pop(name)))
    return list(left)

"""The rows of csrc/tables/ufuncs.def as the tests see them, and test values for every dtype.

A row's columns `domain` and `ulp` are not part of the installed package: they are read from the table itself.
"""

import re
from pathlib import Path
from typing import NamedTuple

import numpy

TABLE = Path(__file__).resolve().parent.parent / "csrc" / "tables" / "ufuncs.def"
ROW = re.compile(r"^(U11|U21|U12|U22)\((.*?)\"", re.MULTILINE | re.DOTALL)
# Columns before the expression, by kind of row.
COLUMNS = {
    "U11": ("name", "types", "out", "domain", "ulp"),
    "U21": ("name", "types", "out", "identity", "order", "domain", "ulp"),
    "U12": ("name", "types", "out", "out2", "domain", "ulp"),
    "U22": ("name", "types", "out", "out2", "domain", "ulp"),
}

EDGES = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    -3.7,
    0.001,
    -100.25,
    3.141592653589793,
    9.0,
    numpy.inf,
    -numpy.inf,
    numpy.nan,
]
INTEGERS = [0, 1, 2, 3, 7, 10, 100]


class Row(NamedTuple):
    name: str
    order: str
    domain: str
    ulp: int


def read_rows():
    rows = []
    for kind, text in ROW.findall(TABLE.read_text(encoding="utf-8")):
        cells = dict(zip(COLUMNS[kind], (cell.strip() for cell in text.split(",")), strict=False))
        rows.append(
            Row(cells["name"], cells.get("order", "LEFT"), cells["domain"], int(cells["ulp"]))
        )
    return rows


ALL_ROWS = read_rows()
FIRST_SPECIAL = [row.name for row in ALL_ROWS].index("erf")
ROWS = ALL_ROWS[:FIRST_SPECIAL]  # NumPy's
SPECIAL_ROWS = ALL_ROWS[FIRST_SPECIAL:]  # SciPy's: gpuarray.special


def float_values(dtype, domain):
    limits = numpy.finfo(dtype)
    extra = [limits.max, limits.min, limits.tiny, limits.smallest_subnormal, 1 + float(limits.eps)]
    values = numpy.array(EDGES, dtype)
    values = numpy.concatenate([values, numpy.array(extra, dtype)])
    with numpy.errstate(all="ignore"):
        if domain == "UNIT":
            return numpy.where(numpy.abs(values) > 1, (1 / values).astype(dtype), values)
        if domain in ("NONNEG", "GEONE"):
            values = numpy.abs(values)
        return values + dtype.type(1) if domain == "GEONE" else values


def complex_values():
    """Finite numbers of every quadrant and size; what infinities do differs between C libraries."""
    parts = [0.0, 1.0, -1.0, 0.5, -2.5, 0.001, 7.25]
    return numpy.array([complex(x, y) for x in parts for y in parts])


def integer_values(dtype):
    limits = numpy.iinfo(dtype)
    extra = [limits.min, limits.min + 1, limits.max, limits.max - 1]
    signed = [-1, -2, -7] if limits.min < 0 else []
    return numpy.array(INTEGERS + signed + extra, dtype)


def time_values(dtype):
    numbers = numpy.array([0, 1, -1, 5, -7, 86400, numpy.iinfo("i8").min], "i8")  # the last is NaT
    return numbers.view(numpy.dtype(dtype.char + "8[s]"))


def values_of(char, domain, position):
    """Test values of one operand; `position` 1 is a second operand, where shifts want [0, bits)."""
    dtype = numpy.dtype(char)
    if dtype.kind == "b":
        return numpy.array([False, True, True])
    if dtype.kind in "iu":
        if domain == "SHIFT" and position == 1:
            return numpy.array([0, 1, 2, 3, 7, 8 * dtype.itemsize - 1], dtype)
        return integer_values(dtype)
    if dtype.kind == "f":
        return float_values(dtype, domain)
    if dtype.kind == "c":
        return complex_values().astype(dtype)
    return time_values(dtype)


def operands_of(row, loop):
    """Every pair of test values for one loop ('dd->d'), as equally long vectors."""
    inputs = loop.split("->")[0]
    vectors = [values_of(char, row.domain, i) for i, char in enumerate(inputs)]
    if row.name == "power" and vectors[1].dtype.kind in "iu":
        vectors[1] = numpy.array([0, 1, 2, 3, 5], vectors[1].dtype)
    if row.name == "ldexp":
        vectors[1] = numpy.array([0, 1, -1, 5, -20, 300, -300], vectors[1].dtype)
    if len(vectors) == 1:
        return vectors
    grid = numpy.meshgrid(*[numpy.arange(len(v)) for v in vectors], indexing="ij")
    return [v[index.ravel()] for v, index in zip(vectors, grid, strict=True)]

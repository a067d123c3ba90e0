"""What is measured: the lines of cases/*.txt, one list for every library. A file is a kind of case.

    expression | work | expression for PyTorch | check

Names in an expression are inputs (inputs.py), `xp` for the array module, and functions of calls.py and workloads.py.
work is bytes moved or operations done, `n` standing for the elements of a large array. Where the third column is
missing PyTorch takes the first; `-`: it lacks the function. check is `alike` for random results, of which mean and
spread are compared, `sent` for what only moves.
"""

import ast
import pathlib
from dataclasses import dataclass

import calls
import workloads
from inputs import is_input

FOLDER = pathlib.Path(__file__).parent / "cases"
KINDS = (
    "latency",
    "bandwidth",
    "fused",
    "functions",
    "random",
    "linalg",
    "submodules",
    "workloads",
    "transfers",
    "products",
)


@dataclass(frozen=True)
class Case:
    """One line of a table."""

    kind: str
    expression: str
    work: str = ""
    torch: str = ""
    check: str = ""

    @property
    def name(self):
        return self.expression.replace("xp.", "")

    @property
    def inputs(self):
        """Names of the arrays it takes, in the order of their first appearance."""
        nodes = ast.walk(ast.parse(self.expression, mode="eval"))
        names = sorted((n.col_offset, n.id) for n in nodes if isinstance(n, ast.Name))
        return tuple(dict.fromkeys(name for _, name in names if is_input(name)))

    def moved(self, n):
        """Bytes, or operations of a product; 0 where nothing is counted."""
        scale = n if self.work.endswith("n") else 1
        return scale * float(self.work.removesuffix("n") or 0)

    def spelling(self, library):
        """The expression for a library, or None."""
        text = self.torch if library == "torch" and self.torch else self.expression
        return None if text == "-" else text

    def call(self, library):
        """A function of the array module and the inputs."""
        text = self.spelling(library)
        names = {**vars(calls), **vars(workloads)}
        return eval(f"lambda xp, {', '.join(self.inputs)}: {text}", names)


def read(kind):
    """The cases of one file."""
    lines = (FOLDER / f"{kind}.txt").read_text().splitlines()
    rows = (line.split("|") for line in lines if line and not line.startswith("#"))
    return [Case(kind, *(column.strip() for column in row)) for row in rows]


def select(quick, kinds=KINDS):
    """The cases of a run; `quick` leaves out the largest products."""
    cases = [case for kind in kinds for case in read(kind)]
    return [case for case in cases if not quick or "f4_10000" not in case.expression]

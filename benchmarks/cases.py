"""What is measured: one table for every library.

A case is (name, kind, inputs, function[, function for PyTorch]). Inputs name arrays of `make_inputs`; the function
gets the array module and the inputs. Kinds:

    latency    100-element arrays, host-side seconds a call in an asynchronous stream of calls
    bandwidth  large arrays; `moved` bytes: each input byte read once, each output byte written once
    product    matrix products; `moved` counts floating-point operations instead
"""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """One line of the table."""

    name: str
    kind: str
    inputs: tuple
    function: Callable
    moved: Callable = lambda n: 0
    torch: Callable | None = None

    def call(self, library):
        """The function as this library spells it."""
        return self.torch if library == "torch" and self.torch else self.function


def _in_place(xp, a, b):
    a += b
    return a


LATENCY = [
    Case("a + b", "latency", ("s", "s2"), lambda xp, a, b: a + b),
    Case("a + 1.5", "latency", ("s",), lambda xp, a: a + 1.5),
    Case("a += b", "latency", ("s", "s2"), _in_place),
    Case("sin(a)", "latency", ("s",), lambda xp, a: xp.sin(a)),
    Case("a[10:50]", "latency", ("s",), lambda xp, a: a[10:50]),
    Case("a.sum()", "latency", ("s",), lambda xp, a: a.sum()),
    Case("m.T + m, 10x10", "latency", ("t",), lambda xp, m: m.T + m),
    Case("m @ m, 10x10", "latency", ("t",), lambda xp, m: m @ m),
    Case(
        "zeros(100)",
        "latency",
        (),
        lambda xp: xp.zeros(100, dtype=xp.float32),
        torch=lambda xp: xp.zeros(100, dtype=xp.float32, device="cuda"),
    ),
    Case("float(a.sum())", "latency", ("s",), lambda xp, a: float(a.sum())),
]

BANDWIDTH = [
    Case("a + b", "bandwidth", ("a", "b"), lambda xp, a, b: a + b, lambda n: 12 * n),
    Case("a * 2.0", "bandwidth", ("a",), lambda xp, a: a * 2.0, lambda n: 8 * n),
    Case("sin(a)", "bandwidth", ("a",), lambda xp, a: xp.sin(a), lambda n: 8 * n),
    Case("exp(a)", "bandwidth", ("a",), lambda xp, a: xp.exp(a), lambda n: 8 * n),
    Case(
        "copy",
        "bandwidth",
        ("a",),
        lambda xp, a: a.copy(),
        lambda n: 8 * n,
        torch=lambda xp, a: a.clone(),
    ),
    Case("a > b", "bandwidth", ("a", "b"), lambda xp, a, b: a > b, lambda n: 9 * n),
    Case("a.sum()", "bandwidth", ("a",), lambda xp, a: a.sum(), lambda n: 4 * n),
    Case("a.max()", "bandwidth", ("a",), lambda xp, a: a.max(), lambda n: 4 * n),
    Case("argmax", "bandwidth", ("a",), lambda xp, a: a.argmax(), lambda n: 4 * n),
    Case("sum(axis=0)", "bandwidth", ("m",), lambda xp, m: m.sum(axis=0), lambda n: 4 * n),
    Case("sum(axis=1)", "bandwidth", ("m",), lambda xp, m: m.sum(axis=1), lambda n: 4 * n),
    Case("M + M[0]", "bandwidth", ("m",), lambda xp, m: m + m[0], lambda n: 8 * n),
    Case("M + M[:, :1]", "bandwidth", ("m",), lambda xp, m: m + m[:, :1], lambda n: 8 * n),
    Case(
        "a[::2] + b[::2]",
        "bandwidth",
        ("a", "b"),
        lambda xp, a, b: a[::2] + b[::2],
        lambda n: 6 * n,
    ),
    Case(
        "transpose copy",
        "bandwidth",
        ("m",),
        lambda xp, m: m.T.copy(),
        lambda n: 8 * n,
        torch=lambda xp, m: m.T.contiguous(),
    ),
    Case("M + M.T", "bandwidth", ("m",), lambda xp, m: m + m.T, lambda n: 12 * n),
    Case(
        "astype(float16)",
        "bandwidth",
        ("a",),
        lambda xp, a: a.astype(xp.float16),
        lambda n: 6 * n,
        torch=lambda xp, a: a.half(),
    ),
    Case(
        "where(a > b, a, b)",
        "bandwidth",
        ("a", "b"),
        lambda xp, a, b: xp.where(a > b, a, b),
        lambda n: 12 * n,
    ),
    Case("mean", "bandwidth", ("a",), lambda xp, a: a.mean(), lambda n: 4 * n),
]


def _product(order, dtype):
    return Case(
        f"{dtype} {order}^3",
        "product",
        (f"{dtype}:{order}",),
        lambda xp, m: m @ m,
        lambda n, order=order: 2 * order**3,
    )


PRODUCT = [
    *(_product(order, dtype) for order in (1000, 5000, 10000) for dtype in ("float32",)),
    _product(8192, "float64"),
    _product(8192, "float16"),
    _product(4096, "complex64"),
    Case("int32 512^3", "product", ("int32:512",), lambda xp, m: m @ m, lambda n: 2 * 512**3),
]


def select(quick):
    """The cases of a run; `quick` leaves out the largest products."""
    product = [case for case in PRODUCT if not quick or "10000" not in case.name]
    return LATENCY + BANDWIDTH + product

"""What is measured: one table for every library.

A case is (name, kind, inputs, function[, function for PyTorch]). Inputs name arrays of inputs.py; the function
gets the array module and the inputs. Kinds:

    latency    100-element arrays, host-side seconds a call in an asynchronous stream of calls
    bandwidth  large arrays; `moved` bytes: each input byte read once, each output byte written once
    product    matrix products; `moved` counts floating-point operations instead
    function   16 million elements: what is no single pass over memory, or is composed of several
    transfer   between ordinary host memory and the device; `moved` bytes
    random     random numbers (random_cases.py), of which only mean and spread are compared; `moved` bytes written
    linalg     factorisations, and what is composed of them
"""

from collections.abc import Callable
from dataclasses import dataclass

from random_cases import RANDOM as RANDOM_ROWS


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


def _cumsum_int32(xp, i):
    return xp.cumsum(i, dtype=xp.int32)


def _cumsum_torch(xp, i):
    return xp.cumsum(i, 0, dtype=xp.int32)


def _set_by_index(xp, x, j, y):
    x[j] = y
    return x


def _to_device(xp, host):
    return xp.asarray(host)


def _to_host(xp, a):
    return a.get()


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
    Case(
        "std",
        "bandwidth",
        ("a",),
        lambda xp, a: a.std(),
        lambda n: 4 * n,
        torch=lambda xp, a: a.std(correction=0),
    ),
    Case("cumsum", "bandwidth", ("a",), lambda xp, a: xp.cumsum(a, 0), lambda n: 8 * n),
    Case("cumsum int32", "bandwidth", ("i",), _cumsum_int32, lambda n: 8 * n, torch=_cumsum_torch),
    Case("cumsum(axis=0)", "bandwidth", ("m",), lambda xp, m: m.cumsum(0), lambda n: 8 * n),
    Case("cumsum(axis=1)", "bandwidth", ("m",), lambda xp, m: m.cumsum(1), lambda n: 8 * n),
    Case("a[a > 0.5]", "bandwidth", ("a",), lambda xp, a: a[a > 0.5], lambda n: 8 * n),
    Case("a[index]", "bandwidth", ("a", "p"), lambda xp, a, p: a[p], lambda n: 16 * n),
    Case(
        "sqrt(a*a + b*b)*0.5",
        "bandwidth",
        ("a", "b"),
        lambda xp, a, b: xp.sqrt(a * a + b * b) * 0.5,
        lambda n: 12 * n,
    ),
]


def _torch_lexsort(xp, k, b):
    """Two stable sorts, as PyTorch has no lexsort."""
    first = xp.argsort(b, stable=True)
    return first[xp.argsort(k[first], stable=True)]


def _add_at(xp, x, p):
    totals = xp.zeros(1000, dtype=xp.float32)
    xp.add.at(totals, p % 1000, x)
    return totals


def _torch_add_at(xp, x, p):
    return xp.zeros(1000, device=x.device).index_add_(0, p % 1000, x)


def _polyval(xp, x):
    return xp.polyval(xp.asarray([0.5, -1.0, 2.0, 3.0], dtype=xp.float32), x)


FUNCTION = [
    Case("sort", "function", ("x",), lambda xp, x: xp.sort(x), torch=lambda xp, x: x.sort()[0]),
    Case("argsort", "function", ("x",), lambda xp, x: xp.argsort(x)),
    Case(
        "sort(axis=1)",
        "function",
        ("q",),
        lambda xp, q: xp.sort(q, 1),
        torch=lambda xp, q: q.sort(1)[0],
    ),
    Case(
        "sort(axis=0)",
        "function",
        ("q",),
        lambda xp, q: xp.sort(q, 0),
        torch=lambda xp, q: q.sort(0)[0],
    ),
    Case(
        "lexsort",
        "function",
        ("k", "x"),
        lambda xp, k, x: xp.lexsort(xp.stack([x, k.astype(xp.float32)])),
        torch=lambda xp, k, x: _torch_lexsort(xp, k, x),
    ),
    Case("unique", "function", ("k",), lambda xp, k: xp.unique(k)),
    Case("unique_inverse", "function", ("k",), lambda xp, k: xp.unique(k, return_inverse=True)[1]),
    Case("bincount", "function", ("k",), lambda xp, k: xp.bincount(k)),
    Case(
        "histogram",
        "function",
        ("x",),
        lambda xp, x: xp.histogram(x, bins=256, range=(0.0, 1.0))[0],
        torch=lambda xp, x: xp.histc(x, 256, 0, 1),
    ),
    Case("searchsorted", "function", ("sorted", "x"), lambda xp, s, x: xp.searchsorted(s, x)),
    Case(
        "median",
        "function",
        ("x",),
        lambda xp, x: xp.median(x),
        torch=lambda xp, x: xp.quantile(x[:16000000], 0.5),
    ),
    Case(
        "median(axis=1)",
        "function",
        ("q",),
        lambda xp, q: xp.median(q, axis=1),
        torch=lambda xp, q: q.median(1)[0],
    ),
    Case(
        "percentile",
        "function",
        ("x",),
        lambda xp, x: xp.percentile(x, 90.0),
        torch=lambda xp, x: xp.quantile(x[:16000000], 0.9),
    ),
    Case("var", "function", ("x",), lambda xp, x: x.var(), torch=lambda xp, x: x.var(correction=0)),
    Case(
        "var(axis=0)",
        "function",
        ("q",),
        lambda xp, q: q.var(axis=0),
        torch=lambda xp, q: q.var(0, correction=0),
    ),
    Case("any", "function", ("x",), lambda xp, x: (x > 2).any()),
    Case("count_nonzero", "function", ("x",), lambda xp, x: xp.count_nonzero(x)),
    Case(
        "nonzero",
        "function",
        ("x",),
        lambda xp, x: xp.nonzero(x > 0.5)[0],
        torch=lambda xp, x: xp.nonzero(x > 0.5, as_tuple=True)[0],
    ),
    Case("nansum", "function", ("x",), lambda xp, x: xp.nansum(x)),
    Case("diff", "function", ("x",), lambda xp, x: xp.diff(x)),
    Case(
        "gradient",
        "function",
        ("x",),
        lambda xp, x: xp.gradient(x),
        torch=lambda xp, x: xp.gradient(x)[0],
    ),
    Case("trapezoid", "function", ("x",), lambda xp, x: xp.trapezoid(x)),
    Case("interp", "function", ("x", "sorted"), lambda xp, x, s: xp.interp(x, s, s), torch=None),
    Case(
        "polyval",
        "function",
        ("x",),
        _polyval,
        torch=lambda xp, x: ((0.5 * x - 1.0) * x + 2.0) * x + 3.0,
    ),
    Case(
        "cross",
        "function",
        ("v3", "w3"),
        lambda xp, v, w: xp.cross(v, w),
        torch=lambda xp, v, w: xp.linalg.cross(v, w),
    ),
    Case("einsum ij,ij->i", "function", ("q", "q"), lambda xp, q, r: xp.einsum("ij,ij->i", q, r)),
    Case(
        "einsum bij,bj->bi",
        "function",
        ("b3", "b2"),
        lambda xp, b, v: xp.einsum("bij,bj->bi", b, v),
    ),
    Case("add.at", "function", ("x", "j"), _add_at, torch=_torch_add_at),
    Case("x[j] = y", "function", ("x", "j", "y"), _set_by_index),
    Case("take rows", "function", ("q", "rows"), lambda xp, q, r: q[r]),
    Case("concatenate", "function", ("x", "y"), lambda xp, x, y: xp.concatenate([x, y])),
    Case(
        "roll",
        "function",
        ("x",),
        lambda xp, x: xp.roll(x, 1000),
        torch=lambda xp, x: xp.roll(x, 1000),
    ),
    Case(
        "flip",
        "function",
        ("q",),
        lambda xp, q: xp.flip(q, (0, 1)).copy(),
        torch=lambda xp, q: xp.flip(q, (0, 1)),
    ),
    Case(
        "repeat",
        "function",
        ("x",),
        lambda xp, x: xp.repeat(x, 2),
        torch=lambda xp, x: xp.repeat_interleave(x, 2),
    ),
    Case("tile", "function", ("x",), lambda xp, x: xp.tile(x, (2,))),
    Case(
        "pad",
        "function",
        ("q",),
        lambda xp, q: xp.pad(q, 1),
        torch=lambda xp, q: xp.nn.functional.pad(q, (1, 1, 1, 1)),
    ),
    Case("clip", "function", ("x",), lambda xp, x: xp.clip(x, 0.2, 0.8)),
    Case("isclose", "function", ("x", "y"), lambda xp, x, y: xp.isclose(x, y)),
    Case("x ** 2", "function", ("x",), lambda xp, x: x**2),
    Case("x % y", "function", ("x", "y"), lambda xp, x, y: x % y),
    Case("fft", "function", ("z",), lambda xp, z: xp.fft.fft(z)),
    Case("rfft", "function", ("x",), lambda xp, x: xp.fft.rfft(x)),
    Case("irfft", "function", ("z",), lambda xp, z: xp.fft.irfft(z)),
    Case("fft2", "function", ("zq",), lambda xp, q: xp.fft.fft2(q)),
    Case("fft of rows", "function", ("zq",), lambda xp, q: xp.fft.fft(q)),
    Case(
        "fft(axis=0)",
        "function",
        ("zq",),
        lambda xp, q: xp.fft.fft(q, axis=0),
        torch=lambda xp, q: xp.fft.fft(q, dim=0),
    ),
    Case(
        "convolve, 101 taps",
        "function",
        ("x", "taps"),
        lambda xp, x, v: xp.convolve(x, v, "same"),
        torch=lambda xp, x, v: xp.nn.functional.conv1d(
            x[None, None], v.flip(0)[None, None], padding="same"
        ),
    ),
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


TRANSFER = [
    Case(
        "host to device",
        "transfer",
        ("host",),
        _to_device,
        lambda n: 4 * n,
        torch=lambda xp, host: xp.from_numpy(host).cuda(),
    ),
    Case(
        "device to host", "transfer", ("a",), _to_host, lambda n: 4 * n, torch=lambda xp, a: a.cpu()
    ),
]


RANDOM = [
    Case(name, "random", (source,), function, lambda n, size=size: size * n, torch)
    for name, source, size, function, torch in RANDOM_ROWS
]


def _linalg(name, size, function):
    return Case(f"{name} {size}", "linalg", (f"float64:{size}",), function)


LINALG = [
    _linalg("svd", "512", lambda xp, m: xp.linalg.svd(m)[1]),
    _linalg("lstsq", "1024", lambda xp, m: xp.linalg.lstsq(m, m[:, :1], None)[0]),
    _linalg("pinv", "256", lambda xp, m: xp.linalg.pinv(m)),
    _linalg("eigh", "1024", lambda xp, m: xp.linalg.eigh(m)[0]),
    _linalg("inv", "1024", lambda xp, m: xp.linalg.inv(m)),
    _linalg("det", "1024", lambda xp, m: xp.linalg.slogdet(m)[1]),
    _linalg("cholesky", "1024", lambda xp, m: xp.linalg.cholesky(m @ m.T)),
    _linalg("qr", "1024", lambda xp, m: abs(xp.linalg.qr(m)[1])),
    _linalg("solve", "64x256", lambda xp, m: xp.linalg.solve(m, m)),
    _linalg("inv", "64x8", lambda xp, m: xp.linalg.inv(m)),
    _linalg("inv", "100000x8", lambda xp, m: xp.linalg.inv(m)),
    _linalg("svd", "1000x16", lambda xp, m: xp.linalg.svd(m)[1]),
    _linalg("eigh", "1000x16", lambda xp, m: xp.linalg.eigh(m)[0]),
]


def select(quick):
    """The cases of a run; `quick` leaves out the largest products."""
    product = [case for case in PRODUCT if not quick or "10000" not in case.name]
    return LATENCY + BANDWIDTH + FUNCTION + RANDOM + LINALG + TRANSFER + product

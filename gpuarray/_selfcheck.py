"""About a hundred NumPy calls, run on a device and compared with NumPy: the checks of ``python -m gpuarray``.

Each check is a name and a function of the array module and the inputs, so the same line runs under NumPy and under
gpuarray. Nothing here is tolerant of a wrong dtype or shape; values may differ by a few units in the last place.
"""

import operator
import warnings

import numpy as np


def make_inputs():
    """Return the NumPy arrays that the checks take, by name: the same ones on every run."""
    random = np.random.default_rng(20260101)
    return {
        "a": random.standard_normal((37, 53)),
        "b": random.standard_normal((37, 53)) + 3.0,
        "f": random.standard_normal((64, 129)).astype(np.float32),
        "h": random.standard_normal(1000).astype(np.float16),
        "i": random.integers(-1000, 1000, (41, 23)),
        "j": random.integers(1, 50, (41, 23)),
        "u": random.integers(0, 255, 777).astype(np.uint8),
        "m": random.random((37, 53)) > 0.5,
        "z": random.standard_normal((20, 30)) + 1j * random.standard_normal((20, 30)),
        "e": np.array([0.0, -0.0, 1.5, -2.5, np.inf, -np.inf, np.nan, 1e300]),
        "t": random.standard_normal((5, 6, 7, 8)),
    }


def _element_wise():
    unary = "negative absolute square sqrt cbrt exp exp2 expm1 log1p sin cos tan arctan sinh tanh arcsinh floor ceil"
    for name in (
        *unary.split(),
        "trunc",
        "rint",
        "sign",
        "degrees",
        "isfinite",
        "signbit",
        "spacing",
    ):
        argument = "b" if name == "sqrt" else "a"
        if name == "log1p":
            yield name, lambda xp, v: xp.log1p(xp.abs(v["a"]))
        else:
            yield name, lambda xp, v, name=name, argument=argument: getattr(xp, name)(v[argument])
    binary = "add subtract multiply divide floor_divide remainder maximum minimum fmax hypot arctan2 copysign logaddexp"
    for name in (*binary.split(), "less", "greater_equal", "equal", "nextafter"):
        yield f"{name} (float64)", lambda xp, v, name=name: getattr(xp, name)(v["a"], v["b"])
    for name in (
        "add",
        "multiply",
        "floor_divide",
        "remainder",
        "gcd",
        "bitwise_xor",
        "power",
        "not_equal",
    ):
        yield f"{name} (int64)", lambda xp, v, name=name: getattr(xp, name)(abs(v["i"]), v["j"])
    for name in ("exp", "log", "sqrt", "sin", "conjugate", "absolute", "square"):
        yield f"{name} (complex128)", lambda xp, v, name=name: getattr(xp, name)(v["z"])
    for name in ("isnan", "isinf", "floor", "sign", "reciprocal"):
        yield f"{name} of edge values", lambda xp, v, name=name: getattr(xp, name)(v["e"])


def _operators():
    for symbol, function in (
        ("+", operator.add),
        ("-", operator.sub),
        ("*", operator.mul),
        ("/", operator.truediv),
    ):
        yield (
            f"float32 {symbol} Python float",
            lambda xp, v, function=function: function(v["f"], 1.5),
        )
        yield (
            f"NumPy array {symbol} float64",
            lambda xp, v, function=function: function(np.ones(53), v["a"]),
        )
    yield "uint8 wraps around", lambda xp, v: v["u"] + v["u"]
    yield "float16 arithmetic", lambda xp, v: v["h"] * v["h"] + 1
    yield "mixed dtypes", lambda xp, v: v["i"] * np.float32(0.5) + v["j"]
    yield "comparison and logic", lambda xp, v: (v["a"] > 0) & ~(v["b"] < 3) | v["m"]
    yield "row broadcast", lambda xp, v: v["a"] - v["a"][0]
    yield "column broadcast", lambda xp, v: v["a"] / v["b"][:, :1]
    yield "divmod", lambda xp, v: divmod(v["i"], v["j"])[1]
    yield (
        "where= and out=",
        lambda xp, v: xp.add(v["a"], v["b"], out=xp.zeros_like(v["a"]), where=v["m"]),
    )


def _reductions():
    for name in ("sum", "prod", "max", "min", "mean", "argmax", "argmin"):
        yield f"{name}", lambda xp, v, name=name: getattr(v["f"], name)()
        yield f"{name}(axis=0)", lambda xp, v, name=name: getattr(v["f"], name)(axis=0)
        yield f"{name}(axis=1)", lambda xp, v, name=name: getattr(v["f"], name)(axis=1)
    yield "sum over two axes", lambda xp, v: v["t"].sum(axis=(1, 3), keepdims=True)
    yield "sum with where=", lambda xp, v: v["a"].sum(axis=0, where=v["m"])
    yield "sum of small integers", lambda xp, v: v["u"].sum()
    yield "any and all", lambda xp, v: xp.any(v["m"], axis=0) & xp.all(v["m"], axis=0)
    yield "maximum.reduce", lambda xp, v: xp.maximum.reduce(v["i"], axis=1)
    yield "var", lambda xp, v: xp.var(v["a"], axis=1)
    yield "std", lambda xp, v: xp.std(v["a"])


def _products():
    yield "matrix @ matrix (float64)", lambda xp, v: v["a"] @ v["b"].T
    yield "matrix @ matrix (float32)", lambda xp, v: v["f"].T @ v["f"]
    yield "matrix @ matrix (complex128)", lambda xp, v: v["z"] @ v["z"].T
    yield "matrix @ matrix (int64)", lambda xp, v: v["i"] @ v["j"].T
    yield "matrix @ vector", lambda xp, v: v["a"] @ v["b"][0]
    yield "batched matmul", lambda xp, v: v["t"] @ v["t"].swapaxes(2, 3)
    yield "dot", lambda xp, v: xp.dot(v["a"][0], v["b"][0])


def _views_and_creation():
    yield "slice with a step", lambda xp, v: v["a"][::-2, 3:40:5]
    yield "newaxis and ellipsis", lambda xp, v: v["t"][..., None, 2]
    yield "transpose", lambda xp, v: v["t"].transpose(2, 0, 3, 1) + 1
    yield "reshape", lambda xp, v: v["t"].reshape(30, -1)
    yield "diagonal", lambda xp, v: v["a"].diagonal(1)
    yield "assignment through a view", _assign
    yield "astype", lambda xp, v: v["a"].astype(np.int32)
    yield "arange", lambda xp, v: xp.arange(3, 50, 7)
    yield "linspace", lambda xp, v: xp.linspace(-1, 1, 77)
    yield "eye", lambda xp, v: xp.eye(5, 7, k=1)
    yield "concatenate", lambda xp, v: xp.concatenate([v["a"], v["b"]], axis=1)
    yield "stack", lambda xp, v: xp.stack([v["a"], v["b"]])
    yield "where", lambda xp, v: xp.where(v["m"], v["a"], 0.0)
    yield "sort (through NumPy)", lambda xp, v: xp.sort(v["a"], axis=0)


def _assign(xp, v):
    copy = v["a"].copy()
    copy[1::2, ::3] = v["b"][1::2, ::3]
    copy[0] = 7
    return copy


def checks():
    """Yield (name, function of the array module and the inputs by name) for every check."""
    for group in (_element_wise, _operators, _reductions, _products, _views_and_creation):
        yield from group()


def _problem(got, expected):
    """Return what is wrong with a result, or None."""
    import gpuarray

    got, expected = gpuarray.asnumpy(got), np.asarray(expected)
    if got.dtype != expected.dtype:
        return f"dtype {got.dtype} instead of {expected.dtype}"
    if got.shape != expected.shape:
        return f"shape {got.shape} instead of {expected.shape}"
    if expected.dtype.kind in "fc":
        tolerance = 64 * np.finfo(expected.dtype).eps
        finite = np.isfinite(expected)
        scale = np.abs(expected[finite]).max() if finite.any() else 1.0
        same = np.allclose(got, expected, rtol=tolerance, atol=tolerance * scale, equal_nan=True)
    else:
        same = np.array_equal(got, expected)
    return None if same else "values differ"


def run(device, progress=None):
    """Run every check on a device.

    Parameters
    ----------
    device : str or Device
    progress : callable, optional
        Called with (number done, total, name) before each check.

    Returns
    -------
    passed : int
    failures : list of (name, reason)
    """
    import gpuarray

    host = make_inputs()
    ours = {name: gpuarray.asarray(array, device=device) for name, array in host.items()}
    everything, failures = list(checks()), []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for done, (name, function) in enumerate(everything):
            if progress:
                progress(done, len(everything), name)
            try:
                reason = _problem(function(gpuarray, ours), function(np, host))
            except Exception as error:  # a check that raises has failed; the others still run
                reason = f"{type(error).__name__}: {error}"
            if reason:
                failures.append((name, reason))
    return len(everything) - len(failures), failures

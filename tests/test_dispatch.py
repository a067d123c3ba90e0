"""Every function of NumPy, called with device arrays, is ours and stays on the device.

The table has a call for each function that NumPy dispatches; one that is missing fails the first test. Functions of
ours that have a kernel run under transfer_guard("error"): no array crosses to the host, not even inside.
"""

import inspect
import types
import warnings

import numpy as np
import pytest
from oracle import check

import gpuarray
import gpuarray._windows

DISPATCHED = type(np.sum)
HOMES = {
    "numpy": (np, gpuarray),
    "numpy.fft": (np.fft, gpuarray.fft),
    "numpy.linalg": (np.linalg, gpuarray.linalg),
    "numpy.lib.scimath": (np.emath, gpuarray.emath),
    "numpy.lib.stride_tricks": (np.lib.stride_tricks, gpuarray._windows),
}

V = np.array([3.0, 1.0, 2.0, 5.0])
I = np.array([3, 1, 2, 0])  # noqa: E741
M = np.arange(12.0).reshape(3, 4)
S = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]])
C = np.array([1 + 2j, 3 - 1j, 0.5j, -2])
B = np.array([True, False, True, True])
N = np.array([1.0, np.nan, 3.0, 2.0])
U = np.arange(8, dtype="u1")
T = np.array(["2024-01-02", "2024-03-05"], "M8[D]")

# A tuple is the arguments, a list several calls; a dict at the end of a tuple holds keywords.
TABLE = {
    "allclose": (V, V),
    "append": (V, V),
    "apply_along_axis": (np.sum, 0, M),
    "apply_over_axes": (np.sum, M, [0]),
    "argpartition": (V, 2),
    "array_equal": (V, V),
    "array_equiv": (V, V),
    "array_split": (M, 2),
    "astype": (V, np.float32),
    "average": (V,),
    "bincount": (I,),
    "block": ([[M, M]],),
    "broadcast_arrays": (V, M),
    "broadcast_to": (V, (2, 4)),
    "busday_count": (T, T + 9),
    "busday_offset": (T, I[:2], {"roll": "forward"}),
    "can_cast": (V, np.float64),
    "choose": (I, [V, V, V, V]),
    "clip": (V, 1, 2),
    "column_stack": ([V, V],),
    "common_type": (V,),
    "compress": (B, V),
    "concat": ([V, V],),
    "concatenate": ([V, V],),
    "convolve": (V, V),
    "copyto": (V, V + 1),
    "correlate": (V, V),
    "cov": (M,),
    "corrcoef": (M + M**2 % 7,),
    "cross": (S, S),
    "cumulative_prod": (V,),
    "cumulative_sum": (V,),
    "datetime_as_string": (T,),
    "delete": (V, 1),
    "diag_indices_from": (S,),
    "digitize": (V, np.array([0.0, 2.0, 4.0])),
    "dot": (M, V),
    "dsplit": (M.reshape(2, 3, 2), 2),
    "dstack": ([V, V],),
    "einsum": ("ij,j->i", M, V),
    "einsum_path": ("ij,j->i", M, V),
    "empty_like": None,
    "expand_dims": (V, 0),
    "extract": (B, V),
    "fill_diagonal": (S, 7.0),
    "full_like": (V, 3),
    "geomspace": (V, 9.0, 5),
    "histogram": (V,),
    "histogram2d": (V, V),
    "histogram_bin_edges": (V,),
    "histogramdd": (M,),
    "hsplit": (M, 2),
    "hstack": ([V, V],),
    "inner": (V, V),
    "insert": (V, 1, 9.0),
    "interp": (V, np.array([0.0, 2.0, 6.0]), np.array([1.0, 2.0, 3.0])),
    "intersect1d": (V, V[1:]),
    "is_busday": (T,),
    "isclose": (V, V),
    "isin": (V, V[:2]),
    "ix_": (I, B),
    "kron": (S, S),
    "lexsort": ((V, V),),
    "linspace": (V, 9.0, 5),
    "logspace": (V, 2.0, 5),
    "matrix_transpose": (M,),
    "may_share_memory": (V, V + 1),
    "meshgrid": (V, V),
    "min_scalar_type": (V,),
    "moveaxis": (M, 0, 1),
    "nan_to_num": (N,),
    "nanpercentile": (N, 30),
    "nanquantile": (N, 0.3),
    "outer": (V, V),
    "packbits": (B,),
    "pad": (V, 2),
    "partition": (V, 2),
    "percentile": (V, 30),
    "permute_dims": (M, (1, 0)),
    "piecewise": (V, [V > 2, V <= 2], [1, 2]),
    "place": (V, B, V + 1),
    "poly": (V,),
    "polyadd": (V, V),
    "polyder": (V,),
    "polydiv": (V, V[:2]),
    "polyfit": (np.arange(4.0), V, 1),
    "polyint": (V,),
    "polymul": (V, V),
    "polysub": (V, V),
    "polyval": (V, 2.0),
    "put": (V, I, V + 1),
    "put_along_axis": (V, I, V + 1, 0),
    "putmask": (V, B, V + 1),
    "quantile": (V, 0.3),
    "ravel_multi_index": ((I, I), (4, 4)),
    "repeat": (V, 2),
    "reshape": (M, (4, 3)),
    "resize": (V, (2, 3)),
    "result_type": (V, I),
    "roll": (V, 1),
    "rollaxis": (M, 1),
    "roots": (V,),
    "rot90": (M,),
    "save": None,
    "savetxt": None,
    "savez": None,
    "savez_compressed": None,
    "searchsorted": (np.sort(V), V),
    "select": ([V > 2, V > 1], [V, -V]),
    "setdiff1d": (V, V[:1]),
    "setxor1d": (V, V[:1]),
    "shares_memory": (V, V + 1),
    "split": (V, 2),
    "stack": ([V, V],),
    "swapaxes": (M, 0, 1),
    "take": (V, I),
    "take_along_axis": (V, I, 0),
    "tensordot": (M, V, 1),
    "tile": (V, 2),
    "trace": (M,),
    "trapezoid": (V,),
    "tril": (M,),
    "triu": (M,),
    "tril_indices_from": (S,),
    "triu_indices_from": (S,),
    "union1d": (V, V),
    "unpackbits": (U,),
    "unravel_index": (I, (2, 2)),
    "unstack": (M,),
    "vander": (V,),
    "vdot": (C, C),
    "vsplit": (M, 3),
    "vstack": ([V, V],),
    "where": (B, V, 0.0),
    "diagonal": (M,),
    "fliplr": (M,),
    "array2string": (V,),
    "i0": (V,),
    "fft.fft2": (M,),
    "fft.fftn": (M,),
    "fft.ifft2": (M,),
    "fft.ifftn": (M,),
    "fft.irfft2": (M,),
    "fft.irfftn": (M,),
    "fft.rfft2": (M,),
    "fft.rfftn": (M,),
    "linalg.eig": None,
    "linalg.eigvals": None,
    "linalg.lstsq": (M.T, V),
    "linalg.cross": (S, S),
    "linalg.matmul": (M, V),
    "linalg.matrix_power": (S, 3),
    "linalg.multi_dot": ([S, S, S],),
    "linalg.norm": (V,),
    "linalg.outer": (V, V),
    "linalg.solve": (S, V[:3]),
    "linalg.tensordot": (M, V, {"axes": 1}),
    "linalg.tensorinv": (S, {"ind": 1}),
    "linalg.tensorsolve": (S, V[:3]),
    "linalg.vecdot": (V, V),
    "linalg.vector_norm": (V,),
    "lib.stride_tricks.sliding_window_view": (M, (2, 2)),
    "lib.scimath.power": (V, 2),
    "lib.scimath.logn": (2, V),
}
if hasattr(np, "top_k"):  # of NumPy 2.6
    TABLE["top_k"] = (V, 2)


def public_functions():
    """NumPy's dispatched functions: the name under which the table has them -> (module, attribute)."""
    found = {}
    for home, (module, _) in HOMES.items():
        for name in dir(module):
            if isinstance(getattr(module, name, None), DISPATCHED):
                prefix = home.removeprefix("numpy").lstrip(".")
                found[f"{prefix}.{name}" if prefix else name] = (home, name)
    return found


FUNCTIONS = public_functions()


def default_arguments(key):
    home, name = FUNCTIONS[key]
    matrix = home == "numpy.linalg"
    return (S,) if matrix else (V,)


def arguments(key):
    given = TABLE[key] if key in TABLE else default_arguments(key)
    keywords = given[-1] if isinstance(given[-1], dict) else {}
    return given[: len(given) - bool(keywords)], keywords


CALLED = [key for key in FUNCTIONS if TABLE.get(key, ()) is not None]


def test_the_table_knows_no_strangers():
    assert set(TABLE) <= set(FUNCTIONS)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_no_module_was_forgotten():
    """Dispatched functions live in these modules only, but for those of strings, of which no device holds any."""
    known = {id(getattr(*pair)) for pair in module_pairs(HOMES)}
    forgotten = set()
    for name in dir(np):
        module = getattr(np, name)
        if isinstance(module, types.ModuleType) and name not in ("char", "strings", "core", "rec"):
            forgotten |= {
                f"{name}.{each}"
                for each in dir(module)
                if isinstance(getattr(module, each, None), DISPATCHED)
                and id(getattr(module, each)) not in known
            }
    assert not forgotten


def module_pairs(homes):
    return [(module, name) for module, _ in homes.values() for name in dir(module)]


def ours_of(key):
    home, name = FUNCTIONS[key]
    return getattr(HOMES[home][1], name)


FREE_SIGNS = {"linalg.svd", "linalg.eigh"}  # a vector and its negative are as good


@pytest.mark.parametrize("key", CALLED)
def test_function(device, key):
    home, name = FUNCTIONS[key]
    args, keywords = arguments(key)
    function = getattr(HOMES[home][0], name)
    native = not hasattr(ours_of(key), "runs_on_host")
    mode = "error" if native else "allow"

    def comparable(result):
        return tuple(map(abs, result)) if key in FREE_SIGNS and device != "cpu" else result

    def call(xp, *values):
        if xp is np:
            return comparable(function(*values, **keywords))
        before = gpuarray.set_fallback("error" if native else "silent")
        try:
            with gpuarray.transfer_guard(mode, cpu=True):
                return comparable(function(*values, **keywords))
        finally:
            gpuarray.set_fallback(before)

    # Where NumPy's library gives exactly zero another one does not.
    approximate = home == "numpy.fft" or (home == "numpy.linalg" and device != "cpu")
    tolerance = {"rtol": 1e-13, "atol": 1e-14} if approximate else {"ulp": 64}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(call, *args, device=device, order=False, **tolerance)


def takes_out(key):
    home, name = FUNCTIONS[key]
    return "out" in inspect.signature(getattr(HOMES[home][0], name)).parameters


@pytest.mark.parametrize("key", [key for key in CALLED if takes_out(key)])
def test_out_of_numpy(device, key):
    """A result that goes to a numpy.ndarray is computed there; what is returned is what NumPy returns."""
    home, name = FUNCTIONS[key]
    args, keywords = arguments(key)
    function = getattr(HOMES[home][0], name)
    model, out = (np.zeros_like(function(*args, **keywords)) for _ in range(2))
    is_out = function(*args, out=model, **keywords) is model
    ours = [gpuarray.asarray(each) if isinstance(each, np.ndarray) else each for each in args]
    before = gpuarray.set_fallback("silent")
    try:
        assert (function(*ours, out=out, **keywords) is out) == is_out
    finally:
        gpuarray.set_fallback(before)
    np.testing.assert_array_equal(out, model)


def test_out_of_numpy_by_position(device):
    out = np.zeros(4)
    assert np.cumsum(gpuarray.asarray(V), 0, None, out) is out
    assert out.tolist() == np.cumsum(V).tolist()


def test_functions_of_other_modules_run_on_the_host(device):
    a = gpuarray.asarray(V)
    with pytest.warns(gpuarray.PerformanceWarning, match="polyval2d"):
        gpuarray.set_fallback("warn")
        result = np.polynomial.polynomial.polyval2d(a, a, np.ones((2, 2)))
    assert isinstance(result, gpuarray.ndarray)


WINDOWS = [
    ((M, 2), {"axis": 1}),
    ((M, (2, 3)), {}),
    ((M, (2, 2)), {"axis": (0, 0)}),
    ((V, 4), {"writeable": True}),
    ((V, 5), {}),
    ((V, -1), {}),
    ((M, 2), {}),
    ((M, (2, 2)), {"axis": 0}),
    ((M, 2), {"axis": 5}),
    ((M[::-1, ::2], (2, 2)), {}),
]


@pytest.mark.parametrize("args, keywords", WINDOWS)
def test_sliding_windows(device, args, keywords):
    def windows(xp, *values):
        view = np.lib.stride_tricks.sliding_window_view(*values, **keywords)
        return view, view.strides, view.flags.writeable

    check(windows, *args, device=device)


REACHES = {
    "sqrt": ([4.0, -1.0], [4.0, 1.0], np.array([-1, 4], "i2"), -1.0, 4, [1j, 2], [np.nan, 1.0]),
    "log": ([1.0, -1.0], [4.0, 1.0], np.array([-1, 4], "f4"), -2, [1j, 2]),
    "log2": ([1.0, -1.0], [4.0, 1.0]),
    "log10": ([1.0, -1.0], [4.0, 1.0]),
    "arccos": ([0.5, 2.0], [0.5, 1.0], 2, np.array([2, 0], "u1")),
    "arcsin": ([0.5, -2.0], [0.5, 1.0]),
    "arctanh": ([0.5, 2.0], [0.5, -0.5]),
}


@pytest.mark.parametrize("name", REACHES)
def test_emath(device, name):
    for value in REACHES[name]:
        check(lambda xp, x: getattr(xp.emath, name)(x), np.asarray(value), device=device, ulp=8)
    check(lambda xp: getattr(xp.emath, name)(REACHES[name][0]), device=device, ulp=8)


@pytest.mark.parametrize("x, p", [([-2.0, 2.0], 0.5), ([2, 4], -2), ([-8, 3], [1, 2]), (2, 3)])
def test_emath_of_two(device, x, p):
    check(lambda xp: (xp.emath.power(x, p), xp.emath.logn(3, x)), device=device, ulp=16)

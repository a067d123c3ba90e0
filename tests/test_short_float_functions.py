"""bfloat16 and float8 of ml_dtypes in functions: reductions, creation, indexing, sorting, products.

Where NumPy and ml_dtypes round after each step, or sort NaN anywhere, the reference is float32, rounded once.
"""

import operator

import numpy
import pytest
from oracle import Tolerance, check, compare_values
from short_floats import EACH_DTYPE, edge_values, every_value, small_matrix

import gpuarray

SUMS = ("sum", "prod", "mean", "var", "std", "cumsum", "cumprod")
EXACT = ("max", "min", "argmax", "argmin", "any", "all", "ptp", "count_nonzero")


def rounded(function, a):
    """What a function gives in float32, in the dtype of `a`."""
    with numpy.errstate(all="ignore"):
        return numpy.asarray(function(a.astype(numpy.float32))).astype(a.dtype)


@EACH_DTYPE
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
@pytest.mark.parametrize("name", SUMS)
def test_sums_are_rounded_once(dtype, axis, name, device):
    if name.startswith("cum") and not isinstance(axis, int):
        axis = 1
    random = numpy.random.default_rng(4)
    host = random.uniform(0.5, 1.5, (40, 30)).astype(dtype)
    function = operator.methodcaller(name, axis=axis)
    ours = function(gpuarray.asarray(host, device=device))
    assert ours.dtype == dtype
    expected = rounded(function, host)
    # Trees of another shape may round a tie the other way; many factors carry their last bits.
    compare_values(gpuarray.asnumpy(ours), expected, Tolerance(ulp=1))


@pytest.mark.smoke
@EACH_DTYPE
@pytest.mark.parametrize("name", ["sum", "prod", *EXACT])
def test_reductions(dtype, name, device):
    matrix = numpy.array([[1, 2, 0.5], [2, -1, 4]], dtype)
    for axis in (None, 0, 1):
        check(lambda xp, a: getattr(xp, name)(a, axis=axis), matrix, device=device)  # noqa: B023


@EACH_DTYPE
@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
def test_extremes_and_nan(dtype, name, device):
    values = edge_values(dtype)
    check(lambda xp, a: getattr(xp, name)(a), values, device=device)
    known = values[~numpy.isnan(values.astype("f4"))]
    check(lambda xp, a: getattr(xp, name)(a), known, device=device)


REDUCTION_KEYWORDS = {
    "dtype": lambda xp, a: a.sum(dtype="f4"),
    "integers": lambda xp, a: a.sum(dtype="i4"),
    "double": lambda xp, a: a.sum(0, dtype="f8"),
    "from float32": lambda xp, a: (
        (a.astype("f4") * xp.float32(1.01)).max(0, initial=0).astype(a.dtype)
    ),
    "short dtype": lambda xp, a: a.astype("f4").sum(0, dtype=a.dtype),
    "out": lambda xp, a: a.sum(0, out=xp.zeros(4, a.dtype)),
    "wider out": lambda xp, a: a.sum(0, out=xp.zeros(4, "f4")),
    "keepdims": lambda xp, a: a.max(axis=1, keepdims=True),
    "initial": lambda xp, a: xp.maximum.reduce(a, initial=257),
    "where": lambda xp, a: xp.sum(a, axis=0, where=a > 2),
    "mean where": lambda xp, a: a.mean(where=a > 10),
    "mean dtype": lambda xp, a: a.mean(dtype="f4"),
    "mean out": lambda xp, a: a.mean(0, out=xp.zeros(4, "f4")),
    "var dtype": lambda xp, a: a.var(dtype="f8"),
    "accumulate": lambda xp, a: xp.maximum.accumulate(a),
    "reduceat": lambda xp, a: xp.add.reduceat(a, [0, 2], axis=1),
    "left": lambda xp, a: xp.subtract.reduce(a),
    "logical": lambda xp, a: xp.logical_xor.reduce(a),
    "empty": lambda xp, a: (a[:0].sum(), a[:0].prod(axis=0)),
    "empty max": lambda xp, a: a[:0].max(),
}


@EACH_DTYPE
@pytest.mark.parametrize("case", REDUCTION_KEYWORDS)
def test_keywords_of_reductions(dtype, case, device):
    check(REDUCTION_KEYWORDS[case], small_matrix(dtype), device=device)


CREATION = {
    "zeros": lambda xp, a: xp.zeros((2, 3), a.dtype),
    "by name": lambda xp, a: xp.ones((2, 3), dtype=a.dtype.name),
    "like": lambda xp, a: (xp.zeros_like(a), xp.full_like(a, 2.7), xp.ones_like(a.T)),
    "full": lambda xp, a: xp.full(3, 1.7, a.dtype),
    "full of a scalar": lambda xp, a: xp.full(3, a.dtype.type(2)),
    "arange": lambda xp, a: xp.arange(10, dtype=a.dtype),
    "fractions": lambda xp, a: xp.arange(1, 3, 0.5, dtype=a.dtype),
    "linspace": lambda xp, a: xp.linspace(0, 1, 5, dtype=a.dtype),
    "eye": lambda xp, a: (
        xp.eye(3, dtype=a.dtype),
        xp.identity(2, a.dtype),
        xp.tri(3, dtype=a.dtype),
    ),
    "list": lambda xp, a: xp.array([1.2, 3, 1e9], a.dtype),
    "scalars": lambda xp, a: xp.array([a.dtype.type(1), a.dtype.type(2)]),
    "cast": lambda xp, a: xp.asarray(a, dtype="f8"),
}


@EACH_DTYPE
@pytest.mark.parametrize("case", CREATION)
def test_creation(dtype, case, device):
    check(CREATION[case], small_matrix(dtype), device=device)


SHAPING = {
    "concatenate": lambda xp, a: xp.concatenate([a, a], 1),
    "concatenate with float32": lambda xp, a: xp.concatenate([a, a.astype("f4")]),
    "concatenate with int64": lambda xp, a: xp.concatenate([a, a.astype("i8")]),
    "stack": lambda xp, a: xp.stack([a, a], 1),
    "tile": lambda xp, a: (xp.tile(a, 2), xp.repeat(a, 2), xp.roll(a, 1), xp.flip(a)),
    "pad": lambda xp, a: xp.pad(a, 1),
    "edit": lambda xp, a: (xp.append(a, a), xp.insert(a, 1, 7), xp.delete(a, 1)),
    "where": lambda xp, a: xp.where(a > 3, a, a[0]),
    "where, number": lambda xp, a: xp.where(a > 3, a, 0),
    "where, float": lambda xp, a: xp.where(a > 3, a, 1.5),
    "where, float32": lambda xp, a: xp.where(a > 3, a, a.astype("f4")),
    "where, int64": lambda xp, a: xp.where(a > 3, a, a.astype("i8")),
    "where of itself": lambda xp, a: xp.where(a - a[0], a, -a),
    "take": lambda xp, a: (xp.take(a, [1, 0, 2], axis=1), a[[0, 2]], a[a > 3], a[::-1, 1::2]),
    "put": lambda xp, a: (xp.put(a, [1, 0], [7, 8]), xp.putmask(a, a > 9, 7), a),
    "choose": lambda xp, a: xp.choose([0, 1], [a[:, :2], a[:, 2:]]),
    "select": lambda xp, a: xp.select([a > 3, a > 1], [a, a * a], 0),
    "along axis": lambda xp, a: xp.take_along_axis(a, xp.argsort(-a, 1), 1),
    "nonzero": lambda xp, a: (xp.argwhere(a - a[0]), xp.flatnonzero(a), xp.extract(a > 3, a)),
    "copyto": lambda xp, a: (xp.copyto(a, a[0] * a[0]), xp.copyto(a, 5, where=a > 30), a),
    "clip": lambda xp, a: (xp.clip(a, 2, 5), xp.clip(a, 2.0, 5.0), xp.clip(a, a[0, 1], None)),
    "rounding": lambda xp, a: (xp.round(a, 1), a.round(), xp.trunc(a), xp.fix(a)),
    "close": lambda xp, a: (xp.isclose(a, a), xp.allclose(a, a + a), xp.array_equal(a, a)),
    "nan": lambda xp, a: (xp.nan_to_num(a), xp.isnan(a / (a - a)), xp.nanmax(a), xp.nansum(a)),
    "diff": lambda xp, a: (xp.diff(a), xp.ediff1d(a), xp.trapezoid(a)),
}


@EACH_DTYPE
@pytest.mark.parametrize("case", SHAPING)
def test_shaping_and_choosing(dtype, case, device):
    check(SHAPING[case], small_matrix(dtype), device=device, ulp=1)


VALUES = {
    "int": 5,
    "float": 2.3,
    "large": 1e9,
    "nan": float("nan"),
    "bool": True,
    "list": [1, 2.2, 3, 4],
    "complex": 1j,
    "text": "1.5",
    "float32": numpy.float32(1.7),
    "array": numpy.arange(4, dtype="i8"),
    "complex array": numpy.arange(4, dtype="F"),
}


@EACH_DTYPE
@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("key", [1, ..., [0, 2]], ids=str)
def test_assignment(dtype, value, key, device):
    def run(xp, a, value):
        a[key] = value
        return a

    check(run, small_matrix(dtype), VALUES[value], device=device)


@EACH_DTYPE
def test_assignment_of_an_element(dtype, device):
    check(lambda xp, a: operator.setitem(a, 1, a.dtype.type(3)), small_matrix(dtype), device=device)
    check(lambda xp, a: (a.fill(a[2, 3]), a), small_matrix(dtype), device=device)


# ---- sorting: NaN last, where ml_dtypes' comparison leaves it anywhere ----


@EACH_DTYPE
def test_sorting_every_value(dtype, device):
    host = numpy.random.default_rng(5).permutation(every_value(dtype))
    array = gpuarray.asarray(host, device=device)
    wide = host.astype(numpy.float32)
    compare_values(gpuarray.sort(array).get(), numpy.sort(wide).astype(dtype), Tolerance(rtol=0))
    order = gpuarray.argsort(array).get()
    compare_values(order, numpy.argsort(wide, kind="stable"), Tolerance())
    known = gpuarray.unique(gpuarray.asarray(host[~numpy.isnan(wide)], device=device))
    compare_values(
        known.get().astype("f4"), numpy.unique(wide[~numpy.isnan(wide)]), Tolerance(rtol=0)
    )


@EACH_DTYPE
def test_selection_among_every_value(dtype, device):
    host = numpy.random.default_rng(7).permutation(numpy.resize(every_value(dtype), 70_000))
    array, ordered = gpuarray.asarray(host, device=device), numpy.sort(host.astype("f4"))
    known = int(numpy.isfinite(ordered).sum())
    for place in (0, 1000, known // 2, len(host) - 1):
        parted = gpuarray.partition(array, place).get().astype("f4")
        at = gpuarray.argpartition(array, place).get()[place]
        compare_values(parted[place : place + 1], ordered[place : place + 1], Tolerance(rtol=0))
        compare_values(host[at : at + 1].astype("f4"), parted[place : place + 1], Tolerance(rtol=0))
        assert numpy.array_equal(numpy.sort(parted), ordered, equal_nan=True)
    least = gpuarray.top_k(array, 50, mode="smallest").values
    assert least.dtype == dtype
    compare_values(least.get().astype("f4"), ordered[:50], Tolerance(rtol=0))


SEARCHES = {
    "searchsorted": lambda xp, a: xp.searchsorted(a[0], a[1]),
    "searchsorted, right": lambda xp, a: xp.searchsorted(a[0], a[0], "right"),
    "searchsorted, number": lambda xp, a: xp.searchsorted(a[0], 2),
    "isin": lambda xp, a: (xp.isin(a, [1, 2]), xp.isin(a, a[0])),
    "sort": lambda xp, a: (xp.sort(-a, axis=0), xp.sort(a, axis=None), xp.partition(-a[0], 2)),
    "lexsort": lambda xp, a: xp.lexsort((a[0], -a[1])),
    "median": lambda xp, a: xp.median(a, axis=0),
    "unique": lambda xp, a: xp.unique(a % a[0, 1], return_counts=True),
}


@EACH_DTYPE
@pytest.mark.parametrize("case", SEARCHES)
def test_searching(dtype, case, device):
    check(SEARCHES[case], small_matrix(dtype), device=device)


# ---- products ----

PRODUCTS = {
    "matmul": lambda xp, a: a @ a.T,
    "matrix and vector": lambda xp, a: (a @ a[0], a[0] @ a[1], xp.matvec(a, a[0])),
    "batch": lambda xp, a: xp.stack([a, -a]) @ a.T,
    "with float32": lambda xp, a: a @ a.T.astype("f4"),
    "dtype": lambda xp, a: xp.matmul(a, a.T, dtype="f8"),
    "out": lambda xp, a: xp.matmul(a, a.T, out=xp.zeros((3, 3), a.dtype)),
    "dot": lambda xp, a: (xp.dot(a, a.T), xp.dot(a[0], a[1]), a.dot(a[0])),
    "dot beyond two": lambda xp, a: xp.dot(a, xp.stack([a.T, a.T])),
    "inner": lambda xp, a: (xp.inner(a, a), xp.vdot(a, a), xp.outer(a[0], a[1])),
    "tensordot": lambda xp, a: xp.tensordot(a, a.T, 1),
    "vecdot": lambda xp, a: xp.vecdot(a, a),
    "kron": lambda xp, a: xp.kron(a, a[:1]),
    "trace": lambda xp, a: xp.trace(a),
}


@pytest.mark.smoke
@EACH_DTYPE
@pytest.mark.parametrize("case", PRODUCTS)
def test_products(dtype, case, device):
    matrix = numpy.array([[1, 2, 0, 1], [0.5, 1, -1, 2], [2, 0, 1, 1]], dtype)
    check(PRODUCTS[case], matrix, device=device)


@EACH_DTYPE
@pytest.mark.parametrize("transposed", [False, True])
def test_large_products(dtype, transposed, device):
    random = numpy.random.default_rng(6)
    x, y = (random.standard_normal((2, 130, 130)) / 4).astype(dtype)
    right = y.T if transposed else y

    def run(a, b):
        return gpuarray.asnumpy(a @ (b.T if transposed else b))

    ours = run(*(gpuarray.asarray(each, device=device) for each in (x, y)))
    exact = x.astype(float) @ right.astype(float)
    assert ours.dtype == numpy.float32
    numpy.testing.assert_allclose(ours, exact, rtol=1e-4, atol=1e-5)


@EACH_DTYPE
def test_products_of_unlike_dtypes(dtype, device):
    other = numpy.dtype(gpuarray.zeros(1, "bfloat16", device="cpu").dtype)
    check(lambda xp, a: a @ a.T.astype(other), small_matrix(dtype), device=device)


@EACH_DTYPE
def test_einsum(dtype, device):
    """NumPy's einsum takes none of them: here it gives what dot gives."""
    host = small_matrix(dtype)
    a = gpuarray.asarray(host, device=device)
    expected = {
        "ij,kj->ik": numpy.dot(host, host.T),
        "ij->i": rounded(lambda x: x.sum(axis=1), host),
        "ij->ji": host.T,
    }
    for text, value in expected.items():
        ours = gpuarray.einsum(text, *[a] * (text.count(",") + 1))
        assert ours.dtype == dtype
        compare_values(gpuarray.asnumpy(ours), value, Tolerance())


# ---- what goes by way of float32 or float64 ----

OTHERS = {
    "fft": lambda xp, a: xp.fft.fft(a),
    "inverse": lambda xp, a: xp.linalg.inv(a[:3, :3] + xp.eye(3, dtype=a.dtype)),
    "norm": lambda xp, a: xp.linalg.norm(a),
    "interp": lambda xp, a: xp.interp(a, [0, 10], [1, 2]),
    "polymul": lambda xp, a: xp.polymul(a[0, :2], a[0, :3]),
    "cross": lambda xp, a: xp.cross(a[:, :3], a[0, 1:]),
    "polyval": lambda xp, a: xp.polyval(a[0], a[1] - a[0]),
    "convolve": lambda xp, a: xp.convolve(a[0], a[0, :2]),
    "sinc": lambda xp, a: xp.sinc(a / 4),
    "percentile": lambda xp, a: xp.percentile(a, 30),
    "gradient": lambda xp, a: xp.gradient(a[0]),
}


@EACH_DTYPE
@pytest.mark.parametrize("case", OTHERS)
def test_other_functions(dtype, case, device):
    check(OTHERS[case], small_matrix(dtype), device=device, rtol=1e-5, atol=1e-6)

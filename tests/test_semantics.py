"""Traps: calls that other libraries get wrong, with NumPy's answer as the right one. A line a trap."""

import numpy as np
import pytest
from oracle import check

import gpuarray

A5 = np.array([[3, 1], [1, 2], [2, 0]])
COMPLEX_NAN = np.array(
    [0.5 + 3.7j, complex(0.7, np.nan), complex(np.nan, -3.9), complex(np.nan, np.nan)]
)


def assign(a, index, value):
    a[index] = value
    return a


def rebind(xp):
    x = xp.arange(3).sum()
    y = x
    x += 1
    return x, y


def keep_in_place(xp, a):
    b = a
    a @= xp.eye(2)
    return b is a, a


def write_by_scalar_index(xp, m):
    m[m[:, 0].argmax()][:] = 5
    m[xp.array(1)][:] = 9
    return m


def write_by_ellipsis(xp, a):
    view = a[0, ...]
    view[...] = 9
    return a


def resize(xp, a):
    a.resize(5, refcheck=False)
    return a


def lock(xp, a):
    a.flags.writeable = False
    a[0] = 1


TRAPS = [
    ("index out of range", lambda xp, a: a[[1, 5]], np.arange(3)),
    ("assignment out of range", lambda xp, a: assign(a, [1, 3], 10), np.arange(3)),
    ("take out of range", lambda xp, a: xp.take(a, [5]), np.arange(3)),
    ("put out of range", lambda xp, a: xp.put(a, [5], [1]), np.zeros(3)),
    ("take clip", lambda xp, a: xp.take(a, [5], mode="clip"), np.arange(3)),
    (
        "last wins",
        lambda xp, a, i, v: assign(a, i, v),
        np.zeros(2),
        np.arange(10**4) % 2,
        np.arange(1e4),
    ),
    ("element is a copy", lambda xp, a: (a[0], assign(a, 0, 9)), np.arange(3)),
    ("allclose is a bool", lambda xp: xp.allclose(1.0, 1.0)),
    ("index of a list", lambda xp: [10, 20, 30][xp.argmax(xp.array([1, 5, 2]))]),
    ("range", lambda xp: list(range(xp.arange(4).max()))),
    ("dictionary key", lambda xp: {xp.arange(3).sum(): 1}[3]),
    ("round", lambda xp: round(xp.array([1.25, 2.5]).sum(), 1)),
    ("item", lambda xp: xp.array([7, 8]).item(1)),
    ("read-only", lock, np.zeros(2)),
    (
        "broadcast is read-only",
        lambda xp, a: assign(xp.broadcast_to(a, (2, 3)), (0, 0), 1),
        np.zeros(3),
    ),
    ("lists to a ufunc", lambda xp: xp.add([1, 2], [3, 4])),
    ("list to sum", lambda xp: xp.sum([1, 2, 3])),
    ("searchsorted", lambda xp: xp.searchsorted(xp.array([1, 3, 5]), [2, 4])),
    (
        "numpy array assigned",
        lambda xp, a: assign(a, slice(None), np.array([1, 2, 3])),
        np.zeros(3),
    ),
    (
        "out and where",
        lambda xp, o: xp.add([1, 2], [3, 4], out=o, where=[True, False]),
        np.zeros(2, int),
    ),
    ("sum where", lambda xp: xp.sum(xp.arange(4), where=[True, False, True, True])),
    ("max initial", lambda xp: xp.max([1, 5], initial=9)),
    ("reduce", lambda xp: xp.maximum.reduce([3, 1, 2])),
    ("accumulate", lambda xp: xp.maximum.accumulate([1, 3, 2])),
    ("logical reduce", lambda xp: xp.logical_or.reduce([False, True])),
    ("reduceat", lambda xp: xp.multiply.reduceat([1, 2, 3, 4], [0, 2])),
    ("at int16", lambda xp, a: xp.add.at(a, [0, 0], 1), np.zeros(2, "i2")),
    ("at complex", lambda xp, a: xp.add.at(a, [1, 1], 1j), np.zeros(2, "c16")),
    ("at multiply", lambda xp, a: xp.multiply.at(a, [0, 0], 3), np.ones(2)),
    ("sort kind", lambda xp: xp.sort([3, 1, 2], kind="quicksort")),
    ("sort of a column", lambda xp, a: a[:, 0].sort(), A5),
    ("mod", lambda xp: (xp.mod(1.0, xp.inf), xp.mod(-1.0, xp.inf), xp.mod(1.0, 0.1))),
    ("floor_divide", lambda xp: xp.floor_divide(1.0, 0.1)),
    ("negative power", lambda xp: xp.power(xp.array([2]), -1)),
    ("angle", lambda xp: xp.angle(xp.array([xp.nan, -0.0]))),
    ("percentile of NaN", lambda xp: xp.percentile([1.0, 2.0, 3.0, xp.nan, 5.0], 50)),
    ("quantile of NaN", lambda xp: xp.quantile([1.0, 2.0, 3.0, xp.nan, 5.0], 0.5)),
    ("quantile out of range", lambda xp: xp.quantile(xp.arange(5.0), [0.5, 2.0])),
    ("nanargmax", lambda xp: xp.nanargmax([xp.nan, xp.nan])),
    (
        "histogram",
        lambda xp: xp.histogram([xp.nan, 0.75], bins=2, range=(0, 1), weights=xp.ones(2)),
    ),
    ("singular inverse", lambda xp: xp.linalg.inv(xp.zeros((2, 2)))),
    ("singular system", lambda xp: xp.linalg.solve(xp.zeros((2, 2)), xp.ones(2))),
    ("cholesky", lambda xp: xp.linalg.cholesky(-xp.eye(2))),
    ("cast to unsigned", lambda xp: xp.array([-1.0], "f4").astype("u4")),
    ("cast of infinity", lambda xp: xp.array([xp.inf], "f4").astype("i4")),
    ("max of complex NaN", lambda xp, a: a.max(), COMPLEX_NAN),
    ("Fortran order", lambda xp, a: a + a, np.array([[1, 2], [3, 4]], order="F")),
    ("strings", lambda xp: xp.array(["a", "bb"])),
    ("times", lambda xp: xp.array(["2024-01-02"], "M8[D]") + 1),
    ("nonzero", lambda xp: xp.nonzero(xp.array([0, 3, 0, 4]))[0]),
    ("mask", lambda xp, a: a[a > 2], np.arange(5)),
    ("unique", lambda xp: xp.unique([1.0, xp.nan, xp.nan])),
    ("rebinding", rebind),
    ("hash of an array", lambda xp: hash(xp.array(3))),
    ("write by index", write_by_scalar_index, np.eye(3)),
    ("write by ellipsis", write_by_ellipsis, np.arange(3)),
    ("matmul in place", keep_in_place, np.eye(2)),
    ("subtract reduce", lambda xp: xp.subtract.reduce([1, 2, 3, 4, 5])),
    ("subtract over two axes", lambda xp: xp.subtract.reduce(xp.ones((2, 2)), axis=(0, 1))),
    ("int out of range compared", lambda xp: xp.array([1], "u1") < 300),
    ("huge int compared", lambda xp: xp.array([1]) == 2**70),
    ("int out of range added", lambda xp: xp.array([1], "u1") + 300),
    ("NaN sorts last", lambda xp, a: xp.sort(a), np.array([np.nan, 1.0, -np.nan, -1.0])),
    ("sparse indices", lambda xp: xp.indices((2, 2), sparse=True)),
    ("packbits", lambda xp: xp.packbits([[1, 0], [1, 1]], axis=1)),
    ("insert", lambda xp: xp.insert([1, 2, 3], 1, 9)),
    ("geomspace", lambda xp: xp.geomspace(1, 1000, 4)),
    ("nanpercentile", lambda xp: xp.nanpercentile([1.0, xp.nan, 3.0], 50)),
    ("resize", resize, np.arange(3)),
    ("array of NumPy", lambda xp, a: type(np.asarray(a)).__name__, np.zeros(3)),
    (
        "piecewise",
        lambda xp, a: xp.piecewise(a, [a < 0, a >= 2], [lambda v: -v, lambda v: v * v, 7]),
        np.arange(-2.0, 4),
    ),
    ("matrix power", lambda xp: (xp.asmatrix([[1, 2], [3, 4]]) ** 2).tolist()),
]


@pytest.mark.parametrize("row", TRAPS, ids=lambda row: row[0].replace(" ", "-"))
def test_trap(device, row):
    _, function, *args = row
    check(function, *args, device=device, ulp=2)


def test_failed_assignment_changes_nothing(device):
    a = gpuarray.arange(3, device=device)
    with pytest.raises(IndexError):
        a[[1, 3]] = 10
    assert a.tolist() == [0, 1, 2]


def test_objects_stay_on_the_host(device):
    assert gpuarray.array([1, None]).dtype == object
    with pytest.raises(TypeError, match="object|'O'"):
        gpuarray.array([1, None], device=device)


def test_errstate_is_accepted(device):
    with gpuarray.errstate(divide="raise"):
        assert (gpuarray.array([1.0], device=device) / 0.0).tolist() == [float("inf")]


# ---- the decisions that stand above the table of traps ----

UFUNC_KEYWORDS = [
    {"where": np.array([True, False, True])},
    {"casting": "unsafe", "dtype": "f4"},
    {"order": "F"},
    {"subok": False},
    {"dtype": "f8"},
    {"signature": "dd->d"},
]


@pytest.mark.parametrize("keywords", UFUNC_KEYWORDS, ids=lambda each: next(iter(each)))
@pytest.mark.parametrize("name", ["add", "arctan2", "maximum", "fmod", "copysign", "hypot"])
def test_ufuncs_take_every_keyword(device, name, keywords):
    a = np.array([1.0, 2, 3])
    check(
        lambda xp, a, out, k: getattr(xp, name)(a, a + 1, out=out, **k),
        a,
        np.zeros(3, "f4" if keywords.get("dtype") == "f4" else "f8"),
        keywords,
        device=device,
        ulp=4,
    )


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "any", "all", "mean", "std"])
def test_reductions_take_every_keyword(device, name):
    cube = np.arange(24.0).reshape(2, 3, 4) % 5
    keywords = [
        {"axis": (0, -1)},
        {"axis": -2, "keepdims": True},
        {"axis": 1, "out": np.zeros((2, 4))},
    ]
    keywords.append({"where": cube < 3, **({"initial": 1} if name in ("max", "min") else {})})
    if name in ("sum", "prod", "max", "min"):
        keywords.append({"initial": 3})
    if name in ("sum", "prod", "mean", "std"):
        keywords.append({"dtype": "f4"})
    for each in keywords:
        check(lambda xp, a, k: getattr(xp, name)(a, **k), cube, each, device=device, rtol=1e-6)


CREATORS = {
    "arange": (5,),
    "array": ([1, 2],),
    "asarray": ([1, 2],),
    "empty": (3,),
    "eye": (3,),
    "frombuffer": (bytes(8),),
    "fromiter": ([1], int),
    "full": (3, 2),
    "identity": (3,),
    "ones": (3,),
    "tri": (3,),
    "zeros": (3,),
}
DEVICE_ONLY = {
    "bartlett": (5,),
    "fromfunction": (lambda i: i, (3,)),
    "geomspace": (1, 8, 4),
    "hanning": (5,),
    "indices": ((2, 2),),
    "kaiser": (5, 2),
    "linspace": (0, 1, 3),
    "logspace": (0, 1, 3),
}


@pytest.mark.parametrize("name", [*CREATORS, *DEVICE_ONLY])
def test_creation_takes_a_device_and_a_like(device, name):
    function = getattr(gpuarray, name)
    arguments = {**CREATORS, **DEVICE_ONLY}[name]
    for other in ("cpu", device):
        gpuarray.set_default_device("cpu")
        assert str(function(*arguments, device=other).device) == other
        if name in CREATORS:
            like = gpuarray.zeros(1, device=other)
            assert str(function(*arguments, like=like).device) == other


@pytest.mark.parametrize("name", ["empty", "zeros", "ones", "eye", "full", "array", "copy"])
def test_creation_takes_an_order(device, name):
    arguments = {"eye": (3, 2), "full": ((2, 3), 1), "array": (np.ones((2, 3)),)}
    arguments["copy"] = arguments["array"]
    made = getattr(gpuarray, name)(*arguments.get(name, ((2, 3),)), order="F")
    assert made.flags.f_contiguous and not made.flags.c_contiguous


def test_arguments_are_what_numpy_takes(device):
    scalar = gpuarray.arange(3).sum()
    nested = [[scalar, 1], [2.5, gpuarray.ones(2)[0]]]
    assert gpuarray.array(nested).tolist() == [[3.0, 1.0], [2.5, 1.0]]
    assert str(gpuarray.array(nested).device) == device
    for values in ([1, 2], (1, 2), np.array([1, 2]), gpuarray.array([1, 2])):
        assert gpuarray.add(values, 1).tolist() == [2, 3]
        assert gpuarray.median(values).item() == 1.5
        assert gpuarray.ones(2).dot(values).item() == 3
    assert gpuarray.sum(5).item() == 5


SINGULAR = [
    lambda xp: xp.linalg.inv(xp.zeros((2, 2))),
    lambda xp: xp.linalg.solve(xp.ones((2, 2)), xp.ones(2)),
    lambda xp: xp.linalg.cholesky(xp.array([[1.0, 2], [2, 1]])),
    lambda xp: xp.linalg.eigvals(xp.full((2, 2), xp.nan)),
    lambda xp: xp.linalg.svd(xp.full((2, 2), xp.nan)),
]


@pytest.mark.parametrize("call", SINGULAR, ids=range(len(SINGULAR)))
def test_linalg_refuses(device, call):
    assert isinstance(check(call, device=device), np.linalg.LinAlgError)


A, B = np.array([3.0, 1.0, 2.0, 1.0]), np.array([[1, 2], [3, 4], [1, 2]])
NATIVE = {
    "median": lambda xp, a, b: xp.median(a),
    "percentile": lambda xp, a, b: xp.percentile(a, [20, 50], method="weibull"),
    "weighted quantile": lambda xp, a, b: xp.quantile(a, 0.5, weights=a, method="inverted_cdf"),
    "nanquantile": lambda xp, a, b: xp.nanquantile(a, 0.5, method="hazen"),
    "partition": lambda xp, a, b: (xp.partition(a, 2)[2], xp.argpartition(b, 0, axis=0)[0]),
    "unique": lambda xp, a, b: xp.unique(b, axis=0, return_counts=True),
    "cumsum": lambda xp, a, b: xp.cumsum(b, axis=1),
    "histogram": lambda xp, a, b: xp.histogram(a, "auto"),
    "histogram2d": lambda xp, a, b: xp.histogram2d(a, a, 2, weights=a),
    "bincount": lambda xp, a, b: xp.bincount(b[0], a[:2]),
    "digitize": lambda xp, a, b: xp.digitize(a, [1.0, 2.0]),
    "cov": lambda xp, a, b: xp.cov(b, rowvar=False),
    "corrcoef": lambda xp, a, b: xp.corrcoef(a, a[::-1]),
    "windows": lambda xp, a, b: (xp.hanning(4), xp.kaiser(4, 2.0)),
    "i0, sinc": lambda xp, a, b: (xp.i0(a), xp.sinc(a)),
    "polynomials": lambda xp, a, b: (xp.polyval(a, a), xp.polydiv(a, a[:2]), xp.poly(a)),
    "polyder": lambda xp, a, b: (xp.polyder(a), xp.polyint(a), xp.polyadd(a, a[:2])),
    "series": lambda xp, a, b: xp.polynomial.legendre.legval(a, a),
    "bits": lambda xp, a, b: xp.unpackbits(xp.packbits(a > 1)),
    "unwrap": lambda xp, a, b: (xp.unwrap(a), xp.ediff1d(a), xp.trim_zeros(a), xp.diff(a)),
    "select": lambda xp, a, b: (xp.select([a > 2], [a]), xp.piecewise(a, [a > 2], [5])),
    "choose": lambda xp, a, b: (xp.choose([0, 1], [a[:2], a[2:]]), xp.compress([True], a)),
    "kron": lambda xp, a, b: (xp.kron(a, a), xp.trace(b), xp.cross(a[:3], a[1:])),
    "einsum": lambda xp, a, b: (xp.einsum("ij->j", b), xp.einsum_path("ij,jk", b, b.T)[0][0]),
    "along axes": lambda xp, a, b: (
        xp.apply_along_axis(lambda v: v.sum(), 0, b),
        xp.apply_over_axes(xp.sum, b, [0]),
    ),
    "pad": lambda xp, a, b: xp.pad(a, 1, lambda v, w, x, k: None),
    "split": lambda xp, a, b: xp.array_split(a, 3),
    "sets": lambda xp, a, b: (xp.isin(a, [1.0]), xp.union1d(a, a), xp.setxor1d(a, [1.0])),
    "finite": lambda xp, a, b: (xp.asarray_chkfinite(a), xp.require(a, requirements="C")),
}


@pytest.mark.parametrize("name", NATIVE)
def test_nothing_runs_on_the_host(device, name):
    before = gpuarray.set_fallback("error")
    try:
        check(NATIVE[name], A, B, device=device, order=False, rtol=1e-9, atol=1e-12)
    finally:
        gpuarray.set_fallback(before)


def test_names_of_cupy(device):
    a = gpuarray.array([1.0, 2.0])
    assert type(gpuarray.asnumpy(a)) is type(a.get()) is np.ndarray
    a.set(np.array([3.0, 4.0]))
    assert a.tolist() == [3.0, 4.0]
    assert gpuarray.get_array_module(a) is gpuarray
    assert all(hasattr(gpuarray.cuda, name) for name in ("Stream", "Event", "Device"))


def test_errors_say_what_and_where(device):
    a = gpuarray.ones((2, 3))
    with pytest.raises(ValueError, match=r"\(2,\s?3\).*\(4,\)"):
        a + gpuarray.ones(4)
    with pytest.raises(IndexError, match="5.*axis 0.*size 2"):
        a[5]
    with pytest.raises(TypeError, match="U1|str"):
        gpuarray.array(["a"], device=device)
    with pytest.raises(ValueError, match="shapes|matmul"):
        a @ a

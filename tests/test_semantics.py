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

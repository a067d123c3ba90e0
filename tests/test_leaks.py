"""No call leaves anything behind on the host: neither Python objects nor memory of malloc, also where it fails.

The fixture `no_leak` of conftest.py watches the memory of devices.
"""

import copy
import ctypes
import gc
import pickle
import sys
import weakref

import numpy as np
import pytest

import gpuarray

CALLS = 1000


class Allocated(ctypes.Structure):
    """struct mallinfo2 of the GNU C library; uordblks are the bytes in use."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
    ]


def bytes_of_malloc():
    try:
        function = ctypes.CDLL(None).mallinfo2
    except AttributeError:
        return 0
    function.restype = Allocated
    return function().uordblks


class Data:
    """What the calls work on; made anew for each, so that they cannot spoil one another's."""

    def __init__(self):
        self.a = gpuarray.arange(12.0).reshape(3, 4)
        self.i = gpuarray.array([2, 0, 1])
        self.mask = self.a > 4
        self.host = np.arange(12.0).reshape(3, 4)
        self.out = gpuarray.zeros((3, 4))
        self.small = gpuarray.zeros((3, 4), "f4")
        self.locked = gpuarray.zeros((3, 4))
        self.locked.flags.writeable = False
        self.wide = gpuarray.arange(64).reshape((2,) * 6)
        self.times = gpuarray.array(np.arange(4).astype("m8[s]"))
        self.pickled = pickle.dumps(self.a)


def unpickle_apart(a):
    buffers = []
    data = pickle.dumps(a, protocol=5, buffer_callback=buffers.append)
    return pickle.loads(data, buffers=buffers)


class Broken:
    """Fails in every protocol that makes an array of it."""

    def __array__(self, *args, **kwargs):
        raise ZeroDivisionError

    def __index__(self):
        raise ZeroDivisionError

    def __len__(self):
        raise ZeroDivisionError


def fails(call):
    """The same call, which has to raise."""

    def run(d):
        try:
            call(d)
        except Exception:
            return
        raise AssertionError("no exception")

    return run


GOOD = {
    "operators": lambda d: -(d.a + 1 - d.a * 2 / d.host) ** 2 // 3,
    "in place": lambda d: d.out.__iadd__(d.a).__imul__(0),
    "comparisons": lambda d: (d.a < 3) | (d.a == d.host) & ~(d.a != 2**70),
    "numbers": lambda d: (int(d.i[0]), float(d.a[0, 0]), bool(d.i[1]), complex(d.a[1, 1]), hash(d.i[0])),
    "ufunc keywords": lambda d: gpuarray.add(d.a, d.a, out=d.small, where=d.mask, casting="same_kind"),
    "ufunc dtype": lambda d: gpuarray.add(d.a, 1, dtype="f4", order="F", subok=False),
    "two outputs": lambda d: gpuarray.divmod(d.a, 3, out=(None, d.out)),
    "mixed dtypes": lambda d: d.a + d.i[:, None] + np.float32(1) + d.small,
    "many dimensions": lambda d: (d.wide.T + d.wide).sum(axis=(0, 2)),
    "reductions": lambda d: (d.a.sum(), d.a.sum(0), d.a.max(axis=(0, 1), keepdims=True), d.a.mean(), d.a.std()),
    "reduction keywords": lambda d: gpuarray.add.reduce(d.a, 0, out=d.small[0], where=d.mask, initial=2),
    "argmax": lambda d: (d.a.argmax(), d.a.argmin(axis=1)),
    "scans": lambda d: (d.a.cumsum(), gpuarray.multiply.accumulate(d.a, 1), gpuarray.add.reduceat(d.a, [0, 2], 1)),
    "at": lambda d: gpuarray.add.at(d.out, ([0, 0], [1, 1]), 1),
    "outer": lambda d: gpuarray.multiply.outer(d.i, d.i),
    "ufunc attributes": lambda d: (
        gpuarray.add.types, gpuarray.add.identity,
        gpuarray.add.__doc__, repr(gpuarray.add)
    ),
    "products": lambda d: (d.a @ d.a.T, d.host @ d.a.T, gpuarray.dot(d.a, d.a[0]), d.i @ d.i),
    "views": lambda d: (
        d.a[1:, None, ::-1], d.a.T, d.a.reshape(-1),
        d.a.ravel(), d.wide[0, ..., 1], d.a.real, d.a.flat
    ),
    "gather": lambda d: (d.a[d.i], d.a[[0, 1]], d.a[d.mask], d.a[:, d.i], d.a.take(d.i, 0), d.a[np.ix_([0, 1], [2])]),
    "scatter": lambda d: (d.out.__setitem__(d.i, 1), d.out.__setitem__(d.mask, 2), d.out.put([1], [3])),
    "assignment": lambda d: (
        d.out.__setitem__(0, d.host[0]),
        d.out.__setitem__((1, 2), 7), d.small.__setitem__(..., d.a)
    ),
    "creation": lambda d: (
        gpuarray.zeros(3), gpuarray.full((2, 2), 5),
        gpuarray.ones_like(d.a), gpuarray.empty(3, "M8[s]")
    ),
    "ranges": lambda d: (gpuarray.arange(5), gpuarray.arange(1.0, 5, 0.5), gpuarray.linspace(0, 1, 5)),
    "conversion": lambda d: (
        gpuarray.array([[1, 2], [3, 4.0]]), gpuarray.asarray(d.host),
        gpuarray.array(3), gpuarray.array([d.i[0], 2])
    ),
    "casts": lambda d: (d.a.astype("f4"), d.a.astype("i1"), d.times.astype("m8[ms]"), d.a.view("i8")),
    "to the host": lambda d: (d.a.get(), np.asarray(d.a), d.a.tolist(), d.a.item(3), np.array(d.a.T), d.a.tobytes()),
    "from the host": lambda d: d.out.set(d.host),
    "numpy functions": lambda d: (np.sin(d.a), np.add(d.host, d.a), np.concatenate([d.a, d.a])),
    "joining": lambda d: (gpuarray.concatenate([d.a, d.host], 1), gpuarray.stack([d.a, d.a])),
    "sorting": lambda d: (
        gpuarray.sort(d.a), gpuarray.argsort(d.a, 0),
        gpuarray.searchsorted(d.i, [1]), d.a.nonzero()
    ),
    "text": lambda d: (repr(d.i), str(d.a[0, 0]), f"{d.a[0, 1]:.2f}"),
    "pickle": lambda d: (pickle.loads(d.pickled), copy.copy(d.i), copy.deepcopy(d.i)),
    "iteration": lambda d: ([x for row in d.a for x in row], list(d.i), 3 in d.i),
    "attributes": lambda d: (
        d.a.shape, d.a.strides, d.a.dtype, d.a.flags.c_contiguous,
        d.a.nbytes, d.a.device, d.a.base, d.a.T.base
    ),
    "weak references": lambda d: weakref.ref(d.a)().shape,
    "exchange": lambda d: (gpuarray.from_dlpack(d.a), d.a.__dlpack__(), gpuarray.from_dlpack(d.host)),
    "shared memory": lambda d: (memoryview(d.a), np.from_dlpack(d.a)) if d.a.device == "cpu" else None,
    "pickle without a copy": lambda d: unpickle_apart(d.a),
    "resize": lambda d: gpuarray.zeros(3).resize(5, refcheck=False),
    "devices": lambda d: (
        gpuarray.default_device(), gpuarray.devices(),
        gpuarray.memory_stats(), d.a.device == "cpu"
    ),
    "streams": lambda d: gpuarray.cuda.Stream().__enter__().__exit__(None, None, None),
    "events": lambda d: gpuarray.cuda.Event().query(),
}  # fmt: skip

BAD = {
    "shapes": lambda d: d.a + gpuarray.ones(5),
    "output shape": lambda d: gpuarray.add(d.a, d.a, out=gpuarray.ones(2)),
    "output casting": lambda d: gpuarray.add(d.a, 1j, out=d.out),
    "read-only": lambda d: d.locked.__setitem__(0, 1),
    "read-only in place": lambda d: d.locked.__iadd__(1),
    "index": lambda d: d.a[9],
    "index array": lambda d: d.a[[0, 9]],
    "index type": lambda d: d.a["x"],
    "too many indices": lambda d: d.a[0, 0, 0],
    "mask": lambda d: d.a[gpuarray.ones(7, bool)],
    "axis": lambda d: d.a.sum(axis=5),
    "axis twice": lambda d: d.a.sum(axis=(0, 0)),
    "no identity": lambda d: gpuarray.maximum.reduce(gpuarray.ones(0)),
    "not reorderable": lambda d: gpuarray.subtract.reduce(d.a, axis=(0, 1)),
    "reduction output": lambda d: d.a.sum(0, out=gpuarray.ones(2)),
    "reduction mask": lambda d: gpuarray.add.reduce(d.a, where=d.host),
    "keyword": lambda d: gpuarray.add(d.a, 1, foo=3),
    "arguments": lambda d: gpuarray.add(d.a),
    "dtype": lambda d: gpuarray.zeros(3, "x"),
    "string dtype": lambda d: gpuarray.zeros(3, "U3", device=d.a.device),
    "device": lambda d: gpuarray.zeros(3, device="nowhere"),
    "ragged": lambda d: gpuarray.array([[1, 2], [3]]),
    "broken operand": lambda d: d.a + Broken(),
    "broken list": lambda d: gpuarray.array([1, Broken()]),
    "broken index": lambda d: d.a[Broken()],
    "broken value": lambda d: d.out.__setitem__(0, Broken()),
    "size": lambda d: gpuarray.zeros(2**62),
    "negative size": lambda d: gpuarray.zeros(-1),
    "reshape": lambda d: d.a.reshape(5),
    "truth": lambda d: bool(d.a),
    "unhashable": lambda d: hash(d.a),
    "power": lambda d: d.i ** gpuarray.array([-1, 1, 1]),
    "overflow": lambda d: gpuarray.ones(3, "u1") + 300,
    "product": lambda d: d.a @ d.a,
    "concatenate": lambda d: gpuarray.concatenate([d.a, d.i]),
    "reduceat": lambda d: gpuarray.add.reduceat(d.a, [9]),
    "unary reduce": lambda d: gpuarray.sin.reduce(d.a),
    "pickle": lambda d: pickle.loads(d.pickled[:-20]),
    "stream": lambda d: gpuarray.cuda.Stream().__exit__(None, None, None),
    "memory": lambda d: gpuarray.empty(10**14),
}  # fmt: skip

SLOW = (
    "fails: memory",
    "text",
)  # the first collects garbage, the second goes through NumPy's Python code


def shared_objects():
    """What every call takes references to: the types of this package, dtypes, and constants."""
    a = gpuarray.ones(2)
    types = {
        type(x) for x in (a, a.flags, iter(a), a.flat, gpuarray.add, gpuarray.default_device())
    }
    return [
        *types,
        gpuarray.cuda.Stream,
        gpuarray.cuda.Event,
        *(np.dtype(char) for char in "?bBhHiIlLefdFD"),
        gpuarray.add,
        None,
        True,
        (),
    ]


def count_references(objects):
    return sum(sys.getrefcount(x) for x in objects)


def growth(call, calls):
    """Python objects, bytes of malloc and references to what is shared that a number of calls leave behind."""
    data = Data()
    for _ in range(50):
        call(data)
    gc.collect()
    shared = shared_objects()
    objects, nbytes, references = (
        sys.getallocatedblocks(),
        bytes_of_malloc(),
        count_references(shared),
    )
    for _ in range(calls):
        call(data)
    gc.collect()
    objects, nbytes = sys.getallocatedblocks() - objects, bytes_of_malloc() - nbytes
    return objects, nbytes, abs(count_references(shared) - references)


@pytest.mark.parametrize("name", [*GOOD, *(f"fails: {name}" for name in BAD)])
def test_nothing_is_left_behind(name, device):
    bad = name.removeprefix("fails: ")
    call = fails(BAD[bad]) if bad != name else GOOD[name]
    calls = 100 if name in SLOW else CALLS
    for _ in range(3):  # caches fill, and do not go on growing
        objects, nbytes, references = growth(call, calls)
        if max(objects, references) <= calls // 20 and nbytes <= 8 * calls:
            break
    assert objects <= calls // 20, f"{objects} objects after {calls} calls"
    assert references <= calls // 20, f"{references} references after {calls} calls"
    assert nbytes <= 8 * calls, f"{nbytes} bytes after {calls} calls"

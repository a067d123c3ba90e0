"""DLPack both ways: capsules of both versions, copies, devices, lifetimes, and exchange with NumPy without a copy."""

import gc
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

import gpuarray

DTYPES = "?bBhHiIlLefdFD"
CPU, CUDA = 1, 2


def place(device):
    return (CPU, 0) if device == "cpu" else (CUDA, int(device.partition(":")[2] or 0))


class Producer:
    """Hands out what it was given; knows the keywords that it was asked with."""

    def __init__(self, source, *, where=None, capsule=None, old=False):
        self.source, self.where, self.capsule, self.old = source, where, capsule, old
        self.asked = []

    def __dlpack__(self, **keywords):
        self.asked.append(keywords)
        if self.old and set(keywords) - {"stream"}:
            raise TypeError("__dlpack__() got an unexpected keyword argument")
        return self.source.__dlpack__(**keywords) if self.capsule is None else self.capsule

    def __dlpack_device__(self):
        return self.source.__dlpack_device__() if self.where is None else self.where


@pytest.mark.smoke
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (3,), (2, 0, 3), (2, 3, 4)])
def test_round_trip(device, dtype, shape):
    a = gpuarray.ones(shape, dtype)
    b = gpuarray.from_dlpack(a)
    assert (b.dtype, b.shape, str(b.device)) == (a.dtype, a.shape, device)
    assert gpuarray.array_equal(a, b)
    if a.size:
        assert gpuarray.shares_memory(a, b)
    assert not b.flags.owndata and b.base is not None


VIEWS = [
    lambda a: a,
    lambda a: a.T,
    lambda a: a[::-1, 1::2],
    lambda a: a[1:1],
    lambda a: a[0, 0],
    lambda a: a[None, :, None],
]


@pytest.mark.parametrize("view", VIEWS)
def test_layouts(device, view):
    a = gpuarray.arange(24.0).reshape(4, 6)
    expected = view(a)
    result = gpuarray.from_dlpack(expected)
    assert result.shape == expected.shape
    assert gpuarray.array_equal(result, expected)
    if result.size > 1:
        assert result.strides == expected.strides


def test_writes_are_seen(device):
    a = gpuarray.zeros(4)
    b = gpuarray.from_dlpack(a)
    b[1] = 5
    a[2] = 7
    assert a.tolist() == b.tolist() == [0.0, 5.0, 7.0, 0.0]


def test_place(device):
    assert gpuarray.zeros(2).__dlpack_device__() == place(device)


@pytest.mark.parametrize(
    "version, name",
    [(None, "dltensor"), ((0, 8), "dltensor"), ((1, 0), "versioned"), ((2, 7), "versioned")],
)
def test_kind_of_capsule(device, version, name):
    assert name in repr(gpuarray.zeros(2).__dlpack__(max_version=version))


def test_read_only(device):
    a = gpuarray.broadcast_to(gpuarray.zeros(3), (2, 3))
    with pytest.raises(BufferError, match="read-only"):
        a.__dlpack__()
    b = gpuarray.from_dlpack(a)
    assert not b.flags.writeable and b.strides == (0, 8)
    assert gpuarray.from_dlpack(a, copy=True).flags.writeable


def test_old_capsules_come_in_read_only(device):
    old = Producer(gpuarray.arange(3), old=True)
    a = gpuarray.from_dlpack(old)
    assert a.tolist() == [0, 1, 2] and not a.flags.writeable
    assert len(old.asked) == 2 and set(old.asked[1]) <= {"stream"}


def test_scalars_are_copied(device):
    total = gpuarray.arange(4).sum()
    b = gpuarray.from_dlpack(total)
    assert b.shape == () and b.flags.writeable and not gpuarray.shares_memory(b, total)


def test_copy(device):
    a = gpuarray.arange(3)
    assert not gpuarray.shares_memory(gpuarray.from_dlpack(a, copy=True), a)
    assert gpuarray.shares_memory(gpuarray.from_dlpack(a, copy=False), a)
    copied = Producer(a, capsule=a.__dlpack__(max_version=(1, 0), copy=True))
    assert not gpuarray.shares_memory(gpuarray.from_dlpack(copied), a)


def test_device_argument(device):
    a = gpuarray.arange(3.0)
    assert str(gpuarray.from_dlpack(a, device="cpu").device) == "cpu"
    assert gpuarray.from_dlpack(a, device="cpu").tolist() == [0.0, 1.0, 2.0]
    host = np.arange(3.0)
    assert str(gpuarray.from_dlpack(host).device) == "cpu"
    assert str(gpuarray.from_dlpack(host, device=device).device) == device
    if device != "cpu":
        for x, target in ((host, device), (a, "cpu")):
            with pytest.raises((ValueError, BufferError)):
                gpuarray.from_dlpack(x, device=target, copy=False)


def test_to_host_by_the_producer(device):
    a = gpuarray.arange(3)
    capsule = a.__dlpack__(dl_device=(CPU, 0), max_version=(1, 0))
    result = gpuarray.from_dlpack(Producer(a, where=(CPU, 0), capsule=capsule))
    assert result.tolist() == [0, 1, 2] and str(result.device) == "cpu"
    if device != "cpu":
        with pytest.raises(BufferError, match="copy"):
            a.__dlpack__(dl_device=(CPU, 0), copy=False)


@pytest.mark.parametrize(
    "keywords, error",
    [
        ({"dl_device": (10, 0)}, BufferError),
        ({"dl_device": 1}, TypeError),
        ({"max_version": 1}, TypeError),
        ({"stream": "s"}, (TypeError, RuntimeError)),
        ({"stream": 0}, (ValueError, RuntimeError)),
        ({"stream": -2}, (ValueError, RuntimeError)),
        ({"color": 1}, TypeError),
    ],
)
def test_what_is_refused(device, keywords, error):
    with pytest.raises(error):
        gpuarray.zeros(2).__dlpack__(**keywords)


def test_streams(device):
    a = gpuarray.arange(1000.0)
    stream = gpuarray.cuda.Stream()
    if device == "cpu":
        with pytest.raises(RuntimeError, match="stream"):
            a.__dlpack__(stream=1)
        return
    for number in (None, 1, 2, -1, stream.ptr):
        result = gpuarray.from_dlpack(Producer(a, capsule=a.__dlpack__(stream=number)))
        assert float(result.sum()) == 499500
    with stream:
        producer = Producer(a * 2)
        assert float(gpuarray.from_dlpack(producer).sum()) == 999000
    assert producer.asked[0]["stream"] == stream.ptr


def test_dtypes_without_a_name(device):
    with pytest.raises(BufferError, match="int64"):
        gpuarray.zeros(2, "M8[s]").__dlpack__()


def test_strides_of_half_elements(device):
    a = gpuarray.ndarray((2,), "i4", buffer=gpuarray.zeros(10, "u1"), strides=(5,))
    with pytest.raises(BufferError, match="elements"):
        a.__dlpack__()


def test_capsules_are_used_once(device):
    a = gpuarray.arange(3)
    producer = Producer(a, capsule=a.__dlpack__())
    gpuarray.from_dlpack(producer)
    with pytest.raises(ValueError, match="used"):
        gpuarray.from_dlpack(producer)


def test_unknown_producers(device):
    with pytest.raises(AttributeError, match="__dlpack"):
        gpuarray.from_dlpack(3)
    with pytest.raises(BufferError, match="type 10"):
        gpuarray.from_dlpack(Producer(gpuarray.zeros(1), where=(10, 0)))


def test_asarray_of_a_producer(device):
    source = gpuarray.arange(3)
    assert gpuarray.shares_memory(gpuarray.asarray(Producer(source)), source)
    there = gpuarray.asarray(Producer(source), dtype="f4", device="cpu")
    assert there.dtype == "f4" and str(there.device) == "cpu" and there.tolist() == [0, 1, 2]
    on_host = Producer(np.arange(3))
    assert str(gpuarray.asarray(on_host).device) == device


# ---- With NumPy ----


@pytest.mark.parametrize("dtype", DTYPES)
def test_from_numpy(dtype):
    source = np.ones((3, 4), dtype)[:, ::2]
    a = gpuarray.from_dlpack(source)
    assert a.dtype == source.dtype and a.strides == source.strides and str(a.device) == "cpu"
    assert np.asarray(a).__array_interface__["data"][0] == source.__array_interface__["data"][0]
    source[0, 1] = 0
    assert not a[0, 1]


def test_read_only_from_numpy():
    source = np.arange(3)
    source.flags.writeable = False
    assert not gpuarray.from_dlpack(source).flags.writeable


@pytest.mark.parametrize("dtype", DTYPES)
def test_to_numpy(dtype):
    a = gpuarray.ones((3, 4), dtype, device="cpu").T
    b = np.from_dlpack(a)
    assert b.dtype == a.dtype and b.strides == a.strides and b.flags.writeable
    assert np.shares_memory(b, np.asarray(a))


# ---- Lifetimes ----


def test_memory_outlives_the_array(device):
    b = gpuarray.from_dlpack(gpuarray.arange(100000))
    gc.collect()
    gpuarray.full(100000, 7)
    assert gpuarray.array_equal(b, gpuarray.arange(100000))


def test_the_layout_that_was_exported_stays(device):
    a = gpuarray.arange(6)
    capsule = a.__dlpack__()
    a.shape = (2, 3)
    del a
    assert gpuarray.from_dlpack(Producer(gpuarray.zeros(1), capsule=capsule)).shape == (6,)


def test_producer_gets_its_memory_back():
    class Watched(np.ndarray):
        pass

    source = np.arange(1000.0).view(Watched)
    reference = weakref.ref(source)
    view = gpuarray.from_dlpack(source)[10:20]
    del source
    gc.collect()
    assert reference() is not None and float(view[0]) == 10
    del view
    gc.collect()
    assert reference() is None


def test_unused_capsules_give_memory_back(device):
    before = gpuarray.cuda.memory_stats(device)
    for version in (None, (1, 0)):
        for _ in range(3):
            gpuarray.zeros(1 << 20).__dlpack__(max_version=version)
    gc.collect()
    after = gpuarray.cuda.memory_stats(device)
    assert after == {**after, **{key: before[key] for key in before if "live" in key}}


def test_deleter_in_another_thread(device):
    held = [gpuarray.from_dlpack(gpuarray.arange(10)) for _ in range(20)]
    thread = threading.Thread(target=held.clear)
    thread.start()
    thread.join()
    assert not held


def test_exports_alive_at_exit(device):
    code = (
        "import gpuarray as gp, numpy as np; a = gp.arange(9); "
        "kept = [a.__dlpack__(), gp.from_dlpack(a), gp.from_dlpack(np.arange(3))]\n"
        "kept.append(kept)\nprint('end')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")


# ---- With PyTorch and JAX on the CPU ----


def test_torch_on_the_host():
    torch = pytest.importorskip("torch")
    a = gpuarray.arange(6.0, device="cpu").reshape(2, 3)
    tensor = torch.from_dlpack(a.T)
    assert tensor.data_ptr() == np.asarray(a).__array_interface__["data"][0]
    assert tuple(tensor.shape) == (3, 2) and tensor.dtype == torch.float64
    back = gpuarray.from_dlpack(tensor)
    assert gpuarray.shares_memory(back, a) and str(back.device) == "cpu"
    assert gpuarray.shares_memory(gpuarray.asarray(tensor, device="cpu"), a)


def test_jax_on_the_host():
    jax = pytest.importorskip("jax")
    cpu = jax.devices("cpu")[0]
    with jax.default_device(cpu):
        theirs = jax.numpy.arange(6.0).reshape(2, 3)
    ours = gpuarray.from_dlpack(theirs)
    assert ours.tolist() == [[0, 1, 2], [3, 4, 5]] and not ours.flags.writeable
    back = jax.numpy.from_dlpack(gpuarray.arange(4, dtype="f4", device="cpu"))
    assert back.tolist() == [0, 1, 2, 3]

"""Arrays from and to files, buffers and iterators, straight to and from each device."""

import io
import re

import numpy as np
import pytest
from oracle import check

import gpuarray

VECTOR = np.array([3.0, 1.0, 2.0])
MATRIX = np.asfortranarray(np.arange(6, dtype="i4").reshape(2, 3))
ARRAYS = {
    "vector": VECTOR,
    "matrix": MATRIX,
    "number": np.array(2.5),
    "nothing": np.zeros((0, 3), "c8"),
    "dates": np.array(["2024-01-02", "NaT"], "M8[D]"),
    "big-endian": np.array([1, 2], ">i4"),
}


@pytest.mark.parametrize("kind", ARRAYS)
def test_one_array(device, kind, tmp_path):
    file = tmp_path / "a.npy"
    gpuarray.save(file, gpuarray.asarray(ARRAYS[kind], device=device))
    assert np.load(file).flags.f_contiguous == ARRAYS[kind].flags.f_contiguous
    for load in (gpuarray.load, lambda file: gpuarray.load(file, device=device)):
        back = load(file)
        assert str(back.device) == device
        assert back.dtype == ARRAYS[kind].dtype.newbyteorder("=")
        assert back.shape == ARRAYS[kind].shape
        np.testing.assert_array_equal(gpuarray.asnumpy(back), ARRAYS[kind])


@pytest.mark.parametrize("name", ["savez", "savez_compressed"])
def test_several_arrays(device, name, tmp_path):
    a = gpuarray.asarray(VECTOR, device=device)
    getattr(gpuarray, name)(tmp_path / "b.npz", a, device=a * 2, other=[a, a])
    with gpuarray.load(tmp_path / "b.npz") as archive:
        assert sorted(archive) == sorted(archive.files) == ["arr_0", "device", "other"]
        assert len(archive) == 3 and "other" in archive
        assert str(archive["device"].device) == device
        assert archive["device"].tolist() == [6.0, 2.0, 4.0]
        assert archive["other"].shape == (2, 3)
        assert "NpzFile" in repr(archive)
        with pytest.raises(KeyError):
            archive["absent"]


def test_objects_stay_on_the_host(device, tmp_path):
    gpuarray.save(tmp_path / "o.npy", np.array([1, None]))
    with pytest.raises(ValueError, match="pickle"):
        gpuarray.load(tmp_path / "o.npy")
    assert gpuarray.load(tmp_path / "o.npy", allow_pickle=True).dtype == object


def test_maps(device, tmp_path):
    gpuarray.save(tmp_path / "a.npy", gpuarray.asarray(MATRIX, device=device))
    mapped = gpuarray.load(tmp_path / "a.npy", mmap_mode="r")
    assert isinstance(mapped, np.memmap)
    assert str(gpuarray.load(tmp_path / "a.npy", "r", device=device).device) == device
    assert gpuarray.memmap is np.memmap
    assert gpuarray.asarray(mapped, device=device).tolist() == MATRIX.tolist()


def test_raw_bytes(device, tmp_path):
    file = tmp_path / "raw"
    gpuarray.asarray(VECTOR, device=device).tofile(file)
    read = gpuarray.fromfile(file, device=device)
    assert (str(read.device), read.tolist()) == (device, VECTOR.tolist())
    assert gpuarray.fromfile(file, "i4", count=2, offset=8).tolist() == [
        *np.fromfile(file, "i4", count=2, offset=8)
    ]
    gpuarray.asarray(VECTOR, device=device).tofile(file, sep=",")
    assert gpuarray.fromfile(file, sep=",").tolist() == VECTOR.tolist()


READERS = [
    lambda xp: xp.frombuffer(b"\x01\x02\x03\x04", "u1"),
    lambda xp: xp.frombuffer(b"\x01\x02\x03\x04", "u1", 2, 1),
    lambda xp: xp.frombuffer(b"\x01\x02\x03", "u2"),
    lambda xp: xp.frombuffer(VECTOR),
    lambda xp: xp.fromiter((i * i for i in range(5)), float),
    lambda xp: xp.fromiter(range(5), int, count=3),
    lambda xp: xp.fromiter(range(5), int, count=9),
    lambda xp: xp.fromiter([(1, 2)], np.dtype((int, 2))),
    lambda xp: xp.fromstring("1, 2, 3", sep=","),
    lambda xp: xp.fromstring("1 2", int, sep=" "),
    lambda xp: xp.loadtxt(["1 2", "3 4"]),
    lambda xp: xp.loadtxt(io.StringIO("1,2\n3,4"), int, delimiter=",", unpack=True),
    lambda xp: xp.genfromtxt(["1 2", "3 x"]),
    lambda xp: xp.genfromtxt(["1 2", "3 4"], usecols=1),
    lambda xp: xp.fromregex(io.StringIO("a1 b2"), r"[a-z](\d)", [("n", int)]).dtype.names,
]


@pytest.mark.parametrize("read", READERS, ids=range(len(READERS)))
def test_readers(device, read):
    check(read, device=device)


def test_text(device, tmp_path):
    file = tmp_path / "a.txt"
    gpuarray.savetxt(file, gpuarray.asarray(MATRIX, device=device), fmt="%d", delimiter=";")
    assert file.read_text() == "0;1;2\n3;4;5\n"
    back = gpuarray.loadtxt(file, delimiter=";", device=device)
    assert (str(back.device), back.tolist()) == (device, MATRIX.tolist())


def test_like(device):
    like = gpuarray.zeros(1, device=device)
    for made in (
        gpuarray.frombuffer(bytes(8), like=like),
        gpuarray.fromiter([1], int, like=like),
        gpuarray.fromstring("1", sep=" ", like=like),
    ):
        assert str(made.device) == device


def test_buffers_are_shared_on_the_cpu():
    memory = bytearray(8)
    shared = gpuarray.frombuffer(memory, "u1", device="cpu")
    memory[3] = 7
    assert shared[3] == 7
    assert not gpuarray.frombuffer(b"fixed", "u1", device="cpu").flags.writeable


def test_print_options(device):
    a = gpuarray.asarray(np.array([1.23456789, 1e9]), device=device)
    with gpuarray.printoptions(precision=2, suppress=True):
        assert repr(a) == repr(gpuarray.asnumpy(a))
        assert gpuarray.get_printoptions()["precision"] == 2
    before = gpuarray.get_printoptions()
    gpuarray.set_printoptions(threshold=5, edgeitems=1)
    try:
        assert re.fullmatch(r"\[0 \.\.\. 9\]", str(gpuarray.arange(10)))
    finally:
        gpuarray.set_printoptions(**before)


ITERATION = [
    lambda xp, a: list(xp.ndenumerate(a)),
    lambda xp, a: list(xp.ndindex(a.shape)),
    lambda xp, a: [int(each) for each in xp.nditer(a)],
    lambda xp, a: xp.broadcast(a, [[1], [2]]).shape,
    lambda xp, a: xp.broadcast_shapes(a.shape, (1, 3)),
    lambda xp, a: [int(each) for each in a.flat],
]


@pytest.mark.parametrize("walk", ITERATION, ids=range(len(ITERATION)))
def test_iteration(device, walk):
    check(walk, MATRIX, device=device)

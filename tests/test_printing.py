"""repr and str are NumPy's, word for word, and bring over only what they print."""

import numpy as np
import pytest

import gpuarray

ARRAYS = {
    "vector": np.arange(5),
    "floats": np.array([1.5, np.nan, -np.inf, 1e-20]),
    "float32": np.linspace(0, 1, 7, dtype="f4"),
    "matrix": np.arange(12).reshape(3, 4) * 1.25,
    "empty": np.zeros((0, 3)),
    "empty vector": np.zeros(0, "i2"),
    "number": np.array(3.25),
    "complex": np.array([1 + 2j, -3.5j]),
    "bools": np.array([[True, False]]),
    "times": np.array(["2024-01-02", "NaT"], "M8[D]"),
    "spans": np.array([5, 7], "m8[s]"),
    "long": np.arange(5000),
    "long floats": np.linspace(-1, 1, 2001),
    "long bytes": np.zeros(1500, "u1"),
    "tall": np.arange(6000.0).reshape(3000, 2),
    "wide": np.arange(6000).reshape(2, 3000),
    "deep": np.arange(20000, dtype="f4").reshape(20, 10, 100),
    "huge values at the edge": np.append(np.zeros(3000), 1e9),
    "huge values within": np.insert(np.zeros(3000), 1500, 1e9),
    "strided": np.arange(10000).reshape(100, 100)[::2, ::-1],
    "long times": np.arange(1500).astype("M8[h]"),
}
OPTIONS = [
    {},
    {"precision": 2, "suppress": True},
    {"threshold": 3, "edgeitems": 1},
    {"threshold": 0, "edgeitems": 0},
    {"linewidth": 40},
    {"formatter": {"float_kind": "<{:.1f}>".format}},
]


def on_device(array, device):
    return gpuarray.array(array, device=device)


@pytest.mark.parametrize("options", OPTIONS, ids="-".join)
@pytest.mark.parametrize("name", ARRAYS)
def test_texts(device, name, options):
    array = ARRAYS[name]
    ours = on_device(array, device)
    with np.printoptions(**options):
        assert repr(ours) == repr(np.array(array))
        assert str(ours) == str(np.array(array))


@pytest.mark.parametrize("name", ARRAYS)
def test_functions(device, name):
    array, ours = ARRAYS[name], on_device(ARRAYS[name], device)
    for xp_text in (
        lambda xp, a: xp.array_repr(a, 60, 3, True),
        lambda xp, a: xp.array_str(a, 60, 3),
        lambda xp, a: xp.array2string(
            a, separator="; ", prefix="here: ", threshold=20, edgeitems=2
        ),
        lambda xp, a: xp.array2string(a, max_line_width=30),
    ):
        assert xp_text(gpuarray, ours) == xp_text(np, array)
        assert xp_text(np, ours) == xp_text(np, array)


@pytest.mark.parametrize(
    "value", [3, 2.5, np.float32(1.1), True, 1 + 2j, np.int8(-4), np.float16(0.1)]
)
def test_scalars(device, value):
    ours, theirs = gpuarray.asarray([value], device=device)[0], np.asarray([value])[0]
    assert repr(ours) == repr(theirs)
    assert str(ours) == str(theirs)
    assert f"{ours}" == f"{theirs}"
    assert f"{ours!r:>20}" == f"{theirs!r:>20}"


def test_formats(device):
    assert f"{gpuarray.asarray([2.0], device=device).sum():.3f}" == "2.000"


def test_only_the_corners_are_copied(device, monkeypatch):
    from gpuarray import _printing

    copied = []

    def count(array):
        copied.append(array.size)
        return gpuarray.asnumpy(array)

    monkeypatch.setattr(_printing, "_peek", count)
    a = gpuarray.zeros((1000, 1000), device=device)
    repr(a)
    assert sum(copied) < 200

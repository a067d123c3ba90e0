"""transfer_guard finds the copies that nobody asked for; on the CPU device it is told to take that for a GPU."""

import pickle

import numpy as np
import pytest

import gpuarray
from gpuarray import PerformanceWarning, transfer_guard

HIDDEN_READS = {
    "numpy.asarray": lambda xp, x: np.asarray(x),
    "numpy.array": lambda xp, x: np.array(x),
    "data": lambda xp, x: x.data,
    "fall-back": lambda xp, x: np.busday_count(x.astype("M8[D]"), np.datetime64("2024-01-01")),
    "months to days": lambda xp, x: x.astype("M8[M]").astype("M8[D]"),
}

HIDDEN_SENDS = {
    "operator": lambda xp, x: x + np.ones(4),
    "reflected": lambda xp, x: np.ones(4) - x,
    "list": lambda xp, x: xp.add([1, 2, 3, 4], x),
    "assignment": lambda xp, x: x.__setitem__(slice(None), np.ones(4)),
    "indices": lambda xp, x: x[[0, 1]],
    "function": lambda xp, x: xp.where(x > 1, x, np.zeros(4)),
    "concatenate": lambda xp, x: xp.concatenate([x, np.zeros(2)]),
}

ASKED_FOR = {
    "asarray": lambda xp, x: xp.asarray(np.ones(3)),
    "array": lambda xp, x: xp.array([1, 2, 3]),
    "asnumpy": lambda xp, x: xp.asnumpy(x),
    "get": lambda xp, x: x.get(),
    "set": lambda xp, x: x.set(np.ones(4)),
    "to_device": lambda xp, x: x.to_device("cpu"),
    "item": lambda xp, x: x[0].item(),
    "float": lambda xp, x: float(x.sum()),
    "tolist": lambda xp, x: x.tolist(),
    "bytes": lambda xp, x: x.tobytes(),
    "repr": lambda xp, x: repr(x),
    "pickle": lambda xp, x: pickle.loads(pickle.dumps(x)),
    "numbers": lambda xp, x: x + 1 + np.float64(2),
    "store a number": lambda xp, x: x.__setitem__(0, 5),
    "loader": lambda xp, x: xp.frombuffer(b"abcd", "u1"),
    "from_dlpack": lambda xp, x: xp.from_dlpack(x),
    "product": lambda xp, x: x @ x,
    "overlap": lambda xp, x: xp.may_share_memory(x, x),
    "many": lambda xp, x: xp.sort(xp.stack([x, x * 2])).mean(axis=0).cumsum(),
}


@pytest.fixture
def x(device):
    return gpuarray.arange(4.0)


@pytest.fixture
def silent():
    before = gpuarray.set_fallback("silent")
    yield
    gpuarray.set_fallback(before)


@pytest.mark.parametrize("name", HIDDEN_READS)
def test_hidden_reads(x, silent, name):
    with transfer_guard(cpu=True) as guard:
        HIDDEN_READS[name](gpuarray, x)
    assert guard.to_host.copies >= 1 and guard.to_host.nbytes >= 32
    with transfer_guard("error", cpu=True), pytest.raises(PerformanceWarning, match="hidden copy"):
        HIDDEN_READS[name](gpuarray, x)


@pytest.mark.parametrize("name", HIDDEN_SENDS)
def test_hidden_sends(x, name):
    with transfer_guard(cpu=True) as guard:
        HIDDEN_SENDS[name](gpuarray, x)
    assert guard.to_device.copies == 1 and guard.to_device.nbytes >= 16
    assert guard.to_host == (0, 0)
    with transfer_guard("error", cpu=True), pytest.raises(PerformanceWarning, match="hidden copy"):
        HIDDEN_SENDS[name](gpuarray, x)


@pytest.mark.parametrize("name", ASKED_FOR)
def test_asked_for(x, silent, name):
    with transfer_guard("error", cpu=True) as guard:
        ASKED_FOR[name](gpuarray, x)
    assert (guard.to_host, guard.to_device) == ((0, 0), (0, 0))


def test_warnings(x):
    with transfer_guard("warn", cpu=True), pytest.warns(PerformanceWarning, match="32 bytes"):
        assert np.asarray(x).tolist() == [0.0, 1.0, 2.0, 3.0]
    with transfer_guard("warn", cpu=True), pytest.warns(PerformanceWarning, match="from the host"):
        x + np.ones(4)


def test_nothing_happens_before_an_error(x):
    with transfer_guard("error", cpu=True):
        with pytest.raises(PerformanceWarning):
            x[:] = np.ones(4)
    assert x.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_cpu_device_is_free_by_default():
    a = gpuarray.arange(4.0, device="cpu")
    with transfer_guard("error") as guard:
        assert (np.asarray(a) + a).tolist() == [0.0, 2.0, 4.0, 6.0]
    assert guard.to_host == (0, 0)


def test_gpus_are_not_free(device):
    if device == "cpu":
        pytest.skip("needs a GPU")
    with transfer_guard("error"), pytest.raises(PerformanceWarning, match="cuda"):
        np.asarray(gpuarray.arange(4.0))


def test_as_a_function(x):
    guard = transfer_guard("error", cpu=True)
    try:
        with pytest.raises(PerformanceWarning):
            np.asarray(x)
        with transfer_guard("allow"):
            np.asarray(x)
        with pytest.raises(PerformanceWarning):
            np.asarray(x)
    finally:
        transfer_guard("allow")
    assert "to the host" in repr(guard)
    np.asarray(x)


def test_unknown_mode():
    with pytest.raises(ValueError, match="allow, warn, error"):
        transfer_guard("perhaps")

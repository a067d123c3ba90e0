"""Devices, streams, events and memory."""

import copy
import pickle
import threading

import numpy
import pytest

import gpuarray
from gpuarray import Device, Event, Stream


def test_devices_are_listed():
    found = gpuarray.devices()
    assert found[0] == "cpu" and all(isinstance(device, Device) for device in found)


def test_device_equals_its_name(device):
    handle = Device(device)
    assert handle == device and handle == Device(device) and not handle != device
    assert handle != "nowhere" and handle != 3
    assert hash(handle) == hash(device) and {device: 1}[handle] == 1
    assert str(handle) == handle.name == device
    assert repr(handle) == f"Device('{device}')"
    assert handle.type in ("cpu", "cuda") and handle.index == handle.id == 0
    assert gpuarray.zeros(2).device == handle
    assert Device() == device


def test_device_copies(device):
    handle = Device(device)
    assert pickle.loads(pickle.dumps(handle)) == handle
    assert copy.deepcopy(handle) == handle and Device(handle) == handle


def test_wrong_devices():
    with pytest.raises(ValueError, match="nowhere"):
        Device("nowhere")
    with pytest.raises((ValueError, RuntimeError)):
        Device("cuda:63")
    with pytest.raises((ValueError, RuntimeError)):
        Device(63)
    with pytest.raises(TypeError, match="device"):
        gpuarray.zeros(2, device=1.5)


def test_default_device(device):
    assert gpuarray.default_device() == device
    with Device("cpu") as inside:
        assert inside == "cpu" and gpuarray.default_device() == "cpu"
        with Device(device):
            assert gpuarray.zeros(1).device == device
        assert gpuarray.zeros(1).device == "cpu"
    assert gpuarray.default_device() == device
    with pytest.raises(RuntimeError):
        Device(device).__exit__()


def test_default_device_after_an_error(device):
    with pytest.raises(KeyError), Device("cpu"):
        raise KeyError
    assert gpuarray.default_device() == device


def test_device_facts(device):
    facts = gpuarray._core.device_info(device)
    assert facts["name"] and facts["total_memory"] >= facts["free_memory"] > 0
    free, total = Device(device).memory_info()
    assert 0 < free <= total == facts["total_memory"]
    gpuarray.synchronize()
    gpuarray.synchronize(device)
    Device(device).synchronize()


def test_memory_statistics(device):
    before = gpuarray.memory_stats(device)
    a = gpuarray.zeros(1 << 16)
    during = gpuarray.memory_stats(device)
    assert during["live_bytes"] >= before["live_bytes"] + a.nbytes
    assert during["peak_bytes"] >= during["live_bytes"]
    del a
    after = gpuarray.memory_stats(device)
    assert after["live_bytes"] == before["live_bytes"]
    gpuarray.free_memory(device)
    assert gpuarray.memory_stats()["cached_bytes"] == 0


def test_memory_is_used_again(device):
    before = gpuarray.memory_stats(device)["hits"]
    for _ in range(5):
        gpuarray.zeros(1000)
    assert gpuarray.memory_stats(device)["hits"] > before


def test_backends_explain_themselves():
    assert gpuarray._core.backend_reason("cpu") is None
    assert gpuarray._core.backend_build("cpu")
    why = gpuarray._core.backend_reason("cuda")
    assert why is None or isinstance(why, str) and why
    assert all(len(entry) == 2 for entry in gpuarray._core.libraries("cpu"))


# ---- Streams ----


def test_work_on_a_stream(device):
    stream = Stream()
    assert stream.device == device
    a = gpuarray.arange(1000.0)
    with stream:
        b = a + 1
        c = gpuarray.asarray(b, dtype="f4")
    stream.synchronize()
    assert stream.query()
    assert numpy.array_equal((c + b).get(), 2 * (numpy.arange(1000.0) + 1))
    assert isinstance(stream.ptr, int) and device in repr(stream)


def test_streams_nest(device):
    first, second = Stream(device), Stream(device=device, non_blocking=False)
    a = gpuarray.zeros(100)
    for _ in range(3):
        with first:
            a += 1
            with second:
                a *= 2
                with first:
                    a += 1
            a += 1
    expected = 0
    for _ in range(3):
        expected = (expected + 1) * 2 + 2
    assert a.tolist() == [expected] * 100


def test_a_stream_may_die_before_its_arrays(device):
    with Stream():
        a = gpuarray.ones(5000)
    b = a + 1
    with Stream():
        b += 1
    assert b.tolist() == [3.0] * 5000
    del a, b
    assert gpuarray.ones(5000).tolist() == [1.0] * 5000


def test_exit_without_enter(device):
    with pytest.raises(RuntimeError):
        Stream().__exit__(None, None, None)


def test_one_stream_in_two_threads(device):
    stream, results = Stream(), []

    def work(number):
        gpuarray.set_default_device(device)
        for _ in range(50):
            with stream:
                results.append((gpuarray.full(10, number) + 1).tolist() == [number + 1] * 10)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 200 and all(results)


def test_foreign_stream(device):
    owner = Stream()
    stream = Stream.from_handle(owner.ptr, device)
    with stream:
        a = gpuarray.ones(10) * 2
    del stream
    assert a.tolist() == [2.0] * 10
    with pytest.raises(TypeError):
        Stream.from_handle("a")


def test_events(device):
    stream, start, end = Stream(), Event(), Event(timing=True)
    assert start.query()
    start.synchronize()
    with pytest.raises(ValueError, match="timing"):
        start.elapsed_time(end)
    start.record(stream)
    with stream:
        gpuarray.ones(1 << 16) * 2
    assert stream.record(end) is end
    end.synchronize()
    assert end.query() and start.elapsed_time(end) >= 0
    other = Stream()
    other.wait_event(end)
    other.wait_event(Event())
    assert isinstance(other.record(), Event)
    with pytest.raises(TypeError, match="Event"):
        other.wait_event(3)
    with pytest.raises(TypeError, match="Stream"):
        end.record(3)
    with pytest.raises(ValueError, match="timing"):
        Event(timing=False).elapsed_time(end)


def test_get_and_set_on_a_stream(device):
    stream = Stream()
    a = gpuarray.arange(5)
    assert a.get(stream=stream).tolist() == [0, 1, 2, 3, 4]
    a.set(numpy.ones(5, "i8"), stream=stream)
    assert a.tolist() == [1] * 5
    with pytest.raises(TypeError, match="Stream"):
        a.get(stream=3)


def test_docstrings():
    for thing in (
        Device,
        Stream,
        Event,
        gpuarray.devices,
        gpuarray.memory_stats,
        gpuarray.synchronize,
    ):
        assert thing.__doc__ and thing.__text_signature__

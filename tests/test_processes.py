"""Child processes: forked with work and threads under way, started anew, fed with arrays through pickle."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import gpuarray

SECONDS = 120


def child_status(child, work):
    """Exit status of a fork: 0 if work() returned, 1 if it raised; minus the signal, also that of the time limit."""
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            signal.alarm(SECONDS)
            work(child)
            status = 0
        except BaseException as error:
            os.write(2, f"in the child: {error!r}\n".encode())
        os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def use_cpu(size):
    """Enough work for several threads, and each kind of call."""
    with gpuarray.Device("cpu"):
        x = gpuarray.arange(size, dtype="f8")
        assert float((x + x).sum()) == size * (size - 1.0)
        assert int(x.argmax()) == size - 1
        assert x[x > 5].size == size - 6
        assert gpuarray.sort(x[::-1])[:3].tolist() == [0, 1, 2]
        assert gpuarray.cumsum(x)[-1] == size * (size - 1.0) / 2
        assert gpuarray.sin(x).shape == (size,)  # through the thread pool
        m = x[:10000].reshape(100, 100)
        np.testing.assert_allclose(gpuarray.asnumpy(m @ m.T), m.get() @ m.get().T)


@pytest.mark.parametrize("threads", ["1", "2", "7"])
def test_cpu_device_after_fork(threads):
    """The pool of threads is not in the child: it gets one of its own, and a child of the child too."""
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from test_processes import child_status, use_cpu\n"
        "use_cpu(10**6)\n"
        "def twice(size):\n"
        "    use_cpu(size)\n"
        "    assert child_status(size, use_cpu) == 0\n"
        "assert [child_status(10**6, twice) for _ in range(3)] == [0] * 3\n"
        "use_cpu(10**6)\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program, os.path.dirname(__file__)],
        env={**os.environ, "GPUARRAY_CPU_THREADS": threads, "GPUARRAY_DEVICE": "cpu"},
        capture_output=True,
        text=True,
        timeout=2 * SECONDS,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_fork_while_threads_work():
    """Whatever the other threads hold at that moment, the child neither waits for it nor misses it."""
    stop = threading.Event()

    def work():
        x = gpuarray.arange(300_000, dtype="f8", device="cpu")
        while not stop.is_set():
            (x * 2 + x[::-1]).sum().item()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(10):
            assert child_status(200_000, use_cpu) == 0
            time.sleep(0.01)
    finally:
        stop.set()
        for thread in threads:
            thread.join(SECONDS)


def refuse_cuda(array):
    """In a child of a process that used CUDA: each call fails with one sentence, and the CPU device works."""
    calls = [
        lambda: gpuarray.zeros(3, device="cuda"),
        lambda: gpuarray.asarray([1, 2, 3]),
        lambda: array + 1,
        lambda: array.sum(),
        lambda: array.get(),
        lambda: array.item(0),
        lambda: array.__setitem__(0, 1),
        lambda: array.to_device("cpu"),
        lambda: gpuarray.synchronize("cuda"),
        lambda: gpuarray.cuda.Stream(),
        lambda: gpuarray.memory_info("cuda"),
    ]
    for call in calls:
        with pytest.raises(RuntimeError, match="CUDA was started before fork.*spawn"):
            call()
    assert array.shape == (1000,) and array.dtype == "f8"
    use_cpu(10**6)


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_cuda_after_fork(device):
    if device == "cpu":
        pytest.skip("of CUDA only")
    array = gpuarray.arange(1000.0)
    (array + 1).sum()
    assert child_status(array, refuse_cuda) == 0
    assert float(array.sum()) == 499500


def test_exit_of_a_forked_child(device):
    """A child that ends in the usual way, with the parent's arrays, says nothing."""
    program = (
        "import os, sys, gpuarray as gp\n"
        "gp.set_default_device(sys.argv[1])\n"
        "a = gp.arange(100000.0) * 2\n"
        "b = a[gp.arange(5)]\n"
        "kept, stream = [a[::2], a.sum()], gp.cuda.Stream()\n"
        "pid = os.fork()\n"
        "if pid:\n"
        "    assert os.waitpid(pid, 0)[1] == 0\n"
        "    assert float(a[1]) == 2\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program, str(device)],
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert (done.returncode, done.stderr) == (0, "")


def double(array):
    """Run in a worker: what comes in is an array on its device, and goes back as one."""
    assert isinstance(array, gpuarray.ndarray)
    return array * 2, str(array.device)


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_arrays_through_pools(method, device):
    """Pickled there and back; a fork is for the CPU device."""
    if method != "spawn" and device != "cpu":
        pytest.skip("CUDA and fork do not go together, and a fork server is like a new process")
    arrays = [
        gpuarray.arange(100_000),
        gpuarray.ones((3, 4), "f4").T,
        gpuarray.zeros((0, 2)),
        gpuarray.arange(10)[::-2],
        gpuarray.array(np.arange(3).astype("m8[s]")),
    ]
    expected = [gpuarray.asnumpy(a) * 2 for a in arrays]
    with multiprocessing.get_context(method).Pool(2) as pool:
        results = pool.map_async(double, arrays).get(SECONDS)
    for (result, where), theirs in zip(results, expected, strict=True):
        assert where == device and result.device == device and result.dtype == theirs.dtype
        np.testing.assert_array_equal(gpuarray.asnumpy(result), theirs)


def send_sum(connection):
    array = connection.recv()
    connection.send(array + gpuarray.asarray(array.sum()))


def test_arrays_through_pipes(device):
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    child = multiprocessing.get_context("spawn").Process(target=send_sum, args=(theirs,))
    child.start()
    ours.send(gpuarray.arange(5))
    assert ours.poll(SECONDS)
    result = ours.recv()
    child.join(SECONDS)
    assert child.exitcode == 0 and result.device == device
    assert result.tolist() == [10, 11, 12, 13, 14]

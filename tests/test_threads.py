"""Python threads: many on one stream and on several, with errors, and none kept waiting for another's work."""

import queue
import sys
import threading
import time

import numpy as np
import pytest

import gpuarray
from gpuarray.cuda import Stream

THREADS = 8
SECONDS = 200


def run_together(work, count=THREADS):
    """work(number) in threads that start at once; what they raise is raised here, and none may hang."""
    failures, start = [], threading.Barrier(count)

    def run(number):
        try:
            start.wait(SECONDS)
            work(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(i,), daemon=True) for i in range(count)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + SECONDS
    for thread in threads:
        thread.join(max(0, deadline - time.monotonic()))
    assert not any(thread.is_alive() for thread in threads), "a thread hangs"
    if failures:
        raise failures[0]


def use_everything(seed, rounds=30):
    """Allocation, operations, transfers, printing and errors, with values that only this thread has."""
    rng = np.random.default_rng(seed)
    for _ in range(rounds):
        a = rng.random(rng.integers(1, 2000))
        x = gpuarray.array(a)
        np.testing.assert_array_equal(gpuarray.asnumpy(x * 2 + x[::-1]), a * 2 + a[::-1])
        np.testing.assert_allclose(float(x.sum()), a.sum())
        assert int(x.argmax()) == a.argmax()
        np.testing.assert_array_equal(gpuarray.asnumpy(gpuarray.sort(x)), np.sort(a))
        assert repr(gpuarray.full(2, seed)) == f"array([{seed}, {seed}])"
        with pytest.raises(IndexError, match=f"index {len(a) + seed} "):
            x[len(a) + seed]
        with pytest.raises(ValueError, match=rf"\({len(a)},\)"):
            x + gpuarray.ones(len(a) + 1)
        with pytest.raises(MemoryError, match=f"asked for {(10**14 + seed) * 8} bytes"):
            gpuarray.empty(10**14 + seed)
        x[::2] = 1
        assert float(gpuarray.concatenate([x, x])[0]) == 1
        m = rng.random((20, 20))
        np.testing.assert_allclose(gpuarray.asnumpy(gpuarray.asarray(m) @ m.T), m @ m.T)
        large = gpuarray.full(100_000, seed, "i8")
        assert int((large + large).sum()) == 200_000 * seed


@pytest.mark.parametrize("streams", ["default", "one", "several"])
def test_everything_at_once(streams, device):
    shared = Stream()

    def work(number):
        if streams == "default":
            use_everything(number)
            return
        with shared if streams == "one" else Stream():
            use_everything(number)

    run_together(work)
    gpuarray.synchronize()


def test_one_array_read_by_all(device):
    a = gpuarray.arange(200_000)
    total = int(a.sum())

    def work(number):
        with Stream():
            for _ in range(30):
                assert int(a.sum()) == total
                assert int((a + number)[5]) == 5 + number
                assert a[number:][:3].tolist() == [number, number + 1, number + 2]

    run_together(work)


@pytest.mark.parametrize("size", [10, 100_000])
def test_arrays_passed_between_streams(size, device):
    """Each thread adds one on a stream of its own and hands the array on; none sees an old value."""
    rounds, inboxes = 20, [queue.Queue() for _ in range(THREADS)]
    for inbox in inboxes[:4]:
        inbox.put(gpuarray.zeros(size))
    done = queue.Queue()

    def work(number):
        with Stream():
            for _ in range(rounds * 4 // THREADS):
                a = inboxes[number].get(timeout=SECONDS)
                before = float(a[-1])
                a += 1
                b = a * 1
                assert float(b[0]) == before + 1
                inboxes[(number + 4) % THREADS].put(b)
        done.put(number)

    run_together(work)
    assert done.qsize() == THREADS
    rest = [float(x.get().min()) for inbox in inboxes for x in list(inbox.queue)]
    assert sum(rest) == rounds * 4 and len(rest) == 4


def test_memory_is_found_in_many_threads(device):
    """Out of memory in all of them at once: collections and retries do not stand in one another's way."""
    gpuarray.free_memory()
    gpuarray.set_memory_limit(gpuarray.memory_stats()["live_bytes"] + (64 << 20))
    served = []

    def work(number):
        for i in range(15):
            try:
                a = gpuarray.full((4 << 20) + 512 * number * i, number, "u1")
                assert int(a[-1]) == number
                b = a + a
                assert int(b[0]) == 2 * number
                served.append(number)
            except MemoryError:
                time.sleep(0.001)

    try:
        run_together(work)
    finally:
        gpuarray.set_memory_limit(None)
    assert served


LONG = {
    "ufunc": lambda x: gpuarray.sin(x),
    "cast": lambda x: x.astype("f2"),
    "copy": lambda x: x[::-1].copy(),
    "linear copy": lambda x: x.copy(),
    "reduction": lambda x: x.sum(),
    "variance": lambda x: x.std(),
    "argmax": lambda x: x.argmax(),
    "scan": lambda x: x.cumsum(),
    "sort": lambda x: gpuarray.sort(x),
    "search": lambda x: gpuarray.searchsorted(x, x),
    "selection": lambda x: x[x > 3],
    "product": lambda x: x.view("i8").reshape(-1, 512) @ gpuarray.ones((512, 64), "i8"),
    "to the host": lambda x: x.get(),
}  # fmt: skip


class Counter(threading.Thread):
    """Counts its turns, which it has only when another thread lets go of the interpreter of its own accord."""

    def __init__(self):
        super().__init__(daemon=True)
        self.turns, self.stopped = 0, False

    def run(self):
        while not self.stopped:
            self.turns += 1
            time.sleep(0)


def lets_others_run(call, attempts=200):
    """Whether other threads have turns during a call. The interpreter takes no turn away from a thread here."""
    interval, counter = sys.getswitchinterval(), Counter()
    sys.setswitchinterval(1000)
    counter.start()
    try:
        for _ in range(attempts):
            before = counter.turns
            call()
            if counter.turns > before:
                return True
        return False
    finally:
        counter.stopped = True
        sys.setswitchinterval(interval)
        counter.join()


def test_python_code_lets_nobody_run():
    """What the tests below rest on."""
    assert not lets_others_run(lambda: sum(range(100_000)), attempts=20)


@pytest.mark.parametrize("name", LONG)
def test_python_runs_on_during_long_work(name):
    with gpuarray.Device("cpu"):
        x = gpuarray.arange(1 << 20, dtype="f8")
        assert lets_others_run(lambda: LONG[name](x))


WAITS = {
    "synchronize": lambda stream, m: gpuarray.synchronize(),
    "stream": lambda stream, m: stream.synchronize(),
    "item": lambda stream, m: m[0, 0].item(),
    "get": lambda stream, m: m[:5].get(),
    "selection": lambda stream, m: m[m > 0],
}


@pytest.mark.parametrize("name", WAITS)
def test_python_runs_on_during_waits(name, device):
    if device == "cpu":
        pytest.skip("the CPU device has finished when a call returns")
    m, stream = gpuarray.ones((1024, 1024)), Stream()

    def work_and_wait():
        with stream:
            product = m @ m
            for _ in range(20):
                product = product @ m * 1e-3
            WAITS[name](stream, product)

    assert lets_others_run(work_and_wait)

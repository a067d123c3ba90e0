"""Copies of every size between host and device: single elements, blocks around the borders of the ways they take."""

import threading

import numpy as np
import pytest

import gpuarray

MEGABYTE = 1 << 20
SIZES = [
    1,
    15,
    16,
    17,
    4096,
    65536,
    65537,
    4 * MEGABYTE - 1,
    4 * MEGABYTE,
    9 * MEGABYTE + 3,
    70 * MEGABYTE,
]


def make_bytes(size, seed=0):
    return np.random.default_rng(seed).integers(0, 256, size, dtype="u1")


@pytest.mark.parametrize("offset", [0, 1, 4096])
@pytest.mark.parametrize("size", SIZES)
def test_there_and_back(device, size, offset):
    host = make_bytes(size + offset)[offset:]
    there = gpuarray.asarray(host, device=device)
    host_before = host.copy()
    if device != "cpu":  # the copy is done with the host's memory
        host[...] = 0
    assert np.array_equal(gpuarray.asnumpy(there), host_before)
    assert np.array_equal((there ^ 255).get(), host_before ^ 255)


def test_transfers_keep_order_with_kernels(device):
    """Work before and after on the same stream sees what it should."""
    host = np.ones(5 * MEGABYTE, "f4")
    a = gpuarray.zeros(host.shape, "f4", device=device)
    for i in range(5):
        a += gpuarray.array(host * i, device=device)
        assert np.all(gpuarray.asnumpy(a) == sum(range(i + 1)))


def test_many_threads_at_once(device):
    failures = []

    def work(seed):
        host = make_bytes(11 * MEGABYTE + seed, seed)
        for _ in range(3):
            there = gpuarray.array(host, device=device)
            if not np.array_equal(gpuarray.asnumpy(there), host) or int(there[seed]) != host[seed]:
                failures.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert failures == []


@pytest.mark.smoke
@pytest.mark.parametrize("dtype", "?bBhHiIlLefdFD")
def test_single_elements(device, dtype):
    host = (np.arange(300) % 2 == 0) if dtype == "?" else (np.arange(300) - 100).astype(dtype)
    a = gpuarray.array(host, device=device)
    for i in range(300):
        assert a[i].item() == host[i].item()
    assert a[::-1][3].item() == host[-4].item()


def test_elements_out_of_place(device):
    raw = make_bytes(33)
    a = gpuarray.array(raw, device=device)[1:].view("i8")
    assert [a[i].item() for i in range(4)] == raw[1:].view("i8").tolist()


def test_element_behind_long_work(device):
    a = gpuarray.ones(1 << 22, "f4", device=device)
    for _ in range(200):
        a = a * 1.0 + 0.0
    assert float(a.sum()) == 1 << 22
    assert int(a.argmax()) == 0


def test_bad_index_is_raised_by_reading_one_element(device):
    a = gpuarray.arange(10, device=device)
    index = gpuarray.array([3, 99], device=device)
    with pytest.raises(IndexError):
        float(a[index].sum())
    assert int(a[3]) == 3

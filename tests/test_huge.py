"""Arrays of 2**31 + 1 elements, of one byte each: nowhere may a size or an offset be held in 32 bits.

They run with GPUARRAY_TEST_HUGE=1, one after the other, on a card of 16 GB or more that nobody else uses. NumPy would
take minutes: the right values follow from how the arrays are made.
"""

import gc

import numpy as np
import pytest

import gpuarray

N = 2**31 + 1  # 3 * 715827883
ROW = N // 3

pytestmark = pytest.mark.huge


@pytest.fixture(autouse=True)
def clean(device):
    yield
    gc.collect()
    gpuarray.free_memory(device)


@pytest.fixture
def marked(device):
    """Zeros with a 7 first, a 5 in the middle and a 9 last."""
    a = gpuarray.zeros(N, "i1")
    a[0], a[N // 2], a[-1] = 7, 5, 9
    return a


def ends(a):
    """First, middle and last element."""
    return [int(a[0]), int(a[a.size // 2]), int(a[-1])]


@pytest.mark.parametrize("dtype", ["i1", "?"])
def test_creation(dtype, device):
    a = gpuarray.ones(N, dtype)
    assert a.nbytes == N and ends(a) == [1, 1, 1]
    assert ends(gpuarray.full(N, 3, "u1")) == [3, 3, 3]


def test_arange_and_eye(device):
    assert ends(gpuarray.arange(N, dtype="i1")) == [0, (N // 2 + 128) % 256 - 128, 0]
    wide = gpuarray.eye(2, N, k=N - 1, dtype="i1")
    assert int(wide[0, -1]) == 1 and int(wide.max(axis=1)[1]) == 0


def test_elementwise(marked):
    assert ends(marked + 1) == [8, 6, 10]
    assert ends(marked * marked) == [49, 25, 81]
    assert ends(marked > 5) == [True, False, True]
    assert ends(-marked[::-1]) == [-9, -5, -7]
    marked += marked
    assert ends(marked) == [14, 10, 18]


def test_broadcast(marked):
    rows = marked.reshape(3, ROW)
    out = rows + gpuarray.asarray([[1], [2], [3]], dtype="i1")
    assert (int(out[0, 0]), int(out[2, -1]), int(out[1, 5])) == (8, 12, 2)
    seen = gpuarray.broadcast_to(gpuarray.ones(1, "i1"), (N,))
    assert int(seen.sum()) == N


def test_where(marked):
    assert ends(gpuarray.where(marked > 6, marked, gpuarray.int8(1))) == [7, 1, 9]
    out = gpuarray.zeros(N, "i1")
    gpuarray.add(marked, 1, out=out, where=marked > 6)
    assert ends(out) == [8, 0, 10] and int(out.sum()) == 18


def test_casts_and_copies(marked):
    assert ends(marked.copy()) == [7, 5, 9]
    assert ends(marked.astype("f2")) == [7, 5, 9]
    assert ends(marked[::-1].copy()) == [9, 5, 7]
    turned = marked.reshape(3, ROW).T.copy()
    assert (int(turned[0, 0]), int(turned[-1, 2]), int(turned[ROW // 2, 1])) == (7, 9, 5)
    assert int(turned.sum()) == 21
    assert ends(marked.view("?")) == [True, True, True]


def test_strided_views(marked):
    assert marked[::2].size == N // 2 + 1 and int(marked[::2].sum()) == 21
    assert marked[N - 1 :].tolist() == [9]
    assert int((marked[1::2] + 1).sum()) == N // 2
    assert marked[-3:].get().tolist() == [0, 0, 9]


def test_reductions(marked):
    assert int(marked.sum()) == 21 and int(marked.max()) == 9 and int(marked.min()) == 0
    assert int(gpuarray.count_nonzero(marked)) == 3
    assert bool(marked.any()) and not bool(marked.all())
    np.testing.assert_allclose(float(marked.mean()), 21 / N, rtol=1e-12)
    np.testing.assert_allclose(float(marked.var()), 155 / N - (21 / N) ** 2, rtol=1e-9)
    assert int(gpuarray.ones(N, "?").sum()) == N


def test_reductions_along_axes(marked):
    rows = marked.reshape(3, ROW)
    assert rows.sum(axis=1).tolist() == [7, 5, 9]
    assert ends(rows.max(axis=0)) == [7, 5, 9]
    assert ends(rows.T.max(axis=1)) == [7, 5, 9]
    assert rows.argmax(axis=1).tolist() == [0, ROW // 2, ROW - 1]
    assert marked.reshape(1, N).sum(axis=1).tolist() == [21]
    assert ends(marked.reshape(1, N).max(axis=0)) == [7, 5, 9]


def test_argmax(marked):
    assert int(marked.argmax()) == N - 1
    marked[-2] = -1
    assert int(marked.argmin()) == N - 2


def test_scans(device):
    a = gpuarray.ones(N, "i1")
    total = gpuarray.cumsum(a, dtype="i1")
    assert ends(total) == [1, (N // 2 + 1 + 128) % 256 - 128, 1]
    a[-1] = 2
    assert ends(gpuarray.maximum.accumulate(a)) == [1, 1, 2]
    assert gpuarray.add.reduceat(a, [0, 5, N - 1], dtype="i8").tolist() == [5, N - 6, 2]


def test_sort(marked):
    assert gpuarray.sort(marked)[-3:].tolist() == [5, 7, 9]
    marked[N // 3] = -4
    assert ends(gpuarray.sort(marked)) == [-4, 0, 9]


def test_partition(marked):
    assert sorted(gpuarray.partition(marked, N - 3)[-3:].tolist()) == [5, 7, 9]
    assert int(gpuarray.median(marked)) == 0
    values, indices = gpuarray.top_k(marked, 3)
    assert values.tolist() == [9, 7, 5] and indices.tolist() == [N - 1, 0, N // 2]


def test_search(device):
    a = gpuarray.ones(N, "i1")
    a[:7] = 0
    a[-1] = 3
    assert gpuarray.searchsorted(a, gpuarray.asarray([0, 1, 2, 3, 4], dtype="i1")).tolist() == [
        0,
        7,
        N - 1,
        N - 1,
        N,
    ]


def test_selection(marked):
    assert gpuarray.flatnonzero(marked).tolist() == [0, N // 2, N - 1]
    rows = gpuarray.argwhere(marked.reshape(3, ROW))
    assert rows.tolist() == [[0, 0], [1, ROW // 2], [2, ROW - 1]]
    assert marked[marked > 0].tolist() == [7, 5, 9]
    assert gpuarray.compress(marked > 5, marked).tolist() == [7, 9]


def test_index_arrays(marked):
    index = gpuarray.asarray([0, N // 2, N - 1, -1, N - 2, -N])
    assert marked[index].tolist() == [7, 5, 9, 9, 0, 7]
    assert marked.take(index).tolist() == [7, 5, 9, 9, 0, 7]
    marked[index[:3]] = gpuarray.asarray([1, 2, 3], dtype="i1")
    assert ends(marked) == [1, 2, 3]
    gpuarray.add.at(marked, index[2:4], 1)
    assert int(marked[-1]) == 5
    rows = marked.reshape(3, ROW)
    assert rows[[2, 0], [ROW - 1, 0]].tolist() == [5, 1]
    assert rows[gpuarray.asarray([2])].shape == (1, ROW)
    with pytest.raises(IndexError):
        marked[[N]]


def test_assignment(marked):
    marked[N - 2 :] = gpuarray.asarray([4, 6], dtype="i1")
    assert marked[-3:].tolist() == [0, 4, 6]
    marked[marked == 4] = 8
    assert int(marked[-2]) == 8
    marked[::-2] = 1
    assert int(marked.sum()) == N // 2 + 1 + 8


def test_joining(device):
    half = gpuarray.ones(N // 2, "i1")
    joined = gpuarray.concatenate([half, half * 2, half[:1] * 3])
    assert joined.size == N and ends(joined) == [1, 2, 3]
    assert ends(gpuarray.repeat(half[:3], ROW)) == [1, 1, 1]
    assert ends(gpuarray.roll(joined, 1)) == [3, 1, 2]
    assert gpuarray.stack([joined, joined]).shape == (2, N)


def test_products(device):
    """Rows beyond what a 32-bit argument of BLAS holds, and inner dimensions too."""
    column = gpuarray.ones((N, 1), "i1")
    column[-1] = 3
    assert ends((column @ gpuarray.asarray([[2]], dtype="i1")).ravel()) == [2, 2, 6]
    assert int((column.T.astype("i1") @ column)[0, 0]) == (N - 1 + 9 + 128) % 256 - 128
    half = column.astype("f2")
    assert ends((half @ gpuarray.full((1, 1), 2, "f2")).ravel()) == [2, 2, 6]


def test_to_the_host_and_back(marked):
    host = marked.get()
    assert host.nbytes == N and (host[0], host[N // 2], host[-1]) == (7, 5, 9)
    host[-1] = 4
    assert ends(gpuarray.array(host)) == [7, 5, 4]


def test_text(marked):
    assert repr(marked) == f"array([7, 0, 0, ..., 0, 0, 9], shape=({N},), dtype=int8)"

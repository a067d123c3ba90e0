"""Selection: partition, argpartition, top_k and medians of rows long enough that a GPU selects in parts of them.

Rows up to 512 elements are sorted on a GPU, longer ones a block's work, those from 32768 on are walked over in parts.
"""

import numpy as np
import pytest
from oracle import check

import gpuarray

RNG = np.random.default_rng(11)
DTYPES = ["?", "i1", "u1", "i2", "u2", "f2", "i4", "u4", "f4", "i8", "u8", "f8", "m8[s]", "F", "D"]
SHAPES = [(7,), (3, 513), (2, 5000), (70001,), (3, 40000)]
KINDS = ["any", "few", "alike", "rising", "holed"]


def make_rows(dtype, shape, kind):
    """Elements of one of KINDS; `holed` has NaN of either sign, NaT and infinities."""
    size = int(np.prod(shape))
    if kind in ("few", "alike"):
        values = RNG.integers(0, 9 if kind == "few" else 1, size)
    elif kind == "rising":
        values = np.arange(size)
    else:
        values = RNG.normal(size=size) * (3e4 if np.dtype(dtype).kind in "iumM" else 1)
    with np.errstate(all="ignore"):
        values = values.astype(dtype).reshape(shape)
    if kind == "holed" and values.dtype.kind in "fcmM":
        special = [np.nan, -np.nan, np.inf, -np.inf] if values.dtype.kind in "fc" else ["NaT"]
        chosen = RNG.random(shape) < 0.2
        values[chosen] = np.array(special, values.dtype)[
            RNG.integers(0, len(special), chosen.sum())
        ]
    return values


def sort_rows(a):
    """NumPy's sort of float16 leaves some NaN of negative sign before numbers."""
    return np.sort(a.astype("f4") if a.dtype == "f2" else a)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_partition(device, dtype, kind):
    for shape in SHAPES:
        a = make_rows(dtype, shape, kind)
        x, ordered = gpuarray.asarray(a, device=device), sort_rows(a)
        for kth in {0, a.shape[-1] // 2, a.shape[-1] - 2}:
            ours = gpuarray.partition(x, kth).get()
            places = gpuarray.argpartition(x, kth).get()
            for parted in (ours, np.take_along_axis(a, places, -1)):
                np.testing.assert_array_equal(parted[..., kth], ordered[..., kth])
                np.testing.assert_array_equal(sort_rows(parted[..., :kth]), ordered[..., :kth])
                np.testing.assert_array_equal(sort_rows(parted[..., kth:]), ordered[..., kth:])
        np.testing.assert_array_equal(x.get(), a)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype not in "FD"])
def test_quantiles(device, dtype, kind):
    many = np.linspace(0, 1, 40)
    for shape in SHAPES:
        a = make_rows(dtype, shape, kind)
        if a.dtype.kind in "?m":
            a = a.astype("i8")
        for name in ("median", "nanmedian"):
            check(lambda xp, a, f=name: getattr(xp, f)(a, -1), a, device=device, rtol=1e-6)
        for q in (0.3, [0.9, 0.1, 0.5], many):
            for name in ("quantile", "nanquantile"):
                check(
                    lambda xp, a, f=name, q=q: getattr(xp, f)(a, q, -1, method="lower"),
                    a,
                    device=device,
                    order=False,
                )


def test_places_of_one_call_lie_anywhere(device):
    a = RNG.normal(size=50001).astype("f4")
    x = gpuarray.asarray(a, device=device)
    for count in (1, 2, 5, 31, 32, 33, 100):
        places = RNG.integers(0, a.size, count)
        found = gpuarray.quantile(x, places / (a.size - 1), method="nearest")
        np.testing.assert_array_equal(found.get(), np.sort(a)[places])


@pytest.mark.parametrize("kth", [np.array([], int), [3], [3, 3, -5], [0, 511, 100]])
def test_several_places(device, kth):
    a = make_rows("f4", (3, 512), "holed")
    ours = gpuarray.partition(gpuarray.asarray(a, device=device), kth).get()
    np.testing.assert_array_equal(ours[:, kth], np.sort(a)[:, kth])
    if len(kth) == 0:
        np.testing.assert_array_equal(ours, a)


def test_zeros_of_either_sign(device):
    a = np.where(RNG.random(40000) < 0.5, 0.0, -0.0)
    a[::7] = RNG.normal(size=a[::7].size)
    x = gpuarray.asarray(a, device=device)
    for kth in (100, 20000):
        ours = gpuarray.partition(x, kth).get()
        np.testing.assert_array_equal(np.sort(ours), np.sort(a))
        assert np.signbit(ours).sum() == np.signbit(a).sum()
        assert ours[kth] == np.sort(a)[kth]


def test_partition_keeps_the_layout(device):
    a = np.asfortranarray(make_rows("f8", (600, 7), "any"))
    for axis in (0, 1):
        result = check(lambda xp, a, x=axis: np.isfortran(xp.partition(a, 3, x)), a, device=device)
        assert result is True
    view = gpuarray.asarray(a, device=device)[::-1, ::2]
    view.partition(300, axis=0)
    np.testing.assert_array_equal(view.get()[300], np.sort(a[::-1, ::2], axis=0)[300])


def test_partition_of_what_may_not_be_written_to(device):
    def part(xp, a):
        a.flags.writeable = False
        a.partition(1)

    check(part, np.arange(5), device=device)


@pytest.mark.parametrize("mode", ["largest", "smallest"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["?", "u1", "i2", "f2", "f4", "i8", "f8", "F", "D"])
def test_top_k(device, dtype, kind, mode):
    for shape in SHAPES:
        a = make_rows(dtype, shape, kind)
        x = gpuarray.asarray(a, device=device)
        order = gpuarray.argsort(x, descending=mode == "largest").get()
        for k in {0, 1, 7, min(600, a.shape[-1]), a.shape[-1]}:
            values, indices = gpuarray.top_k(x, k, mode=mode)
            assert values.dtype == a.dtype and indices.dtype == np.intp
            np.testing.assert_array_equal(indices.get(), order[..., :k])
            np.testing.assert_array_equal(values.get(), np.take_along_axis(a, order[..., :k], -1))


def test_top_k_along_an_axis_and_unsorted(device):
    a = make_rows("i4", (1000, 3), "few")
    x = gpuarray.asarray(a, device=device)
    found = gpuarray.top_k(x, 5, axis=0, mode="smallest", sorted=False)
    assert found.values.shape == found.indices.shape == (5, 3)
    np.testing.assert_array_equal(np.sort(found.values.get(), 0), np.sort(a, 0)[:5])
    np.testing.assert_array_equal(np.take_along_axis(a, found.indices.get(), 0), found.values.get())
    assert gpuarray.top_k([3, 1, 2], 1)[1].tolist() == [0]


@pytest.mark.parametrize(
    "arguments, keywords, error",
    [
        (([1, 2], 3), {}, ValueError),
        (([1, 2], -1), {}, ValueError),
        (([1, 2], 1.0), {}, TypeError),
        (([1, 2], 1), {"mode": "most"}, ValueError),
        (([1, 2], 1), {"axis": None}, TypeError),
        (([1, 2], 1), {"axis": 1}, np.exceptions.AxisError),
        ((3, 1), {}, np.exceptions.AxisError),
    ],
)
def test_refused_top_k(device, arguments, keywords, error):
    a, k = arguments
    with pytest.raises(error):
        gpuarray.top_k(gpuarray.asarray(a, device=device), k, **keywords)

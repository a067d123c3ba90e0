"""where and assignment under masks: dtypes, layouts, scalars, promotion, overlap."""

import numpy as np
import pytest
from oracle import check

import gpuarray

RANDOM = np.random.default_rng(3)
DTYPES = "?bBhHiIlLefdFD"


def make(dtype, shape):
    numbers = RANDOM.integers(0, 100, shape)
    return numbers % 2 == 0 if dtype == "?" else numbers.astype(dtype)


LAYOUTS = {
    "flat": lambda a: a,
    "offset by one": lambda a: a[:, 1:],
    "every other": lambda a: a[:, ::2],
    "transposed": lambda a: a.T,
    "backwards": lambda a: a[::-1, ::-1],
    "narrow": lambda a: a[:, :3],
    "row": lambda a: a[:1],
    "column": lambda a: a[:, :1],
    "empty": lambda a: a[:0],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_where(device, dtype, layout):
    take = LAYOUTS[layout]
    x, y, mask = make(dtype, (37, 40)), make(dtype, (37, 40)), make("?", (37, 40))
    check(lambda xp, m, x, y: xp.where(take(m), take(x), take(y)), mask, x, y, device=device)
    check(lambda xp, m, x, y: xp.where(m, take(x), y[0, 0]), take(mask), x, y, device=device)


@pytest.mark.parametrize("mixed", ["x", "y", "condition"])
@pytest.mark.parametrize("dtype", "bhidD")
def test_where_of_unlike_layouts(device, dtype, mixed):
    x, y, mask = make(dtype, (36, 36)), make(dtype, (36, 36)), make("?", (36, 36))

    def choose(xp, m, x, y):
        m, x, y = (
            a.T if name == mixed else a for name, a in (("condition", m), ("x", x), ("y", y))
        )
        return xp.where(m, x, y)

    check(choose, mask, x, y, device=device)


@pytest.mark.smoke
@pytest.mark.parametrize("size", [1, 15, 16, 17, 4095, 70001])
@pytest.mark.parametrize("dtype", "bhidD")
def test_sizes(device, dtype, size):
    x, y, mask = make(dtype, size), make(dtype, size), make("?", size)
    check(lambda xp, m, x, y: xp.where(m, x, y), mask, x, y, device=device)
    check(lambda xp, m, x: xp.where(m, x, 1), mask, x, device=device)
    check(lambda xp, m, x: xp.where(m, 1, x), mask, x, device=device)


NUMBERS = [1, 0, -1, 300, 2**40, 2**70, 1.5, float("nan"), 1j, True, np.float32(2), np.int8(3)]


@pytest.mark.parametrize("number", NUMBERS, ids=repr)
@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_on_either_side(device, dtype, number):
    a, mask = make(dtype, (3, 4)), make("?", (3, 4))
    check(lambda xp, m, a: xp.where(m, a, number), mask, a, device=device)
    check(lambda xp, m, a: xp.where(m, number, a), mask, a, device=device)
    check(lambda xp, m: xp.where(m, number, 2), mask, device=device)


@pytest.mark.parametrize("first", DTYPES)
@pytest.mark.parametrize("second", "?BlefD")
def test_promotion(device, first, second):
    x, y, mask = make(first, 9), make(second, 9), make("?", 9)
    check(lambda xp, m, x, y: xp.where(m, x, y), mask, x, y, device=device)


@pytest.mark.parametrize("dtype", DTYPES)
def test_condition_of_any_dtype(device, dtype):
    check(lambda xp, c, a: xp.where(c, a, -a), make(dtype, 21), make("d", 21), device=device)


DAYS = np.array(["2020-01-01", "NaT", "2021-05-05"], "M8[D]")
HOURS = np.array([3, 4, "NaT"], "m8[h]")
CASES = [
    ("zero dimensions", lambda xp, a: xp.where(a[0, 0] > 0, a[0, 0], 1.5)),
    ("python condition", lambda xp, a: xp.where(True, a, 0)),
    ("list condition", lambda xp, a: xp.where([True, False, True], a[:, :3], 0)),
    ("lists", lambda xp, a: xp.where(a[0] > 1, [1, 2, 3, 4], [1.5, 2.5, 3.5, 4.5])),
    ("three axes", lambda xp, a: xp.where(a[:, None, :1] > 1, a[:, :, None], a[None])),
    ("shapes that do not fit", lambda xp, a: xp.where(a > 1, a[:2], 0)),
    ("strings", lambda xp, a: xp.where(a > 1, "yes", "no")),
    ("units", lambda xp, a: xp.where([True, False, True], DAYS, DAYS.astype("M8[s]"))),
    ("time and integer", lambda xp, a: xp.where([True, False, True], xp.asarray(HOURS), 5)),
    ("times that do not mix", lambda xp, a: xp.where([True] * 3, xp.asarray(DAYS), xp.ones(3))),
    ("one value", lambda xp, a: xp.where(a > 1, a)),
    ("fortran", lambda xp, a: xp.where(a > 1, xp.asfortranarray(a), a.T.copy().T)),
]


@pytest.mark.parametrize("function", [f for _, f in CASES], ids=[name for name, _ in CASES])
def test_cases(device, function):
    check(function, np.arange(16.0).reshape(4, 4), device=device)


def update(change):
    def body(xp, *arrays):
        change(xp, *arrays)
        return arrays[0]

    return body


UPDATES = [
    ("number", lambda xp, a, m: a.__setitem__(m, 7)),
    ("number out of range", lambda xp, a, m: a.__setitem__(m, 2**70)),
    ("its own element", lambda xp, a, m: a.__setitem__(m, a[1, 1])),
    ("zero dimensions", lambda xp, a, m: a.__setitem__(m, xp.asarray(3))),
    ("rows", lambda xp, a, m: a.__setitem__(m[:, 0], 1)),
    ("view", lambda xp, a, m: a[1:, ::2].__setitem__(m[1:, ::2], 5)),
    ("reversed", lambda xp, a, m: a[::-1].__setitem__(m, 5)),
    ("copyto", lambda xp, a, m: xp.copyto(a, a[::-1].copy(), where=m)),
    ("copyto overlapping", lambda xp, a, m: xp.copyto(a, a[::-1], where=m)),
    ("copyto axis dropped", lambda xp, a, m: xp.copyto(a, a[None, None, ::-1] + 1, where=m)),
    ("copyto row", lambda xp, a, m: xp.copyto(a, a[2], where=m)),
    ("copyto mask row", lambda xp, a, m: xp.copyto(a, 1, where=m[0])),
    ("copyto too large", lambda xp, a, m: xp.copyto(a[0], a, where=m)),
    (
        "copyto cast",
        lambda xp, a, m: xp.copyto(a, xp.full(a.shape, 2.5), casting="unsafe", where=m),
    ),
    ("putmask", lambda xp, a, m: xp.putmask(a, m, a + a)),
    ("putmask repeated", lambda xp, a, m: xp.putmask(a, m, [1, 2, 3])),
    ("putmask transposed", lambda xp, a, m: xp.putmask(a.T, m.T, 1)),
    ("putmask numbers as mask", lambda xp, a, m: xp.putmask(a, a, 1)),
    ("ufunc into another dtype", lambda xp, a, m: xp.add(a, 1, out=a, where=m, casting="unsafe")),
]


@pytest.mark.parametrize("change", [f for _, f in UPDATES], ids=[name for name, _ in UPDATES])
@pytest.mark.parametrize("dtype", "?bHifD")
def test_updates(device, dtype, change):
    check(update(change), make(dtype, (24, 33)), make("?", (24, 33)), device=device)


def test_mask_is_the_array(device):
    check(update(lambda xp, a: a.__setitem__(a, False)), make("?", 100), device=device)


def test_mask_shares_memory(device):
    """The mask counts as it was; NumPy may see what it has just written."""
    host = make("?", 100)
    a = gpuarray.array(host, device=device)
    a[1:][a[:-1]] = True
    expected = host.copy()
    expected[1:] |= host[:-1]
    assert (gpuarray.asnumpy(a) == expected).all()


@pytest.mark.parametrize("fill", [True, False])
def test_masks_of_one_value(device, fill):
    mask = np.full(1000, fill)
    check(update(lambda xp, a, m: a.__setitem__(m, 7)), make("f", 1000), mask, device=device)
    check(lambda xp, a, m: xp.where(m, a, 1), make("f", 1000), mask, device=device)


def test_misaligned_memory(device):
    raw = np.arange(81, dtype="u1")
    mask = make("?", 10)

    def spare(xp, raw, mask):
        a = raw[1:].view("f8")
        a[mask] = 2.0
        xp.copyto(a, xp.arange(10.0), where=~mask)
        return xp.where(mask, a, a[::-1]), raw

    check(spare, raw, mask, device=device)


def test_read_only(device):
    def write(xp, a, m):
        a.flags.writeable = False
        xp.copyto(a, 1, where=m)

    check(write, make("d", 5), make("?", 5), device=device)


def test_devices_do_not_mix():
    if not gpuarray.cuda.is_available():
        pytest.skip("needs a GPU beside the CPU")
    here, there = gpuarray.ones(3, device="cpu"), gpuarray.ones(3, device="cuda:0")
    with pytest.raises(ValueError, match="different devices"):
        gpuarray.where(here > 0, here, there)

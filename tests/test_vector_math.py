"""Functions that are computed in vectors: within bounds everywhere, and the same value at every place."""

import numpy as np
import pytest
from oracle import check

import gpuarray

UNARY = [
    *(
        "sin",
        "cos",
        "tan",
        "arctan",
        "arcsinh",
        "sinh",
        "cosh",
        "tanh",
        "exp",
        "exp2",
        "expm1",
        "cbrt",
    ),
    *("log", "log2", "log10", "log1p", "arcsin", "arccos", "arccosh", "arctanh"),
]
BINARY = ["power", "arctan2", "hypot", "logaddexp", "logaddexp2"]
EDGES = [
    0.0,
    -0.0,
    np.inf,
    -np.inf,
    np.nan,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1e-40,
    1e-310,
    88.8,
    -104.0,
    710.0,
    -746.0,
    1e30,
    -1e30,
]


def make_numbers(dtype, count=97):
    numbers = np.random.default_rng(5).normal(size=count) * 4
    numbers[: len(EDGES)] = EDGES
    with np.errstate(all="ignore"):
        return numbers.astype(dtype)


@pytest.mark.parametrize(
    ("name", "dtype"), [(n, d) for n in UNARY for d in ("efd" if n == "cbrt" else "efdFD")]
)
def test_place_does_not_matter(device, name, dtype):
    """Bit for bit: alone, in slices, in steps, backwards."""
    function = getattr(gpuarray, name)
    a = gpuarray.array(make_numbers(dtype), device=device)
    whole = gpuarray.asnumpy(function(a))
    same = lambda ours, theirs: ours.tobytes() == theirs.tobytes()  # noqa: E731
    for cut in (slice(1, None), slice(3, 20), slice(None, None, 2), slice(None, None, -1)):
        with np.errstate(all="ignore"):
            assert np.array_equal(gpuarray.asnumpy(function(a[cut])), whole[cut], equal_nan=True)
    for i in range(len(whole)):
        one = gpuarray.asnumpy(function(a[i : i + 1]))
        assert same(one, whole[i : i + 1]) or np.isnan(one[0])


@pytest.mark.parametrize("dtype", "fd")
@pytest.mark.parametrize("name", BINARY)
def test_place_does_not_matter_to_pairs(device, name, dtype):
    function = getattr(gpuarray, name)
    host = make_numbers(dtype)
    a, b = gpuarray.array(host, device=device), gpuarray.array(host[::-1].copy(), device=device)
    whole = gpuarray.asnumpy(function(a, b))
    for first in range(1, 40):
        part = gpuarray.asnumpy(function(a[first:], b[first:]))
        assert np.array_equal(part, whole[first:], equal_nan=True)


@pytest.mark.parametrize("dtype", "fd")
@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("scale", [1e-3, 1.0, 30.0, 1e5])
def test_many_numbers(device, name, dtype, scale):
    numbers = (np.random.default_rng(6).normal(size=20000) * scale).astype(dtype)
    if name in ("arcsin", "arccos", "arctanh"):
        numbers = np.clip(numbers, -1, 1)
    if name.startswith("log") or name == "arccosh":
        numbers = np.abs(numbers)
    if name == "arccosh":
        numbers += 1
    check(lambda xp, a: getattr(xp, name)(a), numbers, device=device, ulp=6)


def test_powers_of_every_size(device):
    """float32 from the least normal number to the largest, with exponents that lead to results of every size."""
    rng = np.random.default_rng(11)
    x = rng.integers(0x00800000, 0x7F800000, 40000, dtype="u4").view("f4")
    y = (rng.uniform(-126, 127, x.size) / np.log2(x.astype("f8"))).astype("f4")
    exact = x.astype("f8") ** y.astype("f8")
    inside = (exact > 1.2e-38) & (exact < 3.4e38)
    given = (gpuarray.asarray(x, device=device) ** gpuarray.asarray(y, device=device)).get()
    apart = np.abs(given[inside] - exact[inside]) / np.spacing(exact[inside].astype("f4"))
    assert inside.mean() > 0.9
    assert apart.max() <= 2


@pytest.mark.parametrize("name", UNARY)
def test_every_float16(device, name):
    numbers = np.arange(1 << 16, dtype="u2").view("e")
    check(lambda xp, a: getattr(xp, name)(a), numbers, device=device, ulp=1)


@pytest.mark.parametrize("dtype", "efd")
def test_parts_of_every_size(device, dtype):
    """Mantissas and exponents of all float16, and of floats of any bits: denormal numbers and NaN among them."""
    width = np.dtype(dtype).itemsize
    count = (1 << 16) * 2 // width
    numbers = np.random.default_rng(8).bytes(count * width)
    every = (
        np.arange(1 << 16, dtype="u2").view("e") if dtype == "e" else np.frombuffer(numbers, dtype)
    )
    with np.errstate(invalid="ignore"):
        small = every * np.array(2.0 ** -(np.finfo(dtype).maxexp - 2), dtype)
    check(lambda xp, a, b: (xp.frexp(a), xp.frexp(b)), every, small, device=device)

"""Division with a floor: NumPy's quotient, remainder and signs for every kind of pair, to the last bit."""

import numpy as np
import pytest
from oracle import check

import gpuarray

SPECIAL = [0.0, -0.0, 1, -1, 0.5, 3, -7, 1e-3, 2**21, 2**21 + 1, -(2**24), np.inf, -np.inf, np.nan]
FUNCTIONS = ["floor_divide", "remainder", "fmod", "divmod"]


def limits(dtype):
    info = np.finfo(dtype)
    return [info.max, info.tiny, info.smallest_subnormal, -info.smallest_subnormal * 37, info.eps]


def pairs(dtype):
    """Pairs of special values, multiples of a number and their neighbours, and pairs of any size."""
    random = np.random.default_rng(2)
    with np.errstate(over="ignore"):
        special = np.array(SPECIAL + limits(dtype)).astype(dtype)
        x, y = (each.ravel() for each in np.meshgrid(special, special))
        by = random.normal(0, 3, 3000).astype(dtype)
        many = (by * random.integers(-5000000, 5000000, 3000)).astype(dtype)
        far = (random.normal(0, 1, (2, 3000)) * 10.0 ** random.integers(-30, 30, (2, 3000))).astype(
            dtype
        )
    near = np.nextafter(many, dtype(0))
    return np.concatenate([x, many, near, far[0]]), np.concatenate([y, by, by, far[1]])


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_pairs_of_floats(dtype, name, device):
    x, y = pairs(dtype)

    def signs(xp, x, y):
        result = getattr(xp, name)(x, y)
        parts = result if isinstance(result, tuple) else (result,)
        return [(part, xp.signbit(part) & ~xp.isnan(part)) for part in parts]

    check(signs, x, y, device=device)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"])
def test_pairs_of_integers(dtype, name, device):
    info = np.iinfo(dtype)
    random = np.random.default_rng(3)
    special = [0, 1, 2, 7, info.max, info.max - 1, info.min, info.min + 1, info.max // 3]
    special = np.array(special + ([-1, -7] if info.min else []), dtype)
    some = random.integers(info.min, info.max, 500, dtype, endpoint=True)
    x, y = (each.ravel() for each in np.meshgrid(np.concatenate([special, some]), special))
    check(lambda xp, x, y: getattr(xp, name)(x, y), x, y, device=device)
    check(lambda xp, x: getattr(xp, name)(x, 7), x, device=device)


@pytest.mark.parametrize("name", ["floor_divide", "remainder"])
@pytest.mark.parametrize("dtype", ["int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_integers_by_a_number(dtype, name, device):
    info = np.iinfo(dtype)
    random = np.random.default_rng(5)
    special = [0, 1, 2, info.max, info.max - 1, info.min, info.min + 1, info.max // 3]
    some = random.integers(info.min, info.max, 3000, dtype, endpoint=True)
    bits = info.bits
    x = np.concatenate(
        [np.array(special, dtype), some, some >> bits // 4, some >> bits * 3 // 4, some[:2]]
    ).reshape(-1, 10)
    numbers = [0, 1, 2, 3, 7, 10, 641, 32767, 2 ** (bits // 2), info.max // 2 + 1, info.max - 1]
    numbers += [info.max, 1000003 % info.max, 6700417 % info.max]
    numbers += [-1, -2, -7, -(2**13), info.min, info.min + 1] if info.min else []
    for by in numbers:
        check(lambda xp, x, by=by: getattr(xp, name)(x, by), x, device=device)
        check(lambda xp, x, by=by: getattr(xp, name)(x[::-1, ::3].T, by), x, device=device)

    def masked(xp, x, out, mask):
        getattr(xp, name)(x, 7, out=out, where=mask)
        getattr(xp, name)(x, 3, out=x)
        getattr(xp, name)(x, x[:1, :1], out=x)

    check(masked, x, np.zeros_like(x), x % 3 == 0, device=device)


@pytest.mark.parametrize("name", ["floor_divide", "remainder", "right_shift"])
@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_bytes_by_every_number(dtype, name, device):
    info = np.iinfo(dtype)
    every = np.arange(info.min, info.max + 1).astype(dtype)

    def by_each(xp, x, numbers):
        return [getattr(xp, name)(x, numbers[i]) for i in range(len(numbers))]

    check(by_each, every, every, device=device)


@pytest.mark.parametrize("name", ["logaddexp", "logaddexp2"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_sums_of_exponentials(dtype, name, device):
    special = np.array([0, -0.0, 1, -1, 88, -88, 700, np.inf, -np.inf, np.nan, 1e-4]).astype(dtype)
    x, y = (each.ravel() for each in np.meshgrid(special, special))
    check(lambda xp, x, y: getattr(xp, name)(x, y), x, y, device=device, ulp=4)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_log10_is_whole_for_powers_of_ten_alone(dtype, device):
    places = np.arange(0, 11 if dtype is np.float32 else 23)
    powers = (10.0**places).astype(dtype)
    x = np.concatenate([powers, np.nextafter(powers, dtype(0)), powers * 3, [0, 0.1]])
    check(lambda xp, x: xp.log10(x), x.astype(dtype), device=device, ulp=4)
    assert (
        gpuarray.asnumpy(gpuarray.log10(gpuarray.asarray(powers, device=device))).tolist()
        == places.tolist()
    )

"""Functions whose result is a whole number give it exactly, as NumPy's do: a last place less is 2 where 3 is meant."""

import numpy
import pytest

import gpuarray

LARGEST_POWER = {"f2": 2**11, "f4": 2**20, "f8": 2**50}


@pytest.fixture(params=["f2", "f4", "f8"])
def dtype(request):
    return request.param


def assert_whole(got, expected):
    numpy.testing.assert_array_equal(got.get(), numpy.asarray(expected).astype(got.dtype))


def test_log2(dtype, device):
    info = numpy.finfo(dtype)
    powers = numpy.arange(info.minexp - info.nmant, info.maxexp)
    assert_whole(gpuarray.log2(gpuarray.asarray(numpy.ldexp(info.dtype.type(1), powers))), powers)


def test_log10(dtype, device):
    powers = numpy.arange({"f2": 4, "f4": 11, "f8": 23}[dtype])  # those the dtype holds
    assert_whole(gpuarray.log10(gpuarray.asarray((10.0**powers).astype(dtype))), powers)


def test_exp2(dtype, device):
    powers = numpy.arange(numpy.finfo(dtype).minexp, numpy.finfo(dtype).maxexp)
    assert_whole(gpuarray.exp2(gpuarray.asarray(powers.astype(dtype))), numpy.ldexp(1.0, powers))


def test_cbrt(dtype, device):
    roots = numpy.arange(
        -int(LARGEST_POWER[dtype] ** (1 / 3)), int(LARGEST_POWER[dtype] ** (1 / 3))
    )[-20000:]
    assert_whole(gpuarray.cbrt(gpuarray.asarray((roots**3).astype(dtype))), roots)


def test_sqrt(dtype, device):
    roots = numpy.arange(int(LARGEST_POWER[dtype] ** 0.5))[-20000:]
    assert_whole(gpuarray.sqrt(gpuarray.asarray((roots**2).astype(dtype))), roots)


def test_hypot(dtype, device):
    near, far = numpy.array(
        [[3, 4], [5, 12], [8, 15], [7, 24], [20, 21], [9, 40], [12, 35], [28, 45]], dtype
    ).T
    got = gpuarray.hypot(gpuarray.asarray(near), gpuarray.asarray(far))
    assert_whole(got, [5, 13, 17, 25, 29, 41, 37, 53])


def test_power(dtype, device):
    pairs = [(x, y) for x in range(-40, 41) for y in range(60) if abs(x**y) < LARGEST_POWER[dtype]]
    base, exponent = (
        gpuarray.asarray(numpy.array(side, dtype)) for side in zip(*pairs, strict=True)
    )
    assert_whole(gpuarray.power(base, exponent), [float(x**y) for x, y in pairs])

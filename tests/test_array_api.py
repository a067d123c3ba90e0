"""What the array API standard asks for beyond NumPy; the standard's own suite is run by tools/array_api.sh."""

import inspect

import numpy as np
import pytest

import gpuarray

VERSIONS = ["2021.12", "2022.12", "2023.12", "2024.12", "2025.12"]
DTYPES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128"
).split()
INFO = gpuarray.__array_namespace_info__()


@pytest.mark.parametrize("version", [None, *VERSIONS])
def test_namespace(device, version):
    assert gpuarray.zeros(2).__array_namespace__(api_version=version) is gpuarray


@pytest.mark.parametrize("version", ["1999.12", "2026.12", 2025])
def test_unknown_versions(device, version):
    with pytest.raises(ValueError, match="api_version"):
        gpuarray.zeros(2).__array_namespace__(api_version=version)


def test_version():
    assert gpuarray.__array_api_version__ == VERSIONS[-1]


def test_devices(device):
    devices = INFO.devices()
    assert type(devices) is tuple and device in devices
    assert INFO.default_device() == device
    for each in devices:
        a = gpuarray.zeros(2, device=each)
        assert a.device == each
        assert a.to_device(each) is a


def test_capabilities():
    assert INFO.capabilities() == {
        "boolean indexing": True,
        "data-dependent shapes": True,
        "max dimensions": 64,
    }
    gpuarray.zeros((1,) * 64)
    with pytest.raises(ValueError):
        gpuarray.zeros((1,) * 65)


def test_dtypes(device):
    assert set(INFO.dtypes(device=device)) == set(DTYPES)
    assert INFO.dtypes(kind=("bool", "real floating")).keys() == {"bool", "float32", "float64"}
    assert INFO.default_dtypes(device=device)["indexing"] == np.int64
    for name, dtype in INFO.dtypes().items():
        assert gpuarray.zeros(1, dtype=dtype).dtype == getattr(gpuarray, name)
    with pytest.raises(ValueError):
        INFO.dtypes(kind="strings")
    for question in (INFO.dtypes, INFO.default_dtypes):
        with pytest.raises(ValueError, match="teapot"):
            question(device="teapot")


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
def test_finfo(device, dtype):
    theirs = np.finfo(dtype)
    for asked in (dtype, np.dtype(dtype), getattr(np, dtype), gpuarray.ones(1, dtype)):
        ours = gpuarray.finfo(asked)
        assert ours.dtype == theirs.dtype and ours.bits == theirs.bits
        for name in ("eps", "max", "min", "smallest_normal", "tiny", "resolution", "epsneg"):
            value = getattr(ours, name)
            assert isinstance(value, float) and value == float(getattr(theirs, name))
        for name in ("precision", "nmant", "nexp", "maxexp", "minexp"):
            assert getattr(ours, name) == getattr(theirs, name)
    assert repr(ours) == repr(theirs) and str(ours) == str(theirs)
    other = "f8" if theirs.dtype == "f4" else "f4"
    assert ours == gpuarray.finfo(dtype) != gpuarray.finfo(other)


def test_finfo_of_other_things():
    assert gpuarray.finfo(1.5).bits == 64
    with pytest.raises(ValueError):
        gpuarray.finfo("int8")
    with pytest.raises(AttributeError):
        gpuarray.finfo("f8").color  # noqa: B018


@pytest.mark.parametrize("dtype", ["int8", "uint64"])
def test_iinfo_of_arrays(device, dtype):
    ours, theirs = gpuarray.iinfo(gpuarray.ones(1, dtype)), np.iinfo(dtype)
    assert (ours.bits, ours.min, ours.max, ours.dtype) == (
        theirs.bits,
        theirs.min,
        theirs.max,
        theirs.dtype,
    )


def test_clip_by_either_names(device):
    a = gpuarray.arange(6)
    wanted = [2, 2, 2, 3, 4, 4]
    for bounds in ({"min": 2, "max": 4}, {"a_min": 2, "a_max": 4}, {"min": 2, "a_max": 4}):
        assert gpuarray.clip(a, **bounds).tolist() == wanted
    assert gpuarray.clip(a, 2, 4).tolist() == np.clip(a, 2, 4).tolist() == wanted
    assert gpuarray.clip(a, 4).tolist() == [4, 4, 4, 4, 4, 5]
    assert gpuarray.clip(a, max=1).tolist() == [0, 1, 1, 1, 1, 1]
    assert gpuarray.clip(a).tolist() == a.tolist()
    with pytest.raises(ValueError, match="a_min"):
        gpuarray.clip(a, 1, 2, a_min=1)


@pytest.mark.parametrize("name", ["vecdot", "clip", "matmul", "from_dlpack", "asarray", "sort"])
def test_signatures_can_be_read(name):
    assert inspect.signature(getattr(gpuarray, name)).parameters


def test_vecdot_names_its_axis():
    assert "axis" in inspect.signature(gpuarray.vecdot).parameters

"""What every test file shares: the devices to test on, and the marker of the small fast subset.

A test that takes the `device` fixture runs once for each device, with that device as the default one, so that
`gpuarray.ones(3)` lands there. GPUARRAY_TEST_DEVICES (a comma list) chooses the devices; otherwise they are the
CPU and the first GPU, where there is one.
"""

import os

import pytest

import gpuarray


def list_devices():
    named = os.environ.get("GPUARRAY_TEST_DEVICES")
    if named:
        return [name.strip() for name in named.split(",") if name.strip()]
    return ["cpu"] + (["cuda:0"] if gpuarray.cuda.is_available() else [])


def pytest_configure(config):
    config.addinivalue_line("markers", "smoke: small and fast; what runs under sanitizers")
    # A host fall-back in a test is not a fault; test_fallback.py looks at the warnings themselves.
    config.addinivalue_line("filterwarnings", "ignore::gpuarray.PerformanceWarning")


@pytest.fixture(params=list_devices())
def device(request):
    """Name of the device under test, made the default device for the length of the test."""
    before = gpuarray.default_device()
    gpuarray.set_default_device(request.param)
    yield request.param
    gpuarray.set_default_device(before)

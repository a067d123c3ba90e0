"""What every test file shares: the devices to test on, and the marker of the small fast subset.

A test that takes the `device` fixture runs once for each device, with that device as the default one, so that
`gpuarray.ones(3)` lands there. GPUARRAY_TEST_DEVICES (a comma list) chooses the devices; otherwise they are the
CPU and the first GPU, where there is one.
"""

import gc
import os

import numpy
import pytest

import gpuarray

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # SciPy reads it when it is imported


def list_devices():
    named = os.environ.get("GPUARRAY_TEST_DEVICES")
    if named:
        return [name.strip() for name in named.split(",") if name.strip()]
    return ["cpu"] + (["cuda:0"] if gpuarray.cuda.is_available() else [])


# Where NumPy itself was another before 2.4: its signatures, methods, promotion of scalars and checks of Python numbers.
OLDER_NUMPY_DIFFERS = frozenset(
    (
        "test_array_has_every_method",
        "test_conversion",
        "test_every_public_name",
        "test_full_converts_the_value",
        "test_full_like",
        "test_function",
        "test_numbers_on_either_side",
        "test_page_of_names_is_current",
        "test_power_short_cuts",
        "test_reshape_arguments",
        "test_shapes_that_are_none",
        "test_signatures",
        "test_signatures_have_numpys_names",
        "test_through_numpy",
    )
)


def pytest_addoption(parser):
    parser.addoption(
        "--shard",
        default="0/1",
        help="I/N: every Nth test from the Ith on, for tools that pytest-xdist cannot run under",
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    mark_older_numpy(items)
    skip_huge(items)
    index, count = map(int, config.getoption("shard").split("/"))
    config.hook.pytest_deselected(items=[x for i, x in enumerate(items) if i % count != index])
    items[:] = items[index::count]


def mark_older_numpy(items):
    if numpy.lib.NumpyVersion(numpy.__version__) >= "2.4.0":
        return
    differs = pytest.mark.xfail(reason="NumPy before 2.4 does otherwise", strict=False)
    for item in items:
        if getattr(item, "originalname", None) in OLDER_NUMPY_DIFFERS:
            item.add_marker(differs)


def skip_huge(items):
    if os.environ.get("GPUARRAY_TEST_HUGE") == "1":
        return
    skip = pytest.mark.skip(reason="needs a card of its own: GPUARRAY_TEST_HUGE=1 runs it")
    for item in items:
        if item.get_closest_marker("huge"):
            item.add_marker(skip)


def pytest_configure(config):
    config.addinivalue_line("markers", "huge: takes most of a device's memory, or 2**31 elements")
    config.addinivalue_line("markers", "smoke: small and fast; what runs under sanitizers")
    # A host fall-back in a test is not a fault; test_fallback.py looks at the warnings themselves.
    config.addinivalue_line("filterwarnings", "ignore::gpuarray.PerformanceWarning")


def live_memory():
    """Bytes and blocks of live arrays, by device, after everything that is unreachable has gone."""
    gc.collect()
    counts = {}
    for device in list_devices():
        gpuarray.synchronize(device)
        stats = gpuarray.memory_stats(device)
        counts[device] = {key: stats[key] for key in ("live_bytes", "live_blocks")}
    return counts


@pytest.fixture(autouse=True, scope="module")
def no_leak(request):
    """What a test module allocates is gone after its last test, but for what the module's names hold."""
    before, failed = live_memory(), request.session.testsfailed
    gc.freeze()  # collections of the module's tests need not look through pytest's own objects
    yield
    gc.unfreeze()
    after = live_memory()
    traced = request.session.testsfailed > failed  # tracebacks hold what failing tests had
    assert traced or after == before, (
        f"arrays outlive {request.node.nodeid}: {after}, before {before}"
    )


@pytest.fixture(params=list_devices())
def device(request):
    """Name of the device under test, made the default device for the length of the test."""
    before = gpuarray.default_device()
    gpuarray.set_default_device(request.param)
    yield request.param
    gpuarray.set_default_device(before)

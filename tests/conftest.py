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


# Where NumPy itself was another before 2.4, its signatures, methods, promotion of scalars and checks of Python numbers:
# the tests, and of those with parameters the ones that differ, named as pytest names them but for the device; a name
# that begins with a star is an end of theirs.
OLDER_NUMPY_DIFFERS = {
    "test_array_has_every_method": [""],
    "test_attributes": ["ceil", "floor", "trunc"],
    "test_bincount_of_what_has_no_place": [""],
    "test_call": ["*-unstack", "*-unstack scalar", "*-trim", "*-trim wrong"],
    "test_conversion": ["True-index", "[]-bool"],
    "test_dtype_signature_casting": ["{'signature': 'd'}", "{'signature': ('d',)}"],
    "test_edit": ["insert mask"],
    "test_every_public_name": [""],
    "test_full_converts_the_value": [
        *(f"-1-u{size}" for size in (1, 2, 4, 8)),
        *(f"300-{kind}1" for kind in "iu"),
        *(f"{2**40}-{kind}{size}" for kind in "iu" for size in (1, 2, 4)),
        f"{2**70}-?",
    ],
    "test_full_like": [""],
    "test_function": [
        "clip-min-max",
        "clip-of-nothing",
        "clip-uint8",
        "count_nonzero",
        "matvec",
        "unstack",
        "vecmat",
    ],
    "test_histogram": ["stone-i4", "stone-i8"],
    "test_histogram_of_odd_samples": ["[ True False]"],
    "test_methods": [
        "nanquantile-averaged_inverted_cdf",
        "nanquantile-interpolated_inverted_cdf",
        "nanquantile-linear",
        "nanquantile-median_unbiased",
        "nanquantile-weibull",
        "quantile-averaged_inverted_cdf",
        "quantile-interpolated_inverted_cdf",
        "quantile-weibull",
    ],
    "test_nan_functions": ["*-nanpercentile"],
    "test_numbers_on_either_side": ["pow-np.float32(2.0)", "pow-np.int8(2)"],
    "test_pad": ["*"],
    "test_page_of_names_is_current": [""],
    "test_percentile": ["*-50.5-None", "*-50.5-(0, 1, 2)"],
    "test_power_short_cuts": ["?-2.0"],
    "test_quantile_methods": [
        "i4-averaged_inverted_cdf",
        "i4-interpolated_inverted_cdf",
        "i4-weibull",
    ],
    "test_range_and_count": ["None"],
    "test_reductions_and_order": ["count_nonzero"],
    "test_reshape_arguments": [""],
    "test_shapes_that_are_none": ["None"],
    "test_signatures": [""],
    "test_signatures_have_numpys_names": [
        "arange",
        "array",
        "asanyarray",
        "asarray",
        "ascontiguousarray",
        "asfortranarray",
        "concatenate",
        "empty",
        "empty_like",
        "zeros",
    ],
    "test_through_numpy": ["clip-of-nothing", "clip-uint8", "count_nonzero"],
    "test_times": ["*unstack", "*unstack scalar", "*trim", "*trim wrong"],
    "test_trim_zeros": [""],
    "test_weights": ["*-quantile", "*-nanquantile"],
}


def name_case(item):
    """The parameters of a test as pytest names them, without the device."""
    callspec = getattr(item, "callspec", None)
    if callspec is None:
        return ""
    return callspec.id.removeprefix(str(callspec.params.get("device", ""))).removeprefix("-")


def differs_before(item):
    """Whether NumPy before 2.4 does otherwise in a test."""
    case = name_case(item)
    return any(
        case == each or (each.startswith("*") and case.endswith(each[1:]))
        for each in OLDER_NUMPY_DIFFERS.get(getattr(item, "originalname", None), ())
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
        if differs_before(item):
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


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item):
    """Fixtures' arrays go with their test; pytest would hold those of a module's last test beyond the module."""
    getattr(item, "funcargs", {}).clear()


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
    gc.freeze()  # collections need not look through what was there before, which is much
    yield
    after = live_memory()
    if after != before:
        gc.unfreeze()
        after = live_memory()
    traced = request.session.testsfailed > failed  # tracebacks hold what failing tests had
    assert traced or after == before or os.environ.get("GPUARRAY_TEST_LEAKS") == "0", (
        f"arrays outlive {request.node.nodeid}: {after}, before {before}"
    )


@pytest.fixture(params=list_devices())
def device(request):
    """Name of the device under test, made the default device for the length of the test."""
    before = gpuarray.default_device()
    gpuarray.set_default_device(request.param)
    yield request.param
    gpuarray.set_default_device(before)

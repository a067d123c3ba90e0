"""Running results along an axis: accumulate of every ufunc, cumsum and its like, accuracy, and the same bits always."""

import os
import subprocess
import sys

import numpy
import pytest
from oracle import check
from ufunc_table import ROWS

import gpuarray

BINARY = [
    row for row in ROWS if getattr(numpy, row.name).nin == 2 and getattr(numpy, row.name).nout == 1
]
DTYPES = ["?", "i1", "u1", "i2", "i4", "u8", "i8", "f2", "f4", "f8", "c8", "c16"]
FUNCTIONS = ["cumsum", "cumprod", "nancumsum", "nancumprod"]


def ramp(dtype, shape=(3, 4, 5)):
    size = int(numpy.prod(shape))
    return (numpy.arange(size) * 7 % 5).reshape(shape).astype(dtype)


def tolerance_of(row, dtype):
    return 1e-2 if dtype == "f2" else 4e-3 if row.ulp else 1e-5 if dtype in ("f4", "c8") else 1e-12


@pytest.mark.parametrize("row", BINARY, ids=lambda row: row.name)
def test_accumulate_of_every_ufunc(row, device):
    for dtype in DTYPES:
        values = numpy.array([[7, 2, 1, 1], [3, 1, 2, 1], [1, 2, 1, 3]]).astype(dtype)
        for axis in (0, 1, -1):
            check(
                lambda xp, a, axis=axis: getattr(xp, row.name).accumulate(a, axis=axis),
                values,
                device=device,
                rtol=tolerance_of(row, dtype),
            )


@pytest.mark.parametrize("dtype", ["M8[s]", "m8[ms]"])
@pytest.mark.parametrize("name", ["add", "subtract", "maximum", "fmin"])
def test_accumulate_of_times(name, dtype, device):
    values = numpy.array([5, 3, 9, 1]).astype(dtype)
    check(lambda xp, a: getattr(xp, name).accumulate(a), values, device=device)


@pytest.mark.smoke
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name, device):
    for dtype in DTYPES:
        for axis in (None, 0, 1, 2, -1):
            check(
                lambda xp, a, axis=axis: getattr(xp, name)(a, axis),
                ramp(dtype, (2, 3, 4)),
                device=device,
                rtol=1e-2 if dtype == "f2" else 1e-6,
            )


@pytest.mark.parametrize(
    "layout", ["c", "f", "swapped", "reversed", "strided", "broadcast", "one", "empty"]
)
@pytest.mark.parametrize("name", ["add", "maximum", "subtract"])
def test_layouts(name, layout, device):
    views = {
        "c": lambda xp, a: a,
        "f": lambda xp, a: a.T,
        "swapped": lambda xp, a: a.swapaxes(0, 1),
        "reversed": lambda xp, a: a[::-1, :, ::-1],
        "strided": lambda xp, a: a[:, ::2, 1::2],
        "broadcast": lambda xp, a: xp.broadcast_to(a[:, :1], (3, 4, 5)),
        "one": lambda xp, a: a[:1, :1, :1],
        "empty": lambda xp, a: a[:, :0],
    }
    for axis in (0, 1, 2):
        for dtype in ("f8", "i2"):
            check(
                lambda xp, a, axis=axis: getattr(xp, name).accumulate(views[layout](xp, a), axis),
                ramp(dtype),
                device=device,
                rtol=1e-12,
            )


SHAPES = [
    ((7,), 0),
    ((257,), 0),
    ((4096,), 0),
    ((32768,), 0),
    ((65537,), 0),
    ((300000,), 0),
    ((3, 70000), 1),
    ((2000, 9), 1),
    ((500, 100), 1),
    ((20, 2000), 1),
    ((70000, 3), 0),
    ((5000, 70), 0),
    ((40, 600, 11), 1),
    ((1500, 1100), 1),
    ((1500, 1100), 0),
]


@pytest.mark.parametrize(("shape", "axis"), SHAPES, ids=str)
def test_sizes_exactly(shape, axis, device):
    """Integers have one answer, whatever the order of adding."""
    for dtype in ("i8", "u1", "i4", "?"):
        check(lambda xp, a: xp.cumsum(a, axis=axis), ramp(dtype, shape), device=device, order=False)
    check(lambda xp, a: xp.maximum.accumulate(a, axis), ramp("f4", shape), device=device, rtol=0)
    check(lambda xp, a: xp.maximum.accumulate(a, axis), ramp("c16", shape), device=device, rtol=0)
    check(lambda xp, a: xp.logical_xor.accumulate(a, axis), ramp("?", shape), device=device)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8"])
@pytest.mark.parametrize(("shape", "axis"), SHAPES[:11], ids=str)
def test_accuracy(shape, axis, dtype, device):
    """No result is farther from the exact one than NumPy's worst is."""
    rng = numpy.random.default_rng(5)
    values = (rng.random(shape) * (1 if dtype != "f2" else 0.1)).astype(dtype)
    wide = numpy.complex128 if dtype == "c8" else numpy.longdouble
    exact = numpy.cumsum(values.astype(wide), axis=axis)
    with numpy.errstate(over="ignore", invalid="ignore"):
        theirs = numpy.abs(numpy.cumsum(values, axis=axis) - exact)
        ours = numpy.abs(gpuarray.asnumpy(gpuarray.cumsum(gpuarray.asarray(values), axis)) - exact)
    half_unit = numpy.finfo(dtype).eps * numpy.abs(exact[numpy.isfinite(exact)]).max()
    finite = numpy.isfinite(theirs)
    assert ours[finite].max() <= theirs[finite].max() + half_unit


def test_out_and_dtype(device):
    def into(xp, a, dtype):
        out = xp.zeros(a.shape, dtype)
        result = xp.cumsum(a, axis=0, out=out)
        assert result is out
        return out

    for dtype in ("f8", "f4", "i8", "i2"):
        check(lambda xp, a, dtype=dtype: into(xp, a, dtype), ramp("i2"), device=device)
    check(lambda xp, a: xp.cumsum(a, dtype="f4"), ramp("i4"), device=device)
    check(lambda xp, a: xp.add.accumulate(a, 1, "i1"), ramp("f8"), device=device)
    check(lambda xp, a: xp.cumprod(a, 1, dtype=complex), ramp("i4"), device=device)


def test_in_place(device):
    def within(xp, a):
        a = a.copy()
        xp.add.accumulate(a, axis=1, out=a)
        xp.add.accumulate(a[:, ::-1], axis=1, out=a)
        return a

    check(within, ramp("i8"), device=device)


def test_methods(device):
    check(lambda xp, a: a.cumsum(), ramp("i4"), device=device)
    check(lambda xp, a: a.cumsum(1), ramp("i4"), device=device)
    check(lambda xp, a: a.cumprod(axis=-1, dtype="f8"), ramp("i4"), device=device)
    check(lambda xp, a: a.T.cumsum(), ramp("f8"), device=device)
    check(lambda xp, a: xp.cumsum(xp.asarray(5.0)), ramp("f8"), device=device)
    check(lambda xp, a: xp.cumsum([1, 2, 3]), ramp("f8"), device=device)


needs_cumulative = pytest.mark.skipif(
    not hasattr(numpy, "cumulative_sum"), reason="came with NumPy 2.1"
)


@needs_cumulative
@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
def test_cumulative(name, device):
    for initial in (False, True):
        for axis in (0, 1, -1, None):
            check(
                lambda xp, a, axis=axis, initial=initial: getattr(xp, name)(
                    a, axis=axis, include_initial=initial
                ),
                ramp("i4"),
                device=device,
            )
        check(
            lambda xp, a, initial=initial: getattr(xp, name)(a, include_initial=initial),
            ramp("f4", (6,)),
            device=device,
        )
    check(
        lambda xp, a: getattr(xp, name)(
            a, axis=1, include_initial=True, out=xp.zeros((3, 5, 5), "i8")
        ),
        ramp("i4"),
        device=device,
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, a: xp.add.accumulate(5),
        lambda xp, a: xp.add.accumulate(a, axis=None),
        lambda xp, a: xp.add.accumulate(a, axis=(0, 1)),
        lambda xp, a: xp.add.accumulate(a, axis=3),
        lambda xp, a: xp.cumsum(a, axis=-4),
        lambda xp, a: xp.sin.accumulate(a),
        lambda xp, a: xp.divmod.accumulate(a),
        lambda xp, a: xp.less.accumulate(a),
        lambda xp, a: xp.cumsum(a, out=xp.zeros(3)),
        lambda xp, a: xp.add.accumulate(a, bad=1),
    ],
)
def test_refusals(call, device):
    check(call, ramp("f8"), device=device)


@pytest.mark.parametrize(
    "name, dtype", [("hypot", "f8"), ("hypot", "f4"), ("gcd", "i4"), ("gcd", "i8")]
)
def test_the_first_element_stays(device, name, dtype):
    a = numpy.array([[-3, 4, -12], [-6, -8, 5]], dtype)
    for axis in (0, 1):
        check(lambda xp, a, x=axis: getattr(xp, name).accumulate(a, x), a, device=device, ulp=2)
        check(
            lambda xp, a, x=axis: getattr(xp, name).accumulate(a, x, out=a), a, device=device, ulp=2
        )
    check(lambda xp, a: getattr(xp, name).accumulate(a[::-1, ::-2]), a, device=device, ulp=2)


def test_nan_and_infinities(device):
    values = numpy.array([1.0, numpy.nan, 2.0, numpy.inf, -numpy.inf, 3.0, -0.0])
    for name in FUNCTIONS:
        check(lambda xp, a, name=name: getattr(xp, name)(a), values, device=device, rtol=0)
    for name in ("maximum", "fmax", "minimum", "fmin", "logaddexp"):
        check(
            lambda xp, a, name=name: getattr(xp, name).accumulate(a),
            values,
            device=device,
            rtol=1e-12,
        )


DIGEST = """
import hashlib, numpy, gpuarray
gpuarray.set_default_device("cpu")
rng = numpy.random.default_rng(3)
digest = hashlib.sha256()
for shape, axis in [((300001,), 0), ((7, 40000), 1), ((40000, 7), 0), ((300, 700), 0)]:
    a = gpuarray.asarray(rng.standard_normal(shape).astype("f4"))
    for result in (
        gpuarray.cumsum(a, axis=axis),
        gpuarray.cumprod(a, axis=axis),
        gpuarray.add.reduceat(a, [0, 5, 2, 100], axis=axis),
        gpuarray.std(a, axis=axis),
        gpuarray.var(a),
    ):
        digest.update(gpuarray.asnumpy(result).tobytes())
print(digest.hexdigest())
"""


def test_same_bits_for_any_number_of_threads():
    digests = set()
    for threads in ("1", "2", "3"):
        environment = {**os.environ, "GPUARRAY_CPU_THREADS": threads}
        run = subprocess.run(
            [sys.executable, "-c", DIGEST],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        digests.add(run.stdout)
    assert len(digests) == 1


@pytest.mark.parametrize("size", [200000, 5000011])
def test_same_bits_again(device, size):
    values = numpy.random.default_rng(4).standard_normal(size).astype("f4")
    a = gpuarray.asarray(values, device=device)
    digests = {gpuarray.asnumpy(gpuarray.cumsum(a)).tobytes() for _ in range(5)}
    assert len(digests) == 1


@pytest.mark.parametrize("shape", [(5000011,), (2, 2300000)], ids=str)
def test_rows_of_several_groups_of_tiles(device, shape):
    a = numpy.random.default_rng(3).integers(-100, 100, shape).astype("i4")
    for view in (numpy.s_[...], numpy.s_[..., 1:], numpy.s_[..., ::-1]):
        check(lambda xp, a, v=view: xp.cumsum(a[v], -1), a, device=device)
        check(lambda xp, a, v=view: xp.cumsum(a[v], -1, dtype="i4"), a, device=device)
    check(lambda xp, a: xp.cumsum(a, -1), a.astype("i8"), device=device)
    check(lambda xp, a: xp.maximum.accumulate(a, -1), a.astype("f4"), device=device, rtol=0)
    check(lambda xp, a: xp.cumsum(a, -1), a.astype("f8"), device=device, rtol=0)


@pytest.mark.parametrize("axis", [(0, 1), (0,), None, 0, -1, 5, 1.5, numpy.int64(1)], ids=repr)
def test_axis_is_one(device, axis):
    for name in FUNCTIONS:
        check(lambda xp, a, n=name: getattr(xp, n)(a, axis=axis), ramp("f8"), device=device)
    check(lambda xp, a: a.cumsum(axis=axis), ramp("f8"), device=device)


@pytest.mark.parametrize(
    "shape", [(7,), (4096,), (70001,), (400009,), (3, 70001), (1030, 50)], ids=str
)
@pytest.mark.parametrize("dtype", ["?", "u1", "i1", "i2", "i4", "u4"])
def test_sums_that_are_wider_than_what_they_sum(dtype, shape, device):
    a = numpy.random.default_rng(2).integers(-100, 100, shape).astype(dtype)
    for axis in range(len(shape)):
        check(lambda xp, a, axis=axis: xp.cumsum(a, axis), a, device=device)
        check(lambda xp, a, axis=axis: xp.cumsum(a[..., 1:], axis), a, device=device)
        check(lambda xp, a, axis=axis: xp.cumsum(a[..., ::-2], axis), a, device=device)

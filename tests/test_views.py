"""Attributes of the layout, and methods that give views or copies in another shape."""

import sys

import numpy
import pytest
from grids import grid
from oracle import check

import gpuarray

LAYOUTS = [
    lambda a, cube: a,
    lambda a, cube: a.copy("F"),
    lambda a, cube: a[:, ::-1],
    lambda a, cube: a[::2, 1:3],
    lambda a, cube: a.T,
    lambda a, cube: cube.transpose(1, 0, 2),
    lambda a, cube: cube[:1, :, 1:2],
    lambda a, cube: a[1:2, :1],
    lambda a, cube: a[:0],
    lambda a, cube: a[1, 1, ...],
    lambda a, cube: a[1],
]


@pytest.fixture(params=range(len(LAYOUTS)))
def layout(request):
    """A function that makes one layout with either library: views are made by the same steps."""
    make = LAYOUTS[request.param]
    return lambda xp: make(xp.asarray(grid()), xp.asarray(grid(shape=(2, 3, 4))))


ATTRIBUTES = ["shape", "strides", "ndim", "size", "itemsize", "nbytes", "dtype", "T", "real"]


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_attribute(device, layout, name):
    check(lambda xp: getattr(layout(xp), name), device=device)


@pytest.mark.parametrize(
    "name",
    [
        "c_contiguous",
        "f_contiguous",
        "writeable",
        "aligned",
        "forc",
        "fnc",
        "behaved",
        "carray",
        "farray",
        "contiguous",
    ],
)
def test_flag(device, layout, name):
    check(lambda xp: getattr(layout(xp).flags, name), device=device)


@pytest.mark.parametrize("order", ["C", "F", "A"])
@pytest.mark.parametrize(
    "shape", [(12,), (4, 3), (2, -1), (1, 2, 6), -1, (5, 2), (-1, -1), (), (0,), (-1, 0)]
)
def test_reshape(device, layout, shape, order):
    check(lambda xp: layout(xp).reshape(shape, order=order), device=device)


def test_reshape_arguments(device):
    a = grid()
    check(lambda xp, a: a.reshape(2, 6), a, device=device)
    check(lambda xp, a: a.reshape([2, 6]), a, device=device)
    check(lambda xp, a: a.reshape(), a, device=device)
    check(lambda xp, a: a.reshape(2, 6, order="Q"), a, device=device)
    check(lambda xp, a: a.reshape(2.0, 6), a, device=device)
    check(lambda xp, a: a.reshape(12, copy=False).base is not None, a, device=device)
    check(lambda xp, a: a.T.reshape(12, copy=False), a, device=device)
    check(lambda xp, a: a.reshape(12, copy=True), a, device=device)
    check(lambda xp, a: a.reshape(12, wrong=1), a, device=device)


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
def test_ravel_flatten(device, layout, order):
    check(lambda xp: layout(xp).ravel(order), device=device)
    check(lambda xp: layout(xp).flatten(order), device=device)
    check(lambda xp: layout(xp).copy(order), device=device)
    check(lambda xp: layout(xp).astype("f4", order=order), device=device)


@pytest.mark.smoke
def test_views_share_memory(device):
    def body(xp, a):
        a.reshape(-1)[1] = 100
        a.T[0, 0] = 101
        a.ravel()[2] = 102
        a.swapaxes(0, 1)[1, 1] = 103
        a[None].squeeze()[2, 3] = 104
        a.view("i8")[0, 3] = 0
        a[1:].mT[0] = 105
        a.flatten()[0] = -1
        return a

    check(body, grid(), device=device)


def test_transposes(device):
    cube = grid(shape=(2, 3, 4))
    for axes in [
        (),
        (None,),
        ((1, 0, 2),),
        (2, 0, 1),
        (-1, 0, 1),
        (0, 0, 1),
        (0, 1),
        (0, 1, 3),
        ([2, 1, 0],),
    ]:
        check(lambda xp, a, axes=axes: a.transpose(*axes), cube, device=device)
    for axes in [(0, 1), (-1, 0), (2, 2), (0, 3), (0,)]:
        check(lambda xp, a, axes=axes: a.swapaxes(*axes), cube, device=device)
    check(lambda xp, a: a.mT, cube, device=device)
    check(lambda xp, a: a.mT, numpy.arange(3), device=device)


@pytest.mark.parametrize("axis", [None, 0, 2, -1, (0, 2), 1, 5, (0, 0)])
def test_squeeze(device, axis):
    check(lambda xp, a: a.squeeze(axis), grid(shape=(1, 3, 1)), device=device)
    check(
        lambda xp, a: (a.squeeze() is a, xp.squeeze(a, ()) is a),
        grid(shape=(2, 3)),
        device=device,
    )


@pytest.mark.parametrize(
    "args", [(), (1,), (-1,), (0, 1, 2), (1, -1, 0), (9,), (0, 1, 1), (0, 0, 5)]
)
def test_diagonal(device, args):
    check(lambda xp, a: a.diagonal(*args), grid(shape=(3, 4, 2)), device=device)
    check(lambda xp, a: a.diagonal(*args).flags.writeable, grid(shape=(3, 4, 2)), device=device)


@pytest.mark.parametrize("dtype", ["f4", "i8", "u1", "c16", "i2", "m8[s]", "S3", "i4,i4"])
def test_view_dtype(device, dtype):
    if dtype in ("S3", "i4,i4"):
        with pytest.raises(TypeError):
            gpuarray.ones(4, device=device).view(dtype)
        return
    for make in (
        lambda a: a,
        lambda a: a.T,
        lambda a: a[:, ::2],
        lambda a: a[0],
        lambda a: a[:1, :1],
        lambda a: a[:0],
    ):
        check(lambda xp, a, make=make: make(a).view(dtype), grid(), device=device)
    check(lambda xp: xp.asarray(3.0)[...].view(dtype), device=device)


def test_real_imag(device):
    z = (grid() + 2j * grid()).astype("F")

    def assign(xp, z):
        z.real = 5
        z.imag[0] = [1, 2, 3, 4]
        z.T.imag[0] = 9
        return z

    check(
        lambda xp, z: (z.real, z.imag, z.T.imag, z[::2].real, z[0, 1].imag, z[0, 1].real),
        z,
        device=device,
    )
    check(assign, z, device=device)
    check(lambda xp, a: (a.real is a, a.imag, a.imag.flags.writeable), grid(), device=device)

    def wrong(xp, a):
        a.imag = 3

    check(wrong, grid(), device=device)


def test_set_shape_and_dtype(device):
    def reshape(xp, a):
        a.shape = (4, -1)
        return a

    def impossible(xp, a):
        a.T.shape = 12

    def many(xp, a):
        a.shape = (1, 2, 1, 2, 1, 3)
        return a, a.T

    check(reshape, grid(), device=device)
    check(impossible, grid(), device=device)
    check(many, grid(), device=device)
    ours = gpuarray.array([1.0, 2.0], device=device)
    ours.dtype = "i8"
    assert ours.tolist() == numpy.array([1.0, 2.0]).view("i8").tolist()


def test_resize(device):
    # From Python 3.14 on NumPy cannot tell a variable from another array and refuses all that have a name.
    refcheck = sys.version_info < (3, 14)

    def body(xp, *shape):
        a = xp.arange(6).reshape(2, 3).copy()
        a.resize(*shape, refcheck=refcheck)
        return a

    for shape in [(5,), (8,), (2, 2), ((4, 4),), (0,), (-1,)]:
        check(body, *shape, device=device)

    def view_alive(xp):
        a = xp.arange(6)
        view = a[1:]
        a.resize(10)
        return view

    check(view_alive, device=device)

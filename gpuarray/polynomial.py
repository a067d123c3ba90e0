"""Polynomials: the names of numpy.polynomial.

Values of series and their Vandermonde matrices are computed on the device, in one kernel. The arithmetic of
coefficients, which are few, runs in NumPy on the host, and the classes are NumPy's own.
"""

import functools
import importlib
import math
import operator
import sys
import types

import numpy.polynomial

from gpuarray import _core
from gpuarray._core import array, asarray, ndarray
from gpuarray._creation import eye
from gpuarray._fallback import run_silently, wrap
from gpuarray._series import BASES, add_series
from gpuarray._shape import moveaxis

__all__ = list(numpy.polynomial.__all__)

PREFIXES = {
    "polynomial": "poly",
    "chebyshev": "cheb",
    "legendre": "leg",
    "hermite": "herm",
    "hermite_e": "herme",
    "laguerre": "lag",
}


def take_coefficients(c, *points):
    """Coefficients as an array with at least one dimension, in floating point."""
    device = next((each.device for each in (c, *points) if isinstance(each, ndarray)), None)
    c = array(c, copy=None, ndmin=1, device=device)
    return c.astype(float) if c.dtype.kind in "biu" else c


def take_points(points, device):
    """Points of one shape, for the functions of several variables."""
    points = [asarray(each, device=device) for each in points]
    if any(each.shape != points[0].shape for each in points[1:]):
        names = "x, y, z" if len(points) == 3 else "x, y"
        raise ValueError(f"{names} are incompatible")
    return points


def multiply_columns(matrices):
    """Vandermonde matrices of several variables: all products of a column of each, the last one counting fastest."""
    n = len(matrices)
    spread = (
        each.reshape(each.shape[:-1] + (1,) * i + each.shape[-1:] + (1,) * (n - i - 1))
        for i, each in enumerate(matrices)
    )
    product = functools.reduce(operator.mul, spread)
    return product.reshape(product.shape[:-n] + (math.prod(product.shape[-n:]),))


def make_values(basis):
    """`val` and its kin for a basis, by what follows the prefix in their names."""

    def val(x, c, tensor=True):
        """Values of series at points: of each series at each of them, or with tensor=False broadcast together."""
        c = take_coefficients(c, x)
        return add_series(basis, x, c, paired=not tensor and c.ndim > 1)

    def val_at(c, *points):
        c = take_coefficients(c, *points)
        points = take_points(points, c.device)
        c = add_series(basis, points[0], c)
        for each in points[1:]:
            c = add_series(basis, each, c, paired=True)
        return c

    def val2d(x, y, c):
        """Values of a series of two variables at points (x, y)."""
        return val_at(c, x, y)

    def val3d(x, y, z, c):
        """Values of a series of three variables at points (x, y, z)."""
        return val_at(c, x, y, z)

    def grid_at(c, *axes):
        c = take_coefficients(c, *axes)
        for each in axes:
            c = add_series(basis, each, c)
        return c

    def grid2d(x, y, c):
        """Values of a series of two variables on the grid that x and y span."""
        return grid_at(c, x, y)

    def grid3d(x, y, z, c):
        """Values of a series of three variables on the grid that x, y and z span."""
        return grid_at(c, x, y, z)

    return {"val": val, "val2d": val2d, "val3d": val3d, "grid2d": grid2d, "grid3d": grid3d}


def make_matrices(basis):
    """`vander` and its kin for a basis, by what follows the prefix in their names."""

    def vander(x, deg):
        """Matrix whose columns are the polynomials of degree 0 to `deg` at points."""
        deg = operator.index(deg)
        if deg < 0:
            raise ValueError("deg must be non-negative")
        x = array(x, copy=None, ndmin=1) + 0.0
        if basis == BASES["polynomial"]:
            return multiply_powers(x, deg)
        return moveaxis(add_series(basis, x, eye(deg + 1, dtype=x.dtype, device=x.device)), 0, -1)

    def vander_at(points, degrees):
        if len(points) != len(degrees):
            raise ValueError(f"Expected {len(points)} dimensions of degrees, got {len(degrees)}")
        return multiply_columns([vander(x, each) for x, each in zip(points, degrees, strict=True)])

    def vander2d(x, y, deg):
        """Matrix of the products of polynomials in x and in y at points."""
        return vander_at((x, y), deg)

    def vander3d(x, y, z, deg):
        """Matrix of the products of polynomials in x, in y and in z at points."""
        return vander_at((x, y, z), deg)

    return {"vander": vander, "vander2d": vander2d, "vander3d": vander3d}


def multiply_powers(x, deg):
    """Powers 0 to `deg` of each point, along a new last axis."""
    result = _core.empty((deg + 1, *x.shape), x.dtype, device=x.device)
    result[0] = x * 0 + 1
    if deg > 0:
        result[1:] = x
        _core.multiply.accumulate(result[1:], out=result[1:])
    return moveaxis(result, 0, -1)


def polyvalfromroots(x, r, tensor=True):
    """Values at points of the polynomial with given roots."""
    r = take_coefficients(r, x)
    x = asarray(x, device=r.device)
    if tensor:
        r = r.reshape(r.shape + (1,) * x.ndim)
    elif x.ndim >= r.ndim:
        raise ValueError("x.ndim must be < r.ndim when tensor == False")
    return _core.prod(x - r, axis=0)


def holds_device_array(values):
    return any(isinstance(each, ndarray) for each in values)


def on_device(function, theirs, name):
    """`function` under NumPy's name, or NumPy's for points and coefficients that no device holds."""

    @functools.wraps(function)
    def checked(*args, **kwargs):
        if holds_device_array((*args, *kwargs.values())):
            return function(*args, **kwargs)
        return run_silently(theirs, name, args, kwargs)

    checked.__name__ = checked.__qualname__ = theirs.__name__
    return checked


def make_functions(name):
    """The functions of one module that run on the device, by name."""
    basis, prefix = BASES[name], PREFIXES[name]
    parts = {**make_values(basis), **make_matrices(basis)}
    functions = {f"{prefix}{part}": function for part, function in parts.items()}
    if name == "polynomial":
        functions["polyvalfromroots"] = polyvalfromroots
    return functions


def adopt(path, name, value, own):
    """A name of a module of NumPy's: ours if there is one, classes and constants as they are, functions on the host."""
    label = f"gpuarray.{path}.{name}"
    if name in own:
        return on_device(own[name], value, label)
    if isinstance(value, (type, types.ModuleType)) or not callable(value):
        return value
    return wrap(value, label)


def mirror(name):
    """Module like numpy.polynomial.<name>."""
    path = f"polynomial.{name}"
    theirs = importlib.import_module(f"numpy.{path}")
    ours = types.ModuleType(f"gpuarray.{path}", theirs.__doc__)
    names = theirs.__all__
    own = make_functions(name) if name in BASES else {}
    ours.__all__ = list(names)
    vars(ours).update({each: adopt(path, each, getattr(theirs, each), own) for each in names})
    sys.modules[ours.__name__] = ours
    return ours


for _name in (*__all__, "polyutils"):
    _value = getattr(numpy.polynomial, _name)
    globals()[_name] = mirror(_name) if isinstance(_value, types.ModuleType) else _value

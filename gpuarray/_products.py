"""matmul, vecdot, matvec and vecmat: NumPy's generalised ufuncs, made of the compiled matrix product.

Invariant: dtypes, attributes and the names of core dimensions are those of NumPy's ufunc; only where the core axes lie
(`axes=`, `axis=`, `keepdims=`) is decided here.
"""

import operator

import numpy

from gpuarray import _core
from gpuarray._core import asarray, conjugate, ndarray
from gpuarray._shape import moveaxis

__all__ = ["matmul", "matvec", "vecdot", "vecmat"]

# Attributes that NumPy's ufunc answers.
ATTRIBUTES = ("identity", "nargs", "nin", "nout", "ntypes", "resolve_dtypes", "signature", "types")


class Product:
    """A product of two arrays over core axes, which are the last ones unless `axes` says otherwise."""

    def __init__(self, name, core, multiply, text):
        self.__name__ = self.__qualname__ = name
        self.__doc__ = text
        self.core = core  # core dimensions of the operands and of the result
        self.multiply = multiply

    def __repr__(self):
        return f"<ufunc '{self.__name__}'>"

    def __reduce__(self):
        return self.__name__

    def __getattr__(self, name):
        if name in ATTRIBUTES:
            return getattr(getattr(numpy, self.__name__), name)
        raise AttributeError(f"{self!r} has no attribute {name!r}")

    def __call__(
        self,
        x1,
        x2,
        /,
        out=None,
        *,
        axes=None,
        axis=None,
        keepdims=False,
        casting=None,
        order=None,
        dtype=None,
        subok=True,
        signature=None,
    ):
        if axes is axis is casting is order is dtype is signature is None and not keepdims:
            return self.multiply(x1, x2, out=out)
        if signature is not None:
            dtype = self.take_signature(signature)
        given = {"casting": casting, "order": order, "dtype": dtype}
        given = {key: value for key, value in given.items() if value is not None}
        if axes is None and axis is None and not keepdims:
            return self.multiply(x1, x2, out=out, **given)
        return self.call_along(asarray(x1), asarray(x2), out, axes, axis, keepdims, given)

    def take_signature(self, signature):
        """The loop's dtype of a signature such as "dd->d" or a tuple of dtypes."""
        if isinstance(signature, str):
            signature = signature.replace("->", "")
        return numpy.dtype(signature[-1])

    def call_along(self, x1, x2, out, axes, axis, keepdims, given):
        """The call with core axes elsewhere: views that have them last, and a result moved to where it belongs."""
        place = self.place_axes(axes, axis, keepdims)
        x1, x2 = (to_last(x, each) for x, each in zip((x1, x2), place, strict=False))
        target = out[0] if isinstance(out, tuple) else out
        inner = target if target is None else to_last(target, place[2])
        if keepdims and inner is not None:
            inner = inner[..., 0]
        result = self.multiply(x1, x2, out=inner, **given)
        if target is not None:
            return target
        if keepdims:
            result = result[..., None]
        return from_last(result, place[2]) if place[2] else result

    def place_axes(self, axes, axis, keepdims):
        """Core axes of the two operands and of the result, as tuples."""
        if axes is not None and axis is not None:
            raise TypeError("cannot specify both 'axis' and 'axes'")
        shared = self.core == (1, 1, 0)
        if keepdims and not shared:
            raise TypeError(
                f"{self.__name__} does not support keepdims: its inputs have unlike core dimensions"
            )
        if axis is not None and not shared:
            raise TypeError(
                f"{self.__name__}: axis can only be used with a single shared core dimension, "
                f"not with the signature {self.signature}"
            )
        last = keepdims or self.core[2]
        if axis is not None:
            axis = operator.index(axis)
            return (axis,), (axis,), (axis,) if last else ()
        if axes is None:
            return (-1,), (-1,), (-1,)
        return self.read_axes(axes, int(last))

    def read_axes(self, axes, last):
        if not isinstance(axes, list):
            raise TypeError(f"{self.__name__}: axes should be a list, not {type(axes).__name__}")
        if len(axes) == 2 and not last:
            axes = [*axes, ()]
        if len(axes) != 3:
            raise ValueError(
                f"{self.__name__}: axes should be a list with an entry for all 3 inputs and outputs"
            )
        places = tuple(
            (operator.index(each),)
            if not isinstance(each, tuple)
            else tuple(map(operator.index, each))
            for each in axes
        )
        if tuple(map(len, places)) != (*self.core[:2], last):
            raise numpy.exceptions.AxisError(
                f"{self.__name__}: axes {axes} should name {(*self.core[:2], last)} core axes"
            )
        return places


def to_last(x, axes):
    """View with core axes moved to the end, if they are not there."""
    return moveaxis(x, axes, range(-len(axes), 0)) if axes else x


def from_last(x, axes):
    return moveaxis(x, range(-len(axes), 0), axes)


def conjugated(x):
    return conjugate(x) if x.dtype.kind == "c" else x


def as_operands(x1, x2, out):
    """Operands on the device of the one that is there already."""
    known = (
        x for x in (x1, x2, out[0] if isinstance(out, tuple) else out) if isinstance(x, ndarray)
    )
    device = next((x.device for x in known), None)
    return asarray(x1, device=device), asarray(x2, device=device)


def target_view(out, added):
    """The view of `out` that a matrix product writes to: with axes of length one where a vector had none."""
    out = out[0] if isinstance(out, tuple) else out
    return None if out is None else out[(..., *added)]


def settle(result, out, dropped):
    if out is not None:
        return out[0] if isinstance(out, tuple) else out
    result = result[(..., *dropped)]
    return result[()] if result.ndim == 0 else result


def check_core(name, x1, x2, core, sizes):
    """NumPy's errors for operands with too few dimensions and for core dimensions of unlike lengths."""
    for operand, (x, ndim) in enumerate(zip((x1, x2), core, strict=False)):
        if x.ndim < ndim:
            raise ValueError(
                f"{name}: Input operand {operand} does not have enough dimensions (has {x.ndim}, gufunc core with "
                f"signature {getattr(numpy, name).signature} requires {ndim})"
            )
    one, other = x1.shape[sizes[0]], x2.shape[sizes[1]]
    if one != other:
        raise ValueError(
            f"{name}: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
            f"{getattr(numpy, name).signature} (size {other} is different from {one})"
        )


def multiply_vectors(x1, x2, out=None, **keywords):
    x1, x2 = as_operands(x1, x2, out)
    check_core("vecdot", x1, x2, (1, 1), (-1, -1))
    target = target_view(out, (None, None))
    result = _core.matmul(conjugated(x1)[..., None, :], x2[..., None], out=target, **keywords)
    return settle(result, out, (0, 0))


def multiply_matrix_vector(x1, x2, out=None, **keywords):
    x1, x2 = as_operands(x1, x2, out)
    check_core("matvec", x1, x2, (2, 1), (-1, -1))
    result = _core.matmul(x1, x2[..., None], out=target_view(out, (None,)), **keywords)
    return settle(result, out, (0,))


def multiply_vector_matrix(x1, x2, out=None, **keywords):
    x1, x2 = as_operands(x1, x2, out)
    check_core("vecmat", x1, x2, (1, 2), (-1, -2))
    target = out if out is None else target_view(out, (None, slice(None)))
    result = _core.matmul(conjugated(x1)[..., None, :], x2, out=target, **keywords)
    return settle(result, out, (0, slice(None)))


matmul = Product(
    "matmul",
    (2, 2, 2),
    _core.matmul,
    "Matrix product; leading axes are broadcast, vectors gain an axis for it.",
)
vecdot = Product(
    "vecdot",
    (1, 1, 0),
    multiply_vectors,
    "Sums of the products of conj(x1) and x2 along an axis, with broadcasting.",
)
matvec = Product(
    "matvec",
    (2, 1, 1),
    multiply_matrix_vector,
    "Products of matrices and vectors, with broadcasting.",
)
vecmat = Product(
    "vecmat",
    (1, 2, 1),
    multiply_vector_matrix,
    "Products of conjugate vectors and matrices, with broadcasting.",
)

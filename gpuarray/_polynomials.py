"""Polynomials by their coefficients, highest power first.

What is given a poly1d is NumPy's business, since a poly1d lives on the host.
"""

import functools
import warnings

import numpy

import gpuarray
from gpuarray import _core
from gpuarray._convolution import convolve
from gpuarray._core import arange, asarray, concatenate, empty, ndarray, ones, zeros
from gpuarray._creation import eye, vander
from gpuarray._dtypes import result_type
from gpuarray._fallback import run_silently
from gpuarray._linear import outer
from gpuarray._series import BASES, add_series, computed_type
from gpuarray._shape import atleast_1d
from gpuarray._sorting import dense, sort

__all__ = [
    "poly",
    "polyadd",
    "polyder",
    "polydiv",
    "polyfit",
    "polyint",
    "polymul",
    "polysub",
    "polyval",
    "roots",
]


def on_host_if_poly1d(function):
    """`function`, or NumPy's where an argument is a poly1d."""
    theirs = getattr(numpy, function.__name__)

    @functools.wraps(function)
    def checked(*args, **kwargs):
        if any(isinstance(each, numpy.poly1d) for each in (*args, *kwargs.values())):
            return run_silently(theirs, f"gpuarray.{function.__name__}", args, kwargs)
        return function(*args, **kwargs)

    return checked


def find_device(*values):
    return next((each.device for each in values if isinstance(each, ndarray)), None)


def take_pair(a1, a2):
    device = find_device(a1, a2)
    return [atleast_1d(asarray(each, device=device)) for each in (a1, a2)]


def combine(ufunc, a1, a2):
    """A ufunc of coefficients that belong to the same power."""
    a1, a2 = take_pair(a1, a2)
    short, long = sorted((a1, a2), key=len)
    padded = short
    if len(short) < len(long):
        margin = zeros(len(long) - len(short), short.dtype, device=short.device)
        padded = concatenate((margin, short))
    return ufunc(padded, a2) if short is a1 else ufunc(a1, padded)


@on_host_if_poly1d
def polyadd(a1, a2):
    """Sum of two polynomials."""
    return combine(_core.add, a1, a2)


@on_host_if_poly1d
def polysub(a1, a2):
    """Difference of two polynomials."""
    return combine(_core.subtract, a1, a2)


def without_leading_zeros(a):
    if a.ndim > 1:
        raise ValueError("Polynomial must be 1d only.")
    truth = a.astype(bool, copy=False)
    first = int(truth.argmax()) if len(a) else 0
    if first == 0 and not (len(a) and truth[0]):
        return zeros(1, a.dtype, device=a.device)
    return a[first:]


@on_host_if_poly1d
def polymul(a1, a2):
    """Product of two polynomials."""
    return convolve(*map(without_leading_zeros, take_pair(a1, a2)))


def find_first_term(rest):
    """The position of the first coefficient that is not as good as zero; of the last one if all are."""
    matters = _core.logical_not(_core.absolute(rest) <= 1e-8)
    matters[-1] = True
    return int(matters.argmax())


@on_host_if_poly1d
def polydiv(u, v):
    """Quotient and remainder of two polynomials."""
    u, v = (each + 0.0 for each in take_pair(u, v))
    if u.ndim > 1 or v.ndim > 1:
        raise ValueError(f"polydiv: coefficients of shapes {u.shape} and {v.shape} are no vectors")
    if len(u) == 0 or len(v) == 0:
        raise IndexError("polydiv: a polynomial without coefficients has no first one")
    dtype = result_type(u, v)
    if len(u) < len(v):
        quotient, rest = zeros(1, dtype, device=u.device), u.astype(dtype)
    else:
        u, v = (dense(each.astype(computed_type(dtype), copy=False)) for each in (u, v))
        quotient, rest = (each.astype(dtype, copy=False) for each in _core._divide_series(u, v))
    return quotient, rest[find_first_term(rest) :]


@on_host_if_poly1d
def polyder(p, m=1):
    """Derivative of a polynomial, `m` times over."""
    m = int(m)
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    p = asarray(p)
    if p.ndim != 1:
        kind = TypeError if p.ndim == 0 else ValueError
        raise kind(f"polyder: coefficients of shape {p.shape} are no vector")
    for _ in range(m):
        p = p[:-1] * arange(len(p) - 1, 0, -1, device=p.device)
    return p


@on_host_if_poly1d
def polyint(p, m=1, k=None):
    """Antiderivative of a polynomial, `m` times over, with the constants `k`."""
    m = int(m)
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    p = asarray(p)
    k = zeros(m, device=p.device) if k is None else atleast_1d(asarray(k, device=p.device))
    if len(k) == 1 and m > 1:
        k = k[0] * ones(m, device=p.device)
    if len(k) < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    for i in range(m):
        powers = arange(len(p), 0, -1, device=p.device)
        dtype = result_type(p.dtype, powers.dtype, 1.0, k.dtype)
        raised = empty(len(p) + 1, dtype, device=p.device)
        _core.divide(p, powers, out=raised[:-1])
        raised[-1:] = k[i : i + 1]
        p = raised
    return p


@on_host_if_poly1d
def polyval(p, x):
    """Values of a polynomial at points."""
    device = find_device(p, x)
    if device is None:
        return run_silently(numpy.polyval, "gpuarray.polyval", (p, x), {})
    p, x = asarray(p, device=device), asarray(x, device=device)
    if len(p) == 0:
        return _core.zeros_like(x)
    if p.ndim > 1:  # a coefficient is a vector, which meets the points as in any product
        return add_series(BASES["polynomial"], x, p[::-1], paired=True)
    return add_series(BASES["polynomial"], x, p[::-1])


def eigenvalues(a):
    return gpuarray.linalg.eigvals(a)


@on_host_if_poly1d
def poly(seq_of_zeros):
    """Coefficients of the polynomial with given roots, or of a matrix' characteristic polynomial."""
    found = atleast_1d(asarray(seq_of_zeros))
    if found.ndim == 2 and found.shape[0] == found.shape[1] != 0:
        found = eigenvalues(found)
    elif found.ndim == 1:
        found = found.astype(numpy.mintypecode(found.dtype.char), copy=False)
    else:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    if len(found) == 0:
        return 1.0
    result = _core._expand_roots(dense(found))
    if result.dtype.kind == "c":
        wide = found.astype(complex, copy=False)
        if bool((sort(wide) == sort(_core.conjugate(wide))).all()):
            result = result.real.copy()
    return result


@on_host_if_poly1d
def roots(p):
    """Roots of a polynomial: the eigenvalues of its companion matrix."""
    p = atleast_1d(asarray(p))
    if p.ndim != 1:
        raise ValueError("Input must be a rank-1 array.")
    present = gpuarray.flatnonzero(p)
    if len(present) == 0:
        return zeros(0, device=p.device)
    first, last = present[:: max(len(present) - 1, 1)].tolist() * (1 + (len(present) == 1))
    trailing = len(p) - last - 1
    p = p[first : last + 1]
    if p.dtype.kind not in "fc":
        p = p.astype(float)
    found = zeros(0, device=p.device)
    if len(p) > 1:
        companion = eye(len(p) - 1, k=-1, dtype=p.dtype, device=p.device)
        _core.divide(-p[1:], p[:1], out=companion[0, ...])
        found = eigenvalues(companion)
        if p.dtype.kind == "f" and found.dtype.kind == "c" and not found.imag.any():
            found = found.real.copy()
    return (
        concatenate((found, zeros(trailing, found.dtype, device=p.device))) if trailing else found
    )


# ---- fitting ----


def check_points(x, y, deg):
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim < 1 or y.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if x.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")


def as_inexact(values, device):
    """An array in the dtype that it has plus 0.0."""
    values = asarray(values, device=device)
    return values.astype(result_type(values, 0.0), copy=False)


def weigh(left, right, w):
    """Both sides of the equations times the weights."""
    w = as_inexact(w, left.device)
    if w.ndim != 1:
        raise TypeError("expected a 1-d array for weights")
    if w.shape[0] != right.shape[0]:
        raise TypeError("expected w and y to have the same length")
    return left * w[:, None], right * (w[:, None] if right.ndim == 2 else w)


def find_covariance(left, scale, residuals, x, y, order, kind):
    """Covariance of the coefficients of a fit."""
    base = gpuarray.linalg.inv(_core.dot(left.T, left)) / outer(scale, scale)
    factor = 1
    if kind != "unscaled":
        if len(x) <= order:
            raise ValueError(
                "the number of data points must exceed order to scale the covariance matrix"
            )
        factor = residuals / (len(x) - order)
    return base * factor if y.ndim == 1 else base[:, :, None] * factor


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """Coefficients of the polynomial of a degree that fits points best, in the sense of least squares."""
    device = find_device(x, y, w)
    order = int(deg) + 1
    x, y = (as_inexact(each, device) for each in (x, y))
    check_points(x, y, deg)
    rcond = len(x) * numpy.finfo(x.dtype).eps if rcond is None else rcond
    left, right = vander(x, order), y
    if w is not None:
        left, right = weigh(left, right, w)
    scale = _core.sqrt((left * left).sum(axis=0))
    left /= scale
    found, residuals, rank, singular = gpuarray.linalg.lstsq(left, right, rcond)
    found = (found.T / scale).T
    if full:
        return found, residuals, rank, singular, rcond
    if rank != order:
        text = "Polyfit may be poorly conditioned"
        warnings.warn(text, numpy.exceptions.RankWarning, stacklevel=2)
    if cov:
        return found, find_covariance(left, scale, residuals, x, y, order, cov)
    return found

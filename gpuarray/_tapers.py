"""Windows that taper a signal, and the Bessel function that one of them is made of."""

import numpy

from gpuarray._chains import chained, cos, sqrt
from gpuarray._core import _special, arange, array, asarray, empty, ones
from gpuarray._fallback import on_host_if_unheld

__all__ = ["bartlett", "blackman", "hamming", "hanning", "i0", "kaiser"]


@on_host_if_unheld
def i0(x):
    """Modified Bessel function of the first kind, order 0."""
    x = asarray(x)
    if x.dtype.kind == "c":
        raise TypeError("i0 not supported for complex values")
    result = _special.i0(x)
    if x.dtype.kind == "f":
        result = result.astype(x.dtype, copy=False)
    return result if x.ndim else array(result)


def sum_cosines(M, device, *weights):
    """A window of M points: weights[k] * cos(k t) added up, t from -pi to pi."""
    M = float(M)
    if M < 1:
        return empty(0, device=device)
    if M == 1:
        return ones(1, device=device)
    return add_cosines(arange(1 - M, M, 2, device=device), M - 1, *weights)


@chained
def add_cosines(place, length, first, *weights):
    angle = place * numpy.pi / length
    result = first
    for k, weight in enumerate(weights, 1):
        result = result + weight * cos(k * angle if k > 1 else angle)
    return result


def hanning(M, *, device=None):
    """Hann window: a raised cosine."""
    return sum_cosines(M, device, 0.5, 0.5)


def hamming(M, *, device=None):
    """Hamming window: a raised cosine that does not reach zero."""
    return sum_cosines(M, device, 0.54, 0.46)


def blackman(M, *, device=None):
    """Blackman window: the sum of two cosines."""
    return sum_cosines(M, device, 0.42, 0.5, 0.08)


def bartlett(M, *, device=None):
    """Bartlett window: a triangle from zero to one and back."""
    M = float(M)
    if M <= 1:
        return ones(int(M == 1), device=device)
    return fall_off(arange(1 - M, M, 2, device=device), M - 1)


@chained
def fall_off(place, length):
    return 1 - abs(place) / length


def kaiser(M, beta, *, device=None):
    """Kaiser window of a shape that beta says: 0 is a rectangle, 14 narrow."""
    M, beta = float(M), float(beta)
    if M == 1:
        return ones(1, device=device)
    inner = round_off(arange(0, M, device=device), (M - 1) / 2.0, beta)
    return i0(inner) / i0(asarray(beta, device=device))


@chained
def round_off(place, middle, beta):
    """A half circle from -1 to 1 over the window, `beta` high."""
    across = (place - middle) / middle
    return beta * sqrt(1 - across * across)

"""Windows that taper a signal, and the Bessel function that one of them is made of."""

import numpy

from gpuarray import _core
from gpuarray._choice import where
from gpuarray._core import arange, array, asarray, empty, ones
from gpuarray._fallback import on_host_if_unheld
from gpuarray._series import BASES, add_series

__all__ = ["bartlett", "blackman", "hamming", "hanning", "i0", "kaiser"]

# Chebyshev series of exp(-x) I0(x) in (x - 4) / 4 for x <= 8, and of sqrt(x) exp(-x) I0(x) in (16 - x) / x beyond,
# lowest term first. Both are those of the Cephes library.
NEAR = (
    3.38397637204738042525e-1,
    -3.04682672343198398683e-1,
    1.71620901522208775349e-1,
    -9.49010970480476444210e-2,
    4.93052842396707084878e-2,
    -2.37374148058994688156e-2,
    1.05464603945949983183e-2,
    -4.32430999505057594430e-3,
    1.63947561694133579842e-3,
    -5.76375574538582365885e-4,
    1.88502885095841655729e-4,
    -5.75419501008210370398e-5,
    1.64484480707288970893e-5,
    -4.41673835845875056359e-6,
    1.11738753912010371815e-6,
    -2.67079385394061173391e-7,
    6.04699502254191894932e-8,
    -1.30002500998624804212e-8,
    2.65982372468238665035e-9,
    -5.18979560163526290666e-10,
    9.67580903537323691224e-11,
    -1.72682629144155570723e-11,
    2.95505266312963983461e-12,
    -4.85644678311192946090e-13,
    7.67618549860493561688e-14,
    -1.16853328779934516808e-14,
    1.71539128555513303061e-15,
    -2.43127984654795469359e-16,
    3.33079451882223809783e-17,
    -4.41534164647933937950e-18,
)
FAR = (
    4.02245205507054415804e-1,
    3.36911647825569408990e-3,
    6.88975834691682398426e-5,
    2.89137052083475648297e-6,
    2.04891858946906374183e-7,
    2.26666899049817806459e-8,
    3.39623202570838634515e-9,
    4.94060238822496958910e-10,
    1.18891471078464383424e-11,
    -3.14991652796324136454e-11,
    -1.32158118404477131188e-11,
    -1.79417853150680611778e-12,
    7.18012445138366623367e-13,
    3.85277838274214270114e-13,
    1.54008621752140982691e-14,
    -4.15056934728722208663e-14,
    -9.55484669882830764870e-15,
    3.81168066935262242075e-15,
    1.77256013305652638360e-15,
    -3.42548561967721913462e-16,
    -2.82762398051658348494e-16,
    3.46122286769746109310e-17,
    4.46562142029675999901e-17,
    -4.83050448594418207126e-18,
    -7.23318048787475395456e-18,
)


@on_host_if_unheld
def i0(x):
    """Modified Bessel function of the first kind, order 0."""
    x = asarray(x)
    if x.dtype.kind == "c":
        raise TypeError("i0 not supported for complex values")
    if x.dtype.kind != "f":
        x = x.astype(float)
    x = _core.absolute(x)
    near = add_series(BASES["chebyshev"], x / 4 - 1, NEAR)
    far = add_series(BASES["chebyshev"], 16 / x - 1, FAR) / _core.sqrt(x)
    result = _core.exp(x) * where(x <= 8, near, far)
    return result if x.ndim else array(result)  # an array without dimensions, not a scalar


def sum_cosines(M, device, *weights):
    """A window of M points: weights[k] * cos(k t) added up, t from -pi to pi."""
    M = float(M)
    if M < 1:
        return empty(0, device=device)
    if M == 1:
        return ones(1, device=device)
    angle = arange(1 - M, M, 2, device=device) * numpy.pi / (M - 1)
    result = weights[0]
    for k, weight in enumerate(weights[1:], 1):
        result = result + weight * _core.cos(k * angle if k > 1 else angle)
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
    return 1 - _core.absolute(arange(1 - M, M, 2, device=device)) / (M - 1)


def kaiser(M, beta, *, device=None):
    """Kaiser window of a shape that beta says: 0 is a rectangle, 14 narrow."""
    M, beta = float(M), float(beta)
    if M == 1:
        return ones(1, device=device)
    middle = (M - 1) / 2.0
    place = (arange(0, M, device=device) - middle) / middle
    return i0(beta * _core.sqrt(1 - place * place)) / i0(asarray(beta, device=device))

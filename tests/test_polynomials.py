"""Polynomials: the functions of coefficients, and series in numpy.polynomial's six bases."""

import functools

import numpy as np
import pytest
from oracle import check

import gpuarray
from gpuarray.polynomial import PREFIXES

POLYNOMIALS = [
    np.array([1.0, 2, 3]),
    np.array([0, 0, 1, 2.0]),
    np.array([2]),
    np.array([1, 2, 3]),
    np.array([1 + 1j, 2]),
    np.float32([1, 2, 3, 4]),
    np.array([1.0, -3, 3, -1]),
    [1, 2],
    np.array([]),
    np.float16([1, 2, 3]),
    np.array([1, 2, 0, 0]),
    np.array([0.0, 0]),
    np.array([[1.0, 2], [3, 5]]),
]
POINTS = [
    np.linspace(-1, 2, 7),
    np.array(2.0),
    3,
    2.5,
    np.arange(4),
    np.arange(6.0).reshape(2, 3),
    np.float32([1, 2]),
    np.float16([1, 2]),
    np.array([1j]),
    np.int8([1, 2, 100]),
    np.array([np.inf, np.nan]),
    [1, 2, 3],
]


def compare(call, *args, device, rtol=1e-9, atol=1e-9):
    check(call, *args, device=device, order=False, rtol=rtol, atol=atol)


@pytest.mark.parametrize("name", ["polyadd", "polysub", "polymul", "polydiv"])
def test_pairs(device, name):
    for one in POLYNOMIALS:
        for other in POLYNOMIALS:
            if name == "polydiv" and (np.ndim(one) > 1 or np.ndim(other) > 1):
                continue  # a ValueError, of which NumPy gives some results or another error
            if name == "polydiv" and np.iscomplexobj(one) and not np.any(other):
                continue  # which infinities and NaNs there are
            compare(lambda xp, a, b: getattr(xp, name)(a, b), one, other, device=device, rtol=3e-3)


def test_division_is_of_vectors(device):
    for u, v in ((np.ones((2, 2)), [1.0]), ([1.0, 2], np.ones((2, 2)))):
        with pytest.raises(ValueError, match="no vectors"):
            gpuarray.polydiv(gpuarray.asarray(u), gpuarray.asarray(v))


@pytest.mark.parametrize("times", [0, 1, 2, 3, -1])
def test_calculus(device, times):
    for each in POLYNOMIALS[:-1]:
        compare(lambda xp, p: xp.polyder(p, times), each, device=device, rtol=2e-3)
        compare(lambda xp, p: xp.polyint(p, times), each, device=device, rtol=2e-3)
    for constants in ([1, 2], 5, [5, 1, 2]):
        compare(lambda xp, p, k: xp.polyint(p, 2, k), POLYNOMIALS[0], constants, device=device)


def test_values(device):
    for polynomial in POLYNOMIALS[:-1]:
        for points in POINTS:
            compare(lambda xp, p, x: xp.polyval(p, x), polynomial, points, device=device, rtol=3e-3)


def test_roots_and_back(device):
    for each in POLYNOMIALS:
        compare(lambda xp, p: xp.poly(p), each, device=device, rtol=3e-3)
        # A threefold root is known to the cube root of the precision; the CPU device's library is NumPy's.
        atol = 1e-9 if device == "cpu" else 1e-4
        roots = functools.partial(compare, device=device, rtol=1e-4, atol=atol)
        roots(lambda xp, p: xp.sort_complex(xp.roots(p)), each)
    many = np.linspace(-1, 1, 60)
    compare(lambda xp, z: xp.poly(z), many, device=device)
    compare(lambda xp, z: xp.poly([z[0], 1j, -1j]), many, device=device)


X = np.linspace(-1, 1, 30)
Y = X**3 - 2 * X + 0.1 * np.random.default_rng(4).normal(size=30)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    "keywords",
    [{}, {"full": True}, {"w": abs(Y)}, {"cov": True}, {"cov": "unscaled"}, {"rcond": 1e-3}],
    ids=str,
)
def test_fit(device, keywords):
    for x, y in (
        (X, Y),
        (X, np.stack([Y, 2 * Y], 1)),
        (X[:0], Y),
        (X.reshape(3, 10), Y),
        (X, Y[:3]),
    ):
        for degree in (0, 3, -1):
            compare(
                lambda xp, x, y, k, d=degree: xp.polyfit(x, y, d, **k),
                x,
                y,
                keywords,
                device=device,
                rtol=1e-6,
            )


def test_poly1d_is_numpys(device):
    p = np.poly1d([1, 2])
    assert isinstance(gpuarray.polyadd(p, [1.0]), np.poly1d)
    assert isinstance(gpuarray.polyval(gpuarray.ones(2), p), np.poly1d)


SERIES = [
    np.array([1.0, 2, 3]),
    np.array([2]),
    np.arange(12.0).reshape(4, 3),
    np.array([1 + 1j, 2, 3]),
    np.float32([1, 2, 3, 4, 5, 6]),
    np.arange(24).reshape(2, 3, 4),
]


@pytest.mark.parametrize("basis", PREFIXES)
def test_series(device, basis):
    name = f"{PREFIXES[basis]}val"
    for c in SERIES:
        for points in POINTS[:9]:
            for tensor in (True, False):
                compare(
                    lambda xp, x, c, t=tensor: getattr(getattr(xp.polynomial, basis), name)(
                        x, c, t
                    ),
                    points,
                    c,
                    device=device,
                    rtol=3e-3,
                )


@pytest.mark.parametrize("basis", PREFIXES)
def test_series_of_several_variables(device, basis):
    def call(part, *args):
        return lambda xp, *args: getattr(getattr(xp.polynomial, basis), PREFIXES[basis] + part)(
            *args
        )

    c = np.random.default_rng(6).normal(size=(3, 4, 2))
    compare(call("val2d"), X, Y, c[..., 0], device=device)
    compare(call("val2d"), X, Y[:2], c[..., 0], device=device)
    compare(call("val3d"), X, Y, X * Y, c, device=device)
    compare(call("grid2d"), X, Y[:5], c[..., 0], device=device)
    compare(call("grid3d"), X[:3], Y[:4], X[:5], c, device=device)
    compare(call("vander2d"), X, Y, [2, 3], device=device)
    compare(call("vander3d"), X, Y, X * Y, [2, 3, 1], device=device)


@pytest.mark.parametrize("basis", PREFIXES)
def test_vandermonde(device, basis):
    name = f"{PREFIXES[basis]}vander"
    for points in POINTS[:7]:
        for degree in (0, 1, 2, 5, -1, 1.5):
            compare(
                lambda xp, x, d=degree: getattr(getattr(xp.polynomial, basis), name)(x, d),
                points,
                device=device,
                rtol=1e-4,
            )


def test_values_from_roots(device):
    for r in (np.array([1.0, 2]), np.array([[1.0, 2], [3, 4]])):
        compare(
            lambda xp, x, r: xp.polynomial.polynomial.polyvalfromroots(x, r), X, r, device=device
        )


def test_coefficients_stay_where_they_are(device):
    series = gpuarray.polynomial.chebyshev.chebval(gpuarray.linspace(0, 1, 5), [1, 2, 3])
    assert str(series.device) == device
    assert gpuarray.polynomial.polyutils.trimseq([1, 0]) == [1]


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8"])
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (0, 2, 1)])
def test_values_lie_as_the_points(device, dtype, order):
    x = np.arange(24).reshape(2, 3, 4).astype(dtype)
    c = np.array([1.0, 2, 3])
    calls = [
        lambda xp, c, x: xp.polyval(c, x.transpose(order)),
        lambda xp, c, x: xp.polyval(c.astype(int), x.transpose(order)[:, ::-1]).strides,
        lambda xp, c, x: xp.polynomial.chebyshev.chebval(x.transpose(order), c).strides,
    ]
    for call in calls:
        check(call, c, x, device=device)


@pytest.mark.parametrize(
    "p", [[1, -3, 2], [1, 0, 1], [1, 2], [2.0, 0, 0], [0, 0], [1, 1j]], ids=str
)
def test_roots_are_real_where_all_can_be(device, p):
    check(lambda xp, p: xp.roots(p).dtype.char, np.array(p), device=device)
    check(
        lambda xp, p: xp.sort(xp.roots(p).imag), np.array(p), device=device, rtol=1e-9, atol=1e-12
    )

"""Every distribution against NumPy's: two samples of which neither may be told from the other.

Seeds are fixed, so a test that passes passes always; the limits are met by chance once in a million.
"""

import math

import numpy as np
import pytest

import gpuarray

SIZE = 1_000_000
SMALL = 200_000

CONTINUOUS = [
    ("random", ()),
    ("uniform", (-2.0, 3.0)),
    ("standard_normal", ()),
    ("normal", (1.0, 2.0)),
    ("standard_exponential", ()),
    ("exponential", (2.5,)),
    ("standard_gamma", (3.0,)),
    ("gamma", (2.0, 1.5)),
    ("beta", (2.0, 3.0)),
    ("chisquare", (3.0,)),
    ("noncentral_chisquare", (3.0, 2.0)),
    ("f", (5.0, 7.0)),
    ("noncentral_f", (5.0, 7.0, 1.5)),
    ("gumbel", (0.5, 2.0)),
    ("laplace", (0.5, 2.0)),
    ("logistic", (0.5, 2.0)),
    ("lognormal", (0.1, 0.7)),
    ("pareto", (3.0,)),
    ("power", (2.5,)),
    ("rayleigh", (1.5,)),
    ("standard_cauchy", ()),
    ("standard_t", (4.0,)),
    ("triangular", (-1.0, 0.5, 3.0)),
    ("vonmises", (0.5, 2.0)),
    ("wald", (1.5, 2.0)),
    ("weibull", (1.5,)),
]
# Other branches of the same algorithms.
CONTINUOUS_BRANCHES = [
    ("standard_gamma", (0.3,)),
    ("standard_gamma", (1.0,)),
    ("standard_gamma", (500.0,)),
    ("beta", (0.1, 0.2)),
    ("beta", (0.01, 5.0)),
    ("beta", (0.5, 0.3)),
    ("beta", (0.125, 0.125)),
    ("beta", (8.0, 0.7)),
    ("beta", (1.0, 1.0)),
    ("beta", (2000.0, 300.0)),
    ("beta", (0.125, 1e6)),
    ("beta", (1e7, 2e7)),
    ("noncentral_chisquare", (0.5, 3.0)),
    ("noncentral_chisquare", (2.0, 0.0)),
    ("noncentral_chisquare", (1.2, 5.0)),
    ("f", (0.7, 1.3)),
    ("noncentral_f", (2.0, 0.8, 0.0)),
    ("noncentral_f", (0.5, 3.0, 2.0)),
    ("triangular", (0.0, 0.0, 1.0)),
    ("vonmises", (-3.0, 1e-9)),
    ("vonmises", (1.0, 1e-6)),
    ("vonmises", (3.1, 50.0)),
    ("vonmises", (3.1415, 2e6)),
    ("wald", (100.0, 0.1)),
    ("weibull", (0.4,)),
    ("standard_t", (0.7,)),
]
DISCRETE = [
    ("integers", (-5, 12)),
    ("binomial", (20, 0.3)),
    ("geometric", (0.4,)),
    ("hypergeometric", (30, 20, 15)),
    ("logseries", (0.8,)),
    ("negative_binomial", (3.5, 0.4)),
    ("poisson", (3.5,)),
    ("zipf", (2.5,)),
]
DISCRETE_BRANCHES = [
    ("binomial", (1000, 0.4)),
    ("binomial", (1000, 0.97)),
    ("binomial", (10**9, 1e-9)),
    ("binomial", (10**9, 0.5)),
    ("geometric", (0.002,)),
    ("hypergeometric", (5, 7, 4)),
    ("hypergeometric", (400, 300, 250)),
    ("hypergeometric", (300, 4000, 4200)),
    ("hypergeometric", (10**6, 3 * 10**6, 1000)),
    ("logseries", (0.999,)),
    ("negative_binomial", (200.0, 0.1)),
    ("poisson", (0.1,)),
    ("poisson", (10.0,)),
    ("poisson", (250.0,)),
    ("poisson", (1e7,)),
    ("zipf", (1.2,)),
    ("zipf", (8.0,)),
]


def draw(name, parameters, size, device, seed=11, **keywords):
    """A sample of ours, as float64, and one of NumPy's."""
    ours = getattr(gpuarray.random.default_rng(seed), name)(*parameters, size=size, **keywords)
    assert ours.device == device and ours.shape == (size,)
    theirs = getattr(np.random.default_rng(seed + 1), name)(*parameters, size=size, **keywords)
    assert ours.dtype == theirs.dtype
    return gpuarray.asnumpy(ours).astype(np.float64), theirs.astype(np.float64)


def kolmogorov_smirnov(a, b):
    """Largest distance of two distribution functions; 2.7 is exceeded by chance once in a million."""
    a, b = np.sort(a), np.sort(b)
    points = np.concatenate([a[:: a.size // 2000], b[:: b.size // 2000]])
    distance = np.abs(
        np.searchsorted(a, points, side="right") / a.size
        - np.searchsorted(b, points, side="right") / b.size
    ).max()
    return distance * math.sqrt(a.size * b.size / (a.size + b.size))


def chi_square(a, b):
    """How many standard deviations two samples of one size are apart, by the counts of each value."""
    values = np.concatenate([a, b])
    edges = np.unique(np.quantile(values, np.linspace(0, 1, 201)))
    cells = np.searchsorted(edges, values, side="right")
    first = np.bincount(cells[: a.size], minlength=edges.size + 1)
    second = np.bincount(cells[a.size :], minlength=edges.size + 1)
    both = first + second
    first, second, both = first[both > 20], second[both > 20], both[both > 20]
    freedom = max(1, both.size - 1)
    return (((first - second) ** 2 / both).sum() - freedom) / math.sqrt(2 * freedom)


def same_moments(a, b):
    """Whether means and variances agree within what chance allows, of the middle of the samples."""
    low, high = np.quantile(b, [0.001, 0.999])
    a, b = (np.clip(each, low, high) for each in (a, b))
    spread = b.std() or 1.0
    a, b = (a - b.mean()) / spread, (b - b.mean()) / spread
    error = math.sqrt(2 / a.size)
    kurtosis = (b**4).mean()
    assert abs(a.mean() - b.mean()) < 5 * error
    assert abs(a.var() - b.var()) < 5 * error * math.sqrt(max(kurtosis - 1, 0.01))


@pytest.mark.parametrize(("name", "parameters"), CONTINUOUS, ids=lambda x: str(x))
def test_continuous(device, name, parameters):
    ours, theirs = draw(name, parameters, SIZE, device)
    assert np.isfinite(ours).all()
    assert kolmogorov_smirnov(ours, theirs) < 2.7
    same_moments(ours, theirs)


@pytest.mark.parametrize(("name", "parameters"), CONTINUOUS_BRANCHES, ids=lambda x: str(x))
def test_continuous_branches(device, name, parameters):
    ours, theirs = draw(name, parameters, SMALL, device)
    assert kolmogorov_smirnov(ours, theirs) < 2.7
    same_moments(ours, theirs)


@pytest.mark.parametrize(("name", "parameters"), DISCRETE, ids=lambda x: str(x))
def test_discrete(device, name, parameters):
    ours, theirs = draw(name, parameters, SIZE, device)
    assert chi_square(ours, theirs) < 6
    assert kolmogorov_smirnov(ours, theirs) < 2.7
    same_moments(ours, theirs)


@pytest.mark.parametrize(("name", "parameters"), DISCRETE_BRANCHES, ids=lambda x: str(x))
def test_discrete_branches(device, name, parameters):
    ours, theirs = draw(name, parameters, SMALL, device)
    assert chi_square(ours, theirs) < 6
    assert kolmogorov_smirnov(ours, theirs) < 2.7


# Parameters that are one for all elements are drawn otherwise than arrays of them.
BY_ELEMENT = [
    ("standard_gamma", (0.3,)),
    ("standard_gamma", (3.0,)),
    ("gamma", (2.0, 1.5)),
    ("chisquare", (3.0,)),
    *(case for case in DISCRETE + DISCRETE_BRANCHES if case[0] != "integers"),
]


@pytest.mark.parametrize(("name", "parameters"), BY_ELEMENT, ids=lambda x: str(x))
def test_arrays_of_parameters(device, name, parameters):
    parameters = (np.full(SMALL, parameters[0]), *parameters[1:])
    ours, theirs = draw(name, parameters, SMALL, device)
    assert kolmogorov_smirnov(ours, theirs) < 2.7
    if name in ("standard_gamma", "gamma", "chisquare"):
        same_moments(ours, theirs)
    else:
        assert chi_square(ours, theirs) < 6


def test_neighbours_of_other_shapes(device):
    """Shapes that change from element to element, of which neighbours share their normal numbers."""
    shapes = np.array([0.0, 0.3, 1.0, 7.0, np.inf, 40.0, 0.6])
    generator = gpuarray.random.default_rng(4)
    sample = gpuarray.asnumpy(generator.standard_gamma(gpuarray.asarray(shapes), (SMALL // 7, 7)))
    assert (sample[:, 0] == 0).all() and (sample[:, 4] == np.inf).all()
    for k in (1, 2, 3, 5, 6):
        theirs = np.random.default_rng(k).standard_gamma(shapes[k], SMALL // 7)
        assert kolmogorov_smirnov(sample[:, k], theirs) < 2.7
    logarithms = np.log(sample[:, [1, 2, 3, 5, 6]])
    apart = np.corrcoef(logarithms, rowvar=False) - np.eye(5)
    assert np.abs(apart).max() < 5 / math.sqrt(SMALL / 7)


def test_means_that_change_from_element_to_element(device):
    means = np.array([0.0, 0.2, 9.99, 10.0, 30.0, 1e4, 1e15])
    generator = gpuarray.random.default_rng(4)
    sample = gpuarray.asnumpy(generator.poisson(gpuarray.asarray(means), (SMALL // 7, 7)))
    assert (sample[:, 0] == 0).all()
    for k in range(1, 7):
        theirs = np.random.default_rng(k).poisson(means[k], SMALL // 7)
        assert kolmogorov_smirnov(sample[:, k].astype("f8"), theirs.astype("f8")) < 2.7


@pytest.mark.parametrize(("name", "parameters"), [("gamma", (2.5, 1.0)), ("poisson", (20.0,))])
def test_moments_of_pairs(device, name, parameters):
    """Both elements of a pair that shares its draws have the distribution, and are independent."""
    ours, theirs = draw(name, parameters, SIZE, device)
    for each in (ours[::2], ours[1::2]):
        assert kolmogorov_smirnov(each, theirs) < 2.7
    pairs = ours.reshape(-1, 2) - ours.mean()
    for power in (1, 2, 3):
        first, second = (np.abs(pairs[:, k]) ** power for k in (0, 1))
        assert abs(np.corrcoef(first, second)[0, 1]) < 5 / math.sqrt(SIZE / 2)


@pytest.mark.parametrize("name", ["random", "standard_normal", "standard_exponential"])
def test_float32(device, name):
    ours, theirs = draw(name, (), SIZE, device, dtype=np.float32)
    assert kolmogorov_smirnov(ours, theirs) < 2.7
    same_moments(ours, theirs)
    gamma, other = draw("standard_gamma", (2.0,), SMALL, device, dtype=np.float32)
    assert kolmogorov_smirnov(gamma, other) < 2.7


def normal_tail(x):
    return 0.5 * math.erfc(x / math.sqrt(2))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_normal_tails(device, dtype):
    size = 4_000_000
    z = np.sort(gpuarray.asnumpy(gpuarray.random.default_rng(5).standard_normal(size, dtype)))
    for limit in (0.5, 1.0, 2.0, 3.0, 4.0, 4.4):
        expected = size * normal_tail(limit)
        below = np.searchsorted(z, -limit)
        above = size - np.searchsorted(z, limit, side="right")
        assert abs(below - expected) < 5 * math.sqrt(expected)
        assert abs(above - expected) < 5 * math.sqrt(expected)


@pytest.mark.parametrize("name", ["random", "standard_normal", "exponential", "poisson"])
def test_neighbours_are_independent(device, name):
    ours = gpuarray.asnumpy(getattr(gpuarray.random.default_rng(3), name)(size=SIZE)).astype("f8")
    ours -= ours.mean()
    for lag in (1, 2, 3, 4, 8, 256):
        correlation = (ours[:-lag] * ours[lag:]).mean() / ours.var()
        assert abs(correlation) < 5 / math.sqrt(SIZE)


def test_neighbouring_seeds_and_counters_are_independent(device):
    first = gpuarray.random.default_rng(1)
    for second in (gpuarray.random.default_rng(2), first.spawn(1)[0]):
        a, b = (gpuarray.asnumpy(each.random(SIZE)) - 0.5 for each in (first, second))
        assert abs((a * b).mean() * 12) < 5 / math.sqrt(SIZE)


def test_bits_are_balanced(device):
    words = gpuarray.asnumpy(gpuarray.random.default_rng(8).integers(0, 2**64, SIZE, "u8"))
    for bit in range(64):
        ones = int((words >> np.uint64(bit) & np.uint64(1)).sum())
        assert abs(ones - SIZE / 2) < 5 * math.sqrt(SIZE) / 2


def test_parameters_broadcast(device):
    rng = gpuarray.random.default_rng(4)
    shapes = np.array([[0.5], [3.0], [40.0]])
    sample = gpuarray.asnumpy(rng.gamma(shapes, [1.0, 2.0], size=(40_000, 3, 2)))
    expected = shapes * [1.0, 2.0]
    error = np.sqrt(shapes) * [1.0, 2.0] / 200
    assert (np.abs(sample.mean(axis=0) - expected) < 5 * error).all()
    counts = gpuarray.asnumpy(rng.binomial([[10], [2000]], [0.25, 0.75], size=(40_000, 2, 2)))
    expected = np.array([[10], [2000]]) * [0.25, 0.75]
    assert (np.abs(counts.mean(axis=0) - expected) < 5 * np.sqrt(expected) / 200).all()


def test_multinomial(device):
    rng, weights = gpuarray.random.default_rng(6), np.array([0.1, 0.2, 0.0, 0.7])
    sample = gpuarray.asnumpy(rng.multinomial(50, weights, size=SMALL))
    assert sample.dtype == np.int64 and (sample.sum(axis=1) == 50).all()
    assert (sample[:, 2] == 0).all()
    theirs = np.random.default_rng(7).multinomial(50, weights, size=SMALL)
    for column in (0, 1, 3):
        assert chi_square(sample[:, column], theirs[:, column]) < 6
    assert abs(np.cov(sample.T)[0, 1] + 50 * 0.1 * 0.2) < 0.05


def test_multinomial_of_rows(device):
    rng = gpuarray.random.default_rng(6)
    weights = np.array([[0.5, 0.5], [0.1, 0.9], [1.0, 0.0]])
    sample = gpuarray.asnumpy(rng.multinomial([10, 100, 7], weights, size=(20_000, 3)))
    assert sample.shape == (20_000, 3, 2) and (sample.sum(axis=-1) == [10, 100, 7]).all()
    assert (np.abs(sample.mean(axis=0)[:, 0] - [5, 10, 7]) < 0.1).all()
    assert rng.multinomial(10, weights).shape == (3, 2)
    assert rng.multinomial(10, weights[0]).shape == (2,)


@pytest.mark.parametrize("method", ["marginals", "count"])
def test_multivariate_hypergeometric(device, method):
    rng, colors = gpuarray.random.default_rng(6), [30, 0, 20, 50]
    ours = gpuarray.asnumpy(rng.multivariate_hypergeometric(colors, 40, SMALL, method))
    theirs = np.random.default_rng(7).multivariate_hypergeometric(colors, 40, SMALL)
    assert (ours.sum(axis=1) == 40).all() and (ours <= colors).all()
    for column in (0, 2, 3):
        assert chi_square(ours[:, column], theirs[:, column]) < 6


@pytest.mark.parametrize("alpha", [(2.0, 3.0, 0.5), (0.02, 0.01, 0.03)])
def test_dirichlet(device, alpha):
    ours = gpuarray.asnumpy(gpuarray.random.default_rng(6).dirichlet(alpha, SMALL))
    theirs = np.random.default_rng(7).dirichlet(alpha, SMALL)
    assert np.allclose(ours.sum(axis=1), 1)
    # NumPy subtracts from 1, so the smallest of its weights are 0.
    ours, theirs = np.maximum(ours, 1e-15), np.maximum(theirs, 1e-15)
    for column in range(3):
        assert kolmogorov_smirnov(ours[:, column], theirs[:, column]) < 2.7


@pytest.mark.parametrize("method", ["svd", "eigh", "cholesky"])
def test_multivariate_normal(device, method):
    cov = np.array([[2.0, 0.5, 0.1], [0.5, 1.0, -0.3], [0.1, -0.3, 0.5]])
    mean = [1.0, -1.0, 4.0]
    rng = gpuarray.random.default_rng(6)
    sample = gpuarray.asnumpy(rng.multivariate_normal(mean, cov, (400, 500), method=method))
    assert sample.shape == (400, 500, 3)
    rows = sample.reshape(-1, 3)
    assert (np.abs(rows.mean(axis=0) - mean) < 0.02).all()
    assert (np.abs(np.cov(rows.T) - cov) < 0.03).all()
    assert rng.multivariate_normal(mean, cov).shape == (3,)


def test_integers_of_arrays(device):
    rng = gpuarray.random.default_rng(9)
    low, high = np.array([0, -5, 2**40]), np.array([[3], [2**50]])
    low[2] = 1
    sample = gpuarray.asnumpy(rng.integers(low, high, size=(60_000, 2, 3)))
    assert (sample >= low).all() and (sample < high).all()
    for column, least in enumerate(low):
        counts = np.bincount(sample[:, 0, column] - least, minlength=3 - least)
        expected = 60_000 / (3 - least)
        assert (np.abs(counts - expected) < 5 * math.sqrt(expected)).all()
    bytes_ = rng.integers([0, 10], [10, 20], endpoint=True, size=(1000, 2), dtype=np.uint8)
    assert bytes_.dtype == np.uint8
    whole = rng.integers([[0], [2**63]], 2**64, size=(2, 5000), dtype=np.uint64)
    whole = gpuarray.asnumpy(whole)
    assert whole[0].min() < 2**62 and whole[0].max() > 3 * 2**62 and whole[1].min() >= 2**63
    bytes_ = gpuarray.asnumpy(bytes_)
    assert bytes_[:, 0].max() == 10 and bytes_[:, 1].min() == 10 and bytes_[:, 1].max() == 20


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        *(
            ("poisson", (1e5,)),
            ("zipf", (2.0,)),
            ("vonmises", (0.5, 2.0)),
            ("vonmises", (-7.0, 1e-7)),
        ),
        *(
            ("gamma", (2.5, 3.0)),
            ("gamma", (0.3, 3.0)),
            ("chisquare", (3.0,)),
            ("chisquare", (0.5,)),
        ),
    ],
)
def test_parameters_of_each_element(device, name, parameters):
    """Numbers do not depend on whether a parameter is given once or for each of them, at the ends of blocks either."""
    for size in (1, 255, 5003):
        once = getattr(gpuarray.random.default_rng(11), name)(*parameters, size=size)
        each = [np.full(size, value) for value in parameters]
        expected = getattr(gpuarray.random.default_rng(11), name)(*each)
        assert np.array_equal(gpuarray.asnumpy(once), gpuarray.asnumpy(expected))

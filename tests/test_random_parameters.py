"""Bad parameters raise what NumPy raises, wherever they live; good ones of any kind are taken."""

import numpy as np
import pytest

import gpuarray

NAN, INF = float("nan"), float("inf")

BAD = [
    ("beta", (0.0, 1.0)),
    ("beta", (1.0, -1.0)),
    ("binomial", (-1, 0.5)),
    ("binomial", (10, 1.5)),
    ("binomial", (10, -0.1)),
    ("binomial", (10, NAN)),
    ("chisquare", (0.0,)),
    ("exponential", (-1.0,)),
    ("exponential", (-0.0,)),
    ("f", (0.0, 1.0)),
    ("f", (1.0, -2.0)),
    ("gamma", (-1.0, 1.0)),
    ("gamma", (1.0, -1.0)),
    ("geometric", (0.0,)),
    ("geometric", (1.5,)),
    ("geometric", (NAN,)),
    ("gumbel", (0.0, -1.0)),
    ("hypergeometric", (-1, 5, 3)),
    ("hypergeometric", (5, 5, 20)),
    ("hypergeometric", (10**9, 5, 2)),
    ("laplace", (0.0, -1.0)),
    ("logistic", (0.0, -1.0)),
    ("lognormal", (0.0, -1.0)),
    ("logseries", (1.0,)),
    ("logseries", (-0.1,)),
    ("negative_binomial", (0, 0.5)),
    ("negative_binomial", (1, 0.0)),
    ("negative_binomial", (1, 2.0)),
    ("negative_binomial", (1e18, 1e-5)),
    ("noncentral_chisquare", (0.0, 1.0)),
    ("noncentral_chisquare", (1.0, -1.0)),
    ("noncentral_f", (1.0, 1.0, -1.0)),
    ("normal", (0.0, -1.0)),
    ("pareto", (0.0,)),
    ("poisson", (-1.0,)),
    ("poisson", (1e20,)),
    ("poisson", (NAN,)),
    ("power", (0.0,)),
    ("rayleigh", (-1.0,)),
    ("standard_gamma", (-1.0,)),
    ("standard_t", (0.0,)),
    ("triangular", (2.0, 1.0, 3.0)),
    ("triangular", (1.0, 4.0, 3.0)),
    ("triangular", (1.0, 1.0, 1.0)),
    ("uniform", (0.0, INF)),
    ("uniform", (-1e308, 1e308)),
    ("uniform", (3.0, 1.0)),
    ("vonmises", (0.0, -1.0)),
    ("wald", (0.0, 1.0)),
    ("wald", (1.0, -1.0)),
    ("weibull", (-1.0,)),
    ("zipf", (1.0,)),
    ("zipf", (NAN,)),
]


TAKEN = [
    ("random", ()),
    ("uniform", (1.0, 2.0)),
    ("standard_normal", ()),
    ("normal", (0.0, 2.0)),
    ("standard_exponential", ()),
    ("exponential", (2.0,)),
    ("standard_gamma", (0.5,)),
    ("gamma", (2.0, 3.0)),
    ("beta", (0.5, 2.0)),
    ("chisquare", (3.0,)),
    ("noncentral_chisquare", (0.5, 2.0)),
    ("f", (3.0, 4.0)),
    ("noncentral_f", (3.0, 4.0, 1.0)),
    ("gumbel", (0.0, 1.0)),
    ("laplace", (0.0, 1.0)),
    ("logistic", (0.0, 1.0)),
    ("lognormal", (0.0, 1.0)),
    ("pareto", (3.0,)),
    ("power", (3.0,)),
    ("rayleigh", (3.0,)),
    ("standard_cauchy", ()),
    ("standard_t", (3.0,)),
    ("triangular", (0.0, 1.0, 3.0)),
    ("vonmises", (0.0, 1.0)),
    ("wald", (1.0, 2.0)),
    ("weibull", (3.0,)),
    ("integers", (3, 9)),
    ("binomial", (100, 0.3)),
    ("geometric", (0.3,)),
    ("hypergeometric", (50, 60, 40)),
    ("logseries", (0.9,)),
    ("negative_binomial", (3.0, 0.4)),
    ("poisson", (30.0,)),
    ("zipf", (2.0,)),
    ("multinomial", (20, [0.5, 0.2, 0.3])),
    ("multivariate_hypergeometric", ([5, 6, 7], 9)),
    ("dirichlet", ([1.0, 2.0, 0.3],)),
    ("multivariate_normal", ([0.0, 1.0], [[1.0, 0.5], [0.5, 2.0]])),
]


@pytest.mark.smoke
@pytest.mark.parametrize(("name", "parameters"), TAKEN, ids=[name for name, _ in TAKEN])
@pytest.mark.parametrize("bits", [gpuarray.random.Philox4x32, np.random.Philox, np.random.PCG64])
def test_shapes_and_dtypes(device, name, parameters, bits):
    generator = gpuarray.random.Generator(bits(1))
    for size in (None, 0, 1, (3, 11), 1500):
        ours = getattr(generator, name)(*parameters, size=size)
        theirs = np.asarray(getattr(np.random.default_rng(1), name)(*parameters, size=size))
        assert (ours.shape, ours.dtype, ours.device) == (theirs.shape, theirs.dtype, device)
        assert np.isfinite(gpuarray.asnumpy(ours)).all()


# Drawn otherwise where the parameters are the same for all elements (docs/differences.md).
SCALAR_WAYS = {
    *(
        "integers",
        "binomial",
        "geometric",
        "hypergeometric",
        "logseries",
        "negative_binomial",
        "poisson",
    ),
    *("f", "noncentral_chisquare", "noncentral_f"),
}


@pytest.mark.smoke
@pytest.mark.parametrize(("name", "parameters"), TAKEN[:34], ids=[name for name, _ in TAKEN[:34]])
def test_arrays_of_parameters(device, name, parameters):
    if not parameters:
        pytest.skip("has none")
    rows = [np.full((3, 1), value) for value in parameters]
    rows[-1] = np.full(5, parameters[-1])
    shape = (3, 5) if len(rows) > 1 else (5,)
    ours = getattr(gpuarray.random.default_rng(1), name)(*rows)
    plain = getattr(gpuarray.random.default_rng(1), name)(*parameters, size=shape)
    assert (ours.shape, ours.dtype) == (shape, plain.dtype)
    if name not in SCALAR_WAYS:
        assert gpuarray.asnumpy(ours).tolist() == gpuarray.asnumpy(plain).tolist()


def failure(call):
    try:
        call()
    except Exception as error:
        return error
    return None


def same_failure(ours, theirs):
    assert theirs is not None, "NumPy takes it"
    assert type(ours) is type(theirs), f"ours {ours!r}, NumPy's {theirs!r}"
    assert str(ours) == str(theirs)


@pytest.mark.parametrize(("name", "parameters"), BAD, ids=lambda x: str(x))
@pytest.mark.parametrize("size", [None, 3])
def test_bad_numbers(device, name, parameters, size):
    ours, theirs = gpuarray.random.default_rng(1), np.random.default_rng(1)
    before = ours.bit_generator.state["state"]["counter"].tolist()
    same_failure(
        failure(lambda: getattr(ours, name)(*parameters, size=size)),
        failure(lambda: getattr(theirs, name)(*parameters, size=size)),
    )
    assert ours.bit_generator.state["state"]["counter"].tolist() == before


GOOD = {"binomial": (5, 0.5), "hypergeometric": (5, 5, 3), "triangular": (1.0, 2.0, 3.0)}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("name", "parameters"), BAD, ids=lambda x: str(x))
@pytest.mark.parametrize("kind", [np.asarray, gpuarray.asarray, list])
def test_bad_arrays(device, name, parameters, kind):
    """One bad element among good ones, of which each parameter has some."""
    good = GOOD.get(name, (1.0 if name not in ("geometric", "logseries", "zipf") else 0.5,) * 3)
    good = (1.5,) if name == "zipf" else (1.0, 0.5) if name == "negative_binomial" else good
    pairs = [
        [one, one if name == "uniform" else other]
        for one, other in zip(parameters, good, strict=False)
    ]
    ours, theirs = gpuarray.random.default_rng(1), np.random.default_rng(1)
    same_failure(
        failure(lambda: getattr(ours, name)(*map(kind, pairs))),
        failure(lambda: getattr(theirs, name)(*pairs)),
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda g: g.normal("a"),
        lambda g: g.normal([0.0, 1.0], size=3),
        lambda g: g.gamma([1.0, 2.0], [1.0, 2.0, 3.0]),
        lambda g: g.poisson([1.0, 2.0], size=(2, 3)),
        lambda g: g.exponential(),
        lambda g: g.exponential(1.0, (2, -1)),
        lambda g: g.exponential(1.0, 2.5),
        lambda g: g.gamma(),
        lambda g: g.integers(5, 5),
        lambda g: g.integers(5, 3, 4),
        lambda g: g.integers(0),
        lambda g: g.integers(-1, endpoint=True),
        lambda g: g.integers(0, 300, dtype="u1"),
        lambda g: g.integers(-1, 3, dtype="u8"),
        lambda g: g.integers(0, 2**63 + 1),
        lambda g: g.integers(0, 3, dtype="?"),
        lambda g: g.integers(3, dtype="f8"),
        lambda g: g.integers(3, dtype=">i4"),
        lambda g: g.integers(3, dtype="no such"),
        lambda g: g.integers([1, 5], [3, 5]),
        lambda g: g.integers([0, 1], 300, dtype="i1"),
        lambda g: g.integers([1, 2, 3], 9, size=(2, 2)),
        lambda g: g.multinomial(-1, [0.5, 0.5]),
        lambda g: g.multinomial(3, [0.5, 0.9]),
        lambda g: g.multinomial(3, [0.5, -0.5, 1.0]),
        lambda g: g.multinomial(3, 0.5),
        lambda g: g.multinomial([3, 4], [0.5, 0.5], size=3),
        lambda g: g.multivariate_hypergeometric([3, -1], 2),
        lambda g: g.multivariate_hypergeometric([3, 1], 5),
        lambda g: g.multivariate_hypergeometric([3, 1], 2, method="no such"),
        lambda g: g.dirichlet([1.0, -1.0]),
        lambda g: g.dirichlet([[1.0]]),
        lambda g: g.multivariate_normal([0.0], [[1.0, 2.0]]),
        lambda g: g.multivariate_normal([[0.0]], [[1.0]]),
        lambda g: g.multivariate_normal([0.0, 1.0], [[1.0]]),
        lambda g: g.multivariate_normal([0.0], [[-1.0]], check_valid="raise"),
        lambda g: g.multivariate_normal([0.0], [[1.0]], method="no such"),
        lambda g: g.multivariate_normal([0.0], [[-1.0]], method="cholesky"),
        lambda g: g.choice(0),
        lambda g: g.choice(-1),
        lambda g: g.choice([]),
        lambda g: g.choice(5, 6, replace=False),
        lambda g: g.choice(3, p=[0.5, 0.5]),
        lambda g: g.choice(2, p=[0.5, 0.6]),
        lambda g: g.choice(2, p=[1.5, -0.5]),
        lambda g: g.choice(2, p=[NAN, 0.5]),
        lambda g: g.choice(2, p=[[0.5, 0.5]]),
        lambda g: g.choice(3, 3, replace=False, p=[0.5, 0.5, 0.0]),
        lambda g: g.choice(2.5),
        lambda g: g.choice("abc"),
        lambda g: g.choice([[1, 2]], axis=5),
        lambda g: g.permutation(np.arange(3), axis=2),
        lambda g: g.permutation(-3),
        lambda g: g.shuffle(5),
        lambda g: g.shuffle((1, 2)),
        lambda g: g.shuffle([1, 2], axis=1),
        lambda g: g.shuffle(np.array(1)),
        lambda g: g.permuted(np.arange(3), axis=1),
        lambda g: g.spawn(-1),
        lambda g: g.bytes("a"),
    ],
)
def test_bad_calls(device, call):
    theirs = failure(lambda: call(np.random.default_rng(1)))
    ours = failure(lambda: call(gpuarray.random.default_rng(1)))
    if theirs is None:
        assert ours is None
    else:
        assert isinstance(ours, type(theirs)), f"ours {ours!r}, NumPy's {theirs!r}"


def test_dubious_numbers_that_numpy_takes(device):
    ours = gpuarray.random.default_rng(1)
    assert np.isnan(float(ours.exponential(NAN))) and np.isnan(float(ours.normal(NAN)))
    assert np.isnan(gpuarray.asnumpy(ours.gamma([NAN, 1.0])))[0]
    assert float(ours.gamma(0.0)) == 0 and float(ours.weibull(0.0)) == 0
    assert float(ours.exponential(0.0)) == 0 and float(ours.normal(2.0, 0.0)) == 2
    assert int(ours.binomial(0, 0.5)) == 0 and int(ours.binomial(7, 1.0)) == 7
    assert int(ours.poisson(0.0)) == 0 and int(ours.geometric(1.0)) == 1
    assert int(ours.hypergeometric(0, 5, 3)) == 0 and int(ours.hypergeometric(5, 0, 3)) == 3
    assert int(ours.negative_binomial(3, 1.0)) == 0 and int(ours.zipf(2000.0)) == 1
    assert int(ours.geometric(1e-300)) == 2**63 - 1
    assert float(ours.gamma(INF)) == INF
    assert int(ours.zipf(1 + 2.0**-52)) > 0 and int(ours.logseries(0.0)) == 1
    assert int(ours.binomial(2**60, 0.5)) > 0 and int(ours.binomial(2**61, 1e-18)) >= 0
    assert int(ours.poisson(9e18)) > 0 and float(ours.beta(1e-300, 1e-300)) in (0, 1)
    assert ours.normal([]).shape == (0,) and ours.integers([], 5).shape == (0,)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_bad_covariance_warns(device):
    with pytest.warns(RuntimeWarning):
        gpuarray.random.default_rng(1).multivariate_normal([0.0, 0.0], [[1.0, 2.0], [2.0, 1.0]])


def test_parameters_of_every_dtype(device):
    for dtype in ("i1", "u2", "i4", "i8", "f2", "f4", "f8", "?"):
        means = np.ones(3, dtype=dtype)
        expected = gpuarray.asnumpy(gpuarray.random.default_rng(2).poisson([1.0, 1.0, 1.0]))
        for each in (means, gpuarray.asarray(means), means.tolist()):
            drawn = gpuarray.asnumpy(gpuarray.random.default_rng(2).poisson(each))
            assert drawn.tolist() == expected.tolist()
    scalar = gpuarray.asarray([3.0]).sum()
    assert float(gpuarray.random.default_rng(2).normal(scalar, 0.0)) == 3
    assert gpuarray.random.default_rng(2).gamma([scalar, 2.0]).shape == (2,)


EDGES = [-INF, -1.0, -5e-324, -0.0, 0.0, 5e-324, 1e-300, 0.5, np.nextafter(1.0, 0.0)]
EDGES += [1.0, np.nextafter(1.0, 2.0), 3.0, 1e9, 9e18, 1e20, INF, NAN, -NAN]


PLAIN = {name: parameters for name, parameters in TAKEN[:34] if name != "integers" and parameters}


def fits_int64(edge):
    return np.isfinite(edge) and abs(edge) <= 9e18 and float(edge).is_integer()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kind", ["Generator", "RandomState"])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8"])
@pytest.mark.parametrize("method", sorted(PLAIN))
def test_elements_on_a_device_are_judged_as_numpy_judges(device, method, dtype, kind):
    """One edge after a good number, for each parameter in turn; the others are numbers, or arrays too."""
    make = {"Generator": "default_rng"}.get(kind, kind)
    ours, theirs = (getattr(getattr(xp.random, make)(1), method) for xp in (gpuarray, np))
    for k in range(len(PLAIN[method])):
        for edge in filter(fits_int64, EDGES) if dtype == "i8" else EDGES:
            given = list(PLAIN[method])
            given[k] = np.array([given[k], edge]).astype(dtype)
            mixed = [gpuarray.asarray(each) if i == k else each for i, each in enumerate(given)]
            arrays = [gpuarray.asarray(np.broadcast_to(each, 2)) for each in given]
            expected = failure(lambda given=given: theirs(*given, size=(0, 2)))
            for values in (mixed, arrays):
                found = failure(lambda values=values: ours(*values))
                assert type(found) is type(expected), (k, edge, found, expected)
                assert expected is None or str(found) == str(expected), (k, edge)


def make_large(parameters, k, bad):
    """Arrays of the parameters, with one bad element of parameter k."""
    arrays = [np.full(70_000, value) for value in parameters]
    arrays[k][54_321] = bad
    return [gpuarray.asarray(each) for each in arrays]


LARGE = [
    ("exponential", (1.0,), 0, -1.0, ValueError, "scale < 0"),
    ("normal", (1.0, 2.0), 1, -1.0, ValueError, "scale < 0"),
    ("uniform", (1.0, 2.0), 1, INF, OverflowError, "Range exceeds valid bounds"),
    ("standard_gamma", (1.0,), 0, -1.0, ValueError, "shape < 0"),
    ("poisson", (20.0,), 0, NAN, ValueError, "lam value too large"),
    ("binomial", (20, 0.5), 1, NAN, ValueError, "p < 0, p > 1 or p contains NaNs"),
    ("triangular", (0.0, 1.0, 2.0), 2, 0.5, ValueError, "mode > right"),
    ("vonmises", (0.0, 1.0), 1, -1.0, ValueError, "kappa < 0"),
]


@pytest.mark.parametrize(("method", "good", "k", "bad", "error", "words"), LARGE)
def test_a_bad_element_among_many(device, method, good, k, bad, error, words):
    """On a GPU the error comes with the next wait, and once."""
    rng = gpuarray.random.default_rng(1)
    values = make_large(good, k, bad)
    if device == "cpu":
        with pytest.raises(error, match=words):
            getattr(rng, method)(*values)
        return
    drawn = getattr(rng, method)(*values)
    with pytest.raises(error, match=f"{words} .in random..*{method.removeprefix('standard_')}"):
        gpuarray.synchronize()
    gpuarray.synchronize()
    drawn = gpuarray.asnumpy(drawn)
    refused = drawn == np.iinfo("i8").min if drawn.dtype == "i8" else np.isnan(drawn)
    assert np.flatnonzero(refused).tolist() == [54_321]


def test_an_earlier_fault_is_not_taken_for_that_of_a_call_that_waits(device):
    rng, bad = gpuarray.random.default_rng(1), make_large((1.0,), 0, -1.0)
    if device == "cpu":
        pytest.skip("errors come at the call")
    rng.rayleigh(*bad)
    with pytest.raises(ValueError, match="scale < 0 .in random.rayleigh, an earlier call"):
        rng.gamma(gpuarray.asarray([1.0]), gpuarray.asarray([1.0]))
    same_failure(
        failure(lambda: rng.gamma(gpuarray.asarray([1.0]), gpuarray.asarray([-1.0]))),
        failure(lambda: np.random.default_rng(1).gamma([1.0], [-1.0])),
    )
    gpuarray.synchronize()


def test_parameters_of_the_host_are_judged_before_anything_is_drawn(device):
    rng, many = gpuarray.random.default_rng(1), gpuarray.asarray(np.ones(70_000))
    before = rng.bit_generator.state["state"]["counter"].tolist()
    for call in (
        lambda: rng.gamma(many, -1.0),
        lambda: rng.normal(many, np.full(70_000, -1.0)),
        lambda: rng.uniform(many, INF),
        lambda: rng.binomial(many.astype(int), 1.5),
        lambda: rng.hypergeometric(many.astype(int), -1, 1),
        lambda: rng.poisson(many * -1, size=(0, 70_000)),
    ):
        assert isinstance(failure(call), (ValueError, OverflowError))
    assert isinstance(failure(lambda: rng.binomial(many, 0.5)), TypeError)
    assert rng.bit_generator.state["state"]["counter"].tolist() == before


SCALED = [("uniform", (-3.0, 5.0), (6.0, 6.5)), ("normal", (-3.0, 5.0), (0.5, 0.0))]
SCALED += [("exponential", (0.5, 3.0))]


@pytest.mark.parametrize("bits", [gpuarray.random.Philox4x32, np.random.Philox, np.random.PCG64])
@pytest.mark.parametrize("shape", [(5,), (4099,), (37, 301), (3, 5, 7, 11)])
@pytest.mark.parametrize(("method", "parameters"), [(row[0], row[1:]) for row in SCALED])
def test_each_number_has_its_own_scale(device, method, parameters, shape, bits):
    """The numbers are those of one scale for all; arrays dense, broadcast, turned and with steps."""
    chosen = np.random.default_rng(3).integers(0, 2, shape)

    def draw(parameters, *size):
        generator = gpuarray.random.Generator(bits(1))
        generator.random(3)
        return gpuarray.asnumpy(getattr(generator, method)(*parameters, *size))

    pairs = [draw([pair[i] for pair in parameters], shape) for i in (0, 1)]
    dense = [gpuarray.asarray(np.choose(chosen, pair)) for pair in parameters]
    turned = [gpuarray.asarray(np.choose(chosen, pair).T.copy()).T for pair in parameters]
    stepped = [
        gpuarray.asarray(np.repeat(np.choose(chosen, pair), 2, -1))[..., ::2] for pair in parameters
    ]
    for arrays in (dense, turned, stepped):
        assert draw(arrays).tolist() == np.choose(chosen, pairs).tolist()
    row = np.choose(chosen[0], parameters[0])
    mixed = draw((gpuarray.asarray(row), *(pair[0] for pair in parameters[1:])), shape)
    firsts = [
        draw([parameters[0][i], *(pair[0] for pair in parameters[1:])], shape) for i in (0, 1)
    ]
    assert mixed.tolist() == np.choose(np.broadcast_to(chosen[0], shape), firsts).tolist()


def test_scales_of_more_dimensions_than_a_launch_walks(device):
    shape = (2, 3) * 6
    scale = np.random.default_rng(1).random(shape)
    turned = gpuarray.asarray(scale.transpose(*range(0, 12, 2), *range(1, 12, 2)).copy())
    back = turned.transpose(*(i // 2 + 6 * (i % 2) for i in range(12)))
    assert gpuarray.asnumpy(back).tolist() == scale.tolist()
    drawn = [
        gpuarray.random.default_rng(2).exponential(each) for each in (back, gpuarray.asarray(scale))
    ]
    assert gpuarray.asnumpy(drawn[0]).tolist() == gpuarray.asnumpy(drawn[1]).tolist()


@pytest.mark.parametrize("size", [2.0, True, (3,), (1, 3), (2, 2)])
@pytest.mark.parametrize("parameters", [(0.5,), ([[0.5], [3.0]],)])
def test_words_of_sizes_that_do_not_fit(device, size, parameters):
    def draw(generator):
        try:
            return generator.pareto(*parameters, size=size).shape
        except (TypeError, ValueError) as error:
            return type(error), str(error)

    assert draw(gpuarray.random.default_rng(1)) == draw(np.random.default_rng(1))

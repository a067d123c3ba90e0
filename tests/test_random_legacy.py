"""RandomState, and the functions of the module that share one."""

import copy
import inspect
import pickle

import numpy as np
import pytest

import gpuarray
from gpuarray.random import Philox4x32, RandomState

host = gpuarray.asnumpy

DRAWS = [
    ("rand", (2, 3)),
    ("randn", (2, 3)),
    ("randint", (0, 10, (2, 3))),
    ("random", ((2, 3),)),
    ("random_sample", ((2, 3),)),
    ("tomaxint", ((2, 3),)),
    ("standard_normal", ((2, 3),)),
    ("standard_exponential", ((2, 3),)),
    ("standard_gamma", (2.0, (2, 3))),
    ("standard_cauchy", ((2, 3),)),
    ("standard_t", (3.0, (2, 3))),
    ("uniform", (1.0, 2.0, (2, 3))),
    ("normal", (1.0, 2.0, (2, 3))),
    ("poisson", (3.0, (2, 3))),
    ("binomial", (5, 0.5, (2, 3))),
    ("choice", (5, (2, 3))),
]


@pytest.mark.parametrize(("name", "arguments"), DRAWS, ids=[name for name, _ in DRAWS])
def test_draws(device, name, arguments):
    ours = getattr(RandomState(3), name)(*arguments)
    theirs = getattr(np.random.RandomState(3), name)(*arguments)
    assert ours.device == device
    assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
    again = getattr(RandomState(3), name)(*arguments)
    assert host(ours).tolist() == host(again).tolist()
    assert len(np.unique(host(ours))) > 1


def test_seed_and_state(device):
    state = RandomState(3)
    theirs = np.random.RandomState(3)
    for ours, other in zip(state.get_state(), theirs.get_state(), strict=True):
        assert np.array_equal(ours, other)
    kept = state.get_state()
    first = host(state.rand(5)).tolist()
    assert host(state.rand(5)).tolist() != first
    state.set_state(kept)
    assert host(state.rand(5)).tolist() == first
    state.seed(3)
    assert host(state.rand(5)).tolist() == first
    assert state.get_state(legacy=False)["bit_generator"] == "MT19937"


def test_a_seed_is_there_whenever_it_is_needed(device):
    """Seeding is put off; whoever looks at the state, or has the bit generator, must not see that."""
    first = RandomState(5)
    first.seed(3)
    wanted = host(RandomState(3).rand(4)).tolist()
    assert host(pickle.loads(pickle.dumps(first)).rand(4)).tolist() == wanted
    assert np.array_equal(first.get_state()[1], np.random.RandomState(3).get_state()[1])
    first.seed(4)
    first.set_state(np.random.RandomState(3).get_state())
    assert host(first.rand(4)).tolist() == wanted
    first.seed(8)
    first.seed([1, 2])
    assert np.array_equal(first.get_state()[1], np.random.RandomState([1, 2]).get_state()[1])
    first.seed(3)
    other = gpuarray.random.default_rng(first)
    assert host(other.random(4)).tolist() == wanted
    first.seed(3)
    assert host(other.random(4)).tolist() == wanted
    bits = np.random.MT19937(1)
    given = RandomState(bits)
    given.seed(3)
    assert host(gpuarray.random.Generator(bits).random(4)).tolist() == wanted
    with pytest.raises(TypeError, match="re-seed"):
        RandomState(np.random.PCG64(1)).seed(3)


def test_copies_and_pickles(device):
    state = RandomState(3)
    state.rand(3)
    others = [pickle.loads(pickle.dumps(state)), copy.deepcopy(state)]
    expected = host(state.rand(4)).tolist()
    assert all(host(other.rand(4)).tolist() == expected for other in others)
    philox = RandomState(Philox4x32(4))
    again = pickle.loads(pickle.dumps(philox))
    assert host(philox.rand(4)).tolist() == host(again.rand(4)).tolist()
    with pytest.raises(TypeError):
        philox.get_state()


def test_scalars(device):
    state = RandomState(3)
    for value in (state.rand(), state.randn(), state.randint(5), state.random_sample()):
        assert value.shape == ()
        hash(value)


def test_order(device):
    state, items = RandomState(3), list(range(50))
    state.shuffle(items)
    assert sorted(items) == list(range(50)) and items != sorted(items)
    assert np.sort(host(state.permutation(50))).tolist() == list(range(50))
    assert host(state.permutation(np.eye(3))).sum() == 3
    for matrix in (np.eye(3), gpuarray.eye(3), [[1, 2], [3, 4]]):
        with pytest.raises(ValueError):
            state.choice(matrix)
    assert state.choice(gpuarray.arange(5), 3).shape == (3,)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_random_integers(device):
    drawn = host(RandomState(3).random_integers(2, 4, 500))
    assert set(drawn.tolist()) == {2, 3, 4}
    assert set(host(RandomState(3).random_integers(2, size=100)).tolist()) == {1, 2}


def test_vectors(device):
    state = RandomState(3)
    assert host(state.multinomial(20, [0.2, 0.8], 5)).sum(axis=1).tolist() == [20] * 5
    assert np.allclose(host(state.dirichlet([1.0, 2.0], 5)).sum(axis=1), 1)
    assert state.multivariate_normal([0.0, 1.0], np.eye(2), 5).shape == (5, 2)


BAD = [
    lambda s: s.randint(5, 5),
    lambda s: s.randint(0, 300, dtype="u1"),
    lambda s: s.normal(0, -1),
    lambda s: s.rand(-1),
    lambda s: s.choice(3, 5, replace=False),
    lambda s: s.multinomial(3, [0.9, 0.9, 0.1]),
    lambda s: s.seed(-1),
    lambda s: s.set_state(("PCG64",)),
    lambda s: s.shuffle(3),
    lambda s: s.dirichlet([-1.0]),
]


@pytest.mark.parametrize("call", BAD)
def test_bad_calls(device, call):
    with pytest.raises((TypeError, ValueError)) as theirs:
        call(np.random.RandomState(1))
    with pytest.raises(theirs.type):
        call(RandomState(1))


def test_functions_of_the_module(device):
    random = gpuarray.random
    random.seed(7)
    first = host(random.rand(3)).tolist()
    kept = random.get_state()
    second = host(random.standard_normal(3)).tolist()
    random.seed(7)
    assert host(random.random_sample(3)).tolist() == first
    random.set_state(kept)
    assert host(random.standard_normal(3)).tolist() == second
    random.seed(7)
    assert host(random.ranf(3)).tolist() == first
    random.seed(7)
    assert host(random.sample(3)).tolist() == first
    for name, arguments in DRAWS:
        if name != "tomaxint":
            assert getattr(random, name)(*arguments).shape == (2, 3), name
    assert isinstance(random.bytes(3), bytes)


def test_the_shared_bit_generator_can_be_swapped(device):
    random = gpuarray.random
    before = random.get_bit_generator()
    try:
        random.set_bit_generator(np.random.PCG64(5))
        assert isinstance(random.get_bit_generator(), np.random.PCG64)
        first = host(random.rand(3)).tolist()
        random.set_bit_generator(np.random.PCG64(5))
        assert host(random.rand(3)).tolist() == first
    finally:
        random.set_bit_generator(before)


def test_signatures_of_functions():
    for name in ("rand", "randint", "normal", "shuffle", "seed", "get_state", "multinomial"):
        ours = inspect.signature(getattr(gpuarray.random, name))
        theirs = inspect.signature(getattr(np.random, name))
        assert str(ours) == str(theirs)
    assert gpuarray.random.PCG64 is np.random.PCG64

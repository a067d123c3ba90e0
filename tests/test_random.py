"""Bit generators and their streams: NumPy's bits, the same bits on every device, no bits twice."""

import copy
import inspect
import pickle

import numpy as np
import pytest

import gpuarray
from gpuarray.random import Generator, Philox4x32, default_rng

# Philox4x32-10, first block of key 0 and counter 0, and of all ones: the known answers of its authors' Random123.
ZEROS = [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
ONES = [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]

DRAWS = [
    ("random", lambda g, n: g.random(n)),
    ("random f4", lambda g, n: g.random(n, dtype="f4")),
    ("bytes", lambda g, n: g.bytes(n)),
    ("integers i8", lambda g, n: g.integers(-(2**63), 2**63, n)),
    ("integers below 2**40", lambda g, n: g.integers(0, 2**40, n)),
    ("integers of 32 bits", lambda g, n: g.integers(0, 2**32, n)),
    ("integers i4", lambda g, n: g.integers(-(2**31), 2**31, n, dtype="i4")),
    ("integers i2", lambda g, n: g.integers(-(2**15), 2**15, n, dtype="i2")),
    ("integers u1", lambda g, n: g.integers(0, 256, n, dtype="u1")),
    ("integers below 16", lambda g, n: g.integers(5, 21, n, dtype="u1")),
    ("integers ?", lambda g, n: g.integers(0, 2, n, dtype="?")),
    ("one integer", lambda g, n: g.integers(7, 8, n)),
    ("uniform", lambda g, n: g.uniform(-2, 3, n)),
    ("uniform of arrays", lambda g, n: g.uniform([-2.0, 1.0], [[3.0], [2.0]], (n, 2, 2))),
]


def host(value):
    return gpuarray.asnumpy(value) if isinstance(value, gpuarray.ndarray) else value


def same(ours, theirs):
    ours = host(ours)
    if isinstance(theirs, bytes):
        return ours == theirs
    return ours.dtype == theirs.dtype and np.array_equal(ours, theirs)


@pytest.mark.smoke
@pytest.mark.parametrize(("name", "draw"), DRAWS, ids=[name for name, _ in DRAWS])
@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 7, 8, 33, 1000])
def test_philox_gives_numpys_bits(device, name, draw, size):
    ours, theirs = Generator(np.random.Philox(7)), np.random.Generator(np.random.Philox(7))
    for _ in range(3):
        assert same(draw(ours, size), draw(theirs, size))
    compare_states(ours, theirs)


def compare_states(ours, theirs):
    mine, other = ours.bit_generator.state, theirs.bit_generator.state
    for key in ("buffer_pos", "has_uint32"):
        assert mine[key] == other[key]
    for key in ("counter", "key"):
        assert mine["state"][key].tolist() == other["state"][key].tolist()
    if mine["has_uint32"]:
        assert mine["uinteger"] == other["uinteger"]


@pytest.mark.parametrize("seed", range(6))
def test_philox_gives_numpys_bits_in_any_order(device, seed):
    ours, theirs = Generator(np.random.Philox(seed)), np.random.Generator(np.random.Philox(seed))
    chooser = np.random.default_rng(seed)
    for _ in range(50):
        _, draw = DRAWS[chooser.integers(len(DRAWS))]
        size = int(chooser.integers(0, 40))
        assert same(draw(ours, size), draw(theirs, size))
    compare_states(ours, theirs)


@pytest.mark.parametrize("counter", [2**64 - 2, 2**128 - 1, 2**192 - 3, 2**256 - 2])
def test_wide_counter_carries(device, counter):
    ours = Generator(np.random.Philox(key=[1, 2], counter=counter))
    theirs = np.random.Generator(np.random.Philox(key=[1, 2], counter=counter))
    assert same(ours.random(40), theirs.random(40))
    compare_states(ours, theirs)
    assert same(ours.bytes(9), theirs.bytes(9))


def raw_words(key, counter, count):
    return Philox4x32(key=key, counter=counter).random_raw(count).tolist()


def philox4x32(key, counter):
    """A block, as the paper has it."""
    c = [counter >> 32 * i & 0xFFFFFFFF for i in range(4)]
    k = [key & 0xFFFFFFFF, key >> 32]
    for _ in range(10):
        first, second = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [
            second >> 32 ^ c[1] ^ k[0],
            second & 0xFFFFFFFF,
            first >> 32 ^ c[3] ^ k[1],
            first & 0xFFFFFFFF,
        ]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def test_philox4x32_known_answers():
    assert philox4x32(0, 0) == ZEROS
    assert philox4x32(2**64 - 1, 2**128 - 1) == ONES
    assert raw_words(0, 0, 4) == ZEROS


@pytest.mark.parametrize("counter", [0, 2**32 - 2, 2**64 - 3, 2**65 - 2, 2**96 - 2])
def test_narrow_counter_carries(device, counter):
    rng = Generator(Philox4x32(key=2**63 + 5, counter=counter))
    words = host(rng.integers(0, 2**32, 18, dtype="u4")).tolist()
    expected = [philox4x32(2**63 + 5, (counter + i) % 2**96) for i in range(5)]
    assert words == sum(expected, [])[:18]
    assert rng.bit_generator.state["state"]["counter"].tolist()[3] == 0


def test_blocks_far_in_do_not_repeat(device):
    """The counters at both ends of 2**33 draws of 32 bits, and the blocks of one launch that carries."""
    start = 2**64 - 2**20
    rng = Generator(Philox4x32(key=3, counter=start))
    words = host(rng.integers(0, 2**32, 2**23, dtype="u4")).reshape(-1, 4)
    assert len(np.unique(words.view("u8").reshape(-1, 2)[:, 0])) == len(words)
    for block in (0, 2**20 - 1, 2**20, 2**21 - 1):
        assert words[block].tolist() == philox4x32(3, start + block)
    rng = default_rng(1)
    before = rng.bit_generator.state["state"]["counter"].tolist()
    rng.bit_generator.advance(2**31)
    after = rng.bit_generator.state["state"]["counter"].tolist()
    assert [b - a for a, b in zip(before, after, strict=True)] == [2**31, 0, 0, 0]
    rng.bit_generator.advance(2**63)
    assert rng.bit_generator.state["state"]["counter"].tolist() == [2**31, 2**31, 0, 0]


def test_uniform_of_words(device):
    words = np.array(raw_words(9, 0, 8), dtype=np.uint64)
    single = host(Generator(Philox4x32(key=9)).random(8, dtype="f4"))
    assert single.tolist() == ((words >> np.uint64(8)) * 2.0**-24).astype("f4").tolist()
    double = host(Generator(Philox4x32(key=9)).random(4))
    wide = words[::2] | words[1::2] << np.uint64(32)
    assert double.tolist() == ((wide >> np.uint64(11)) * 2.0**-53).tolist()


CALLS = [
    lambda g, n: g.random(n, dtype="f4"),
    lambda g, n: g.random(n),
    lambda g, n: g.standard_normal(n),
    lambda g, n: g.standard_normal(n, dtype="f4"),
    lambda g, n: g.integers(0, 10, n),
    lambda g, n: g.integers(0, 2, n, dtype="?"),
    lambda g, n: g.gamma(0.5, size=n),
    lambda g, n: g.poisson(3.0, size=n),
]


def used_blocks(rng, call, size):
    """The range of blocks that a call takes."""
    numbers = [rng.bit_generator.state["state"]["counter"].tolist()]
    call(rng, size)
    numbers.append(rng.bit_generator.state["state"]["counter"].tolist())
    return [sum(word << 32 * i for i, word in enumerate(each)) for each in numbers]


@pytest.mark.parametrize("size", [1, 3, 4, 5, 129])
def test_calls_take_blocks_one_after_the_other(device, size):
    rng, end = default_rng(4), 0
    for call in CALLS * 2:
        first, last = used_blocks(rng, call, size)
        assert first == end and last > first
        end = last


def test_what_a_call_takes(device):
    amounts = [used_blocks(default_rng(4), call, 257) for call in CALLS]
    assert [last - first for first, last in amounts] == [65, 129, 129, 65, 65, 3, 257, 257]


def test_streams_and_threads_share_no_numbers(device):
    rng, parts = default_rng(2), []
    streams = [None, None]
    if device != "cpu":
        streams = [gpuarray.cuda.Stream(), gpuarray.cuda.Stream()]
    for i in range(8):
        if streams[i % 2] is None:
            parts.append(host(rng.random(1000)))
        else:
            with streams[i % 2]:
                parts.append(host(rng.random(1000)))
    whole = host(default_rng(2).random(8000))
    assert np.concatenate(parts).tolist() == whole.tolist()
    assert len(np.unique(whole)) == 8000


def test_rejections_shift_nothing(device):
    """An element depends on its parameters and place alone."""
    shapes = np.full(1000, 2.0)
    first = host(default_rng(5).gamma(shapes))
    shapes[::3] = 0.2
    second = host(default_rng(5).gamma(shapes))
    assert (first[1::3] == second[1::3]).all() and (first[2::3] == second[2::3]).all()
    assert (first[::3] != second[::3]).all()
    narrow = host(default_rng(5).integers(0, 255, 5000, dtype="u1"))
    rows = [host(default_rng(5).integers(0, 255, n, dtype="u1")) for n in (1, 100, 4999)]
    assert all((row == narrow[: row.size]).all() for row in rows)


SAME = [
    *[draw for _, draw in DRAWS],
    lambda g, n: g.integers(0, 1000, n),
    lambda g, n: g.integers([0, 5], [[10], [2**40]], size=(n, 2, 2)),
    lambda g, n: g.permutation(n),
    lambda g, n: g.choice(10 * n + 10, n),
]


def on_both(draw, size, kind):
    results = []
    for device in ("cpu", "cuda:0"):
        rng = Generator(kind(3), device=device)
        draw(rng, 5)
        results.append(host(draw(rng, size)))
    return results


needs_gpu = pytest.mark.skipif(not gpuarray.cuda.is_available(), reason="needs a GPU")


@needs_gpu
@pytest.mark.parametrize("kind", [Philox4x32, np.random.Philox, np.random.PCG64])
@pytest.mark.parametrize("draw", SAME)
def test_devices_draw_the_same_bits(draw, kind):
    ours, theirs = on_both(draw, 5000, kind)
    assert np.array_equal(ours, theirs)


DISTRIBUTIONS = [
    ("standard_normal", ()),
    ("standard_exponential", ()),
    ("gamma", (2.0,)),
    ("gamma", (0.3,)),
    ("beta", (2.0, 0.3)),
    ("chisquare", (3.0,)),
    ("f", (3.0, 4.0)),
    ("noncentral_chisquare", (0.5, 3.0)),
    ("noncentral_f", (3.0, 4.0, 1.0)),
    ("standard_t", (3.0,)),
    ("standard_cauchy", ()),
    ("gumbel", ()),
    ("laplace", ()),
    ("logistic", ()),
    ("lognormal", ()),
    ("pareto", (2.0,)),
    ("power", (2.0,)),
    ("rayleigh", ()),
    ("triangular", (0.0, 1.0, 3.0)),
    ("vonmises", (0.5, 2.0)),
    ("wald", (1.0, 2.0)),
    ("weibull", (1.5,)),
    ("poisson", (3.0,)),
    ("poisson", (200.0,)),
    ("binomial", (10, 0.3)),
    ("binomial", (1000, 0.3)),
    ("negative_binomial", (3.0, 0.3)),
    ("geometric", (0.01,)),
    ("hypergeometric", (500, 400, 100)),
    ("hypergeometric", (50, 40, 5)),
    ("logseries", (0.9,)),
    ("zipf", (1.5,)),
    ("multinomial", (100, [0.2, 0.3, 0.5])),
    ("multivariate_hypergeometric", ([20, 30, 50], 40)),
]


@needs_gpu
@pytest.mark.parametrize(("name", "parameters"), DISTRIBUTIONS, ids=lambda x: str(x))
def test_devices_draw_the_same_numbers(name, parameters):
    """Their functions are our own, of operations that are rounded alike everywhere."""
    for kind in (Philox4x32, np.random.Philox):
        ours, theirs = on_both(
            lambda rng, size: getattr(rng, name)(*parameters, size=size), 50_000, kind
        )
        assert np.array_equal(ours, theirs)


@needs_gpu
def test_devices_agree_closely_on_normal_float32():
    ours, theirs = on_both(
        lambda rng, size: rng.standard_normal(size, dtype="f4"), 1_000_000, Philox4x32
    )
    assert (np.abs(ours - theirs) <= 4 * np.spacing(np.abs(theirs))).all()


def test_seeds(device):
    assert host(default_rng(5).random(4)).tolist() == host(default_rng(5).random(4)).tolist()
    assert host(default_rng(5).random(4)).tolist() != host(default_rng(6).random(4)).tolist()
    sequence = gpuarray.random.SeedSequence(5)
    assert sequence.generate_state(2).tolist() == host(Philox4x32(5).state["state"]["key"]).tolist()
    assert host(default_rng(sequence).random(4)).tolist() == host(default_rng(5).random(4)).tolist()
    assert host(default_rng([1, 2, 3]).random()) != host(default_rng([1, 2, 4]).random())
    assert host(default_rng().random()) != host(default_rng().random())


def test_default_rng_takes_generators(device):
    rng = default_rng(1)
    assert default_rng(rng) is rng
    assert isinstance(rng.bit_generator, Philox4x32)
    pcg = np.random.PCG64(1)
    assert default_rng(pcg).bit_generator is pcg
    theirs = np.random.default_rng(1)
    assert default_rng(theirs).bit_generator is theirs.bit_generator
    state = gpuarray.random.RandomState(1)
    assert default_rng(state).bit_generator is state._bit_generator
    with pytest.raises(TypeError):
        default_rng("seed")
    with pytest.raises(TypeError):
        Generator(5)


def test_device_argument():
    rng = default_rng(1, device="cpu")
    assert rng.random(3).device == "cpu" and rng.spawn(1)[0].normal(size=2).device == "cpu"
    assert pickle.loads(pickle.dumps(rng)).poisson(size=2).device == "cpu"


KINDS = [
    Philox4x32,
    *(getattr(np.random, n) for n in "Philox PCG64 PCG64DXSM SFC64 MT19937".split()),
]


@pytest.mark.parametrize("kind", KINDS)
def test_state_copies_and_pickles(device, kind):
    rng = Generator(kind(3))
    rng.bytes(5)
    state = rng.bit_generator.state
    expected = host(rng.normal(size=7)).tolist()
    rng.bit_generator.state = state
    others = [pickle.loads(pickle.dumps(rng)), copy.deepcopy(rng)]
    assert host(rng.normal(size=7)).tolist() == expected
    for other in others:
        assert type(other.bit_generator) is kind
        assert host(other.normal(size=7)).tolist() == expected
    assert host(rng.random(3)).tolist() == host(others[0].random(3)).tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_each_call_differs(device, kind):
    rng = Generator(kind(3))
    drawn = np.concatenate([host(rng.random(500)) for _ in range(4)])
    assert len(np.unique(drawn)) == 2000 and abs(drawn.mean() - 0.5) < 0.05


def test_bit_generator_state_errors():
    bits = Philox4x32(1)
    with pytest.raises(ValueError, match="Philox4x32"):
        bits.state = np.random.PCG64(1).state
    with pytest.raises(TypeError):
        bits.state = 3
    with pytest.raises(ValueError):
        Philox4x32(1, key=2)
    with pytest.raises(ValueError):
        Philox4x32(key=2**64)


def test_spawn_jump_advance(device):
    rng = default_rng(1)
    children = rng.spawn(3)
    assert len({float(child.random()) for child in [rng, *children]}) == 4
    assert rng.bit_generator.seed_seq.n_children_spawned == 3
    bits = Philox4x32(1)
    jumped = bits.jumped(2)
    assert bits.state["state"]["counter"].tolist() == [0, 0, 0, 0]
    assert jumped.state["state"]["counter"].tolist() == [0, 0, 2, 0]
    assert bits.random_raw(8).tolist()[4:] == Philox4x32(1).advance(1).random_raw(4).tolist()
    assert isinstance(bits.random_raw(), int)


def test_out(device):
    for dtype in ("f4", "f8"):
        for name in ("random", "standard_normal", "standard_exponential"):
            out = gpuarray.empty((5, 7), dtype=dtype)
            result = getattr(default_rng(3), name)(out=out, dtype=dtype)
            assert result is out
            plain = getattr(default_rng(3), name)((5, 7), dtype=dtype)
            assert host(out).tolist() == host(plain).tolist()
        out = gpuarray.empty(9, dtype=dtype)[2:]
        assert default_rng(3).random(out=out, dtype=dtype) is out
        assert host(out).tolist() == host(default_rng(3).random(7, dtype=dtype)).tolist()
    out = gpuarray.empty(4)
    default_rng(3).standard_gamma([1.0, 2.0, 3.0, 4.0], out=out)
    assert host(out).tolist() == host(default_rng(3).standard_gamma([1.0, 2.0, 3.0, 4.0])).tolist()


BAD_OUT = [
    lambda xp, g: g.random(out=xp.empty((4, 4))[:, ::2]),
    lambda xp, g: g.random(out=xp.empty(3, dtype="f4")),
    lambda xp, g: g.random(4, out=xp.empty(3)),
    lambda xp, g: g.random(3, dtype="f2"),
    lambda xp, g: g.random(3, dtype="i4"),
    lambda xp, g: g.standard_normal(3, dtype="f2"),
    lambda xp, g: g.standard_exponential(3, dtype="c8"),
    lambda xp, g: g.standard_gamma(1.0, 3, dtype="i8"),
    lambda xp, g: g.random(-1),
]


@pytest.mark.parametrize("call", BAD_OUT)
def test_bad_out(device, call):
    with pytest.raises((TypeError, ValueError)) as theirs:
        call(np, np.random.default_rng(1))
    with pytest.raises(theirs.type):
        call(gpuarray, default_rng(1))


def test_sizes_and_scalars(device):
    rng = default_rng(1)
    for value, dtype in (
        (rng.random(), "f8"),
        (rng.integers(5), "i8"),
        (rng.standard_normal(dtype="f4"), "f4"),
        (rng.poisson(3), "i8"),
        (rng.gamma(np.float64(2)), "f8"),
        (rng.integers(3, 4), "i8"),
    ):
        assert value.shape == () and value.dtype == dtype
        hash(value)
    assert rng.normal(np.zeros(())).shape == ()
    for size, shape in ((3, (3,)), ((2, 3), (2, 3)), ([2], (2,)), ((), ()), (np.int64(2), (2,))):
        assert rng.random(size).shape == shape
        assert rng.gamma(1.0, size=size).shape == shape
    assert rng.random(0).shape == (0,) and rng.poisson(2, (0, 3)).shape == (0, 3)


def test_numpy_arrays_and_ours_are_parameters(device):
    means = np.arange(1.0, 5.0)
    expected = host(default_rng(1).poisson(means)).tolist()
    assert host(default_rng(1).poisson(gpuarray.asarray(means))).tolist() == expected
    assert host(default_rng(1).poisson(means.tolist())).tolist() == expected
    strided = gpuarray.asarray(np.repeat(means, 2))[::2]
    assert host(default_rng(1).poisson(strided)).tolist() == expected
    shape = (1,) * 8 + (2, 2)
    many = default_rng(1).normal(np.zeros(shape), size=(2,) * 8 + (2, 2))
    assert many.shape == (2,) * 10


def signatures(cls):
    names = [name for name in dir(cls) if not name.startswith("_")]
    return [(name, getattr(cls, name)) for name in names if callable(getattr(cls, name))]


@pytest.mark.parametrize("kind", ["Generator", "RandomState"])
def test_signatures_have_numpys_names(kind):
    for name, theirs in signatures(getattr(np.random, kind)):
        ours = getattr(getattr(gpuarray.random, kind), name)
        mine, other = inspect.signature(ours).parameters, inspect.signature(theirs).parameters
        assert list(mine) == list(other), name
        for parameter in mine:
            if parameter != "self":
                assert mine[parameter].kind == other[parameter].kind, name
                assert mine[parameter].default == other[parameter].default, name
        assert ours.__doc__

"""Random numbers: what cases.py measures elsewhere, for generators, whose results no two libraries share.

The input only says how many numbers to draw.
"""

import functools


@functools.cache
def find_generator(xp):
    """One generator a library, so that making it is not measured."""
    return xp.random.default_rng(1)


def draw_uniform(xp, a):
    return find_generator(xp).random(a.size, dtype=xp.float32)


def draw_uniform_float64(xp, a):
    return find_generator(xp).random(a.size)


def draw_normal(xp, a):
    return find_generator(xp).standard_normal(a.size, dtype=xp.float32)


def draw_normal_float64(xp, a):
    return find_generator(xp).standard_normal(a.size)


def draw_integers(xp, a):
    return find_generator(xp).integers(0, 1000, a.size)


def draw_exponential(xp, x):
    return find_generator(xp).standard_exponential(x.size)


def draw_gamma(xp, x):
    return find_generator(xp).standard_gamma(2.5, x.size)


def draw_poisson(xp, x):
    return find_generator(xp).poisson(20.0, x.size)


def draw_permutation(xp, x):
    return xp.random.permutation(x.size)


def on_torch(name, **keywords):
    """torch.rand and its kin on the GPU, as many as the input has."""
    return lambda xp, a: getattr(xp, name)(a.numel(), device="cuda", **keywords)


# name, input, bytes of an element, function, function for PyTorch
RANDOM = [
    ("random float32", "a", 4, draw_uniform, on_torch("rand")),
    ("random float64", "a", 8, draw_uniform_float64, None),
    ("standard_normal float32", "a", 4, draw_normal, on_torch("randn")),
    ("standard_normal float64", "a", 8, draw_normal_float64, None),
    ("integers(0, 1000) int64", "a", 8, draw_integers, None),
    ("standard_exponential float64", "x", 8, draw_exponential, None),
    ("standard_gamma(2.5) float64", "x", 8, draw_gamma, None),
    ("poisson(20) int64", "x", 8, draw_poisson, None),
    (
        "permutation",
        "x",
        8,
        draw_permutation,
        lambda xp, x: xp.randperm(x.numel(), device="cuda"),
    ),
]

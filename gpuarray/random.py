"""Random numbers: the names of numpy.random, drawn on the device.

Only brings names together. `default_rng(seed, device=None)` gives the best generator; bit generators besides
Philox4x32, and SeedSequence, are NumPy's own.
"""

import numpy.random
from numpy.random import (
    MT19937,
    PCG64,
    PCG64DXSM,
    SFC64,
    BitGenerator,
    Philox,
    SeedSequence,
)

from gpuarray._random_generator import Generator, default_rng
from gpuarray._random_legacy import RandomState, get_bit_generator, set_bit_generator, share
from gpuarray._random_streams import Philox4x32

CLASSES = {
    each.__name__: each
    for each in (
        *(MT19937, PCG64, PCG64DXSM, SFC64, Philox, Philox4x32, BitGenerator, SeedSequence),
        *(Generator, RandomState, default_rng, get_bit_generator, set_bit_generator),
    )
}
ALIASES = {"ranf": "random_sample", "sample": "random_sample"}

__all__ = [*numpy.random.__all__, "Philox4x32", "get_bit_generator", "set_bit_generator"]

for _name in __all__:
    if _name not in CLASSES:
        globals()[_name] = share(ALIASES.get(_name, _name))

del _name

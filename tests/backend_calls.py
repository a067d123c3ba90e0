"""Counts what a call asks of a backend: every use of a slot that launches work, by the slot's name.

The slots are found in csrc/core/backend.h in their order, and exchanged in the library's own table for functions that
count and go on to what was there. So what is counted is what the core does, and no build differs from what users have.
"""

import collections
import contextlib
import ctypes
import pathlib
import re

import gpuarray

HEADER = pathlib.Path(__file__).parent.parent / "csrc/core/backend.h"
FIRST, LAST = "ufunc", "coefficients"  # the families; before them memory, streams and events
SLOT = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 6)  # no slot takes more; all are words
WORD = ctypes.sizeof(ctypes.c_void_p)


def list_slots():
    """Name and place of each slot that launches: those of the families, and copies."""
    struct = HEADER.read_text().split("typedef struct ga_backend {")[1].split("} ga_backend;")[0]
    struct = re.sub(r"/\*.*?\*/", "", struct, flags=re.S)
    members = [re.search(r"\(\*(\w+)\)|(\w+)$", line) for line in struct.split(";") if line.strip()]
    names = [match[1] or match[2] for match in members]
    assert names[0] == "abi" and names.index(FIRST) < names.index(LAST)
    families = range(names.index(FIRST), names.index(LAST) + 1)
    return {names[i]: i for i in (names.index("copy"), *families)}


def open_table(kind):
    """The table of a backend that is in use, as words that may be written."""
    folder = pathlib.Path(gpuarray.__file__).parent
    library = ctypes.CDLL(str(folder / f"libga_{kind}.so"))
    library.ga_backend_open.restype = ctypes.POINTER(ctypes.c_void_p)
    abi = int(re.search(r"#define GA_ABI (\d+)u", HEADER.read_text())[1])
    return library.ga_backend_open(ctypes.c_uint32(abi))


def counting(name, address, counts):
    """A slot that counts itself and does what the one at `address` does."""
    inner = SLOT(address)

    def call(*words):
        counts[name] += 1
        return inner(*words)

    return SLOT(call)


@contextlib.contextmanager
def count_calls(device="cpu"):
    """A Counter of the slots used within the `with`, for the backend of `device`."""
    table, counts = open_table(device.split(":")[0]), collections.Counter()
    slots = list_slots()
    before = {name: table[i] for name, i in slots.items()}
    wrapped = {name: counting(name, before[name], counts) for name in slots}
    try:
        for name, i in slots.items():
            table[i] = ctypes.cast(wrapped[name], ctypes.c_void_p).value
        yield counts
    finally:
        for name, i in slots.items():
            table[i] = before[name]

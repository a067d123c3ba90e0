"""Arrays from and to files, buffers and iterators: NumPy reads and writes, one copy goes to or from the device.

Readers take `device=`. On the CPU device an array shares the memory that was read into, or the buffer itself.
"""

import collections.abc

import numpy
from numpy.lib.npyio import NpzFile

from gpuarray import _core
from gpuarray._creation import device_of
from gpuarray._fallback import HostCall, holds

__all__ = [
    "frombuffer",
    "fromfile",
    "fromiter",
    "fromstring",
    "load",
    "save",
    "savez",
    "savez_compressed",
]


def bring(host, device):
    """A numpy array on the device; as it is, if no device holds its dtype."""
    if device is None and not holds(host.dtype):
        return host
    return _core._asked["asarray"](host, device=device)  # who reads a file asks for the copy


def on_host(value):
    """What NumPy is to write: device arrays, also within lists and tuples, as numpy arrays."""
    return HostCall().take(value)


class Archive(collections.abc.Mapping):
    """An open .npz file: NumPy's NpzFile, whose arrays go to a device as they are read."""

    def __init__(self, file, device):
        self._file, self._device = file, device

    def __getattr__(self, name):
        return getattr(self._file, name)

    def __getitem__(self, key):
        value = self._file[key]
        return bring(value, self._device) if isinstance(value, numpy.ndarray) else value

    def __iter__(self):
        return iter(self._file)

    def __len__(self):
        return len(self._file)

    def __contains__(self, key):
        return key in self._file

    def __repr__(self):
        return repr(self._file)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self._file.close()


def load(
    file,
    mmap_mode=None,
    allow_pickle=False,
    fix_imports=True,
    encoding="ASCII",
    *,
    max_header_size=10000,
    device=None,
):
    """What `save` or `savez` wrote, on a device.

    Parameters
    ----------
    file : path or file
        A .npy or .npz file, or a pickle.
    mmap_mode : str, optional
        Map the file instead of reading it: a numpy.memmap, which stays on the host unless a device is named.
    allow_pickle, fix_imports, encoding, max_header_size
        As in NumPy.
    device : str, optional
        Where the arrays go.
    """
    loaded = numpy.load(
        file, mmap_mode, allow_pickle, fix_imports, encoding, max_header_size=max_header_size
    )
    if isinstance(loaded, NpzFile):
        return Archive(loaded, device)
    if not isinstance(loaded, numpy.ndarray) or (mmap_mode is not None and device is None):
        return loaded
    return bring(loaded, device)


def save(file, arr, allow_pickle=True):
    """Write an array to a .npy file."""
    numpy.save(file, on_host(arr), allow_pickle=allow_pickle)


def write_archive(write, file, arrays, named, allow_pickle):
    """Several arrays by NumPy's function `write`, which before NumPy 2.1 knew no allow_pickle."""
    named = {name: on_host(each) for name, each in named.items()}
    setting = {} if allow_pickle else {"allow_pickle": False}
    write(file, *map(on_host, arrays), **setting, **named)


def savez(file, *args, allow_pickle=True, **kwds):
    """Write several arrays, by position or by name, to a .npz file."""
    write_archive(numpy.savez, file, args, kwds, allow_pickle)


def savez_compressed(file, *args, allow_pickle=True, **kwds):
    """Write several arrays, by position or by name, to a compressed .npz file."""
    write_archive(numpy.savez_compressed, file, args, kwds, allow_pickle)


def frombuffer(buffer, dtype=float, count=-1, offset=0, *, device=None, like=None):
    """The elements that an object with a buffer holds."""
    return bring(numpy.frombuffer(buffer, dtype, count, offset), device_of(like, device))


def fromfile(file, dtype=float, count=-1, sep="", offset=0, *, device=None, like=None):
    """The elements of a binary file, or of a text file whose numbers `sep` separates."""
    return bring(numpy.fromfile(file, dtype, count, sep, offset), device_of(like, device))


def fromiter(iter, dtype, count=-1, *, device=None, like=None):
    """The items of an iterable."""
    return bring(numpy.fromiter(iter, dtype, count), device_of(like, device))


def fromstring(string, dtype=float, count=-1, *, sep, device=None, like=None):
    """The numbers in a text, which `sep` separates."""
    return bring(numpy.fromstring(string, dtype, count, sep=sep), device_of(like, device))

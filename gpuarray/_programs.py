"""Kernels of the user's own in CUDA C++, under the names and with the arguments that CuPy's users know.

They need a CUDA device and NVRTC, which is opened when the first of them is compiled. A program is compiled once for
each device it is used on, and kept as long as the object that names it.
"""

import numpy

from gpuarray import _core
from gpuarray._core import ndarray
from gpuarray._libraries import header_folders

__all__ = ["CompileException", "RawKernel", "RawModule"]

NUMBERS = (bool, int, float, complex)


class CompileException(Exception):
    """NVRTC refused a program; the text is what it says."""


def as_argument(value):
    """An argument of a launch: an array, or the bytes of a number. Python's numbers are of 64 bits, as in C."""
    if isinstance(value, ndarray):
        return value
    if type(value) in NUMBERS:
        value = numpy.dtype(type(value)).type(value)
    if isinstance(value, numpy.generic):
        return value.tobytes()
    raise TypeError(f"a kernel takes arrays and numbers, not {type(value).__name__}")


def as_sizes(name, sizes):
    """A grid or block as three numbers."""
    sizes = tuple(sizes) if isinstance(sizes, (tuple, list)) else (sizes,)
    if not 1 <= len(sizes) <= 3:
        raise ValueError(f"{name} must have one to three sizes, not {len(sizes)}")
    return sizes + (1,) * (3 - len(sizes))


def device_of(args):
    """Where a launch runs: where its first array lives, else on the default device."""
    return next((each.device for each in args if isinstance(each, ndarray)), _core.default_device())


class RawModule:
    """A program in CUDA C++ with any number of kernels.

    Parameters
    ----------
    code : str
        The source.
    options : tuple of str, optional
        For NVRTC, such as ``("-std=c++17", "--use_fast_math")``.
    backend : str, optional
        ``"nvrtc"``, the only one there is.
    name_expressions : sequence of str, optional
        Instantiations of templates, such as ``["scale<float>"]``, by which `get_function` finds their kernels.
    """

    def __init__(self, code, *, options=(), backend="nvrtc", name_expressions=None):
        if not isinstance(code, str):
            raise TypeError(f"code must be a str, not {type(code).__name__}")
        if backend != "nvrtc":
            raise ValueError(f"backend must be 'nvrtc', not {backend!r}")
        self.code, self.backend = code, backend
        self.options = tuple(map(str, options))
        self.name_expressions = tuple(name_expressions or ())
        self._programs = {}

    def compile(self, device=None, log_stream=None):
        """Compile for a device now, not at the first launch; the compiler's words go to `log_stream`."""
        log = self._program(_core.default_device() if device is None else device)[1]
        if log_stream is not None:
            log_stream.write(log)

    def get_function(self, name):
        """The kernel of that name: ``extern "C"``, or one of `name_expressions`."""
        kernel = RawKernel._of_module(self, name)
        if _core.default_device().type == "cuda":
            kernel.compile()  # a wrong name is found now
        return kernel

    def _program(self, device):
        key = str(device)
        if key not in self._programs:
            major = _core.device_info(device)["arch"]
            folders = [f"--include-path={folder}" for folder in header_folders()]
            options = (f"--gpu-architecture=sm_{major}", *folders, *self.options)
            try:
                made = _core._program(device, self.code, options, self.name_expressions)
            except ValueError as error:
                raise CompileException(str(error)) from None
            self._programs[key] = made
        return self._programs[key]


class RawKernel:
    """One kernel in CUDA C++, called with a grid, a block and its arguments.

    Parameters
    ----------
    code : str
        The source.
    name : str
        The kernel in it, which is ``extern "C"`` or an instantiation such as ``"scale<float>"``.
    options : tuple of str, optional
        For NVRTC.
    backend : str, optional
        ``"nvrtc"``, the only one there is.

    Examples
    --------
    >>> double = gpuarray.RawKernel(r'''
    ... extern "C" __global__ void twice(float *x, long long n) {
    ...     long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    ...     if (i < n) x[i] *= 2;
    ... }''', "twice")
    >>> double((4,), (256,), (x, x.size))
    """

    def __init__(self, code, name, options=(), backend="nvrtc"):
        expressions = [name] if "<" in name else None
        self._module = RawModule(
            code, options=options, backend=backend, name_expressions=expressions
        )
        self.name = name

    @classmethod
    def _of_module(cls, module, name):
        kernel = cls.__new__(cls)
        kernel._module, kernel.name = module, name
        return kernel

    code = property(lambda self: self._module.code, doc="The source.")
    options = property(lambda self: self._module.options, doc="What NVRTC was told.")
    backend = property(lambda self: self._module.backend, doc="'nvrtc'.")

    def compile(self, device=None, log_stream=None):
        """Compile for a device now; a ValueError where the program has no such kernel."""
        device = _core.default_device() if device is None else device
        self._module.compile(device, log_stream)
        _core._program_find(self._module._program(device)[0], self.name)

    def __call__(self, grid, block, args, *, shared_mem=0):
        """Launch on the current stream.

        Parameters
        ----------
        grid, block : int or tuple of int
            How many blocks, and how many threads of each, along one to three axes.
        args : tuple
            Arrays, of which the kernel gets the address of the first element, NumPy's numbers as what they are, and
            Python's as bool, long long, double and complex<double>.
        shared_mem : int, optional
            Bytes of dynamic shared memory.
        """
        program, _ = self._module._program(device_of(args))
        sizes = as_sizes("grid", grid), as_sizes("block", block)
        _core._program_run(program, self.name, *sizes, shared_mem, tuple(map(as_argument, args)))

"""Kernels made of expressions in CUDA C++: one for each element, and reductions. CuPy's names and arguments."""

import math

import numpy
from numpy.lib.array_utils import normalize_axis_tuple

from gpuarray._core import empty, ndarray
from gpuarray._kernel_parameters import (
    RAW,
    as_values,
    check_type,
    dense,
    find_types,
    headers,
    name_type,
    parse,
)
from gpuarray._programs import RawKernel, RawModule
from gpuarray._shape import broadcast_to

__all__ = ["ElementwiseKernel", "ReductionKernel"]

BLOCK = 256
MOST_BLOCKS = 4096
LONG = 1 << 16  # elements of a reduction from which on several blocks share it

ELEMENTWISE = """{head}{preamble}
extern "C" __global__ void {name}({parameters}, long long n)
{{
    {before}
    const long long _step = gridDim.x * (long long)blockDim.x;
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += _step) {{
        {elements}
        {operation};
    }}
    {after};
}}
"""

REDUCTION = """{head}{preamble}
typedef {reduce_type} reduce_type;
__device__ reduce_type {name}_merge(reduce_type a, reduce_type b) {{ return {merge}; }}

__device__ reduce_type {name}_block(reduce_type mine)
{{
    __shared__ reduce_type lanes[{block}];
    __syncthreads();
    lanes[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned half = {block} / 2; half > 0; half /= 2) {{
        if (threadIdx.x < half)
            lanes[threadIdx.x] = {name}_merge(lanes[threadIdx.x], lanes[threadIdx.x + half]);
        __syncthreads();
    }}
    return lanes[0];
}}

extern "C" __global__ void {name}_map({parameters}, reduce_type *_parts, long long _length, long long _count)
{{
    const long long _row = blockIdx.x / _count, _part = blockIdx.x % _count;
    reduce_type _total = reduce_type({identity});
    for (long long _at = _part * {block} + threadIdx.x; _at < _length; _at += _count * {block}) {{
        const long long i = _row * _length + _at;
        {elements}
        _total = {name}_merge(_total, reduce_type({map}));
    }}
    _total = {name}_block(_total);
    if (threadIdx.x == 0)
        _parts[blockIdx.x] = _total;
}}

extern "C" __global__ void {name}_finish(const reduce_type *_parts, {result_type} *_results, long long _count)
{{
    reduce_type _total = reduce_type({identity});
    for (long long _at = threadIdx.x; _at < _count; _at += {block})
        _total = {name}_merge(_total, _parts[blockIdx.x * _count + _at]);
    _total = {name}_block(_total);
    if (threadIdx.x == 0) {{
        const reduce_type a = _total;
        {result_type} &{result} = _results[blockIdx.x];
        {post};
    }}
}}
"""


def declare(parameter, value, dtype):
    """The parameter in the signature, and how an element is named in the body."""
    kind, name = name_type(dtype), parameter.name
    constant = "" if parameter.is_output else "const "
    if not isinstance(value, ndarray):
        return f"const {kind} {name}", ""
    if parameter.raw:
        made = f"const raw_array<{constant}{kind}> {name} = {{_{name}, _{name}_size}};"
        return f"{constant}{kind} *_{name}, long long _{name}_size", made
    reference = "&" if parameter.is_output else ""
    return f"{constant}{kind} *_{name}", f"{constant}{kind} {reference}{name} = _{name}[i];"


def launch_arguments(parameters, values, types):
    """What a launch gets for them."""
    arguments = []
    for parameter, value in zip(parameters, values, strict=True):
        if not isinstance(value, ndarray):
            arguments.append(types[parameter.name].type(value))
        else:
            arguments += [value, value.size] if parameter.raw else [value]
    return arguments


class ElementwiseKernel:
    """A kernel that computes elements by an expression, with NumPy's broadcasting.

    Parameters
    ----------
    in_params, out_params : str
        Declarations such as ``"float32 x, T y"``, where one letter is a dtype that the arguments decide. ``raw T z``
        gives the expression all elements, as ``z[j]`` and ``z.size()``.
    operation : str
        Statements in CUDA C++ that compute the outputs; ``i`` is the number of the element, ``n`` how many there are.
    name : str, optional
        The kernel's, as profilers show it.
    preamble : str, optional
        What comes before the kernel.
    return_tuple, no_return : bool, optional
        Give a tuple also of one output; give nothing.
    loop_prep, after_loop : str, optional
        Statements before and after each thread's elements.
    options : tuple of str, optional
        For NVRTC.

    Examples
    --------
    >>> squared = gpuarray.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared")
    >>> squared(gpuarray.arange(3.0), 2.0)
    array([4., 1., 0.])
    """

    def __init__(
        self,
        in_params,
        out_params,
        operation,
        name="kernel",
        reduce_dims=True,
        preamble="",
        no_return=False,
        return_tuple=False,
        *,
        loop_prep="",
        after_loop="",
        options=(),
    ):
        self.inputs, self.outputs = parse(in_params, False), parse(out_params, True)
        self.name, self.operation, self.preamble = name, operation, preamble
        self.no_return, self.return_tuple, self.options = no_return, return_tuple, tuple(options)
        self.loop_prep, self.after_loop = loop_prep, after_loop
        self._modules = {}

    def __call__(self, *args, size=None, block_size=128):
        """Compute; the outputs may follow the inputs. `size` says how many elements, where all inputs are raw."""
        parameters = self.inputs + self.outputs
        if len(args) not in (len(self.inputs), len(parameters)):
            raise TypeError(
                f"{self.name} takes {len(self.inputs)} or {len(parameters)} arguments, not {len(args)}"
            )
        values, device = as_values(args)
        values += [None] * (len(parameters) - len(values))
        types = find_types(parameters, values)
        shape = self._find_shape(values, size)
        for place, parameter in enumerate(parameters):
            values[place] = prepare(parameter, values[place], types[parameter.name], shape, device)
        self._launch(parameters, values, types, math.prod(shape), block_size)
        return self._finish(args[len(self.inputs) :], values[len(self.inputs) :])

    def _find_shape(self, values, size):
        if size is not None:
            return (size,)
        whole = [
            numpy.shape(value) if not isinstance(value, ndarray) else value.shape
            for parameter, value in zip(self.inputs + self.outputs, values, strict=True)
            if value is not None and not parameter.raw
        ]
        if not whole:
            raise ValueError(
                f"{self.name}: where all arguments are raw, size= says how many elements"
            )
        return numpy.broadcast_shapes(*whole)

    def _launch(self, parameters, values, types, count, block_size):
        signature, elements = zip(
            *(declare(p, v, types[p.name]) for p, v in zip(parameters, values, strict=True)),
            strict=True,
        )
        source = ELEMENTWISE.format(
            head=headers(types.values()) + (RAW if any(each.raw for each in parameters) else ""),
            preamble=self.preamble,
            name=self.name,
            parameters=", ".join(signature),
            before=self.loop_prep,
            elements="\n        ".join(elements),
            operation=self.operation,
            after=self.after_loop,
        )
        if source not in self._modules:
            self._modules[source] = RawKernel(source, self.name, self.options)
        blocks = min(-(-count // block_size), MOST_BLOCKS * 16)
        if count:
            arguments = launch_arguments(parameters, values, types)
            self._modules[source]((blocks,), (block_size,), (*arguments, numpy.int64(count)))

    def _finish(self, given, computed):
        for out, value in zip(given, computed, strict=False):
            if out is not value:
                out[...] = value
        results = tuple(given or computed)
        if self.no_return:
            return None
        return results if self.return_tuple or len(results) != 1 else results[0]


def prepare(parameter, value, dtype, shape, device):
    """An argument as the kernel takes it: a number, or elements in C order in the shape of the call."""
    check_type(parameter, value, dtype)
    if value is None:
        return empty(shape, dtype, device=device)
    if not isinstance(value, ndarray):
        return value
    if parameter.raw:
        return dense(value, value.shape)
    if parameter.is_output and value.shape != shape:
        raise ValueError(f"{parameter.name} has shape {value.shape}, the others give {shape}")
    return dense(value, shape)


class ReductionKernel:
    """A reduction by expressions: what each element gives, how two such are merged, and what becomes of the last.

    Parameters
    ----------
    in_params, out_params : str
        Declarations as those of `ElementwiseKernel`, without raw ones; one output.
    map_expr, reduce_expr, post_map_expr : str
        The value of an element; of ``a`` and ``b``; a statement that sets the output from ``a``.
    identity : str
        What changes nothing, and the result of no elements.
    name : str, optional
        The kernel's.
    reduce_type : str, optional
        C++ type of what is merged; by default the output's.
    preamble : str, optional
        What comes before the kernels.
    options : tuple of str, optional
        For NVRTC.

    Examples
    --------
    >>> norm = gpuarray.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
    >>> norm(gpuarray.array([3.0, 4.0]))
    array(5.)
    """

    def __init__(
        self,
        in_params,
        out_params,
        map_expr,
        reduce_expr,
        post_map_expr,
        identity,
        name="reduce_kernel",
        reduce_type=None,
        reduce_dims=True,
        preamble="",
        options=(),
    ):
        self.inputs, self.outputs = parse(in_params, False), parse(out_params, True)
        if len(self.outputs) != 1 or any(each.raw for each in self.inputs + self.outputs):
            raise ValueError("a reduction has one output, and no raw parameters")
        self.name, self.preamble, self.options = name, preamble, tuple(options)
        self.reduce_type, self.identity = reduce_type, "" if identity is None else identity
        self.map_expr, self.reduce_expr, self.post_map_expr = map_expr, reduce_expr, post_map_expr
        self._modules = {}

    def __call__(self, *args, out=None, axis=None, keepdims=False):
        """Reduce the inputs, broadcast together, over all axes or those given."""
        if len(args) != len(self.inputs):
            raise TypeError(f"{self.name} takes {len(self.inputs)} arguments, not {len(args)}")
        values, device = as_values(args)
        types = find_types(self.inputs + self.outputs, [*values, out])
        shapes = [value.shape for value in values if isinstance(value, ndarray)]
        shape = numpy.broadcast_shapes(*shapes)
        axes = range(len(shape)) if axis is None else normalize_axis_tuple(axis, len(shape))
        kept = [each for each in range(len(shape)) if each not in axes]
        values = [
            reduce_last(value, shape, [*kept, *axes]) if isinstance(value, ndarray) else value
            for value in values
        ]
        for parameter, value in zip(self.inputs, values, strict=True):
            check_type(parameter, value, types[parameter.name])
        lengths = [shape[each] for each in kept], [shape[each] for each in axes]
        results = self._launch(values, types, *map(math.prod, lengths), device)
        final = [1 if each in axes else length for each, length in enumerate(shape)]
        results = results.reshape(final if keepdims else lengths[0])
        if out is None:
            return results[()] if results.ndim == 0 else results
        out[...] = results
        return out

    def _launch(self, values, types, rows, length, device):
        result = self.outputs[0]
        signature, elements = zip(
            *(declare(p, v, types[p.name]) for p, v in zip(self.inputs, values, strict=True)),
            strict=True,
        )
        source = REDUCTION.format(
            head=headers(types.values()),
            preamble=self.preamble,
            name=self.name,
            reduce_type=self.reduce_type or name_type(types[result.name]),
            merge=self.reduce_expr,
            block=BLOCK,
            parameters=", ".join(signature),
            identity=self.identity,
            elements="\n        ".join(elements),
            map=self.map_expr,
            result_type=name_type(types[result.name]),
            result=result.name,
            post=self.post_map_expr,
        )
        if source not in self._modules:
            module = RawModule(source, options=self.options)
            steps = (f"{self.name}_map", f"{self.name}_finish")
            self._modules[source] = [RawKernel._of_module(module, step) for step in steps]
        results = empty(rows, types[result.name], device=device)
        if rows:
            self._run(self._modules[source], values, types, rows, length, results)
        return results

    def _run(self, kernels, values, types, rows, length, results):
        count = max(1, min(length // LONG, MOST_BLOCKS // rows))
        parts = empty(
            rows * count * 2, "c16", device=results.device
        )  # room for any reduce_type up to 32 bytes
        sizes = numpy.int64(length), numpy.int64(count)
        arguments = launch_arguments(self.inputs, values, types)
        kernels[0]((rows * count,), (BLOCK,), (*arguments, parts, *sizes))
        kernels[1]((rows,), (BLOCK,), (parts, results, sizes[1]))


def reduce_last(value, shape, axes):
    """An array in the shape of the call, in C order of the given axes, of which the last are reduced."""
    turned = broadcast_to(value, shape).transpose(axes)
    return dense(turned, turned.shape)

"""Values chosen by conditions: select and piecewise."""

import numpy

from gpuarray import _core
from gpuarray._choice import copyto
from gpuarray._core import asarray, full, ndarray, zeros_like
from gpuarray._dtypes import result_type
from gpuarray._fallback import on_host_if_unheld
from gpuarray._scalars import is_scalar
from gpuarray._shape import broadcast_arrays

__all__ = ["piecewise", "select"]


def as_choice(value):
    """Python numbers as they are, since their dtype is weak."""
    return value if type(value) in (int, float, complex) else asarray(value)


@on_host_if_unheld
def select(condlist, choicelist, default=0):
    """For each element, that of the first choice whose condition is true there, or `default`."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if len(condlist) == 0:
        raise ValueError("select with an empty condition list is not possible")
    choices = [as_choice(each) for each in choicelist] + [as_choice(default)]
    try:
        dtype = result_type(*choices)
    except TypeError as error:
        raise TypeError(
            f"Choicelist and default value do not have a common dtype: {error}"
        ) from None
    conditions = broadcast_arrays(*(asarray(each) for each in condlist))
    choices = broadcast_arrays(*(asarray(each, dtype=dtype) for each in choices))
    for i, condition in enumerate(conditions):
        if condition.dtype != bool:
            raise TypeError(f"invalid entry {i} in condlist: should be boolean ndarray")
    shape = numpy.broadcast_shapes(conditions[0].shape, choices[0].shape)
    result = full(shape, choices[-1], dtype, device=conditions[0].device)
    for condition, choice in zip(conditions[::-1], choices[-2::-1], strict=True):
        copyto(result, choice, where=condition)
    return result


def is_condition(value):
    """Whether the first of a list is a condition by itself, not an element of a single one: arrays are, and lists."""
    return isinstance(value, (list, numpy.ndarray)) or (
        isinstance(value, ndarray) and not is_scalar(value)
    )


def read_conditions(x, condlist, count):
    """The conditions as bool arrays; one more, where all others are false, if there is a function for it."""
    single = numpy.isscalar(condlist) or (x.ndim != 0 and not is_condition(condlist[0]))
    conditions = asarray([condlist] if single else condlist, dtype=bool, device=x.device)
    if len(conditions) == count - 1:
        return [*each_row(conditions), _core.logical_not(conditions.any(axis=0))]
    if len(conditions) != count:
        raise ValueError(
            f"with {len(conditions)} condition(s), either {len(conditions)} or {len(conditions) + 1} "
            "functions are expected"
        )
    return each_row(conditions)


def each_row(conditions):
    """Views, also of a vector's elements, which would be copies otherwise."""
    return [conditions[i, ...] for i in range(len(conditions))]


def piecewise(x, condlist, funclist, *args, **kw):
    """Each function, or value, applied to the elements where its condition is true; the last one to the rest."""
    x = asarray(x)
    result = zeros_like(x)
    for condition, function in zip(
        read_conditions(x, condlist, len(funclist)), funclist, strict=True
    ):
        if not callable(function):
            result[condition] = function
            continue
        values = x[condition]
        if values.size > 0:
            result[condition] = function(values, *args, **kw)
    return result

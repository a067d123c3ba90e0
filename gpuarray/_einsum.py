"""einsum: sums of products over named axes.

Operands are contracted two at a time. A pair that shares summed axes is one matrix product of transposed views, with
the axes that both keep as the batch; a pair without is a broadcast product. Of one operand alone, axes are summed,
diagonals are views.
"""

import collections
import functools
import math
import string

import numpy

from gpuarray import _core
from gpuarray._choice import copyto
from gpuarray._core import asarray, matmul, multiply, ndarray
from gpuarray._dtypes import can_cast, is_short_float, result_type
from gpuarray._fallback import run_silently
from gpuarray._subscripts import parse_subscripts, split_arguments

__all__ = ["einsum", "einsum_path"]

# Characters of the dtypes that are multiplied as they are.
PLAIN = "?bBhHiIlLqQefdFD"

# An array with the labels of its axes, all different.
Term = collections.namedtuple("Term", "array labels")

# A pair as one matrix product: the axes of either operand in the order of its matrices (None: as they are), how many
# axes are batch, left, right and summed, and the labels of the result.
PairPlan = collections.namedtuple("PairPlan", "first second batch left right summed labels")

# A call that is such a product: the plan, the pairs of axes that must be as long, and the result's axes (None: as they
# come).
CallPlan = collections.namedtuple("CallPlan", "pair shared turned")


def einsum(*operands, out=None, optimize=False, dtype=None, order="K", casting="safe"):
    """Sum of products of operands over the axes whose subscripts the result does not have."""
    if out is dtype is None and order == "K" and casting == "safe" and len(operands) == 3:
        result = contract_at_once(*operands)
        if result is not None:
            return result
    return einsum_stepwise(operands, out, optimize, dtype, order, casting)


def contract_at_once(text, x, y):
    """The result of a call of two arrays alike that is a matrix product; None: it is more, or wrong."""
    if type(text) is not str or type(x) is not ndarray or type(y) is not ndarray:
        return None
    if x.dtype is not y.dtype or x.dtype.char not in PLAIN or x.device != y.device:
        return None
    plan = plan_call(text, x.ndim, y.ndim)
    if plan is None:
        return None
    for i, j in plan.shared:
        if x.shape[i] != y.shape[j]:
            return None
    result = multiply_matrices(plan.pair, x, y)
    return as_result(result if plan.turned is None else result.transpose(plan.turned))


@functools.lru_cache(maxsize=256)
def plan_call(text, *ndims):
    """The plan of a call of two operands, or None."""
    inputs, output = parse_subscripts(text, ndims)
    first, second = inputs
    unlike = len(set(first)) == len(first) and len(set(second)) == len(second)
    alone = set(first) ^ set(second)
    if not unlike or not alone.issubset(output):
        return None
    pair = plan_pair(first, second, frozenset(output))
    if pair is None:
        return None
    turned = tuple(pair.labels.index(label) for label in output)
    shared = tuple((i, second.index(label)) for i, label in enumerate(first) if label in second)
    return CallPlan(pair, shared, None if pair.labels == output else turned)


def einsum_stepwise(operands, out, optimize, dtype, order, casting):
    """The long way: any operands, dtypes and numbers of contractions."""
    text, arrays = split_arguments(operands)
    device = next((each.device for each in arrays if isinstance(each, ndarray)), None)
    arrays = [asarray(each, device=device) for each in arrays]
    if not all(isinstance(each, ndarray) for each in arrays):  # strings and objects
        keywords = {"out": out, "dtype": dtype, "order": order, "casting": casting}
        return run_silently(numpy.einsum, "gpuarray.einsum", operands, keywords)
    check_order(order)
    subscripts = parse_subscripts(text, tuple(each.ndim for each in arrays))
    terms = label_terms(arrays, subscripts)
    if len(terms) == 1 and out is None and set(terms[0].labels) == set(subscripts.output):
        return as_result(arrange(terms[0], subscripts.output))  # a view
    computed = choose_type(arrays, out, dtype, casting)
    kept = computed
    if is_short_float(computed):  # beyond NumPy, whose einsum takes none
        computed = numpy.dtype(numpy.float32)
    terms = [Term(term.array.astype(computed, copy=False), term.labels) for term in terms]
    path = choose_path(terms, subscripts.output, optimize)
    result = arrange(contract(terms, subscripts.output, path), subscripts.output)
    if str(order).upper() == "A":
        order = "F" if all(each.flags.f_contiguous for each in arrays) else "C"
    return deliver(result.astype(kept, copy=False), out, order, casting)


def einsum_path(*operands, optimize="greedy", einsum_call=False):
    """The order of contractions that einsum would take, and a table of what it costs."""
    text, arrays = split_arguments(operands)
    hollow = [hollow_array(asarray(each)) for each in arrays]
    return numpy.einsum_path(text, *hollow, optimize=optimize)


def hollow_array(a):
    """A numpy array of the same shape and dtype that holds one element, for NumPy to measure."""
    return numpy.broadcast_to(numpy.empty((), a.dtype), a.shape)


def check_order(order):
    if str(order).upper() not in ("A", "C", "F", "K"):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")


def choose_type(arrays, out, dtype, casting):
    """The dtype of products and sums: that of `out` counts too, so short integers do not overflow on the way there."""
    operands = arrays if out is None else [*arrays, out]
    computed = result_type(*operands) if dtype is None else numpy.dtype(dtype)
    if computed.kind not in "biufc" and not is_short_float(computed):
        raise TypeError(f"einsum: there is no product of {computed} values")
    for position, each in enumerate(arrays):
        if not can_cast(each.dtype, computed, casting):
            raise TypeError(
                f"einsum: operand {position} could not be cast from {each.dtype!r} to {computed!r} according to the "
                f"rule {casting!r}"
            )
    return computed


def label_terms(arrays, subscripts):
    """The operands with every label once: diagonals taken, and axes of length one dropped where others are longer."""
    terms = [take_diagonals(*pair) for pair in zip(arrays, subscripts.inputs, strict=True)]
    lengths = {}
    for term in terms:
        for label, length in zip(term.labels, term.array.shape, strict=True):
            known = lengths.get(label, 1)
            if known != length and 1 not in (known, length):
                raise ValueError(
                    f"einsum: operands could not be broadcast together: axis {label!r} has lengths {known} and {length}"
                )
            lengths[label] = length if known == 1 else known
    return [drop_repeated(term, lengths) for term in terms]


def take_diagonals(a, labels):
    """View in which axes with the same label have become their diagonal."""
    shape, strides = {}, dict.fromkeys(labels, 0)
    for label, length, stride in zip(labels, a.shape, a.strides, strict=True):
        if shape.setdefault(label, length) != length:
            raise ValueError(
                f"einsum: axes of lengths {shape[label]} and {length} of one operand share the index {label!r}"
            )
        strides[label] += stride
    if len(shape) == len(labels):
        return Term(a, labels)
    view = ndarray(tuple(shape.values()), a.dtype, a, 0, tuple(strides.values()))
    return Term(view, tuple(shape))


def drop_repeated(term, lengths):
    pairs = list(zip(term.labels, term.array.shape, strict=True))
    if all(length == lengths[label] for label, length in pairs):
        return term
    key = tuple(slice(None) if length == lengths[label] else 0 for label, length in pairs)
    kept = tuple(label for label, length in pairs if length == lengths[label])
    return Term(term.array[(*key, ...)], kept)


def choose_path(terms, output, optimize):
    """Positions of the terms to contract, step by step; the result of a step goes to the end of the list."""
    letters = dict.fromkeys(label for term in terms for label in term.labels)
    if len(terms) <= 2 or len(letters) > len(string.ascii_letters):
        return [tuple(range(len(terms)))]
    letters = dict(zip(letters, string.ascii_letters, strict=False))
    spell = "".join
    text = ",".join(spell(letters[label] for label in term.labels) for term in terms)
    text += "->" + spell(letters[label] for label in output)
    hollow = [hollow_array(term.array) for term in terms]
    return numpy.einsum_path(text, *hollow, optimize=optimize or "greedy")[0][1:]


def contract(terms, output, path):
    """All terms as one."""
    terms = list(terms)
    for step in path:
        chosen = [terms.pop(position) for position in sorted(step, reverse=True)][::-1]
        while len(chosen) > 1:
            rest = (each.labels for each in chosen[2:] + terms)
            chosen[:2] = [contract_pair(*chosen[:2], set(output).union(*rest))]
        terms.append(chosen[0])
    return sum_out(terms[0], output)


def sum_out(term, kept):
    """A term without the axes that are not kept."""
    axes = tuple(i for i, label in enumerate(term.labels) if label not in kept)
    if not axes:
        return term
    labels = tuple(label for label in term.labels if label in kept)
    dtype = term.array.dtype
    is_bool = dtype.kind == "b"
    add_up = _core.any(term.array, axes) if is_bool else _core.sum(term.array, axes, dtype)
    return Term(add_up, labels)


def contract_pair(x, y, kept):
    """Product of two terms, summed over the axes that are not kept."""
    x, y = sum_out(x, kept | set(y.labels)), sum_out(y, kept | set(x.labels))
    plan = plan_pair(x.labels, y.labels, frozenset(kept))
    if plan is None:
        return multiply_terms(x, y)
    return Term(multiply_matrices(plan, x.array, y.array), plan.labels)


@functools.lru_cache(maxsize=256)
def plan_pair(first, second, kept):
    """The matrix product of two operands with these labels; None where nothing is summed."""
    shared = [label for label in first if label in second]
    batch = tuple(label for label in shared if label in kept)
    summed = tuple(label for label in shared if label not in kept)
    left = tuple(label for label in first if label not in second)
    right = tuple(label for label in second if label not in first)
    if not summed:
        return None
    axes = order_axes(first, batch + left + summed), order_axes(second, batch + summed + right)
    counts = len(batch), len(left), len(right), len(summed)
    return PairPlan(*axes, *counts, batch + left + right)


def order_axes(labels, order):
    """Where the labels of `order` stand; None: they stand so already."""
    return None if labels == order else tuple(labels.index(label) for label in order)


def multiply_matrices(plan, x, y):
    """The product of a plan. Without a batch, an operand without axes of its own is a vector."""
    x = x if plan.first is None else x.transpose(plan.first)
    y = y if plan.second is None else y.transpose(plan.second)
    batch, left, right, summed = plan[2:6]
    first = join_axes(x, batch, left, summed, left == batch == 0)
    second = join_axes(y, batch, summed, right, right == batch == 0)
    product = matmul(first, second)
    if product.ndim == len(plan.labels) and left < 2 and right < 2:
        return product
    return product.reshape(x.shape[: batch + left] + y.shape[batch + summed :])


def join_axes(a, batch, rows, columns, is_vector):
    """A batch of matrices: several axes joined to rows and to columns."""
    if rows == columns == 1 or (is_vector and a.ndim == 1):
        return a
    shape, middle = a.shape, batch + rows
    if is_vector:
        return a.reshape(math.prod(shape))
    return a.reshape((*shape[:batch], math.prod(shape[batch:middle]), math.prod(shape[middle:])))


def multiply_terms(x, y):
    """Product with broadcasting: y's own axes behind those of x."""
    labels = x.labels + tuple(label for label in y.labels if label not in x.labels)
    first = x.array.reshape(x.array.shape + (1,) * (len(labels) - len(x.labels)))
    order = sorted(range(len(y.labels)), key=lambda axis: labels.index(y.labels[axis]))
    lengths = dict(zip(y.labels, y.array.shape, strict=True))
    second = y.array.transpose(order).reshape([lengths.get(label, 1) for label in labels])
    return Term(multiply(first, second), labels)


def arrange(term, output):
    """The array of a term with its axes in the order of the output."""
    if term.labels == output:
        return term.array[...]
    return term.array.transpose([term.labels.index(label) for label in output])


def deliver(result, out, order, casting):
    if out is not None:
        if out.shape != result.shape:
            raise ValueError(f"einsum: out has shape {out.shape}, the result {result.shape}")
        copyto(out, result, casting)
        return out
    if str(order).upper() in ("C", "F"):
        result = asarray(result, order=order)
    return as_result(result)


def as_result(a):
    return a[()] if a.ndim == 0 else a

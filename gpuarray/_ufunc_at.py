"""`ufunc.at`: a ufunc in place on named elements, once for each time they are named.

On the CPU device NumPy works in the array's own memory, one element after the other, and nothing is faster. On a GPU
the operands are sorted by the element they go to, so that each element's operands lie together in the order given.
Where the loop computes in the array's own dtype, the operands of an element are one slice of a `reduceat`, with the
element before them where the order of operations counts. Else each
step ends with a cast, as in NumPy, and so the elements take a step together, in as many rounds as the most named of
them is named.
"""

import numpy

import gpuarray
from gpuarray import _core
from gpuarray._core import arange, asarray, empty, ndarray
from gpuarray._fallback import holds, run, run_silently
from gpuarray._memory import may_share_memory
from gpuarray._scans import cumsum
from gpuarray._sets import lengths_of_runs, mark_first
from gpuarray._shape import broadcast_to
from gpuarray._sorting import dense
from gpuarray._ufunc_methods import is_numpys

# Where one cast after all steps does for a cast after each, by kinds of dtypes: integers wrap, rounding keeps extremes,
# and sums and products come out more accurate.
CAST_ONCE = {
    **dict.fromkeys(("add", "subtract", "multiply"), ("iu", "f", "c")),
    **dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor"), ("iu",)),
    **dict.fromkeys(("maximum", "minimum", "fmax", "fmin"), ("f",)),
}
# Whose operands may be combined before the element meets them.
ASSOCIATIVE = frozenset(
    "add multiply maximum minimum fmax fmin bitwise_and bitwise_or bitwise_xor".split()
)
MOST_ROUNDS = 64  # more would cost more launches than NumPy on the host costs


def ufunc_at(ufunc, a, indices, *operands):
    """The ufunc in place at indices; an index that comes twice counts twice."""
    if not on_device(ufunc, a, operands):
        on_host(ufunc, a, indices, operands)
        return
    check_call(ufunc, a, operands)
    operand = take_operand(a, operands[0]) if operands else None
    dtypes = (a.dtype, operand.dtype, a.dtype) if operands else (a.dtype, a.dtype)
    if not apply(ufunc, a, indices, operand, resolve(ufunc, dtypes)):
        on_host(ufunc, a, indices, operands)


def on_host(ufunc, a, indices, operands):
    """NumPy's own, in shared memory on the CPU device, else with a copy of `a` there and back."""
    if not is_numpys(ufunc):
        raise TypeError(
            f"{ufunc.__name__}.at() needs a device array and operands that a device holds"
        )
    runner = run_silently if isinstance(a, ndarray) and a.device == "cpu" else run
    name = f"gpuarray.{ufunc.__name__}.at"
    runner(getattr(numpy, ufunc.__name__).at, name, (a, indices, *operands), {}, "a")


def on_device(ufunc, a, operands):
    """Whether a device holds all that the call needs, and is to do it."""
    if not isinstance(a, ndarray) or (a.device == "cpu" and is_numpys(ufunc)):
        return False
    return all(isinstance(x, ndarray) or holds(numpy.asarray(x).dtype) for x in operands)


def check_call(ufunc, a, operands):
    """NumPy's refusals, before anything is computed."""
    if ufunc.nout != 1:
        raise ValueError("Only single output ufuncs supported at this time")
    if len(operands) > 1:
        raise TypeError(
            f"at() takes from 2 to 3 positional arguments but {2 + len(operands)} were given"
        )
    if ufunc.nin == 2 and not operands:
        raise ValueError("second operand needed for ufunc")
    if ufunc.nin == 1 and operands:
        raise ValueError("second operand provided when ufunc is unary")
    if not a.flags.writeable:
        raise ValueError("array is read-only")


def take_operand(a, operand):
    """On a's device; a Python number that a's dtype holds exactly in that dtype, so that no loop has to be wider."""
    if isinstance(operand, (bool, int, float, complex)):
        number = numpy.asarray(operand)
        fits = number.dtype.kind != "O" and numpy.can_cast(number.dtype, a.dtype, "same_kind")
        if fits and number.astype(a.dtype) == number:
            operand = number.astype(a.dtype)
    return asarray(operand, device=a.device)


def resolve(ufunc, dtypes):
    """The loop's dtypes; NumPy lets every cast pass here, of the operands and back."""
    return ufunc.resolve_dtypes(dtypes, casting="unsafe")


def folds(ufunc, dtype, loop):
    """Whether one reduction by this loop, and a cast at its end, gives what the steps give."""
    if len(loop) != 3 or len(set(loop)) != 1:
        return False
    kinds = CAST_ONCE.get(ufunc.__name__, ())
    return loop[0] == dtype or any(dtype.kind in k and loop[0].kind in k for k in kinds)


def apply(ufunc, a, indices, operand, loop):
    """Compute on a's device; False, with nothing done, where that would take too many rounds."""
    # Short numbers are sorted in fewer passes.
    numbers = arange(a.size, dtype=numpy.min_scalar_type(max(a.size - 1, 0)), device=a.device)
    place = numbers.reshape(a.shape)[indices]
    if operand is not None:
        operand = broadcast_to(operand, place.shape).reshape(-1)
    if place.size == 0:
        return True
    place, order = _core._sort_both(dense(place).reshape(-1))
    operand = None if operand is None else operand[order]
    gpuarray.synchronize(
        a.device
    )  # an index out of range has to be known before anything is written
    flat = a.reshape(-1)
    if folds(ufunc, a.dtype, loop):
        fold(ufunc, flat, place, operand, loop[0])
    elif not take_rounds(ufunc, flat, place, operand):
        return False
    if not may_share_memory(flat, a):
        a[...] = flat.reshape(a.shape)
    return True


def find_targets(place, changes, source=None):
    """The distinct ones of sorted places as int64, and where each is first met, or what stands there in a source."""
    targets, first = _core._select_each(changes, place, source)
    return targets.astype(numpy.intp), first


def write(flat, targets, values):
    _core._put(flat, targets, values.astype(flat.dtype, copy=False), "clip", True)


def reduce_slices(ufunc, row, starts):
    counts = ufunc.__name__ in ("power", "pow") and row.dtype.kind in "iu"  # negative exponents
    return (ufunc.reduceat if counts else ufunc._reduce_slices)(row, starts)


def fold(ufunc, flat, place, operand, dtype):
    """The operands of each element as a slice of one reduceat, the element before them unless it may come after."""
    operand, changes = operand.astype(dtype, copy=False), mark_first(place, False)
    if ufunc.__name__ in ASSOCIATIVE:
        targets, first = find_targets(place, changes)
        total = reduce_slices(ufunc, operand, first)
        write(flat, targets, ufunc(flat[targets].astype(dtype, copy=False), total))
        return
    # In a row that begins at 1: an element takes a place, and so does each of its operands.
    after = cumsum(_core.add(changes, 1), dtype=numpy.intp)
    targets, first = find_targets(place, changes, after)
    row = empty(place.size + targets.size + 1, dtype, device=flat.device)
    first -= 1
    write(row, after, operand)
    write(row, first, flat[targets])
    write(flat, targets, reduce_slices(ufunc, row, first))


def take_rounds(ufunc, flat, place, operand):
    """In round r each element that is named more than r times meets its r-th operand."""
    targets, first = find_targets(place, mark_first(place, False))
    counts = lengths_of_runs(first, place.size)
    most = int(counts.max())
    if most > MOST_ROUNDS and is_numpys(ufunc):
        return False
    for turn in range(most):
        if turn:
            targets, first, counts = _core._select_each(counts > turn, targets, first, counts)
            first += 1
        values = flat[targets]
        inputs = (values,) if operand is None else (values, operand[first])
        ufunc(*inputs, out=values, casting="unsafe")
        write(flat, targets, values)
    return True

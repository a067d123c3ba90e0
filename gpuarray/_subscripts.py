"""Subscripts of einsum, by NumPy's rules: strings with letters, or lists of numbers between the operands.

A parsed axis is a letter, or, for an axis that an ellipsis stands for, its negative position among those: -1 is the
last.
"""

import collections
import functools
import string

LETTERS = (
    string.ascii_uppercase + string.ascii_lowercase
)  # what the numbers of the list form stand for

# Subscripts taken apart: labels of the axes of each operand, and of the result.
Subscripts = collections.namedtuple("Subscripts", "inputs output")


def split_arguments(arguments):
    """Subscripts in string form and the operands, of either form of a call."""
    if not arguments:
        raise ValueError(
            "must specify the einstein sum subscripts string and at least one operand, or at least one operand "
            "and its corresponding subscripts list"
        )
    if isinstance(arguments[0], (str, bytes)):
        first = arguments[0]
        return first.decode() if isinstance(first, bytes) else first, list(arguments[1:])
    operands, lists = arguments[: len(arguments) // 2 * 2 : 2], arguments[1::2]
    text = ",".join(map(spell_list, lists))
    if len(arguments) % 2:
        text += "->" + spell_list(arguments[-1])
    return text, list(operands)


def spell_list(numbers):
    return "".join("..." if each is Ellipsis else spell_number(each) for each in numbers)


def spell_number(number):
    if not hasattr(number, "__index__"):
        raise TypeError("each subscript must be either an integer or an ellipsis")
    if not 0 <= number < len(LETTERS):
        raise ValueError("subscript is not within the valid range [0, 52)")
    return LETTERS[number]


@functools.lru_cache(maxsize=256)
def parse_subscripts(text, ndims):
    """Labels of all axes, for operands with these numbers of dimensions, a tuple."""
    text = text.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(ndims):
        few, many = ("fewer", "more") if len(ndims) < len(terms) else ("more", "fewer")
        raise ValueError(
            f"einsum: {few} operands provided ({len(ndims)}) than specified in the subscripts string {text!r}, or "
            f"{many} terms ({len(terms)})"
        )
    inputs = tuple(parse_term(term, ndim) for term, ndim in zip(terms, ndims, strict=True))
    spread = min((label for term in inputs for label in term if isinstance(label, int)), default=0)
    ellipsis = tuple(range(spread, 0))
    output = parse_output(right, inputs, ellipsis) if arrow else imply_output(inputs, ellipsis)
    return Subscripts(inputs, output)


def check_letters(term):
    for letter in term:
        if not (letter.isascii() and letter.isalpha()):
            raise ValueError(
                f"invalid subscript {letter!r} in einstein sum subscripts string, subscripts must be letters"
            )


def parse_term(term, ndim):
    """Labels of one operand's axes."""
    before, dots, after = term.partition("...")
    check_letters(before + after)
    missing = ndim - len(before) - len(after)
    if missing < 0:
        raise ValueError(
            f"einstein sum subscripts string {term!r} contains too many subscripts for an operand of {ndim} dimensions"
        )
    if missing and not dots:
        raise ValueError(
            f"operand has more dimensions ({ndim}) than subscripts given in einstein sum ({term!r}), but no '...' "
            "ellipsis provided to broadcast the extra dimensions."
        )
    return (*before, *range(-missing, 0), *after)


def parse_output(term, inputs, ellipsis):
    """Labels of the result as the string says them."""
    before, dots, after = term.partition("...")
    check_letters(before + after)
    known = {label for labels in inputs for label in labels}
    for letter in before + after:
        if (before + after).count(letter) > 1:
            raise ValueError(
                f"einstein sum subscripts string includes output subscript {letter!r} multiple times"
            )
        if letter not in known:
            raise ValueError(
                f"einstein sum subscripts string included output subscript {letter!r} which never appeared in an input"
            )
    if ellipsis and not dots:
        raise ValueError(
            "output has more dimensions than subscripts given in einstein sum, but no '...' ellipsis provided to "
            "broadcast the extra dimensions."
        )
    return (*before, *ellipsis, *after)


def imply_output(inputs, ellipsis):
    """Labels of the result where the string has none: the ellipsis, then the letters that appear once, in order."""
    letters = [label for labels in inputs for label in labels if isinstance(label, str)]
    return (*ellipsis, *sorted(letter for letter in letters if letters.count(letter) == 1))

"""Polynomials: the names of numpy.polynomial. Functions run in NumPy on the host so far, classes are NumPy's own."""

import importlib
import sys
import types

import numpy.polynomial

from gpuarray._namespace import wrap_module

__all__ = list(numpy.polynomial.__all__)


def mirror(name):
    """Module like numpy.polynomial.<name>, with its functions on the host."""
    path = f"polynomial.{name}"
    theirs = importlib.import_module(f"numpy.{path}")
    ours = types.ModuleType(f"gpuarray.{path}", theirs.__doc__)
    ours.__all__ = list(theirs.__all__)
    vars(ours).update(wrap_module(path, theirs.__all__))
    sys.modules[ours.__name__] = ours
    return ours


for _name in __all__:
    _value = getattr(numpy.polynomial, _name)
    globals()[_name] = mirror(_name) if isinstance(_value, types.ModuleType) else _value

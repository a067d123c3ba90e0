"""NumPy on NVIDIA GPUs: `import gpuarray as np`.

This file only brings names together: compiled ones from _core, composed ones from the modules named after nouns, and,
when they are asked for, submodules and everything else that NumPy has (_namespace.py). Importing it touches no GPU.
"""

# ruff: noqa: F403 - each module says in __all__ what it gives

from gpuarray import _methods, _namespace
from gpuarray._bits import *
from gpuarray._choice import *
from gpuarray._convolution import *
from gpuarray._core import *
from gpuarray._counting import *
from gpuarray._covariance import *
from gpuarray._creation import *
from gpuarray._curves import *
from gpuarray._differences import *
from gpuarray._dtypes import *
from gpuarray._editing import *
from gpuarray._einsum import *
from gpuarray._fallback import *
from gpuarray._files import *
from gpuarray._functional import *
from gpuarray._grids import *
from gpuarray._histograms import *
from gpuarray._joining import *
from gpuarray._linear import *
from gpuarray._logic import *
from gpuarray._nan_reductions import *
from gpuarray._padding import *
from gpuarray._partition import *
from gpuarray._polynomials import *
from gpuarray._positions import *
from gpuarray._precision import *
from gpuarray._printing import *
from gpuarray._products import *
from gpuarray._quantiles import *
from gpuarray._reductions import *
from gpuarray._rounding import *
from gpuarray._scans import *
from gpuarray._searching import *
from gpuarray._selecting import *
from gpuarray._sets import *
from gpuarray._shape import *
from gpuarray._sorting import *
from gpuarray._splitting import *
from gpuarray._taking import *
from gpuarray._tapers import *
from gpuarray._transfers import *

_methods.register()
_namespace.point_to_numpy(globals())

# Facts for show_config(), not for users.
for _name in ("backend_build", "backend_reason", "device_info", "libraries", "set_library_path"):
    del globals()[_name]


def __getattr__(name):
    value = _namespace.find(name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_namespace.list_names(), *_namespace.ATTRIBUTES})

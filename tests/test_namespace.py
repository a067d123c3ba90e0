"""Every name of NumPy is there, and is NumPy's own where it should be."""

import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import gpuarray
from gpuarray import _namespace

NAMES = sorted(name for name in dir(np) if not name.startswith("_"))
SUBMODULES = {
    "linalg": np.linalg,
    "fft": np.fft,
    "random": np.random,
    "polynomial": np.polynomial,
    "emath": np.emath,
}
OWN = (
    "bool bool_ int8 int64 float16 float32 float64 complex128 datetime64 generic floating dtype iinfo "
    "newaxis pi e inf nan ScalarType errstate s_ index_exp poly1d nditer broadcast matrix ma strings char rec "
    "exceptions testing dtypes typing ctypeslib"
).split()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", NAMES)
def test_name_is_there(name):
    getattr(gpuarray, name)


@pytest.mark.parametrize("name", OWN)
def test_name_is_numpys(name):
    assert getattr(gpuarray, name) is getattr(np, name)


def test_what_stays_on_the_host_is_argued_for():
    page = (Path(gpuarray.__file__).parents[1] / "docs" / "differences.md").read_text()
    section = page.partition("## Functions that stay on the host\n")[2].partition("\n## ")[0]
    for name in NAMES:
        if _namespace.classify(name, getattr(gpuarray, name)) == "host":
            assert f"`{name}`" in section, name


def test_every_ufunc_is_native():
    ufuncs = [name for name in NAMES if isinstance(getattr(np, name), np.ufunc)]
    elementwise = [name for name in ufuncs if not getattr(np, name).signature]
    assert len(elementwise) > 95
    for name in elementwise:
        assert isinstance(getattr(gpuarray, name), gpuarray.ufunc), name


def test_aliases_are_one_object():
    assert gpuarray.abs is gpuarray.absolute
    assert gpuarray.acos is gpuarray.arccos
    assert gpuarray.mod is gpuarray.remainder
    assert gpuarray.true_divide is gpuarray.divide
    assert gpuarray.concat is gpuarray.concatenate


@pytest.mark.parametrize("module", SUBMODULES)
def test_submodules_are_whole(module):
    theirs, ours = SUBMODULES[module], getattr(gpuarray, module)
    for name in theirs.__all__:
        assert hasattr(ours, name), f"{module}.{name}"


@pytest.mark.parametrize("name", [name for name in np.polynomial.__all__ if name.islower()])
def test_polynomial_modules(name):
    theirs, ours = getattr(np.polynomial, name), getattr(gpuarray.polynomial, name)
    if isinstance(theirs, types.ModuleType):
        assert all(hasattr(ours, each) for each in theirs.__all__)


def test_generators_have_all_methods():
    for ours, theirs in (
        (gpuarray.random.default_rng(1), np.random.Generator),
        (gpuarray.random.RandomState(1), np.random.RandomState),
    ):
        assert not [
            name for name in dir(theirs) if not name.startswith("_") and not hasattr(ours, name)
        ]


def test_array_has_every_method():
    a = gpuarray.ones((2, 2), device="cpu")
    missing = [
        name for name in dir(np.ndarray) if not name.startswith("_") and not hasattr(a, name)
    ]
    assert not missing


def test_unknown_names():
    with pytest.raises(AttributeError, match="no_such_name"):
        gpuarray.no_such_name  # noqa: B018
    with pytest.raises(ImportError):
        from gpuarray import no_such_name  # noqa: F401


def test_dir_lists_them():
    assert set(NAMES) <= set(dir(gpuarray))


def test_star_import():
    namespace = {}
    exec("from gpuarray import *", namespace)
    assert namespace["sin"] is gpuarray.sin
    assert namespace["float32"] is np.float32


def test_wrappers_are_kept():
    assert gpuarray.busday_count is gpuarray.busday_count


def test_wrappers_look_like_functions():
    assert gpuarray.busday_count.__name__ == "busday_count"
    assert gpuarray.busday_count.__module__ == "gpuarray"
    assert "busday_count" in gpuarray.busday_count.__doc__


@pytest.mark.parametrize(
    "name, kind",
    [
        ("sin", "native"),
        ("linspace", "composed"),
        ("vectorize", "host"),
        ("float32", "numpy"),
        ("fft", "module"),
    ],
)
def test_classes_of_compat(name, kind):
    assert _namespace.classify(name, getattr(gpuarray, name)) == kind


def test_show_config(capsys):
    gpuarray.show_config()
    assert "gpuarray" in capsys.readouterr().out
    assert gpuarray.show_config("dicts")["numpy"] == np.__version__
    with pytest.raises(ValueError, match="mode"):
        gpuarray.show_config("html")


def test_get_array_module(device):
    a = gpuarray.ones(2, device=device)
    assert gpuarray.get_array_module(a, np.ones(2)) is gpuarray
    assert gpuarray.get_array_module(np.ones(2)) is np


def test_page_of_names_is_current():
    root = Path(__file__).resolve().parent.parent
    done = subprocess.run(
        [sys.executable, "-m", "tools.compat", "--check"], cwd=root, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_names_that_are_loaded_late_are_listed():
    names = subprocess.run(
        [sys.executable, "-c", "import gpuarray; print(*dir(gpuarray))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert {"RawKernel", "ElementwiseKernel", "finfo", "linalg", "median"} <= set(names)


def test_docstrings_say_what_parameters_are():
    for name in ("median", "round", "pad", "unique", "take"):
        assert f"numpy.{name}" in getattr(gpuarray, name).__doc__
    for name in ("asarray", "memory_stats", "add", "RawKernel"):
        assert "Parameters" in getattr(gpuarray, name).__doc__

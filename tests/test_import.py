"""What importing costs: little time, no CUDA, no large library. Each test looks at an interpreter of its own."""

import os
import subprocess
import sys

import pytest

# Beyond NumPy's own, of the importing thread, since those that NumPy's BLAS starts wait in a loop for a while; the best
# of some tries, since other processes disturb.
MILLISECONDS = 30
LARGEST_LIBRARY = 20 * 2**20

TIMED_IMPORT = """
import time, numpy
start = time.thread_time()
import gpuarray
print(1000 * (time.thread_time() - start))
"""


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    ).stdout


def test_time(tmp_path):
    cached = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(tmp_path)}
    run(TIMED_IMPORT, **cached)  # writes the byte code that an installation has
    assert min(float(run(TIMED_IMPORT, **cached)) for _ in range(5)) <= MILLISECONDS


def mapped_files(code):
    """Shared libraries in memory after `code`."""
    text = run(f"{code}\nprint(open('/proc/self/maps').read())")
    return {line.rpartition(" ")[2] for line in text.splitlines() if ".so" in line}


@pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="needs Linux's /proc")
def test_opens_no_large_library():
    opened = mapped_files("import gpuarray") - mapped_files("import numpy")
    assert not [name for name in opened if os.path.getsize(name) > LARGEST_LIBRARY]
    assert not [name for name in opened if "cuda" in name or "cublas" in name]


def test_works_where_no_gpu_is_visible():
    code = "import gpuarray as gp; print(gp.ones(3).sum(), gp.ones(1).device)"
    assert run(code, CUDA_VISIBLE_DEVICES="").split() == ["3.0", "cpu"]


def test_default_device_from_the_environment():
    code = "import gpuarray; print(gpuarray.ones(1).device)"
    assert run(code, GPUARRAY_DEVICE="cpu").strip() == "cpu"


def test_fallback_mode_from_the_environment():
    code = "import gpuarray; print(gpuarray.set_fallback('warn'))"
    assert run(code, GPUARRAY_FALLBACK="silent").strip() == "silent"


def test_submodules_are_loaded_when_used():
    code = (
        "import sys, gpuarray\n"
        "before = [name for name in sys.modules if name.startswith('gpuarray.') and '._' not in name]\n"
        "gpuarray.linalg.norm\n"
        "print(before, 'gpuarray.linalg' in sys.modules)"
    )
    assert run(code).strip() == "[] True"

"""Where NVIDIA's libraries lie that came as wheels: more folders for the CUDA backend to look in.

Imported always, so that its own imports wait until a library is needed.
"""

from gpuarray import _core

# Folders below site-packages/nvidia that hold shared libraries: CUDA 13's common one, then those of single wheels.
FOLDERS = (
    "cu13/lib",
    "cublas/lib",
    "cusolver/lib",
    "cufft/lib",
    "cuda_nvrtc/lib",
    "cuda_runtime/lib",
    "nvjitlink/lib",
)


def use_wheels():
    """Tell the CUDA backend where libraries lie that came as wheels; called before it first opens one."""
    folders = wheel_folders() or pathfinder_folders()
    if folders:
        _core.set_library_path("cuda", ":".join(folders))


def wheel_folders():
    """Existing folders of the nvidia-* wheels."""
    import importlib.util
    from pathlib import Path

    spec = importlib.util.find_spec("nvidia")
    roots = list(spec.submodule_search_locations or ()) if spec else []
    folders = (Path(root) / folder for root in roots for folder in FOLDERS)
    return [str(folder) for folder in folders if folder.is_dir()]


def pathfinder_folders():
    """The folder of the cuBLAS that cuda-pathfinder finds, where its companions lie too; it is opened by that."""
    try:
        from cuda import pathfinder

        path = pathfinder.load_nvidia_dynamic_lib("cublas").abs_path
        return [path.rpartition("/")[0]] if path else []
    except (ImportError, RuntimeError):  # not installed, or cuBLAS is nowhere
        return []


def header_folders():
    """Folders with CUDA's headers, for programs compiled at run time: the toolkit's, or those of wheels."""
    import os
    from pathlib import Path

    toolkits = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    beside = [Path(folder).parent / "include" for folder in wheel_folders()]
    folders = [Path(each) / "include" for each in toolkits if each] + beside
    return [str(folder) for folder in folders if (folder / "cuda_fp16.h").is_file()][:1]

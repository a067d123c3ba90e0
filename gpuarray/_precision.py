"""How exactly float32 matrix products are computed on a GPU; _core keeps the setting, for the whole process."""

from gpuarray import _core

__all__ = ["get_matmul_precision", "set_matmul_precision"]

MODES = ("highest", "tf32")


class set_matmul_precision:
    """Choose the arithmetic of float32 and complex64 matrix products on GPUs, at once; as a context, for its length.

    "highest", the default: IEEE float32. "tf32": operands may be rounded to ten bits of mantissa for tensor cores,
    sums stay float32. Other dtypes and the CPU device are not touched.
    """

    def __init__(self, mode):
        if mode not in MODES:
            raise ValueError(f"matmul precision must be one of {', '.join(MODES)}, not {mode!r}")
        self.before = _core._set_matmul_tf32(mode == "tf32")

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        _core._set_matmul_tf32(self.before)


def get_matmul_precision():
    """The arithmetic of float32 matrix products: "highest" or "tf32"."""
    return MODES[_core._get_matmul_tf32()]

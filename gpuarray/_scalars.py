"""Device arrays that stand for NumPy scalars: telling them from others, and making them."""

from gpuarray._core import asarray


def is_scalar(array):
    """Whether a device array stands for a NumPy scalar."""
    return array._is_scalar


def scalar(value, device=None):
    """The NumPy scalar `value` on a device."""
    return asarray(value, device=device)[()]

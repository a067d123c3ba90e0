"""The tests of linear algebra once more on the CPU device, as on a GPU, but with a stand-in for cuSOLVER.

So the layouts of gpuarray/linalg/_device.py, the compositions and our own kernels for small matrices run here too.
"""

import cusolver_stand_in
import pytest
import test_linalg_factors
import test_linalg_systems
from test_linalg_factors import (  # noqa: F401 - pytest collects them here
    test_composed,
    test_conditions_of_singular_matrices,
    test_eig,
    test_eig_of_real_eigenvalues,
    test_eigh,
    test_eigh_of_known_spectra,
    test_eigh_of_many,
    test_large_matrix,
    test_lstsq,
    test_lstsq_of_lower_rank,
    test_no_convergence,
    test_old_qr_modes,
    test_qr,
    test_qr_of_many,
    test_qr_raw,
    test_svd,
    test_svd_of_deficient_matrices,
    test_svd_of_hermitian_matrices,
)
from test_linalg_systems import (  # noqa: F401
    test_cholesky,
    test_determinant_of_singular_matrices,
    test_determinants,
    test_empty,
    test_error,
    test_hermitian_systems,
    test_inputs_are_left_alone,
    test_inv,
    test_inv_with_swapped_rows,
    test_large_matrices,
    test_large_singular_matrices,
    test_layout,
    test_matrix_power,
    test_mixed_operands,
    test_nearly_hermitian_systems,
    test_promotion,
    test_singular_hermitian_systems,
    test_solve,
    test_solve_for_many_columns,
    test_solve_shapes,
    test_tensors,
)

from gpuarray import _core
from gpuarray.linalg import _eigen, _factors, _singular, _systems


@pytest.fixture(autouse=True)
def as_on_a_gpu(device, monkeypatch):
    if device != "cpu":
        pytest.skip("there they run as they are")
    monkeypatch.setattr(_core, "_lapack", cusolver_stand_in.run)
    for module in (_eigen, _factors, _singular, _systems):
        monkeypatch.setattr(module, "is_numpys", lambda *arrays: any(a.size == 0 for a in arrays))


def test_every_test_is_here():
    """But those of dispatch, which do not look at values."""
    names = {
        name
        for module in (test_linalg_factors, test_linalg_systems)
        for name in vars(module)
        if name.startswith("test_")
    }
    assert names - set(globals()) == {
        "test_numpys_functions_stay_on_the_device",
        "test_nothing_runs_on_the_host",
        "test_power_one_is_the_array_itself",
        "test_times_are_no_numbers",
    }

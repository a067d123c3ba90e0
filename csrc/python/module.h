/* The initialisers of every file that adds types or functions to gpuarray._core, in the order
 * module.c calls them, and the tables from which array_type.c puts the ndarray type together. Each
 * returns 0, or -1 with a Python exception. */
#ifndef GAPY_MODULE_H
#define GAPY_MODULE_H

#include "gapy.h"

int ga_array_init(PyObject *module, GaState *state);   /* array_type.c: ndarray */
int ga_flags_init(PyObject *module, GaState *state);   /* array_flags.c: what ndarray.flags gives */
int ga_iter_init(PyObject *module, GaState *state);    /* array_iter.c: iter(ndarray) */
int ga_pickle_init(PyObject *module, GaState *state);  /* array_pickle.c: what pickles call */
int ga_forward_init(PyObject *module, GaState *state); /* forward.c: _register_functions */
int ga_guard_init(PyObject *module, GaState *state);   /* guard.c: transfer_guard */
int ga_ufunc_init(PyObject *module, GaState *state);
int ga_device_init(PyObject *module, GaState *state);
int ga_stream_init(PyObject *module, GaState *state);
int ga_create_init(PyObject *module, GaState *state);
int ga_join_init(PyObject *module, GaState *state);
int ga_index_init(PyObject *module, GaState *state); /* index_take.c: _take _put */
int ga_memory_init(PyObject *module, GaState *state); /* memory_functions.c */
int ga_moments_init(PyObject *module, GaState *state); /* moments.c: _moments */
int ga_fft_init(PyObject *module, GaState *state);    /* fft.c: _fft, _fft_plans */
int ga_lapack_init(PyObject *module, GaState *state); /* lapack.c: factorisations */
int ga_window_init(PyObject *module, GaState *state); /* window.c: _window */
int ga_resample_init(PyObject *module, GaState *state); /* resample.c: _interpolate _spline _label _number */
int ga_count_init(PyObject *module, GaState *state);  /* count.c: _count, _histogram */
int ga_mask_init(PyObject *module, GaState *state);   /* mask.c: _triangle, _pack_bits */
int ga_formula_init(PyObject *module, GaState *state); /* formula.c: isclose, clip... */
int ga_expression_init(PyObject *module, GaState *state); /* expression.c: _express */
int ga_extend_init(PyObject *module, GaState *state); /* extend.c: _extend */
int ga_rows_init(PyObject *module, GaState *state); /* rows.c: _sort_rows */
int ga_interp_init(PyObject *module, GaState *state); /* interp.c: _interp */
int ga_polynomial_init(PyObject *module, GaState *state); /* polynomial.c: _series... */
int ga_program_init(PyObject *module, GaState *state); /* program.c: kernels of the user's */
int ga_fused_init(PyObject *module, GaState *state); /* fused.c: fused functions */
int ga_present_init(PyObject *module, GaState *state); /* present.c: nansum, nanmean */
int ga_cross_init(PyObject *module, GaState *state); /* cross.c: _cross */
int ga_sort_init(PyObject *module, GaState *state);   /* sort.c: sorting and searching */
int ga_rank_init(PyObject *module, GaState *state);   /* rank.c: selection */
int ga_random_init(PyObject *module, GaState *state); /* random.c: _random */
int ga_select_init(PyObject *module, GaState *state); /* select.c: nonzero, a[mask] */
int ga_choose_init(PyObject *module, GaState *state); /* choose.c: where, masked copies */

/* Arithmetic and comparison slots of ndarray, ended by {0}; number.c. */
extern PyType_Slot ga_number_slots[];

#endif

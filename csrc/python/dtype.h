/* Between numpy.dtype and the core's dtypes. */
#ifndef GAPY_DTYPE_H
#define GAPY_DTYPE_H

#include "gapy.h"

/* The core's dtype of a native-endian NumPy dtype; GA_DTYPE_COUNT (no exception) if no device holds
 * it. */
enum ga_dtype ga_dtype_of(const PyArray_Descr *descr);
/* Whether a device holds it, in either byte order. */
bool ga_dtype_held(const PyArray_Descr *descr);
/* NumPy's type number of one of ours that is NumPy's own. */
int ga_dtype_type_number(enum ga_dtype dtype);
/* New reference; times get the generic unit. NULL with ImportError for bfloat16 or float8 without ml_dtypes. */
PyArray_Descr *ga_dtype_descr(GaState *state, enum ga_dtype dtype);
/* NumPy's reading of a dtype, whether a device holds it or not. New reference. */
PyArray_Descr *ga_dtype_read(PyObject *arg);
/* `dtype=` argument: None gives *out = NULL. New reference, in native byte order; TypeError naming
 * a dtype that no device holds. */
int ga_dtype_parse(PyObject *arg, PyArray_Descr **out);
/* Whether casting from one to the other is allowed ("no" ... "unsafe"), asked of NumPy. */
bool ga_dtype_can_cast(PyArray_Descr *from, PyArray_Descr *to, NPY_CASTING casting);
/* The word of a `casting=` argument. */
const char *ga_dtype_casting_name(NPY_CASTING casting);
/* New reference: `to`, or where it is a time without a unit and `from` is a time, that kind with the unit of `from`. */
PyArray_Descr *ga_dtype_adapt(PyArray_Descr *from, PyArray_Descr *to);
/* The factor num/den from one time unit to another (1/1 unless both are dates or both
 * spans: NumPy takes the number itself from one kind to the other). TypeError for units
 * that a factor does not relate (months to days). */
int ga_dtype_time_factor(PyArray_Descr *from, PyArray_Descr *to, int64_t *num, int64_t *den);

#endif

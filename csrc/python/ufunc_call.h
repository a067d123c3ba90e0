/* One ufunc call as a struct and its stages; what the ufunc_*.c and reduce files share among
 * themselves.
 *
 * Stages: parse (ufunc_parse.c) fills the options; take (ufunc_operand.c) the operands; resolve
 * (ufunc_resolve.c) the loop; outputs (ufunc_output.c) shapes and results; launch (ufunc_launch.c).
 * ufunc_call.c strings them together. Stages return GA_CALL_OK, GA_CALL_ERROR with a Python
 * exception, or GA_CALL_FOREIGN without one: data that no device holds, so that the operator gives
 * way and the call goes to the host. */
#ifndef GAPY_UFUNC_CALL_H
#define GAPY_UFUNC_CALL_H

#include "../core/iter.h"
#include "../core/overlap.h"
#include "ufunc.h"

enum ga_call_status { GA_CALL_OK = 0, GA_CALL_ERROR = -1, GA_CALL_FOREIGN = 1 };

/* What an operand is to the resolution: a dtype (enum ga_dtype), or a Python number, which is weak.
 */
enum ga_operand_code {
    GA_CODE_INT = GA_DTYPE_COUNT,
    GA_CODE_FLOAT,
    GA_CODE_COMPLEX,
    GA_CODE_COUNT,
    GA_CODE_NONE = GA_CODE_COUNT /* nothing given */
};

/* The answer to "which loop?": dtypes of the inputs, then of the outputs. Owned by the ufunc's
 * cache. */
typedef struct {
    PyArray_Descr *descrs[4];
    enum ga_dtype dtypes[4];
    bool widened; /* no kernel for these: float32 stands in for bfloat16 and float8 (ufunc_widen.c) */
} ga_resolution;

/* The question. Slots are inputs, then outputs; descrs NULL where a slot is weak or not given. */
typedef struct {
    enum ga_operand_code codes[4];
    PyArray_Descr *descrs[4];    /* borrowed */
    PyArray_Descr *signature[4]; /* borrowed; NULL for any */
    NPY_CASTING casting;
    bool reduction;
} ga_question;

typedef struct {
    GaArray *array;       /* owned; NULL: a number that travels in the launch */
    PyObject *number;     /* borrowed, where array is NULL */
    PyArray_Descr *descr; /* owned; NULL of a weak number */
    enum ga_operand_code code;
    ga_scalar value; /* in the loop's dtype, where array is NULL */
} ga_input;

typedef struct {
    PyObject *out[2];            /* borrowed; NULL where not given */
    PyObject *where;             /* borrowed; NULL for everywhere */
    PyArray_Descr *signature[4]; /* owned */
    NPY_CASTING casting;
    char order;
    ga_formula_call *formula; /* borrowed; runs in the ufunc's place where it is not NULL */
} ga_ufunc_options;

typedef struct {
    GaState *state;
    GaUfunc *ufunc;
    enum ga_ufunc op; /* what is launched: not the ufunc's own where the answer is constant */
    int nin, nout;
    bool chooses; /* no operation: the mask, of one byte an element, chooses between the inputs */
    ga_ufunc_options options;
    ga_device *device;
    ga_input in[2];
    GaArray *mask;             /* owned or NULL */
    GaArray *out[2];           /* owned: what the caller gets */
    GaArray *temp[2];          /* owned: where the loop writes, if not into out */
    const ga_resolution *loop; /* of the ufunc's cache */
    int ndim;
    int64_t shape[GA_MAXDIMS];
} ga_call;

/* ufunc_parse.c */
enum ga_call_status ga_ufunc_parse(GaUfunc *ufunc, PyObject *const *args, Py_ssize_t nargs,
                                   PyObject *kwnames, ga_ufunc_options *out);
void ga_ufunc_options_clear(ga_ufunc_options *options);

/* ufunc_operand.c. Device: of the first array among the operands, else NULL (the default one). */
int ga_operand_device(GaState *state, PyObject *const *objects, Py_ssize_t count,
                      ga_device **device);
enum ga_call_status ga_operand_take(GaState *state, PyObject *object, ga_device *device,
                                    ga_input *out);
/* As an array in any case, on `device` (NULL: where it is or the default). */
enum ga_call_status ga_operand_take_array(GaState *state, PyObject *object, ga_device *device,
                                          GaArray **out);
/* Whether it stands for an array or number while a function is traced (gpuarray/_symbols.py); such are FOREIGN. */
bool ga_operand_symbolic(GaState *state, PyObject *object);
enum ga_call_status ga_operand_take_mask(GaState *state, PyObject *object, ga_device *device,
                                         GaArray **out);
void ga_operand_clear(ga_input *input);

/* ufunc_resolve.c */
struct ga_resolve_cache *ga_resolve_cache_new(void);
void ga_resolve_cache_free(struct ga_resolve_cache *cache);
enum ga_call_status ga_resolve_loop(GaUfunc *ufunc, const ga_question *question,
                                    const ga_resolution **out);
/* Hit of the small table behind the operators (no units, no outputs, default casting), or NULL. */
const ga_resolution *ga_resolve_direct(const GaUfunc *ufunc, int first, int second);
/* The same for reductions with neither dtype= nor out=. */
const ga_resolution *ga_resolve_direct_reduction(const GaUfunc *ufunc, enum ga_dtype dtype);

/* ufunc_stand_in.c: a ufunc to ask where NumPy has none, a new reference, or NULL with an exception. *types
 * (PyMem_Free) has to outlive it, and is NULL or valid in either case. */
PyObject *ga_ufunc_stand_in(enum ga_ufunc op, char **types);

/* ufunc_ask.c: the answer without the cache; its dtypes are new references. */
enum ga_call_status ga_resolve_ask(const GaUfunc *ufunc, const ga_question *question,
                                   ga_resolution *answer);
void ga_resolve_clear(ga_resolution *answer);

/* ufunc_number.c: a Python number as one element of a dtype, without NumPy where C is exact.
 * GA_CALL_FOREIGN without an exception where NumPy has to decide. */
enum ga_call_status ga_number_pack(PyObject *number, enum ga_dtype dtype, ga_scalar *out);
/* Side on which a Python int lies outside an integer dtype: -1 below, 1 above, 0 inside or not an
 * integer dtype. */
int ga_number_outside(PyObject *number, enum ga_dtype dtype);

/* ufunc_output.c */
/* Whether any element lies where its dtype must not. */
bool ga_operand_misaligned(const GaArray *a);
ga_extent ga_operand_extent(const GaArray *a);
enum ga_call_status ga_call_broadcast(ga_call *call);
/* Before the inputs are cast: a new output takes its order from them as they came. */
enum ga_call_status ga_call_make_outputs(ga_call *call);
/* After: inputs that the outputs overlap, or that are misaligned, are replaced by copies. */
enum ga_call_status ga_call_separate(ga_call *call);
enum ga_call_status ga_call_store_outputs(ga_call *call);

/* ufunc_launch.c */
int ga_launch_call(ga_call *call);
/* ufunc_widen.c: the same for a widened loop. */
int ga_launch_widened(ga_call *call);

/* ufunc_exponent.c: whether an exponent of this dtype must not be negative; the ValueError where one is. `mask` NULL or
 * what counts, of the exponents' shape. */
bool ga_exponent_counts(enum ga_ufunc op, enum ga_dtype dtype);
enum ga_call_status ga_exponent_check_number(const ga_scalar *value, enum ga_dtype dtype);
enum ga_call_status ga_exponent_check(GaState *state, GaArray *exponents, GaArray *mask, PyArray_Descr *descr);

/* ufunc_call.c: the stages before the outputs, and what holds a call's references. */
void ga_call_begin(ga_call *call, GaState *state, enum ga_ufunc op,
                   const ga_ufunc_options *options);
void ga_call_clear(ga_call *call);
enum ga_call_status ga_call_take_operands(ga_call *call, PyObject *const *inputs);
enum ga_call_status ga_call_resolve(ga_call *call);
enum ga_call_status ga_call_cast_inputs(ga_call *call);
/* Whether the kernels of the loop convert input i of `dtype` as they read it. */
bool ga_loop_reads(const ga_resolution *loop, const GaUfunc *ufunc, int i, enum ga_dtype dtype);
/* A whole call; inputs as they came, options already parsed; steals nothing. Clears nothing of
 * options. */
enum ga_call_status ga_call_run(GaState *state, GaUfunc *ufunc, PyObject *const *inputs,
                                const ga_ufunc_options *options, PyObject **result);
/* ufunc_entry.c. Runs a call or method on the host by the registered Python function "ufunc_host".
 */
PyObject *ga_ufunc_on_host(GaState *state, GaUfunc *ufunc, const char *method,
                           PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
extern vectorcallfunc const ga_ufunc_vectorcall;

/* ufunc_methods.c */
extern PyMethodDef ga_ufunc_methods[];
/* ufunc_doc.c: new references. */
PyObject *ga_ufunc_docstring(enum ga_ufunc op);
PyObject *ga_ufunc_types(enum ga_ufunc op);

#endif

/* The two tables as data: what the core and csrc/python know of dtypes and ufuncs at run time.
 * Read-only. */
#ifndef GA_REGISTRY_H
#define GA_REGISTRY_H

#include "backend.h"

typedef struct {
    const char *id;   /* "f32" */
    const char *name; /* "float32" */
    char character, kind;
    int itemsize;
} ga_dtype_info;

enum ga_identity {
    GA_IDENTITY_NONE,
    GA_IDENTITY_ZERO,
    GA_IDENTITY_ONE,
    GA_IDENTITY_ONES,
    GA_IDENTITY_TRUE,
    GA_IDENTITY_FALSE,
    GA_IDENTITY_NINF
};

typedef struct {
    const char *name, *doc, *domain;
    int nin, nout;
    uint32_t types; /* GA_BIT set of the regular loops */
    enum ga_identity identity;
    bool reorderable;
    int ulp;
} ga_ufunc_info;

typedef struct {
    enum ga_dtype in[2], out[2]; /* a single input or output stands in both places */
} ga_loop;

const ga_dtype_info *ga_registry_dtype(enum ga_dtype dtype);
/* A dtype of NumPy's by kind character and item size; GA_DTYPE_COUNT if no device holds it. */
enum ga_dtype ga_registry_find_dtype(char kind, int itemsize);
/* A GA_STORED row by its name, or GA_DTYPE_COUNT. */
enum ga_dtype ga_registry_find_stored(const char *name);
static inline bool
ga_registry_is_stored(enum ga_dtype dtype)
{
    return dtype < GA_DTYPE_COUNT && (GA_TYPES_K >> dtype & 1u) != 0;
}
/* The dtype in which one is computed where it has no kernel of its own. */
static inline enum ga_dtype
ga_registry_widened(enum ga_dtype dtype)
{
    return ga_registry_is_stored(dtype) ? GA_f32 : dtype;
}
/* Whether elements convert from one dtype to the other in one step; else by way of float32. */
static inline bool
ga_registry_casts(enum ga_dtype from, enum ga_dtype to)
{
    bool stored = ga_registry_is_stored(from) || ga_registry_is_stored(to);
    return !stored || from == to || ((1u << from | 1u << to) & GA_TYPES_BRIDGE) != 0;
}
/* Whether an element-wise loop of dtype `to` reads elements of `from` by converting them. */
bool ga_registry_widens(enum ga_dtype from, enum ga_dtype to);
const ga_ufunc_info *ga_registry_ufunc(enum ga_ufunc op);
/* GA_UFUNC_COUNT if there is none. */
enum ga_ufunc ga_registry_find_ufunc(const char *name);
/* The loop of op for these input dtypes; false if there is none. */
bool ga_registry_loop(enum ga_ufunc op, const enum ga_dtype *in, ga_loop *out);
/* All loops of op in table order but those of GA_STORED dtypes; returns their number, fills up to max. */
int ga_registry_loops(enum ga_ufunc op, ga_loop *out, int max);

#endif

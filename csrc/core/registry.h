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
/* By NumPy's kind character and item size; GA_DTYPE_COUNT if no device holds it. */
enum ga_dtype ga_registry_find_dtype(char kind, int itemsize);
const ga_ufunc_info *ga_registry_ufunc(enum ga_ufunc op);
/* GA_UFUNC_COUNT if there is none. */
enum ga_ufunc ga_registry_find_ufunc(const char *name);
/* The loop of op for these input dtypes; false if there is none. */
bool ga_registry_loop(enum ga_ufunc op, const enum ga_dtype *in, ga_loop *out);
/* All loops of op in table order; returns their number, fills up to max. */
int ga_registry_loops(enum ga_ufunc op, ga_loop *out, int max);

#endif

/* Advanced indexing, as its files see it: index_arrays.c turns the objects of a key into int64 index arrays,
 * index_plan.c puts them and the slices into NumPy's axis order, index_launch.c runs gather and scatter,
 * index_mask.c has the short ways of single masks, index_advanced.c is the entry, index_take.c the functions along one
 * axis. All return 0, or -1 with an exception. */
#ifndef GAPY_INDEX_ADVANCED_H
#define GAPY_INDEX_ADVANCED_H

#include "index.h"

/* One index array. */
typedef struct {
    GaArray *array;      /* owned: int64, on the device of the indexed array */
    PyArrayObject *host; /* owned: what it came from, until that was checked; or NULL */
    int axis;            /* which it picks from; -1: none (a mask without dimensions) */
    bool checked;        /* all in range: it came from the host, or from a mask */
    int64_t length, step;
    int64_t strides[GA_MAXDIMS]; /* over the dimensions of the selection */
} ga_index_pick;

/* A whole key, read. The selection has the slices' dimensions, and at `where` those of the index arrays broadcast
 * together. */
typedef struct {
    GaState *state;
    GaArray *array; /* borrowed: what is indexed */
    const char *function;
    enum ga_index_mode mode;
    int64_t mask_points; /* how many a mask selects; -1 without one */
    bool whole_mask;     /* one that names all axes, and nothing else, is the key */
    bool unique;         /* no element is named twice */
    int64_t offset;      /* of the slices and integers, in bytes */
    int npicks;
    ga_index_pick picks[GA_MAXDIMS];
    int ndim, where,
        npoint; /* of the selection; first dimension of the index arrays, and how many */
    int64_t size;
    int64_t shape[GA_MAXDIMS];
    int64_t strides[GA_MAXDIMS]; /* of the array over the slices' dimensions, 0 over the others */
} ga_index_plan;

/* An item of a key as an array, values not checked yet: int64 or bool, where it came from. */
typedef struct {
    PyArrayObject *host; /* owned; one of the two is NULL */
    GaArray *array;      /* owned; on the indexed array's device */
    int ndim;
    bool mask;
} ga_index_item;

/* index_arrays.c: lists and numpy arrays stay on the host, ours come to `device`. On failure `out`
 * needs no clearing. */
int ga_index_item_take(GaState *state, PyObject *object, ga_device *device, ga_index_item *out);
void ga_index_item_clear(ga_index_item *item);
/* Adds an integer array that picks from an axis. */
int ga_index_add(ga_index_plan *plan, const ga_index_item *item, int axis);
/* Checks what came from the host, and what no kernel can check. */
int ga_index_check_host(ga_index_plan *plan);
/* Brings what the device holds to the host and checks it there. */
int ga_index_check_now(ga_index_plan *plan);

/* index_mask.c: adds what a mask selects from the axes that start at `axis`. */
int ga_index_add_mask(ga_index_plan *plan, const ga_index_item *item, int axis);

/* index_plan.c */
void ga_index_plan_begin(GaState *state, GaArray *array, const char *function, ga_index_plan *plan);
int ga_index_plan_key(ga_index_plan *plan, PyObject *key, const ga_index *index);
/* Broadcasts the picks and sets shape, strides and where: slices' shape and strides stand in plan->shape and
 * plan->strides with plan->ndim, and `where` tells the place of the index arrays among them. */
int ga_index_plan_finish(ga_index_plan *plan);
void ga_index_plan_clear(ga_index_plan *plan);

/* index_launch.c */
GaArray *ga_index_gather(ga_index_plan *plan);
/* Into an array of the selection's shape and the dtype of plan->array. */
int ga_index_gather_into(ga_index_plan *plan, GaArray *out);
/* values of plan->array's dtype, in the selection's shape by `strides`; NULL: `number` everywhere. */
int ga_index_scatter(ga_index_plan *plan, GaArray *values, const int64_t *strides,
                     const ga_scalar *number);

/* index_mask.c: the mask, borrowed, if the key is one mask of ours over leading axes of the array; else NULL. */
GaArray *ga_index_single_mask(GaState *state, const GaArray *array, PyObject *key);
int ga_index_fill_masked(GaState *state, GaArray *array, GaArray *mask, const ga_scalar *number);

/* index_advanced.c */
PyObject *ga_index_get_advanced(GaState *state, GaArray *array, PyObject *key,
                                const ga_index *index);
int ga_index_set_advanced(GaState *state, GaArray *array, PyObject *key, const ga_index *index,
                          PyObject *value);
/* plan's elements = value, broadcast and converted. */
int ga_index_assign_plan(ga_index_plan *plan, PyObject *value);

#endif

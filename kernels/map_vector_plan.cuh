/* What the kernels of map_vector.cuh are told, and how it is made from a call: which kernel fits,
 * and its grid. No types of elements here, only their sizes. Included by map_vector.cuh. */
#pragma once

#define GA_VECTOR_BYTES 16
#define GA_STRIDED_ITEMS 4

/* ---- parameters ---- */
struct ga_vector_operands {
    char *data[GA_SLOTS];
    ga_scalar value[2]; /* of inputs without data */
    /* Bytes between neighbours in a row; 0: one element, also without data. */
    int64_t step[GA_SLOT_MASK];
    uint32_t whole; /* bit k: operand k can be accessed by whole vectors */
};
struct ga_vector_rows {
    int64_t threads, length;     /* length of a row */
    ga_divider packs;            /* vectors in a row */
    ga_walk<GA_SLOT_MASK> outer; /* no dimension: all is one row, of any length */
    ga_vector_operands args;
};
struct ga_vector_strided {
    uint32_t size;
    bool has_where;
    ga_walk<GA_SLOTS> walk;
    ga_vector_operands args;
};
struct ga_map_plan {
    bool by_rows;
    int64_t blocks;
    union {
        ga_vector_rows rows;
        ga_vector_strided strided;
    };
};

/* Elements of a vector, by the largest item. */
constexpr int
ga_vector_lanes(int itemsize)
{
    return GA_VECTOR_BYTES / itemsize;
}
constexpr int
ga_vector_max(int a, int b)
{
    return a > b ? a : b;
}
template <class A, class B, class R, class S>
constexpr int ga_vector_width = ga_vector_lanes(ga_vector_max(ga_vector_max(sizeof(A), sizeof(B)),
                                                              ga_vector_max(sizeof(R), sizeof(S))));

/* ---- planning ---- */

/* A call by slots: what each operand looks like. */
struct ga_vector_view {
    const ga_operand *slots[GA_SLOTS];
    int sizes[GA_SLOTS];
    enum ga_map_layout layout[GA_SLOTS];
    int lanes;
    bool flat; /* each operand consecutive or constant, and no mask */
};

static inline ga_vector_view
ga_vector_look(const ga_ufunc_call *call)
{
    ga_vector_view view;
    int largest = 1;
    ga_map_slots(call, view.slots, view.sizes);
    view.flat = !call->has_where;
    for (int k = 0; k < GA_SLOTS; k++) {
        if (!view.slots[k])
            continue;
        largest = ga_vector_max(largest, view.sizes[k]);
        view.layout[k] = ga_map_layout_of(call, view.slots[k], view.sizes[k]);
        view.flat &= view.layout[k] != GA_MAP_OTHER;
    }
    view.lanes = ga_vector_lanes(largest);
    return view;
}

static inline bool
ga_vector_aligned(const ga_vector_view &view, int k)
{
    return (uintptr_t)view.slots[k]->data % (uintptr_t)(view.sizes[k] * view.lanes) == 0;
}

/* An input that is not aligned is read element by element, which costs little; outputs are written by whole vectors. */
static inline bool
ga_vector_fits_flat(const ga_vector_view &view)
{
    bool fits = view.flat;
    for (int k = GA_SLOT_OUT; k < GA_SLOT_MASK && fits; k++)
        if (view.slots[k] && view.layout[k] == GA_MAP_FLAT)
            fits = ga_vector_aligned(view, k);
    return fits;
}

static inline bool
ga_vector_fits_rows(const ga_ufunc_call *call, const ga_vector_view &view)
{
    return call->ndim >= 2 && !call->has_where && call->shape[call->ndim - 1] >= view.lanes;
}

/* Whether operand k can be accessed by vectors along its rows, of which dimensions [0, outer) are
 * the places. */
static inline bool
ga_vector_is_whole(const ga_ufunc_call *call, const ga_vector_view &view, int k, int outer)
{
    const ga_operand *arg = view.slots[k];
    bool whole =
        ga_vector_aligned(view, k) && (outer == 0 || arg->strides[call->ndim - 1] == view.sizes[k]);
    for (int d = 0; d < outer && whole; d++)
        whole = arg->strides[d] % (view.sizes[k] * view.lanes) == 0;
    return whole;
}

static inline void
ga_vector_fill_operands(const ga_vector_view &view, ga_vector_operands *args)
{
    memset(args, 0, sizeof *args);
    for (int k = 0; k < GA_SLOTS; k++) {
        if (!view.slots[k])
            continue;
        args->data[k] = (char *)view.slots[k]->data;
        if (k < GA_SLOT_OUT)
            args->value[k] = view.slots[k]->value;
    }
}

/* Dimensions [0, ndim) of the call, innermost first, for the first N slots. */
template <int N>
static inline void
ga_vector_fill_walk(const ga_ufunc_call *call, const ga_vector_view &view, int ndim,
                    ga_walk<N> *walk)
{
    memset(walk, 0, sizeof *walk);
    walk->ndim = ndim;
    for (int d = 0; d < ndim; d++) {
        walk->shape[d] = ga_divider_make(call->shape[ndim - 1 - d]);
        for (int k = 0; k < N; k++)
            if (view.slots[k] && view.slots[k]->data)
                walk->strides[d][k] = view.slots[k]->strides[ndim - 1 - d];
    }
}

/* ndim: dimensions that make up a row, from the innermost on: all of them, or one. */
static inline void
ga_vector_plan_rows(const ga_ufunc_call *call, const ga_vector_view &view, int ndim,
                    ga_map_plan *plan)
{
    int outer = call->ndim - ndim;
    int64_t length = outer > 0 ? call->shape[outer] : call->size,
            packs = (length + view.lanes - 1) / view.lanes;
    plan->by_rows = true;
    plan->rows.threads = call->size / length * packs;
    plan->rows.length = length;
    plan->blocks = (plan->rows.threads + GA_BLOCK - 1) / GA_BLOCK;
    plan->rows.packs = ga_divider_make(outer > 0 ? packs : 1);
    ga_vector_fill_walk(call, view, outer, &plan->rows.outer);
    ga_vector_fill_operands(view, &plan->rows.args);
    for (int k = 0; k < GA_SLOT_MASK; k++) {
        if (!view.slots[k] || !view.slots[k]->data || view.layout[k] == GA_MAP_CONSTANT)
            continue;
        plan->rows.args.step[k] = outer > 0 ? view.slots[k]->strides[outer] : view.sizes[k];
        if (ga_vector_is_whole(call, view, k, outer))
            plan->rows.args.whole |= 1u << k;
    }
}

static inline void
ga_vector_plan_strided(const ga_ufunc_call *call, const ga_vector_view &view, ga_map_plan *plan)
{
    int64_t block = (int64_t)GA_BLOCK * GA_STRIDED_ITEMS;
    plan->by_rows = false;
    plan->blocks = (call->size + block - 1) / block;
    plan->strided.size = (uint32_t)call->size;
    plan->strided.has_where = call->has_where;
    ga_vector_fill_walk(call, view, call->ndim, &plan->strided.walk);
    ga_vector_fill_operands(view, &plan->strided.args);
}

static inline bool
ga_map_fits(const ga_ufunc_call *call)
{
    return call->size < GA_WALK_LIMIT || ga_vector_fits_flat(ga_vector_look(call));
}

static inline void
ga_map_prepare(const ga_ufunc_call *call, ga_map_plan *plan)
{
    ga_vector_view view = ga_vector_look(call);
    if (ga_vector_fits_flat(view))
        ga_vector_plan_rows(call, view, call->ndim, plan);
    else if (ga_vector_fits_rows(call, view))
        ga_vector_plan_rows(call, view, 1, plan);
    else
        ga_vector_plan_strided(call, view, plan);
}

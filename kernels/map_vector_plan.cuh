/* What the kernels of map_vector.cuh are told, and how it is made from a call: which kernel fits,
 * and its grid. No types of elements here, only their sizes. Included by map_vector.cuh. */
#pragma once

#define GA_VECTOR_BYTES 16
#define GA_STRIDED_ITEMS 4

/* A block's tile of rows and vectors where an input is turned. */
#define GA_TURNED_VECTORS (GA_BLOCK == 1 ? 1 : 4)
#define GA_TURNED_ROWS (GA_BLOCK / GA_TURNED_VECTORS)
#define GA_TURNED_SIDE 16 /* elements: a shorter side is not worth tiles */

/* ---- parameters ---- */
#ifndef GA_EXTENT_LIMIT /* bytes from an operand's first element to its last one's end; tests lower it */
#define GA_EXTENT_LIMIT ((int64_t)INT32_MAX)
#endif

struct ga_vector_operands {
    char *data[GA_SLOTS];
    ga_scalar value[2]; /* of inputs without data */
    /* Bytes between neighbours in a row; 0: one element, also without data. */
    int64_t step[GA_SLOT_MASK];
    uint32_t whole; /* bit k: operand k can be accessed by whole vectors */
    int32_t dtypes[2], sizes[2]; /* of inputs that are converted; GA_DTYPE_COUNT: not so */
};
struct ga_vector_rows {
    int64_t threads, length;     /* length of a row */
    ga_divider packs;            /* vectors in a row */
    bool turned;                 /* blocks take tiles, and not one vector of a row after the other */
    bool run;                    /* one row, of whole vectors in each operand */
    uint32_t rows;               /* if turned */
    ga_divider tiles;            /* beside each other, if turned */
    ga_walk<GA_SLOT_MASK> outer; /* no dimension: all is one row, of any length */
    ga_vector_operands args;
};
/* Every offset has 31 bits. */
struct ga_vector_strided {
    uint32_t size;
    bool has_where, neighbours; /* a thread takes neighbours, and writes them as one vector */
    int32_t ndim;
    ga_divider shape[GA_ITER_DIMS]; /* innermost first */
    int32_t strides[GA_ITER_DIMS][GA_SLOTS];
    ga_vector_operands args;
};
struct ga_map_plan {
    bool by_rows, converts; /* converts: one row, by map_converted */
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
    int dtypes[2]; /* as in ga_vector_operands */
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
        largest = ga_vector_max(largest, ga_map_is_converted(call, k) ? ga_map_itemsize(call->in[k]) : view.sizes[k]);
        view.layout[k] = ga_map_layout_of(call, view.slots[k], view.sizes[k]);
        view.flat &= view.layout[k] != GA_MAP_OTHER;
    }
    for (int k = 0; k < 2; k++)
        view.dtypes[k] = ga_map_is_converted(call, k) ? call->source[k] : GA_DTYPE_COUNT;
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

constexpr bool ga_convert_has_vectors(int op, int dtype); /* map_convert.cuh */

/* Of a call that converts: each such input is one run of whole vectors, and there is a kernel for it. */
static inline bool
ga_vector_converts_flat(const ga_ufunc_call *call, const ga_vector_view &view)
{
    bool fits = ga_vector_fits_flat(view) && call->size % view.lanes == 0 && ga_convert_has_vectors(call->op, call->in[0]);
    for (int k = 0; k < 2 && fits; k++)
        if (view.dtypes[k] != GA_DTYPE_COUNT)
            fits = view.layout[k] == GA_MAP_FLAT && ga_vector_aligned(view, k);
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
    bool whole = ga_vector_aligned(view, k) &&
                 (view.layout[k] == GA_MAP_FLAT || arg->strides[call->ndim - 1] == view.sizes[k]);
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
    for (int k = 0; k < 2; k++) {
        args->dtypes[k] = view.dtypes[k];
        args->sizes[k] = view.sizes[k];
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

static inline bool
ga_vector_is_one_run(const ga_vector_view &view, const ga_vector_rows &rows)
{
    uint32_t operands = 0;
    for (int k = 0; k < GA_SLOT_MASK; k++)
        operands |= (uint32_t)(view.slots[k] != NULL) << k;
    return rows.outer.ndim == 0 && rows.length % view.lanes == 0 && rows.args.whole == operands;
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
    plan->rows.turned = false;
    plan->rows.threads = call->size / length * packs;
    plan->rows.length = length;
    plan->blocks = (plan->rows.threads + GA_BLOCK - 1) / GA_BLOCK;
    plan->rows.packs = ga_divider_make(outer > 0 ? packs : 1);
    ga_vector_fill_walk(call, view, outer, &plan->rows.outer);
    ga_vector_fill_operands(view, &plan->rows.args);
    for (int k = 0; k < GA_SLOT_MASK; k++) {
        if (!view.slots[k] || !view.slots[k]->data || view.layout[k] == GA_MAP_CONSTANT)
            continue;
        plan->rows.args.step[k] = ndim == 1 ? view.slots[k]->strides[outer] : view.sizes[k];
        if (ga_vector_is_whole(call, view, k, outer))
            plan->rows.args.whole |= 1u << k;
    }
    plan->rows.run = ga_vector_is_one_run(view, plan->rows);
}

/* ---- turned inputs ---- */

/* The dimension, not the innermost, along which an input is consecutive in either direction, or -1:
 * the call walks it across its lines, and reads a sector of memory for each element unless
 * neighbouring lines are read together. */
static inline int
ga_vector_turned_by(const ga_ufunc_call *call, const ga_vector_view &view, int k)
{
    const ga_operand *arg = view.slots[k];
    int last = call->ndim - 1;
    int64_t size = view.sizes[k];
    if (!arg || !arg->data || call->shape[last] < GA_TURNED_SIDE || arg->strides[last] == 0 ||
        arg->strides[last] == size || arg->strides[last] == -size)
        return -1;
    for (int d = 0; d < last; d++)
        if (call->shape[d] >= GA_TURNED_SIDE && (arg->strides[d] == size || arg->strides[d] == -size))
            return d;
    return -1;
}

static inline int
ga_vector_find_turned(const ga_ufunc_call *call, const ga_vector_view &view)
{
    int first = ga_vector_turned_by(call, view, GA_SLOT_IN);
    return first >= 0 ? first : ga_vector_turned_by(call, view, GA_SLOT_IN + 1);
}

/* Rows follow each other along dimension `along`, so that the threads of a tile read an input's
 * consecutive elements. */
static inline void
ga_vector_plan_turned(const ga_ufunc_call *given, int along, ga_map_plan *plan)
{
    ga_ufunc_call call = *given;
    int next = call.ndim - 2;
    call.shape[along] = given->shape[next];
    call.shape[next] = given->shape[along];
    for (int k = 0; k < call.nin + call.nout; k++) {
        call.args[k].strides[along] = given->args[k].strides[next];
        call.args[k].strides[next] = given->args[k].strides[along];
    }
    ga_vector_plan_rows(&call, ga_vector_look(&call), 1, plan);
    int64_t packs = plan->rows.packs.divisor, across = (packs + GA_TURNED_VECTORS - 1) / GA_TURNED_VECTORS;
    plan->rows.turned = true;
    plan->rows.rows = uint32_t(plan->rows.threads / packs);
    plan->rows.tiles = ga_divider_make(across);
    plan->blocks = across * ((plan->rows.rows + GA_TURNED_ROWS - 1) / GA_TURNED_ROWS);
}

/* ---- strided ---- */

/* Whether offsets of 31 bits reach every element of every operand. */
static inline bool
ga_vector_is_narrow(const ga_ufunc_call *call, const ga_vector_view &view)
{
    for (int k = 0; k < GA_SLOTS; k++) {
        int64_t extent = view.sizes[k];
        if (!view.slots[k] || !view.slots[k]->data)
            continue;
        for (int d = 0; d < call->ndim; d++) {
            int64_t stride = view.slots[k]->strides[d];
            extent += (call->shape[d] - 1) * (stride < 0 ? -stride : stride);
        }
        if (extent > GA_EXTENT_LIMIT)
            return false;
    }
    return true;
}

/* Whether output k, if there is one, is one run of whole vectors of what a thread takes. */
static inline bool
ga_vector_is_run(const ga_vector_view &view, int k)
{
    return !view.slots[k] ||
           (view.layout[k] == GA_MAP_FLAT &&
            (uintptr_t)view.slots[k]->data % (uintptr_t)(view.sizes[k] * GA_STRIDED_ITEMS) == 0);
}

static inline void
ga_vector_fill_strides(const ga_ufunc_call *call, const ga_vector_view &view, ga_vector_strided *to)
{
    to->ndim = call->ndim;
    for (int d = 0; d < call->ndim; d++) {
        to->shape[d] = ga_divider_make(call->shape[call->ndim - 1 - d]);
        for (int k = 0; k < GA_SLOTS; k++)
            to->strides[d][k] =
                view.slots[k] && view.slots[k]->data ? int32_t(view.slots[k]->strides[call->ndim - 1 - d]) : 0;
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
    plan->strided.neighbours = !call->has_where && !(call->converts && view.sizes[GA_SLOT_OUT] > 4) &&
                               ga_vector_is_run(view, GA_SLOT_OUT) && ga_vector_is_run(view, GA_SLOT_OUT + 1);
    ga_vector_fill_strides(call, view, &plan->strided);
    ga_vector_fill_operands(view, &plan->strided.args);
    for (int k = GA_SLOT_OUT; k < GA_SLOT_MASK; k++) {
        plan->strided.args.step[k] = view.sizes[k];
        plan->strided.args.whole |= (uint32_t)plan->strided.neighbours << k;
    }
}

/* Only the strided kernel has a mask and conversions of single elements, and only it counts in 31 bits. */
static inline bool
ga_map_fits(const ga_ufunc_call *call)
{
    ga_vector_view view = ga_vector_look(call);
    const bool strided = call->has_where || call->converts;
    return (call->converts ? ga_vector_converts_flat(call, view) : ga_vector_fits_flat(view)) ||
           (call->size < GA_WALK_LIMIT && (!strided || ga_vector_is_narrow(call, view)));
}

static inline void
ga_map_prepare(const ga_ufunc_call *call, ga_map_plan *plan)
{
    ga_vector_view view = ga_vector_look(call);
    plan->converts = call->converts && ga_vector_converts_flat(call, view);
    if (call->converts && !plan->converts) {
        ga_vector_plan_strided(call, view, plan);
        return;
    }
    if (ga_vector_fits_flat(view)) {
        ga_vector_plan_rows(call, view, call->ndim, plan);
        return;
    }
    bool rows = ga_vector_fits_rows(call, view);
    int turned = rows ? ga_vector_find_turned(call, view) : -1;
    if (turned >= 0)
        ga_vector_plan_turned(call, turned, plan);
    else if (rows || !ga_vector_is_narrow(call, view))
        ga_vector_plan_rows(call, view, 1, plan);
    else
        ga_vector_plan_strided(call, view, plan);
}

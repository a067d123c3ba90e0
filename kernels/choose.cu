/* The choose slot: dst[i] = condition[i] ? x[i] : y[i], for items of any meaning by their size.
 *
 * Every launch is rows along the innermost dimension; all is one row where each operand is
 * consecutive as a whole, or one value. On a GPU a thread takes packs: as many neighbours in a row
 * as 16 bytes hold, or single elements where rows are shorter. It finds its row once a pack, reads
 * all that it has before it writes, so that loads are under way together, and leaves packs alone
 * that stay as they are. On the CPU a thread takes whole pieces of rows through a loop without
 * branches, which the compiler vectorises where the operands are consecutive. Includes
 * iterate.cuh, row_pack.cuh and slots.h. */
#include "iterate.cuh"
#include "row_pack.cuh"
#include "slots.h"

#include "../csrc/core/call/choose.h"

static const int pack_bytes = 16;

struct choose_plan {
    int64_t units, length; /* packs or pieces in all; elements of a row */
    ga_divider unit_row;   /* packs or pieces in a row, where there are several rows */
    ga_walk<GA_CHOOSE_ARGS> outer;
    int32_t unit;    /* elements of a pack or piece */
    int32_t repeats; /* on the CPU: pieces of a block */
    bool updates;    /* dst is y */
    uint32_t whole;  /* bit k: operand k can be accessed by whole packs */
    char *data[GA_CHOOSE_ARGS];
    int64_t step[GA_CHOOSE_ARGS]; /* bytes between neighbours in a row; 0 without data */
    ga_scalar value[GA_CHOOSE_ARGS];
};

struct choose_wide {
    uint64_t low, high;
};

/* Byte offsets of a unit's first element; returns its column. */
GA_FN int64_t
seek_unit(const choose_plan &p, int64_t unit, ga_cursor<GA_CHOOSE_ARGS> &row,
          int64_t offset[GA_CHOOSE_ARGS])
{
    uint32_t number = 0;
    if (p.outer.ndim > 0) {
        number = ga_divide_by(p.unit_row, uint32_t(unit));
        unit -= int64_t(number) * p.unit_row.divisor;
    }
    row.seek(p.outer, number);
    int64_t column = unit * p.unit;
    GA_UNROLL
    for (int k = 0; k < GA_CHOOSE_ARGS; k++)
        offset[k] = row.offset[k] + column * p.step[k];
    return column;
}

/* ---- GPU: packs ---- */

/* The first n of V elements of operand k. */
template <class T, int V>
GA_FN ga_row_pack<T, V>
read_pack(const choose_plan &p, int k, int64_t offset, int n)
{
    const char *from = p.data[k] + offset;
    if (p.step[k] == 0) {
        T one;
        memcpy(&one, p.data[k] ? from : (const char *)p.value[k].bytes, sizeof one);
        return ga_row_pack_of<T, V>(one);
    }
    return ga_row_pack_read<T, V>(from, p.step[k], p.whole >> k & 1, n);
}

/* Of smaller elements, those that are not chosen lie in the same sectors of memory. */
template <class T, int V> constexpr bool choose_reads_one = V == 1 && sizeof(T) == pack_bytes;

/* What a thread holds of one pack between reading and writing. */
template <class T, int V> struct choose_held {
    ga_row_pack<T, V> x, y;
    ga_row_pack<uint8_t, V> condition;
    int64_t to;
    int n; /* elements to write */

    GA_METHOD void
    read(const choose_plan &p, int64_t unit)
    {
        n = 0;
        if (unit >= p.units)
            return;
        ga_cursor<GA_CHOOSE_ARGS> row;
        int64_t at[GA_CHOOSE_ARGS], left = p.length - seek_unit(p, unit, row, at);
        n = left < V ? int(left) : V;
        to = at[GA_CHOOSE_DST];
        condition = read_pack<uint8_t, V>(p, GA_CHOOSE_CONDITION, at[GA_CHOOSE_CONDITION], n);
        bool any = !p.updates;
        GA_UNROLL
        for (int j = 0; p.updates && j < V; j++)
            any |= condition.item[j] != 0;
        if (!any) {
            n = 0;
            return;
        }
        if constexpr (choose_reads_one<T, V>) {
            const int from = condition.item[0] ? GA_CHOOSE_X : GA_CHOOSE_Y;
            x = read_pack<T, V>(p, from, from == GA_CHOOSE_X ? at[GA_CHOOSE_X] : at[GA_CHOOSE_Y], n);
            return;
        }
        x = read_pack<T, V>(p, GA_CHOOSE_X, at[GA_CHOOSE_X], n);
        y = read_pack<T, V>(p, GA_CHOOSE_Y, at[GA_CHOOSE_Y], n);
    }

    GA_METHOD void
    write(const choose_plan &p)
    {
        if (n == 0)
            return;
        GA_UNROLL
        for (int j = 0; !choose_reads_one<T, V> && j < V; j++)
            if (!condition.item[j])
                x.item[j] = y.item[j];
        ga_row_pack_write(p.data[GA_CHOOSE_DST] + to, p.step[GA_CHOOSE_DST], p.whole >> GA_CHOOSE_DST & 1, n, x);
    }
};

/* Packs a thread has under way: one of 16 bytes, as in map_rows, or several single elements. */
template <class T, int V> constexpr int choose_depth = sizeof(T) * V == pack_bytes ? 1 : 4;

template <class T, int V>
GA_KERNEL
choose_packs(GA_PARAM choose_plan p)
{
    GA_AWAIT();
    constexpr int depth = choose_depth<T, V>;
    choose_held<T, V> held[depth];
    int64_t first = GA_BLOCK_ID * (GA_BLOCK * depth) + GA_THREAD;
    GA_UNROLL
    for (int k = 0; k < depth; k++)
        held[k].read(p, first + k * GA_BLOCK);
    GA_UNROLL
    for (int k = 0; k < depth; k++)
        held[k].write(p);
}

/* ---- CPU: pieces ---- */

/* Operands are consecutive, or one value. */
template <class T, bool x_one, bool y_one>
static void
blend_run(const T *x, const T *y, const uint8_t *condition, T *dst, int64_t n)
{
    const T one_x = *x, one_y = *y;
    GA_INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        T a = x_one ? one_x : x[i], b = y_one ? one_y : y[i];
        dst[i] = condition[i] ? a : b;
    }
}

template <class T>
static void
blend_piece(const choose_plan &p, const char *const *from, int64_t n)
{
    const char *x = from[GA_CHOOSE_X], *y = from[GA_CHOOSE_Y], *c = from[GA_CHOOSE_CONDITION];
    char *dst = const_cast<char *>(from[GA_CHOOSE_DST]);
    const int64_t *step = p.step, size = sizeof(T);
    bool x_one = step[GA_CHOOSE_X] == 0, y_one = step[GA_CHOOSE_Y] == 0;
    bool dense = step[GA_CHOOSE_DST] == size && step[GA_CHOOSE_CONDITION] == 1 &&
                 (x_one || step[GA_CHOOSE_X] == size) && (y_one || step[GA_CHOOSE_Y] == size);
    if (dense) {
        auto run = x_one   ? (y_one ? blend_run<T, true, true> : blend_run<T, true, false>)
                   : y_one ? blend_run<T, false, true>
                           : blend_run<T, false, false>;
        run((const T *)x, (const T *)y, (const uint8_t *)c, (T *)dst, n);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        const char *chosen = c[i * step[GA_CHOOSE_CONDITION]] ? x + i * step[GA_CHOOSE_X]
                                                              : y + i * step[GA_CHOOSE_Y];
        *(T *)(dst + i * step[GA_CHOOSE_DST]) = *(const T *)chosen;
    }
}

template <class T>
GA_KERNEL
choose_pieces(GA_PARAM choose_plan p)
{
    GA_AWAIT();
    ga_cursor<GA_CHOOSE_ARGS> row;
    int64_t first = GA_BLOCK_ID * p.repeats, last = first + p.repeats;
    for (int64_t unit = first; unit < last && unit < p.units; unit++) {
        const char *from[GA_CHOOSE_ARGS];
        int64_t at[GA_CHOOSE_ARGS], left = p.length - seek_unit(p, unit, row, at);
        for (int k = 0; k < GA_CHOOSE_ARGS; k++)
            from[k] = p.data[k] ? p.data[k] + at[k] : (const char *)p.value[k].bytes;
        blend_piece<T>(p, from, left < p.unit ? left : p.unit);
    }
}

/* ---- planning ---- */

static const int piece = 32768; /* elements of a piece at most, and about those of a block on the CPU */

/* Whether operand k can be accessed by packs of `lanes` elements along its rows. */
static bool
is_whole(const ga_choose_call *call, int k, int lanes)
{
    const ga_operand *arg = &call->args[k];
    int64_t size = k == GA_CHOOSE_CONDITION ? 1 : call->itemsize, pack = size * lanes;
    int last = call->ndim - 1;
    bool whole = arg->data && (uintptr_t)arg->data % (uintptr_t)pack == 0 &&
                 (last < 0 || arg->strides[last] == size);
    for (int d = 0; d < last && whole; d++)
        whole = arg->strides[d] % pack == 0;
    return whole;
}

static bool
updates_y(const ga_choose_call *call)
{
    const ga_operand *y = &call->args[GA_CHOOSE_Y], *dst = &call->args[GA_CHOOSE_DST];
    bool same = y->data == dst->data;
    for (int d = 0; d < call->ndim && same; d++)
        same = y->strides[d] == dst->strides[d];
    return same;
}

static void
plan_operands(const ga_choose_call *call, choose_plan *p)
{
    int last = call->ndim - 1;
    for (int k = 0; k < GA_CHOOSE_ARGS; k++) {
        const ga_operand *arg = &call->args[k];
        p->data[k] = (char *)arg->data;
        p->value[k] = arg->value;
        if (!arg->data)
            continue;
        p->step[k] = last >= 0 ? arg->strides[last] : 0;
        p->whole |= (uint32_t)is_whole(call, k, p->unit) << k;
        for (int d = 0; d < last; d++)
            p->outer.strides[d][k] = arg->strides[last - 1 - d];
    }
}

/* The innermost dimension makes up the rows, in units of `unit` elements. */
static void
plan_rows(const ga_choose_call *call, int unit, choose_plan *p)
{
    int last = call->ndim - 1;
    memset(p, 0, sizeof *p);
    p->unit = unit;
    p->length = last >= 0 ? call->shape[last] : 1;
    int64_t row = (p->length + unit - 1) / unit;
    p->units = call->size / p->length * row;
    p->unit_row = ga_divider_make(last > 0 ? row : 1);
    p->outer.ndim = last > 0 ? last : 0;
    for (int d = 0; d < last; d++)
        p->outer.shape[d] = ga_divider_make(call->shape[last - 1 - d]);
    p->repeats = p->length < piece ? int32_t(piece / p->length) : 1;
    p->updates = updates_y(call);
    plan_operands(call, p);
}

template <class T>
static int
launch_items(const choose_plan &p, ga_stream *stream)
{
    if constexpr (GA_BLOCK == 1) {
        return ga_launch(choose_pieces<T>, (p.units + p.repeats - 1) / p.repeats, stream, p);
    } else {
        constexpr int lanes = pack_bytes / sizeof(T);
        int64_t block = GA_BLOCK * (p.unit == 1 ? choose_depth<T, 1> : choose_depth<T, lanes>);
        int64_t blocks = (p.units + block - 1) / block;
        if (p.unit == 1)
            return ga_launch((choose_packs<T, 1>), blocks, stream, p);
        return ga_launch((choose_packs<T, lanes>), blocks, stream, p);
    }
}

static int
launch_plan(const choose_plan &p, int itemsize, ga_stream *stream)
{
    switch (itemsize) {
    case 1:
        return launch_items<uint8_t>(p, stream);
    case 2:
        return launch_items<uint16_t>(p, stream);
    case 4:
        return launch_items<uint32_t>(p, stream);
    case 8:
        return launch_items<uint64_t>(p, stream);
    default:
        return launch_items<choose_wide>(p, stream);
    }
}

/* More rows than a walk counts: the outermost dimension in two parts. */
static int
run_halves(const ga_choose_call *call, ga_stream *stream)
{
    ga_choose_call half = *call;
    int64_t first = call->shape[0] / 2, rest = call->size / call->shape[0];
    half.shape[0] = first;
    half.size = first * rest;
    if (ga_choose_run(&half, stream) < 0)
        return -1;
    half.shape[0] = call->shape[0] - first;
    half.size = half.shape[0] * rest;
    for (int k = 0; k < GA_CHOOSE_ARGS; k++)
        if (half.args[k].data)
            half.args[k].data = (char *)half.args[k].data + first * half.args[k].strides[0];
    return ga_choose_run(&half, stream);
}

int
ga_choose_run(const ga_choose_call *call, ga_stream *stream)
{
    choose_plan plan;
    if (call->size == 0)
        return 0;
    int64_t row = call->ndim > 0 ? call->shape[call->ndim - 1] : 1;
    int lanes = pack_bytes / call->itemsize, unit = GA_BLOCK == 1 ? piece : row < lanes ? 1 : lanes;
    if (call->ndim > 1 && call->size / row * ((row + unit - 1) / unit) >= GA_WALK_LIMIT)
        return run_halves(call, stream);
    plan_rows(call, unit, &plan);
    return launch_plan(plan, call->itemsize, stream);
}

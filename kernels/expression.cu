/* Expressions: a block takes a tile of elements through all steps and keeps their numbers in shared
 * memory, some columns a thread, so that nothing waits for others. On the CPU each step is a loop
 * over the tile, which the compiler makes vectors of. Owns ga_expression_run. Includes convert.cuh,
 * iterate.cuh, ufunc_op.cuh, slots.h. */
#include "convert.cuh"
#include "iterate.cuh"
#include "slots.h"
#include "ufunc_op.cuh"

/* Elements that go through the steps together: as many a thread as the cost of finding out what a step is wants. */
template <class C> constexpr int expression_tile = GA_BLOCK == 1 ? 256 : GA_BLOCK * 16 / int(sizeof(C));
template <class C> constexpr int expression_piece = GA_BLOCK == 1 ? 16 * 256 : expression_tile<C>; /* elements of a block */

/* The columns of a thread, j, in a step that computes: on the GPU all of the tile, whether there
 * are elements in them or not, so that the loop has a length that is known. */
#define EACH_COLUMN(j, size, C) \
    GA_UNROLL \
    GA_INDEPENDENT \
    for (int j = GA_THREAD; j < (GA_BLOCK == 1 ? size : expression_tile<C>); j += GA_BLOCK)

struct expression_plan {
    uint32_t size;
    int32_t count;
    ga_expression_step steps[GA_EXPRESSION_STEPS];
    ga_scalar numbers[GA_EXPRESSION_NUMBERS];
    uint8_t dtypes[GA_EXPRESSION_ARGS];
    char *data[GA_EXPRESSION_ARGS];
    int64_t step[GA_EXPRESSION_ARGS]; /* from element to element, where they lie in one line; else -1 */
    ga_walk<GA_EXPRESSION_ARGS> walk;
};

/* A part of a block's elements. */
struct expression_part {
    uint32_t first;
    int size;
};

GA_FN int64_t expression_offset(const expression_plan &p, int k, uint32_t i)
{
    int64_t offset = 0;
    if (p.step[k] >= 0)
        return i * p.step[k];
    GA_ROLLED
    for (int d = 0; d < p.walk.ndim; d++) {
        uint32_t rest = d + 1 < p.walk.ndim ? ga_divide_by(p.walk.shape[d], i) : 0;
        offset += (i - rest * p.walk.shape[d].divisor) * p.walk.strides[d][k];
        i = rest;
    }
    return offset;
}

/* The value of a step, rounded. */
template <class T, class V> GA_FN ga_compute<T> settle_step(V value)
{
    if constexpr (std::is_same<V, bool>::value)
        return ga_compute<T>(value);
    else
        return ga_widen(ga_narrow<T>(value));
}

/* What comes after one another is a loop of its own, of which the CPU's compiler makes vectors. */
template <class T, class A>
GA_FN void load_elements(const expression_plan &p, expression_part part, int k, ga_compute<T> *to)
{
    const A *from = reinterpret_cast<const A *>(p.data[k]) + part.first;
    if (p.step[k] == sizeof(A)) {
        EACH_COLUMN(j, part.size, ga_compute<T>)
            if (j < part.size)
                to[j] = ga_widen(ga_convert<T>(ga_load(from + j)));
        return;
    }
    EACH_COLUMN(j, part.size, ga_compute<T>)
        if (j < part.size) {
            const char *at = p.data[k] + expression_offset(p, k, part.first + uint32_t(j));
            to[j] = ga_widen(ga_convert<T>(ga_load(reinterpret_cast<const A *>(at))));
        }
}

template <class T, class A>
GA_FN void store_elements(const expression_plan &p, expression_part part, int k, const ga_compute<T> *from)
{
    A *to = reinterpret_cast<A *>(p.data[k]) + part.first;
    if (p.step[k] == sizeof(A)) {
        EACH_COLUMN(j, part.size, ga_compute<T>)
            if (j < part.size)
                to[j] = ga_convert<A>(ga_narrow<T>(from[j]));
        return;
    }
    EACH_COLUMN(j, part.size, ga_compute<T>)
        if (j < part.size) {
            char *at = p.data[k] + expression_offset(p, k, part.first + uint32_t(j));
            *reinterpret_cast<A *>(at) = ga_convert<A>(ga_narrow<T>(from[j]));
        }
}

/* The step `call<T, A>(p, part, k, numbers)` for the dtype A of array k. */
#define BY_DTYPE(call, k, numbers)                              \
    switch (p.dtypes[k]) {                                      \
    case GA_b1:                                                 \
        return call<T, bool>(p, part, k, numbers);              \
    case GA_i64:                                                \
        return call<T, int64_t>(p, part, k, numbers);           \
    case GA_f32:                                                \
        return call<T, float>(p, part, k, numbers);             \
    case GA_f64:                                                \
        return call<T, double>(p, part, k, numbers);            \
    default:                                                    \
        return call<T, T>(p, part, k, numbers);                 \
    }

template <class T> GA_FN void load_array(const expression_plan &p, expression_part part, int k, ga_compute<T> *to)
{
    BY_DTYPE(load_elements, k, to)
}

template <class T> GA_FN void store_array(const expression_plan &p, expression_part part, int k, const ga_compute<T> *from)
{
    BY_DTYPE(store_elements, k, from)
}

template <class T, class Op> GA_FN void apply_one(int size, ga_compute<T> *to, const ga_compute<T> *x)
{
    EACH_COLUMN(j, size, ga_compute<T>)
        to[j] = settle_step<T>(Op::template call<T>(x[j]));
}

template <class T, class Op> GA_FN void apply_two(int size, ga_compute<T> *to, const ga_compute<T> *x, const ga_compute<T> *y)
{
    EACH_COLUMN(j, size, ga_compute<T>)
        to[j] = settle_step<T>(Op::template call<T>(x[j], y[j]));
}

template <class T> GA_FN void run_row(const ga_expression_step &s, int size, ga_compute<T> (*places)[expression_tile<ga_compute<T>>])
{
    switch (s.what) {
#define ONE(name)                                                        \
    case GA_STEP_##name:                                                 \
        apply_one<T, ga_op_##name>(size, places[s.to], places[s.x]);     \
        break;
#define TWO(name)                                                                     \
    case GA_STEP_##name:                                                              \
        apply_two<T, ga_op_##name>(size, places[s.to], places[s.x], places[s.y]);     \
        break;
        GA_STEPS_ONE(ONE)
        GA_STEPS_TWO(TWO)
    default:
        if constexpr (!ga_is_int<T>::value)
            switch (s.what) {
                GA_STEPS_ONE_REAL(ONE)
                GA_STEPS_TWO_REAL(TWO)
            }
#undef ONE
#undef TWO
    }
}

template <class T> GA_FN void set_number(const expression_plan &p, int k, int size, ga_compute<T> *to)
{
    T number;
    memcpy(&number, &p.numbers[k], sizeof number);
    EACH_COLUMN(j, size, ga_compute<T>)
        to[j] = ga_widen(number);
}

template <class C> GA_FN void round_single(int size, C *to, const C *x)
{
    EACH_COLUMN(j, size, C)
        to[j] = C(float(x[j]));
}

template <class C> GA_FN void select_numbers(int size, C *to, const C *condition, const C *x, const C *y)
{
    EACH_COLUMN(j, size, C)
        to[j] = condition[j] != 0 ? x[j] : y[j];
}

template <class T>
GA_FN void run_step(const expression_plan &p, const ga_expression_step &s, expression_part part,
                    ga_compute<T> (*places)[expression_tile<ga_compute<T>>])
{
    switch (s.what) {
    case GA_STEP_load:
        return load_array<T>(p, part, s.x, places[s.to]);
    case GA_STEP_number:
        return set_number<T>(p, s.x, part.size, places[s.to]);
    case GA_STEP_store:
        return store_array<T>(p, part, s.to, places[s.x]);
    case GA_STEP_single:
        return round_single(part.size, places[s.to], places[s.x]);
    case GA_STEP_select:
        return select_numbers(part.size, places[s.to], places[s.x], places[s.y], places[s.z]);
    default:
        return run_row<T>(s, part.size, places);
    }
}

template <class T> GA_KERNEL evaluate_expression(GA_PARAM expression_plan p)
{
    GA_AWAIT();
    constexpr int tile = expression_tile<ga_compute<T>>, piece = expression_piece<ga_compute<T>>;
    GA_SHARED ga_compute<T> places[GA_EXPRESSION_PLACES][tile];
    const int64_t begin = GA_BLOCK_ID * piece;
    const int64_t end = begin + piece < p.size ? begin + piece : p.size;
    for (int64_t first = begin; first < end; first += tile) {
        const int64_t rest = end - first;
        expression_part part = {uint32_t(first), rest < tile ? int(rest) : tile};
        GA_ROLLED
        for (int i = 0; i < p.count; i++)
            run_step<T>(p, p.steps[i], part, places);
    }
}

/* The distance between elements of an array that lie in one line, or are one; else -1. */
static int64_t find_line(const ga_expression_call *call, const ga_operand *arg)
{
    int64_t expected = call->ndim > 0 ? arg->strides[call->ndim - 1] : 0;
    const int64_t step = expected;
    for (int d = call->ndim - 1; d >= 0; d--) {
        if (arg->strides[d] != expected)
            return -1;
        expected *= call->shape[d];
    }
    return step;
}

static void fill_plan(const ga_expression_call *call, expression_plan *plan)
{
    plan->size = uint32_t(call->size);
    plan->count = call->count;
    memcpy(plan->steps, call->steps, sizeof plan->steps);
    memcpy(plan->numbers, call->numbers, sizeof plan->numbers);
    plan->walk.ndim = call->ndim;
    for (int d = 0; d < call->ndim; d++)
        plan->walk.shape[d] = ga_divider_make(call->shape[call->ndim - 1 - d]);
    for (int k = 0; k < call->arrays; k++) {
        plan->dtypes[k] = uint8_t(call->dtypes[k]);
        plan->data[k] = static_cast<char *>(call->args[k].data);
        plan->step[k] = find_line(call, &call->args[k]);
        for (int d = 0; d < call->ndim; d++)
            plan->walk.strides[d][k] = call->args[k].strides[call->ndim - 1 - d];
    }
}

template <class T> static int launch_typed(const ga_expression_call *call, ga_stream *stream)
{
    constexpr int piece = expression_piece<ga_compute<T>>;
    expression_plan plan = {};
    fill_plan(call, &plan);
    return ga_launch(evaluate_expression<T>, (call->size + piece - 1) / piece, stream, plan);
}

static int launch_part(const ga_expression_call *call, ga_stream *stream)
{
    switch (call->dtype) {
    case GA_f16:
        return launch_typed<ga_half>(call, stream);
    case GA_f32:
        return launch_typed<float>(call, stream);
    case GA_f64:
        return launch_typed<double>(call, stream);
    case GA_i64:
        return launch_typed<int64_t>(call, stream);
    default:
        return ga_kernel_fail(GA_ERR_TYPE, "expression: no kernel for dtype %d", int(call->dtype));
    }
}

/* Halves along the outermost axis, until an index has 31 bits. */
int ga_expression_run(const ga_expression_call *call, ga_stream *stream)
{
    if (call->size < GA_WALK_LIMIT)
        return launch_part(call, stream);
    ga_expression_call half = *call;
    const int64_t first = call->shape[0] / 2, rest = call->size / call->shape[0];
    half.shape[0] = first;
    half.size = first * rest;
    if (ga_expression_run(&half, stream) < 0)
        return -1;
    half.shape[0] = call->shape[0] - first;
    half.size = half.shape[0] * rest;
    for (int k = 0; k < call->arrays; k++)
        half.args[k].data = static_cast<char *>(half.args[k].data) + first * half.args[k].strides[0];
    return ga_expression_run(&half, stream);
}

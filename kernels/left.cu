/* Which operations go left to right, and the launch of their kernel. Owns ga_left_has, ga_left_run. Includes left.h,
 * port.cuh. */
#include "left.h"

#include "port.cuh"
#include "slots.h"

/* A reduction needs a result of the operands' dtype. */
static unsigned get_dtypes(enum ga_ufunc op)
{
#define TYPES_SAME(types) types
#define TYPES_BOOL(types) ((types) & GA_TYPES_B)
#define ORDER_LEFT(types) types
#define ORDER_TREE(types) 0
    switch (op) {
#define U21(name, types, out, identity, order, ...) \
    case GA_UF_##name:                              \
        return ORDER_##order(TYPES_##out(GA_TYPES_##types));
#include "../csrc/tables/ufuncs.def"
    default:
        return 0;
    }
}

bool ga_left_has(enum ga_ufunc op, enum ga_dtype dtype)
{
    return get_dtypes(op) >> dtype & 1;
}

int ga_left_run(ga_left_stage *stage, enum ga_dtype dtype, int64_t each, ga_stream *stream)
{
    ga_reduce_stage *w = &stage->slices.walk;
    w->span = GA_BLOCK == 1 ? GA_REDUCE_CPU_PIECE / (each + 16) + 1 : GA_BLOCK;
    int64_t items = w->outputs * stage->slices.segments, blocks = (items + w->span - 1) / w->span;
    switch (dtype) {
#define GA_DTYPE(id, ...) \
    case GA_##id:         \
        return ga_left_launch_##id(stage, blocks, stream);
#include "../csrc/tables/dtypes.def"
    default:
        return ga_kernel_fail(GA_ERR_TYPE, "a reduction: unknown dtype %d", int(dtype));
    }
}

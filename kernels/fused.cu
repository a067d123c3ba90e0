/* The fused slot: plans a launch of a kernel that gpuarray wrote for a function of the user's
 * (fused.cuh).
 *
 * The innermost dimension makes the rows; a walk counts packs in 31 bits, so that more of them in
 * several rows are refused (GA_ERR_UNSUPPORTED), and the caller runs the function's operations one
 * by one. Includes fused.cuh, program.h and slots.h. */
#include "fused.cuh"

#include "program.h"
#include "slots.h"

/* ---- turned inputs ---- */

static const int turned_side = 16; /* elements: a shorter side is not worth tiles */

/* The dimension, not the innermost, along which array k is consecutive, or -1; see ga_vector_turned_by. */
static int
find_turn(const ga_fused_call *call, int k)
{
    const int last = call->ndim - 1;
    const int64_t size = call->itemsize[k], *strides = call->strides[k];
    if (call->shape[last] < turned_side || strides[last] == 0 || strides[last] == size || strides[last] == -size)
        return -1;
    for (int d = 0; d < last; d++)
        if (call->shape[d] >= turned_side && (strides[d] == size || strides[d] == -size))
            return d;
    return -1;
}

/* Rows follow each other along the dimension of the first turned array; false if there is none. */
static bool
turn_rows(ga_fused_call *call)
{
    const int next = call->ndim - 2;
    int along = -1;
    for (int k = 0; k < call->narrays && along < 0 && next >= 0; k++)
        along = find_turn(call, k);
    if (along < 0)
        return false;
    const int64_t length = call->shape[along];
    call->shape[along] = call->shape[next];
    call->shape[next] = length;
    for (int k = 0; k < call->narrays; k++) {
        const int64_t stride = call->strides[k][along];
        call->strides[k][along] = call->strides[k][next];
        call->strides[k][next] = stride;
    }
    return true;
}

/* ---- planning ---- */

/* Whether array k can be accessed by packs along its rows. */
static bool
is_whole(const ga_fused_call *call, int k)
{
    const int64_t size = call->itemsize[k], pack = size * call->lanes;
    const int last = call->ndim - 1;
    bool whole = (uintptr_t)call->data[k] % (uintptr_t)pack == 0 && last >= 0 && call->strides[k][last] == size;
    for (int d = 0; d < last && whole; d++)
        whole = call->strides[k][d] % pack == 0;
    return whole;
}

static void
plan_arrays(const ga_fused_call *call, ga_fused_plan *plan)
{
    const int last = call->ndim - 1;
    for (int k = 0; k < call->narrays; k++) {
        plan->data[k] = static_cast<char *>(call->data[k]);
        plan->step[k] = last >= 0 ? call->strides[k][last] : 0;
        plan->whole |= (uint32_t)is_whole(call, k) << k;
        for (int d = 0; d < last; d++)
            plan->outer.strides[d][k] = call->strides[k][last - 1 - d];
    }
}

static int64_t
plan_tiles(ga_fused_plan *plan, int64_t row)
{
    const int64_t across = (row + GA_FUSED_TILE_PACKS - 1) / GA_FUSED_TILE_PACKS;
    plan->turned = 1;
    plan->rows = uint32_t(plan->units / row);
    plan->tiles = ga_divider_make(across);
    return across * ((plan->rows + GA_FUSED_TILE_ROWS - 1) / GA_FUSED_TILE_ROWS);
}

/* Returns the blocks. */
static int64_t
plan_launch(const ga_fused_call *call, bool turned, ga_fused_plan *plan)
{
    const int last = call->ndim - 1;
    memset(plan, 0, offsetof(ga_fused_plan, numbers));
    memcpy(plan->numbers, call->numbers, size_t(call->nnumbers) * sizeof *call->numbers);
    plan->length = last >= 0 ? call->shape[last] : 1;
    const int64_t row = (plan->length + call->lanes - 1) / call->lanes;
    plan->units = call->size / plan->length * row;
    plan->packs = ga_divider_make(last > 0 ? row : 1);
    plan->outer.ndim = last > 0 ? last : 0;
    for (int d = 0; d < last; d++)
        plan->outer.shape[d] = ga_divider_make(call->shape[last - 1 - d]);
    plan_arrays(call, plan);
    return turned ? plan_tiles(plan, row) : (plan->units + GA_FUSED_BLOCK - 1) / GA_FUSED_BLOCK;
}

int
ga_fused_run(const ga_fused_call *given, ga_stream *stream)
{
    ga_fused_call call = *given;
    ga_fused_plan plan;
    if (call.size == 0)
        return 0;
    if (call.ndim > 1 && call.size >= GA_WALK_LIMIT)
        return ga_kernel_fail(GA_ERR_UNSUPPORTED, "a fused kernel walks fewer than 2^31 elements in several rows");
    const bool turned = turn_rows(&call);
    const int64_t blocks = plan_launch(&call, turned, &plan);
    return ga_program_map(call.program, call.name, blocks, GA_FUSED_BLOCK, &plan, stream);
}

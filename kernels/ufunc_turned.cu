/* Turned operands of element-wise calls, by way of a buffer of bounded size: on the CPU, and for
 * calls with a mask.
 *
 * Reading a transposed operand element by element moves a whole sector of memory for each. So a
 * call is cut into pieces of GA_TURNED_BYTES; for each piece, ga_copy_run copies the operand into
 * a buffer as large, in the order of the outputs. Includes cast.cuh, slots.h and ufunc_turned.h. */
#include "ufunc_turned.h"

#include "cast.cuh"
#include "slots.h"

/* Of an operand: what a CPU's cache holds. In pieces as small a GPU's launches cost more than its cache saves. */
#define GA_TURNED_BYTES ((int64_t)(GA_BLOCK == 1 ? 1 : 64) << 20)
#define GA_TURNED_LEAST ((int64_t)1 << 18)  /* elements: a smaller call is not worth further launches */

/* The copy of input k in C order at `to`. */
static ga_ufunc_call
describe_copy(const ga_ufunc_call *call, int k, void *to)
{
    ga_ufunc_call copy = *call;
    copy.nin = copy.nout = 1;
    copy.has_where = false;
    copy.in[0] = copy.out[0] = call->in[k];
    copy.args[0] = call->args[k];
    copy.args[1].data = to;
    int64_t stride = ga_map_itemsize(call->in[k]);
    for (int d = call->ndim - 1; d >= 0; d--) {
        copy.args[1].strides[d] = stride;
        stride *= call->shape[d];
    }
    return copy;
}

static bool
is_turned(const ga_ufunc_call *call, int k)
{
    ga_ufunc_call copy = describe_copy(call, k, NULL);
    return ga_copy_rows(&copy) >= 0;
}

bool
ga_turned_fits(const ga_ufunc_call *call)
{
    if (call->converts || call->ndim < 2 || call->size < GA_TURNED_LEAST || call->size >= GA_WALK_LIMIT)
        return false;
    for (int k = 0; k < call->nin; k++)
        if (is_turned(call, k))
            return true;
    return false;
}

static int64_t
largest_input(const ga_ufunc_call *call)
{
    int64_t largest = ga_map_itemsize(call->in[0]);
    if (call->nin > 1 && ga_map_itemsize(call->in[1]) > largest)
        largest = ga_map_itemsize(call->in[1]);
    return largest;
}

/* A piece; `buffer` has room for each of its inputs. */
static int
run_piece(const ga_ufunc_call *call, ga_turned_launch launch, char *buffer, ga_stream *stream)
{
    ga_ufunc_call straight = *call;
    for (int k = 0; k < call->nin; k++) {
        ga_ufunc_call copy = describe_copy(call, k, buffer + k * GA_TURNED_BYTES);
        if (ga_copy_rows(&copy) < 0)
            continue;
        if (ga_copy_run(&copy, stream) < 0)
            return -1;
        straight.args[k] = copy.args[1];
    }
    return launch(&straight, stream);
}

static int
run_pieces(const ga_ufunc_call *call, ga_turned_launch launch, char *buffer, ga_stream *stream)
{
    if (call->size * largest_input(call) <= GA_TURNED_BYTES)
        return run_piece(call, launch, buffer, stream);
    ga_ufunc_call half[2];
    ga_map_halve(call, half);
    return run_pieces(&half[0], launch, buffer, stream) < 0
               ? -1
               : run_pieces(&half[1], launch, buffer, stream);
}

int
ga_turned_run(const ga_ufunc_call *call, ga_turned_launch launch, ga_stream *stream)
{
    void *buffer;
    if (ga_runtime_alloc((size_t)(call->nin * GA_TURNED_BYTES), stream, &buffer) < 0)
        return launch(call, stream); /* slower, and without a buffer */
    int result = run_pieces(call, launch, (char *)buffer, stream);
    return ga_runtime_free(buffer, stream) < 0 ? -1 : result;
}

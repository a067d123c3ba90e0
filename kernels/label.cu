/* Labels of connected elements from their roots' numbers. Owns ga_number_run. Includes slots.h, port.cuh,
 * csrc/core/call/label.h. */
#include "../csrc/core/call/label.h"
#include "port.cuh"
#include "slots.h"

static const int64_t number_piece = GA_BLOCK == 1 ? 4096 : 1024;

template <class L> GA_KERNEL number_elements(GA_PARAM ga_number_call call)
{
    GA_AWAIT();
    int64_t first = GA_BLOCK_ID * number_piece;
    int64_t last = first + number_piece < call.size ? first + number_piece : call.size;
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK) {
        int64_t root = call.roots[i];
        static_cast<L *>(call.labels)[i] = L(root < 0 ? 0 : call.numbers[root]);
    }
}

int ga_number_run(const ga_number_call *call, ga_stream *stream)
{
    int64_t blocks = (call->size + number_piece - 1) / number_piece;
    if (call->short_labels)
        return ga_launch((number_elements<int32_t>), blocks, stream, *call);
    return ga_launch((number_elements<int64_t>), blocks, stream, *call);
}

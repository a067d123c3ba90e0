/* Triangles of matrices on the CPU: of each row one part is copied and the other cleared. The pair of triangle_cuda.cu;
 * owns ga_triangle_run. Includes port.cuh and slots.h. */
#include "port.cuh"
#include "slots.h"

static const int64_t block_bytes = 65536; /* worth a thread's while */

/* A block takes `span` rows. */
GA_KERNEL keep_rows(const ga_triangle_call &call, int64_t span)
{
    GA_AWAIT();
    const int64_t rows = call.size / call.columns, size = call.itemsize, bytes = call.columns * size;
    const int64_t first = GA_BLOCK_ID * span, last = first + span < rows ? first + span : rows;
    for (int64_t row = first; row < last; row++) {
        int64_t edge = row % call.rows + call.k + call.lower; /* the first column behind the lower part, before the upper */
        edge = edge < 0 ? 0 : edge < call.columns ? edge : call.columns;
        const char *from = static_cast<const char *>(call.src) + row * bytes;
        char *to = static_cast<char *>(call.dst) + row * bytes;
        if (call.lower) {
            memmove(to, from, size_t(edge * size));
            memset(to + edge * size, 0, size_t(bytes - edge * size));
        } else {
            memset(to, 0, size_t(edge * size));
            memmove(to + edge * size, from + edge * size, size_t(bytes - edge * size));
        }
    }
}

int ga_triangle_run(const ga_triangle_call *call, ga_stream *stream)
{
    if (call->size == 0)
        return 0;
    const int64_t rows = call->size / call->columns, span = block_bytes / (call->columns * call->itemsize) + 1;
    return ga_launch(keep_rows, (rows + span - 1) / span, stream, *call, span);
}

/* Linear algebra on the CPU device is NumPy's, called from Python; of the backend's only the
 * kernels for small matrices are there, which are one source for both devices. The pair of
 * lapack_cuda.cu; includes lapack_small.h, slots.h. */
#include <stdlib.h>

#include "lapack_small.h"
#include "slots.h"

static int
run_jacobi(const ga_lapack_call *call, int *failed, ga_stream *stream)
{
    const size_t most = 16; /* bytes of an element */
    size_t columns = size_t(call->columns), count = size_t(call->count);
    void *right = malloc(columns * columns * count * most), *order = malloc(columns * count * sizeof(int));
    int status = right && order
                     ? ga_lapack_jacobi(call, right, static_cast<int *>(order), failed, stream)
                     : ga_kernel_fail(GA_ERR_MEMORY, "linalg: no memory for vectors under way");
    free(right);
    free(order);
    return status;
}

int
ga_lapack_run(const ga_lapack_call *call, ga_stream *stream)
{
    int failed = 0;
    bool rotates = ga_lapack_is_jacobi(call);
    if (!rotates && !ga_lapack_is_small(call))
        return ga_kernel_fail(GA_ERR_UNSUPPORTED,
                              "the CPU backend factorises small matrices alone");
    int status = rotates ? run_jacobi(call, &failed, stream) : ga_lapack_small(call, &failed, stream);
    *call->failed = failed;
    return status;
}

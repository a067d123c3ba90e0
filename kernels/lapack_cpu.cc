/* Linear algebra on the CPU device is NumPy's, called from Python; of the backend's only the kernels for small matrices are
 * there, which are one source for both devices. The pair of lapack_cuda.cu; includes lapack_small.h, slots.h. */
#include "lapack_small.h"
#include "slots.h"

int
ga_lapack_run(const ga_lapack_call *call, ga_stream *stream)
{
    int failed = 0;
    if (!ga_lapack_is_small(call))
        return ga_kernel_fail(GA_ERR_UNSUPPORTED,
                              "the CPU backend factorises small matrices alone");
    int status = ga_lapack_small(call, &failed, stream);
    *call->failed = failed;
    return status;
}

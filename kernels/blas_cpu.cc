/* The CPU backend links no BLAS: products of floats and complex numbers are NumPy's, made by csrc/python on views of
 * the same memory. The pair of blas_cuda.cc; includes blas.h only. */
#include "blas.h"
#include "slots.h"

int ga_blas_matmul(const ga_matmul_call *call, ga_stream *)
{
    if (call->dtype == GA_f16)
        return 1;
    return ga_kernel_fail(GA_ERR_UNSUPPORTED, "the CPU backend has no float or complex matrix product");
}

int ga_library_list(char *buf, size_t nbytes)
{
    if (nbytes)
        *buf = '\0';
    return 0;
}

int ga_library_path(const char *)
{
    return 0;
}

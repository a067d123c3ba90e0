/* What the files of factorisations on CUDA share: one call under way, its types under the
 * libraries' names, its workspace. Included by lapack_*_cuda.cu only. Sizes of the libraries' older
 * functions are int: ga_lapack_run sees to it that they fit. */
#ifndef GA_LAPACK_CUDA_CUH
#define GA_LAPACK_CUDA_CUH

#include <library_types.h>

#include "../csrc/core/call/lapack.h"
#include "cusolver_cuda.h"
#include "runtime_cuda.cuh"

/* Memory of a library's function. The device's part is the stream's and may be freed while it works. */
struct lapack_workspace {
    void *device, *host;
    size_t device_bytes, host_bytes;
};

struct lapack_job {
    const ga_lapack_call *call;
    ga_stream *stream;
    const ga_solver *solver; /* its lock is held */
    int64_t size, real_size; /* bytes of an element, and of a real one */
    cudaDataType_t type, real_type;
    int *info;  /* on the device: what the library says of each matrix; 0 is success */
    int *spare; /* likewise, for functions whose word does not count */
    int *flag;  /* one, zero before */
    lapack_workspace work;
};

/* Element `i` of an array of `stride` elements of the dtype. */
static inline void *
lapack_at(void *base, int64_t bytes)
{
    return base ? static_cast<char *>(base) + bytes : nullptr;
}

/* Matrix i of the call's a; what belongs to it of b, and of its values. */
static inline void *
lapack_matrix(const lapack_job *job, int64_t i)
{
    return lapack_at(job->call->a, i * job->call->rows * job->call->columns * job->size);
}

/* Whether the stack goes to a function for many matrices: where they are small against their
 * number, one after the other does not fill the card. */
static inline bool
lapack_is_batch(const ga_lapack_call *call)
{
    return call->count > 1 && call->rows <= 32 * call->count;
}

static inline cublasFillMode_t
lapack_triangle(const ga_lapack_call *call)
{
    return call->upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
}

static inline cusolverEigMode_t
lapack_mode(const ga_lapack_call *call)
{
    return call->vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
}

/* each(i) for every matrix of the stack, until one fails. */
template <class Each>
static int
lapack_for_each(const lapack_job *job, const char *name, Each each)
{
    for (int64_t i = 0; i < job->call->count; i++)
        if (ga_cusolver_check(each(i), name))
            return -1;
    return 0;
}

/* lapack_cuda.cu. The workspace is freed with the job, or where another one is asked for. */
int ga_lapack_workspace(lapack_job *job, size_t device_bytes, size_t host_bytes);
/* A function that has a name for each dtype: `format` has a %c for S, D, C or Z. NULL after recording an error. */
void *ga_lapack_blas_function(const lapack_job *job, const char *format);
void *ga_lapack_solver_function(const lapack_job *job, const char *format);
/* Pointers, on the device, to `count` matrices that lie `step` bytes apart, in new memory of the stream. */
int ga_lapack_pointers(const lapack_job *job, void *base, int64_t step, void ***out);

/* lapack_triangle_cuda.cu: b from the factors of matrices of at most GA_LAPACK_ORDERED rows, all at
 * once if `stacked`. The first makes permutations of n numbers a matrix from the pivots, which are
 * of either type, the other NULL. */
#define GA_LAPACK_ORDERED 8192
int ga_lapack_order(const lapack_job *job, const int *pivots, const int64_t *long_pivots, int *order);
int ga_lapack_solve_triangles(const lapack_job *job, bool stacked, const int *order);
int ga_lapack_invert_triangles(const lapack_job *job, bool stacked, const int *order);

/* Likewise, in place, from Cholesky's factor of each matrix, which is lower: a x = b. */
int ga_lapack_solve_factored(const lapack_job *job);

/* lapack_positive_cuda.cu: whether it is worth a look if the matrix is Hermitian; `solved` if it
 * was, and else all is as before. */
bool ga_lapack_may_be_positive(const lapack_job *job);
int ga_lapack_solve_positive(lapack_job *job, bool *solved);
/* lapack_factor_cuda.cu: the call's triangle of one matrix after the other becomes Cholesky's factor. */
int ga_lapack_factor_positive(lapack_job *job);

/* lapack_panel_cuda.cu: factors of one matrix after the other, pivots as getrf's, and order as
 * ga_lapack_order makes it. */
bool ga_lapack_has_panels(const lapack_job *job);
int ga_lapack_factor_panels(const lapack_job *job, int64_t *pivots, int *order);

/* lapack_hermitian_cuda.cu: EIGH of stacks of small matrices; *failed, zero before, becomes 1 where
 * one does not converge. */
bool ga_lapack_is_rotated(const ga_lapack_call *call);
int ga_lapack_rotate(const ga_lapack_call *call, int *failed, ga_stream *stream);

/* Operations: 0, or -1 with the error recorded. */
int ga_lapack_lu(lapack_job *job);       /* lapack_lu_cuda.cu: SOLVE, INVERT, DETERMINANT */
int ga_lapack_cholesky(lapack_job *job); /* lapack_factor_cuda.cu */
int ga_lapack_qr(lapack_job *job);       /* lapack_qr_cuda.cu */
int ga_lapack_basis(lapack_job *job);
int ga_lapack_eigh(lapack_job *job); /* lapack_eigen_cuda.cu */
int ga_lapack_eig(lapack_job *job);
int ga_lapack_svd(lapack_job *job); /* lapack_svd_cuda.cu */

#endif

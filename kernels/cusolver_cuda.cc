/* Opens cuSOLVER and keeps its handles. Includes cusolver_cuda.h, cublas_cuda.h, library_cuda.h, runtime_cuda.cuh. */
#include "cusolver_cuda.h"

#include <stdio.h>

#include "cublas_cuda.h"
#include "library_cuda.h"
#include "runtime_cuda.cuh"

static const int most_devices = 64;

static ga_library library = {"libcusolver.so." GA_LIBRARY_TEXT(CUSOLVER_VER_MAJOR), "nvidia-cusolver",
                             nullptr, ""};
static pthread_once_t once = PTHREAD_ONCE_INIT;

static pthread_mutex_t lock =
    PTHREAD_MUTEX_INITIALIZER; /* guards solvers and the calls made with them */
static ga_solver solvers[most_devices];

static void
open_cusolver()
{
    ga_cublas_use(); /* which cuSOLVER needs: found where we look for libraries */
    ga_library_open(&library);
}

static bool
has_cusolver()
{
    pthread_once(&once, open_cusolver);
    return library.handle;
}

void *
ga_cusolver_function(const char *name)
{
    void *function = has_cusolver() ? ga_library_symbol(&library, name) : nullptr;
    if (!function)
        ga_kernel_fail(GA_ERR_DEVICE, "cuSOLVER: %s", library.reason);
    return function;
}

int
ga_cusolver_check(cusolverStatus_t status, const char *what)
{
    if (status == CUSOLVER_STATUS_SUCCESS)
        return 0;
    return ga_kernel_fail(status == CUSOLVER_STATUS_ALLOC_FAILED ? GA_ERR_MEMORY : GA_ERR_DEVICE,
                          "cuSOLVER, %s: status %d", what, int(status));
}

static int
make_solver(ga_solver *solver)
{
    GA_CUSOLVER(create, cusolverDnCreate);
    GA_CUSOLVER(create_params, cusolverDnCreateParams);
    if (!create || !create_params)
        return -1;
    if (!solver->params && ga_cusolver_check(create_params(&solver->params), "making parameters"))
        return -1;
    return ga_cusolver_check(create(&solver->handle), "making a handle");
}

static int
prepare_solver(ga_solver *solver, ga_stream *stream)
{
    GA_CUSOLVER(set_stream, cusolverDnSetStream);
    if (!set_stream || (!solver->handle && make_solver(solver)))
        return -1;
    return ga_cusolver_check(set_stream(solver->handle, stream->handle), "choosing a stream");
}

int
ga_cusolver_begin(ga_stream *stream, const ga_solver **out)
{
    pthread_mutex_lock(&lock);
    int status = prepare_solver(&solvers[stream->device], stream);
    *out = &solvers[stream->device];
    if (status)
        pthread_mutex_unlock(&lock);
    return status;
}

void
ga_cusolver_end(void)
{
    pthread_mutex_unlock(&lock);
}

void
ga_cusolver_describe(char *buf, size_t nbytes)
{
    decltype(&cusolverGetProperty) get_property = nullptr;
    if (has_cusolver() && ga_library_find(&library, "cusolverGetProperty", &get_property))
        ga_library_version(get_property, buf, nbytes);
    else
        snprintf(buf, nbytes, "%s", library.reason);
}

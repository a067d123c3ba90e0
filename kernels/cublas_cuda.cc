/* Opens cuBLAS and keeps its handles. Includes cublas_cuda.h, library_cuda.h, runtime_cuda.cuh. */
#include "cublas_cuda.h"

#include <stdio.h>

#include "library_cuda.h"
#include "runtime_cuda.cuh"

static const int most_devices = 64;

/* The functions of every call, under cuBLAS's own types. */
struct cublas_functions {
    decltype(&cublasCreate_v2) create;
    decltype(&cublasSetStream_v2) set_stream;
    decltype(&cublasGetProperty) get_property;
    decltype(&cublasGetStatusString) status_string;
};

static ga_library library = {"libcublas.so." GA_LIBRARY_TEXT(CUBLAS_VER_MAJOR), "nvidia-cublas",
                             nullptr, ""};
static pthread_once_t once = PTHREAD_ONCE_INIT;
static cublas_functions cublas;
static bool complete;

static pthread_mutex_t lock =
    PTHREAD_MUTEX_INITIALIZER; /* guards handles and the calls made with them */
static cublasHandle_t handles[most_devices];

static void
open_cublas()
{
    complete = ga_library_open(&library) &&
               ga_library_find(&library, "cublasCreate_v2", &cublas.create) &&
               ga_library_find(&library, "cublasSetStream_v2", &cublas.set_stream) &&
               ga_library_find(&library, "cublasGetProperty", &cublas.get_property) &&
               ga_library_find(&library, "cublasGetStatusString", &cublas.status_string);
}

bool
ga_cublas_use(void)
{
    pthread_once(&once, open_cublas);
    return complete;
}

void *
ga_cublas_function(const char *name)
{
    void *function = ga_cublas_use() ? ga_library_symbol(&library, name) : nullptr;
    if (!function)
        ga_kernel_fail(GA_ERR_DEVICE, "cuBLAS: %s", library.reason);
    return function;
}

int
ga_cublas_check(cublasStatus_t status, const char *what)
{
    if (status == CUBLAS_STATUS_SUCCESS)
        return 0;
    return ga_kernel_fail(status == CUBLAS_STATUS_ALLOC_FAILED ? GA_ERR_MEMORY : GA_ERR_DEVICE,
                          "cuBLAS, %s: %s", what, cublas.status_string(status));
}

static int
find_handle(ga_stream *stream, cublasHandle_t *out)
{
    cublasHandle_t *handle = &handles[stream->device];
    if (!*handle && ga_cublas_check(cublas.create(handle), "making a handle"))
        return -1;
    *out = *handle;
    return ga_cublas_check(cublas.set_stream(*out, stream->handle), "choosing a stream");
}

int
ga_cublas_begin(ga_stream *stream, cublasHandle_t *out)
{
    if (!ga_cublas_use())
        return ga_kernel_fail(GA_ERR_DEVICE, "cuBLAS: %s", library.reason);
    pthread_mutex_lock(&lock);
    int status = find_handle(stream, out);
    if (status)
        pthread_mutex_unlock(&lock);
    return status;
}

void
ga_cublas_end(void)
{
    pthread_mutex_unlock(&lock);
}

void
ga_cublas_describe(char *buf, size_t nbytes)
{
    if (ga_cublas_use())
        ga_library_version(cublas.get_property, buf, nbytes);
    else
        snprintf(buf, nbytes, "%s", library.reason);
}

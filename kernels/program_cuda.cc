/* Programs of the user's: compiled by NVRTC, which is opened at the first of them, loaded and launched by the runtime.
 *
 * Owns ga_program: a loaded library and the mangled names of the instantiations asked for. Nothing is kept between
 * programs; who wants one twice keeps it. Includes library_cuda.h, program.h, runtime_cuda.cuh. */
#include <stdlib.h>
#include <string.h>

#include "library_cuda.h"
#include "program.h"
#include "runtime_cuda.cuh"

struct ga_program {
    int device;
    cudaLibrary_t library;
    cudaKernel_t mapped; /* what ga_program_map launched last, which is all that such a program has */
    int32_t count;
    char **expressions, **mangled; /* of one length, each string owned */
};

/* ---- the compiler ---- */

/* NVRTC's interface, said here so that building needs no header of it: an opaque program, and 0 for success. */
typedef struct nvrtc_program *nvrtc_handle;
static const int nvrtc_success = 0;

struct nvrtc_functions {
    int (*create)(nvrtc_handle *out, const char *source, const char *name, int nheaders, const char *const *headers,
                  const char *const *header_names);
    int (*destroy)(nvrtc_handle *program);
    int (*add_expression)(nvrtc_handle program, const char *expression);
    int (*get_mangled)(nvrtc_handle program, const char *expression, const char **out);
    int (*compile)(nvrtc_handle program, int noptions, const char *const *options);
    int (*get_size)(nvrtc_handle program, size_t *out);
    int (*get_code)(nvrtc_handle program, char *out);
    int (*get_log_size)(nvrtc_handle program, size_t *out);
    int (*get_log)(nvrtc_handle program, char *out);
    const char *(*describe)(int result);
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static ga_library library = {"libnvrtc.so." GA_LIBRARY_TEXT(__CUDACC_VER_MAJOR__), "nvidia-cuda-nvrtc", nullptr, ""};
static nvrtc_functions nvrtc;
static bool nvrtc_found;

static void open_nvrtc()
{
    nvrtc_found = ga_library_open(&library) && ga_library_find(&library, "nvrtcCreateProgram", &nvrtc.create)
                  && ga_library_find(&library, "nvrtcDestroyProgram", &nvrtc.destroy)
                  && ga_library_find(&library, "nvrtcAddNameExpression", &nvrtc.add_expression)
                  && ga_library_find(&library, "nvrtcGetLoweredName", &nvrtc.get_mangled)
                  && ga_library_find(&library, "nvrtcCompileProgram", &nvrtc.compile)
                  && ga_library_find(&library, "nvrtcGetCUBINSize", &nvrtc.get_size)
                  && ga_library_find(&library, "nvrtcGetCUBIN", &nvrtc.get_code)
                  && ga_library_find(&library, "nvrtcGetProgramLogSize", &nvrtc.get_log_size)
                  && ga_library_find(&library, "nvrtcGetProgramLog", &nvrtc.get_log)
                  && ga_library_find(&library, "nvrtcGetErrorString", &nvrtc.describe);
}

static int check_nvrtc(int result, const char *what)
{
    if (result == nvrtc_success)
        return 0;
    return ga_kernel_fail(GA_ERR_VALUE, "%s: NVRTC says %s", what, nvrtc.describe(result));
}

static void copy_log(nvrtc_handle program, const ga_program_source *source)
{
    size_t length = 0;
    if (source->log_size == 0 || nvrtc.get_log_size(program, &length) != nvrtc_success)
        return;
    char *whole = static_cast<char *>(calloc(1, length + 1));
    if (whole && nvrtc.get_log(program, whole) == nvrtc_success)
        snprintf(source->log, source->log_size, "%s", whole);
    free(whole);
}

static int compile(nvrtc_handle program, const ga_program_source *source)
{
    for (int32_t i = 0; i < source->nexpressions; i++)
        if (check_nvrtc(nvrtc.add_expression(program, source->expressions[i]), source->expressions[i]))
            return -1;
    int result = nvrtc.compile(program, source->noptions, source->options);
    copy_log(program, source);
    return check_nvrtc(result, "compiling a program");
}

/* ---- loading ---- */

static int load(nvrtc_handle program, ga_program *out)
{
    size_t nbytes;
    if (check_nvrtc(nvrtc.get_size(program, &nbytes), "the code of a program"))
        return -1;
    char *code = static_cast<char *>(malloc(nbytes));
    int status = code ? check_nvrtc(nvrtc.get_code(program, code), "the code of a program")
                      : ga_kernel_fail(GA_ERR_MEMORY, "no memory for the code of a program");
    if (status == 0)
        status = ga_cuda_check(cudaLibraryLoadData(&out->library, code, nullptr, nullptr, 0, nullptr, nullptr, 0),
                               "loading a program");
    free(code);
    return status;
}

/* The names under which the instantiations are found. */
static int keep_names(nvrtc_handle program, const ga_program_source *source, ga_program *out)
{
    size_t count = size_t(source->nexpressions);
    out->expressions = static_cast<char **>(calloc(count + 1, sizeof(char *)));
    out->mangled = static_cast<char **>(calloc(count + 1, sizeof(char *)));
    if (!out->expressions || !out->mangled)
        return ga_kernel_fail(GA_ERR_MEMORY, "no memory for the names of a program");
    for (int32_t i = 0; i < source->nexpressions; i++) {
        const char *mangled;
        if (check_nvrtc(nvrtc.get_mangled(program, source->expressions[i], &mangled), source->expressions[i]))
            return -1;
        out->count = i + 1;
        out->expressions[i] = strdup(source->expressions[i]);
        out->mangled[i] = strdup(mangled);
        if (!out->expressions[i] || !out->mangled[i])
            return ga_kernel_fail(GA_ERR_MEMORY, "no memory for the names of a program");
    }
    return 0;
}

static int make(const ga_program_source *source, ga_program *out)
{
    nvrtc_handle program;
    if (check_nvrtc(nvrtc.create(&program, source->source, "program.cu", 0, nullptr, nullptr), "making a program"))
        return -1;
    int status = compile(program, source);
    status = status ? status : keep_names(program, source, out);
    status = status ? status : load(program, out);
    nvrtc.destroy(&program);
    return status;
}

int ga_program_make(const ga_program_source *source, ga_program **out)
{
    pthread_once(&once, open_nvrtc);
    if (!nvrtc_found)
        return ga_kernel_fail(GA_ERR_DEVICE, "kernels of the user's own: NVRTC was %s", library.reason);
    if (ga_cuda_enter(source->device))
        return -1;
    ga_program *made = static_cast<ga_program *>(calloc(1, sizeof *made));
    if (!made)
        return ga_kernel_fail(GA_ERR_MEMORY, "no memory for a program");
    made->device = source->device;
    if (make(source, made)) {
        ga_program_free(made);
        return -1;
    }
    *out = made;
    return 0;
}

/* Work under way may still run the code. */
void ga_program_free(ga_program *program)
{
    if (program->library && ga_cuda_enter(program->device) == 0) {
        cudaDeviceSynchronize();
        cudaLibraryUnload(program->library);
    }
    for (int32_t i = 0; i < program->count; i++) {
        free(program->expressions[i]);
        free(program->mangled[i]);
    }
    free(program->expressions);
    free(program->mangled);
    free(program);
}

/* ---- kernels ---- */

static int find_kernel(const ga_program *program, const char *name, cudaKernel_t *kernel)
{
    const char *known = name;
    for (int32_t i = 0; i < program->count; i++)
        if (strcmp(program->expressions[i], name) == 0)
            known = program->mangled[i];
    if (cudaLibraryGetKernel(kernel, program->library, known) == cudaSuccess)
        return 0;
    cudaGetLastError(); /* it would be met by the next check */
    return ga_kernel_fail(GA_ERR_VALUE,
                          "the program has no kernel '%.200s': declare it extern \"C\", or name it as an expression", name);
}

int ga_program_find(ga_program *program, const char *name)
{
    cudaKernel_t kernel;
    return ga_cuda_enter(program->device) ? -1 : find_kernel(program, name, &kernel);
}

int ga_program_run(const ga_program_launch *launch, ga_stream *stream)
{
    cudaKernel_t kernel;
    dim3 grid(launch->grid[0], launch->grid[1], launch->grid[2]);
    dim3 block(launch->block[0], launch->block[1], launch->block[2]);
    if (ga_cuda_enter(launch->program->device) || find_kernel(launch->program, launch->name, &kernel))
        return -1;
    const void *function = reinterpret_cast<const void *>(kernel);
    if (launch->shared_nbytes > 48 * 1024
        && ga_cuda_check(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                              int(launch->shared_nbytes)),
                         "asking for shared memory"))
        return -1;
    return ga_cuda_check(cudaLaunchKernel(function, grid, block, launch->arguments, launch->shared_nbytes, stream->handle),
                         launch->name);
}

int ga_program_map(ga_program *program, const char *name, int64_t blocks, int threads, const void *parameter,
                   ga_stream *stream)
{
    const void *parameters[] = {parameter};
    if (!program->mapped && (ga_cuda_enter(program->device) || find_kernel(program, name, &program->mapped)))
        return -1;
    return ga_runtime_launch(name, reinterpret_cast<const void *>(program->mapped), blocks, threads, stream, parameters);
}

/* The CPU device compiles no programs. The pair of program_cuda.cc; includes program.h, runtime.cuh, slots.h. */
#include "program.h"
#include "runtime.cuh"
#include "slots.h"

static int refuse()
{
    return ga_kernel_fail(GA_ERR_UNSUPPORTED, "kernels of the user's own need a CUDA device: the CPU device has no compiler");
}

int ga_program_make(const ga_program_source *, ga_program **)
{
    return refuse();
}

int ga_program_find(ga_program *, const char *)
{
    return refuse();
}

int ga_program_run(const ga_program_launch *, ga_stream *)
{
    return refuse();
}

void ga_program_free(ga_program *) {}

int ga_program_map(ga_program *, const char *, int64_t, int, const void *, ga_stream *)
{
    return refuse();
}

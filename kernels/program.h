/* What program_cuda.cc and its pair do for other kernel files. Includes csrc/core/call/program.h only. */
#ifndef GA_PROGRAM_H
#define GA_PROGRAM_H

#include "../csrc/core/call/program.h"

/* Launches a kernel of one parameter, which begins with GA_AWAIT(). */
int ga_program_map(ga_program *program, const char *name, int64_t blocks, int threads, const void *parameter,
                   ga_stream *stream);

#endif

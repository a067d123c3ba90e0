/* A bad index, or a bad parameter, that a kernel met, and how it becomes an error (fault_cpu.cc | fault_cuda.cc).
 *
 * Kernels report into a record; the first report wins. On the CPU the call that launched them settles it and fails.
 * On CUDA the record lies in page-locked memory that the device writes to, one a device, and is looked at when the
 * core has waited for the device (the `fault` slot); what nobody saw is printed at exit. Includes runtime.cuh. */
#ifndef GA_FAULT_H
#define GA_FAULT_H

#include "runtime.cuh"

struct ga_fault {
    int32_t state;        /* 0: empty; 1: claimed by a thread; 2: filled */
    int32_t axis;         /* of the array */
    int64_t index, length; /* as given; of the axis */
    const char *function; /* static text of the host */
    /* Of a parameter: what is wrong with it, static text of the host (NULL: an index); the error's class; which call
     * of all. */
    const char *words;
    int32_t status;
    uint64_t call;
};

/* The record that kernels on `stream` report into. */
int ga_fault_record(ga_stream *stream, ga_fault **out);
/* After the kernels that validate: fails with what they reported where that can be known at once. */
int ga_fault_settle(ga_stream *stream);
/* Likewise of a parameter; waits for the stream, by way of eight bytes it has written, so that what call number `call`
 * reported fails now. */
int ga_fault_await(ga_stream *stream, const void *written, uint64_t call);

#endif

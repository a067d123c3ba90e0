/* Bad indices and parameters on CUDA. Owns a record for each device, in page-locked memory that the device writes to: after a wait
 * the host reads it like any other word, so that looking costs nothing. Includes fault.h and runtime_cuda.cuh. */
#include "fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "copies_cuda.h"
#include "runtime_cuda.cuh"

static const int most_devices = 64;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards record_of */
static volatile ga_fault *record_of[most_devices];       /* never freed: kernels may be under way */

static void describe_record(const volatile ga_fault *record, int device, char *text, size_t nbytes)
{
    if (record->words)
        snprintf(text, nbytes, "%s (in random.%s, an earlier call on cuda:%d)", record->words, record->function, device);
    else
        snprintf(text, nbytes, "index %lld is out of bounds for axis %d with size %lld (in %s, an earlier call on cuda:%d)",
                 (long long)record->index, int(record->axis), (long long)record->length, record->function, device);
}

/* What the program ended without seeing. */
static void print_records()
{
    char text[256];
    for (int device = 0; device < most_devices; device++) {
        if (!record_of[device] || record_of[device]->state != 2)
            continue;
        describe_record(record_of[device], device, text, sizeof text);
        fprintf(stderr, "gpuarray: %s\n", text);
    }
}

/* Page-locked memory is not there in a child process. */
static void forget_records()
{
    for (int device = 0; device < most_devices; device++)
        record_of[device] = nullptr;
}

static int make_record(int device)
{
    static bool registered;
    void *memory = nullptr;
    if (ga_cuda_check(cudaHostAlloc(&memory, sizeof(ga_fault), cudaHostAllocPortable | cudaHostAllocMapped),
                      "page-locking memory"))
        return -1;
    memset(memory, 0, sizeof(ga_fault));
    record_of[device] = static_cast<volatile ga_fault *>(memory);
    if (!registered)
        registered = atexit(print_records) == 0 && pthread_atfork(nullptr, nullptr, forget_records) == 0;
    return 0;
}

int ga_fault_record(ga_stream *stream, ga_fault **out)
{
    if (ga_cuda_enter(stream->device))
        return -1;
    int status = 0;
    pthread_mutex_lock(&lock);
    if (!record_of[stream->device])
        status = make_record(stream->device);
    *out = const_cast<ga_fault *>(record_of[stream->device]);
    pthread_mutex_unlock(&lock);
    return status;
}

/* Fails with `text`, and makes the record ready for the next report. */
static int fail_with_record(volatile ga_fault *record, const char *text)
{
    ga_status status = record->words ? ga_status(record->status) : GA_ERR_INDEX;
    record->words = nullptr;
    record->state = 0;
    return ga_kernel_fail(status, "%s", text);
}

int ga_fault_raise(int device)
{
    volatile ga_fault *record = record_of[device];
    char text[256];
    if (!record || record->state != 2)
        return 0;
    describe_record(record, device, text, sizeof text);
    return fail_with_record(record, text);
}

int ga_fault_settle(ga_stream *stream)
{
    const char *debug = getenv("GPUARRAY_DEBUG");
    return debug && strstr(debug, "sync") ? ga_fault_raise(stream->device) : 0;
}

int ga_fault_await(ga_stream *stream, const void *written, uint64_t call)
{
    uint32_t word;
    if (ga_cuda_peek(&word, written, sizeof word, stream))
        return -1;
    volatile ga_fault *record = record_of[stream->device];
    if (record && record->state == 2 && record->words && record->call == call)
        return fail_with_record(record, record->words);
    return ga_fault_raise(stream->device);
}

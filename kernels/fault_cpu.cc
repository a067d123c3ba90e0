/* Bad indices and parameters on the CPU: the launch is over when it returns, so the call fails at once, in NumPy's words. The record
 * is the calling thread's, since Python threads may run kernels at the same time. Includes fault.h. */
#include "fault.h"

#include "runtime.cuh"

static thread_local ga_fault record;

int ga_fault_record(ga_stream *, ga_fault **out)
{
    record.state = 0;
    *out = &record;
    return 0;
}

int ga_fault_settle(ga_stream *)
{
    if (!record.state)
        return 0;
    record.state = 0;
    if (record.words) {
        const char *words = record.words;
        record.words = nullptr;
        return ga_kernel_fail(ga_status(record.status), "%s", words);
    }
    return ga_kernel_fail(GA_ERR_INDEX, "index %lld is out of bounds for axis %d with size %lld",
                          (long long)record.index, int(record.axis), (long long)record.length);
}

int ga_fault_await(ga_stream *stream, const void *, uint64_t)
{
    return ga_fault_settle(stream);
}

int ga_fault_raise(int)
{
    return 0;
}

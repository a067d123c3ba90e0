/* The CPU as a device: its description, memory and copies. One device, number 0; nothing is asynchronous.
 * Threads are in threads_cpu.cc. Includes slots.h and runtime.cuh only. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime.cuh"
#include "slots.h"
#include "threads_cpu.h"

/* From this size on a block starts on a huge page, so that the system can back it with few page faults. */
static const size_t huge_page = size_t(1) << 21;

/* What the library was compiled for (GPUARRAY_CPU_ARCH) it cannot run without. */
int ga_runtime_probe(void)
{
    const char *lacks = NULL;
#if defined __AVX2__ && defined __FMA__
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        lacks = "AVX2";
#endif
#if defined __AVX512F__ && defined __AVX512BW__ && defined __AVX512DQ__ && defined __AVX512VL__
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl"))
        lacks = lacks ? lacks : "AVX-512";
#endif
    if (!lacks)
        return 0;
    return ga_kernel_fail(GA_ERR_DEVICE,
                          "the CPU backend was built for processors with %s, which this one lacks: build it here, or "
                          "with GPUARRAY_CPU_ARCH=x86-64",
                          lacks);
}

const char *ga_runtime_name(void)
{
    return "cpu";
}

const char *ga_runtime_build(void)
{
#if defined __clang__
    return "clang++ " __clang_version__;
#else
    return "g++ " __VERSION__;
#endif
}

int ga_runtime_device_count(int *out)
{
    *out = 1;
    return 0;
}

/* A figure of /proc/meminfo in bytes; 0 where it cannot be read. */
static int64_t read_meminfo(const char *key)
{
    FILE *file = fopen("/proc/meminfo", "re");
    char line[128];
    long long kilobytes = 0;
    size_t length = strlen(key);
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, key, length) && sscanf(line + length, " %lld", &kilobytes) == 1)
            break;
    if (file)
        fclose(file);
    return int64_t(kilobytes) * 1024;
}

static void read_model(char *out, size_t nbytes)
{
    FILE *file = fopen("/proc/cpuinfo", "re");
    char line[256];
    snprintf(out, nbytes, "CPU");
    while (file && fgets(line, sizeof line, file)) {
        const char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) || !value)
            continue;
        snprintf(out, nbytes, "%.*s", int(strcspn(value + 2, "\n")), value + 2);
        break;
    }
    if (file)
        fclose(file);
}

int ga_runtime_device_info(int device, ga_device_info *out)
{
    if (device != 0)
        return ga_kernel_fail(GA_ERR_VALUE, "there is one CPU device, numbered 0; got %d", device);
    memset(out, 0, sizeof *out);
    read_model(out->name, sizeof out->name);
    out->total_memory = int64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
    out->free_memory = read_meminfo("MemAvailable:");
    out->multiprocessors = ga_threads_count();
    return 0;
}

/* Systems that overcommit promise memory they do not have and kill the process when it is touched: refuse what
 * cannot be there. */
static bool exceeds_machine(size_t nbytes)
{
    if (nbytes < huge_page * 256)
        return false;
    uint64_t total = uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE));
    return nbytes > total + uint64_t(read_meminfo("SwapTotal:"));
}

int ga_runtime_alloc(size_t nbytes, ga_stream *, void **out)
{
    *out = nullptr;
    if (nbytes == 0)
        return 0;
    bool huge = nbytes >= huge_page;
    if (exceeds_machine(nbytes) || posix_memalign(out, huge ? huge_page : 64, nbytes) != 0) {
        *out = nullptr;
        return ga_kernel_fail(GA_ERR_MEMORY, "the CPU has no %zu bytes of memory left", nbytes);
    }
    if (huge)
        madvise(*out, nbytes & ~(huge_page - 1), MADV_HUGEPAGE); /* advice: a refusal changes nothing */
    return 0;
}

int ga_runtime_free(void *ptr, ga_stream *)
{
    free(ptr);
    return 0;
}

int ga_runtime_trim(int)
{
    return 0; /* nothing is cached here; the core's free lists are its own */
}

struct copy_job {
    char *dst;
    const char *src;
    size_t nbytes;
};

static const size_t copy_chunk = size_t(1) << 20;

static void copy_piece(void *context, int64_t piece)
{
    const copy_job *job = static_cast<const copy_job *>(context);
    size_t start = size_t(piece) * copy_chunk;
    size_t left = job->nbytes - start;
    memcpy(job->dst + start, job->src + start, left < copy_chunk ? left : copy_chunk);
}

int ga_runtime_copy(void *dst, const void *src, size_t nbytes, enum ga_copy_kind, ga_stream *)
{
    copy_job job = {static_cast<char *>(dst), static_cast<const char *>(src), nbytes};
    bool apart = job.dst + nbytes <= job.src || job.src + nbytes <= job.dst;
    if (nbytes == 0)
        return 0;
    if (!apart || nbytes < 4 * copy_chunk)
        memmove(dst, src, nbytes);
    else
        ga_runtime_parallel(int64_t((nbytes + copy_chunk - 1) / copy_chunk), copy_piece, &job);
    return 0;
}

int ga_runtime_copy_peer(void *dst, ga_stream *stream, const void *src, ga_stream *, size_t nbytes)
{
    return ga_runtime_copy(dst, src, nbytes, GA_COPY_ON_DEVICE, stream);
}

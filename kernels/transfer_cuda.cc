/* Large copies between the device and pageable host memory. Owns ga_cuda_transfer, its threads and page-locked buffers.
 *
 * CUDA copies pageable memory through a page-locked buffer of its own with one thread, at a fraction of what the bus
 * carries. Here a standing pool of threads does it. Each has two buffers: it claims the next chunk from a counter, moves
 * it between host memory and a buffer, and puts the copy between buffer and device on the caller's stream, which orders
 * it with all other work. Upwards a thread fills one buffer while the other travels; downwards it asks for a
 * chunk more before it empties the one that has come. Chunks end on multiples of a huge page in host memory, so that
 * fresh memory is touched first by the threads, in parallel, and no two in one page.
 *
 * - A buffer remembers the event behind its last copy and is not touched before that has happened; upwards a call
 *   returns while the last buffers still travel.
 * - One call at a time; another takes the plain way meanwhile, and so do machines of few processors, where CUDA's own
 *   thread is as good, and memory that is page-locked already.
 * - CUDA's errors are kept by number in the job and recorded by the caller, since messages belong to a thread.
 * - Threads are started when a call has work for them and never joined; they block all signals. A forked child never gets here
 *   (ga_cuda_enter). Includes copies_cuda.h. */
#include <atomic>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "copies_cuda.h"

static const int most_devices = 64;
static const int most_threads = 8;
static const int least_threads = 2;
static const size_t chunk_size = size_t(2) << 20; /* a huge page */
static const size_t least_size = size_t(4) << 20;

struct transfer_buffer {
    char *bytes;
    cudaEvent_t last;             /* behind the last copy; NULL before the first */
    cudaEvent_t of[most_devices]; /* made when a device first uses the buffer */
};

struct transfer_job {
    char *host, *device;
    size_t nbytes;
    size_t head; /* bytes of the first chunk */
    size_t chunks;
    bool up;
    int device_number;
    cudaStream_t stream;
    std::atomic<size_t> next;
    std::atomic<int> error; /* the first cudaError_t */
};

struct transfer_pool {
    pthread_mutex_t caller; /* held during a call */
    pthread_mutex_t lock;   /* guards open, active and jobs */
    pthread_cond_t wake, idle;
    bool open;  /* the job may be joined */
    int active; /* threads in it besides the caller */
    unsigned jobs;
    int threads; /* that take part, the caller's among them */
    int limit;   /* of threads; 0 before the first call */
    transfer_job job;
    transfer_buffer buffers[most_threads][2];
};

static transfer_pool pool = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER,
                             PTHREAD_COND_INITIALIZER};

/* ---- one chunk ---- */

static bool note(cudaError_t error)
{
    int none = cudaSuccess;
    if (error == cudaSuccess)
        return true;
    cudaGetLastError();
    pool.job.error.compare_exchange_strong(none, error);
    return false;
}

/* Bytes of chunk i and where they begin; none behind the last. */
static size_t locate_chunk(size_t i, size_t *start)
{
    const transfer_job &job = pool.job;
    *start = i == 0 ? 0 : job.head + (i - 1) * chunk_size;
    size_t left = i < job.chunks ? job.nbytes - *start : 0, most = i == 0 ? job.head : chunk_size;
    return left < most ? left : most;
}

/* The next chunk nobody has taken; 0 bytes when all are, or after an error. */
static size_t claim_chunk(size_t *start)
{
    if (pool.job.error.load(std::memory_order_relaxed) != cudaSuccess)
        return 0;
    return locate_chunk(pool.job.next.fetch_add(1, std::memory_order_relaxed), start);
}

static bool await_buffer(const transfer_buffer *buffer)
{
    return !buffer->last || note(cudaEventSynchronize(buffer->last));
}

/* Puts the copy between buffer and device on the stream, and an event behind it. */
static bool send_chunk(transfer_buffer *buffer, size_t start, size_t nbytes)
{
    const transfer_job &job = pool.job;
    char *device = job.device + start;
    cudaEvent_t *event = &buffer->of[job.device_number];
    if (!*event && !note(cudaEventCreateWithFlags(event, cudaEventDisableTiming)))
        return false;
    if (!note(job.up ? cudaMemcpyAsync(device, buffer->bytes, nbytes, cudaMemcpyHostToDevice, job.stream)
                     : cudaMemcpyAsync(buffer->bytes, device, nbytes, cudaMemcpyDeviceToHost, job.stream)))
        return false;
    buffer->last = *event;
    return note(cudaEventRecord(*event, job.stream));
}

/* ---- one thread's part ---- */

static void carry_up(transfer_buffer *buffers)
{
    size_t start, nbytes;
    for (int k = 0; (nbytes = claim_chunk(&start)) > 0; k = 1 - k) {
        if (!await_buffer(&buffers[k]))
            return;
        memcpy(buffers[k].bytes, pool.job.host + start, nbytes);
        if (!send_chunk(&buffers[k], start, nbytes))
            return;
    }
}

/* Asks for the next chunk; its bytes, 0 where there is none. */
static size_t ask_down(transfer_buffer *buffer, size_t *start)
{
    size_t nbytes = claim_chunk(start);
    return nbytes > 0 && await_buffer(buffer) && send_chunk(buffer, *start, nbytes) ? nbytes : 0;
}

static void carry_down(transfer_buffer *buffers)
{
    size_t start[2], nbytes[2];
    nbytes[0] = ask_down(&buffers[0], &start[0]);
    for (int k = 0; nbytes[k] > 0; k = 1 - k) {
        nbytes[1 - k] = ask_down(&buffers[1 - k], &start[1 - k]);
        if (!await_buffer(&buffers[k]))
            return;
        memcpy(pool.job.host + start[k], buffers[k].bytes, nbytes[k]);
    }
}

static void take_part(int thread)
{
    if (!note(cudaSetDevice(pool.job.device_number)))
        return;
    if (pool.job.up)
        carry_up(pool.buffers[thread]);
    else
        carry_down(pool.buffers[thread]);
}

/* ---- the pool ---- */

static void *run_thread(void *argument)
{
    int thread = int(reinterpret_cast<intptr_t>(argument));
    unsigned seen = 0;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (!pool.open || pool.jobs == seen)
            pthread_cond_wait(&pool.wake, &pool.lock);
        seen = pool.jobs;
        pool.active++;
        pthread_mutex_unlock(&pool.lock);
        take_part(thread);
        pthread_mutex_lock(&pool.lock);
        if (--pool.active == 0)
            pthread_cond_signal(&pool.idle);
    }
    return nullptr;
}

static int count_processors()
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

static bool make_buffers(int thread)
{
    for (transfer_buffer &buffer : pool.buffers[thread]) {
        void *memory = nullptr;
        if (!buffer.bytes && cudaHostAlloc(&memory, chunk_size, cudaHostAllocPortable) == cudaSuccess)
            buffer.bytes = static_cast<char *>(memory);
        if (!buffer.bytes) {
            cudaGetLastError();
            return false;
        }
    }
    return true;
}

/* Half of the processors; 1 where that is not worth it. */
static int choose_limit()
{
    int half = count_processors() / 2;
    return half < least_threads ? 1 : half < most_threads ? half : most_threads;
}

/* As many threads with buffers as the job has work for and can be had; the first is the caller. */
static void add_threads(size_t chunks)
{
    pthread_t handle;
    sigset_t all, before;
    if (pool.limit == 0)
        pool.limit = choose_limit();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool.threads < pool.limit && size_t(pool.threads) < chunks) {
        void *number = reinterpret_cast<void *>(intptr_t(pool.threads));
        if (!make_buffers(pool.threads)
            || (pool.threads > 0 && pthread_create(&handle, nullptr, run_thread, number) != 0)) {
            pool.limit = pool.threads;
            break;
        }
        if (pool.threads++ > 0)
            pthread_detach(handle);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

static void run_job()
{
    pthread_mutex_lock(&pool.lock);
    pool.open = true;
    pool.jobs++;
    pthread_cond_broadcast(&pool.wake);
    pthread_mutex_unlock(&pool.lock);
    take_part(0);
    pthread_mutex_lock(&pool.lock);
    pool.open = false;
    while (pool.active > 0)
        pthread_cond_wait(&pool.idle, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
}

static void describe_job(void *dst, const void *src, size_t nbytes, bool up, const ga_stream *stream)
{
    transfer_job &job = pool.job;
    job.up = up;
    job.host = up ? static_cast<char *>(const_cast<void *>(src)) : static_cast<char *>(dst);
    job.device = up ? static_cast<char *>(dst) : static_cast<char *>(const_cast<void *>(src));
    job.nbytes = nbytes;
    job.head = chunk_size - reinterpret_cast<uintptr_t>(job.host) % chunk_size;
    job.chunks = 1 + (nbytes - job.head + chunk_size - 1) / chunk_size;
    job.device_number = stream->device;
    job.stream = stream->handle;
    job.next.store(0);
    job.error.store(cudaSuccess);
}

/* Whether CUDA would have to go through a buffer of its own. */
static bool is_pageable(const void *host)
{
    cudaPointerAttributes attributes;
    if (cudaPointerGetAttributes(&attributes, host) == cudaSuccess)
        return attributes.type == cudaMemoryTypeUnregistered;
    cudaGetLastError();
    return false;
}

int ga_cuda_transfer(void *dst, const void *src, size_t nbytes, enum ga_copy_kind kind, ga_stream *stream)
{
    bool up = kind == GA_COPY_TO_DEVICE;
    if (nbytes < least_size || !is_pageable(up ? src : dst) || pthread_mutex_trylock(&pool.caller) != 0)
        return 1;
    int status = 1;
    describe_job(dst, src, nbytes, up, stream);
    if (pool.limit != 1)
        add_threads(pool.job.chunks);
    if (pool.threads >= least_threads) {
        run_job();
        status = ga_cuda_check(static_cast<cudaError_t>(pool.job.error.load()),
                               up ? "copying to the device" : "copying to the host");
    }
    pthread_mutex_unlock(&pool.caller);
    return status;
}

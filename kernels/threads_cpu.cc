/* A standing pool of threads for ga_runtime_parallel. Owns the pool; includes runtime.cuh and threads_cpu.h only.
 *
 * A call publishes one job (a function and a number of pieces); whoever takes part claims pieces from an atomic
 * counter until none is left. The caller works too, so the call ends even if no worker wakes up. Which thread runs a
 * piece is chance: a piece writes only what is its own, therefore results never depend on the number of threads.
 *
 * - One job at a time. A second caller, and a call from inside a piece, run their pieces on their own thread.
 * - Threads start at the first parallel call. Nothing is joined: at process exit they sleep in pthread_cond_wait, and
 *   only types without destructors are used, so there is nothing to tear down under them.
 * - fork() leaves the child without workers and maybe with a held lock: the child starts from a fresh pool.
 * - GPUARRAY_CPU_THREADS sets the number of threads; otherwise it is the number of CPUs this process may run on. It is
 *   read once, at the first parallel call. */
#include <atomic>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "runtime.cuh"
#include "threads_cpu.h"

static const int most_threads = 256;
static const int spins = 2000; /* about 20 us: calls in a row find the workers awake */

struct pool_state {
    pthread_mutex_t caller; /* held by the thread whose job it is */
    pthread_mutex_t lock;   /* guards what follows but the atomics */
    pthread_cond_t wake, idle;
    void (*body)(void *context, int64_t piece); /* NULL: no job to join */
    void *context;
    int64_t pieces;
    int workers; /* started */
    int active;  /* workers inside the job */
    std::atomic<int64_t> next;
    std::atomic<uint32_t> jobs; /* published so far */
};

static pool_state pool = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER,
                          PTHREAD_COND_INITIALIZER,  nullptr, nullptr, 0, 0, 0, {0}, {0}};
static std::atomic<int> chosen_threads{0};
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
static thread_local bool inside_piece;

static int choose_threads()
{
    const char *wish = getenv("GPUARRAY_CPU_THREADS");
    int count = wish ? atoi(wish) : 0;
    cpu_set_t set;
    if (count < 1)
        count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count < 1 ? 1 : count > most_threads ? most_threads : count;
}

int ga_threads_count(void)
{
    int count = chosen_threads.load(std::memory_order_relaxed);
    if (count == 0) {
        count = choose_threads();
        chosen_threads.store(count, std::memory_order_relaxed);
    }
    return count;
}

static void relax_cpu()
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#endif
}

static void work_through(void (*body)(void *, int64_t), void *context, int64_t pieces)
{
    inside_piece = true;
    for (int64_t piece; (piece = pool.next.fetch_add(1, std::memory_order_relaxed)) < pieces;)
        body(context, piece);
    inside_piece = false;
}

/* Returns when there may be a job newer than `seen`. */
static void await_job(uint32_t seen)
{
    for (int i = 0; i < spins; i++) {
        if (pool.jobs.load(std::memory_order_acquire) != seen)
            return;
        relax_cpu();
    }
    pthread_mutex_lock(&pool.lock);
    while (pool.jobs.load(std::memory_order_relaxed) == seen)
        pthread_cond_wait(&pool.wake, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
}

/* Takes part in the job that is published, if it is still open. */
static uint32_t join_job()
{
    pthread_mutex_lock(&pool.lock);
    uint32_t seen = pool.jobs.load(std::memory_order_relaxed);
    void (*body)(void *, int64_t) = pool.body;
    void *context = pool.context;
    int64_t pieces = pool.pieces;
    pool.active += body != nullptr;
    pthread_mutex_unlock(&pool.lock);
    if (!body)
        return seen;
    work_through(body, context, pieces);
    pthread_mutex_lock(&pool.lock);
    if (--pool.active == 0)
        pthread_cond_signal(&pool.idle);
    pthread_mutex_unlock(&pool.lock);
    return seen;
}

static void *run_worker(void *)
{
    for (uint32_t seen = 0;;) {
        await_job(seen);
        seen = join_job();
    }
    return nullptr;
}

static void reset_after_fork()
{
    pthread_mutex_init(&pool.caller, nullptr);
    pthread_mutex_init(&pool.lock, nullptr);
    pthread_cond_init(&pool.wake, nullptr);
    pthread_cond_init(&pool.idle, nullptr);
    pool.body = nullptr;
    pool.workers = pool.active = 0;
    pool.jobs.store(0, std::memory_order_relaxed);
    inside_piece = false;
}

static void watch_fork()
{
    pthread_atfork(nullptr, nullptr, reset_after_fork);
}

/* Called with pool.caller held. A thread that cannot be started is done without: the caller works anyway. Signals are
 * blocked in workers, because Python wants them in its own threads. */
static void start_workers(int wanted)
{
    sigset_t all, before;
    pthread_once(&fork_once, watch_fork);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (pthread_t thread; pool.workers < wanted; pool.workers++) {
        if (pthread_create(&thread, nullptr, run_worker, nullptr) != 0)
            break;
        pthread_detach(thread);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

static void publish_job(void (*body)(void *, int64_t), void *context, int64_t pieces)
{
    pthread_mutex_lock(&pool.lock);
    pool.body = body;
    pool.context = context;
    pool.pieces = pieces;
    pool.next.store(0, std::memory_order_relaxed);
    pool.jobs.fetch_add(1, std::memory_order_release);
    pthread_cond_broadcast(&pool.wake);
    pthread_mutex_unlock(&pool.lock);
}

/* Closes the job to late workers and waits for those inside. */
static void finish_job()
{
    pthread_mutex_lock(&pool.lock);
    pool.body = nullptr;
    while (pool.active > 0)
        pthread_cond_wait(&pool.idle, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
}

static bool claim_pool(int64_t pieces)
{
    return pieces > 1 && !inside_piece && ga_threads_count() > 1 && pthread_mutex_trylock(&pool.caller) == 0;
}

void ga_runtime_parallel(int64_t pieces, void (*body)(void *context, int64_t piece), void *context)
{
    if (!claim_pool(pieces)) {
        for (int64_t piece = 0; piece < pieces; piece++)
            body(context, piece);
        return;
    }
    start_workers(ga_threads_count() - 1);
    publish_job(body, context, pieces);
    work_through(body, context, pieces);
    finish_job();
    pthread_mutex_unlock(&pool.caller);
}

/* Reading one element back from the device, the wait that `float(x.sum())` is made of. Owns
 * ga_cuda_peek and its slots.
 *
 * A kernel of one block writes the element into page-locked memory, and the host looks there until
 * it has come: that is sooner than a copy and a wait for the stream, which go through the driver
 * twice. An element travels as words of four bytes, each beside a ticket that is another at each
 * use. Word and ticket are written by one store and read by one load of eight aligned bytes, so
 * that a word whose ticket is right is right itself, in whatever order they arrive. The fence
 * before the stores brings what earlier kernels of the stream wrote to the host (a bad index) there
 * first.
 *
 * Nothing arrives from a device that has failed, and work ahead in the stream may be long: after a
 * while the host waits for the stream instead, which says what is wrong. Slots go back to a list
 * after use; one whose wait failed never does, since the kernel may still write to it. Includes
 * copies_cuda.h, port.cuh. */
#include <string.h>
#include <time.h>

#include "copies_cuda.h"
#include "port.cuh"

static const int words = GA_PEEK_BYTES / 4;
static const int slots_together = 32;         /* made at a time */
static const int64_t patience = 200 * 1000;   /* ns of looking before the stream is waited for */
static const int looks = 64;                  /* between two looks at the clock */

struct alignas(64) peek_slot {
    uint64_t word[words]; /* four bytes, and the ticket above them; written by the device */
    peek_slot *next;
    uint32_t ticket; /* of the use under way */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards unused */
static peek_slot *unused; /* page-locked for all devices; never freed */

GA_KERNEL write_words(volatile uint64_t *to, uint32_t ticket, const uint8_t *from, int nbytes)
{
    GA_AWAIT();
    int first = 4 * int(threadIdx.x);
    if (first >= nbytes)
        return;
    uint32_t word = 0;
    for (int i = 0; i < 4 && first + i < nbytes; i++)
        word |= uint32_t(from[first + i]) << 8 * i;
    __threadfence_system();
    to[threadIdx.x] = uint64_t(ticket) << 32 | word;
}

/* Adds slots to the list; false where memory cannot be page-locked. */
static bool make_slots()
{
    void *memory = nullptr;
    if (cudaHostAlloc(&memory, slots_together * sizeof(peek_slot), cudaHostAllocPortable | cudaHostAllocMapped)
        != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    memset(memory, 0, slots_together * sizeof(peek_slot));
    peek_slot *slots = static_cast<peek_slot *>(memory);
    for (int i = 0; i < slots_together; i++) {
        slots[i].next = unused;
        unused = &slots[i];
    }
    return true;
}

static peek_slot *take_slot()
{
    pthread_mutex_lock(&lock);
    peek_slot *slot = unused || make_slots() ? unused : nullptr;
    if (slot)
        unused = slot->next;
    pthread_mutex_unlock(&lock);
    return slot;
}

static void return_slot(peek_slot *slot)
{
    pthread_mutex_lock(&lock);
    slot->next = unused;
    unused = slot;
    pthread_mutex_unlock(&lock);
}

/* Whether all words of this use have come; they are then in `bytes`. */
static bool read_words(peek_slot *slot, int nbytes, uint8_t *bytes)
{
    for (int k = 0; 4 * k < nbytes; k++) {
        uint64_t word = __atomic_load_n(&slot->word[k], __ATOMIC_ACQUIRE);
        uint32_t value = uint32_t(word);
        if (uint32_t(word >> 32) != slot->ticket)
            return false;
        memcpy(bytes + 4 * k, &value, 4);
    }
    return true;
}

static int64_t read_clock()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return int64_t(now.tv_sec) * 1000000000 + now.tv_nsec;
}

static void relax_cpu()
{
#if defined __x86_64__
    __builtin_ia32_pause();
#endif
}

static bool look_patiently(peek_slot *slot, int nbytes, uint8_t *bytes)
{
    int64_t end = read_clock() + patience;
    do {
        for (int i = 0; i < looks; i++) {
            if (read_words(slot, nbytes, bytes))
                return true;
            relax_cpu();
        }
    } while (read_clock() < end);
    return false;
}

static int await_words(peek_slot *slot, int nbytes, uint8_t *bytes, ga_stream *stream)
{
    if (look_patiently(slot, nbytes, bytes))
        return 0;
    if (ga_cuda_check(cudaStreamSynchronize(stream->handle), "waiting for the device"))
        return -1;
    if (read_words(slot, nbytes, bytes))
        return 0;
    return ga_kernel_fail(GA_ERR_DEVICE, "an element read back from the device did not arrive");
}

int ga_cuda_peek(void *dst, const void *src, size_t nbytes, ga_stream *stream)
{
    uint8_t bytes[GA_PEEK_BYTES];
    peek_slot *slot = nbytes <= GA_PEEK_BYTES ? take_slot() : nullptr;
    if (!slot)
        return 1;
    slot->ticket = slot->ticket + 1 ? slot->ticket + 1 : 1; /* a slot begins with zeros */
    if (ga_launch(write_words, 1, stream, slot->word, slot->ticket, static_cast<const uint8_t *>(src), int(nbytes))
        || await_words(slot, int(nbytes), bytes, stream))
        return -1;
    return_slot(slot);
    memcpy(dst, bytes, nbytes);
    return 0;
}

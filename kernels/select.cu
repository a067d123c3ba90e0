/* Compaction by a mask: the positions, or the elements, at which bytes are not zero. Owns
 * ga_select_run.
 *
 * Three kernels: each tile of the mask counts its true bytes; one block turns the counts into
 * where each tile's part of the result begins; each tile lists its true bytes in shared memory,
 * and all threads together write what the list names, so that both reads and writes are of
 * neighbours. The order is that of the mask whatever the device does. Includes port.cuh and
 * slots.h. */
#include "port.cuh"
#include "slots.h"

static const int tile_size = GA_SELECT_TILE;
static const int thread_share = GA_SELECT_TILE / GA_BLOCK; /* consecutive bytes of a thread */

/* Sum of `mine` over the threads before this one, and over all. */
template <class T>
GA_FN T
sum_before(T mine, T *total)
{
    GA_SHARED T sums[GA_BLOCK];
    sums[GA_THREAD] = mine;
    GA_SYNC();
    for (int distance = 1; distance < GA_BLOCK; distance *= 2) {
        T other = GA_THREAD >= distance ? sums[GA_THREAD - distance] : T(0);
        GA_SYNC();
        sums[GA_THREAD] += other;
        GA_SYNC();
    }
    *total = sums[GA_BLOCK - 1];
    return sums[GA_THREAD] - mine;
}

static const int word = 8; /* bytes looked at together */

/* A 1 in each of eight bytes of the mask that is not zero; those behind its end are. */
GA_FN uint64_t
true_bytes(const uint8_t *mask, int64_t at, int64_t size)
{
    const uint64_t ones = 0x0101010101010101, low = 0x7f7f7f7f7f7f7f7f;
    uint64_t x = 0;
    if (at + word <= size && GA_BLOCK == 1)
        memcpy(&x, mask + at, word);
    else if (at + word <= size && (uintptr_t(mask + at) & (word - 1)) == 0)
        x = *reinterpret_cast<const uint64_t *>(mask + at);
    else
        for (int i = 0; i < word && at + i < size; i++)
            x |= uint64_t(mask[at + i]) << 8 * i;
    return (((x & low) + low) | x) >> 7 & ones;
}

GA_FN int
count_ones(uint64_t truth)
{
    return int(truth * 0x0101010101010101 >> 56);
}

/* Where this thread's share of the tile begins, and how many true bytes are in it. */
GA_FN int
count_share(const uint8_t *mask, int64_t size, int64_t *first)
{
    int mine = 0;
    *first = GA_BLOCK_ID * tile_size + GA_THREAD * thread_share;
    for (int i = 0; i < thread_share; i += word)
        mine += count_ones(true_bytes(mask, *first + i, size));
    return mine;
}

GA_KERNEL
select_count(const uint8_t *mask, int64_t size, int64_t *tiles)
{
    GA_AWAIT();
    int64_t first;
    int total;
    sum_before(count_share(mask, size, &first), &total);
    if (GA_THREAD == 0)
        tiles[GA_BLOCK_ID] = total;
}

/* Counts to starts, in place, by one block; the entry behind the last is the sum of all. */
GA_KERNEL
select_scan(int64_t *tiles, int64_t ntiles)
{
    GA_AWAIT();
    int64_t share = (ntiles + GA_BLOCK - 1) / GA_BLOCK;
    int64_t first = GA_THREAD * share, last = first + share < ntiles ? first + share : ntiles;
    int64_t mine = 0, total;
    for (int64_t i = first; i < last; i++)
        mine += tiles[i];
    int64_t start = sum_before(mine, &total);
    for (int64_t i = first; i < last; i++) {
        int64_t count = tiles[i];
        tiles[i] = start;
        start += count;
    }
    if (GA_THREAD == 0)
        tiles[ntiles] = total;
}

/* The tile's true bytes, in order, as offsets in it; returns how many. A thread alone writes every
 * offset where the next one belongs, which costs no branch. */
GA_FN int
list_tile(const uint8_t *mask, int64_t size, uint16_t *list)
{
    int64_t first;
    int total, at = sum_before(count_share(mask, size, &first), &total);
    for (int i = 0; i < thread_share; i += word) {
        uint64_t truth = true_bytes(mask, first + i, size);
        for (int k = 0; k < word; k++) {
            bool is_true = truth >> 8 * k & 1;
            if (GA_BLOCK == 1 || is_true)
                list[at] = uint16_t(GA_THREAD * thread_share + i + k);
            at += is_true;
        }
    }
    GA_SYNC();
    return total;
}

template <class T>
GA_KERNEL
select_elements(const uint8_t *mask, int64_t size, const int64_t *tiles, const T *src, T *dst)
{
    GA_AWAIT();
    GA_SHARED uint16_t list[tile_size + 1];
    int total = list_tile(mask, size, list);
    const T *from = src + GA_BLOCK_ID * tile_size;
    T *to = dst + tiles[GA_BLOCK_ID];
    for (int i = GA_THREAD; i < total; i += GA_BLOCK)
        to[i] = from[list[i]];
}

GA_KERNEL
select_positions(GA_PARAM ga_select_call call)
{
    GA_AWAIT();
    GA_SHARED uint16_t list[tile_size + 1];
    int total = list_tile(call.mask, call.size, list);
    int64_t *to = static_cast<int64_t *>(call.dst) + call.tiles[GA_BLOCK_ID];
    for (int i = GA_THREAD; i < total; i += GA_BLOCK) {
        int64_t flat = GA_BLOCK_ID * tile_size + list[i];
        for (int d = call.ndim - 1; d > 0; d--) {
            int64_t rest = flat / call.shape[d];
            to[d * call.count + i] = flat - rest * call.shape[d];
            flat = rest;
        }
        to[i] = flat;
    }
}

template <class T>
static int
write_elements(const ga_select_call *call, int64_t ntiles, ga_stream *stream)
{
    return ga_launch(select_elements<T>, ntiles, stream, call->mask, call->size, call->tiles,
                     static_cast<const T *>(call->src), static_cast<T *>(call->dst));
}

struct select_two_words {
    uint64_t word[2];
};

static int
write_selected(const ga_select_call *call, int64_t ntiles, ga_stream *stream)
{
    if (!call->src)
        return ga_launch(select_positions, ntiles, stream, *call);
    switch (call->itemsize) {
    case 1:
        return write_elements<uint8_t>(call, ntiles, stream);
    case 2:
        return write_elements<uint16_t>(call, ntiles, stream);
    case 4:
        return write_elements<uint32_t>(call, ntiles, stream);
    case 8:
        return write_elements<uint64_t>(call, ntiles, stream);
    case 16:
        return write_elements<select_two_words>(call, ntiles, stream);
    default:
        return ga_kernel_fail(GA_ERR_TYPE, "select: no element has %d bytes", int(call->itemsize));
    }
}

int
ga_select_run(const ga_select_call *call, int64_t *count, ga_stream *stream)
{
    int64_t ntiles = (call->size + tile_size - 1) / tile_size;
    if (call->dst)
        return write_selected(call, ntiles, stream);
    if (ga_launch(select_count, ntiles, stream, call->mask, call->size, call->tiles) ||
        ga_launch(select_scan, 1, stream, call->tiles, ntiles))
        return -1;
    return ga_runtime_copy(count, call->tiles + ntiles, sizeof *count, GA_COPY_TO_HOST, stream);
}

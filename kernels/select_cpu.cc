/* Compaction by a mask on the CPU: the positions, or the elements, at which bytes are not zero. The
 * pair of select_cuda.cu; owns ga_select_run.
 *
 * Each tile of the mask counts its true bytes, the counts become where each tile's part of the
 * result begins, and each tile lists its true bytes and writes what the list names. Includes
 * port.cuh and slots.h. */
#include "port.cuh"
#include "slots.h"

static const int tile_size = GA_SELECT_TILE;
static const int word = 8; /* bytes looked at together */
static const uint64_t all_true = 0x0101010101010101;

/* A 1 in each of eight bytes of the mask that is not zero; those behind its end are. */
static inline uint64_t
true_bytes(const uint8_t *mask, int64_t at, int64_t size)
{
    const uint64_t low = 0x7f7f7f7f7f7f7f7f;
    uint64_t x = 0;
    if (at + word <= size)
        memcpy(&x, mask + at, word);
    else
        for (int i = 0; i < word && at + i < size; i++)
            x |= uint64_t(mask[at + i]) << 8 * i;
    return (((x & low) + low) | x) >> 7 & all_true;
}

static inline int
count_ones(uint64_t truth)
{
    return int(truth * all_true >> 56);
}

/* Of this block's tile. */
static inline int
tile_length(int64_t size)
{
    const int64_t left = size - GA_BLOCK_ID * tile_size;
    return int(left < tile_size ? left : tile_size);
}

GA_KERNEL
select_count(const uint8_t *mask, int64_t size, int64_t *tiles)
{
    GA_AWAIT();
    const uint8_t *tile = mask + GA_BLOCK_ID * tile_size;
    const int length = tile_length(size);
    int total = 0;
    for (int i = 0; i < length; i++)
        total += tile[i] != 0;
    tiles[GA_BLOCK_ID] = total;
}

/* Counts to starts, in place; the entry behind the last is the sum of all. */
static void
add_counts(int64_t *tiles, int64_t ntiles)
{
    int64_t start = 0;
    for (int64_t i = 0; i < ntiles; i++) {
        int64_t count = tiles[i];
        tiles[i] = start;
        start += count;
    }
    tiles[ntiles] = start;
}

/* Of each choice of eight bytes, which they are, in order. */
struct select_table {
    uint8_t place[1 << word][word];

    constexpr select_table() : place()
    {
        for (int chosen = 0; chosen < 1 << word; chosen++)
            for (int k = 0, at = 0; k < word; k++)
                if (chosen >> k & 1)
                    place[chosen][at++] = uint8_t(k);
    }
};
static constexpr select_table chosen_of;

/* The tile's true bytes, in order, as offsets in it; returns how many. Offsets of eight bytes are written where the
 * last ones end, however many of them are true, which costs no branch. */
static inline int
list_tile(const uint8_t *mask, int64_t size, uint16_t *list)
{
    int at = 0;
    const int length = tile_length(size);
    for (int i = 0; i < length; i += word) {
        const uint64_t truth = true_bytes(mask, GA_BLOCK_ID * tile_size + i, size);
        const uint8_t *place = chosen_of.place[truth * 0x0102040810204080 >> 56]; /* a bit of each byte */
        for (int k = 0; k < word; k++)
            list[at + k] = uint16_t(i + place[k]);
        at += count_ones(truth);
    }
    return at;
}

template <class T>
GA_KERNEL
select_elements(const uint8_t *mask, int64_t size, const int64_t *tiles, const T *src, T *dst)
{
    GA_AWAIT();
    uint16_t list[tile_size + word];
    int total = list_tile(mask, size, list);
    const T *from = src + GA_BLOCK_ID * tile_size;
    T *to = dst + tiles[GA_BLOCK_ID];
    for (int i = 0; i < total; i++)
        to[i] = from[list[i]];
}

GA_KERNEL
select_positions(GA_PARAM ga_select_call call)
{
    GA_AWAIT();
    uint16_t list[tile_size + word];
    int total = list_tile(call.mask, call.size, list);
    const int64_t first = GA_BLOCK_ID * tile_size;
    int64_t *to = static_cast<int64_t *>(call.dst) + call.tiles[GA_BLOCK_ID];
    for (int i = 0; i < total && call.ndim == 1; i++)
        to[i] = first + list[i];
    for (int i = 0; i < total && call.ndim > 1; i++) {
        int64_t flat = first + list[i];
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
    if (ga_launch(select_count, ntiles, stream, call->mask, call->size, call->tiles))
        return -1;
    add_counts(call->tiles, ntiles);
    *count = call->tiles[ntiles];
    return 0;
}

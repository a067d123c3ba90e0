/* Compaction by a mask on a GPU: the positions, or the elements, at which bytes are not zero. The
 * pair of select_cpu.cc; owns ga_select_run.
 *
 * A block counts the true bytes of a group of tiles, two tiles a warp, and leaves where each tile
 * begins within the group's part of the result; one block turns the groups' sums into where each
 * group begins. Then a block lists the true bytes of a tile in shared memory, and all threads
 * together write what the list names, so that both reads and writes are of neighbours. The order is
 * that of the mask. Includes block.cuh and slots.h. */
#include "block.cuh"
#include "slots.h"

static const int tile_size = GA_SELECT_TILE, group_tiles = GA_SELECT_GROUP;
static const int warps = GA_BLOCK / GA_WARP;
static const int share = tile_size / GA_BLOCK;     /* bytes of a thread */
static const int warp_tiles = group_tiles / warps; /* that a warp counts */
static_assert(share == 16, "a thread loads its bytes at once");
static_assert(warp_tiles == 2 && group_tiles <= GA_WARP, "a warp counts two tiles, in halves of a word");

/* How many of 16 bytes are not zero. */
GA_FN int
count_bytes(const ga_pack<uint32_t, 4> &bytes)
{
    const uint32_t low = 0x7f7f7f7f;
    int count = 0;
    GA_UNROLL
    for (int i = 0; i < 4; i++)
        count += __popc((((bytes.v[i] & low) + low) | bytes.v[i]) & ~low);
    return count;
}

/* This thread's share of a whole tile of its warp, aligned. */
GA_FN int
count_aligned(const uint8_t *tile)
{
    const int each = 16, loads = tile_size / (GA_WARP * each);
    ga_pack<uint32_t, 4> bytes[loads];
    GA_UNROLL
    for (int i = 0; i < loads; i++)
        bytes[i] = ga_pack_load<uint32_t, 4>(
            reinterpret_cast<const uint32_t *>(tile + (i * GA_WARP + GA_THREAD % GA_WARP) * each));
    int count = 0;
    GA_UNROLL
    for (int i = 0; i < loads; i++)
        count += count_bytes(bytes[i]);
    return count;
}

GA_FN int
count_any(const uint8_t *mask, int64_t first, int64_t size)
{
    const int64_t last = first + tile_size < size ? first + tile_size : size;
    int count = 0;
    for (int64_t at = first + GA_THREAD % GA_WARP; at < last; at += GA_WARP)
        count += mask[at] != 0;
    return count;
}

/* This thread's shares of its warp's tiles, side by side in a word. */
GA_FN uint32_t
count_tiles(const uint8_t *mask, int64_t size, bool aligned)
{
    const int64_t first = (GA_BLOCK_ID * group_tiles + GA_THREAD / GA_WARP * warp_tiles) * tile_size;
    uint32_t counts = 0;
    GA_UNROLL
    for (int i = 0; i < warp_tiles; i++) {
        const int64_t at = first + i * tile_size;
        const int count = aligned && at + tile_size <= size ? count_aligned(mask + at) : count_any(mask, at, size);
        counts |= uint32_t(count) << 16 * i;
    }
    return counts;
}

struct select_sum {
    typedef int64_t acc;
    GA_FN acc neutral() { return 0; }
    GA_FN acc merge(acc a, acc b) { return a + b; }
};

GA_KERNEL
select_count(const uint8_t *mask, int64_t size, bool aligned, int64_t *tiles, int64_t *groups)
{
    GA_AWAIT();
    GA_SHARED int counts[group_tiles];
    const int lane = GA_THREAD % GA_WARP, warp = GA_THREAD / GA_WARP;
    uint32_t sum = count_tiles(mask, size, aligned);
    for (int delta = GA_WARP / 2; delta > 0; delta /= 2)
        sum += ga_warp_down(sum, delta, GA_WARP);
    if (lane == 0)
        for (int i = 0; i < warp_tiles; i++)
            counts[warp * warp_tiles + i] = int(sum >> 16 * i & 0xffff);
    GA_SYNC();
    if (warp > 0)
        return;
    const int64_t own = lane < group_tiles ? counts[lane] : 0, through = ga_warp_scan<select_sum>(own);
    if (lane < group_tiles)
        tiles[GA_BLOCK_ID * group_tiles + lane] = through - own;
    if (lane == GA_WARP - 1)
        groups[GA_BLOCK_ID] = through;
}

/* The groups' sums to starts, in place, by one block; the entry behind the last is the sum of all. */
GA_KERNEL
select_scan(int64_t *groups, int64_t ngroups)
{
    GA_AWAIT();
    const int rounds = 4;
    int64_t start = 0;
    for (int64_t base = 0; base < ngroups; base += rounds * GA_BLOCK) {
        int64_t before[rounds], all;
        GA_UNROLL
        for (int k = 0; k < rounds; k++) {
            const int64_t at = base + k * GA_BLOCK + GA_THREAD;
            before[k] = at < ngroups ? groups[at] : 0;
        }
        ga_block_scan<select_sum, rounds>(before, all, GA_BLOCK);
        GA_UNROLL
        for (int k = 0; k < rounds; k++)
            if (base + k * GA_BLOCK + GA_THREAD < ngroups)
                groups[base + k * GA_BLOCK + GA_THREAD] = start + before[k];
        start += all;
    }
    if (GA_THREAD == 0)
        groups[ngroups] = start;
}

/* A bit for each of four bytes that is not zero. */
GA_FN uint32_t
gather_truth(uint32_t bytes)
{
    const uint32_t low = 0x7f7f7f7f, places = 0x01020408;
    const uint32_t truth = ((((bytes & low) + low) | bytes) & ~low) >> 7;
    return truth * places >> 24;
}

/* A bit for each of the thread's bytes of the tile; those behind the mask's end are zero. */
GA_FN uint32_t
read_truth(const uint8_t *mask, int64_t first, int64_t size, bool aligned)
{
    uint32_t truth = 0;
    if (aligned && first + share <= size) {
        const ga_pack<uint32_t, 4> bytes = ga_pack_load<uint32_t, 4>(reinterpret_cast<const uint32_t *>(mask + first));
        GA_UNROLL
        for (int i = 0; i < 4; i++)
            truth |= gather_truth(bytes.v[i]) << 4 * i;
    } else {
        for (int i = 0; i < share && first + i < size; i++)
            truth |= uint32_t(mask[first + i] != 0) << i;
    }
    return truth;
}

struct select_few {
    typedef int acc;
    GA_FN acc merge(acc a, acc b) { return a + b; }
};

/* The tile's true bytes, in order, as offsets in it; returns how many. */
GA_FN int
list_tile(const uint8_t *mask, int64_t size, bool aligned, uint16_t *list)
{
    GA_SHARED int totals[warps];
    const int lane = GA_THREAD % GA_WARP, warp = GA_THREAD / GA_WARP;
    uint32_t truth = read_truth(mask, GA_BLOCK_ID * tile_size + GA_THREAD * share, size, aligned);
    const int own = __popc(truth), through = ga_warp_scan<select_few>(own);
    if (lane == GA_WARP - 1)
        totals[warp] = through;
    GA_SYNC();
    int at = through - own, total = 0;
    GA_UNROLL
    for (int w = 0; w < warps; w++) {
        at += w < warp ? totals[w] : 0;
        total += totals[w];
    }
    for (; truth; truth &= truth - 1)
        list[at++] = uint16_t(GA_THREAD * share + __ffs(int(truth)) - 1);
    GA_SYNC();
    return total;
}

/* Where in the result the block's tile begins. */
GA_FN int64_t
find_start(const int64_t *tiles, const int64_t *groups)
{
    return groups[GA_BLOCK_ID / group_tiles] + tiles[GA_BLOCK_ID];
}

/* Several elements of a thread are under way together. */
template <class T>
GA_KERNEL
select_elements(const uint8_t *mask, int64_t size, bool aligned, const int64_t *tiles, const int64_t *groups, const T *src,
                T *dst)
{
    GA_AWAIT();
    GA_SHARED uint16_t list[tile_size];
    constexpr int depth = sizeof(T) > 8 ? 4 : 8;
    const int total = list_tile(mask, size, aligned, list);
    const T *from = src + GA_BLOCK_ID * tile_size;
    T *to = dst + find_start(tiles, groups);
    for (int base = GA_THREAD; base < total; base += depth * GA_BLOCK) {
        T items[depth];
        GA_UNROLL
        for (int k = 0; k < depth; k++)
            if (base + k * GA_BLOCK < total)
                items[k] = from[list[base + k * GA_BLOCK]];
        GA_UNROLL
        for (int k = 0; k < depth; k++)
            if (base + k * GA_BLOCK < total)
                to[base + k * GA_BLOCK] = items[k];
    }
}

/* Of numbers that are not negative; short ones are the rule, and cheaper. */
GA_FN int64_t
divide_flat(int64_t flat, int64_t by)
{
    return (flat | by) >> 32 ? flat / by : int64_t(uint32_t(flat) / uint32_t(by));
}

/* The index along every axis; `to` is that of the first. */
GA_FN void
store_position(const ga_select_call &call, int64_t flat, int64_t *to)
{
    for (int d = call.ndim - 1; d > 0; d--) {
        int64_t rest = divide_flat(flat, call.shape[d]);
        to[d * call.count] = flat - rest * call.shape[d];
        flat = rest;
    }
    *to = flat;
}

GA_KERNEL
select_positions(GA_PARAM ga_select_call call, bool aligned, const int64_t *groups)
{
    GA_AWAIT();
    GA_SHARED uint16_t list[tile_size];
    const int total = list_tile(call.mask, call.size, aligned, list);
    const int64_t first = GA_BLOCK_ID * tile_size;
    int64_t *to = static_cast<int64_t *>(call.dst) + find_start(call.tiles, groups);
    for (int i = GA_THREAD; i < total; i += GA_BLOCK) {
        if (call.ndim == 1)
            to[i] = first + list[i];
        else
            store_position(call, first + list[i], to + i);
    }
}

/* The sums of groups lie behind the entries of their tiles. */
struct select_extent {
    int64_t tiles, groups;
    int64_t *sums;
};

static select_extent
measure_call(const ga_select_call *call)
{
    const int64_t group_size = int64_t(tile_size) * group_tiles;
    const int64_t groups = (call->size + group_size - 1) / group_size;
    return {(call->size + tile_size - 1) / tile_size, groups, call->tiles + groups * group_tiles};
}

static bool
is_aligned(const ga_select_call *call)
{
    return uintptr_t(call->mask) % 16 == 0;
}

template <class T>
static int
write_elements(const ga_select_call *call, const select_extent &extent, ga_stream *stream)
{
    return ga_launch(select_elements<T>, extent.tiles, stream, call->mask, call->size, is_aligned(call), call->tiles,
                     extent.sums, static_cast<const T *>(call->src), static_cast<T *>(call->dst));
}

struct select_two_words {
    uint64_t word[2];
};

static int
write_selected(const ga_select_call *call, const select_extent &extent, ga_stream *stream)
{
    if (!call->src)
        return ga_launch(select_positions, extent.tiles, stream, *call, is_aligned(call), extent.sums);
    switch (call->itemsize) {
    case 1:
        return write_elements<uint8_t>(call, extent, stream);
    case 2:
        return write_elements<uint16_t>(call, extent, stream);
    case 4:
        return write_elements<uint32_t>(call, extent, stream);
    case 8:
        return write_elements<uint64_t>(call, extent, stream);
    case 16:
        return write_elements<select_two_words>(call, extent, stream);
    default:
        return ga_kernel_fail(GA_ERR_TYPE, "select: no element has %d bytes", int(call->itemsize));
    }
}

int
ga_select_run(const ga_select_call *call, int64_t *count, ga_stream *stream)
{
    const select_extent extent = measure_call(call);
    if (call->dst)
        return write_selected(call, extent, stream);
    if (ga_launch(select_count, extent.groups, stream, call->mask, call->size, is_aligned(call), call->tiles,
                  extent.sums) ||
        ga_launch(select_scan, 1, stream, extent.sums, extent.groups))
        return -1;
    return ga_runtime_copy(count, extent.sums + extent.groups, sizeof *count, GA_COPY_TO_HOST, stream);
}

/* Sorting rows that fit into a tile of a block's shared memory. Owns sort_tiles and its plan.
 *
 * As many rows as fit share a tile; each is filled up with greatest keys to a power of two. The
 * network is Batcher's bitonic one with its first step of each run mirrored, so that all pairs are
 * put in rising order. A thread holds 16 slots in registers and takes up to four steps before the
 * tile is written again: steps through shared memory were what bound it. Of equal keys the earlier
 * place comes first, so it is stable. Slots are permuted so that no two threads of a warp meet one
 * bank.
 *
 * Keys may be elements: a codec says how bits become keys and back (the rules of sort_key.cuh, as
 * numbers). Includes port.cuh, kinds.h. */
#pragma once
#include "kinds.h"
#include "port.cuh"

static const int tile_slots = 4096;
static const int tile_held = 16; /* of a thread */

/* ---- elements as keys ---- */

/* All ones, identity: keys as they are. */
template <class K> struct tile_codec {
    int32_t itemsize;
    K greatest, sign, largest; /* of the element's width; bits above `largest` without the sign are NaN */
    K before;                  /* subtracted first: 1 for times, whose NaT becomes the greatest */
    bool floats, nans, descending;

    GA_METHOD K
    encode(K bits) const
    {
        bits = K(bits - before) & greatest;
        K key = floats && (bits & sign) ? K(~bits) & greatest : K(bits ^ sign);
        if (floats && (bits & K(~sign)) > largest)
            key = greatest;
        return turn(key);
    }

    GA_METHOD K
    decode(K key) const
    {
        key = turn(key);
        K bits = floats && !(key & sign) ? K(~key) & greatest : K(key ^ sign);
        return K(bits + before) & greatest;
    }

    /* Its own inverse. The greatest key stays where NaN has it. */
    GA_METHOD K
    turn(K key) const
    {
        if (!descending || (nans && key == greatest))
            return key;
        return nans ? K(greatest - 1 - key) : K(~key) & greatest;
    }
};

template <class K>
static tile_codec<K>
make_identity()
{
    return {int32_t(sizeof(K)), K(~K(0)), 0, K(~K(0)), 0, false, false, false};
}

/* Of what is neither complex nor stored. */
template <class K>
static tile_codec<K>
make_codec(enum ga_dtype dtype, bool descending)
{
    const ga_dtype_kind kind = ga_dtype_kinds[dtype];
    const bool time = kind.kind == 'm' || kind.kind == 'M', floats = kind.kind == 'f';
    const K greatest = K(~K(0)) >> 8 * (sizeof(K) - size_t(kind.size));
    const uint64_t largest = kind.size == 2 ? 0x7c00u : kind.size == 4 ? 0x7f800000u : 0x7ff0000000000000u;
    return {kind.size,
            greatest,
            floats || time || kind.kind == 'i' ? K(greatest ^ (greatest >> 1)) : K(0),
            floats ? K(largest) : greatest,
            K(time),
            floats,
            floats || time,
            descending};
}

/* ---- slots ---- */

/* A key of 64 bits and its place; with 32 bits both are one number. */
struct tile_wide {
    uint64_t key;
    uint16_t place;
    GA_METHOD bool
    operator<(const tile_wide &other) const
    {
        return key < other.key || (key == other.key && place < other.place);
    }
};

template <class K, bool pairs> struct tile_item_of {
    typedef K type;
};
template <> struct tile_item_of<uint32_t, true> {
    typedef uint64_t type;
};
template <> struct tile_item_of<uint64_t, true> {
    typedef tile_wide type;
};
template <class K, bool pairs> using tile_item = typename tile_item_of<K, pairs>::type;

template <class K, bool pairs>
GA_FN tile_item<K, pairs>
make_item(K key, [[maybe_unused]] int place)
{
    if constexpr (!pairs)
        return key;
    else if constexpr (sizeof(K) == 4)
        return uint64_t(key) << 32 | uint32_t(place);
    else
        return {key, uint16_t(place)};
}
GA_FN uint32_t
key_of(uint32_t item, uint32_t)
{
    return item;
}
GA_FN uint64_t
key_of(uint64_t item, uint64_t)
{
    return item;
}
GA_FN uint32_t
key_of(uint64_t item, uint32_t)
{
    return uint32_t(item >> 32);
}
GA_FN uint64_t
key_of(tile_wide item, uint64_t)
{
    return item.key;
}
GA_FN uint32_t
place_of(uint64_t item)
{
    return uint32_t(item);
}
GA_FN uint32_t
place_of(tile_wide item)
{
    return item.place;
}

template <class Item> struct tile_memory {
    Item item[tile_slots];

    GA_FN int
    at(int slot)
    {
        return sizeof(Item) == 4 ? slot ^ (slot >> 5 & 7) ^ (slot >> 8 & 1) * 24 : slot ^ (slot >> 4 & 15);
    }
    GA_METHOD Item
    get(int slot) const
    {
        return item[at(slot)];
    }
    GA_METHOD void
    put(int slot, Item value)
    {
        item[at(slot)] = value;
    }
};
template <> struct tile_memory<tile_wide> {
    tile_memory<uint64_t> keys;
    uint16_t places[tile_slots];

    GA_METHOD tile_wide
    get(int slot) const
    {
        return {keys.get(slot), places[slot]};
    }
    GA_METHOD void
    put(int slot, tile_wide value)
    {
        keys.put(slot, value.key);
        places[slot] = value.place;
    }
};

/* ---- the network ---- */

template <class Item>
GA_FN void
order_items(Item &a, Item &b)
{
    const bool swap = b < a;
    const Item low = swap ? b : a;
    b = swap ? a : b;
    a = low;
}

/* Neighbouring slots, in runs of up to 2 to the `log`. */
template <class Item>
GA_FN void
sort_held(Item (&v)[tile_held], int log)
{
    GA_UNROLL
    for (int j = 1; j <= 4; j++) {
        if (j > log)
            continue;
        GA_UNROLL
        for (int r = 0; r < tile_held; r++)
            if (r < (r ^ ((1 << j) - 1)))
                order_items(v[r], v[r ^ ((1 << j) - 1)]);
        GA_UNROLL
        for (int s = j - 2; s >= 0; s--) {
            GA_UNROLL
            for (int r = 0; r < tile_held; r++)
                if (!(r >> s & 1))
                    order_items(v[r], v[r | 1 << s]);
        }
    }
}

/* The last `steps` of four steps, whose distances are 8, 4, 2 and 1 of what the thread holds. */
template <class Item>
GA_FN void
merge_held(Item (&v)[tile_held], int steps)
{
    GA_UNROLL
    for (int s = 3; s >= 0; s--) {
        if (s >= steps)
            continue;
        GA_UNROLL
        for (int r = 0; r < tile_held; r++)
            if (!(r >> s & 1))
                order_items(v[r], v[r | 1 << s]);
    }
}

/* Slots first + r * step. */
template <class Item>
GA_FN void
take_held(const tile_memory<Item> &tile, int first, int shift, Item (&v)[tile_held])
{
    GA_UNROLL
    for (int r = 0; r < tile_held; r++)
        v[r] = tile.get(first | r << shift);
}

template <class Item>
GA_FN void
give_held(tile_memory<Item> &tile, int first, int shift, const Item (&v)[tile_held])
{
    GA_UNROLL
    for (int r = 0; r < tile_held; r++)
        tile.put(first | r << shift, v[r]);
    GA_SYNC();
}

/* The first step of runs of 2 to the k: each slot meets its mirror image. */
template <class Item>
GA_FN void
mirror_runs(tile_memory<Item> &tile, int k)
{
    GA_UNROLL
    for (int r = 0; r < tile_held / 2; r++) {
        const int pair = GA_THREAD + r * GA_BLOCK, half = 1 << (k - 1);
        const int low = pair >> (k - 1) << k | (pair & (half - 1)), high = low ^ (2 * half - 1);
        const Item a = tile.get(low), b = tile.get(high);
        if (b < a) {
            tile.put(low, b);
            tile.put(high, a);
        }
    }
    GA_SYNC();
}

template <class Item>
GA_FN void
sort_tile(tile_memory<Item> &tile, int log)
{
    Item v[tile_held];
    take_held(tile, GA_THREAD * tile_held, 0, v);
    sort_held(v, log);
    give_held(tile, GA_THREAD * tile_held, 0, v);
    GA_ROLLED
    for (int k = 5; k <= log; k++) {
        mirror_runs(tile, k);
        GA_ROLLED
        for (int shift = (k - 2) / 4 * 4; shift >= 0; shift -= 4) {
            const int first = GA_THREAD >> shift << (shift + 4) | (GA_THREAD & ((1 << shift) - 1));
            take_held(tile, first, shift, v);
            merge_held(v, k - 1 - shift);
            give_held(tile, first, shift, v);
        }
    }
}

/* ---- rows ---- */

template <class K> struct tile_plan {
    const void *src;
    void *dst;
    const uint32_t *positions;
    uint32_t *moved;
    int64_t rows;
    int32_t length, log; /* a row takes 2 to the log slots */
    tile_codec<K> codec;
};

/* Element of a slot, counted from the tile's first row; -1: none. */
template <class K>
GA_FN int
find_element(const tile_plan<K> &plan, int64_t rows, int slot)
{
    const int row = slot >> plan.log, place = slot & ((1 << plan.log) - 1);
    return place < plan.length && row < rows ? row * plan.length + place : -1;
}

template <class U, class K>
GA_FN void
read_elements(const tile_plan<K> &plan, int64_t start, int64_t rows, K (&bits)[tile_held])
{
    const U *from = static_cast<const U *>(plan.src) + start;
    GA_UNROLL
    for (int r = 0; r < tile_held; r++) {
        const int at = find_element(plan, rows, GA_THREAD + r * GA_BLOCK);
        bits[r] = at >= 0 ? K(from[at]) : K(0);
    }
}

template <class K, bool pairs>
GA_FN void
load_tile(const tile_plan<K> &plan, int64_t start, int64_t rows, tile_memory<tile_item<K, pairs>> &tile)
{
    K bits[tile_held];
    if constexpr (sizeof(K) == 8)
        read_elements<uint64_t>(plan, start, rows, bits);
    else if (plan.codec.itemsize == 4)
        read_elements<uint32_t>(plan, start, rows, bits);
    else if (plan.codec.itemsize == 2)
        read_elements<uint16_t>(plan, start, rows, bits);
    else
        read_elements<uint8_t>(plan, start, rows, bits);
    GA_UNROLL
    for (int r = 0; r < tile_held; r++) {
        const int slot = GA_THREAD + r * GA_BLOCK;
        const K key = find_element(plan, rows, slot) >= 0 ? plan.codec.encode(bits[r]) : K(~K(0));
        tile.put(slot, make_item<K, pairs>(key, slot & ((1 << plan.log) - 1)));
    }
    GA_SYNC();
}

template <class K>
GA_FN void
write_element(const tile_plan<K> &plan, int64_t i, K bits)
{
    if constexpr (sizeof(K) == 8)
        static_cast<uint64_t *>(plan.dst)[i] = bits;
    else if (plan.codec.itemsize == 4)
        static_cast<uint32_t *>(plan.dst)[i] = bits;
    else if (plan.codec.itemsize == 2)
        static_cast<uint16_t *>(plan.dst)[i] = uint16_t(bits);
    else
        static_cast<uint8_t *>(plan.dst)[i] = uint8_t(bits);
}

template <class K, bool pairs>
GA_FN void
store_tile(const tile_plan<K> &plan, int64_t start, int64_t rows, const tile_memory<tile_item<K, pairs>> &tile)
{
    GA_UNROLL
    for (int r = 0; r < tile_held; r++) {
        const int slot = GA_THREAD + r * GA_BLOCK, at = find_element(plan, rows, slot);
        if (at < 0)
            continue;
        const tile_item<K, pairs> item = tile.get(slot);
        write_element(plan, start + at, plan.codec.decode(key_of(item, K(0))));
        if constexpr (pairs)
            plan.moved[start + at] = plan.positions[start + at / plan.length * plan.length + place_of(item)];
    }
}

template <class K, bool pairs>
GA_KERNEL
sort_tiles(GA_PARAM tile_plan<K> plan)
{
    GA_AWAIT();
    GA_SHARED tile_memory<tile_item<K, pairs>> tile;
    const int most = tile_slots >> plan.log;
    const int64_t first_row = GA_BLOCK_ID * most, left = plan.rows - first_row, rows = left < most ? left : most;
    load_tile<K, pairs>(plan, first_row * plan.length, rows, tile);
    sort_tile(tile, plan.log);
    store_tile<K, pairs>(plan, first_row * plan.length, rows, tile);
}

template <class K>
static int
launch_tiles(tile_plan<K> plan, ga_stream *stream)
{
    while (1 << plan.log < plan.length)
        plan.log++;
    int most = tile_slots >> plan.log;
    int64_t blocks = (plan.rows + most - 1) / most;
    return plan.positions ? ga_launch((sort_tiles<K, true>), blocks, stream, plan)
                          : ga_launch((sort_tiles<K, false>), blocks, stream, plan);
}

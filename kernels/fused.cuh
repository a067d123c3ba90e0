/* What the kernels are made of that gpuarray writes for fused functions
 * (gpuarray/_fused_source.py), and what they are told.
 *
 * A thread takes a pack: as many neighbours in a row as 16 bytes hold of the largest items. It
 * finds its row once, reads all its inputs, computes lane by lane, and writes. Rows are the
 * innermost dimension; all is one row where each array is consecutive as a whole, or one value. An
 * array whose rows are consecutive and aligned is accessed by 16 bytes. Where an input is turned,
 * consecutive across the rows, blocks take tiles, as in map_vector.cuh.
 *
 * Seen by fused.cu, which plans a launch, and by the programs themselves. Includes iterate.cuh,
 * row_pack.cuh and csrc/core/call/fused.h. */
#pragma once
#include "iterate.cuh"
#include "row_pack.cuh"

#include "../csrc/core/call/fused.h"

#define GA_FUSED_BLOCK 256 /* threads; GA_BLOCK of the programs */

struct ga_fused_plan {
    int64_t units, length;           /* packs in all; elements of a row */
    ga_divider packs;                /* in a row, where there are several */
    ga_walk<GA_FUSED_ARRAYS> outer;  /* no dimension: all is one row, of any length */
    uint32_t whole;                  /* bit k: array k can be accessed by whole packs */
    uint32_t turned;                 /* blocks take tiles, and not one pack of a row after the other */
    uint32_t rows;                   /* if turned */
    ga_divider tiles;                /* beside each other, if turned */
    char *data[GA_FUSED_ARRAYS];
    int64_t step[GA_FUSED_ARRAYS]; /* bytes between neighbours in a row; 0: one element */
    ga_scalar numbers[GA_FUSED_NUMBERS];
};

/* Bools are bytes in memory, of which any that is not zero is true. */
template <class T>
using ga_fused_item = typename std::conditional<std::is_same<T, bool>::value, uint8_t, T>::type;
template <class T, int V> using ga_fused_pack = ga_row_pack<ga_fused_item<T>, V>;

template <class T, class P>
GA_FN T
ga_fused_lane(const P &pack, int j)
{
    if constexpr (std::is_same<T, bool>::value)
        return pack.item[j] != 0;
    else
        return pack.item[j];
}

/* A block's tile where an input is turned: eight rows and four packs a warp. */
#define GA_FUSED_TILE_PACKS 4
#define GA_FUSED_TILE_ROWS 64

/* Where a thread works: elements [column, column + count) of a row. */
template <int V> struct ga_fused_place {
    ga_cursor<GA_FUSED_ARRAYS> row;
    int64_t column;
    int count;

    GA_METHOD bool
    seek(const ga_fused_plan &p)
    {
        uint32_t number = 0;
        int64_t unit = GA_BLOCK_ID * GA_BLOCK + GA_THREAD;
        bool there = p.turned ? seek_tile(p, &number, &unit) : unit < p.units;
        if (!there)
            return false;
        if (p.outer.ndim > 0 && !p.turned) {
            number = ga_divide_by(p.packs, uint32_t(unit));
            unit = uint32_t(unit) - number * p.packs.divisor;
        }
        row.seek(p.outer, number);
        column = unit * V;
        count = p.length - column < V ? int(p.length - column) : V;
        return true;
    }

    GA_METHOD bool
    seek_tile(const ga_fused_plan &p, uint32_t *number, int64_t *unit)
    {
        const uint32_t thread = uint32_t(GA_THREAD), tile = uint32_t(GA_BLOCK_ID), down = ga_divide_by(p.tiles, tile);
        *number = down * GA_FUSED_TILE_ROWS + thread / 32 * 8 + thread % 8;
        *unit = (tile - down * p.tiles.divisor) * GA_FUSED_TILE_PACKS + thread % 32 / 8;
        return *number < p.rows && *unit < p.packs.divisor;
    }
};

template <class T, int V>
GA_FN ga_fused_pack<T, V>
ga_fused_get(const ga_fused_plan &p, int k, const ga_fused_place<V> &at)
{
    typedef ga_fused_item<T> item;
    const char *from = p.data[k] + at.row.offset[k] + at.column * p.step[k];
    if (p.step[k] == 0)
        return ga_row_pack_of<item, V>(*reinterpret_cast<const item *>(from));
    return ga_row_pack_read<item, V>(from, p.step[k], p.whole >> k & 1, at.count);
}

template <class P, int V>
GA_FN void
ga_fused_put(const ga_fused_plan &p, int k, const ga_fused_place<V> &at, const P &pack)
{
    char *to = p.data[k] + at.row.offset[k] + at.column * p.step[k];
    ga_row_pack_write(to, p.step[k], p.whole >> k & 1, at.count, pack);
}

/* A number of the launch, the same for all elements. */
template <class T>
GA_FN T
ga_fused_number(const ga_fused_plan &p, int k)
{
    ga_fused_pack<T, 1> one;
    memcpy(&one, p.numbers[k].bytes, sizeof one);
    return ga_fused_lane<T>(one, 0);
}

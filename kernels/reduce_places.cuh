/* Extremes with their places where the innermost axis that stays is contiguous, on the CPU: of a few rows at a time the
 * best of each column by values alone, which vectors do, and what it then needs to know is in which of those rows each
 * column's first best stands. An axis that is walked against its order is walked from its other end. Includes
 * reduce_columns.cuh, reduce_rows.cuh. */
#pragma once
#include "reduce_columns.cuh"
#include "reduce_rows.cuh"

/* A tile of columns of one piece, whose rows lie `down` bytes and `step` places apart. */
template <class P> struct ga_place_tile {
    typedef typename P::in in;
    typedef typename P::values V;
    static constexpr int most = ga_reduce_column_lanes<P>;
    static constexpr int64_t together = 32; /* rows */
    const char *src;
    int64_t down, step, place, count;
    int columns;
    typename V::acc best[most];
    int64_t start[most]; /* the first of the rows that have it */

    const in *row(int64_t at) const { return reinterpret_cast<const in *>(src + at * down); }

    void take_rows(int64_t first, int64_t last)
    {
        typename V::acc ahead[most];
        for (int i = 0; i < columns; i++)
            ahead[i] = V::lift(row(first)[i], 0);
        for (int64_t at = first + 1; at < last; at++) {
            const in *line = row(at);
            GA_INDEPENDENT
            for (int i = 0; i < columns; i++)
                ahead[i] = V::merge(ahead[i], V::lift(line[i], 0));
        }
        for (int i = 0; i < columns; i++)
            choose(i, ahead[i], first);
    }
    void choose(int column, typename V::acc value, int64_t at)
    {
        if (at > 0 && !takes_over<P>(best[column], value))
            return;
        best[column] = value;
        start[column] = at;
    }
    /* Vectors compare no complex numbers: those that take over are few, if they are compared with all before them. */
    void take_row(int64_t at)
    {
        for (int i = 0; i < columns; i++)
            choose(i, V::lift(row(at)[i], 0), at);
    }
    void take_all()
    {
        if constexpr (ga_is_complex<typename V::acc>::value)
            for (int64_t at = 0; at < count; at++)
                take_row(at);
        else
            for (int64_t at = 0; at < count; at += together)
                take_rows(at, at + together < count ? at + together : count);
    }
    /* The first of the rows from its start on that has the column's best. */
    int64_t find_row(int column) const
    {
        const bool missing = ga_isnan(best[column]);
        int64_t at = start[column];
        for (; at + 1 < count; at++) {
            const typename V::acc value = V::lift(row(at)[column], 0);
            if (missing ? ga_isnan(value) : ga_equal(value, best[column]))
                break;
        }
        return at;
    }
};

template <class P> GA_KERNEL place_columns(GA_PARAM ga_reduce_stage s)
{
    GA_AWAIT();
    const ga_reduce_dim &inner = s.dim[s.nkeep - 1], &axis = s.dim[s.nkeep];
    const int64_t outer = s.outputs / inner.size, rest = GA_BLOCK_ID / s.tiles, part = rest / outer;
    const int64_t column = (GA_BLOCK_ID - rest * s.tiles) * ga_place_tile<P>::most, left = inner.size - column;
    const int64_t output = (rest - part * outer) * inner.size + column;
    ga_reduce_item item = locate_output(s, output);
    locate_part(s, part, item);
    const int64_t end = axis.place < 0 ? item.count - 1 : 0, turn = axis.place < 0 ? -1 : 1;
    ga_place_tile<P> tile;
    tile.src = s.src + item.src + end * axis.src;
    tile.down = turn * axis.src;
    tile.place = item.place + end * axis.place;
    tile.step = turn * axis.place;
    tile.count = item.count;
    tile.columns = int(left < tile.most ? left : tile.most);
    tile.take_all();
    for (int i = 0; i < tile.columns; i++) {
        const int64_t row = tile.find_row(i), place = tile.place + row * tile.step + i * inner.place;
        store_total<P>(s, part * s.outputs + output + i, item.dst + i * inner.dst, P::lift(tile.row(row)[i], place));
    }
}

template <class P> static int launch_place_columns(const ga_reduce_stage *stage, int64_t blocks, ga_stream *stream)
{
    return ga_launch(place_columns<P>, blocks, stream, *stage);
}

/* Kits made of the kernels in reduce.cuh, as reduce_groups.cu and argreduce_groups.cu hand them out.
 * Includes reduce_kits.h and reduce.cuh. */
#pragma once
#include "reduce.cuh"
#include "reduce_kits.h"

/* P's sizes with these launchers, of which `rows` may be absent: short axes have a kernel only where rows have one. */
template <class P, bool has_rows = true>
constexpr ga_reduce_kit ga_reduce_kit_of(ga_reduce_launch rows, ga_reduce_launch columns, ga_reduce_launch strided,
                                         const ga_reduce_kit *partial)
{
    return {int32_t(sizeof(typename P::in)), int32_t(sizeof(typename P::acc)), ga_reduce_row_lanes<P>,
            ga_reduce_column_lanes<P>, P::converts, ga_reduce_pairs<P>, GA_BLOCK == 1 && ga_reduce_absent<P>::known, rows, columns, strided, partial,
            ga_reduce_short_of<P, has_rows>()};
}

template <class P> constexpr ga_reduce_launch ga_reduce_columns_of()
{
    if constexpr (GA_BLOCK == 1 && P::placed)
        return launch_place_columns<P>;
    else
        return launch_columns<P>;
}

/* For accumulators that are no elements: the stages after the first, too short to be worth rows and columns. */
template <class P> struct ga_reduce_partial_kit {
    typedef ga_reduce_partial<P> Q;
    static constexpr ga_reduce_kit kit = ga_reduce_kit_of<Q, false>(nullptr, nullptr, launch_strided<Q>, nullptr);
};

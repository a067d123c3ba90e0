/* The scan kernels of a group of dtypes: a kit for each operation whose order is TREE. Owns ga_scan_kit_<id>. Includes
 * scan_through.cuh, reduce_ops.cuh. */
#include "reduce_ops.cuh"
#include "scan_through.cuh"

template <int op, class P> constexpr ga_scan_launch rows_of()
{
    if constexpr (ga_scan_is_rare<typename P::out>(op))
        return nullptr;
    else
        return launch_scan_rows<P>;
}

/* Scans of bytes that stay bytes: NumPy widens sums, so they are seldom, and their vectors unroll to the longest kernels. */
template <class P> constexpr bool stays_short = sizeof(typename P::out) == 1;

template <int op, class P> constexpr ga_scan_launch through_of()
{
    if constexpr (GA_BLOCK == 1 || ga_scan_is_rare<typename P::out>(op) || stays_short<P>)
        return nullptr;
    else
        return launch_scan_through<P>;
}

template <int op, class P> struct scan_kit {
    static constexpr ga_scan_kit kit = {int32_t(sizeof(typename P::in)),
                                        int32_t(sizeof(typename P::out)),
                                        int32_t(sizeof(typename P::acc)),
                                        ga_scan_row_lanes<P>,
                                        ga_scan_row_lanes<P> * ga_scan_rounds<P>,
                                        ga_scan_column_lanes<P>,
                                        rows_of<op, P>(),
                                        launch_scan_lanes<P>,
                                        launch_scan_totals<P>,
                                        through_of<op, P>(),
                                        ga_scan_through_tile<P>};
};

/* Reads In along rows. */
template <int op, class In, class T> struct widen_scan_kit {
    typedef ga_reduce_plain<op, In, T> P;
    static constexpr ga_scan_kit kit = {
        int32_t(sizeof(typename P::in)), int32_t(sizeof(T)),  int32_t(sizeof(T)), ga_scan_row_lanes<P>,
        ga_scan_row_lanes<P> * ga_scan_rounds<P>, 0, launch_scan_rows<P>, nullptr,
        launch_scan_totals<ga_reduce_tree<op, T>>, through_of<op, P>(), ga_scan_through_tile<P>};
};

/* Sums of truths and of the commonest integers that are shorter than their sums. */
template <int op, class T> const ga_scan_kit *find_converting([[maybe_unused]] enum ga_dtype src)
{
    if constexpr (op == GA_UF_add && std::is_same<T, uint64_t>::value) {
        if (src == GA_b1)
            return &widen_scan_kit<op, bool, T>::kit;
        if (src == GA_u8)
            return &widen_scan_kit<op, uint8_t, T>::kit;
        if (src == GA_i32)
            return &widen_scan_kit<op, int32_t, T>::kit;
    }
    return nullptr;
}

struct scan_family {
    typedef const ga_scan_kit *found;
    template <int op, class T> static found find(enum ga_dtype src)
    {
        if constexpr (ga_reduce_served<op, T>)
            return nullptr;
        else if (src != ga_dtype_of<T>::value)
            return find_converting<op, T>(src);
        else
            return &scan_kit<op, ga_reduce_tree<op, T>>::kit;
    }
};

#define GA_LOOP(id)                                                          \
    const ga_scan_kit *ga_scan_kit_##id(enum ga_ufunc op, enum ga_dtype src) \
    {                                                                        \
        return ga_tree_find<GA_##id, scan_family>(op, src);                  \
    }
GA_LOOPS

/* The scan kernels of a group of dtypes: a kit for each operation whose order is TREE. Owns ga_scan_kit_<id>. Includes
 * scan.cuh, reduce_ops.cuh. */
#include "reduce_ops.cuh"
#include "scan.cuh"

template <int op, class P> constexpr ga_scan_launch rows_of()
{
    if constexpr (ga_scan_is_rare<typename P::out>(op))
        return nullptr;
    else
        return launch_scan_rows<P>;
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
                                        launch_scan_totals<P>};
};

struct scan_family {
    typedef const ga_scan_kit *found;
    template <int op, class T> static found find()
    {
        if constexpr (ga_reduce_served<op, T>)
            return nullptr;
        else
            return &scan_kit<op, ga_reduce_tree<op, T>>::kit;
    }
};

#define GA_LOOP(id)                                        \
    const ga_scan_kit *ga_scan_kit_##id(enum ga_ufunc op)  \
    {                                                      \
        return ga_tree_find<GA_##id, scan_family>(op);     \
    }
GA_LOOPS

/* The variance kernels of one dtype, GA_LOOP of dtypes.def. Owns ga_moments_kit_<id>. Includes moments_policy.cuh,
 * reduce_kit.cuh. */
#include "moments_kits.h"
#include "moments_policy.cuh"
#include "reduce_kit.cuh"

#define GA_JOIN_(a, b) a##b
#define GA_JOIN(a, b) GA_JOIN_(a, b)

typedef ga_ctype<GA_JOIN(GA_, GA_LOOP)>::type T;

namespace { /* T is another type in every file compiled from this one */

template <class V> const ga_reduce_kit *find_moments()
{
    if constexpr (ga_is_time<V>::value) {
        return nullptr;
    } else {
        typedef ga_moments<V> P;
        static constexpr ga_reduce_kit kit = ga_reduce_kit_of<P>(launch_rows<P>, launch_columns<P>, launch_strided<P>,
                                                                 nullptr, &ga_reduce_partial_kit<P>::kit);
        return &kit;
    }
}

} // namespace

#define GA_MOMENTS_FIND GA_JOIN(ga_moments_kit_, GA_LOOP)

const ga_reduce_kit *GA_MOMENTS_FIND(void)
{
    return find_moments<T>();
}

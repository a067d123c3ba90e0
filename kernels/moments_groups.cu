/* The variance kernels of a group of dtypes. Owns ga_moments_kit_<id>. Includes moments_policy.cuh, reduce_kit.cuh. */
#include "moments_kits.h"
#include "moments_policy.cuh"
#include "reduce_kit.cuh"

template <class T> static const ga_reduce_kit *find_moments()
{
    if constexpr (ga_is_time<T>::value) {
        return nullptr;
    } else {
        typedef ga_moments<T> P;
        static constexpr ga_reduce_kit kit = ga_reduce_kit_of<P>(launch_rows<P>, launch_columns<P>, launch_strided<P>,
                                                                 &ga_reduce_partial_kit<P>::kit);
        return &kit;
    }
}

#define GA_LOOP(id)                                   \
    const ga_reduce_kit *ga_moments_kit_##id(void)    \
    {                                                 \
        return find_moments<ga_ctype<GA_##id>::type>(); \
    }
GA_LOOPS

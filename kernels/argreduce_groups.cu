/* The kernels of argmax and argmin for a group of dtypes. Owns ga_argreduce_kit_<id>. Includes reduce_kit.cuh. */
#include "reduce_kit.cuh"

template <int op, class T> struct place_kit {
    typedef ga_reduce_placed<op, T, true> P;
    static constexpr ga_reduce_kit kit = ga_reduce_kit_of<P>(launch_rows<P>, ga_reduce_columns_of<P>(), launch_strided<P>,
                                                            &ga_reduce_partial_kit<P>::kit);
};

#define GA_LOOP(id)                                                            \
    const ga_reduce_kit *ga_argreduce_kit_##id(bool maximum)                   \
    {                                                                          \
        typedef ga_ctype<GA_##id>::type T;                                     \
        return maximum ? &place_kit<GA_UF_maximum, T>::kit : &place_kit<GA_UF_minimum, T>::kit; \
    }
GA_LOOPS

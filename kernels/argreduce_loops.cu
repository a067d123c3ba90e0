/* The kernels of argmax and argmin for one dtype, GA_LOOP of dtypes.def. Owns ga_argreduce_kit_<id>.
 * Includes reduce_kit.cuh. */
#include "reduce_kit.cuh"

#define GA_JOIN_(a, b) a##b
#define GA_JOIN(a, b) GA_JOIN_(a, b)

typedef ga_ctype<GA_JOIN(GA_, GA_LOOP)>::type T;

namespace { /* T is another type in every file compiled from this one */

template <int op> struct place_kit {
    typedef ga_reduce_placed<op, T, true> P;
    static constexpr ga_reduce_kit kit = ga_reduce_kit_of<P>(launch_rows<P>, launch_columns<P>, launch_strided<P>, nullptr,
                                                            &ga_reduce_partial_kit<P>::kit);
};

} // namespace

#define GA_ARGREDUCE_FIND GA_JOIN(ga_argreduce_kit_, GA_LOOP)

const ga_reduce_kit *GA_ARGREDUCE_FIND(bool maximum)
{
    return maximum ? &place_kit<GA_UF_maximum>::kit : &place_kit<GA_UF_minimum>::kit;
}

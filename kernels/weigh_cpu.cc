/* Weights added up by place on the CPU, one after the other as they come. Owns ga_weigh_run. Includes count.cuh. */
#include "count.cuh"

template <class T, int PARTS> static void weigh_values(const ga_weigh_call *call)
{
    const T *values = static_cast<const T *>(call->values);
    for (int64_t i = 0; i < call->size; i++) {
        uint64_t place = ga_count_place(*call, ga_load(values + i));
        if (place < uint64_t(call->bins))
            for (int part = 0; part < PARTS; part++)
                call->sums[place * PARTS + part] += call->weights[i * PARTS + part];
    }
}

template <class T> static int weigh_typed(const ga_weigh_call *call, int parts)
{
    memset(call->sums, 0, size_t(call->bins) * size_t(parts) * sizeof *call->sums);
    if (parts == 1)
        weigh_values<T, 1>(call);
    else
        weigh_values<T, 2>(call);
    return 0;
}

int ga_weigh_run(const ga_weigh_call *call, ga_stream *)
{
    GA_COUNT_TYPED(weigh_typed, call, call->parts)
}

/* Sums and means that pass over NaN: a reduction whose accumulators count what they have added up;
 * and counts of what is not zero. Owns ga_present_run. Includes reduce_fill.h, reduce_kit.cuh,
 * slots.h. */
#include "reduce_fill.h"
#include "reduce_kit.cuh"
#include "slots.h"

/* The last byte of a stage's initial value, which the dtypes here leave free, says that the mean is wanted. */
static const int mean_byte = 15;

template <class T> struct ga_present {
    typedef T in;
    typedef T element;
    typedef T out;
    struct acc {
        ga_compute<T> sum;
        int64_t count;
    };
    static constexpr bool direct_only = false;
    static constexpr bool converts = false;
    static constexpr bool placed = false;
    static constexpr bool selects = false;
    static constexpr bool batches = true;

    GA_FN acc neutral() { return {0, 0}; }
    GA_FN acc lift_element(T x, int64_t)
    {
        const ga_compute<T> value = ga_widen(x);
        return value == value ? acc{value, 1} : acc{0, 0};
    }
    GA_FN acc lift(in x, int64_t) { return lift_element(x, 0); }
    GA_FN acc merge(acc a, acc b) { return {a.sum + b.sum, a.count + b.count}; }
    GA_FN void begin(acc &, in) {}
    template <int N, int D>
    GA_FN void absorb(acc &total, const ga_pack<in, N> (&packs)[D], int64_t, int64_t, int64_t)
    {
        ga_compute<T> sum[D];
        int count = 0;
        GA_UNROLL
        for (int u = 0; u < D; u++) {
            sum[u] = 0;
            GA_UNROLL
            for (int i = 0; i < N; i++) {
                const ga_compute<T> value = ga_widen(packs[u].v[i]);
                const bool there = value == value;
                sum[u] += there ? value : 0;
                count += there;
            }
        }
        GA_UNROLL
        for (int half = D / 2; half > 0; half /= 2)
            GA_UNROLL
            for (int u = 0; u < half; u++)
                sum[u] += sum[u + half];
        total = {total.sum + sum[0], total.count + count};
    }
    GA_FN out finish(const ga_reduce_stage &stage, acc total)
    {
        const ga_compute<T> start = stage.has_initial ? ga_widen(ga_reduce_scalar<T>(stage.initial)) : 0;
        const T sum = ga_narrow<T>(start + total.sum);
        if (!stage.initial.bytes[mean_byte])
            return sum;
        const double mean = double(ga_widen(sum)) / double(total.count);
        if constexpr (std::is_same<T, ga_half>::value)
            return ga_half_from(mean);
        else
            return T(mean);
    }
};

/* Few accumulators on the CPU, for they are large. */
template <class T> constexpr int ga_reduce_row_lanes<ga_present<T>> = GA_BLOCK == 1 ? 8 : 16 / sizeof(T);

template <class T> struct present_kit {
    typedef ga_present<T> P;
    static constexpr ga_reduce_kit kit =
        ga_reduce_kit_of<P>(launch_rows<P>, launch_columns<P>, launch_strided<P>, &ga_reduce_partial_kit<P>::kit);
};

/* How many elements are not zero. */
template <class T> struct ga_nonzero {
    typedef T in;
    typedef T element;
    typedef int64_t acc;
    typedef int64_t out;
    static constexpr bool direct_only = true;
    static constexpr bool converts = false;
    static constexpr bool placed = false;
    static constexpr bool selects = false;
    static constexpr bool batches = true;

    GA_FN acc neutral() { return 0; }
    GA_FN acc lift(in x, int64_t) { return x != 0; }
    GA_FN acc merge(acc a, acc b) { return a + b; }
    GA_FN void begin(acc &, in) {}
    template <int N, int D>
    GA_FN void absorb(acc &total, const ga_pack<in, N> (&packs)[D], int64_t, int64_t, int64_t)
    {
        int count = 0;
        GA_UNROLL
        for (int e = 0; e < N * D; e++)
            count += packs[e / N].v[e % N] != 0;
        total += count;
    }
    GA_FN out finish(const ga_reduce_stage &, acc total) { return total; }
};

template <class T> struct nonzero_kit {
    typedef ga_nonzero<T> P;
    static constexpr ga_reduce_kit kit = /* the stages after the first add up numbers, whatever they counted */
        ga_reduce_kit_of<P>(launch_rows<P>, launch_columns<P>, launch_strided<P>,
                            &ga_reduce_partial_kit<ga_nonzero<uint64_t>>::kit);
};

static const ga_reduce_kit *find_nonzero_kit(enum ga_dtype dtype)
{
    switch (dtype) {
    case GA_i32:
    case GA_u32:
        return &nonzero_kit<uint32_t>::kit;
    case GA_i64:
    case GA_u64:
        return &nonzero_kit<uint64_t>::kit;
    case GA_f32:
        return &nonzero_kit<float>::kit;
    case GA_f64:
        return &nonzero_kit<double>::kit;
    default:
        return nullptr;
    }
}

static const ga_reduce_kit *find_kit(enum ga_dtype dtype)
{
    switch (dtype) {
    case GA_f16:
        return &present_kit<ga_half>::kit;
    case GA_f32:
        return &present_kit<float>::kit;
    case GA_f64:
        return &present_kit<double>::kit;
    default:
        return nullptr;
    }
}

int ga_present_run(const ga_present_call *call, ga_stream *stream)
{
    const bool counts = call->reduce.dtype == GA_i64;
    const ga_reduce_kit *kit = counts ? find_nonzero_kit(call->reduce.src_dtype) : find_kit(call->reduce.dtype);
    ga_reduce_stage s;
    if (!kit)
        return ga_kernel_fail(GA_ERR_TYPE, "nansum, nanmean, count_nonzero: no kernel for dtype %d",
                              int(call->reduce.src_dtype));
    if (call->reduce.keep_size == 0)
        return 0;
    ga_reduce_fill(&call->reduce, &s);
    s.initial.bytes[mean_byte] = call->mean;
    s.direct = s.direct || counts;
    return ga_reduce_stages(kit, &s, stream);
}

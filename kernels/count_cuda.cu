/* Counting on a GPU. Owns ga_count_run and ga_histogram_run.
 *
 * Few bins are counted in shared memory, in as many copies as fit, neighbouring threads in different ones, so that
 * values that are all alike do not queue at one counter; a block adds its sums to the result at its end. Many bins are
 * counted where they lie. Integers add up to the same number in any order. Includes count.cuh. */
#include "count.cuh"

static const int count_counters = 8192; /* of a block in shared memory: 32 KiB */
static const int count_copies = 32;     /* at most: one a lane */
static const int count_batch = 8;       /* values a thread loads together */
static const int64_t count_piece = 1 << 14; /* values of a block */
static const int histogram_counters = 4096; /* of a block; its edges take shared memory too */
static const int histogram_copies = 16;

GA_FN void count_add(int64_t *counter, uint64_t by)
{
    atomicAdd(reinterpret_cast<unsigned long long *>(counter), (unsigned long long)by);
}

/* Calls visit(value) for the block's values. */
template <class T, class Visit> GA_FN void walk_piece(const void *values, int64_t size, const Visit &visit)
{
    int64_t end = (GA_BLOCK_ID + 1) * count_piece, last = end < size ? end : size;
    for (int64_t i = GA_BLOCK_ID * count_piece + GA_THREAD; i < last; i += GA_BLOCK * count_batch) {
        T value[count_batch];
        GA_UNROLL
        for (int k = 0; k < count_batch; k++)
            value[k] = i + k * GA_BLOCK < last ? ga_load(static_cast<const T *>(values) + i + k * GA_BLOCK) : T(0);
        GA_UNROLL
        for (int k = 0; k < count_batch; k++)
            if (i + k * GA_BLOCK < last)
                visit(value[k]);
    }
}

/* The block's counters, in copies beside each other. */
struct count_shared_bins {
    uint32_t *counters;
    int bins, copies;

    GA_METHOD void clear() const
    {
        for (int i = GA_THREAD; i < bins * copies; i += GA_BLOCK)
            counters[i] = 0;
        GA_SYNC();
    }

    GA_METHOD void add(int bin) const { atomicAdd(counters + bin * copies + (GA_THREAD & (copies - 1)), 1u); }

    GA_METHOD void flush(int64_t *counts) const
    {
        GA_SYNC();
        for (int bin = GA_THREAD; bin < bins; bin += GA_BLOCK) {
            uint64_t sum = 0;
            for (int k = 0; k < copies; k++) /* from the thread's own bank on */
                sum += counters[bin * copies + ((k + GA_THREAD) & (copies - 1))];
            if (sum)
                count_add(counts + bin, sum);
        }
    }
};

template <class T> struct count_in_shared {
    const ga_count_call &call;
    const count_shared_bins &bins;
    GA_METHOD void operator()(T value) const
    {
        uint64_t place = ga_count_place(call, value);
        if (place < uint64_t(call.bins))
            bins.add(int(place));
    }
};

template <class T> struct count_in_place {
    const ga_count_call &call;
    GA_METHOD void operator()(T value) const
    {
        uint64_t place = ga_count_place(call, value);
        if (place < uint64_t(call.bins))
            count_add(call.counts + place, 1);
    }
};

template <class T> struct count_between_edges {
    const T *edges;
    T scale;
    const count_shared_bins &bins;
    GA_METHOD void operator()(T value) const
    {
        int bin = ga_histogram_bin(edges, bins.bins, scale, value);
        if (bin >= 0)
            bins.add(bin);
    }
};

template <class T> GA_KERNEL count_shared(GA_PARAM ga_count_call call, int copies)
{
    GA_AWAIT();
    GA_SHARED uint32_t counters[count_counters];
    const count_shared_bins bins = {counters, int(call.bins), copies};
    bins.clear();
    walk_piece<T>(call.values, call.size, count_in_shared<T>{call, bins});
    bins.flush(call.counts);
}

template <class T> GA_KERNEL count_global(GA_PARAM ga_count_call call)
{
    GA_AWAIT();
    walk_piece<T>(call.values, call.size, count_in_place<T>{call});
}

template <class T> GA_KERNEL count_histogram(GA_PARAM ga_histogram_call call, int copies)
{
    GA_AWAIT();
    GA_SHARED uint32_t counters[histogram_counters];
    GA_SHARED T edges[GA_HISTOGRAM_BINS + 1];
    const count_shared_bins bins = {counters, int(call.bins), copies};
    for (int i = GA_THREAD; i <= call.bins; i += GA_BLOCK)
        edges[i] = static_cast<const T *>(call.edges)[i];
    bins.clear();
    const T scale = T(call.bins) / (edges[call.bins] - edges[0]);
    walk_piece<T>(call.values, call.size, count_between_edges<T>{edges, scale, bins});
    bins.flush(call.counts);
}

/* A power of two. */
static int count_most_copies(int64_t bins, int most, int counters)
{
    while (most * bins > counters)
        most /= 2;
    return most;
}

template <class T> static int count_typed(const ga_count_call *call, ga_stream *stream)
{
    int64_t blocks = (call->size + count_piece - 1) / count_piece;
    if (call->bins > count_counters)
        return ga_launch(count_global<T>, blocks, stream, *call);
    int copies = count_most_copies(call->bins, count_copies, count_counters);
    return ga_launch(count_shared<T>, blocks, stream, *call, copies);
}

int ga_count_run(const ga_count_call *call, ga_stream *stream)
{
    GA_COUNT_TYPED(count_typed, call, stream)
}

int ga_histogram_run(const ga_histogram_call *call, ga_stream *stream)
{
    int64_t blocks = (call->size + count_piece - 1) / count_piece;
    int copies = count_most_copies(call->bins, histogram_copies, histogram_counters);
    return call->dtype == GA_f32 ? ga_launch(count_histogram<float>, blocks, stream, *call, copies)
                                 : ga_launch(count_histogram<double>, blocks, stream, *call, copies);
}

/* Counting on the CPU. Owns ga_count_run and ga_histogram_run.
 *
 * Pieces of the values are counted by several threads where the bins are few enough for counters of a thread's own;
 * more bins than that are counted by one thread. Includes count.cuh. */
#include "count.cuh"

static const int64_t count_counters = 4096;
static const int64_t count_piece = 1 << 16;

/* Two sets of counters, so that runs of one value do not wait for their own stores. */
template <class T> GA_KERNEL count_pieces(ga_count_call call)
{
    uint32_t counters[2][count_counters];
    const T *values = static_cast<const T *>(call.values);
    for (int set = 0; set < 2; set++)
        memset(counters[set], 0, size_t(call.bins) * sizeof **counters);
    int64_t first = GA_BLOCK_ID * count_piece;
    int64_t last = first + count_piece < call.size ? first + count_piece : call.size;
    for (int64_t i = first; i < last; i++) {
        uint64_t place = ga_count_place(call, ga_load(values + i));
        if (place < uint64_t(call.bins))
            counters[i & 1][place]++;
    }
    for (int64_t bin = 0; bin < call.bins; bin++) {
        int64_t sum = int64_t(counters[0][bin]) + counters[1][bin];
        if (sum)
            __atomic_fetch_add(call.counts + bin, sum, __ATOMIC_RELAXED);
    }
}

template <class T> static int count_typed(const ga_count_call *call, ga_stream *stream)
{
    const T *values = static_cast<const T *>(call->values);
    if (call->bins <= count_counters)
        return ga_launch(count_pieces<T>, (call->size + count_piece - 1) / count_piece, stream, *call);
    for (int64_t i = 0; i < call->size; i++) {
        uint64_t place = ga_count_place(*call, ga_load(values + i));
        if (place < uint64_t(call->bins))
            call->counts[place]++;
    }
    return 0;
}

int ga_count_run(const ga_count_call *call, ga_stream *stream)
{
    GA_COUNT_TYPED(count_typed, call, stream)
}

template <class T> GA_KERNEL count_histogram(ga_histogram_call call)
{
    GA_AWAIT();
    uint32_t counters[GA_HISTOGRAM_BINS] = {};
    const T *values = static_cast<const T *>(call.values), *edges = static_cast<const T *>(call.edges);
    const T scale = T(call.bins) / (edges[call.bins] - edges[0]);
    int64_t first = GA_BLOCK_ID * count_piece;
    int64_t last = first + count_piece < call.size ? first + count_piece : call.size;
    for (int64_t i = first; i < last; i++) {
        int bin = ga_histogram_bin(edges, int(call.bins), scale, values[i]);
        if (bin >= 0)
            counters[bin]++;
    }
    for (int64_t bin = 0; bin < call.bins; bin++)
        if (counters[bin])
            __atomic_fetch_add(call.counts + bin, int64_t(counters[bin]), __ATOMIC_RELAXED);
}

int ga_histogram_run(const ga_histogram_call *call, ga_stream *stream)
{
    int64_t blocks = (call->size + count_piece - 1) / count_piece;
    return call->dtype == GA_f32 ? ga_launch(count_histogram<float>, blocks, stream, *call)
                                 : ga_launch(count_histogram<double>, blocks, stream, *call);
}

/* Sorting rows of keys of one width on the GPU: sort_width and sort_elements, for sort_cuda.cu. CUB's
 * sorts take long to compile, two widths of key are all there are.
 *
 * Rows that fit into a tile are sorted in shared memory (sort_tile_cuda.cuh). Longer rows go
 * through CUB: a few long ones one after another, many at once, a block each. */
#ifndef GA_SORT_WIDTH_CUDA_CUH
#define GA_SORT_WIDTH_CUDA_CUH

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <iterator>

#include "port.cuh"
#include "runtime_cuda.cuh"
#include "sort_keys.h"
#include "sort_tile_cuda.cuh"

/* ---- short rows ---- */

template <class K>
static int
sort_short_rows(ga_sort_job *job, ga_stream *stream)
{
    job->at = 1;
    return launch_tiles<K>({job->keys[0], job->keys[1], job->positions[0], job->positions[1], job->rows,
                            int32_t(job->length), 0, make_identity<K>()},
                           stream);
}

template <class K>
static int
sort_elements(const ga_sort_call *call, ga_stream *stream)
{
    return launch_tiles<K>({call->src, call->dst, nullptr, nullptr, call->rows, int32_t(call->length), 0,
                            make_codec<K>(call->dtype, call->descending)},
                           stream);
}

/* ---- CUB ---- */

/* Where rows begin: an iterator over the multiples of their length. */
struct row_starts {
    typedef std::random_access_iterator_tag iterator_category;
    typedef int64_t value_type;
    typedef int64_t difference_type;
    typedef const int64_t *pointer;
    typedef int64_t reference;
    int64_t length, row;
    __host__ __device__ int64_t
    operator*() const
    {
        return row * length;
    }
    __host__ __device__ int64_t
    operator[](int64_t i) const
    {
        return (row + i) * length;
    }
    __host__ __device__ row_starts
    operator+(int64_t i) const
    {
        return {length, row + i};
    }
};

/* Neighbouring rows, sorted by one call of CUB; `alone`: each batch is one row, on which the
 * whole GPU works. */
template <class K> struct row_batch {
    cub::DoubleBuffer<K> keys;
    cub::DoubleBuffer<uint32_t> positions;
    int64_t rows, length;
    int bits;
    bool pairs, alone;
};

template <class K>
static row_batch<K>
take_batch(const ga_sort_job *job, int64_t row, int64_t rows, bool alone)
{
    int64_t start = row * job->length;
    K *const *keys = reinterpret_cast<K *const *>(job->keys);
    bool pairs = job->positions[0] != nullptr;
    return {cub::DoubleBuffer<K>(keys[0] + start, keys[1] + start),
            pairs
                ? cub::DoubleBuffer<uint32_t>(job->positions[0] + start, job->positions[1] + start)
                : cub::DoubleBuffer<uint32_t>(),
            rows,
            job->length,
            job->bits,
            pairs,
            alone};
}

/* With memory NULL: how many bytes of it are needed. */
template <class K>
static cudaError_t
call_cub(void *memory, size_t *nbytes, row_batch<K> &batch, cudaStream_t stream)
{
    int64_t size = batch.rows * batch.length;
    row_starts begins = {batch.length, 0}, ends = {batch.length, 1};
    if (batch.alone && batch.pairs)
        return cub::DeviceRadixSort::SortPairs(memory, *nbytes, batch.keys, batch.positions, size,
                                               0, batch.bits, stream);
    if (batch.alone)
        return cub::DeviceRadixSort::SortKeys(memory, *nbytes, batch.keys, size, 0, batch.bits,
                                              stream);
    if (batch.pairs)
        return cub::DeviceSegmentedRadixSort::SortPairs(memory, *nbytes, batch.keys,
                                                        batch.positions, int(size), int(batch.rows),
                                                        begins, ends, 0, batch.bits, stream);
    return cub::DeviceSegmentedRadixSort::SortKeys(memory, *nbytes, batch.keys, int(size),
                                                   int(batch.rows), begins, ends, 0, batch.bits,
                                                   stream);
}

/* All batches leave their result in the buffer that the first one chose. */
template <class K>
static int
settle_batch(ga_sort_job *job, row_batch<K> &batch, bool first, cudaStream_t stream)
{
    size_t size = size_t(batch.rows * batch.length);
    if (first)
        job->at = batch.keys.selector;
    if (job->at == batch.keys.selector)
        return 0;
    cudaError_t error = cudaMemcpyAsync(batch.keys.Alternate(), batch.keys.Current(),
                                        size * sizeof(K), cudaMemcpyDeviceToDevice, stream);
    if (error == cudaSuccess && batch.pairs)
        error = cudaMemcpyAsync(batch.positions.Alternate(), batch.positions.Current(),
                                size * sizeof(uint32_t), cudaMemcpyDeviceToDevice, stream);
    return ga_cuda_check(error, "sort");
}

/* Rows of a batch: one where rows are few for their length (then all multiprocessors work on
 * one), else as many as CUB takes. */
static int64_t
rows_of_batch(const ga_sort_job *job)
{
    const int64_t most = INT32_MAX;
    if (job->rows * 8192 <= job->length || 2 * job->length > most)
        return 1;
    return job->rows * job->length <= most ? job->rows : most / job->length;
}

template <class K>
static int
sort_long_rows(ga_sort_job *job, ga_stream *stream)
{
    cudaStream_t handle = ga_runtime_handle(stream);
    int64_t most = rows_of_batch(job);
    row_batch<K> model = take_batch<K>(job, 0, most, most == 1);
    size_t nbytes = 0;
    void *memory = nullptr;
    if (ga_cuda_check(call_cub<K>(nullptr, &nbytes, model, handle), "sort") ||
        ga_runtime_alloc(nbytes ? nbytes : 1, stream, &memory))
        return -1;
    int status = 0;
    for (int64_t row = 0; row < job->rows && status == 0; row += most) {
        int64_t rows = row + most <= job->rows ? most : job->rows - row;
        row_batch<K> batch = take_batch<K>(job, row, rows, most == 1);
        size_t given = nbytes;
        status = ga_cuda_check(call_cub<K>(memory, &given, batch, handle), "sort") ||
                         settle_batch(job, batch, row == 0, handle)
                     ? -1
                     : 0;
    }
    return ga_runtime_free(memory, stream) ? -1 : status;
}

template <class K>
static int
sort_width(ga_sort_job *job, ga_stream *stream)
{
    return job->length <= tile_slots ? sort_short_rows<K>(job, stream)
                                     : sort_long_rows<K>(job, stream);
}

#endif

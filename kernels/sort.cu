/* Stable sorting of rows. Owns ga_sort_run, the way from elements to keys and back.
 *
 * Elements become unsigned keys (sort_key.cuh), so that four widths of key serve all dtypes;
 * ga_sort_keys sorts them, with 32-bit positions when those are asked for. Values alone come back
 * by decoding the keys, in place; with positions, and for complex numbers, whose keys do not
 * decode, elements are gathered. complex128 is sorted by its second word first, then, stably, by
 * its first. Memory beside the result is stream-ordered. Includes sort_key.cuh, sort_keys.h,
 * slots.h. */
#include "slots.h"
#include "sort_key.cuh"
#include "sort_keys.h"

/* Elements a block handles. */
static const int64_t sort_piece = GA_BLOCK == 1 ? 32768 : 2048;

/* The first element of the row in which element i lies. */
GA_FN int64_t
row_start(int64_t i, int64_t length, int64_t size)
{
    if (size == length)
        return 0;
    return size <= UINT32_MAX ? uint32_t(i) / uint32_t(length) * uint32_t(length)
                              : i / length * length;
}

GA_FN int64_t
clip_position(int64_t i, int64_t length)
{
    return i < 0 ? 0 : i < length ? i : length - 1;
}

/* What one encoding kernel reads and writes; positions NULL where they are not wanted. */
struct encode_plan {
    int64_t size, length;
    ga_sort_order order;
    const int64_t *given; /* the permutation of the call, or NULL */
    uint32_t *positions;
};

template <class T>
GA_KERNEL
sort_encode(const T *src, ga_sort_word<T> *keys, GA_PARAM encode_plan plan)
{
    GA_AWAIT();
    int64_t first = GA_BLOCK_ID * sort_piece;
    int64_t last = first + sort_piece < plan.size ? first + sort_piece : plan.size;
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK) {
        int64_t from = i;
        if (plan.positions) {
            int64_t start = row_start(i, plan.length, plan.size);
            int64_t position = plan.given ? clip_position(plan.given[i], plan.length) : i - start;
            plan.positions[i] = uint32_t(position);
            from = start + position;
        }
        T x = ga_load(src + from);
        keys[i] = ga_sort_words<T> == 2 ? ga_sort_secondary(x, plan.order)
                                        : ga_sort_primary(x, plan.order);
    }
}

/* The first words, for elements that already are in the order of their second. */
template <class T>
GA_KERNEL
sort_encode_again(const T *src, ga_sort_word<T> *keys, GA_PARAM encode_plan plan)
{
    GA_AWAIT();
    int64_t first = GA_BLOCK_ID * sort_piece;
    int64_t last = first + sort_piece < plan.size ? first + sort_piece : plan.size;
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK) {
        int64_t from = row_start(i, plan.length, plan.size) + plan.positions[i];
        keys[i] = ga_sort_primary(ga_load(src + from), plan.order);
    }
}

template <class T>
GA_KERNEL
sort_decode(const ga_sort_word<T> *keys, T *dst, int64_t size, ga_sort_order order)
{
    GA_AWAIT();
    int64_t first = GA_BLOCK_ID * sort_piece;
    int64_t last = first + sort_piece < size ? first + sort_piece : size;
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK)
        dst[i] = ga_sort_decode<T>(keys[i], order);
}

template <class T>
GA_KERNEL
sort_gather(const T *src, T *dst, const uint32_t *positions, int64_t size, int64_t length)
{
    GA_AWAIT();
    int64_t first = GA_BLOCK_ID * sort_piece;
    int64_t last = first + sort_piece < size ? first + sort_piece : size;
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK)
        dst[i] = src[row_start(i, length, size) + positions[i]];
}

GA_KERNEL
sort_widen(const uint32_t *positions, int64_t *dst, int64_t size)
{
    GA_AWAIT();
    int64_t first = GA_BLOCK_ID * sort_piece;
    int64_t last = first + sort_piece < size ? first + sort_piece : size;
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK)
        dst[i] = positions[i];
}

/* ---- memory of one call ---- */

enum { SPACE_KEYS, SPACE_OTHER_KEYS, SPACE_POSITIONS, SPACE_OTHER_POSITIONS, SPACE_SOURCE, SPACES };

struct sort_space {
    void *part[SPACES];
    ga_stream *stream;
};

static int
take_space(sort_space *space, int part, int64_t nbytes)
{
    return ga_runtime_alloc(size_t(nbytes), space->stream, &space->part[part]);
}

static int
release_space(sort_space *space, int status)
{
    for (int i = 0; i < SPACES; i++) {
        if (space->part[i] && ga_runtime_free(space->part[i], space->stream))
            status = -1;
    }
    return status;
}

static int64_t
count_blocks(int64_t size)
{
    return (size + sort_piece - 1) / sort_piece;
}

template <class T>
static ga_sort_job
describe_job(const ga_sort_call *call, const sort_space *space)
{
    return {int32_t(sizeof(ga_sort_word<T>)),
            ga_sort_bits<T>,
            0,
            call->rows,
            call->length,
            {space->part[SPACE_KEYS], space->part[SPACE_OTHER_KEYS]},
            {static_cast<uint32_t *>(space->part[SPACE_POSITIONS]),
             static_cast<uint32_t *>(space->part[SPACE_OTHER_POSITIONS])}};
}

/* ---- values alone: dst is one of the two buffers of keys, where those are as wide as elements
 * ---- */

template <class T>
static int
sort_values(const ga_sort_call *call, sort_space *space)
{
    typedef ga_sort_word<T> U;
    int64_t size = call->rows * call->length;
    encode_plan plan = {size, call->length, {call->descending, false}, nullptr, nullptr};
    constexpr bool in_place = sizeof(U) == sizeof(T);
    if (take_space(space, SPACE_OTHER_KEYS, size * int64_t(sizeof(U))) ||
        take_space(space, SPACE_KEYS, in_place ? 0 : size * int64_t(sizeof(U))))
        return -1;
    ga_sort_job job = describe_job<T>(call, space);
    job.keys[0] = in_place ? call->dst : job.keys[0];
    if (ga_launch(sort_encode<T>, count_blocks(size), space->stream,
                  static_cast<const T *>(call->src), static_cast<U *>(job.keys[0]), plan))
        return -1;
    /* If that fails, for want of memory, the elements must still come back as they were. */
    int status = ga_sort_keys(&job, space->stream);
    if (ga_launch(sort_decode<T>, count_blocks(size), space->stream,
                  static_cast<const U *>(job.keys[job.at]), static_cast<T *>(call->dst), size,
                  plan.order))
        return -1;
    return status;
}

/* ---- positions, and the elements in their order ---- */

static int
take_pair_space(sort_space *space, int64_t size, int64_t width)
{
    return take_space(space, SPACE_KEYS, size * width) ||
                   take_space(space, SPACE_OTHER_KEYS, size * width) ||
                   take_space(space, SPACE_POSITIONS, size * 4) ||
                   take_space(space, SPACE_OTHER_POSITIONS, size * 4)
               ? -1
               : 0;
}

template <class T>
static int
sort_again(ga_sort_job *job, const T *src, encode_plan plan, ga_stream *stream)
{
    typedef ga_sort_word<T> U;
    plan.positions = job->positions[job->at];
    if (ga_launch(sort_encode_again<T>, count_blocks(plan.size), stream, src,
                  static_cast<U *>(job->keys[job->at]), plan))
        return -1;
    if (job->at) {
        *job = {job->width,
                job->bits,
                0,
                job->rows,
                job->length,
                {job->keys[1], job->keys[0]},
                {job->positions[1], job->positions[0]}};
    }
    return ga_sort_keys(job, stream);
}

template <class T>
static int
gather_elements(const ga_sort_call *call, const uint32_t *positions, sort_space *space)
{
    int64_t size = call->rows * call->length;
    const void *src = call->src;
    if (call->dst == src) { /* a gather cannot read what it overwrites */
        if (take_space(space, SPACE_SOURCE, size * int64_t(sizeof(T))) ||
            ga_runtime_copy(space->part[SPACE_SOURCE], src, size_t(size) * sizeof(T),
                            GA_COPY_ON_DEVICE, space->stream))
            return -1;
        src = space->part[SPACE_SOURCE];
    }
    return ga_launch(sort_gather<T>, count_blocks(size), space->stream, static_cast<const T *>(src),
                     static_cast<T *>(call->dst), positions, size, call->length);
}

/* The elements in their order: those that are whole numbers come back from their keys, others are
 * gathered, since zeros of either sign have one key. */
template <class T>
static int
write_elements(const ga_sort_call *call, const ga_sort_job &job, sort_space *space)
{
    int64_t size = call->rows * call->length;
    if constexpr (std::is_integral<T>::value)
        return ga_launch(sort_decode<T>, count_blocks(size), space->stream,
                         static_cast<const ga_sort_word<T> *>(job.keys[job.at]),
                         static_cast<T *>(call->dst), size, ga_sort_order{call->descending, true});
    return gather_elements<T>(call, job.positions[job.at], space);
}

template <class T>
static int
write_pairs(const ga_sort_call *call, const ga_sort_job &job, sort_space *space)
{
    if (call->dst && write_elements<T>(call, job, space))
        return -1;
    return call->positions ? ga_launch(sort_widen, count_blocks(call->rows * call->length), space->stream,
                                       static_cast<const uint32_t *>(job.positions[job.at]),
                                       call->positions, call->rows * call->length)
                           : 0;
}

template <class T>
static int
sort_pairs(const ga_sort_call *call, sort_space *space)
{
    typedef ga_sort_word<T> U;
    int64_t size = call->rows * call->length;
    const T *src = static_cast<const T *>(call->src);
    if (take_pair_space(space, size, sizeof(U)))
        return -1;
    ga_sort_job job = describe_job<T>(call, space);
    encode_plan plan = {
        size, call->length, {call->descending, true}, call->order, job.positions[0]};
    if (ga_launch(sort_encode<T>, count_blocks(size), space->stream, src,
                  static_cast<U *>(job.keys[0]), plan) ||
        ga_sort_keys(&job, space->stream) ||
        (ga_sort_words<T> == 2 && sort_again(&job, src, plan, space->stream)))
        return -1;
    return write_pairs<T>(call, job, space);
}

template <class T>
static int
sort_typed(const ga_sort_call *call, ga_stream *stream)
{
    sort_space space = {{}, stream};
    if constexpr (!ga_is_complex<T>::value) {
        if (!call->positions && !call->order)
            return release_space(&space, sort_values<T>(call, &space));
    }
    return release_space(&space, sort_pairs<T>(call, &space));
}

int
ga_sort_run(const ga_sort_call *call, ga_stream *stream)
{
    if (call->rows == 0 || call->length == 0)
        return 0;
    int status;
    if (!call->positions && !call->order && ga_sort_short(call, stream, &status))
        return status;
    if (call->length > UINT32_MAX)
        return ga_kernel_fail(
            GA_ERR_UNSUPPORTED, "sort: %lld elements along one axis are more than %llu",
            static_cast<long long>(call->length), static_cast<unsigned long long>(UINT32_MAX));
    switch (call->dtype) {
#define GA_DTYPE(id, ctype, ...) \
    case GA_##id: \
        return sort_typed<ctype>(call, stream);
#define GA_STORED GA_DTYPE
#include "../csrc/tables/dtypes.def"
    default:
        return ga_kernel_fail(GA_ERR_TYPE, "sort: unknown dtype %d", int(call->dtype));
    }
}

/* Selection: which way a call goes. Owns ga_rank_run, ga_partition_run.
 *
 * Rows of some length are selected from by ga_rank_select and ga_rank_partition, a pair of sources. Short rows, many
 * places at once and complex numbers, whose keys are two words, are sorted, and what is asked for is copied out of the
 * sorted rows. Includes kinds.h, rank.h, slots.h. */
#include "kinds.h"
#include "rank.h"
#include "slots.h"

/* Copies a block makes. */
static const int64_t rank_piece = GA_BLOCK == 1 ? 4096 : 1024;

GA_FN int64_t
place_in_row(const ga_rank_call &call, int64_t i)
{
    int64_t place = call.places ? call.places[i] : call.place[i / call.rows];
    return place < 0 ? 0 : place < call.length ? place : call.length - 1;
}

template <class U>
GA_KERNEL
rank_pick(GA_PARAM ga_rank_call call, const U *sorted)
{
    GA_AWAIT();
    int64_t first = GA_BLOCK_ID * rank_piece, size = call.rows * call.count;
    int64_t last = first + rank_piece < size ? first + rank_piece : size;
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK)
        static_cast<U *>(call.dst)[i] = sorted[i % call.rows * call.length + place_in_row(call, i)];
}

/* The first `kept` elements of each row. */
template <class U>
GA_KERNEL
rank_cut(const U *rows, U *dst, int64_t size, int64_t length, int64_t kept)
{
    GA_AWAIT();
    int64_t first = GA_BLOCK_ID * rank_piece;
    int64_t last = first + rank_piece < size ? first + rank_piece : size;
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK)
        dst[i] = rows[i / kept * length + i % kept];
}

struct rank_two_words {
    uint64_t word[2];
};

static int64_t
count_blocks(int64_t size)
{
    return (size + rank_piece - 1) / rank_piece;
}

static int
pick_places(const ga_rank_call *call, const void *sorted, ga_stream *stream)
{
    int64_t blocks = count_blocks(call->rows * call->count);
    switch (ga_dtype_kinds[call->dtype].size) {
    case 1:
        return ga_launch(rank_pick<uint8_t>, blocks, stream, *call,
                         static_cast<const uint8_t *>(sorted));
    case 2:
        return ga_launch(rank_pick<uint16_t>, blocks, stream, *call,
                         static_cast<const uint16_t *>(sorted));
    case 4:
        return ga_launch(rank_pick<uint32_t>, blocks, stream, *call,
                         static_cast<const uint32_t *>(sorted));
    case 8:
        return ga_launch(rank_pick<uint64_t>, blocks, stream, *call,
                         static_cast<const uint64_t *>(sorted));
    default:
        return ga_launch(rank_pick<rank_two_words>, blocks, stream, *call,
                         static_cast<const rank_two_words *>(sorted));
    }
}

template <class U>
static int
cut_rows(const ga_partition_call *call, const void *rows, void *dst, ga_stream *stream)
{
    int64_t size = call->rows * call->kept;
    return ga_launch(rank_cut<U>, count_blocks(size), stream, static_cast<const U *>(rows),
                     static_cast<U *>(dst), size, call->length, call->kept);
}

static int
cut_elements(const ga_partition_call *call, const void *rows, ga_stream *stream)
{
    switch (ga_dtype_kinds[call->dtype].size) {
    case 1:
        return cut_rows<uint8_t>(call, rows, call->dst, stream);
    case 2:
        return cut_rows<uint16_t>(call, rows, call->dst, stream);
    case 4:
        return cut_rows<uint32_t>(call, rows, call->dst, stream);
    case 8:
        return cut_rows<uint64_t>(call, rows, call->dst, stream);
    default:
        return cut_rows<rank_two_words>(call, rows, call->dst, stream);
    }
}

/* ---- the way by sorting ---- */

struct sorted_rows {
    void *elements, *positions;
    ga_stream *stream;
};

static int
take_rows(sorted_rows *sorted, int64_t elements, int64_t positions)
{
    if (elements && ga_runtime_alloc(size_t(elements), sorted->stream, &sorted->elements))
        return -1;
    return positions ? ga_runtime_alloc(size_t(positions), sorted->stream, &sorted->positions) : 0;
}

static int
release_rows(sorted_rows *sorted, int status)
{
    if (sorted->elements && ga_runtime_free(sorted->elements, sorted->stream))
        status = -1;
    if (sorted->positions && ga_runtime_free(sorted->positions, sorted->stream))
        status = -1;
    return status;
}

static int
rank_by_sorting(const ga_rank_call *call, ga_stream *stream)
{
    sorted_rows sorted = {nullptr, nullptr, stream};
    int64_t nbytes = call->rows * call->length * ga_dtype_kinds[call->dtype].size;
    if (take_rows(&sorted, nbytes, 0))
        return -1;
    ga_sort_call sort = {call->dtype, false,          call->rows, call->length,
                         call->src,   sorted.elements, nullptr,    nullptr};
    int status = ga_sort_run(&sort, stream) || pick_places(call, sorted.elements, stream) ? -1 : 0;
    return release_rows(&sorted, status);
}

static int
partition_by_sorting(const ga_partition_call *call, ga_stream *stream)
{
    sorted_rows sorted = {nullptr, nullptr, stream};
    bool whole = call->kept == call->length;
    int64_t size = whole ? 0 : call->rows * call->length;
    if (take_rows(&sorted, call->dst ? size * ga_dtype_kinds[call->dtype].size : 0,
                  call->positions ? size * int64_t(sizeof(int64_t)) : 0))
        return release_rows(&sorted, -1);
    ga_sort_call sort = {call->dtype, call->descending, call->rows, call->length, call->src,
                         whole ? call->dst : sorted.elements,
                         whole ? call->positions : static_cast<int64_t *>(sorted.positions),
                         nullptr};
    int status = ga_sort_run(&sort, stream);
    if (status == 0 && sorted.elements)
        status = cut_elements(call, sorted.elements, stream);
    if (status == 0 && sorted.positions)
        status = cut_rows<int64_t>(call, sorted.positions, call->positions, stream);
    return release_rows(&sorted, status);
}

/* ---- the choice ---- */

static ga_rank_job
describe_job(enum ga_dtype dtype, ga_sort_order order)
{
    ga_dtype_kind is = ga_dtype_kinds[dtype];
    enum ga_rank_kind kind = dtype == GA_bf16   ? GA_RANK_BFLOAT
                             : dtype == GA_e4m3 ? GA_RANK_E4M3
                             : dtype == GA_e5m2 ? GA_RANK_E5M2
                             : is.kind == 'b' ? GA_RANK_BOOL
                             : is.kind == 'i' ? GA_RANK_SIGNED
                             : is.kind == 'f' ? GA_RANK_FLOAT
                             : is.kind == 'u' ? GA_RANK_UNSIGNED
                                              : GA_RANK_TIME;
    return {is.size, {kind, order}};
}

static bool
wants_sorting(enum ga_dtype dtype, int64_t length)
{
    return ga_dtype_kinds[dtype].kind == 'c' || length <= ga_rank_short || length > UINT32_MAX;
}

int
ga_rank_run(const ga_rank_call *call, ga_stream *stream)
{
    if (call->rows == 0 || call->length == 0 || call->count == 0)
        return 0;
    if (wants_sorting(call->dtype, call->length) || call->count > GA_RANK_PLACES)
        return rank_by_sorting(call, stream);
    return ga_rank_select(call, describe_job(call->dtype, {false, false}), stream);
}

int
ga_partition_run(const ga_partition_call *call, ga_stream *stream)
{
    if (call->rows == 0 || call->length == 0 || call->kept == 0)
        return 0;
    if (wants_sorting(call->dtype, call->length))
        return partition_by_sorting(call, stream);
    ga_sort_order order = {call->descending, call->positions != nullptr};
    return ga_rank_partition(call, describe_job(call->dtype, order), stream);
}

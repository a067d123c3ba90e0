/* Order statistics on a GPU, by radix select. The pair of rank_cpu.cc; owns ga_rank_select,
 * ga_rank_find.
 *
 * A walk over a row counts the digits of its candidates in shared memory, in several copies where
 * there is room, so that threads with like digits do not queue; rank_state.cuh makes the next digit
 * of the counts. Many or shorter rows are a block's work from the first digit to the last. A few
 * long ones are cut into parts, a block each: the last block of a walk has the sums of all, and
 * settles the digit. Once few candidates are left, each block keeps those of its part in a section
 * of memory, and later walks go over sections; where one is too small, candidates lying together,
 * the next walk goes over the whole row again. Nothing waits for the host. Includes rank_cuda.h,
 * rank_state.cuh, runtime_cuda.cuh. */
#include "rank_cuda.h"
#include "rank_state.cuh"
#include "runtime_cuda.cuh"

static const int rank_counters = 8192; /* of a block in shared memory: 32 KiB */
static const int rank_batch = 8;       /* elements a thread loads together */
static const int rank_stride = GA_BLOCK * rank_batch;
static const int rank_thinning = 4; /* of this many elements of a part one has room in its section */
static const int64_t rank_long = 1 << 15; /* shorter rows are one block's work */
static const int rank_residents = 4; /* blocks that a multiprocessor has at once */

template <class U> struct rank_plan {
    ga_rank_call call;
    ga_rank_order order;
    ga_rank_pivot *pivots;
    /* Of rows in parts: */
    int32_t parts;
    int64_t share;         /* elements of a part */
    int64_t width;         /* counters of a row */
    rank_state<U> *states; /* of a row */
    uint32_t *counts, *arrived, *crowded; /* of a row: sums, blocks that are done, whether a section was too small */
    int32_t *kept_counts; /* of a part */
    U *kept;
};

/* ---- a walk ---- */

/* Where a walk keeps candidates; elements NULL: nowhere. */
template <class U> struct rank_section {
    U *elements;
    int32_t *count; /* in shared memory; beyond the room: too many */
    int32_t room;
};

GA_FN int
copies_of(int groups, int bits, int most)
{
    int copies = most;
    while ((groups << bits) * copies > rank_counters)
        copies /= 2;
    return copies;
}

/* What a walk looks for: what all elements are asked, out of the way of shared memory. */
template <class U> struct rank_search {
    ga_rank_order order;
    rank_digit digit;
    U known, prefix; /* prefix: of the first group */
    int groups, copies;
};

template <class U>
GA_FN rank_search<U>
begin_search(const rank_state<U> &state, ga_rank_order order, rank_digit digit, int copies)
{
    return {order, digit, known_bits<U>(digit), state.prefix[0], state.groups, copies};
}

template <class U>
GA_FN int
group_of(const rank_search<U> &search, const rank_state<U> &state, U key)
{
    if (U((key ^ search.prefix) & search.known) == 0)
        return 0;
    for (int g = 1; g < search.groups; g++)
        if (U((key ^ state.prefix[g]) & search.known) == 0)
            return g;
    return -1;
}

template <class U>
GA_FN void
count_element(const rank_search<U> &search, const rank_state<U> &state, U element, uint32_t *counters,
              const rank_section<U> &section)
{
    U key = ga_rank_key(element, search.order);
    int g = group_of(search, state, key);
    if (g < 0)
        return;
    int value = int(key >> search.digit.shift) & ((1 << search.digit.bits) - 1);
    int counter = ((g << search.digit.bits) + value) * search.copies + (GA_THREAD & (search.copies - 1));
    atomicAdd(counters + counter, 1u);
    if (section.elements) {
        int at = atomicAdd(section.count, 1);
        if (at < section.room)
            section.elements[at] = element;
    }
}

template <class U>
GA_FN void
count_elements(const rank_search<U> &search, const rank_state<U> &state, const U *from, int64_t size,
               uint32_t *counters, const rank_section<U> &section)
{
    int64_t first = GA_THREAD;
    for (; first + (rank_batch - 1) * GA_BLOCK < size; first += rank_stride) {
        U element[rank_batch];
        GA_UNROLL
        for (int k = 0; k < rank_batch; k++)
            element[k] = from[first + k * GA_BLOCK];
        GA_UNROLL
        for (int k = 0; k < rank_batch; k++)
            count_element(search, state, element[k], counters, section);
    }
    for (; first < size; first += GA_BLOCK)
        count_element(search, state, from[first], counters, section);
}

GA_FN void
clear_counters(uint32_t *counters, int used)
{
    for (int i = GA_THREAD; i < used; i += GA_BLOCK)
        counters[i] = 0;
}

/* The sum of `words` counters, a power of two, the thread's own as its neighbours' lie beside them:
 * each begins where no other of its warp reads from the same bank. */
GA_FN uint32_t
sum_words(const uint32_t *counters, int words)
{
    const int turn = (GA_THREAD % 32 * words) / 32;
    uint32_t sum = 0;
    for (int k = 0; k < words; k++)
        sum += counters[(k + turn) & (words - 1)];
    return sum;
}

/* ---- the end ---- */

template <class U>
GA_FN void
finish_row(const rank_plan<U> &plan, int64_t row, const rank_state<U> &state)
{
    const int t = GA_THREAD;
    if (t >= plan.call.count)
        return;
    U key = state.prefix[state.group[t]];
    if (plan.call.dst)
        static_cast<U *>(plan.call.dst)[t * plan.call.rows + row] = ga_rank_bits(key, plan.order);
    if (plan.pivots)
        plan.pivots[row] = {uint64_t(key), plan.call.place[t] - state.rest[t], state.alike[t]};
}

/* The digit after this one; false behind the last. */
GA_MEMBER static inline bool
next_digit(rank_digit *digit, int places)
{
    int bits = places <= 4 ? rank_most_bits : 8;
    if (digit->shift == 0)
        return false;
    digit->bits = bits < digit->shift ? bits : digit->shift;
    digit->shift -= digit->bits;
    return true;
}

template <class U>
GA_MEMBER static inline rank_digit
first_digit()
{
    int width = int(8 * sizeof(U)), bits = rank_most_bits < width ? rank_most_bits : width;
    return {width - bits, bits};
}

/* ---- a row a block ---- */

struct rank_shared_count {
    const uint32_t *counters;
    int base, copies;
    GA_METHOD int64_t
    operator()(int value) const
    {
        return sum_words(counters + (base + value) * copies, copies);
    }
    GA_METHOD int64_t
    sum(int first, int last) const
    {
        return sum_words(counters + (base + first) * copies, (last - first) * copies);
    }
};

template <class U>
GA_KERNEL
rank_rows(GA_PARAM rank_plan<U> plan)
{
    GA_AWAIT();
    GA_SHARED rank_state<U> state;
    GA_SHARED rank_found<U> found;
    GA_SHARED uint32_t counters[rank_counters];
    const U *from = static_cast<const U *>(plan.call.src) + GA_BLOCK_ID * plan.call.length;
    rank_digit digit = first_digit<U>();
    begin_state(plan.call, GA_BLOCK_ID, state);
    do {
        GA_SYNC();
        int copies = copies_of(state.groups, digit.bits, 2);
        clear_counters(counters, (state.groups << digit.bits) * copies);
        GA_SYNC();
        count_elements(begin_search(state, plan.order, digit, copies), state, from, plan.call.length,
                       counters, rank_section<U>{nullptr, nullptr, 0});
        GA_SYNC();
        for (int g = 0; g < state.groups; g++)
            find_digits(state, found, plan.call.count, g, digit,
                        rank_shared_count{counters, g << digit.bits, copies});
        form_groups(state, found, plan.call.count);
    } while (next_digit(&digit, plan.call.count));
    finish_row(plan, GA_BLOCK_ID, state);
}

/* ---- rows in parts ---- */

template <class U>
GA_FN void
copy_state(const rank_state<U> &from, rank_state<U> &to)
{
    const uint32_t *words = reinterpret_cast<const uint32_t *>(&from);
    uint32_t *copies = reinterpret_cast<uint32_t *>(&to);
    for (int i = GA_THREAD; i < int(sizeof from / sizeof *words); i += GA_BLOCK)
        copies[i] = words[i];
}

/* The elements that this block walks over, and how many. */
template <class U>
GA_FN const U *
find_part(const rank_plan<U> &plan, const rank_state<U> &state, int64_t *size)
{
    int64_t row = GA_BLOCK_ID / plan.parts, first = GA_BLOCK_ID % plan.parts * plan.share;
    if (state.narrowed) {
        *size = plan.kept_counts[GA_BLOCK_ID];
        return plan.kept + GA_BLOCK_ID * (plan.share / rank_thinning);
    }
    int64_t left = plan.call.length - first;
    *size = left < plan.share ? left : plan.share;
    return static_cast<const U *>(plan.call.src) + row * plan.call.length + first;
}

/* Adds this block's counts to those of the row. */
template <class U>
GA_FN void
add_counts(const rank_plan<U> &plan, const uint32_t *counters, int used, int copies)
{
    uint32_t *counts = plan.counts + GA_BLOCK_ID / plan.parts * plan.width;
    for (int i = GA_THREAD; i < used; i += GA_BLOCK) {
        uint32_t sum = sum_words(counters + i * copies, copies);
        if (sum)
            atomicAdd(counts + i, sum);
    }
}

template <class U>
GA_FN void
close_section(const rank_plan<U> &plan, const rank_section<U> &section)
{
    if (GA_THREAD != 0 || !section.elements)
        return;
    int count = *section.count;
    plan.kept_counts[GA_BLOCK_ID] = count < section.room ? count : section.room;
    if (count > section.room)
        plan.crowded[GA_BLOCK_ID / plan.parts] = 1;
}

/* Whether this block is the last of its row to arrive here; then all that the others wrote before is there to read. */
template <class U>
GA_FN bool
arrives_last(const rank_plan<U> &plan)
{
    GA_SHARED bool last;
    uint32_t *arrived = plan.arrived + GA_BLOCK_ID / plan.parts;
    __threadfence();
    GA_SYNC();
    if (GA_THREAD == 0) {
        last = atomicAdd(arrived, 1u) == uint32_t(plan.parts - 1);
        if (last)
            *arrived = 0;
    }
    GA_SYNC();
    __threadfence();
    return last;
}

struct rank_global_count {
    const uint32_t *counts;
    GA_METHOD int64_t
    operator()(int value) const
    {
        return __ldcg(counts + value);
    }
    GA_METHOD int64_t
    sum(int first, int last) const
    {
        int64_t sum = 0;
        for (int value = first; value < last; value++)
            sum += (*this)(value);
        return sum;
    }
};

/* By the last block of a row: the digit, and what the next walk does. */
template <class U>
GA_FN void
settle_digit(const rank_plan<U> &plan, int64_t row, rank_digit digit, rank_state<U> &state,
             rank_found<U> &found)
{
    uint32_t *counts = plan.counts + row * plan.width;
    int groups = state.groups;
    for (int g = 0; g < groups; g++)
        find_digits(state, found, plan.call.count, g, digit, rank_global_count{counts + (g << digit.bits)});
    int64_t candidates = form_groups(state, found, plan.call.count);
    clear_counters(counts, groups << digit.bits);
    if (GA_THREAD == 0) {
        if (state.narrowing)
            state.narrowed = __ldcg(plan.crowded + row) == 0;
        state.narrowing = !state.narrowed && digit.shift > rank_most_bits &&
                          candidates * (rank_thinning + 2) <= plan.call.length;
        plan.crowded[row] = 0;
    }
    GA_SYNC();
    if (digit.shift == 0)
        finish_row(plan, row, state);
    else
        copy_state(state, plan.states[row]);
}

template <class U>
GA_KERNEL
rank_walk(GA_PARAM rank_plan<U> plan, rank_digit digit, bool first)
{
    GA_AWAIT();
    GA_SHARED rank_state<U> state;
    GA_SHARED rank_found<U> found;
    GA_SHARED uint32_t counters[rank_counters];
    GA_SHARED int32_t kept;
    const int64_t row = GA_BLOCK_ID / plan.parts;
    if (first)
        begin_state(plan.call, row, state);
    else
        copy_state(plan.states[row], state);
    if (GA_THREAD == 0)
        kept = 0;
    GA_SYNC();
    const int copies = copies_of(state.groups, digit.bits, 32), used = state.groups << digit.bits;
    const int32_t room = int32_t(plan.share / rank_thinning);
    rank_section<U> section = {state.narrowing ? plan.kept + GA_BLOCK_ID * room : nullptr, &kept, room};
    clear_counters(counters, used * copies);
    GA_SYNC();
    int64_t size;
    const U *from = find_part(plan, state, &size);
    count_elements(begin_search(state, plan.order, digit, copies), state, from, size, counters,
                   section);
    GA_SYNC();
    add_counts(plan, counters, used, copies);
    close_section(plan, section);
    if (arrives_last(plan))
        settle_digit(plan, row, digit, state, found);
}

/* ---- the calls ---- */

/* Parts of each row, so that all are resident at once; 1: rows are a block's work. */
static int
choose_parts(const ga_rank_call *call, ga_stream *stream, int *parts)
{
    int processors = 1;
    *parts = 1;
    if (call->length < rank_long)
        return 0;
    if (ga_cuda_check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, stream->device),
                      "selection"))
        return -1;
    int64_t fitting = int64_t(processors) * rank_residents / call->rows;
    int64_t most = call->length / (2 * rank_stride);
    *parts = int(fitting < 1 ? 1 : fitting < most ? fitting : most);
    return 0;
}

/* Counters that a row needs: of all groups of one digit. */
static int64_t
count_counters(int places)
{
    int64_t later = places <= 4 ? int64_t(places) << rank_most_bits : int64_t(places) << 8;
    return later > 1 << rank_most_bits ? later : 1 << rank_most_bits;
}

/* The memory of a plan behind one another: what must be zero, which is as long as `zeroed` says, then the rest. */
template <class U>
static size_t
place_memory(rank_plan<U> *plan, char *memory, size_t *zeroed)
{
    size_t rows = size_t(plan->call.rows), blocks = rows * size_t(plan->parts), at = 0;
    auto take = [&](size_t nbytes) {
        char *part = memory + at;
        at += (nbytes + 255) / 256 * 256;
        return part;
    };
    plan->counts = reinterpret_cast<uint32_t *>(take(rows * size_t(plan->width) * sizeof(uint32_t)));
    plan->arrived = reinterpret_cast<uint32_t *>(take(rows * sizeof(uint32_t)));
    plan->crowded = reinterpret_cast<uint32_t *>(take(rows * sizeof(uint32_t)));
    *zeroed = at;
    plan->states = reinterpret_cast<rank_state<U> *>(take(rows * sizeof(rank_state<U>)));
    plan->kept_counts = reinterpret_cast<int32_t *>(take(blocks * sizeof(int32_t)));
    plan->kept = reinterpret_cast<U *>(take(blocks * size_t(plan->share / rank_thinning) * sizeof(U)));
    return at;
}

template <class U>
static int
walk_parts(rank_plan<U> *plan, ga_stream *stream)
{
    size_t zeroed;
    void *memory = nullptr;
    plan->share = (plan->call.length + plan->parts - 1) / plan->parts;
    plan->share = (plan->share + rank_stride - 1) / rank_stride * rank_stride;
    plan->parts = int32_t((plan->call.length + plan->share - 1) / plan->share);
    plan->width = count_counters(plan->call.count);
    if (ga_runtime_alloc(place_memory(plan, nullptr, &zeroed), stream, &memory))
        return -1;
    place_memory(plan, static_cast<char *>(memory), &zeroed);
    int status = ga_cuda_check(cudaMemsetAsync(memory, 0, zeroed, ga_runtime_handle(stream)), "selection");
    rank_digit digit = first_digit<U>();
    bool first = true, more = true;
    for (; status == 0 && more; first = false) {
        status = ga_launch(rank_walk<U>, plan->call.rows * plan->parts, stream, *plan, digit, first);
        more = next_digit(&digit, plan->call.count);
    }
    return ga_runtime_free(memory, stream) ? -1 : status;
}

template <class U>
static int
find_typed(const ga_rank_call *call, ga_rank_order order, ga_rank_pivot *pivots, ga_stream *stream)
{
    rank_plan<U> plan = {};
    plan.call = *call;
    plan.order = order;
    plan.pivots = pivots;
    if (choose_parts(call, stream, &plan.parts))
        return -1;
    return plan.parts > 1 ? walk_parts(&plan, stream) : ga_launch(rank_rows<U>, call->rows, stream, plan);
}

int
ga_rank_find(const ga_rank_call *call, ga_rank_job job, ga_rank_pivot *pivots, ga_stream *stream)
{
    switch (job.width) {
    case 1:
        return find_typed<uint8_t>(call, job.order, pivots, stream);
    case 2:
        return find_typed<uint16_t>(call, job.order, pivots, stream);
    case 4:
        return find_typed<uint32_t>(call, job.order, pivots, stream);
    default:
        return find_typed<uint64_t>(call, job.order, pivots, stream);
    }
}

int
ga_rank_select(const ga_rank_call *call, ga_rank_job job, ga_stream *stream)
{
    return ga_rank_find(call, job, nullptr, stream);
}

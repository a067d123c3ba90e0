/* Radix select, the part that a block does between two walks over a row: from counts to digits. On
 * the GPU only.
 *
 * Keys are looked at a digit at a time, from the highest. All places whose keys agree so far are a
 * group: its keys are the candidates of its places, and how often each digit is there among them
 * says which digit each place has and where among those alike it lies. Places with other digits
 * part into groups of their own. After the last digit a group's prefix is the key.
 *
 * A digit has at most 2048 values, which the threads share: neighbouring values are one thread's.
 * What counts them is an object: count(value) says how often one is there, count.sum(first, last)
 * how often some neighbours are. Includes block.cuh, rank.h. */
#pragma once
#include "block.cuh"
#include "rank.h"

static const int rank_most_bits = 11;

struct rank_sum {
    typedef int64_t acc;
    GA_FN acc
    merge(acc a, acc b)
    {
        return a + b;
    }
    GA_FN acc
    neutral()
    {
        return 0;
    }
};

template <class U> struct rank_state {
    int32_t groups;
    bool narrowing; /* the next walk keeps the candidates, where those are few */
    bool narrowed;  /* walks go over the kept ones */
    U prefix[GA_RANK_PLACES];           /* of a group */
    int32_t group[GA_RANK_PLACES];      /* of a place */
    int64_t rest[GA_RANK_PLACES];       /* of a place: candidates that come before it */
    int64_t alike[GA_RANK_PLACES];      /* of a place: candidates there are */
};

/* What the counts say of each place: its prefix with the new digit, and the rest of the state. */
template <class U> struct rank_found {
    U prefix[GA_RANK_PLACES];
    int64_t rest[GA_RANK_PLACES];
    int64_t alike[GA_RANK_PLACES];
};

/* Where a digit lies in a key: `known` are the bits above it. */
struct rank_digit {
    int32_t shift, bits;
};

template <class U>
GA_FN U
known_bits(rank_digit digit)
{
    int above = digit.shift + digit.bits;
    return above >= int(8 * sizeof(U)) ? U(0) : U(~uint64_t(0) << above);
}

template <class U>
GA_FN void
begin_state(const ga_rank_call &call, int64_t row, rank_state<U> &state)
{
    if (GA_THREAD == 0) {
        state.groups = 1;
        state.narrowing = state.narrowed = false;
        state.prefix[0] = 0;
    }
    if (GA_THREAD >= call.count)
        return;
    int64_t place = call.places ? call.places[GA_THREAD * call.rows + row] : call.place[GA_THREAD];
    state.group[GA_THREAD] = 0;
    state.rest[GA_THREAD] = place < 0 ? 0 : place < call.length ? place : call.length - 1;
}

/* The digits of group g's places; `count` counts its candidates. */
template <class U, class Count>
GA_FN void
find_digits(const rank_state<U> &state, rank_found<U> &found, int places, int g, rank_digit digit,
            const Count &count)
{
    const int values = 1 << digit.bits, share = values / GA_BLOCK > 0 ? values / GA_BLOCK : 1;
    const int first = GA_THREAD * share, last = first < values ? first + share : first;
    const int64_t mine = count.sum(first, last);
    int64_t before[1] = {mine}, total;
    ga_block_scan<rank_sum, 1>(before, total, GA_BLOCK);
    for (int t = 0; t < places; t++) {
        int64_t rest = state.rest[t] - before[0];
        if (state.group[t] != g || rest < 0 || rest >= mine)
            continue;
        int value = first;
        for (int64_t here = count(value); rest >= here; here = count(++value))
            rest -= here;
        found.prefix[t] = U(state.prefix[g] | U(U(value) << digit.shift));
        found.rest[t] = rest;
        found.alike[t] = count(value);
    }
}

/* The first place that has the prefix of place t. */
template <class U>
GA_FN int
leader_of(const rank_found<U> &found, int t)
{
    int first = 0;
    while (found.prefix[first] != found.prefix[t])
        first++;
    return first;
}

/* Groups by the new prefixes; gives thread 0 the number of candidates of all. */
template <class U>
GA_FN int64_t
form_groups(rank_state<U> &state, const rank_found<U> &found, int places)
{
    int64_t candidates = 0;
    GA_SYNC();
    if (GA_THREAD < places) {
        int leader = leader_of(found, GA_THREAD), group = 0;
        for (int t = 0; t < leader; t++)
            group += leader_of(found, t) == t;
        state.group[GA_THREAD] = group;
        if (leader == GA_THREAD)
            state.prefix[group] = found.prefix[GA_THREAD];
        state.rest[GA_THREAD] = found.rest[GA_THREAD];
        state.alike[GA_THREAD] = found.alike[GA_THREAD];
    }
    if (GA_THREAD == 0) {
        int groups = 0;
        for (int t = 0; t < places; t++) {
            bool leads = leader_of(found, t) == t;
            groups += leads;
            candidates += leads ? found.alike[t] : 0;
        }
        state.groups = groups;
    }
    GA_SYNC();
    return candidates;
}

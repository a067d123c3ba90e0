/* Between cast.cu, which plans a conversion, and cast_groups.cu, which has the loops.
 * Includes convert.cuh, iterate.cuh, kinds.h. */
#pragma once
#include "convert.cuh"
#include "iterate.cuh"
#include "kinds.h"

/* Unit change of a time: times num, divided by den (floor). */
struct ga_cast_scale {
    int64_t num, den;
};

/* Truths as floats on the CPU: compilers make vectors of a selection, and none of the conversion. */
template <class To> struct ga_cast_truth {
    template <class T>
    GA_METHOD To
    call(T x) const
    {
        return x ? To(1) : To(0);
    }
};

/* What converts elements in memory. */
template <class From, class To>
using ga_cast_functor =
    typename std::conditional<GA_BLOCK == 1 && std::is_same<From, bool>::value && std::is_floating_point<To>::value,
                              ga_cast_truth<To>, ga_convert_to<To>>::type;

/* ---- which loop serves a conversion ---- */
struct ga_cast_pair {
    enum ga_dtype in, out;
};

constexpr enum ga_dtype
ga_cast_number(enum ga_dtype dtype)
{
    return dtype == GA_M8 || dtype == GA_m8 ? GA_i64 : dtype;
}

/* The conversion that moves the same bits, and has a loop: times are int64; signs matter only where
 * integers get wider, or become floats, or where floats become integers of more than 16 bits. Of
 * equal dtypes: a copy. Changes of a time's unit are m8 to m8. */
constexpr ga_cast_pair
ga_cast_kin(enum ga_dtype in, enum ga_dtype out)
{
    in = ga_cast_number(in);
    out = ga_cast_number(out);
    bool from_integer = ga_kind_is_integer(in), to_integer = ga_kind_is_integer(out);
    int from = ga_dtype_kinds[in].size, to = ga_dtype_kinds[out].size;
    bool unsigned_in = from_integer && (out == GA_b1 || (to_integer && to <= from));
    bool unsigned_out = to_integer && (from_integer || in == GA_b1 || to < 4);
    return {unsigned_in ? ga_kind_unsigned(in) : in, unsigned_out ? ga_kind_unsigned(out) : out};
}

/* Converts to dtype `to`: 0, or -1 with the error recorded. One function a source dtype. */
#define GA_DTYPE(id, ...) \
    int ga_cast_loops_##id(enum ga_dtype to, ga_cast_scale scale, const ga_map_plan *plan, \
                           ga_stream *stream);
#include "../csrc/tables/dtypes.def"

/* cast_stored.cu: conversions from and to GA_STORED dtypes. */
int ga_cast_stored(enum ga_dtype in, enum ga_dtype out, const ga_map_plan *plan, ga_stream *stream);

/* copy_cuda.cu, copy_cpu.cc: between equal dtypes, which mean nothing to it. */
int ga_copy_run(const ga_ufunc_call *call, ga_stream *stream);

/* cast.cu: the dimension along which a copy's source is consecutive, in either direction, if that is neither the last
 * one, along which the target is, nor short; else -1. Such a copy turns a matrix. */
int ga_copy_rows(const ga_ufunc_call *call);

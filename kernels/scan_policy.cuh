/* Which policy of reduce_policy.cuh an operation has in scans and in slices, by its order in the table:
 *
 *   ga_scan_tree<op, T>    TREE: any association
 *   ga_scan_left<op, T>    LEFT: strictly from left to right, each result rounded to T as it is stored
 *   ga_slice_left<op, T>   the same, where only the last result is stored: NumPy's loops keep float16 in float
 * Includes reduce_policy.cuh. */
#pragma once
#include "reduce_policy.cuh"

template <int op, class T> using ga_scan_tree =
    typename std::conditional<ga_reduce_is_extremum(op) && ga_is_complex<T>::value, ga_reduce_placed<op, T, false>,
                              ga_reduce_plain<op, T, T>>::type;

template <int op, class T> using ga_scan_left = ga_reduce_left<op, T>;

template <int op, class T> using ga_slice_left =
    typename std::conditional<op == GA_UF_subtract || op == GA_UF_divide, ga_reduce_left_wide<op, T>,
                              ga_reduce_left<op, T>>::type;

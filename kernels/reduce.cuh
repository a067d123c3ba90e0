/* The kernels of one stage of a reduction, over a policy P of reduce_policy.cuh:
 *
 *   rows      reduce_rows.cuh      the axis is contiguous
 *   columns   reduce_columns.cuh   the innermost axis that stays is contiguous
 *   places    reduce_places.cuh    the same of extremes with their places (CPU)
 *   short     reduce_short.cuh     a short axis of small slabs, one after the other (GPU, the commonest operations)
 *   strided   reduce_strided.cuh   everything else
 *
 * On the GPU a thread takes at most 128 elements or so per accumulator before threads merge theirs in a tree; rows and
 * columns cut the axis into tiles and deal them out to the pieces in turn, so that blocks which run together read memory
 * that lies together. On the CPU, where one thread takes the whole piece, pieces are contiguous and halved down to leaves
 * of that size. */
#pragma once
#include "reduce_columns.cuh"
#include "reduce_places.cuh"
#include "reduce_rows.cuh"
#include "reduce_short.cuh"
#include "reduce_strided.cuh"

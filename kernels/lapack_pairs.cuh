/* Which rows or columns the rotations of a step take, for lapack_jacobi.cu and lapack_hermitian_cuda.cu. Includes
 * lapack_number.cuh. */
#pragma once
#include "lapack_number.cuh"

/* Players of pair i < players at a step of a tournament, in which all of an even number meet after players - 1 steps. */
GA_FN void
jacobi_pair(int players, int step, int i, int *j, int *k)
{
    int others = players - 1, up = step + i, down = step - i;
    *j = i == 0 ? others : up < others ? up : up - others;
    *k = i == 0 ? step : down < 0 ? down + others : down;
}

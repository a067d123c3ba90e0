/* Every function that the expressions of ufuncs.def name. Includes the math_*.cuh files, in the
 * order in which they need each other; nothing else belongs here. */
#pragma once
#include "math_real.cuh"
#include "math_integer.cuh"
#include "math_compare.cuh"
#include "math_complex.cuh"
#include "math_complex_inverse.cuh"
#include "math_time.cuh"
#include "math_error.cuh"
#include "math_gamma.cuh"
#include "math_bessel.cuh"

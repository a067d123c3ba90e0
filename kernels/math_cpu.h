/* The C library's mathematical functions with their vector forms, so that loops over them are
 * vectorised: included in front of every file of the CPU build by GNU's compiler
 * (tools/build/components.py).
 *
 * glibc declares the forms that its libmvec has (the six oldest before 2.35) only under
 * -ffast-math, because they are within 4 units in the last place instead of one; infinities, NaN,
 * zeros and denormal numbers they treat as the scalar functions do. Nothing else of that option is
 * wanted, so its macro is set for this one header. */
#ifndef GA_MATH_CPU_H
#define GA_MATH_CPU_H

#if defined __GNUC__ && !defined __clang__ && !defined __FAST_MATH__
#define __FAST_MATH__ 1
#include <math.h>
#undef __FAST_MATH__
#endif

#endif

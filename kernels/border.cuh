/* What stands behind the ends of an array: the rule by which filters and splines go on. Includes port.cuh and
 * csrc/core/call/window.h, whose enum ga_border names the rules. */
#pragma once
#include "../csrc/core/call/window.h"
#include "port.cuh"

GA_FN int64_t floor_modulo(int64_t i, int64_t n)
{
    int64_t rest = i % n;
    return rest < 0 ? rest + n : rest;
}

/* The index within [0, n) that stands for any index; -1 for none. */
GA_FN int64_t settle_index(int64_t i, int64_t n, int border)
{
    if (i >= 0 && i < n)
        return i;
    switch (border) {
    case GA_BORDER_NEAREST:
        return i < 0 ? 0 : n - 1;
    case GA_BORDER_REFLECT:
        i = floor_modulo(i, 2 * n);
        return i < n ? i : 2 * n - 1 - i;
    case GA_BORDER_MIRROR:
        if (n == 1)
            return 0;
        i = floor_modulo(i, 2 * n - 2);
        return i < n ? i : 2 * n - 2 - i;
    case GA_BORDER_WRAP:
        return floor_modulo(i, n);
    default:
        return -1;
    }
}

/* The same, not copied to where it is called: for indices that are outside now and then. */
GA_FN_CALL int64_t settle_outside(int64_t i, int64_t n, int border)
{
    return settle_index(i, n, border);
}

/* Division of counts, which are small as a rule: 32 bits divide in a fraction of the time. Includes port.cuh. */
#pragma once
#include "port.cuh"

GA_FN int64_t divide(int64_t a, int64_t b)
{
    return (a | b) >> 32 ? a / b : int64_t(uint32_t(a) / uint32_t(b));
}

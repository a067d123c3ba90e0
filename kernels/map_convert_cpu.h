/* Of the CPU build: conversions of consecutive elements, for inputs of another dtype than the loop's. */
#ifndef GA_MAP_CONVERT_CPU_H
#define GA_MAP_CONVERT_CPU_H

#include <stdint.h>

#include "../csrc/tables/tables.h"

typedef void (*ga_map_converter)(const void *from, void *to, int64_t n);

/* One of GA_WIDENS_<to>; NULL of other pairs. */
ga_map_converter ga_map_find_converter(enum ga_dtype from, enum ga_dtype to);

#endif

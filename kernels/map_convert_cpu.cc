/* The loops of map_convert_cpu.h, one a pair of dtypes, which every operation shares. Includes cast.cuh. */
#include "map_convert_cpu.h"

#include "../csrc/core/call/widen.h"
#include "cast.cuh"

template <class From, class To>
static void
convert_items(const void *from, void *to, int64_t n)
{
    ga_none *none = NULL;
    ga_tile_run(ga_cast_functor<From, To>{}, n, static_cast<const From *>(from), none, static_cast<To *>(to), none);
}

template <enum ga_dtype from, enum ga_dtype to, unsigned widens>
static ga_map_converter
converter_of()
{
    if constexpr ((widens >> from & 1) != 0)
        return convert_items<typename ga_ctype<from>::type, typename ga_ctype<to>::type>;
    return NULL;
}

template <enum ga_dtype to, unsigned widens>
static ga_map_converter
converter_from(enum ga_dtype from)
{
    switch (from) {
#define GA_DTYPE(id, ...) \
    case GA_##id: \
        return converter_of<GA_##id, to, widens>();
#include "../csrc/tables/dtypes.def"
    default:
        return NULL;
    }
}

ga_map_converter
ga_map_find_converter(enum ga_dtype from, enum ga_dtype to)
{
    switch (to) {
#define GA_DTYPE(id, ...) \
    case GA_##id: \
        return converter_from<GA_##id, GA_WIDENS_##id>(from);
#include "../csrc/tables/dtypes.def"
    default:
        return NULL;
    }
}

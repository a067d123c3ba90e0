/* overlap.c: tables of pairs and of single operands in one block of memory. */
#include "../../csrc/core/overlap.h"
#include "check.h"

enum { N = 3 };

typedef struct {
    int start, ndim;
    int64_t shape[N], strides[N];
} operand;

static char memory[256];

static ga_extent
extent_of(const operand *a)
{
    return (ga_extent){memory + a->start, a->ndim, a->shape, a->strides, 8};
}

static const struct {
    operand a, b;
    bool bounds, identical;
} pair_cases[] = {
    {{0, 1, {4}, {8}}, {0, 1, {4}, {8}}, true, true},
    {{0, 1, {4}, {8}}, {32, 1, {4}, {8}}, false, false},
    {{0, 1, {4}, {8}}, {24, 1, {4}, {8}}, true, false},
    {{24, 1, {4}, {-8}}, {0, 1, {4}, {8}}, true, false},
    {{24, 1, {4}, {-8}}, {32, 1, {4}, {8}}, false, false},
    {{0, 1, {4}, {16}}, {8, 1, {4}, {16}}, true, false}, /* interleaved: the upper bound says yes */
    {{0, 2, {2, 2}, {16, 8}}, {0, 2, {2, 2}, {8, 16}}, true, false},
    {{0, 2, {1, 2}, {99, 8}}, {0, 2, {1, 2}, {16, 8}}, true, true},
    {{0, 1, {0}, {8}}, {0, 1, {4}, {8}}, false, false},
    {{0, 0, {0}, {0}}, {0, 1, {1}, {8}}, true, false},
};

static const struct {
    operand a;
    bool overlaps;
} single_cases[] = {
    {{0, 0, {0}, {0}}, false},        {{0, 2, {2, 3}, {24, 8}}, false},
    {{0, 2, {3, 2}, {8, 24}}, false}, {{80, 2, {2, 3}, {-24, -8}}, false},
    {{0, 1, {4}, {0}}, true},         {{0, 1, {1}, {0}}, false},
    {{0, 2, {0, 3}, {0, 0}}, false},  {{0, 2, {3, 3}, {8, 8}}, true},
    {{0, 1, {4}, {4}}, true},         {{0, 2, {4, 3}, {16, 8}}, true},
};

int
main(void)
{
    for (size_t i = 0; i < sizeof pair_cases / sizeof pair_cases[0]; i++) {
        ga_extent a = extent_of(&pair_cases[i].a), b = extent_of(&pair_cases[i].b);
        CHECK(ga_overlap_bounds(&a, &b) == pair_cases[i].bounds);
        CHECK(ga_overlap_bounds(&b, &a) == pair_cases[i].bounds);
        CHECK(ga_overlap_identical(&a, &b) == pair_cases[i].identical);
    }
    for (size_t i = 0; i < sizeof single_cases / sizeof single_cases[0]; i++) {
        ga_extent a = extent_of(&single_cases[i].a);
        CHECK(ga_overlap_internal(&a) == single_cases[i].overlaps);
    }
    return check_report();
}

/* iter.c: how shapes collapse, and that every element of every operand is met in the right
 * company. */
#include "../../csrc/core/iter.h"
#include "check.h"

enum { N = 3, MAX_ELEMENTS = 2048 };

static const struct {
    int ndim, nop;
    int64_t shape[N], a[N], b[N];
    bool reorder;
    int out_ndim;
    int64_t out_shape[N], out_a[N], out_b[N], offset_a;
} collapse_cases[] = {
    {0, 2, {0}, {0}, {0}, true, 0, {0}, {0}, {0}, 0},
    {2, 2, {1, 1}, {8, 8}, {0, 0}, true, 0, {0}, {0}, {0}, 0},
    {3, 2, {2, 3, 4}, {96, 32, 8}, {48, 16, 4}, true, 1, {24}, {8}, {4}, 0},
    {3, 2, {2, 1, 4}, {32, 7, 8}, {0, 0, 0}, true, 1, {8}, {8}, {0}, 0},
    {2, 2, {2, 3}, {8, 16}, {8, 16}, true, 1, {6}, {8}, {8}, 0},
    {2, 2, {2, 3}, {8, 16}, {8, 16}, false, 2, {2, 3}, {8, 16}, {8, 16}, 0},
    {2, 2, {2, 3}, {24, 8}, {0, 8}, true, 2, {2, 3}, {24, 8}, {0, 8}, 0},
    {2, 2, {4, 4}, {32, 8}, {8, 32}, true, 2, {4, 4}, {8, 32}, {32, 8}, 0},
    {1, 2, {4}, {-8}, {-8}, true, 1, {4}, {8}, {8}, -24},
    {1, 2, {4}, {-8}, {0}, true, 1, {4}, {8}, {0}, -24},
    {1, 2, {4}, {-8}, {-8}, false, 1, {4}, {-8}, {-8}, 0},
    {1, 2, {4}, {-8}, {8}, true, 1, {4}, {-8}, {8}, 0},
    {2, 1, {2, 3}, {-24, -8}, {0}, true, 1, {6}, {8}, {0}, -40},
    {2, 2, {2, 0}, {8, 8}, {8, 8}, true, 1, {0}, {0}, {0}, 0},
};

static bool
same(int n, const int64_t *got, const int64_t *expected)
{
    return memcmp(got, expected, (size_t)n * sizeof *got) == 0;
}

static void
test_collapse(void)
{
    for (size_t i = 0; i < sizeof collapse_cases / sizeof collapse_cases[0]; i++) {
        const int64_t *strides[2] = {collapse_cases[i].a, collapse_cases[i].b};
        int ndim = collapse_cases[i].out_ndim;
        ga_iter it;
        ga_iter_begin(&it, collapse_cases[i].ndim, collapse_cases[i].shape, collapse_cases[i].nop,
                      strides, collapse_cases[i].reorder);
        CHECK(it.ndim == ndim);
        CHECK(same(ndim, it.shape, collapse_cases[i].out_shape));
        CHECK(same(ndim, it.strides[0], collapse_cases[i].out_a));
        CHECK(collapse_cases[i].nop == 1 || same(ndim, it.strides[1], collapse_cases[i].out_b));
        CHECK(it.offsets[0] == collapse_cases[i].offset_a);
        CHECK(!ga_iter_next(&it));
    }
}

/* Offset of element `index` (C order) of one operand. */
static int64_t
locate(int ndim, const int64_t *shape, const int64_t *strides, int64_t index)
{
    int64_t offset = 0;
    for (int i = ndim - 1; i >= 0; i--) {
        offset += index % shape[i] * strides[i];
        index /= shape[i];
    }
    return offset;
}

/* Twelve axes of two that cannot merge: more than a launch takes. The first operand numbers the
 * elements, the second one lies in another order; each launch has to keep their pairs. */
static void
test_outer_loop(bool reorder)
{
    enum { AXES = 11 };
    int64_t shape[AXES], first[AXES], second[AXES];
    int64_t partner[MAX_ELEMENTS];
    for (int i = 0; i < AXES; i++) {
        shape[i] = 2;
        first[i] = (int64_t)1 << (AXES - 1 - i);
        second[i] = (int64_t)1 << (i * 5 % AXES);
    }
    int64_t total = (int64_t)1 << AXES, met = 0;
    for (int64_t k = 0; k < total; k++) {
        partner[locate(AXES, shape, first, k)] = locate(AXES, shape, second, k);
    }
    const int64_t *strides[2] = {first, second};
    ga_iter it;
    bool paired = true, ordered = true;
    ga_iter_begin(&it, AXES, shape, 2, strides, reorder);
    do {
        for (int64_t k = 0; k < it.size; k++, met++) {
            int64_t a = it.offsets[0] + locate(it.ndim, it.shape, it.strides[0], k);
            int64_t b = it.offsets[1] + locate(it.ndim, it.shape, it.strides[1], k);
            paired = paired && partner[a] == b;
            partner[a] = -1; /* each once */
            ordered = ordered && a == met;
        }
    } while (ga_iter_next(&it));
    CHECK(paired && met == total);
    CHECK(reorder || ordered);
    CHECK(it.ndim == GA_ITER_DIMS);
}

int
main(void)
{
    test_collapse();
    test_outer_loop(true);
    test_outer_loop(false);
    return check_report();
}

/* layout*.c: tables of NumPy's answers. */
#include "../../csrc/core/layout.h"
#include "check_status.h"

enum { N = 4, COUNT_MAX = 5 };

static bool
same(int n, const int64_t *got, const int64_t *expected)
{
    return memcmp(got, expected, (size_t)n * sizeof *got) == 0;
}

static const struct {
    int ndim;
    int64_t shape[N], c[N], f[N];
} stride_cases[] = {
    {0, {0}, {0}, {0}},
    {1, {5}, {8}, {8}},
    {2, {2, 3}, {24, 8}, {8, 16}},
    {3, {2, 1, 3}, {24, 24, 8}, {8, 16, 16}},
    {3, {2, 0, 3}, {0, 0, 0}, {0, 0, 0}},
};

static void
test_strides(void)
{
    for (size_t i = 0; i < sizeof stride_cases / sizeof stride_cases[0]; i++) {
        int ndim = stride_cases[i].ndim;
        const int64_t *shape = stride_cases[i].shape;
        int64_t strides[N];
        ga_layout_strides(ndim, shape, 8, 'C', strides);
        CHECK(same(ndim, strides, stride_cases[i].c));
        CHECK(ga_layout_is_c(ndim, shape, strides, 8));
        ga_layout_strides(ndim, shape, 8, 'F', strides);
        CHECK(same(ndim, strides, stride_cases[i].f));
        CHECK(ga_layout_is_f(ndim, shape, strides, 8));
    }
}

static const struct {
    int ndim;
    int64_t shape[N], strides[N];
    bool is_c, is_f;
} flag_cases[] = {
    {2, {2, 3}, {24, 8}, true, false}, {2, {2, 3}, {8, 16}, false, true},
    {2, {1, 3}, {999, 8}, true, true}, {2, {3, 1}, {8, -7}, true, true},
    {1, {3}, {16}, false, false},      {1, {3}, {-8}, false, false},
    {2, {0, 3}, {5, 5}, true, true},   {3, {2, 1, 3}, {24, 0, 8}, true, false},
    {2, {2, 2}, {0, 8}, false, false},
};

static void
test_flags(void)
{
    for (size_t i = 0; i < sizeof flag_cases / sizeof flag_cases[0]; i++) {
        int ndim = flag_cases[i].ndim;
        CHECK(ga_layout_is_c(ndim, flag_cases[i].shape, flag_cases[i].strides, 8) ==
              flag_cases[i].is_c);
        CHECK(ga_layout_is_f(ndim, flag_cases[i].shape, flag_cases[i].strides, 8) ==
              flag_cases[i].is_f);
    }
}

static void
test_size(void)
{
    int64_t size = -1;
    CHECK(ga_layout_size(0, NULL, 8, &size) == 0 && size == 1);
    CHECK(ga_layout_size(2, (int64_t[]){3, 4}, 8, &size) == 0 && size == 12);
    CHECK(ga_layout_size(2, (int64_t[]){0, 4}, 8, &size) == 0 && size == 0);
    CHECK(ga_layout_size(2, (int64_t[]){1LL << 31, 1LL << 28}, 8, &size) == 0 && size == 1LL << 59);
    CHECK_FAILS(ga_layout_size(2, (int64_t[]){1LL << 31, 1LL << 31}, 8, &size), GA_ERR_VALUE,
                "array is too big; shape (2147483648,2147483648)");
    CHECK_FAILS(ga_layout_size(3, (int64_t[]){1LL << 31, 0, 1LL << 31}, 8, &size), GA_ERR_VALUE,
                "array is too big");
    CHECK_FAILS(ga_layout_size(1, (int64_t[]){-1}, 8, &size), GA_ERR_VALUE,
                "negative dimensions are not allowed");
}

/* Strides of a result in order 'K' for one or two operands; numpy.add and numpy.empty_like gave
 * them. */
static const struct {
    int ndim, nop;
    int64_t shape[N], a[N], b[N], out[N];
} order_cases[] = {
    {2, 1, {2, 3}, {24, 8}, {0}, {24, 8}},
    {2, 1, {2, 3}, {8, 16}, {0}, {8, 16}},
    {2, 2, {2, 3}, {8, 16}, {8, 16}, {8, 16}},
    {2, 2, {2, 3}, {8, 16}, {24, 8}, {24, 8}},
    {2, 2, {2, 3}, {8, 16}, {0, 8}, {8, 16}},
    {2, 2, {2, 3}, {0, 0}, {8, 16}, {8, 16}},
    {2, 2, {2, 3}, {0, 8}, {8, 0}, {24, 8}},
    {2, 2, {2, 3}, {-8, -16}, {-8, -16}, {8, 16}},
    {3, 2, {2, 3, 4}, {8, 64, 16}, {8, 64, 16}, {8, 64, 16}},
    {3, 2, {2, 1, 4}, {8, 999, 16}, {8, 1, 16}, {8, 64, 16}},
    {3, 2, {2, 3, 4}, {0, 8, 24}, {8, 0, 16}, {24, 8, 48}},
};

static void
test_order(void)
{
    for (size_t i = 0; i < sizeof order_cases / sizeof order_cases[0]; i++) {
        const int64_t *strides[2] = {order_cases[i].a, order_cases[i].b};
        int ndim = order_cases[i].ndim;
        int64_t out[N];
        ga_layout_strides_common(ndim, order_cases[i].shape, order_cases[i].nop, strides, 8, out);
        CHECK(same(ndim, out, order_cases[i].out));
        if (order_cases[i].nop == 1) {
            ga_layout_strides_like(ndim, order_cases[i].shape, order_cases[i].a, 8, out);
            CHECK(same(ndim, out, order_cases[i].out));
        }
    }
    int64_t out[N];
    ga_layout_strides_like(3, (int64_t[]){2, 3, 4}, (int64_t[]){16, -400, 80}, 4, out);
    CHECK(same(3, out, (int64_t[]){4, 32, 8}));
}

static void
test_broadcast(void)
{
    int ndims[3] = {2, 1, 0}, ndim = -1;
    const int64_t first[] = {4, 1}, second[] = {3}, third[] = {0}, wrong[] = {2, 3};
    const int64_t *shapes[3] = {first, second, third};
    int64_t shape[N], strides[N];
    CHECK(ga_layout_broadcast(3, ndims, shapes, &ndim, shape) == 0 && ndim == 2);
    CHECK(same(2, shape, (int64_t[]){4, 3}));
    CHECK(ga_layout_broadcast_strides(2, shape, 2, first, (int64_t[]){8, 8}, strides) == 0);
    CHECK(same(2, strides, (int64_t[]){8, 0}));
    CHECK(ga_layout_broadcast_strides(2, shape, 1, second, (int64_t[]){-8}, strides) == 0);
    CHECK(same(2, strides, (int64_t[]){0, -8}));
    CHECK_FAILS(ga_layout_broadcast_strides(2, shape, 2, wrong, (int64_t[]){24, 8}, strides),
                GA_ERR_VALUE, "could not broadcast input array from shape (2,3) into shape (4,3)");
    CHECK_FAILS(ga_layout_broadcast_strides(1, shape, 2, first, (int64_t[]){8, 8}, strides),
                GA_ERR_VALUE, "could not broadcast input array from shape (4,1) into shape (4,)");
    shapes[1] = wrong;
    ndims[1] = 2;
    CHECK_FAILS(ga_layout_broadcast(2, ndims, shapes, &ndim, shape), GA_ERR_VALUE,
                "operands could not be broadcast together with shapes (4,1) (2,3)");
    shapes[0] = third;
    ndims[0] = 1;
    shapes[1] = (int64_t[]){1};
    ndims[1] = 1;
    CHECK(ga_layout_broadcast(2, ndims, shapes, &ndim, shape) == 0 && shape[0] == 0);
}

static void
test_resolve_shape(void)
{
    int64_t shape[N];
    CHECK(ga_layout_resolve_shape(6, 2, (int64_t[]){-1, 3}, shape) == 0 &&
          same(2, shape, (int64_t[]){2, 3}));
    CHECK(ga_layout_resolve_shape(6, 2, (int64_t[]){2, 3}, shape) == 0);
    CHECK(ga_layout_resolve_shape(0, 2, (int64_t[]){-1, 3}, shape) == 0 && shape[0] == 0);
    CHECK(ga_layout_resolve_shape(1, 0, NULL, shape) == 0);
    CHECK_FAILS(ga_layout_resolve_shape(6, 2, (int64_t[]){4, 2}, shape), GA_ERR_VALUE,
                "cannot reshape array of size 6 into shape (4,2)");
    CHECK_FAILS(ga_layout_resolve_shape(6, 2, (int64_t[]){4, -1}, shape), GA_ERR_VALUE,
                "cannot reshape array of size 6 into shape (4,newaxis)");
    CHECK_FAILS(ga_layout_resolve_shape(0, 2, (int64_t[]){0, -1}, shape), GA_ERR_VALUE,
                "cannot reshape array of size 0");
    CHECK_FAILS(ga_layout_resolve_shape(6, 2, (int64_t[]){-1, -1}, shape), GA_ERR_VALUE,
                "can only specify one unknown dimension");
    CHECK_FAILS(ga_layout_resolve_shape(0, 2, (int64_t[]){INT64_MAX, 4}, shape), GA_ERR_VALUE,
                "cannot reshape");
}

static const struct {
    int ndim;
    int64_t shape[N], strides[N];
    int new_ndim;
    int64_t new_shape[COUNT_MAX];
    char order;
    bool is_view;
    int64_t out[COUNT_MAX];
} reshape_cases[] = {
    {2, {2, 3}, {24, 8}, 1, {6}, 'C', true, {8}},
    {2, {2, 3}, {24, 8}, 1, {6}, 'F', false, {0}},
    {2, {2, 3}, {8, 16}, 1, {6}, 'F', true, {8}},
    {2, {2, 3}, {8, 16}, 1, {6}, 'C', false, {0}},
    {1, {6}, {-8}, 2, {2, 3}, 'C', true, {-24, -8}},
    {1, {6}, {16}, 2, {2, 3}, 'F', true, {16, 32}},
    {2, {4, 3}, {48, 8}, 3, {2, 2, 3}, 'C', true, {96, 48, 8}},
    {2, {4, 3}, {48, 8}, 2, {6, 2}, 'C', false, {0}},
    {3, {2, 1, 3}, {24, 999, 8}, 2, {3, 2}, 'C', true, {16, 8}},
    {1, {4}, {16}, 4, {1, 4, 1, 1}, 'C', true, {64, 16, 16, 16}},
    {1, {4}, {16}, 3, {4, 1, 1}, 'F', true, {16, 64, 64}},
    {1, {4}, {0}, 2, {2, 2}, 'C', true, {0, 0}},
    {2, {2, 3}, {64, 16}, 2, {2, 3}, 'F', true, {64, 16}},
    {2, {0, 3}, {0, 0}, 1, {0}, 'C', true, {0}},
};

static void
test_reshape(void)
{
    for (size_t i = 0; i < sizeof reshape_cases / sizeof reshape_cases[0]; i++) {
        int64_t out[COUNT_MAX];
        int new_ndim = reshape_cases[i].new_ndim;
        bool is_view = ga_layout_reshape(reshape_cases[i].ndim, reshape_cases[i].shape,
                                         reshape_cases[i].strides, 8, new_ndim,
                                         reshape_cases[i].new_shape, reshape_cases[i].order, out);
        CHECK(is_view == reshape_cases[i].is_view);
        CHECK(!is_view || same(new_ndim, out, reshape_cases[i].out));
    }
}

static void
test_extent(void)
{
    int64_t low, high;
    ga_layout_extent(0, NULL, NULL, 8, &low, &high);
    CHECK(low == 0 && high == 8);
    ga_layout_extent(2, (int64_t[]){2, 3}, (int64_t[]){-24, 8}, 8, &low, &high);
    CHECK(low == -24 && high == 24);
    ga_layout_extent(2, (int64_t[]){2, 0}, (int64_t[]){-24, 8}, 8, &low, &high);
    CHECK(low == 0 && high == 0);
}

static void
test_format(void)
{
    char text[32], small[5];
    int axis = -1;
    CHECK(strcmp(ga_layout_format(0, NULL, text, sizeof text), "()") == 0);
    CHECK(strcmp(ga_layout_format(1, (int64_t[]){4}, text, sizeof text), "(4,)") == 0);
    CHECK(strcmp(ga_layout_format(2, (int64_t[]){4, -1}, text, sizeof text), "(4,newaxis)") == 0);
    CHECK(strcmp(ga_layout_format(2, (int64_t[]){40, 50}, small, sizeof small), "(40,") == 0);
    CHECK(ga_layout_axis(-1, 3, &axis) == 0 && axis == 2);
    CHECK_FAILS(ga_layout_axis(3, 2, &axis), GA_ERR_INDEX,
                "axis 3 is out of bounds for array of dimension 2");
    CHECK_FAILS(ga_layout_axis(-3, 2, &axis), GA_ERR_INDEX,
                "axis -3 is out of bounds for array of dimension 2");
}

int
main(void)
{
    test_strides();
    test_flags();
    test_size();
    test_order();
    test_broadcast();
    test_resolve_shape();
    test_reshape();
    test_extent();
    test_format();
    return check_report();
}

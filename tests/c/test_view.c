/* view.c: tables of NumPy's answers for an array of shape (4, 5, 6), C order, 8 bytes an item. */
#include "../../csrc/core/view.h"
#include "check_status.h"

enum { N = 5, ITEMS = 5 };

#define INT(i) \
    { \
        GA_VIEW_INTEGER, i, 0, 0, false, false \
    }
#define SLICE(start, stop, step) \
    { \
        GA_VIEW_SLICE, start, stop, step, true, true \
    }
#define FROM(start, step) \
    { \
        GA_VIEW_SLICE, start, 0, step, true, false \
    }
#define UNTIL(stop, step) \
    { \
        GA_VIEW_SLICE, 0, stop, step, false, true \
    }
#define EVERY(step) \
    { \
        GA_VIEW_SLICE, 0, 0, step, false, false \
    }
#define NEWAXIS \
    { \
        GA_VIEW_NEWAXIS, 0, 0, 0, false, false \
    }
#define ELLIPSIS \
    { \
        GA_VIEW_ELLIPSIS, 0, 0, 0, false, false \
    }

static const int64_t shape[3] = {4, 5, 6}, strides[3] = {240, 48, 8};

static bool
is_view(const ga_view *view, int ndim, int64_t offset, const int64_t *expected_shape,
        const int64_t *expected_strides)
{
    size_t nbytes = (size_t)ndim * sizeof *expected_shape;
    return view->ndim == ndim && view->offset == offset &&
           memcmp(view->shape, expected_shape, nbytes) == 0 &&
           memcmp(view->strides, expected_strides, nbytes) == 0;
}

static const struct {
    int nitems;
    ga_view_item items[ITEMS];
    int ndim;
    int64_t offset, shape[N], strides[N];
} index_cases[] = {
    {0, {INT(0)}, 3, 0, {4, 5, 6}, {240, 48, 8}},
    {1, {INT(1)}, 2, 240, {5, 6}, {48, 8}},
    {3, {INT(-1), INT(-5), INT(5)}, 0, 760, {0}, {0}},
    {1, {EVERY(-1)}, 3, 720, {4, 5, 6}, {-240, 48, 8}},
    {1, {SLICE(1, 3, 1)}, 3, 240, {2, 5, 6}, {240, 48, 8}},
    {1, {SLICE(-100, 100, 3)}, 3, 0, {2, 5, 6}, {720, 48, 8}},
    {1, {SLICE(3, 1, 1)}, 3, 0, {0, 5, 6}, {240, 48, 8}},
    {1, {SLICE(100, -100, -2)}, 3, 720, {2, 5, 6}, {-480, 48, 8}},
    {1, {FROM(-2, 1)}, 3, 480, {2, 5, 6}, {240, 48, 8}},
    {1, {UNTIL(-2, 1)}, 3, 0, {2, 5, 6}, {240, 48, 8}},
    {1, {UNTIL(0, -1)}, 3, 720, {3, 5, 6}, {-240, 48, 8}},
    {2, {ELLIPSIS, INT(2)}, 2, 16, {4, 5}, {240, 48}},
    {3, {NEWAXIS, ELLIPSIS, NEWAXIS}, 5, 0, {1, 4, 5, 6, 1}, {0, 240, 48, 8, 0}},
    {4, {INT(1), ELLIPSIS, INT(2), INT(3)}, 0, 360, {0}, {0}},
    {3, {INT(0), NEWAXIS, EVERY(2)}, 3, 0, {1, 3, 6}, {0, 96, 8}},
};

static void
test_index(void)
{
    ga_view view;
    for (size_t i = 0; i < sizeof index_cases / sizeof index_cases[0]; i++) {
        CHECK(ga_view_index(3, shape, strides, index_cases[i].nitems, index_cases[i].items,
                            &view) == 0);
        CHECK(is_view(&view, index_cases[i].ndim, index_cases[i].offset, index_cases[i].shape,
                      index_cases[i].strides));
    }
    /* Steps beyond every array; the values are read, the strides are whatever wraps around. */
    const ga_view_item extreme[] = {EVERY(INT64_MAX), EVERY(INT64_MIN)};
    CHECK(ga_view_index(3, shape, strides, 2, extreme, &view) == 0);
    CHECK(view.shape[0] == 1 && view.shape[1] == 1 && view.offset == 4 * 48);
}

static const struct {
    int nitems;
    ga_view_item items[ITEMS];
    enum ga_status status;
    const char *message;
} wrong_index_cases[] = {
    {1, {INT(4)}, GA_ERR_INDEX, "index 4 is out of bounds for axis 0 with size 4"},
    {2, {ELLIPSIS, INT(-7)}, GA_ERR_INDEX, "index -7 is out of bounds for axis 2 with size 6"},
    {4,
     {INT(0), INT(0), INT(0), INT(0)},
     GA_ERR_INDEX,
     "too many indices for array: array is 3-dimensional, but 4 were indexed"},
    {2, {ELLIPSIS, ELLIPSIS}, GA_ERR_INDEX, "an index can only have a single ellipsis ('...')"},
    {1, {EVERY(0)}, GA_ERR_VALUE, "slice step cannot be zero"},
};

static void
test_wrong_index(void)
{
    ga_view view;
    for (size_t i = 0; i < sizeof wrong_index_cases / sizeof wrong_index_cases[0]; i++) {
        int rc = ga_view_index(3, shape, strides, wrong_index_cases[i].nitems,
                               wrong_index_cases[i].items, &view);
        CHECK_FAILS(rc, wrong_index_cases[i].status, wrong_index_cases[i].message);
    }
    ga_view_item many[GA_MAXDIMS];
    for (int i = 0; i < GA_MAXDIMS; i++) {
        many[i] = (ga_view_item)NEWAXIS;
    }
    CHECK(ga_view_index(0, NULL, NULL, GA_MAXDIMS, many, &view) == 0 && view.ndim == GA_MAXDIMS);
    CHECK_FAILS(ga_view_index(1, shape, strides, GA_MAXDIMS, many, &view), GA_ERR_INDEX,
                "number of dimensions must be within [0, 64], indexing result would have 65");
}

static void
test_transpose(void)
{
    ga_view view;
    CHECK(ga_view_transpose(3, shape, strides, 0, NULL, &view) == 0);
    CHECK(is_view(&view, 3, 0, (int64_t[]){6, 5, 4}, (int64_t[]){8, 48, 240}));
    CHECK(ga_view_transpose(3, shape, strides, 3, (int64_t[]){1, -1, 0}, &view) == 0);
    CHECK(is_view(&view, 3, 0, (int64_t[]){5, 6, 4}, (int64_t[]){48, 8, 240}));
    CHECK_FAILS(ga_view_transpose(3, shape, strides, 2, (int64_t[]){1, 0}, &view), GA_ERR_VALUE,
                "axes don't match array");
    CHECK_FAILS(ga_view_transpose(3, shape, strides, 3, (int64_t[]){1, 0, -2}, &view), GA_ERR_VALUE,
                "repeated axis in transpose");
    CHECK_FAILS(ga_view_transpose(3, shape, strides, 3, (int64_t[]){1, 0, 3}, &view), GA_ERR_INDEX,
                "axis 3 is out of bounds for array of dimension 3");
}

static void
test_squeeze(void)
{
    const int64_t ones[3] = {1, 5, 1};
    ga_view view;
    CHECK(ga_view_squeeze(3, ones, strides, -1, NULL, &view) == 0);
    CHECK(is_view(&view, 1, 0, (int64_t[]){5}, (int64_t[]){48}));
    CHECK(ga_view_squeeze(3, ones, strides, 1, (int64_t[]){-1}, &view) == 0);
    CHECK(is_view(&view, 2, 0, (int64_t[]){1, 5}, (int64_t[]){240, 48}));
    CHECK(ga_view_squeeze(3, ones, strides, 0, NULL, &view) == 0 && view.ndim == 3);
    CHECK(ga_view_squeeze(0, NULL, NULL, 1, (int64_t[]){-1}, &view) == 0 && view.ndim == 0);
    CHECK_FAILS(ga_view_squeeze(3, ones, strides, 1, (int64_t[]){1}, &view), GA_ERR_VALUE,
                "cannot select an axis to squeeze out which has size not equal to one");
    CHECK_FAILS(ga_view_squeeze(3, ones, strides, 2, (int64_t[]){0, -3}, &view), GA_ERR_VALUE,
                "duplicate value in 'axis'");
    CHECK_FAILS(ga_view_squeeze(3, ones, strides, 1, (int64_t[]){3}, &view), GA_ERR_INDEX,
                "axis 3 is out of bounds");
}

static const struct {
    int64_t offset, axis1, axis2;
    int64_t start, shape[2], strides[2];
} diagonal_cases[] = {
    {0, 0, 1, 0, {6, 4}, {8, 288}},         {1, 0, 1, 48, {6, 4}, {8, 288}},
    {2, 0, 1, 96, {6, 3}, {8, 288}},        {-1, 0, 1, 240, {6, 3}, {8, 288}},
    {-1, 2, 0, 8, {5, 4}, {48, 248}},       {0, -1, -2, 0, {4, 5}, {240, 56}},
    {9, 0, 1, 0, {6, 0}, {8, 288}},         {INT64_MIN, 0, 1, 0, {6, 0}, {8, 288}},
    {INT64_MAX, 0, 1, 0, {6, 0}, {8, 288}},
};

static void
test_diagonal(void)
{
    ga_view view;
    for (size_t i = 0; i < sizeof diagonal_cases / sizeof diagonal_cases[0]; i++) {
        CHECK(ga_view_diagonal(3, shape, strides, diagonal_cases[i].offset, diagonal_cases[i].axis1,
                               diagonal_cases[i].axis2, &view) == 0);
        CHECK(is_view(&view, 2, diagonal_cases[i].start, diagonal_cases[i].shape,
                      diagonal_cases[i].strides));
    }
    CHECK_FAILS(ga_view_diagonal(1, shape, strides, 0, 0, 1, &view), GA_ERR_VALUE,
                "diag requires an array of at least two dimensions");
    CHECK_FAILS(ga_view_diagonal(3, shape, strides, 0, 1, -2, &view), GA_ERR_VALUE,
                "axis1 and axis2 cannot be the same");
    CHECK_FAILS(ga_view_diagonal(3, shape, strides, 0, 0, 3, &view), GA_ERR_INDEX,
                "axis 3 is out of bounds");
}

int
main(void)
{
    test_index();
    test_wrong_index();
    test_transpose();
    test_squeeze();
    test_diagonal();
    return check_report();
}

/* registry.c: rows, lookups, and the loops that follow from a row. */
#include "../../csrc/core/registry.h"
#include "check.h"

enum { MAX_LOOPS = 64 };

static void
test_dtypes(void)
{
    CHECK(strcmp(ga_registry_dtype(GA_f32)->name, "float32") == 0);
    CHECK(ga_registry_dtype(GA_M8)->kind == 'M' && ga_registry_dtype(GA_M8)->character == 'M');
    for (int dtype = 0; dtype < GA_DTYPE_COUNT; dtype++) {
        const ga_dtype_info *info = ga_registry_dtype((enum ga_dtype)dtype);
        int found = (int)(ga_registry_is_stored((enum ga_dtype)dtype)
                              ? ga_registry_find_stored(info->name)
                              : ga_registry_find_dtype(info->kind, info->itemsize));
        CHECK(found == dtype);
    }
    CHECK(ga_registry_find_dtype('f', 16) == GA_DTYPE_COUNT);
    CHECK(ga_registry_find_dtype('f', 1) == GA_DTYPE_COUNT); /* NumPy has none */
    CHECK(ga_registry_find_stored("float16") == GA_DTYPE_COUNT);
    CHECK(ga_registry_casts(GA_bf16, GA_f32) && ga_registry_casts(GA_i8, GA_c128));
    CHECK(!ga_registry_casts(GA_bf16, GA_i8) && !ga_registry_casts(GA_e4m3, GA_e5m2));
    CHECK(ga_registry_find_dtype('U', 4) == GA_DTYPE_COUNT);
}

static void
test_ufuncs(void)
{
    for (int op = 0; op < GA_UFUNC_COUNT; op++) {
        const ga_ufunc_info *info = ga_registry_ufunc((enum ga_ufunc)op);
        CHECK((int)ga_registry_find_ufunc(info->name) == op);
        CHECK(ga_registry_loops((enum ga_ufunc)op, NULL, 0) > 0);
    }
    CHECK(ga_registry_find_ufunc("nothing") == GA_UFUNC_COUNT);
    const ga_ufunc_info *add = ga_registry_ufunc(GA_UF_add);
    CHECK(add->nin == 2 && add->nout == 1 && add->identity == GA_IDENTITY_ZERO && add->reorderable);
    const ga_ufunc_info *shift = ga_registry_ufunc(GA_UF_left_shift);
    CHECK(!shift->reorderable && strcmp(shift->domain, "SHIFT") == 0);
    CHECK(ga_registry_ufunc(GA_UF_divmod)->nout == 2 && ga_registry_ufunc(GA_UF_modf)->nin == 1);
}

static const struct {
    enum ga_ufunc op;
    enum ga_dtype in[2];
    bool exists;
    enum ga_dtype out[2];
} loop_cases[] = {
    {GA_UF_add, {GA_i8, GA_i8}, true, {GA_i8, GA_i8}},
    {GA_UF_add, {GA_M8, GA_m8}, true, {GA_M8, GA_M8}},
    {GA_UF_add, {GA_i8, GA_i16}, false, {GA_b1, GA_b1}},
    {GA_UF_add, {GA_M8, GA_M8}, false, {GA_b1, GA_b1}},
    {GA_UF_absolute, {GA_c64, GA_b1}, true, {GA_f32, GA_f32}},
    {GA_UF_absolute, {GA_c128, GA_b1}, true, {GA_f64, GA_f64}},
    {GA_UF_absolute, {GA_m8, GA_b1}, true, {GA_m8, GA_m8}},
    {GA_UF_less, {GA_f64, GA_f64}, true, {GA_b1, GA_b1}},
    {GA_UF_less, {GA_i64, GA_u64}, true, {GA_b1, GA_b1}},
    {GA_UF_frexp, {GA_f16, GA_b1}, true, {GA_f16, GA_i32}},
    {GA_UF_bitwise_count, {GA_i64, GA_b1}, true, {GA_u8, GA_u8}},
    {GA_UF_ldexp, {GA_f32, GA_i32}, true, {GA_f32, GA_f32}},
    {GA_UF_ldexp, {GA_f32, GA_f32}, false, {GA_b1, GA_b1}},
    {GA_UF_divmod, {GA_m8, GA_m8}, true, {GA_i64, GA_m8}},
    {GA_UF_add, {GA_bf16, GA_bf16}, true, {GA_bf16, GA_bf16}},
    {GA_UF_add, {GA_e4m3, GA_e4m3}, false, {GA_b1, GA_b1}},
    {GA_UF_spacing, {GA_e4m3, GA_b1}, true, {GA_e4m3, GA_e4m3}},
};

static void
test_loops(void)
{
    for (size_t i = 0; i < sizeof loop_cases / sizeof loop_cases[0]; i++) {
        ga_loop loop;
        bool exists = ga_registry_loop(loop_cases[i].op, loop_cases[i].in, &loop);
        CHECK(exists == loop_cases[i].exists);
        CHECK(!exists ||
              (loop.out[0] == loop_cases[i].out[0] && loop.out[1] == loop_cases[i].out[1]));
    }
}

/* Every loop that is listed is found again by its inputs. */
static void
test_listed_loops(void)
{
    ga_loop loops[MAX_LOOPS];
    for (int op = 0; op < GA_UFUNC_COUNT; op++) {
        int count = ga_registry_loops((enum ga_ufunc)op, loops, MAX_LOOPS);
        for (int i = 0; i < count; i++) {
            ga_loop found;
            CHECK(ga_registry_loop((enum ga_ufunc)op, loops[i].in, &found));
            CHECK(memcmp(&found, &loops[i], sizeof found) == 0);
        }
    }
}

int
main(void)
{
    test_dtypes();
    test_ufuncs();
    test_loops();
    test_listed_loops();
    return check_report();
}

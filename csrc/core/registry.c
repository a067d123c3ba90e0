/* The two tables as data. Owns constant arrays made from dtypes.def and ufuncs.def by macros;
 * nothing is computed at start and nothing changes. Regular loops (one dtype for all inputs) are
 * not stored but follow from a row's type set and its kind of output; loops for unlike dtypes
 * (the X rows) are a list. Includes csrc/tables and the C library. */
#include "registry.h"

#include "call/widen.h"

#include <string.h>

/* The kind column holds identifiers; C makes characters of them only through names. */
enum kind_character {
    KIND_b = 'b',
    KIND_i = 'i',
    KIND_u = 'u',
    KIND_f = 'f',
    KIND_c = 'c',
    KIND_M = 'M',
    KIND_m = 'm'
};

static const ga_dtype_info dtype_rows[GA_DTYPE_COUNT] = {
#define GA_DTYPE(id, ctype, ch, kind, size, name) {#id, name, ch, KIND_##kind, size},
#define GA_STORED GA_DTYPE
#include "../tables/dtypes.def"
};

static const ga_ufunc_info ufunc_rows[GA_UFUNC_COUNT] = {
#define REORDER_TREE true
#define REORDER_LEFT false
#define U11(name, types, out, domain, ulp, expression, doc) \
    {#name, doc, #domain, 1, 1, GA_TYPES_##types, GA_IDENTITY_NONE, false, ulp},
#define U21(name, types, out, identity, order, domain, ulp, expression, doc) \
    {#name, doc, #domain, 2, 1, GA_TYPES_##types, GA_IDENTITY_##identity, REORDER_##order, ulp},
#define U12(name, types, out, out2, domain, ulp, expression, doc) \
    {#name, doc, #domain, 1, 2, GA_TYPES_##types, GA_IDENTITY_NONE, false, ulp},
#define U22(name, types, out, out2, domain, ulp, expression, doc) \
    {#name, doc, #domain, 2, 2, GA_TYPES_##types, GA_IDENTITY_NONE, false, ulp},
#include "../tables/ufuncs.def"
};

enum output_kind { OUTPUT_SAME, OUTPUT_BOOL, OUTPUT_REAL, OUTPUT_U8, OUTPUT_I32 };

static const struct {
    enum output_kind first, second;
} output_rows[GA_UFUNC_COUNT] = {
#define U11(name, types, out, ...) {OUTPUT_##out, OUTPUT_##out},
#define U21(name, types, out, ...) {OUTPUT_##out, OUTPUT_##out},
#define U12(name, types, out, out2, ...) {OUTPUT_##out, OUTPUT_##out2},
#define U22(name, types, out, out2, ...) {OUTPUT_##out, OUTPUT_##out2},
#include "../tables/ufuncs.def"
};

typedef struct {
    enum ga_ufunc op;
    ga_loop loop;
} mixed_row;

static const mixed_row mixed_rows[] = {
#define X11(name, in, out, expression) {GA_UF_##name, {{GA_##in, GA_##in}, {GA_##out, GA_##out}}},
#define X21(name, in, in2, out, expression) \
    {GA_UF_##name, {{GA_##in, GA_##in2}, {GA_##out, GA_##out}}},
#define X22(name, in, in2, out, out2, expression) \
    {GA_UF_##name, {{GA_##in, GA_##in2}, {GA_##out, GA_##out2}}},
#include "../tables/ufuncs.def"
};

enum { MIXED_COUNT = sizeof mixed_rows / sizeof mixed_rows[0] };

const ga_dtype_info *
ga_registry_dtype(enum ga_dtype dtype)
{
    return &dtype_rows[dtype];
}

enum ga_dtype
ga_registry_find_dtype(char kind, int itemsize)
{
    for (int dtype = 0; dtype < GA_DTYPE_COUNT; dtype++) {
        if (dtype_rows[dtype].kind == kind && dtype_rows[dtype].itemsize == itemsize &&
            !ga_registry_is_stored((enum ga_dtype)dtype)) {
            return (enum ga_dtype)dtype;
        }
    }
    return GA_DTYPE_COUNT;
}

enum ga_dtype
ga_registry_find_stored(const char *name)
{
    for (int dtype = 0; dtype < GA_DTYPE_COUNT; dtype++) {
        if (ga_registry_is_stored((enum ga_dtype)dtype) && strcmp(dtype_rows[dtype].name, name) == 0) {
            return (enum ga_dtype)dtype;
        }
    }
    return GA_DTYPE_COUNT;
}

const ga_ufunc_info *
ga_registry_ufunc(enum ga_ufunc op)
{
    return &ufunc_rows[op];
}

enum ga_ufunc
ga_registry_find_ufunc(const char *name)
{
    int op = 0;
    while (op < GA_UFUNC_COUNT && strcmp(ufunc_rows[op].name, name) != 0) {
        op++;
    }
    return (enum ga_ufunc)op;
}

static enum ga_dtype
resolve_output(enum output_kind kind, enum ga_dtype in)
{
    switch (kind) {
    case OUTPUT_BOOL:
        return GA_b1;
    case OUTPUT_U8:
        return GA_u8;
    case OUTPUT_I32:
        return GA_i32;
    case OUTPUT_REAL:
        return in == GA_c64 ? GA_f32 : in == GA_c128 ? GA_f64 : in;
    case OUTPUT_SAME:
        break;
    }
    return in;
}

static ga_loop
regular_loop(enum ga_ufunc op, enum ga_dtype in)
{
    ga_loop loop = {
        {in, in},
        {resolve_output(output_rows[op].first, in), resolve_output(output_rows[op].second, in)}};
    return loop;
}

static bool
inputs_match(const ga_loop *loop, int nin, const enum ga_dtype *in)
{
    return loop->in[0] == in[0] && (nin == 1 || loop->in[1] == in[1]);
}

bool
ga_registry_loop(enum ga_ufunc op, const enum ga_dtype *in, ga_loop *out)
{
    const ga_ufunc_info *info = &ufunc_rows[op];
    if ((info->types >> in[0] & 1u) && (info->nin == 1 || in[0] == in[1])) {
        *out = regular_loop(op, in[0]);
        return true;
    }
    for (int i = 0; i < MIXED_COUNT; i++) {
        if (mixed_rows[i].op == op && inputs_match(&mixed_rows[i].loop, info->nin, in)) {
            *out = mixed_rows[i].loop;
            return true;
        }
    }
    return false;
}

int
ga_registry_loops(enum ga_ufunc op, ga_loop *out, int max)
{
    int count = 0;
    for (int dtype = 0; dtype < GA_DTYPE_COUNT; dtype++) {
        if ((ufunc_rows[op].types & ~GA_TYPES_K) >> dtype & 1u) {
            if (count < max) {
                out[count] = regular_loop(op, (enum ga_dtype)dtype);
            }
            count++;
        }
    }
    for (int i = 0; i < MIXED_COUNT; i++) {
        if (mixed_rows[i].op == op) {
            if (count < max) {
                out[count] = mixed_rows[i].loop;
            }
            count++;
        }
    }
    return count;
}

bool
ga_registry_widens(enum ga_dtype from, enum ga_dtype to)
{
    static const unsigned sets[] = {
#define GA_DTYPE(id, ...) GA_WIDENS_##id,
#define GA_STORED GA_DTYPE
#include "../tables/dtypes.def"
    };
    return (sets[to] >> from & 1) != 0;
}

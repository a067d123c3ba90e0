/* Enumerations and type sets made from the two tables. Owns the numbering of dtypes and ufuncs; nothing else
 * numbers them. C11 and C++17, includes nothing but the tables. */
#ifndef GA_TABLES_H
#define GA_TABLES_H

#include <stdint.h>

enum ga_dtype {
#define GA_DTYPE(id, ctype, ch, kind, size, name) GA_##id,
#define GA_STORED GA_DTYPE
#include "dtypes.def"
    GA_DTYPE_COUNT
};

enum ga_ufunc {
#define U11(name, ...) GA_UF_##name,
#define U21(name, ...) GA_UF_##name,
#define U12(name, ...) GA_UF_##name,
#define U22(name, ...) GA_UF_##name,
#include "ufuncs.def"
    GA_UFUNC_COUNT
};

/* The first row of those that are no ufuncs of NumPy's but of SciPy's: names of gpuarray.special. They are the last. */
#define GA_UFUNC_SPECIAL GA_UF_erf

/* Type sets: the letters of a `types` column are B bool, I integers, F floats, C complex, T times
 * (datetime64 and timedelta64), D timedelta64 alone, S float32 and float64, E bfloat16, K ("kept")
 * all GA_STORED dtypes. Where the last two have no loop the one of float32 serves them, between
 * conversions. */
#define GA_BIT(id) (1u << GA_##id)
#define GA_TYPES_NONE 0u
#define GA_TYPES_B GA_BIT(b1)
#define GA_TYPES_I                                                                                                     \
    (GA_BIT(i8) | GA_BIT(u8) | GA_BIT(i16) | GA_BIT(u16) | GA_BIT(i32) | GA_BIT(u32) | GA_BIT(i64) | GA_BIT(u64))
#define GA_TYPES_F (GA_BIT(f16) | GA_BIT(f32) | GA_BIT(f64))
#define GA_TYPES_C (GA_BIT(c64) | GA_BIT(c128))
#define GA_TYPES_T (GA_BIT(M8) | GA_BIT(m8))
#define GA_TYPES_D GA_BIT(m8)
#define GA_TYPES_S (GA_BIT(f32) | GA_BIT(f64))
#define GA_TYPES_SC (GA_TYPES_S | GA_TYPES_C)
#define GA_TYPES_E GA_BIT(bf16)
#define GA_TYPES_K (GA_BIT(bf16) | GA_BIT(e4m3) | GA_BIT(e5m2))
#define GA_TYPES_F64C128 (GA_BIT(f64) | GA_BIT(c128))
#define GA_TYPES_BI (GA_TYPES_B | GA_TYPES_I)
#define GA_TYPES_FC (GA_TYPES_F | GA_TYPES_C)
#define GA_TYPES_IF (GA_TYPES_I | GA_TYPES_F)
#define GA_TYPES_BIF (GA_TYPES_B | GA_TYPES_IF)
#define GA_TYPES_IFC (GA_TYPES_IF | GA_TYPES_C)
#define GA_TYPES_BIFC (GA_TYPES_B | GA_TYPES_IFC)
#define GA_TYPES_IFD (GA_TYPES_IF | GA_TYPES_D)
#define GA_TYPES_IFCD (GA_TYPES_IFC | GA_TYPES_D)
#define GA_TYPES_BIFCD (GA_TYPES_BIFC | GA_TYPES_D)
#define GA_TYPES_BIFCT (GA_TYPES_BIFC | GA_TYPES_T)
#define GA_TYPES_FK (GA_TYPES_F | GA_TYPES_K)
#define GA_TYPES_FE (GA_TYPES_F | GA_TYPES_E)
#define GA_TYPES_FCE (GA_TYPES_FC | GA_TYPES_E)
#define GA_TYPES_IFCE (GA_TYPES_IFC | GA_TYPES_E)
#define GA_TYPES_BIFCE (GA_TYPES_BIFC | GA_TYPES_E)
#define GA_TYPES_BIFE (GA_TYPES_BIF | GA_TYPES_E)
#define GA_TYPES_IFCDE (GA_TYPES_IFCD | GA_TYPES_E)
#define GA_TYPES_BIFCDE (GA_TYPES_BIFCD | GA_TYPES_E)
#define GA_TYPES_BIFCTE (GA_TYPES_BIFCT | GA_TYPES_E)

/* Dtypes to and from which each GA_STORED dtype has a conversion of its own; others go by way of float32, as in
 * ml_dtypes. */
#define GA_TYPES_BRIDGE (GA_BIT(f16) | GA_BIT(f32))

#endif

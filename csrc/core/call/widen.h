/* Which inputs an element-wise loop converts as it reads them: GA_WIDENS_<id> is the set of dtypes,
 * besides its own, that a loop of dtype <id> takes. They are those that NumPy casts to it by
 * same_kind, which convert exactly or as C does, but for complex128 to complex64, whose elements are
 * longer than a word. Integers keep their low bits, whether the loop's has a sign or not, since some
 * loops serve both (kernels/kinds.h). */
#ifndef GA_CALL_WIDEN_H
#define GA_CALL_WIDEN_H

#include "../../tables/tables.h"

#define GA_WIDENS_b1 GA_TYPES_NONE
#define GA_WIDENS_i8 (GA_TYPES_BI & ~GA_BIT(i8))
#define GA_WIDENS_u8 (GA_TYPES_BI & ~GA_BIT(u8))
#define GA_WIDENS_i16 (GA_TYPES_BI & ~GA_BIT(i16))
#define GA_WIDENS_u16 (GA_TYPES_BI & ~GA_BIT(u16))
#define GA_WIDENS_i32 (GA_TYPES_BI & ~GA_BIT(i32))
#define GA_WIDENS_u32 (GA_TYPES_BI & ~GA_BIT(u32))
#define GA_WIDENS_i64 (GA_TYPES_BI & ~GA_BIT(i64))
#define GA_WIDENS_u64 (GA_TYPES_BI & ~GA_BIT(u64))
#define GA_WIDENS_f16 (GA_TYPES_BI | GA_BIT(f32) | GA_BIT(f64))
#define GA_WIDENS_f32 (GA_TYPES_BI | GA_BIT(f16) | GA_BIT(f64))
#define GA_WIDENS_f64 (GA_TYPES_BI | GA_BIT(f16) | GA_BIT(f32))
#define GA_WIDENS_c64 GA_TYPES_BIF
#define GA_WIDENS_c128 (GA_TYPES_BIF | GA_BIT(c64))
#define GA_WIDENS_M8 GA_TYPES_NONE
#define GA_WIDENS_m8 GA_TYPES_NONE
#define GA_WIDENS_bf16 GA_TYPES_NONE
#define GA_WIDENS_e4m3 GA_TYPES_NONE
#define GA_WIDENS_e5m2 GA_TYPES_NONE

#endif

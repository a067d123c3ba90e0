/* port.cuh for programs that NVRTC compiles: the same words, and what the kernels' headers take
 * from C's and C++'s, since NVRTC comes without any. tools/build/headers.py puts it in port.cuh's
 * place. Includes nothing. */
#pragma once

/* ---- stdint.h, stddef.h, type_traits: as far as they are used ---- */
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t, uintptr_t;
#define INT8_MIN (-128)
#define INT16_MIN (-32767 - 1)
#define INT32_MIN (-2147483647 - 1)
#define INT64_MIN (-9223372036854775807L - 1)
#define INT32_MAX 2147483647
#define INT64_MAX 9223372036854775807L
#ifndef NULL
#define NULL nullptr
#endif

namespace std {
template <class T, T v> struct integral_constant {
    static constexpr T value = v;
    typedef T value_type;
    constexpr operator T() const { return v; }
};
typedef integral_constant<bool, true> true_type;
typedef integral_constant<bool, false> false_type;
template <class A, class B> struct is_same : false_type {};
template <class A> struct is_same<A, A> : true_type {};
template <bool condition, class A, class B> struct conditional {
    typedef A type;
};
template <class A, class B> struct conditional<false, A, B> {
    typedef B type;
};
template <bool condition, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> {
    typedef T type;
};
template <class T> struct is_floating_point : integral_constant<bool, is_same<T, float>::value || is_same<T, double>::value> {};
template <class T> struct is_integral : false_type {};
template <class T, bool arithmetic = is_integral<T>::value || is_floating_point<T>::value>
struct is_signed : integral_constant<bool, (T(-1) < T(0))> {};
template <class T> struct is_signed<T, false> : false_type {};
template <class T> struct is_unsigned : integral_constant<bool, is_integral<T>::value && !is_signed<T>::value> {};
#define GA_INTEGRAL(type) \
    template <> struct is_integral<type> : true_type {}
GA_INTEGRAL(bool);
GA_INTEGRAL(char);
GA_INTEGRAL(signed char);
GA_INTEGRAL(unsigned char);
GA_INTEGRAL(short);
GA_INTEGRAL(unsigned short);
GA_INTEGRAL(int);
GA_INTEGRAL(unsigned int);
GA_INTEGRAL(long);
GA_INTEGRAL(unsigned long);
GA_INTEGRAL(long long);
GA_INTEGRAL(unsigned long long);
#undef GA_INTEGRAL
}

/* ---- what g++ and clang++ have built in ---- */
#define __builtin_huge_val() __builtin_bit_cast(double, 0x7ff0000000000000ul)
#define __builtin_nan(text) __builtin_bit_cast(double, 0x7ff8000000000000ul)

/* ---- the words of port.cuh ---- */
#define GA_FN static __device__ __forceinline__
#define GA_FN_CALL static __device__ __noinline__
#define GA_METHOD __device__ __forceinline__
#define GA_MEMBER __host__ __device__
#define GA_BLOCK 256
#define GA_PARAM const __grid_constant__
#define GA_THREAD ((int)threadIdx.x)
#define GA_BLOCK_ID ((int64_t)blockIdx.x)
#define GA_UNROLL _Pragma("unroll")
#define GA_ROLLED _Pragma("unroll 1")

GA_FN void
GA_AWAIT()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

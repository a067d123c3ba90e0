/* Lines and boxes of elements on the CPU: what copies and picks move at a time, at any strides.
 *
 * Elements are moved as unsigned integers of their size, from and to any address, which is why they are read and
 * written by memcpy. Steps of which compilers make vectors have loops of their own. Strides are bytes. */
#pragma once
#include <stdint.h>
#include <string.h>

struct line_pair {
    uint64_t v[2];
};

template <class T> static inline T line_get(const char *from)
{
    T item;
    memcpy(&item, from, sizeof item);
    return item;
}

template <class T> static inline void line_put(char *to, T item)
{
    memcpy(to, &item, sizeof item);
}

/* Steps known at compile time, in elements. */
template <class T, int step> static inline void line_pick(const char *__restrict__ from, char *__restrict__ to, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        line_put(to + i * int64_t(sizeof(T)), line_get<T>(from + i * step * int64_t(sizeof(T))));
}

template <class T> static inline void line_fill(char *to, int64_t to_step, int64_t n, T item)
{
    const char *bytes = reinterpret_cast<const char *>(&item);
    if (to_step == int64_t(sizeof(T)) && memcmp(bytes, bytes + 1, sizeof(T) - 1) == 0)
        memset(to, bytes[0], size_t(n) * sizeof(T));
    else if (to_step == int64_t(sizeof(T)))
        for (int64_t i = 0; i < n; i++)
            line_put(to + i * int64_t(sizeof(T)), item);
    else
        for (int64_t i = 0; i < n; i++)
            line_put(to + i * to_step, item);
}

template <class T>
static inline void line_walk(const char *__restrict__ from, int64_t from_step, char *__restrict__ to, int64_t to_step, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        line_put(to + i * to_step, line_get<T>(from + i * from_step));
}

/* n elements. Called: it is large, and lines are long. */
template <class T>
static __attribute__((noinline)) void
line_copy(const char *from, int64_t from_step, char *to, int64_t to_step, int64_t n)
{
    constexpr int64_t size = sizeof(T);
    if (from_step == 0)
        return line_fill(to, to_step, n, line_get<T>(from));
    if (to_step != size || from_step % size != 0)
        return line_walk<T>(from, from_step, to, to_step, n);
    switch (from_step / size) {
    case 1:
        memmove(to, from, size_t(n * size)); /* a line may be copied onto itself */
        return;
    case 2:
        return line_pick<T, 2>(from, to, n);
    case 3:
        return line_pick<T, 3>(from, to, n);
    case 4:
        return line_pick<T, 4>(from, to, n);
    case -1:
        return line_pick<T, -1>(from, to, n);
    default:
        return line_walk<T>(from, from_step, to, size, n);
    }
}

/* `rows` lines of n elements. */
struct line_box {
    int64_t rows, n;
    int64_t from_row, to_row; /* from line to line */
    int64_t from_step, to_step;
};

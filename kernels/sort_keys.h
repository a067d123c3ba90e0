/* Sorting rows of unsigned keys: what sort.cu asks of sort_cuda.cu or sort_cpu.cc. */
#ifndef GA_SORT_KEYS_H
#define GA_SORT_KEYS_H

#include "../csrc/core/backend.h"

/* Keys and positions come in two buffers each, the first filled; `at` says afterwards which one
 * holds the result. positions are carried along with the keys, or {NULL, NULL}. The sort is stable
 * and ascending. One that fails has changed nothing. */
typedef struct {
    int32_t width; /* bytes of a key: 4 or 8 */
    int32_t bits;  /* the low bits that keys differ in */
    int32_t at;
    int64_t rows, length;
    void *keys[2];
    uint32_t *positions[2];
} ga_sort_job;

int ga_sort_keys(ga_sort_job *job, ga_stream *stream);

/* Whether rows are sorted as they are, values alone, from src to dst, which may be src; then *status is 0 or -1. */
bool ga_sort_short(const ga_sort_call *call, ga_stream *stream, int *status);

#endif

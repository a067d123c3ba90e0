/* The contract between the core and a device: all that either side knows of the other.
 *
 * A backend is a shared library without Python (libga_cpu.so, libga_cuda.so) that exports ga_backend_open and
 * ga_backend_why. The slots are operation families, never single operations. A slot returns 0, or -1 after it
 * recorded a status and a sentence for last_error() of the calling thread. What a device cannot do fails with
 * GA_ERR_UNSUPPORTED. Nothing throws across this border. C11 and C++17; includes csrc/tables only.
 * What a family is told stands in call/, a header each, so that kernels see their own family alone.
 *
 * Everywhere: sizes count elements unless called nbytes; strides and offsets are bytes; `data` points at the first
 * element; every launch is asynchronous on its stream (the CPU backend has finished when it returns); a stream knows
 * its device; sizes of zero are allowed and launch nothing. Pointers need only be aligned to their dtype's size where
 * the core says so: the core copies misaligned operands first. */
#ifndef GA_BACKEND_H
#define GA_BACKEND_H

#include "call/base.h"
#include "call/choose.h"
#include "call/count.h"
#include "call/cross.h"
#include "call/elementwise.h"
#include "call/expression.h"
#include "call/extend.h"
#include "call/fft.h"
#include "call/formula.h"
#include "call/fused.h"
#include "call/index.h"
#include "call/interp.h"
#include "call/label.h"
#include "call/lapack.h"
#include "call/mask.h"
#include "call/matmul.h"
#include "call/polynomial.h"
#include "call/present.h"
#include "call/program.h"
#include "call/random.h"
#include "call/rank.h"
#include "call/reduce.h"
#include "call/resample.h"
#include "call/rows.h"
#include "call/sort.h"
#include "call/widen.h"
#include "call/window.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GA_ABI 14u

enum ga_copy_kind { GA_COPY_TO_DEVICE, GA_COPY_TO_HOST, GA_COPY_ON_DEVICE };

typedef struct {
    char name[128];
    int64_t total_memory, free_memory; /* bytes; free as seen now */
    int32_t multiprocessors;           /* or CPU threads used */
    int32_t arch;                      /* 90 for compute capability 9.0; 0 on a CPU */
    int32_t driver_version;            /* 13000 for CUDA 13.0; 0 on a CPU */
    int32_t runtime_version;
    double peak_bandwidth;             /* bytes/s by the clocks the driver reports, 0 if unknown */
} ga_device_info;

typedef struct ga_backend {
    uint32_t abi;
    const char *name;                                     /* "cpu" or "cuda" */
    const char *build;                                    /* compiler, architectures: for show_config() */
    const char *(*last_error)(enum ga_status *status);    /* of this thread; never NULL */

    int (*device_count)(int *out);
    int (*device_info)(int device, ga_device_info *out);

    /* Memory. alloc is stream-ordered, at least 256-byte aligned on CUDA, 64 on the CPU; fails with
     * GA_ERR_MEMORY. trim gives cached memory back to the system. */
    int (*alloc)(size_t nbytes, ga_stream *stream, void **out);
    int (*free)(void *ptr, ga_stream *stream);
    int (*trim)(int device);

    /* Linear copy. Host memory may be pageable: the call returns when the host side may be touched again. */
    int (*copy)(void *dst, const void *src, size_t nbytes, enum ga_copy_kind kind, ga_stream *stream);
    /* Between two devices of this backend, ordered on both streams. */
    int (*copy_peer)(void *dst, ga_stream *dst_stream, const void *src, ga_stream *src_stream, size_t nbytes);

    /* Streams and events. The default stream of a device lives as long as the process. */
    int (*stream_default)(int device, ga_stream **out);
    int (*stream_create)(int device, bool non_blocking, ga_stream **out);
    int (*stream_wrap)(int device, uintptr_t handle, ga_stream **out); /* a foreign cudaStream_t, not destroyed */
    int (*stream_destroy)(ga_stream *stream);
    int (*stream_sync)(ga_stream *stream);
    int (*stream_query)(ga_stream *stream, bool *done);
    int (*stream_wait)(ga_stream *stream, ga_event *event);
    uintptr_t (*stream_handle)(const ga_stream *stream); /* cudaStream_t as DLPack and others want it */
    int (*event_create)(int device, bool timing, ga_event **out);
    int (*event_destroy)(ga_event *event);
    int (*event_record)(ga_event *event, ga_stream *stream);
    int (*event_sync)(ga_event *event);
    int (*event_query)(ga_event *event, bool *done);
    int (*event_elapsed)(const ga_event *from, const ga_event *to, float *milliseconds);

    /* Families. */
    int (*ufunc)(const ga_ufunc_call *call, ga_stream *stream);
    int (*cast)(const ga_cast_call *call, ga_stream *stream);
    int (*choose)(const ga_choose_call *call, ga_stream *stream);
    int (*formula)(const ga_formula_call *call, ga_stream *stream);
    int (*expression)(const ga_expression_call *call, ga_stream *stream);
    int (*extend)(const ga_extend_call *call, ga_stream *stream);
    int (*sequence)(const ga_sequence_call *call, ga_stream *stream);
    int (*reduce)(const ga_reduce_call *call, ga_stream *stream);
    int (*argreduce)(const ga_argreduce_call *call, ga_stream *stream);
    int (*matmul)(const ga_matmul_call *call, ga_stream *stream);
    int (*fft)(const ga_fft_call *call, ga_stream *stream);
    /* The plans kept for transforms on a device, as they were before the call; a `limit` of 0 or
     * more is the new one. */
    int (*fft_keep)(int device, int64_t limit, ga_fft_plans *before);
    int (*lapack)(const ga_lapack_call *call, ga_stream *stream);
    int (*sort)(const ga_sort_call *call, ga_stream *stream);
    int (*rows)(const ga_rows_call *call, ga_stream *stream);
    int (*search)(const ga_search_call *call, ga_stream *stream);
    int (*rank)(const ga_rank_call *call, ga_stream *stream);
    int (*partition)(const ga_partition_call *call, ga_stream *stream);
    int (*select)(const ga_select_call *call, int64_t *count, ga_stream *stream);
    int (*scan)(const ga_scan_call *call, ga_stream *stream);
    int (*segments)(const ga_segments_call *call, ga_stream *stream);
    int (*moments)(const ga_moments_call *call, ga_stream *stream);
    int (*cross)(const ga_cross_call *call, ga_stream *stream);
    int (*present)(const ga_present_call *call, ga_stream *stream);
    int (*window)(const ga_window_call *call, ga_stream *stream);
    int (*interpolate)(const ga_interpolate_call *call, ga_stream *stream);
    int (*interp)(const ga_interp_call *call, ga_stream *stream);
    int (*spline)(const ga_spline_call *call, ga_stream *stream);
    int (*label)(const ga_label_call *call, ga_stream *stream);
    int (*number)(const ga_number_call *call, ga_stream *stream); /* what label found */
    int (*gather)(const ga_index_call *call, ga_stream *stream);
    int (*scatter)(const ga_index_call *call, ga_stream *stream);
    int (*random)(const ga_random_call *call, ga_stream *stream);
    int (*count)(const ga_count_call *call, ga_stream *stream);
    int (*weigh)(const ga_weigh_call *call, ga_stream *stream);
    int (*histogram)(const ga_histogram_call *call, ga_stream *stream);
    int (*triangle)(const ga_triangle_call *call, ga_stream *stream);
    int (*pack)(const ga_pack_call *call, ga_stream *stream);
    int (*series)(const ga_series_call *call, ga_stream *stream);
    int (*coefficients)(const ga_coefficients_call *call, ga_stream *stream);
    /* Programs of the user's. find: GA_ERR_VALUE for a name that no kernel has. free waits for the device. */
    int (*program_make)(const ga_program_source *source, ga_program **out);
    int (*program_find)(ga_program *program, const char *name);
    int (*program_run)(const ga_program_launch *launch, ga_stream *stream);
    void (*program_free)(ga_program *program);
    int (*fused)(const ga_fused_call *call, ga_stream *stream);
    /* Fails with the first bad index (GA_ERR_INDEX) or bad parameter of random numbers that finished
     * work of the device met since the last call; it is forgotten then. */
    int (*fault)(int device);

    /* Libraries opened on first use (cuBLAS...): a line each, "name\tversion or reason\n", into
     * buf; for show_config(). */
    int (*libraries)(char *buf, size_t nbytes);
    /* Tells where to look for libraries besides the system's places: folders joined by ':'. */
    int (*library_path)(const char *folders);
} ga_backend;

/* NULL with a reason in ga_backend_why() when the ABI differs or the device cannot be used. */
typedef const ga_backend *(*ga_backend_open_fn)(uint32_t abi);
typedef const char *(*ga_backend_why_fn)(void);

#ifdef __cplusplus
}
#endif
#endif

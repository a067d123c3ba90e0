/* The contract between the core and a device: all that either side knows of the other.
 *
 * A backend is a shared library without Python (libga_cpu.so, libga_cuda.so) that exports ga_backend_open and
 * ga_backend_why. The slots are operation families, never single operations. A slot returns 0, or -1 after it
 * recorded a status and a sentence for last_error() of the calling thread. What a device cannot do fails with
 * GA_ERR_UNSUPPORTED. Nothing throws across this border. C11 and C++17; includes csrc/tables only.
 *
 * Everywhere: sizes count elements unless called nbytes; strides and offsets are bytes; `data` points at the first
 * element; every launch is asynchronous on its stream (the CPU backend has finished when it returns); a stream knows
 * its device; sizes of zero are allowed and launch nothing. Pointers need only be aligned to their dtype's size where
 * the core says so: the core copies misaligned operands first. */
#ifndef GA_BACKEND_H
#define GA_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../tables/tables.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GA_ABI 2u
#define GA_MAXDIMS 64   /* of an array, NumPy's limit */
#define GA_ITER_DIMS 8  /* of one launch, after collapsing; the core loops over what is left outside */
#define GA_MAXARGS 5    /* of a ufunc call: two inputs, two outputs, the where mask */

enum ga_status {
    GA_OK = 0,
    GA_ERR_VALUE,        /* ValueError */
    GA_ERR_TYPE,         /* TypeError */
    GA_ERR_INDEX,        /* IndexError */
    GA_ERR_MEMORY,       /* MemoryError: the core may drop caches and try again */
    GA_ERR_UNSUPPORTED,  /* NotImplementedError, unless the caller has another way */
    GA_ERR_DEVICE,       /* RuntimeError: driver, library or launch failure */
    GA_ERR_OVERFLOW,     /* OverflowError */
    GA_ERR_ZERODIVISION, /* ZeroDivisionError */
    GA_ERR_BUFFER        /* BufferError */
};

typedef struct ga_stream ga_stream; /* owned by the backend that made it */
typedef struct ga_event ga_event;

/* One element of any dtype, as it lies in memory. */
typedef union {
    uint8_t bytes[16];
    int64_t i;
    uint64_t u;
    double d;
    float f;
} ga_scalar;

/* data == NULL means that every element is `value` (already in the call's dtype): a scalar travels in the launch. */
typedef struct {
    void *data;
    ga_scalar value;
    int64_t strides[GA_ITER_DIMS];
} ga_operand;

/* Element-wise operation. args: inputs, outputs, then the mask (bool) if has_where. Operands are in the loop's dtypes.
 * shape is collapsed, outermost first; ndim 0 is one element. Outputs never carry data == NULL. An output may be
 * exactly an input (same data and strides); other overlaps the core has removed. */
typedef struct {
    enum ga_ufunc op;
    int32_t nin, nout;
    enum ga_dtype in[2], out[2];
    int32_t ndim;
    bool has_where;
    int64_t size;
    int64_t shape[GA_ITER_DIMS];
    ga_operand args[GA_MAXARGS];
} ga_ufunc_call;

/* Copy with conversion by NumPy's `astype` rules: dst[i] = (out)src[i]. For two times, the value is multiplied by `num` and
 * divided by `den` (floor), NaT kept; num and den are 1 otherwise. src.data may be NULL (fill with value, in dtype `in`). */
typedef struct {
    enum ga_dtype in, out;
    int32_t ndim;
    int64_t size;
    int64_t shape[GA_ITER_DIMS];
    int64_t num, den;
    ga_operand src, dst;
} ga_cast_call;

/* dst[i] = start + i * delta for a contiguous vector, computed in the dtype itself as NumPy's arange does. */
typedef struct {
    enum ga_dtype dtype;
    int64_t size;
    void *dst;
    ga_scalar start, delta;
} ga_sequence_call;

/* Reduction of a binary ufunc (in and out dtype equal) over the `red` axes for each point of the `keep` axes.
 * src is read in src_dtype and converted to dtype on load, converted by truth for b1. Without an initial value the core
 * guarantees at least one element or an op with identity; an empty reduction yields the identity. With a mask, elements where it is
 * false do not count. ordered: strictly left to right (red axes outermost first); otherwise a tree of fixed shape,
 * which depends on the shapes alone, never on the number of processors. */
typedef struct {
    enum ga_ufunc op;
    enum ga_dtype src_dtype, dtype;
    int32_t nkeep, nred;
    bool ordered, has_initial, has_where;
    int64_t keep_size, red_size;
    int64_t keep_shape[GA_ITER_DIMS], red_shape[GA_ITER_DIMS];
    const void *src;
    int64_t src_keep[GA_ITER_DIMS], src_red[GA_ITER_DIMS];
    void *dst; /* dtype */
    int64_t dst_keep[GA_ITER_DIMS];
    const void *where; /* bool */
    int64_t where_keep[GA_ITER_DIMS], where_red[GA_ITER_DIMS];
    ga_scalar initial; /* in dtype */
} ga_reduce_call;

/* Position (C order over the red axes, 0-based int64) of the first maximum or minimum; NaN and NaT win. */
typedef struct {
    bool maximum;
    enum ga_dtype dtype;
    int32_t nkeep, nred;
    int64_t keep_size, red_size;
    int64_t keep_shape[GA_ITER_DIMS], red_shape[GA_ITER_DIMS];
    const void *src;
    int64_t src_keep[GA_ITER_DIMS], src_red[GA_ITER_DIMS];
    int64_t *dst;
    int64_t dst_keep[GA_ITER_DIMS];
} ga_argreduce_call;

/* Every intermediate result of a reduction along one axis, for each point of the `keep` axes: dst[0] = src[0] and
 * dst[i] = op(dst[i - 1], src[i]); op, dtypes, conversion and `ordered` as in ga_reduce_call. Otherwise pieces of
 * the axis are added up first, and where they are cut depends on the shapes alone. dst overlaps src nowhere. */
typedef struct {
    enum ga_ufunc op;
    enum ga_dtype src_dtype, dtype;
    int32_t nkeep;
    bool ordered;
    int64_t keep_size, axis_size;
    int64_t keep_shape[GA_ITER_DIMS];
    const void *src;
    int64_t src_axis, src_keep[GA_ITER_DIMS];
    void *dst;
    int64_t dst_axis, dst_keep[GA_ITER_DIMS];
} ga_scan_call;

/* Reductions of slices of one axis: result k is that of src[starts[k]:starts[k + 1]], the last one goes to the end of
 * the axis, and a slice that would be empty is the one element starts[k]. `scan.axis_size` is the length of src along
 * the axis, `scan.dst_axis` the stride between results. starts lies on the device, each within the axis. */
typedef struct {
    ga_scan_call scan;
    int64_t segments;
    const int64_t *starts;
} ga_segments_call;

/* Variance, or with `root` standard deviation, over the `red` axes of a reduction: op, dtype and initial do not count, the
 * source is of any dtype but times, results are float64. The sum of squared distances from the mean is divided
 * by the number of elements (where the mask is true) minus ddof, by zero where that is negative. One read of src. */
typedef struct {
    ga_reduce_call reduce;
    double ddof;
    bool root;
} ga_moments_call;

/* c[b] = a[b] @ b[b] for every point of the batch axes: (m, k) @ (k, n) -> (m, n). Strides: [0] between rows, [1] between
 * columns. Any strides, zero and negative too: the backend copies where its library cannot take them. A batch stride of
 * zero broadcasts. */
typedef struct {
    enum ga_dtype dtype;
    int64_t m, n, k;
    int32_t nbatch;
    int64_t batch_shape[GA_ITER_DIMS];
    const void *a, *b;
    void *c;
    int64_t a_strides[2], b_strides[2], c_strides[2];
    int64_t a_batch[GA_ITER_DIMS], b_batch[GA_ITER_DIMS], c_batch[GA_ITER_DIMS];
    bool tf32; /* f32 and c64 may be rounded to ten bits of mantissa where the device multiplies them faster so */
} ga_matmul_call;

/* Stable sort of each of `rows` contiguous rows of `length` elements, NaN and NaT last in either direction. `dst` gets
 * the elements (it may be src), `positions` where in its row each one came from; one of them may be NULL. With `order`
 * the rows are first permuted: element i of a row is src[order[i]], and positions are those of src; order may be
 * positions. Values alone put -0.0 before 0.0; to positions they are equal. */
typedef struct {
    enum ga_dtype dtype;
    bool descending;
    int64_t rows, length;
    const void *src;
    void *dst;
    int64_t *positions;
    const int64_t *order;
} ga_sort_call;

/* Where each of `values` belongs in `sorted` (ascending as above; through `order`, unless NULL): before elements that
 * equal it, or behind them. All contiguous and of one dtype. An order that leaves the array is clipped to it. */
typedef struct {
    enum ga_dtype dtype;
    bool right;
    int64_t size, count; /* of sorted; of values and dst */
    const void *sorted, *values;
    const int64_t *order;
    int64_t *dst;
} ga_search_call;

/* Compaction by a contiguous mask of bytes (any non-zero one counts), in two calls. The first has dst NULL: it fills
 * `tiles`, an entry for every GA_SELECT_TILE bytes begun and one more, and gives the number of true elements to the
 * host. The second writes either the elements of src that are selected, contiguous as the mask is, or without src the
 * index of each along every axis of `shape`: axis d to dst[d * count + i]. */
#define GA_SELECT_TILE 4096
typedef struct {
    const uint8_t *mask;
    int64_t size, count; /* count: what the first call gave */
    int64_t *tiles;
    const void *src;
    int32_t itemsize, ndim;
    int64_t shape[GA_MAXDIMS];
    void *dst;
} ga_select_call;

#define GA_INDEX_ARRAYS 8 /* of one gather or scatter */

enum ga_index_mode { GA_INDEX_RAISE, GA_INDEX_WRAP, GA_INDEX_CLIP };

/* An index array over the dimensions of the selection, and the axis of the array it picks from. */
typedef struct {
    const int64_t *data;
    int64_t strides[GA_ITER_DIMS];
    int64_t length, step; /* of the axis: elements (not 0), and bytes from one to the next */
    int32_t axis;         /* its number, for messages */
} ga_index_array;

/* Elements picked by index arrays. A point of the selection stands for the element at array.data + its array strides
 * + the sum of index * step. gather copies it to `other`, scatter copies `other` (which may be one value) to it. Items
 * move as they are. Negative indices count from the end. In mode raise an index out of range is IndexError: from the
 * call itself on the CPU, from `fault` later on CUDA; scatter has then written nothing. `place` numbers the points of
 * the index arrays in C order (0 along other dimensions): of points that name one element, the last one is written. */
typedef struct {
    const char *function; /* static text, for messages */
    enum ga_index_mode mode;
    int32_t itemsize; /* 1, 2, 4, 8 or 16 */
    int32_t ndim, narrays;
    bool checked; /* every index is known to be in range */
    bool unique;  /* scatter: no element is named twice, or its values are equal */
    int64_t size;
    int64_t shape[GA_ITER_DIMS];
    ga_operand array, other;
    int64_t place[GA_ITER_DIMS];
    ga_index_array index[GA_INDEX_ARRAYS];
} ga_index_call;

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

    /* Memory. alloc is stream-ordered, at least 256-byte aligned on CUDA, 64 on the CPU; fails with GA_ERR_MEMORY. trim gives
     * cached memory back to the system. */
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
    int (*sequence)(const ga_sequence_call *call, ga_stream *stream);
    int (*reduce)(const ga_reduce_call *call, ga_stream *stream);
    int (*argreduce)(const ga_argreduce_call *call, ga_stream *stream);
    int (*matmul)(const ga_matmul_call *call, ga_stream *stream);
    int (*sort)(const ga_sort_call *call, ga_stream *stream);
    int (*search)(const ga_search_call *call, ga_stream *stream);
    int (*select)(const ga_select_call *call, int64_t *count, ga_stream *stream);
    int (*scan)(const ga_scan_call *call, ga_stream *stream);
    int (*segments)(const ga_segments_call *call, ga_stream *stream);
    int (*moments)(const ga_moments_call *call, ga_stream *stream);
    int (*gather)(const ga_index_call *call, ga_stream *stream);
    int (*scatter)(const ga_index_call *call, ga_stream *stream);
    /* GA_ERR_INDEX for the first bad index that finished work of the device met since the last call; it is forgotten then. */
    int (*fault)(int device);

    /* Libraries opened on first use (cuBLAS...): a line each, "name\tversion or reason\n", into buf; for show_config(). */
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

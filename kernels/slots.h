/* The functions behind the slots of ga_backend, by the file that defines them; backend.cu puts them into the table.
 *
 * Contracts are those of csrc/core/backend.h. Each name here has one definition in each build: runtime, stream, blas,
 * fft and lapack in a file of their own for either, the families in one source for both. */
#ifndef GA_SLOTS_H
#define GA_SLOTS_H

#include "../csrc/core/backend.h"

/* The device and its memory (runtime_cpu.cc | runtime_cuda.cu, memory_cuda.cc). */
/* 0 when the device can be used, else -1 and a reason for ga_backend_why(); creates nothing on the device. */
int ga_runtime_probe(void);
const char *ga_runtime_name(void);
const char *ga_runtime_build(void);
int ga_runtime_device_count(int *out);
int ga_runtime_device_info(int device, ga_device_info *out);
int ga_runtime_alloc(size_t nbytes, ga_stream *stream, void **out);
int ga_runtime_free(void *ptr, ga_stream *stream);
int ga_runtime_trim(int device);
int ga_runtime_copy(void *dst, const void *src, size_t nbytes, enum ga_copy_kind kind, ga_stream *stream);
int ga_runtime_copy_peer(void *dst, ga_stream *dst_stream, const void *src, ga_stream *src_stream, size_t nbytes);

/* Streams and events (stream_cpu.cc | stream_cuda.cc). */
int ga_stream_default(int device, ga_stream **out);
int ga_stream_create(int device, bool non_blocking, ga_stream **out);
int ga_stream_wrap(int device, uintptr_t handle, ga_stream **out);
int ga_stream_destroy(ga_stream *stream);
/* GA_STREAM_COUNTERS words of device memory that are 0 between the launches on a stream, each of
 * which leaves them so; NULL on the CPU, for streams of others (launches on the per-thread one are
 * not in one order), and where a program has made very many streams. */
#define GA_STREAM_COUNTERS 512
int ga_stream_counters(ga_stream *stream, uint32_t **out);
int ga_stream_sync(ga_stream *stream);
int ga_stream_query(ga_stream *stream, bool *done);
int ga_stream_wait(ga_stream *stream, ga_event *event);
uintptr_t ga_stream_handle(const ga_stream *stream);
int ga_event_create(int device, bool timing, ga_event **out);
int ga_event_destroy(ga_event *event);
int ga_event_record(ga_event *event, ga_stream *stream);
int ga_event_sync(ga_event *event);
int ga_event_query(ga_event *event, bool *done);
int ga_event_elapsed(const ga_event *from, const ga_event *to, float *milliseconds);

/* Families. */
int ga_ufunc_run(const ga_ufunc_call *call, ga_stream *stream);
int ga_cast_run(const ga_cast_call *call, ga_stream *stream);
int ga_choose_run(const ga_choose_call *call, ga_stream *stream);
int ga_formula_run(const ga_formula_call *call, ga_stream *stream);
int ga_expression_run(const ga_expression_call *call, ga_stream *stream);
int ga_extend_run(const ga_extend_call *call, ga_stream *stream);
int ga_sequence_run(const ga_sequence_call *call, ga_stream *stream);
int ga_reduce_run(const ga_reduce_call *call, ga_stream *stream);
int ga_argreduce_run(const ga_argreduce_call *call, ga_stream *stream);
int ga_matmul_run(const ga_matmul_call *call, ga_stream *stream);
int ga_fft_run(const ga_fft_call *call, ga_stream *stream);
int ga_fft_keep(int device, int64_t limit, ga_fft_plans *before);
int ga_lapack_run(const ga_lapack_call *call, ga_stream *stream);
int ga_scan_run(const ga_scan_call *call, ga_stream *stream);
int ga_segments_run(const ga_segments_call *call, ga_stream *stream);
int ga_moments_run(const ga_moments_call *call, ga_stream *stream);
int ga_cross_run(const ga_cross_call *call, ga_stream *stream);
int ga_present_run(const ga_present_call *call, ga_stream *stream);
int ga_sort_run(const ga_sort_call *call, ga_stream *stream);
int ga_rows_run(const ga_rows_call *call, ga_stream *stream);
int ga_search_run(const ga_search_call *call, ga_stream *stream);
int ga_rank_run(const ga_rank_call *call, ga_stream *stream);
int ga_partition_run(const ga_partition_call *call, ga_stream *stream);
int ga_select_run(const ga_select_call *call, int64_t *count, ga_stream *stream);
int ga_window_run(const ga_window_call *call, ga_stream *stream);
int ga_interpolate_run(const ga_interpolate_call *call, ga_stream *stream);
int ga_interp_run(const ga_interp_call *call, ga_stream *stream);
int ga_spline_run(const ga_spline_call *call, ga_stream *stream);
int ga_label_run(const ga_label_call *call, ga_stream *stream);
/* label.cu */
int ga_number_run(const ga_number_call *call, ga_stream *stream);
int ga_index_gather(const ga_index_call *call, ga_stream *stream);
int ga_index_scatter(const ga_index_call *call, ga_stream *stream);
int ga_random_run(const ga_random_call *call, ga_stream *stream);
int ga_count_run(const ga_count_call *call, ga_stream *stream);
int ga_weigh_run(const ga_weigh_call *call, ga_stream *stream);
int ga_histogram_run(const ga_histogram_call *call, ga_stream *stream);
int ga_triangle_run(const ga_triangle_call *call, ga_stream *stream);
int ga_pack_run(const ga_pack_call *call, ga_stream *stream);
int ga_series_run(const ga_series_call *call, ga_stream *stream);
int ga_coefficients_run(const ga_coefficients_call *call, ga_stream *stream);
int ga_fault_raise(int device);

/* Programs of the user's (program_cpu.cc | program_cuda.cc). */
int ga_program_make(const ga_program_source *source, ga_program **out);
int ga_program_find(ga_program *program, const char *name);
int ga_program_run(const ga_program_launch *launch, ga_stream *stream);
void ga_program_free(ga_program *program);
int ga_fused_run(const ga_fused_call *call, ga_stream *stream);

/* Vendor libraries (blas_cpu.cc | library_cuda.cc). */
int ga_library_list(char *buf, size_t nbytes);
int ga_library_path(const char *folders);

#endif

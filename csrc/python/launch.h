/* The slots of a device's families, called from Python: one function a slot that says how much work a call is.
 *
 * Each runs without the GIL where the call is long work on the CPU device, where a launch is the work itself, or waits
 * for the GPU (lapack); gives memory back and tries once more where a slot found no room for what it needs beside its
 * operands; and raises what the slot recorded. Pointers of the call come from ga_array_pointer. Return 0, or -1 with an
 * exception. */
#ifndef GAPY_LAUNCH_H
#define GAPY_LAUNCH_H

#include "gapy.h"

/* From this many elements on, work on the CPU device lets other Python threads run. */
#define GA_RELEASE_SIZE 65536

int ga_launch_ufunc(const ga_device *device, const ga_ufunc_call *call, ga_stream *stream);
int ga_launch_choose(const ga_device *device, const ga_choose_call *call, ga_stream *stream);
int ga_launch_formula(const ga_device *device, const ga_formula_call *call, ga_stream *stream);
int ga_launch_expression(const ga_device *device, const ga_expression_call *call, ga_stream *stream);
int ga_launch_extend(const ga_device *device, const ga_extend_call *call, ga_stream *stream);
int ga_launch_rows(const ga_device *device, const ga_rows_call *call, ga_stream *stream);
int ga_launch_cast(const ga_device *device, const ga_cast_call *call, ga_stream *stream);
int ga_launch_sequence(const ga_device *device, const ga_sequence_call *call, ga_stream *stream);
int ga_launch_reduce(const ga_device *device, const ga_reduce_call *call, ga_stream *stream);
int ga_launch_argreduce(const ga_device *device, const ga_argreduce_call *call, ga_stream *stream);
int ga_launch_matmul(const ga_device *device, const ga_matmul_call *call, ga_stream *stream);
int ga_launch_fft(const ga_device *device, const ga_fft_call *call, ga_stream *stream);
int ga_launch_lapack(const ga_device *device, const ga_lapack_call *call, ga_stream *stream);
int ga_launch_sort(const ga_device *device, const ga_sort_call *call, ga_stream *stream);
int ga_launch_search(const ga_device *device, const ga_search_call *call, ga_stream *stream);
int ga_launch_rank(const ga_device *device, const ga_rank_call *call, ga_stream *stream);
int ga_launch_partition(const ga_device *device, const ga_partition_call *call, ga_stream *stream);
int ga_launch_scan(const ga_device *device, const ga_scan_call *call, ga_stream *stream);
int ga_launch_segments(const ga_device *device, const ga_segments_call *call, ga_stream *stream);
int ga_launch_moments(const ga_device *device, const ga_moments_call *call, ga_stream *stream);
int ga_launch_present(const ga_device *device, const ga_present_call *call, ga_stream *stream);
int ga_launch_cross(const ga_device *device, const ga_cross_call *call, ga_stream *stream);
int ga_launch_gather(const ga_device *device, const ga_index_call *call, ga_stream *stream);
int ga_launch_scatter(const ga_device *device, const ga_index_call *call, ga_stream *stream);
int ga_launch_window(const ga_device *device, const ga_window_call *call, ga_stream *stream);
int ga_launch_interpolate(const ga_device *device, const ga_interpolate_call *call,
                          ga_stream *stream);
int ga_launch_interp(const ga_device *device, const ga_interp_call *call, ga_stream *stream);
int ga_launch_spline(const ga_device *device, const ga_spline_call *call, ga_stream *stream);
int ga_launch_label(const ga_device *device, const ga_label_call *call, ga_stream *stream);
int ga_launch_number(const ga_device *device, const ga_number_call *call, ga_stream *stream);
int ga_launch_count(const ga_device *device, const ga_count_call *call, ga_stream *stream);
int ga_launch_weigh(const ga_device *device, const ga_weigh_call *call, ga_stream *stream);
int ga_launch_histogram(const ga_device *device, const ga_histogram_call *call, ga_stream *stream);
int ga_launch_triangle(const ga_device *device, const ga_triangle_call *call, ga_stream *stream);
int ga_launch_pack(const ga_device *device, const ga_pack_call *call, ga_stream *stream);
int ga_launch_series(const ga_device *device, const ga_series_call *call, ga_stream *stream);
int ga_launch_fused(const ga_device *device, const ga_fused_call *call, ga_stream *stream);
int ga_launch_program_run(const ga_device *device, const ga_program_launch *call, ga_stream *stream);
int ga_launch_coefficients(const ga_device *device, const ga_coefficients_call *call, ga_stream *stream);

/* The first call on a GPU that needs a vendor's library comes here before: once, the Python function registered as
 * "find_libraries" says where wheels put them. */
int ga_launch_find_libraries(GaState *state);

#endif

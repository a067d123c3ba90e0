/* The slots of a device's families, called from Python. Touches no core structure while the GIL is released. */
#include "launch.h"

#include "../core/config.h"

/* After a launch: its status as a Python exception, and GPUARRAY_DEBUG=sync. */
static int
finish_launch(const ga_device *device, ga_stream *stream, int rc)
{
    if (rc == 0 && ga_config_get()->debug_sync)
        rc = device->backend->stream_sync(stream);
    if (rc == 0)
        return 0;
    ga_fail_backend(device->backend);
    return ga_raise_int();
}

/* A slot that runs out of memory does so before its first launch, so that it may be called again. */
#define LAUNCHER_THAT(slot, call_type, releases) \
    static int attempt_##slot(const ga_device *device, const call_type *call, ga_stream *stream) \
    { \
        int rc; \
        if (!(releases)) \
            return device->backend->slot(call, stream); \
        Py_BEGIN_ALLOW_THREADS \
        rc = device->backend->slot(call, stream); \
        Py_END_ALLOW_THREADS \
        return rc; \
    } \
\
    int ga_launch_##slot(const ga_device *device, const call_type *call, ga_stream *stream) \
    { \
        int rc = attempt_##slot(device, call, stream); \
        if (rc < 0 && ga_pool_relieve(device->pool)) \
            rc = attempt_##slot(device, call, stream); \
        return finish_launch(device, stream, rc); \
    }

#define LAUNCHER(slot, call_type, work) \
    LAUNCHER_THAT(slot, call_type, device->is_cpu && (work) >= GA_RELEASE_SIZE)

int
ga_launch_find_libraries(GaState *state)
{
    PyObject *function = PyDict_GetItemString(state->python_functions, "find_libraries");
    if (function == NULL)
        return 0;
    Py_INCREF(function);
    PyObject *result = NULL;
    if (PyDict_DelItemString(state->python_functions, "find_libraries") == 0)
        result = PyObject_CallNoArgs(function);
    Py_DECREF(function);
    Py_XDECREF(result);
    return result != NULL ? 0 : -1;
}

LAUNCHER(ufunc, ga_ufunc_call, call->size)
LAUNCHER(choose, ga_choose_call, call->size)
LAUNCHER(formula, ga_formula_call, call->operands.size)
LAUNCHER(expression, ga_expression_call, call->size)
LAUNCHER(extend, ga_extend_call, call->size)
LAUNCHER(rows, ga_rows_call, call->rows * call->length)
LAUNCHER(cast, ga_cast_call, call->size)
LAUNCHER(sequence, ga_sequence_call, call->size)
LAUNCHER(reduce, ga_reduce_call, call->keep_size * call->red_size)
LAUNCHER(argreduce, ga_argreduce_call, call->keep_size * call->red_size)
LAUNCHER(matmul, ga_matmul_call, call->m * call->n * call->k)
LAUNCHER(fft, ga_fft_call, 0) /* the CPU backend has none */
LAUNCHER(sort, ga_sort_call, call->rows * call->length)
LAUNCHER(search, ga_search_call, call->count)
LAUNCHER(rank, ga_rank_call, call->rows * call->length)
LAUNCHER(partition, ga_partition_call, call->rows * call->length)
LAUNCHER(scan, ga_scan_call, call->keep_size * call->axis_size)
LAUNCHER(segments, ga_segments_call, call->scan.keep_size * call->scan.axis_size)
LAUNCHER(moments, ga_moments_call, call->reduce.keep_size * call->reduce.red_size)
LAUNCHER(present, ga_present_call, call->reduce.keep_size * call->reduce.red_size)
LAUNCHER(cross, ga_cross_call, call->size * 3)
LAUNCHER(gather, ga_index_call, call->size)
LAUNCHER(scatter, ga_index_call, call->size)
/* A factorisation waits for the GPU, long ones for as long as they take. */
LAUNCHER_THAT(lapack, ga_lapack_call, !device->is_cpu)
LAUNCHER(interpolate, ga_interpolate_call, call->size * 16)
LAUNCHER(interp, ga_interp_call, call->size)
LAUNCHER(spline, ga_spline_call, call->size * call->length)
LAUNCHER(label, ga_label_call, call->size)
LAUNCHER(number, ga_number_call, call->size)
LAUNCHER(window, ga_window_call, call->size * call->count)
LAUNCHER(count, ga_count_call, call->size)
LAUNCHER(weigh, ga_weigh_call, call->size)
LAUNCHER(histogram, ga_histogram_call, call->size)
LAUNCHER(triangle, ga_triangle_call, call->size)
LAUNCHER(pack, ga_pack_call, call->lines * call->length)
LAUNCHER(program_run, ga_program_launch, 0) /* the CPU backend has none */
LAUNCHER(fused, ga_fused_call, 0)
LAUNCHER(series, ga_series_call, call->terms * call->points)
LAUNCHER(coefficients, ga_coefficients_call, call->na * (call->nb > 0 ? call->nb : call->na))

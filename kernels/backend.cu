/* The backend table and the two functions a backend library shows. Owns the table and each thread's last error.
 * The same source for both builds; includes slots.h and runtime.cuh only. */
#include <stdarg.h>
#include <stdio.h>

#include "runtime.cuh"
#include "slots.h"

#define GA_EXPORT extern "C" __attribute__((visibility("default")))

static thread_local enum ga_status last_status;
static thread_local char last_message[512];
static char refusal[512]; /* written by ga_backend_open alone, which the core calls under its own lock */

int ga_kernel_fail(enum ga_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_message, sizeof last_message, format, arguments);
    va_end(arguments);
    last_status = status;
    return -1;
}

static const char *last_error(enum ga_status *status)
{
    *status = last_status;
    return last_message;
}

/* Filled on opening: name and build are known to the runtime alone. */
static ga_backend table;

static void fill_device(ga_backend *to)
{
    to->abi = GA_ABI;
    to->name = ga_runtime_name();
    to->build = ga_runtime_build();
    to->last_error = last_error;
    to->device_count = ga_runtime_device_count;
    to->device_info = ga_runtime_device_info;
    to->alloc = ga_runtime_alloc;
    to->free = ga_runtime_free;
    to->trim = ga_runtime_trim;
    to->copy = ga_runtime_copy;
    to->copy_peer = ga_runtime_copy_peer;
}

static void fill_streams(ga_backend *to)
{
    to->stream_default = ga_stream_default;
    to->stream_create = ga_stream_create;
    to->stream_wrap = ga_stream_wrap;
    to->stream_destroy = ga_stream_destroy;
    to->stream_sync = ga_stream_sync;
    to->stream_query = ga_stream_query;
    to->stream_wait = ga_stream_wait;
    to->stream_handle = ga_stream_handle;
    to->event_create = ga_event_create;
    to->event_destroy = ga_event_destroy;
    to->event_record = ga_event_record;
    to->event_sync = ga_event_sync;
    to->event_query = ga_event_query;
    to->event_elapsed = ga_event_elapsed;
}

static void fill_families(ga_backend *to)
{
    to->ufunc = ga_ufunc_run;
    to->cast = ga_cast_run;
    to->choose = ga_choose_run;
    to->cross = ga_cross_run;
    to->formula = ga_formula_run;
    to->expression = ga_expression_run;
    to->present = ga_present_run;
    to->interp = ga_interp_run;
    to->extend = ga_extend_run;
    to->sequence = ga_sequence_run;
    to->reduce = ga_reduce_run;
    to->argreduce = ga_argreduce_run;
    to->matmul = ga_matmul_run;
    to->fft = ga_fft_run;
    to->fft_keep = ga_fft_keep;
    to->lapack = ga_lapack_run;
    to->scan = ga_scan_run;
    to->segments = ga_segments_run;
    to->moments = ga_moments_run;
    to->sort = ga_sort_run;
    to->rows = ga_rows_run;
    to->search = ga_search_run;
    to->rank = ga_rank_run;
    to->partition = ga_partition_run;
    to->select = ga_select_run;
    to->window = ga_window_run;
    to->interpolate = ga_interpolate_run;
    to->spline = ga_spline_run;
    to->label = ga_label_run;
    to->number = ga_number_run;
    to->gather = ga_index_gather;
    to->scatter = ga_index_scatter;
    to->random = ga_random_run;
    to->count = ga_count_run;
    to->weigh = ga_weigh_run;
    to->histogram = ga_histogram_run;
    to->triangle = ga_triangle_run;
    to->pack = ga_pack_run;
    to->series = ga_series_run;
    to->coefficients = ga_coefficients_run;
    to->program_make = ga_program_make;
    to->program_find = ga_program_find;
    to->program_run = ga_program_run;
    to->program_free = ga_program_free;
    to->fused = ga_fused_run;
    to->fault = ga_fault_raise;
    to->libraries = ga_library_list;
    to->library_path = ga_library_path;
}

GA_EXPORT const ga_backend *ga_backend_open(uint32_t abi)
{
    if (abi != GA_ABI) {
        snprintf(refusal, sizeof refusal,
                 "the backend library has interface %u, gpuarray asks for %u: they come from different builds; "
                 "reinstall",
                 unsigned(GA_ABI), unsigned(abi));
        return nullptr;
    }
    if (ga_runtime_probe()) {
        snprintf(refusal, sizeof refusal, "%s", last_message);
        return nullptr;
    }
    fill_device(&table);
    fill_streams(&table);
    fill_families(&table);
    return &table;
}

GA_EXPORT const char *ga_backend_why(void)
{
    return refusal;
}

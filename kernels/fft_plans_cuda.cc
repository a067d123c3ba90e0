/* cuFFT, opened at the first transform, and its plans.
 *
 * Owns the plans of each device, a list with the last used one in front and no more than `limit`
 * after each call. A plan has no work area: each use takes one from the device's pool, in the order
 * of the stream that it is bound to for that use. So a plan may serve several streams, and a kept
 * one costs its tables only. One lock guards lists and uses. */
#include <cufftXt.h>
#include <stdlib.h>
#include <string.h>

#include "fft_plans_cuda.h"
#include "library_cuda.h"
#include "runtime_cuda.cuh"

static const int most_devices = 64;

/* The functions that we call, under cuFFT's own types. */
struct cufft_functions {
    decltype(&cufftCreate) create;
    decltype(&cufftDestroy) destroy;
    decltype(&cufftSetAutoAllocation) set_auto_allocation;
    decltype(&cufftXtMakePlanMany) make_plan;
    decltype(&cufftSetStream) set_stream;
    decltype(&cufftSetWorkArea) set_work_area;
    decltype(&cufftXtExec) execute;
    decltype(&cufftGetProperty) get_property;
};

struct fft_plan {
    fft_plan *next;
    ga_fft_key key;
    cufftHandle handle;
    size_t work; /* bytes */
};

struct plan_list {
    fft_plan *first = nullptr;
    ga_fft_plans state = {0, 64, 0, 0};
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static ga_library library = {"libcufft.so." GA_LIBRARY_TEXT(CUFFT_VER_MAJOR), "nvidia-cufft", nullptr, ""};
static cufft_functions cufft;
static bool cufft_found;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards lists, and plans while they are used */
static plan_list lists[most_devices];

/* ---- the library ---- */

static void open_cufft()
{
    cufft_found = ga_library_open(&library) && ga_library_find(&library, "cufftCreate", &cufft.create)
                  && ga_library_find(&library, "cufftDestroy", &cufft.destroy)
                  && ga_library_find(&library, "cufftSetAutoAllocation", &cufft.set_auto_allocation)
                  && ga_library_find(&library, "cufftXtMakePlanMany", &cufft.make_plan)
                  && ga_library_find(&library, "cufftSetStream", &cufft.set_stream)
                  && ga_library_find(&library, "cufftSetWorkArea", &cufft.set_work_area)
                  && ga_library_find(&library, "cufftXtExec", &cufft.execute)
                  && ga_library_find(&library, "cufftGetProperty", &cufft.get_property);
}

static bool has_cufft()
{
    pthread_once(&once, open_cufft);
    return cufft_found;
}

int ga_fft_open(void)
{
    return has_cufft() ? 0 : ga_kernel_fail(GA_ERR_DEVICE, "fft: cuFFT was %s", library.reason);
}

void ga_fft_describe(char *buf, size_t nbytes)
{
    if (has_cufft())
        ga_library_version(cufft.get_property, buf, nbytes);
    else
        snprintf(buf, nbytes, "%s", library.reason);
}

static const char *text_of(cufftResult status)
{
    switch (status) {
    case CUFFT_ALLOC_FAILED:
        return "the device is out of memory";
    case CUFFT_INVALID_SIZE:
        return "the size is not supported";
    case CUFFT_UNALIGNED_DATA:
        return "the data are not aligned";
    case CUFFT_EXEC_FAILED:
        return "the launch failed";
    case CUFFT_SETUP_FAILED:
        return "the library could not start";
    case CUFFT_NOT_SUPPORTED:
        return "not supported";
    default:
        return "internal error";
    }
}

static int check_cufft(cufftResult status, const char *what)
{
    if (status == CUFFT_SUCCESS)
        return 0;
    return ga_kernel_fail(status == CUFFT_ALLOC_FAILED ? GA_ERR_MEMORY : GA_ERR_DEVICE, "cuFFT, %s: %s (status %d)",
                          what, text_of(status), int(status));
}

/* ---- plans ---- */

static int setup_plan(fft_plan *plan)
{
    ga_fft_key key = plan->key; /* cuFFT asks for pointers to what it does not change */
    if (check_cufft(cufft.set_auto_allocation(plan->handle, 0), "making a plan"))
        return -1;
    bool from_real = key.in_type == CUDA_R_32F || key.in_type == CUDA_R_64F;
    int64_t computed = from_real ? key.out_type : key.in_type; /* the complex side's */
    return check_cufft(cufft.make_plan(plan->handle, int(key.rank), key.shape, key.in.embed, key.in.stride, key.in.dist,
                                       cudaDataType(key.in_type), key.out.embed, key.out.stride, key.out.dist,
                                       cudaDataType(key.out_type), key.batch, &plan->work, cudaDataType(computed)),
                       "making a plan");
}

static void destroy_plan(fft_plan *plan)
{
    cufft.destroy(plan->handle);
    free(plan);
}

static int make_plan(const ga_fft_key *key, fft_plan **out)
{
    fft_plan *plan = static_cast<fft_plan *>(calloc(1, sizeof *plan));
    if (!plan)
        return ga_kernel_fail(GA_ERR_MEMORY, "fft: out of memory on the host");
    plan->key = *key;
    if (check_cufft(cufft.create(&plan->handle), "making a plan")) {
        free(plan);
        return -1;
    }
    if (setup_plan(plan)) {
        destroy_plan(plan);
        return -1;
    }
    *out = plan;
    return 0;
}

/* The plan of a key, moved or put to the front of its list. */
static int find_plan(plan_list *list, const ga_fft_key *key, fft_plan **out)
{
    fft_plan **link = &list->first;
    while (*link && memcmp(&(*link)->key, key, sizeof *key))
        link = &(*link)->next;
    fft_plan *plan = *link;
    if (plan) {
        *link = plan->next;
        list->state.hits++;
    } else {
        if (make_plan(key, &plan))
            return -1;
        list->state.plans++;
        list->state.misses++;
    }
    plan->next = list->first;
    list->first = *out = plan;
    return 0;
}

/* Keeps the first `limit` plans of a list. */
static void shorten_list(plan_list *list, int64_t limit)
{
    fft_plan **link = &list->first;
    for (int64_t kept = 0; *link && kept < limit; kept++)
        link = &(*link)->next;
    while (fft_plan *plan = *link) {
        *link = plan->next;
        destroy_plan(plan);
        list->state.plans--;
    }
}

static int run_plan(const fft_plan *plan, void *work, bool inverse, const ga_fft_places *places, ga_stream *stream)
{
    if (check_cufft(cufft.set_stream(plan->handle, stream->handle), "choosing a stream")
        || (work && check_cufft(cufft.set_work_area(plan->handle, work), "choosing a work area")))
        return -1;
    for (int i = 0; i < places->count; i++)
        if (check_cufft(cufft.execute(plan->handle, places->in[i], places->out[i],
                                      inverse ? CUFFT_INVERSE : CUFFT_FORWARD),
                        "transform"))
            return -1;
    return 0;
}

static int use_plan(plan_list *list, const ga_fft_key *key, bool inverse, const ga_fft_places *places,
                    ga_stream *stream)
{
    fft_plan *plan;
    void *work = nullptr;
    if (find_plan(list, key, &plan) || ga_runtime_alloc(plan->work, stream, &work))
        return -1;
    int status = run_plan(plan, work, inverse, places, stream);
    return (ga_runtime_free(work, stream) | status) ? -1 : 0;
}

int ga_fft_execute(const ga_fft_key *key, bool inverse, const ga_fft_places *places, ga_stream *stream)
{
    plan_list *list = &lists[stream->device];
    pthread_mutex_lock(&lock);
    int status = use_plan(list, key, inverse, places, stream);
    shorten_list(list, list->state.limit);
    pthread_mutex_unlock(&lock);
    return status;
}

int ga_fft_keep(int device, int64_t limit, ga_fft_plans *before)
{
    if (ga_cuda_enter(device))
        return -1;
    plan_list *list = &lists[device];
    pthread_mutex_lock(&lock);
    *before = list->state;
    if (limit >= 0) {
        list->state.limit = limit;
        shorten_list(list, limit);
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

void ga_fft_forget(int device)
{
    pthread_mutex_lock(&lock);
    shorten_list(&lists[device], 0);
    pthread_mutex_unlock(&lock);
}

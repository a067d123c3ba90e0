/* The CUDA devices of the machine: whether they can be used, what they are, and the guard in front of every call.
 *
 * ga_runtime_probe counts devices and compares architectures; it creates no context, so opening the backend costs no
 * device memory. A context appears with the first ga_cuda_enter that is followed by work. A process forked after the
 * probe cannot use CUDA (the driver's rule): a fork handler marks it, and every slot then says so.
 * Includes runtime_cuda.cuh. GA_CUDA_ARCHS is the list of architectures built, such as "90;75+PTX". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime_cuda.cuh"

#ifndef GA_CUDA_ARCHS
#error "GA_CUDA_ARCHS must list the architectures that are built"
#endif

static const int most_devices = 64;
static int device_total;              /* written by the probe alone */
static int device_built[most_devices]; /* the newest architecture among those built that it runs; 0: none */
static bool forked;
static bool sync_launches; /* GPUARRAY_DEBUG=sync */
static thread_local bool entered_before;

static void mark_child()
{
    forked = true;
}

static bool ends_process_use(cudaError_t error)
{
    switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
        return true;
    default:
        return false;
    }
}

int ga_cuda_check(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return 0;
    cudaGetLastError(); /* else the next launch would report it again */
    if (error == cudaErrorMemoryAllocation)
        return ga_kernel_fail(GA_ERR_MEMORY, "%s: the device is out of memory", what);
    const char *rest = ends_process_use(error)
                           ? "; an earlier kernel may be the cause, and CUDA cannot be used in this process any more"
                           : "";
    return ga_kernel_fail(GA_ERR_DEVICE, "%s: %s (%s)%s", what, cudaGetErrorString(error), cudaGetErrorName(error),
                          rest);
}

/* The architecture of one entry of GA_CUDA_ARCHS ("90", "90a", "75+PTX") if its machine code or PTX
 * runs on `arch`, else 0. */
static int entry_serving(const char *entry, int arch)
{
    char *end;
    int built = int(strtol(entry, &end, 10));
    bool exact = *end == 'a' || *end == 'f', ptx = !strncmp(end, "+PTX", 4);
    bool serves = exact ? built == arch : arch >= built && (ptx || arch / 10 == built / 10);
    return serves ? built : 0;
}

/* Of the entries that serve, CUDA takes the newest. */
static int build_serving(int arch)
{
    int newest = 0;
    for (const char *entry = GA_CUDA_ARCHS; entry; entry = strchr(entry, ';')) {
        entry += *entry == ';';
        int built = entry_serving(entry, arch);
        newest = built > newest ? built : newest;
    }
    return newest;
}

static int read_arch(int device, int *out)
{
    int major = 0, minor = 0;
    if (ga_cuda_check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "reading the device")
        || ga_cuda_check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device),
                         "reading the device"))
        return -1;
    *out = 10 * major + minor;
    return 0;
}

static int fail_arch(int arch)
{
    return ga_kernel_fail(GA_ERR_DEVICE,
                          "the card has compute capability %d.%d, but the CUDA backend was built for %s; rebuild with: "
                          "GPUARRAY_CUDA_ARCHS=%d pip install -e .",
                          arch / 10, arch % 10, GA_CUDA_ARCHS, arch);
}

static int check_driver()
{
    int driver = 0;
    cudaDriverGetVersion(&driver);
    if (driver == 0)
        return ga_kernel_fail(GA_ERR_DEVICE, "no NVIDIA driver was found (libcuda.so.1 cannot be opened)");
    if (driver / 1000 < CUDART_VERSION / 1000)
        return ga_kernel_fail(GA_ERR_DEVICE,
                              "the NVIDIA driver serves CUDA %d.%d, but this build needs CUDA %d: install driver %s or "
                              "newer",
                              driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000,
                              CUDART_VERSION >= 13000 ? "580" : "525");
    return 0;
}

/* Marks the devices this build can run on; fails when there is none. */
static int compare_archs(int count)
{
    int arch = 0;
    bool any = false;
    device_total = count < most_devices ? count : most_devices;
    for (int device = 0; device < device_total; device++) {
        if (read_arch(device, &arch))
            return -1;
        device_built[device] = build_serving(arch);
        any |= device_built[device] != 0;
    }
    return any ? 0 : fail_arch(arch);
}

int ga_runtime_probe(void)
{
    int count = 0;
    const char *debug = getenv("GPUARRAY_DEBUG");
    sync_launches = debug && strstr(debug, "sync");
    if (check_driver())
        return -1;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0)) {
        cudaGetLastError();
        return ga_kernel_fail(GA_ERR_DEVICE, "the NVIDIA driver works but sees no CUDA device");
    }
    if (ga_cuda_check(error, "looking for CUDA devices") || compare_archs(count))
        return -1;
    pthread_atfork(nullptr, nullptr, mark_child);
    return 0;
}

const char *ga_runtime_name(void)
{
    return "cuda";
}

#define GA_TEXT_OF(x) #x
#define GA_TEXT(x) GA_TEXT_OF(x)

const char *ga_runtime_build(void)
{
    return "nvcc " GA_TEXT(__CUDACC_VER_MAJOR__) "." GA_TEXT(__CUDACC_VER_MINOR__) ", architectures " GA_CUDA_ARCHS;
}

int ga_cuda_enter(int device)
{
    if (forked)
        return ga_kernel_fail(GA_ERR_DEVICE,
                              "CUDA was started before fork() and cannot be used in the child process: use the spawn "
                              "start method (multiprocessing.set_start_method('spawn'))");
    if (device < 0 || device >= device_total)
        return ga_kernel_fail(GA_ERR_VALUE, "there is no device cuda:%d; this machine has %d", device, device_total);
    if (device_total == 1 && entered_before)
        return 0; /* the only device stays current */
    int arch = 0;
    if (!device_built[device])
        return read_arch(device, &arch) ? -1 : fail_arch(arch);
    if (ga_cuda_check(cudaSetDevice(device), "starting CUDA on the device"))
        return -1;
    entered_before = true;
    return 0;
}

cudaStream_t ga_runtime_handle(ga_stream *stream)
{
    ga_cuda_enter(stream->device); /* what is done with the stream of a device that cannot be entered fails by itself */
    return stream->handle;
}

int ga_cuda_built(int device)
{
    return device_built[device];
}

/* From compute capability 9.0 on, blocks start while the kernel before ends, and wait in
 * GA_AWAIT(): 1.6 us less from kernel to kernel. Kernels of other libraries, copies and events keep
 * the plain order. */
int ga_cuda_launch(const char *name, const void *kernel, const ga_cuda_grid *grid, ga_stream *stream,
                   const void **parameters)
{
    static const int first_to_overlap = 90;
    if (ga_cuda_enter(stream->device))
        return -1;
    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(unsigned(grid->blocks));
    config.blockDim = dim3(unsigned(grid->threads));
    config.dynamicSmemBytes = grid->shared;
    config.stream = stream->handle;
    config.attrs = attributes;
    if (device_built[stream->device] >= first_to_overlap) {
        attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attributes[0].val.programmaticStreamSerializationAllowed = 1;
        config.numAttrs = 1;
    }
    if (grid->cluster > 1) {
        attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
        attributes[config.numAttrs].val.clusterDim = {unsigned(grid->cluster), 1, 1};
        config.numAttrs++;
    }
    cudaError_t error = cudaLaunchKernelExC(&config, kernel, const_cast<void **>(parameters));
    if (error == cudaSuccess && sync_launches)
        error = cudaDeviceSynchronize();
    return ga_cuda_check(error, name);
}

int ga_runtime_launch(const char *name, const void *kernel, int64_t blocks, int threads, ga_stream *stream,
                      const void **parameters)
{
    const ga_cuda_grid grid = {blocks, threads, 1, 0};
    return ga_cuda_launch(name, kernel, &grid, stream, parameters);
}

int ga_runtime_device_count(int *out)
{
    *out = device_total;
    return 0;
}

static int read_attribute(int device, cudaDeviceAttr attribute)
{
    int value = 0;
    if (cudaDeviceGetAttribute(&value, attribute, device) != cudaSuccess)
        cudaGetLastError();
    return value;
}

/* Memory that our pool holds without using it is free to the user. */
static int64_t read_pooled(int device)
{
    cudaMemPool_t pool;
    uint64_t reserved = 0, used = 0;
    if (ga_cuda_pool(device, &pool) || cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved)
        || cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used))
        return 0;
    return int64_t(reserved - used);
}

static int read_name(int device, char *out, size_t nbytes)
{
    cudaDeviceProp properties;
    if (ga_cuda_check(cudaGetDeviceProperties(&properties, device), "reading the device"))
        return -1;
    snprintf(out, nbytes, "%.127s", properties.name);
    return 0;
}

int ga_runtime_device_info(int device, ga_device_info *out)
{
    size_t free_bytes = 0, total_bytes = 0;
    memset(out, 0, sizeof *out);
    if (ga_cuda_enter(device) || read_name(device, out->name, sizeof out->name) || read_arch(device, &out->arch)
        || ga_cuda_check(cudaMemGetInfo(&free_bytes, &total_bytes), "asking for free memory"))
        return -1;
    cudaDriverGetVersion(&out->driver_version);
    cudaRuntimeGetVersion(&out->runtime_version);
    out->total_memory = int64_t(total_bytes);
    out->free_memory = int64_t(free_bytes) + read_pooled(device);
    out->multiprocessors = read_attribute(device, cudaDevAttrMultiProcessorCount);
    double kilohertz = read_attribute(device, cudaDevAttrMemoryClockRate);
    double bits = read_attribute(device, cudaDevAttrGlobalMemoryBusWidth);
    out->peak_bandwidth = kilohertz * 1e3 * 2 * bits / 8; /* two transfers a clock */
    return 0;
}

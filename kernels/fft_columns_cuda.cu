/* Transforms of columns, 256 to 4096 complex numbers each, in one pass over memory. cuFFT's take 1.5 times as long, and a
 * pass more where they are scaled.
 *
 * A block takes as many columns as fill a sector of memory. With rows = 256 first, a thread holds 16 numbers of a column in
 * registers: it transforms `first` of them at a time that lie 256 rows apart, then twice 16 neighbours of what its
 * threads exchange in shared memory, one part after the other, turned by roots of unity in between (Cooley and Tukey). While a
 * block computes, its next columns are under way to shared memory. Roots of unity are a product of two entries of
 * tables. Includes fft_butterfly.cuh, runtime_cuda.cuh. */
#include "fft_columns_cuda.h"

#include "fft_butterfly.cuh"
#include "runtime_cuda.cuh"

static const int64_t least_rows = 256, most_rows = 4096;
static const int64_t least_columns = 8, least_all = 128; /* fewer do not fill the card */

/* ---- shape of a block ---- */

template <class R, int first> struct columns_shape {
    static constexpr int sector = 32 / int(sizeof(ga_complex<R>)), enough = 16 / first;
    static constexpr int columns = sector > enough ? sector : enough, lines = 16 * first; /* threads of a column */
    static constexpr int threads = columns * lines;
    static constexpr int group = 17 * columns; /* of 16 rows in shared memory: those of other groups lie in other banks */
    static constexpr int resident = 65536 / (threads * (sizeof(R) == 4 ? 64 : 128)); /* blocks, by their registers */
    static constexpr size_t bytes =
        (16 * threads + 256 + first) * sizeof(ga_complex<R>) + lines * group * sizeof(R);
};

struct columns_task {
    ga_fft_columns call;
    int32_t tiles, total; /* of one matrix, and of all */
};

/* What a thread works on, and the block's shared memory. */
template <class R> struct columns_place {
    ga_complex<R> *ahead, *wide, *fine; /* numbers of the next tile; e^(-2 pi i k / 256), and those to k / rows between */
    R *part;
    int column, line, residue, low;
};

/* ---- memory ---- */

template <class C>
GA_FN void
fetch_number(C *to, const char *from, bool there)
{
    unsigned at = unsigned(__cvta_generic_to_shared(to));
    int size = there ? int(sizeof(C)) : 0; /* else zeros */
    if constexpr (sizeof(C) == 8)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(at), "l"(from), "r"(size));
    else
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(size));
}

/* First element of a thread's column in a tile, or NULL where the matrix has none. */
template <class R, int first, class Byte>
GA_FN Byte *
find_column(const columns_task &t, const columns_place<R> &p, int tile, Byte *base, int64_t stack)
{
    unsigned matrix = unsigned(tile) / unsigned(t.tiles);
    int column = (tile - int(matrix) * t.tiles) * columns_shape<R, first>::columns + p.column;
    return column < t.call.columns ? base + matrix * stack + column * int64_t(sizeof(ga_complex<R>)) : nullptr;
}

/* Each thread fetches the numbers that it will take itself. */
template <class R, int first>
GA_FN void
fetch_tile(const columns_task &t, const columns_place<R> &p, int tile)
{
    typedef columns_shape<R, first> shape;
    const char *base = static_cast<const char *>(t.call.src);
    const char *from = tile < t.total ? find_column<R, first>(t, p, tile, base, t.call.src_stack) : nullptr;
    int64_t step = from ? t.call.src_step : 0;
    const char *next = (from ? from : base) + p.line * step;
    GA_UNROLL
    for (int m = 0; m < 16; m++, next += shape::lines * step)
        fetch_number(p.ahead + m * shape::threads + GA_THREAD, next, from != nullptr);
    asm volatile("cp.async.commit_group;");
}

template <class R, int first>
GA_FN void
take_numbers(const columns_task &t, const columns_place<R> &p, ga_complex<R> *v)
{
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    GA_UNROLL
    for (int m = 0; m < 16; m++) {
        ga_complex<R> x = p.ahead[m * columns_shape<R, first>::threads + GA_THREAD];
        v[m] = t.call.inverse ? ga_complex<R>{x.im, x.re} : x;
    }
}

template <class R, int first>
GA_FN void
store_numbers(const columns_task &t, const columns_place<R> &p, int tile, const ga_complex<R> *v)
{
    char *to = find_column<R, first>(t, p, tile, static_cast<char *>(t.call.dst), t.call.dst_stack);
    const R scale = R(t.call.scale);
    if (!to)
        return;
    to += (p.residue + first * p.low) * t.call.dst_step;
    GA_UNROLL
    for (int f = 0; f < 16; f++, to += columns_shape<R, first>::lines * t.call.dst_step) {
        ga_complex<R> x = v[fft_butterfly<16>::place(f)];
        x = {x.re * scale, x.im * scale};
        *reinterpret_cast<ga_complex<R> *>(to) = t.call.inverse ? ga_complex<R>{x.im, x.re} : x;
    }
}

/* ---- between the transforms ---- */

/* v[from(i)] to place put(i), then v[i] from place get(i); all threads of the block. */
template <class R, class Put, class From, class Get>
GA_FN void
exchange_numbers(ga_complex<R> *v, R *part, Put put, From from, Get get)
{
    R real[16];
    GA_UNROLL
    for (int i = 0; i < 16; i++)
        part[put(i)] = v[from(i)].re;
    GA_SYNC();
    GA_UNROLL
    for (int i = 0; i < 16; i++)
        real[i] = part[get(i)];
    GA_SYNC();
    GA_UNROLL
    for (int i = 0; i < 16; i++)
        part[put(i)] = v[from(i)].im;
    GA_SYNC();
    GA_UNROLL
    for (int i = 0; i < 16; i++)
        v[i] = {real[i], part[get(i)]};
    GA_SYNC();
}

/* Of numbers 256 rows apart: result a of row `at` of 256 is number a of what follows. */
template <class R, int first>
GA_FN void
transform_far(const columns_place<R> &p, ga_complex<R> *v)
{
    constexpr int times = 16 / first;
    GA_UNROLL
    for (int j = 0; j < times; j++) {
        fft_butterfly<first>::template run<times>(v + j);
        ga_complex<R> w[4];
        GA_UNROLL
        for (int b = 0; 1 << b < first; b++) {
            int k = ((p.line + 16 * first * j) << b) % (256 * first);
            w[b] = fft_multiply(p.wide[k / first], p.fine[k % first]);
        }
        fft_turn<first>(v + j, times, w);
    }
}

template <class R, int first>
GA_FN void
transform_tile(const columns_place<R> &p, ga_complex<R> *v)
{
    typedef columns_shape<R, first> shape;
    constexpr int times = 16 / first, columns = shape::columns;
    const int own = p.residue * 16;
    transform_far<R, first>(p, v);
    exchange_numbers(
        v, p.part,
        [&](int i) {
            int at = p.line + shape::lines * (i / first);
            return (i % first * 16 + at / 16) * shape::group + at % 16 * columns + p.column;
        },
        [](int i) { return i / first + times * fft_butterfly<first>::place(i % first); },
        [&](int k) { return (own + k) * shape::group + p.low * columns + p.column; });
    fft_butterfly<16>::run<1>(v);
    ga_complex<R> w[4];
    GA_UNROLL
    for (int b = 0; b < 4; b++)
        w[b] = p.wide[p.low << b & 255];
    fft_turn<16>(v, 1, w);
    exchange_numbers(
        v, p.part, [&](int b) { return (own + b) * shape::group + p.low * columns + p.column; },
        [](int b) { return fft_butterfly<16>::place(b); },
        [&](int k) { return (own + p.low) * shape::group + k * columns + p.column; });
    fft_butterfly<16>::run<1>(v);
}

/* ---- kernel ---- */

template <class R, int first>
GA_FN columns_place<R>
make_place(char *memory)
{
    typedef columns_shape<R, first> shape;
    columns_place<R> p;
    p.ahead = reinterpret_cast<ga_complex<R> *>(memory);
    p.wide = p.ahead + 16 * shape::threads;
    p.fine = p.wide + 256;
    p.part = reinterpret_cast<R *>(p.fine + first);
    p.column = GA_THREAD % shape::columns;
    p.line = GA_THREAD / shape::columns;
    p.residue = p.line / 16;
    p.low = p.line % 16;
    return p;
}

template <class R, int first>
GA_FN void
fill_tables(const columns_place<R> &p)
{
    for (int i = GA_THREAD; i < 256 + first; i += columns_shape<R, first>::threads) {
        double sine, cosine;
        sincospi(i < 256 ? i / 128.0 : (i - 256) / (128.0 * first), &sine, &cosine);
        p.wide[i] = {R(cosine), R(-sine)};
    }
}

template <class R, int first>
static __global__ void
__launch_bounds__(columns_shape<R, first>::threads, columns_shape<R, first>::resident)
transform_columns(GA_PARAM columns_task t)
{
    GA_AWAIT();
    extern __shared__ char memory[];
    const columns_place<R> p = make_place<R, first>(memory);
    fill_tables<R, first>(p);
    fetch_tile<R, first>(t, p, int(blockIdx.x));
    GA_SYNC();
    for (int tile = int(blockIdx.x); tile < t.total; tile += int(gridDim.x)) {
        ga_complex<R> v[16];
        take_numbers<R, first>(t, p, v);
        fetch_tile<R, first>(t, p, tile + int(gridDim.x));
        transform_tile<R, first>(p, v);
        store_numbers<R, first>(t, p, tile, v);
    }
}

/* ---- launch ---- */

/* So many blocks as run at once. */
template <class R, int first>
static int
launch_columns(const ga_fft_columns *call, ga_stream *stream)
{
    typedef columns_shape<R, first> shape;
    int64_t tiles = (call->columns + shape::columns - 1) / shape::columns, total = tiles * call->count;
    columns_task task = {*call, int32_t(tiles), int32_t(total)};
    const void *kernel = reinterpret_cast<const void *>(transform_columns<R, first>), *parameters[] = {&task};
    int processors = 0, resident = 0;
    if (ga_cuda_check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, stream->device), "a device") ||
        ga_cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shape::bytes)),
                      "shared memory for transforms") ||
        ga_cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, shape::threads, shape::bytes),
                      "transform_columns"))
        return -1;
    int64_t most = int64_t(processors) * resident;
    return ga_cuda_launch("transform_columns", kernel, total < most ? total : most, shape::threads, shape::bytes,
                          stream, parameters);
}

template <class R>
static int
launch_rows(const ga_fft_columns *call, ga_stream *stream)
{
    switch (call->rows) {
    case 256:
        return launch_columns<R, 1>(call, stream);
    case 512:
        return launch_columns<R, 2>(call, stream);
    case 1024:
        return launch_columns<R, 4>(call, stream);
    case 2048:
        return launch_columns<R, 8>(call, stream);
    default:
        return launch_columns<R, 16>(call, stream);
    }
}

static bool
has_length(int64_t rows)
{
    return rows >= least_rows && rows <= most_rows && (rows & (rows - 1)) == 0;
}

bool
ga_fft_describe_columns(const ga_fft_call *call, ga_fft_columns *out)
{
    int64_t size = call->src_dtype == GA_c64 ? 8 : 16;
    uintptr_t places = reinterpret_cast<uintptr_t>(call->src) | reinterpret_cast<uintptr_t>(call->dst);
    *out = {call->src_dtype, call->src, call->dst, call->shape[0], 0, 1, call->src_strides[0], call->dst_strides[0], 0, 0,
            call->inverse, call->scale};
    bool fits = call->src_dtype == call->dst_dtype && call->nbatch <= 2 && has_length(call->shape[0]);
    for (int d = 0; d < call->nbatch && fits; d++) {
        if (out->columns == 0 && call->src_batch[d] == size && call->dst_batch[d] == size) {
            out->columns = call->batch_shape[d];
            continue;
        }
        fits = out->count == 1;
        out->count = call->batch_shape[d];
        out->src_stack = call->src_batch[d];
        out->dst_stack = call->dst_batch[d];
    }
    int64_t strides = out->src_step | out->dst_step | out->src_stack | out->dst_stack, all = out->columns * out->count;
    return fits && out->columns >= least_columns && all >= least_all && all <= INT32_MAX
           && (int64_t(places) | strides) % size == 0;
}

int
ga_fft_run_columns(const ga_fft_columns *call, ga_stream *stream)
{
    return call->dtype == GA_c64 ? launch_rows<float>(call, stream) : launch_rows<double>(call, stream);
}

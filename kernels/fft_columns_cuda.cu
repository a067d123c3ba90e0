/* Transforms of columns, 256 to 4096 complex numbers each, in one pass over memory, scaled on the way. Rows cuFFT
 * makes at the memory's speed; of long columns it reads a sector of 32 bytes a row, which the memory gives at half
 * its speed.
 *
 * Here the blocks of a cluster share 16 columns, or 8 of complex128, so that each row gives them 128 bytes. With
 * rows = 256 first, a thread holds 16 numbers of a column in registers: it transforms `first` of them at a time
 * that lie 256 rows apart, and sends each result to the block that goes on with its residue; that transforms twice
 * 16 neighbours of what its threads exchange in shared memory (Cooley and Tukey). In between the numbers are turned
 * by roots of unity, products of two entries of tables. Clusters came with compute capability 9.0: code built for
 * older cards leaves columns to cuFFT. Includes fft_butterfly.cuh, runtime_cuda.cuh. */
#include "fft_columns_cuda.h"

#include "fft_butterfly.cuh"
#include "runtime_cuda.cuh"

static const int64_t least_rows = 256, most_rows = 4096;
static const int64_t least_columns = 16, least_all = 128; /* fewer do not fill blocks, or the card */
static const int64_t most_cached = int64_t(1) << 22; /* numbers */
static const int first_with_clusters = 90;

/* ---- shape of a block ---- */

/* `width` bytes a row. */
template <class R, int first, int width> struct columns_shape {
    static constexpr int cluster = first < 2 ? 1 : first == 8 && sizeof(R) == 4 ? 8 : first / 2;
    static constexpr int lines = 16 * first / cluster; /* threads of a column */
    static constexpr int columns = width / int(sizeof(ga_complex<R>));
    static constexpr int threads = columns * lines, residues = first / cluster;
    static constexpr int resident = 65536 / (threads * (sizeof(R) == 4 ? 64 : 128)); /* blocks, by their registers */
    static constexpr size_t bytes = (256 * residues * columns + 256 + first) * sizeof(ga_complex<R>);
};

struct columns_task {
    ga_fft_columns call;
    int32_t tiles; /* of one matrix */
};

/* What a thread works on, and the block's shared memory. */
template <class R> struct columns_place {
    ga_complex<R> *numbers, *wide, *fine; /* e^(-2 pi i k / 256), and those to k / rows between */
    int rank, column, line, residue, low; /* the block's in its cluster; the others within the block */
};

/* ---- the blocks of a cluster ---- */

template <int cluster>
GA_FN void
announce_block()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if constexpr (cluster > 1)
        asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}

/* Until all blocks have announced themselves. */
template <int cluster>
GA_FN void
await_blocks()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if constexpr (cluster > 1)
        asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    else
        GA_SYNC();
#endif
}

/* To the same place of another block's shared memory. */
template <int cluster, class R>
GA_FN void
send_number(ga_complex<R> *place, int rank, ga_complex<R> x)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if constexpr (cluster == 1) {
        *place = x;
        return;
    }
    unsigned own = unsigned(__cvta_generic_to_shared(place)), there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(own), "r"(rank));
    if constexpr (sizeof(R) == 4)
        asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};" ::"r"(there), "f"(x.re), "f"(x.im) : "memory");
    else
        asm volatile("st.shared::cluster.v2.f64 [%0], {%1, %2};" ::"r"(there), "d"(x.re), "d"(x.im) : "memory");
#endif
}

/* ---- memory ---- */

/* Where a thread's column begins, or NULL where the matrix has none. */
template <class R, int first, int width, class Byte>
GA_FN Byte *
find_column(const columns_task &t, const columns_place<R> &p, Byte *base, int64_t stack)
{
    typedef columns_shape<R, first, width> shape;
    unsigned tile = blockIdx.x / shape::cluster, matrix = tile / unsigned(t.tiles);
    int64_t column = int64_t(tile - matrix * unsigned(t.tiles)) * shape::columns + p.column;
    return column < t.call.columns ? base + matrix * stack + column * int64_t(sizeof(ga_complex<R>)) : nullptr;
}

/* Whether of a thread's column the imaginary parts are to be zero. */
template <class R, int first, int width>
GA_FN bool
is_real(const columns_task &t, const columns_place<R> &p)
{
    typedef columns_shape<R, first, width> shape;
    int column = int(blockIdx.x / shape::cluster % unsigned(t.tiles)) * shape::columns + p.column;
    return t.call.real_column >= 0 && (column == 0 || column == t.call.real_column);
}

template <class R, int first, int width>
GA_FN void
load_numbers(const columns_task &t, const columns_place<R> &p, ga_complex<R> *v)
{
    typedef columns_shape<R, first, width> shape;
    const char *from = find_column<R, first, width>(t, p, static_cast<const char *>(t.call.src), t.call.src_stack);
    const char *next = from + (p.rank * shape::lines + p.line) * t.call.src_step;
    GA_UNROLL
    for (int m = 0; m < 16; m++, next += 16 * first * t.call.src_step) {
        ga_complex<R> x = {0, 0};
        if (from)
            x = *reinterpret_cast<const ga_complex<R> *>(next);
        v[m] = t.call.inverse ? ga_complex<R>{x.im, x.re} : x;
    }
}

template <class R, int first, int width>
GA_FN void
store_numbers(const columns_task &t, const columns_place<R> &p, const ga_complex<R> *v)
{
    char *to = find_column<R, first, width>(t, p, static_cast<char *>(t.call.dst), t.call.dst_stack);
    const R scale = R(t.call.scale), imaginary = is_real<R, first, width>(t, p) ? 0 : scale;
    if (!to)
        return;
    to += (p.rank * columns_shape<R, first, width>::residues + p.residue + first * p.low) * t.call.dst_step;
    GA_UNROLL
    for (int f = 0; f < 16; f++, to += 16 * first * t.call.dst_step) {
        ga_complex<R> x = v[fft_butterfly<16>::place(f)];
        if (t.call.inverse)
            x = {x.im, x.re};
        *reinterpret_cast<ga_complex<R> *>(to) = {x.re * scale, imaginary == 0 ? R(0) : x.im * imaginary};
    }
}

/* ---- three transforms ---- */

/* Of numbers 256 rows apart: result a of row `at` of 256 goes to the block of residue a. */
template <class R, int first, int width>
GA_FN void
transform_far(const columns_place<R> &p, ga_complex<R> *v)
{
    typedef columns_shape<R, first, width> shape;
    constexpr int times = 16 / first;
    GA_UNROLL
    for (int j = 0; j < times; j++) {
        int at = p.rank * shape::lines + p.line + 16 * first * j;
        fft_butterfly<first>::template run<times>(v + j);
        ga_complex<R> w[4];
        GA_UNROLL
        for (int b = 0; 1 << b < first; b++) {
            int k = (at << b) % (256 * first);
            w[b] = fft_multiply(p.wide[k / first], p.fine[k % first]);
        }
        fft_turn<first>(v + j, times, w);
    }
    await_blocks<shape::cluster>();
    GA_UNROLL
    for (int i = 0; i < 16; i++) {
        int a = i % first, at = p.rank * shape::lines + p.line + 16 * first * (i / first);
        send_number<shape::cluster>(p.numbers + (a % shape::residues * 256 + at) * shape::columns + p.column,
                                    a / shape::residues, v[i / first + times * fft_butterfly<first>::place(a)]);
    }
    announce_block<shape::cluster>();
    await_blocks<shape::cluster>();
}

/* Of numbers 16 rows apart among the 256 of a residue, then of neighbours. */
template <class R, int first, int width>
GA_FN void
transform_near(const columns_place<R> &p, ga_complex<R> *v)
{
    constexpr int columns = columns_shape<R, first, width>::columns;
    ga_complex<R> *own = p.numbers + p.residue * 256 * columns + p.column, w[4];
    GA_UNROLL
    for (int k = 0; k < 16; k++)
        v[k] = own[(k * 16 + p.low) * columns];
    fft_butterfly<16>::run<1>(v);
    GA_UNROLL
    for (int b = 0; b < 4; b++)
        w[b] = p.wide[p.low << b & 255];
    fft_turn<16>(v, 1, w);
    GA_SYNC();
    GA_UNROLL
    for (int b = 0; b < 16; b++)
        own[(b * 16 + p.low) * columns] = v[fft_butterfly<16>::place(b)];
    GA_SYNC();
    GA_UNROLL
    for (int k = 0; k < 16; k++)
        v[k] = own[(p.low * 16 + k) * columns];
    fft_butterfly<16>::run<1>(v);
}

/* ---- kernel ---- */

template <class R, int first, int width>
GA_FN columns_place<R>
make_place(char *memory)
{
    typedef columns_shape<R, first, width> shape;
    columns_place<R> p;
    p.numbers = reinterpret_cast<ga_complex<R> *>(memory);
    p.wide = p.numbers + 256 * shape::residues * shape::columns;
    p.fine = p.wide + 256;
    p.rank = int(blockIdx.x % shape::cluster);
    p.column = GA_THREAD % shape::columns;
    p.line = GA_THREAD / shape::columns;
    p.residue = p.line / 16;
    p.low = p.line % 16;
    return p;
}

template <class R, int first, int width>
GA_FN void
fill_tables(const columns_place<R> &p)
{
    for (int i = GA_THREAD; i < 256 + first; i += columns_shape<R, first, width>::threads) {
        double sine, cosine;
        sincospi(i < 256 ? i / 128.0 : (i - 256) / (128.0 * first), &sine, &cosine);
        p.wide[i] = {R(cosine), R(-sine)};
    }
}

/* A tile of columns a cluster. */
template <class R, int first, int width>
static __global__ void
__launch_bounds__(columns_shape<R, first, width>::threads, columns_shape<R, first, width>::resident)
transform_columns(GA_PARAM columns_task t)
{
    GA_AWAIT();
    extern __shared__ __align__(16) char memory[];
    const columns_place<R> p = make_place<R, first, width>(memory);
    announce_block<columns_shape<R, first, width>::cluster>();
    ga_complex<R> v[16];
    load_numbers<R, first, width>(t, p, v);
    fill_tables<R, first, width>(p);
    GA_SYNC();
    transform_far<R, first, width>(p, v);
    transform_near<R, first, width>(p, v);
    store_numbers<R, first, width>(t, p, v);
}

/* ---- launch ---- */

template <class R, int first, int width>
static int
launch_columns(const ga_fft_columns *call, ga_stream *stream)
{
    typedef columns_shape<R, first, width> shape;
    int64_t tiles = (call->columns + shape::columns - 1) / shape::columns;
    columns_task task = {*call, int32_t(tiles)};
    const void *kernel = reinterpret_cast<const void *>(transform_columns<R, first, width>), *parameters[] = {&task};
    const ga_cuda_grid grid = {tiles * call->count * shape::cluster, shape::threads, shape::cluster, shape::bytes};
    if (ga_cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shape::bytes)),
                      "shared memory for transforms"))
        return -1;
    return ga_cuda_launch("transform_columns", kernel, &grid, stream, parameters);
}

/* The longest columns of complex64 go by eight, a smaller block, where those begin with a sector, or are still at
 * hand. */
static bool
is_narrow(const ga_fft_columns *call)
{
    bool even = (call->src_step | call->dst_step) % 64 == 0;
    return call->dtype == GA_c64 && (even || call->src == call->dst);
}

template <class R>
static int
launch_rows(const ga_fft_columns *call, ga_stream *stream)
{
    switch (call->rows) {
    case 256:
        return launch_columns<R, 1, 256>(call, stream);
    case 512:
        return launch_columns<R, 2, 128>(call, stream);
    case 1024:
        return launch_columns<R, 4, 128>(call, stream);
    case 2048:
        return launch_columns<R, 8, 128>(call, stream);
    default:
        return launch_columns<R, 16, 128>(call, stream);
    }
}

static bool
has_length(int64_t rows)
{
    return rows >= least_rows && rows <= most_rows && (rows & (rows - 1)) == 0;
}

/* Where it was measured to be faster than cuFFT: in a pass less, in place or beyond the second cache, where cuFFT's
 * rows of sectors do not begin with one, and of long complex128. */
static bool
gains_time(const ga_fft_columns *call)
{
    if (call->scale != 1 || call->rows == most_rows)
        return true;
    if (call->dtype == GA_c128)
        return call->rows >= most_rows / 4;
    bool large = call->rows * call->columns * call->count > most_cached;
    return call->rows == most_rows / 2 && (large || call->src == call->dst || (call->src_step | call->dst_step) % 32);
}

bool
ga_fft_describe_columns(const ga_fft_call *call, const ga_stream *stream, ga_fft_columns *out)
{
    int64_t size = call->src_dtype == GA_c64 ? 8 : 16;
    uintptr_t places = reinterpret_cast<uintptr_t>(call->src) | reinterpret_cast<uintptr_t>(call->dst);
    *out = {call->src_dtype, call->src, call->dst, call->shape[0], 0, 1,
            call->src_strides[0], call->dst_strides[0], 0, 0, call->inverse, call->scale, -1};
    bool fits = call->src_dtype == call->dst_dtype && call->nbatch <= 2 && has_length(call->shape[0])
                && ga_cuda_built(stream->device) >= first_with_clusters;
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
    return fits && out->columns >= least_columns && all >= least_all && all <= INT32_MAX / 8
           && (int64_t(places) | strides) % size == 0 && gains_time(out);
}

int
ga_fft_run_columns(const ga_fft_columns *call, ga_stream *stream)
{
    if (call->rows == most_rows && is_narrow(call))
        return launch_columns<float, 16, 64>(call, stream);
    return call->dtype == GA_c64 ? launch_rows<float>(call, stream) : launch_rows<double>(call, stream);
}

/* Copies between equal dtypes on a GPU, by size and alignment, whatever the elements mean. Owns ga_copy_run.
 *
 * Those that turn a matrix (ga_copy_rows) have a kernel of their own: the source is consecutive along `rows`, in either
 * direction, the target along `columns`. A block moves one square tile through shared memory, so that both sides are
 * read and written along consecutive elements. All other dimensions are places of matrices. Includes cast.cuh. */
#include "cast.cuh"

struct transpose_plan {
    uint32_t rows, columns;
    ga_divider tiles, tile_columns;   /* of a matrix; in a row of tiles */
    ga_walk<2> places;                /* source, target */
    int64_t source_step, target_step; /* bytes from column to column; from row to row */
    const char *source;
    char *target;
    bool vectors; /* every line of a whole tile can be accessed by 16 bytes on both sides */
};

template <class T> constexpr uint32_t transpose_side = sizeof(T) <= 8 ? 64 : 32;

/* Neighbours that move together. */
template <class T> constexpr uint32_t transpose_pack = 16 / sizeof(T);
template <class T> struct alignas(16) transpose_vector {
    T item[transpose_pack<T>];
};

/* Lines of a tile are columns of the source, which lie in its memory; a column more than there are rows, so that
 * threads down a column meet different banks. */
template <class T> struct transpose_tile {
    static constexpr uint32_t N = transpose_side<T>, V = transpose_pack<T>;
    T item[N][N + 1];
};

template <class T>
GA_FN void
move_whole(const transpose_plan &p, transpose_tile<T> &tile, const char *source, char *target)
{
    constexpr uint32_t N = transpose_tile<T>::N, V = transpose_tile<T>::V, packs = N / V;
    GA_UNROLL
    for (uint32_t e = GA_THREAD; e < N * packs; e += GA_BLOCK) {
        uint32_t line = e / packs, first = e % packs * V;
        transpose_vector<T> v = *reinterpret_cast<const transpose_vector<T> *>(
            source + line * p.source_step + first * sizeof(T));
        GA_UNROLL
        for (uint32_t k = 0; k < V; k++)
            tile.item[line][first + k] = v.item[k];
    }
    GA_SYNC();
    GA_UNROLL
    for (uint32_t e = GA_THREAD; e < N * packs; e += GA_BLOCK) {
        uint32_t line = e / packs, first = e % packs * V;
        transpose_vector<T> v;
        GA_UNROLL
        for (uint32_t k = 0; k < V; k++)
            v.item[k] = tile.item[first + k][line];
        *reinterpret_cast<transpose_vector<T> *>(target + line * p.target_step +
                                                 first * sizeof(T)) = v;
    }
}

/* A tile that reaches over the matrix, or whose lines do not start at multiples of 16 bytes. */
template <class T>
GA_FN void
move_part(const transpose_plan &p, transpose_tile<T> &tile, const char *source, char *target,
          uint32_t rows, uint32_t columns)
{
    constexpr uint32_t N = transpose_tile<T>::N;
    GA_UNROLL
    for (uint32_t e = GA_THREAD; e < N * N; e += GA_BLOCK) {
        uint32_t i = e % N, j = e / N;
        if (i < rows && j < columns)
            tile.item[j][i] = reinterpret_cast<const T *>(source + j * p.source_step)[i];
    }
    GA_SYNC();
    GA_UNROLL
    for (uint32_t e = GA_THREAD; e < N * N; e += GA_BLOCK) {
        uint32_t i = e / N, j = e % N;
        if (i < rows && j < columns)
            reinterpret_cast<T *>(target + i * p.target_step)[j] = tile.item[j][i];
    }
}

template <class T>
GA_KERNEL
copy_transposed(GA_PARAM transpose_plan p)
{
    GA_AWAIT();
    constexpr uint32_t N = transpose_tile<T>::N;
    GA_SHARED transpose_tile<T> tile;
    uint32_t matrix = ga_divide_by(p.tiles, uint32_t(GA_BLOCK_ID));
    uint32_t t = uint32_t(GA_BLOCK_ID) - matrix * p.tiles.divisor;
    uint32_t tile_row = ga_divide_by(p.tile_columns, t);
    uint32_t row = tile_row * N, column = (t - tile_row * p.tile_columns.divisor) * N;
    ga_cursor<2> at;
    at.seek(p.places, matrix);
    const char *source = p.source + at.offset[0] + column * p.source_step + row * sizeof(T);
    char *target = p.target + at.offset[1] + row * p.target_step + column * sizeof(T);
    if (p.vectors && row + N <= p.rows && column + N <= p.columns)
        move_whole(p, tile, source, target);
    else
        move_part(p, tile, source, target, p.rows - row, p.columns - column);
}

/* All dimensions but the two of the matrix. */
static void
fill_places(const ga_ufunc_call *call, int rows, ga_walk<2> *places)
{
    memset(places, 0, sizeof *places);
    for (int d = call->ndim - 2; d >= 0; d--) {
        if (d == rows)
            continue;
        places->shape[places->ndim] = ga_divider_make(call->shape[d]);
        places->strides[places->ndim][0] = call->args[0].strides[d];
        places->strides[places->ndim][1] = call->args[1].strides[d];
        places->ndim++;
    }
}

static bool
fits_vectors(const transpose_plan &plan)
{
    int64_t bits = (int64_t)(uintptr_t)plan.source | (int64_t)(uintptr_t)plan.target |
                   plan.source_step | plan.target_step;
    for (int d = 0; d < plan.places.ndim; d++)
        bits |= plan.places.strides[d][0] | plan.places.strides[d][1];
    return bits % 16 == 0;
}

/* Where the matrices begin: at the rows' end where the source has them backwards. */
static void
fill_ends(const ga_ufunc_call *call, int rows, transpose_plan *plan)
{
    plan->source = (const char *)call->args[0].data;
    plan->target = (char *)call->args[1].data;
    plan->target_step = call->args[1].strides[rows];
    if (call->args[0].strides[rows] > 0)
        return;
    plan->source += (call->shape[rows] - 1) * call->args[0].strides[rows];
    plan->target += (call->shape[rows] - 1) * plan->target_step;
    plan->target_step = -plan->target_step;
}

template <class T>
static int
turn_as(const ga_ufunc_call *call, int rows, ga_stream *stream)
{
    constexpr int64_t N = transpose_side<T>;
    int columns = call->ndim - 1;
    int64_t down = (call->shape[rows] + N - 1) / N, across = (call->shape[columns] + N - 1) / N;
    transpose_plan plan;
    plan.rows = uint32_t(call->shape[rows]);
    plan.columns = uint32_t(call->shape[columns]);
    plan.tiles = ga_divider_make(down * across);
    plan.tile_columns = ga_divider_make(across);
    fill_places(call, rows, &plan.places);
    plan.source_step = call->args[0].strides[columns];
    fill_ends(call, rows, &plan);
    plan.vectors = fits_vectors(plan);
    int64_t matrices = call->size / (call->shape[rows] * call->shape[columns]);
    return ga_launch((copy_transposed<T>), matrices * down * across, stream, plan);
}

struct copy_item {
    template <class T>
    GA_FN T
    call(T x)
    {
        return x;
    }
};

/* rows: of the matrices to be turned, or -1; then there is a plan. */
template <class T>
static int
copy_as(const ga_ufunc_call *call, int rows, const ga_map_plan &plan, ga_stream *stream)
{
    if (rows >= 0)
        return turn_as<T>(call, rows, stream);
    return ga_map_launch<copy_item, T, ga_none, T, ga_none>(plan, copy_item{}, stream);
}

int
ga_copy_run(const ga_ufunc_call *call, ga_stream *stream)
{
    int rows = ga_copy_rows(call);
    if (rows < 0 && !ga_map_fits(call)) {
        ga_ufunc_call half[2];
        ga_map_halve(call, half);
        return ga_copy_run(&half[0], stream) < 0 ? -1 : ga_copy_run(&half[1], stream);
    }
    ga_map_plan plan;
    if (rows < 0)
        ga_map_prepare(call, &plan);
    if (call->in[0] == GA_c64) /* aligned like its parts */
        return copy_as<ga_c64>(call, rows, plan, stream);
    switch (ga_map_itemsize(call->in[0])) {
    case 1:
        return copy_as<uint8_t>(call, rows, plan, stream);
    case 2:
        return copy_as<uint16_t>(call, rows, plan, stream);
    case 4:
        return copy_as<uint32_t>(call, rows, plan, stream);
    case 8:
        return copy_as<uint64_t>(call, rows, plan, stream);
    default:
        return copy_as<ga_c128>(call, rows, plan, stream);
    }
}

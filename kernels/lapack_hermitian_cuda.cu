/* Eigenvalues and eigenvectors of stacks of small Hermitian matrices by two-sided Jacobi rotations, some lanes a
 * matrix.
 *
 * Each step of a sweep takes disjoint pairs of rows and columns, as a tournament pairs its players, and makes the
 * elements between them zero; what the lanes share lies in shared memory. The product of the rotations is V, which
 * some lanes bring up to date while others choose the rotations of the next step. A matrix is scaled by a power of
 * two, so that no square overflows, and the last sweep is one that leaves nothing but rounding. An odd number of
 * players is made even by a row of zeros. Matrices lie in rows here. Owns ga_lapack_is_rotated and ga_lapack_rotate.
 * Includes lapack_cuda.cuh, lapack_pairs.cuh, port.cuh. */
#include "lapack_cuda.cuh"

#include "lapack_pairs.cuh"
#include "port.cuh"

static const int most_sweeps = 30;
static const int team_bytes = 48000; /* of shared memory: the matrices of a block */

/* The lanes of a team wait for one another. */
GA_FN void
team_sync(int team, int lanes)
{
    if (lanes == 32)
        __syncwarp();
    else
        asm volatile("bar.sync %0, %1;" ::"r"(team + 1), "r"(lanes) : "memory");
}

/* ---- one matrix in shared memory ---- */

/* x_p' = c x_p - conj(s) x_q, x_q' = s x_p + c x_q. */
template <class T> struct plane_rotation {
    ga_real<T> c;
    T s;
};

template <class T> struct hermitian_team {
    T *a, *v;                /* players rows of `pitch` elements */
    plane_rotation<T> *turn; /* of each pair, at an even step and behind them at an odd one */
    ga_real<T> *word;        /* of each lane */
    int n, players, pitch, lane, lanes, team;
};

/* What is left of an element that a rotation makes zero counts as nothing beside the largest, which is at least 1. */
template <class R> constexpr R smallest = sizeof(R) == 4 ? R(0x1p-23) : R(0x1p-52);

/* The rotation that makes element (j, k) zero; its size before. */
template <class T>
GA_FN ga_real<T>
choose_rotation(const hermitian_team<T> &w, int j, int k, plane_rotation<T> *out)
{
    typedef ga_number<T> N;
    typedef ga_real<T> R;
    T element = w.a[j * w.pitch + k];
    R square = N::re(element) * N::re(element) + N::im(element) * N::im(element);
    R size = ga_is_complex<T>::value ? sqrt(square) : fabs(N::re(element));
    *out = {R(1), N::of(0)};
    if (!(size > smallest<R> / 256))
        return size;
    R apart = N::re(w.a[k * w.pitch + k]) - N::re(w.a[j * w.pitch + j]);
    R inverse = rsqrt(fma(apart, apart, 4 * square));
    R half = fma(R(0.5) * fabs(apart), inverse, R(0.5)), root = rsqrt(half);
    out->c = half * root;
    out->s = N::scale(element, apart < 0 ? -inverse * root : inverse * root);
    return size;
}

/* Two elements of columns j and k. */
template <class T>
GA_FN void
rotate_two(const plane_rotation<T> &r, T *x, T *y)
{
    typedef ga_number<T> N;
    T p = *x, q = *y, minus = N::subtract(N::of(0), N::conjugate(r.s));
    *x = N::multiply_add(minus, q, N::scale(p, r.c));
    *y = N::multiply_add(r.s, p, N::scale(q, r.c));
}

template <class T>
GA_FN plane_rotation<T> *
turns_of(const hermitian_team<T> &w, int step)
{
    return w.turn + step % 2 * (w.players / 2);
}

/* Lanes lie in `width` columns of pairs, a power of two. */
template <class T>
GA_FN void
rotate_matrix(const hermitian_team<T> &w, int step, int width)
{
    typedef ga_number<T> N;
    const int pairs = w.players / 2, q = w.lane & (width - 1), first = w.lane / width, some = w.lanes / width;
    if (q >= pairs)
        return;
    const plane_rotation<T> *turn = turns_of(w, step), right = turn[q];
    int j, k;
    jacobi_pair(w.players, step, q, &j, &k);
    for (int p = first; p < pairs; p += some) {
        int above, below;
        jacobi_pair(w.players, step, p, &above, &below);
        plane_rotation<T> left = {turn[p].c, N::conjugate(turn[p].s)};
        T *top = w.a + above * w.pitch, *bottom = w.a + below * w.pitch;
        T a = top[j], b = top[k], c = bottom[j], d = bottom[k];
        rotate_two(right, &a, &b);
        rotate_two(right, &c, &d);
        rotate_two(left, &a, &c);
        rotate_two(left, &b, &d);
        top[j] = p == q ? N::of(N::re(a)) : a;
        top[k] = p == q ? N::of(0) : b;
        bottom[j] = p == q ? N::of(0) : c;
        bottom[k] = p == q ? N::of(N::re(d)) : d;
    }
}

/* The first warp leaves this to the others where they are enough. */
template <class T>
GA_FN void
rotate_vectors(const hermitian_team<T> &w, int step, int width)
{
    const int busy = w.n * width <= 4 * (w.lanes - 32) ? 32 : 0, lane = w.lane - busy;
    const int q = lane & (width - 1), first = lane / width, some = (w.lanes - busy) / width;
    if (!w.v || lane < 0 || q >= w.players / 2)
        return;
    plane_rotation<T> right = turns_of(w, step)[q];
    int j, k;
    jacobi_pair(w.players, step, q, &j, &k);
    for (int i = first; i < w.n; i += some)
        rotate_two(right, w.v + i * w.pitch + j, w.v + i * w.pitch + k);
}

/* The greatest of the lanes' values. */
template <class T>
GA_FN ga_real<T>
find_greatest(const hermitian_team<T> &w, ga_real<T> mine, int lanes)
{
    if (w.lane < lanes)
        w.word[w.lane] = mine;
    team_sync(w.team, w.lanes);
    ga_real<T> greatest = 0;
    for (int i = 0; i < lanes; i++) /* a NaN stays */
        greatest = w.word[i] <= greatest ? greatest : greatest != greatest ? greatest : w.word[i];
    team_sync(w.team, w.lanes);
    return greatest;
}

/* The greatest element that a sweep made zero, and the greatest sine. */
template <class R> struct sweep_extent {
    R size, sine;
};

template <class T>
GA_FN void
choose_step(const hermitian_team<T> &w, int step, sweep_extent<ga_real<T>> *most)
{
    typedef ga_number<T> N;
    int j, k;
    if (w.lane >= w.players / 2)
        return;
    plane_rotation<T> *turn = turns_of(w, step) + w.lane;
    jacobi_pair(w.players, step, w.lane, &j, &k);
    ga_real<T> size = choose_rotation(w, j, k, turn), sine = fmax(fabs(N::re(turn->s)), fabs(N::im(turn->s)));
    most->size = size <= most->size ? most->size : size;
    most->sine = sine <= most->sine ? most->sine : sine;
}

/* Whether later sweeps would find nothing but rounding. An element that was made zero grows by at most the sines of
 * rotations of its row and column times the others. */
template <class T>
GA_FN bool
sweep_pairs(const hermitian_team<T> &w, int width)
{
    typedef ga_real<T> R;
    sweep_extent<R> most = {0, 0};
    choose_step(w, 0, &most);
    team_sync(w.team, w.lanes);
    for (int step = 0; step < w.players - 1; step++) {
        rotate_matrix(w, step, width);
        team_sync(w.team, w.lanes);
        if (step + 1 < w.players - 1)
            choose_step(w, step + 1, &most);
        rotate_vectors(w, step, width);
        team_sync(w.team, w.lanes);
    }
    R size = find_greatest(w, most.size, w.players / 2);
    if (size <= smallest<R>)
        return true;
    return 4 * w.players * find_greatest(w, most.sine, w.players / 2) * size <= smallest<R>;
}

/* ---- before and after ---- */

/* Both triangles from one of the matrix in rows, with zeros beyond, times `by`; the greatest part before. */
template <class T>
GA_FN ga_real<T>
load_triangle(const hermitian_team<T> &w, const T *from, bool lower)
{
    typedef ga_number<T> N;
    typedef ga_real<T> R;
    R most = 0;
    for (int e = w.lane; e < w.players * w.players; e += w.lanes) {
        int i = e / w.players, j = e - i * w.players;
        bool given = lower ? i >= j : i <= j;
        T x = i >= w.n || j >= w.n ? N::of(0) : given ? from[i * w.n + j] : N::conjugate(from[j * w.n + i]);
        x = i == j ? N::of(N::re(x)) : x;
        w.a[i * w.pitch + j] = x;
        if (w.v)
            w.v[i * w.pitch + j] = N::of(i == j);
        R size = fmax(fabs(N::re(x)), fabs(N::im(x)));
        most = N::re(x) != N::re(x) || N::im(x) != N::im(x) ? R(NAN) : size <= most ? most : most != most ? most : size;
    }
    return find_greatest(w, most, w.lanes);
}

template <class T>
GA_FN void
scale_all(const hermitian_team<T> &w, ga_real<T> by)
{
    for (int e = w.lane; e < w.players * w.players; e += w.lanes) {
        int at = e / w.players * w.pitch + e % w.players;
        w.a[at] = ga_number<T>::scale(w.a[at], by);
    }
    team_sync(w.team, w.lanes);
}

/* Values in ascending order and vectors in that order, as columns of matrices in rows. */
template <class T>
GA_FN void
store_sorted(const hermitian_team<T> &w, ga_real<T> unscale, ga_real<T> *values, T *vectors)
{
    for (int i = w.lane; i < w.n; i += w.lanes)
        w.word[i] = ga_number<T>::re(w.a[i * w.pitch + i]);
    team_sync(w.team, w.lanes);
    for (int i = w.lane; i < w.n; i += w.lanes) {
        int place = 0;
        for (int k = 0; k < w.n; k++)
            place += w.word[k] < w.word[i] || (w.word[k] == w.word[i] && k < i);
        values[place] = w.word[i] * unscale;
        for (int k = 0; vectors && k < w.n; k++)
            vectors[k * w.n + place] = w.v[k * w.pitch + i];
    }
}

template <class T>
GA_FN bool
decompose_hermitian(const hermitian_team<T> &w, const T *from, bool lower, ga_real<T> *values, T *vectors)
{
    typedef ga_real<T> R;
    R greatest = load_triangle(w, from, lower);
    int exponent = 0, width = w.players > 16 ? 16 : w.players > 8 ? 8 : 4;
    if (!(greatest < R(INFINITY)))
        return false;
    if (greatest > 0)
        frexp(greatest, &exponent);
    exponent = exponent < (sizeof(R) == 4 ? -120 : -1000) ? (sizeof(R) == 4 ? -120 : -1000) : exponent;
    scale_all(w, ldexp(R(1), 1 - exponent));
    int sweep = 0;
    while (sweep < most_sweeps && !sweep_pairs(w, width))
        sweep++;
    store_sorted(w, ldexp(R(1), exponent - 1), values, vectors);
    team_sync(w.team, w.lanes);
    return sweep < most_sweeps;
}

/* ---- kernel ---- */

struct hermitian_task {
    ga_lapack_call call;
    int lanes, teams, bytes; /* of a matrix; matrices of a block, and what each has of its memory */
    int *failed;
};

template <class T>
static size_t
measure_team(const ga_lapack_call *call, int lanes)
{
    size_t players = size_t(call->rows + call->rows % 2), square = players * (players + 1) * sizeof(T);
    size_t nbytes = (call->b ? 2 : 1) * square + players * sizeof(plane_rotation<T>) +
                    size_t(lanes) * sizeof(ga_real<T>);
    return (nbytes + 15) / 16 * 16;
}

template <class T>
GA_FN hermitian_team<T>
make_team(const hermitian_task &t, char *own)
{
    const int n = int(t.call.rows), players = n + n % 2, pitch = players + 1, square = players * pitch;
    hermitian_team<T> w;
    w.a = reinterpret_cast<T *>(own);
    w.v = t.call.b ? w.a + square : nullptr;
    w.turn = reinterpret_cast<plane_rotation<T> *>(w.a + (t.call.b ? 2 : 1) * square);
    w.word = reinterpret_cast<ga_real<T> *>(w.turn + players);
    w.n = n, w.players = players, w.pitch = pitch;
    w.lane = GA_THREAD % t.lanes, w.lanes = t.lanes, w.team = GA_THREAD / t.lanes;
    return w;
}

/* Of stacks that fill the GPU, four blocks a multiprocessor take two thirds of the time of three. */
template <class T>
GA_KERNEL_BESIDE(4)
rotate_hermitian(GA_PARAM hermitian_task t)
{
    GA_AWAIT();
    alignas(16) GA_SHARED char store[team_bytes];
    const int team = GA_THREAD / t.lanes;
    const int64_t n = t.call.rows;
    if (team >= t.teams)
        return;
    hermitian_team<T> w = make_team<T>(t, store + team * t.bytes);
    for (int64_t i = GA_BLOCK_ID * t.teams + team; i < t.call.count; i += GA_GRID * t.teams) {
        const T *from = static_cast<const T *>(t.call.a) + i * n * n;
        T *vectors = w.v ? static_cast<T *>(t.call.b) + i * n * n : nullptr;
        if (!decompose_hermitian(w, from, t.call.upper, static_cast<ga_real<T> *>(t.call.values) + i * n, vectors))
            *t.failed = 1;
    }
}

/* ---- calls ---- */

/* More lanes finish a matrix sooner, fewer a long stack: up to some three blocks a multiprocessor, a block a matrix. */
static int
choose_lanes(const ga_lapack_call *call)
{
    if (call->rows > 16 && call->count <= 400)
        return GA_BLOCK;
    return call->rows <= 8 || (call->rows <= 16 && call->count > 4096) ? 32 : 64;
}

template <class T>
static int
launch_rotations(const ga_lapack_call *call, int *failed, ga_stream *stream)
{
    int lanes = choose_lanes(call), teams = GA_BLOCK / lanes;
    size_t bytes = measure_team<T>(call, lanes);
    if (teams > int(team_bytes / bytes))
        teams = int(team_bytes / bytes);
    hermitian_task task = {*call, lanes, teams, int(bytes), failed};
    int64_t blocks = (call->count + teams - 1) / teams;
    return ga_launch(rotate_hermitian<T>, blocks < 65536 ? blocks : 65536, stream, task);
}

bool
ga_lapack_is_rotated(const ga_lapack_call *call)
{
    return call->op == GA_LAPACK_EIGH && call->count > 1 && call->rows <= GA_LAPACK_ROTATED;
}

int
ga_lapack_rotate(const ga_lapack_call *call, int *failed, ga_stream *stream)
{
    return GA_BY_NUMBER(call->dtype, launch_rotations, call, failed, stream);
}

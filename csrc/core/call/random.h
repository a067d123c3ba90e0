/* Calls of the family that draws random numbers: fills of words, and distributions element by
 * element.
 *
 * All numbers come from counters: a source names a key and a place in a counter space of blocks,
 * and a call takes the blocks from that place on, as many as its operation says. The caller moves
 * on by as much, so no block is used twice. The last word of a counter stays free for draws that a
 * rejection makes again: they come from the same place. */
#ifndef GA_CALL_RANDOM_H
#define GA_CALL_RANDOM_H

#include "base.h"

/* name, parameters. Fills take blocks in order, a block's words one after the other (integers: lowest value and width
 * of the range, as integers, of which 0 means all 64 bits; the others: an offset and a factor). */
#define GA_RANDOM_FILLS(X) \
    X(uniform, 2) \
    X(normal, 2) \
    X(standard_exponential, 2) \
    X(integers, 2)

/* The numbers of a fill, float64, of which each has parameters of its own: limits, offset and factor, factor. */
#define GA_RANDOM_SCALED(X) \
    X(each_uniform, 2) \
    X(each_normal, 2) \
    X(each_exponential, 1)

/* One place an element, result float64 or float32. */
#define GA_RANDOM_CONTINUOUS(X) \
    X(gamma, 2) \
    X(log_gamma, 1) \
    X(beta, 2) \
    X(chisquare, 1) \
    X(f, 2) \
    X(noncentral_chisquare, 2) \
    X(noncentral_f, 3) \
    X(standard_t, 1) \
    X(gumbel, 2) \
    X(laplace, 2) \
    X(logistic, 2) \
    X(lognormal, 2) \
    X(pareto, 1) \
    X(power, 1) \
    X(rayleigh, 1) \
    X(cauchy, 0) \
    X(triangular, 3) \
    X(vonmises, 2) \
    X(wald, 2) \
    X(weibull, 1)

/* One place an element, result int64 (each_integer: parameters are uint64, and so is the result). */
#define GA_RANDOM_DISCRETE(X) \
    X(poisson, 1) \
    X(binomial, 2) \
    X(negative_binomial, 2) \
    X(geometric, 1) \
    X(hypergeometric, 3) \
    X(logseries, 1) \
    X(zipf, 1) \
    X(each_integer, 2)

/* One place a row of the contiguous result, int64: trials and the categories' weights, a row each. */
#define GA_RANDOM_ROWS(X) \
    X(multinomial, 2) \
    X(multivariate_hypergeometric, 2)

/* Orders: the result, int64, is the first elements of random permutations of range(n), one a row of the contiguous
 * result; n is the parameter, a number. Where n is at most GA_RANDOM_ORDER_ROW every permutation is equally likely; it
 * takes a word an element and then a place an element, and rows are whole unless there is one alone. A longer one takes
 * GA_RANDOM_ORDER_WORDS words, whole blocks. */
#define GA_RANDOM_ORDER_ROW 2048
#define GA_RANDOM_ORDER_WORDS 16
#define GA_RANDOM_ORDERS(X) X(order, 1)

#define GA_RANDOM_OPS(X) \
    GA_RANDOM_FILLS(X) \
    GA_RANDOM_SCALED(X) \
    GA_RANDOM_CONTINUOUS(X) \
    GA_RANDOM_DISCRETE(X) \
    GA_RANDOM_ROWS(X) \
    GA_RANDOM_ORDERS(X)

enum ga_random_op {
#define GA_RANDOM_ENUM(name, parameters) GA_RANDOM_##name,
    GA_RANDOM_OPS(GA_RANDOM_ENUM)
#undef GA_RANDOM_ENUM
    GA_RANDOM_COUNT
};

#define GA_RANDOM_PARAMETERS 3

/* Whose demands the elements of the parameters have to meet, numpy.random.Generator's or RandomState's, if any. An
 * element that does not is an error with NumPy's words, and NaN (of integers, the smallest) is drawn for it. The error
 * fails the call if there are no more elements than GA_RANDOM_AWAITED, for which the call waits, and in any case on the
 * CPU device; else it comes as that of a bad index does. Operations by rows, and orders, are not judged. */
enum ga_random_judge { GA_RANDOM_UNJUDGED, GA_RANDOM_GENERATOR = 1, GA_RANDOM_LEGACY = 2 };
#define GA_RANDOM_AWAITED 65536

/* Philox4x32-10: key[0], counter[0..1]. Wide: NumPy's Philox4x64-10, whole key and counter, of which fills of words
 * may begin `skip` 64-bit words into the first block, after the 32-bit word `pending` where there is one. */
typedef struct {
    uint64_t key[2], counter[4];
    uint32_t pending;
    uint8_t wide, skip, has_pending, unused;
} ga_random_source;

/* dst is contiguous, dtype the result's. Parameters are of the shape of the result, collapsed, in its order: float64,
 * float32, int64 or int32 (each_integer: uint64); by rows 8 bytes an element, of the shape of the rows: a stride a row,
 * elements contiguous. `first` is the place of the first element after the source's counter. */
typedef struct {
    enum ga_random_op op;
    enum ga_random_judge judge;
    enum ga_dtype dtype;
    ga_random_source source;
    int64_t size, first, columns; /* columns: of a row */
    int32_t ndim;
    int64_t shape[GA_ITER_DIMS];
    ga_operand parameters[GA_RANDOM_PARAMETERS];
    enum ga_dtype types[GA_RANDOM_PARAMETERS]; /* of those with data */
    void *dst;
} ga_random_call;

#endif

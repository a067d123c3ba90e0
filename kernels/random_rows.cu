/* Distributions whose numbers come in rows: a thread a row, which draws category after category,
 * each given what the ones before it have left. Owns ga_random_rows. Includes random_discrete.cuh
 * and random_parts.h. */
#include "random_discrete.cuh"
#include "random_parts.h"

/* Rows of a block. */
static const int64_t rows_piece = 256;

GA_FN double
row_number(const ga_operand &operand, int64_t row, int64_t column)
{
    const char *data = static_cast<const char *>(operand.data);
    if (!data)
        return operand.value.d;
    return *reinterpret_cast<const double *>(data + row * operand.strides[0] + column * 8);
}

/* Weights are probabilities: the last category takes what is left. */
GA_FN void
draw_multinomial(const ga_random_call &call, ga_draws *draws, int64_t row, int64_t *dst)
{
    double left = row_number(call.parameters[0], row, 0), share = 1;
    GA_ROLLED
    for (int64_t j = 0; j < call.columns - 1; j++) {
        double p = row_number(call.parameters[1], row, j), part = p < share ? p / share : 1;
        double taken = left > 0 && p > 0 ? ga_draw_binomial(draws, left, part) : 0;
        dst[j] = int64_t(taken);
        left -= taken;
        share -= p;
    }
    dst[call.columns - 1] = int64_t(left);
}

/* Weights are counts. */
GA_FN void
draw_hypergeometric_row(const ga_random_call &call, ga_draws *draws, int64_t row, int64_t *dst)
{
    double left = row_number(call.parameters[0], row, 0), others = 0;
    GA_ROLLED
    for (int64_t j = 0; j < call.columns; j++)
        others += row_number(call.parameters[1], row, j);
    GA_ROLLED
    for (int64_t j = 0; j < call.columns; j++) {
        double here = row_number(call.parameters[1], row, j);
        others -= here;
        double taken = ga_draw_hypergeometric(draws, here, others, left);
        dst[j] = int64_t(taken);
        left -= taken;
    }
}

GA_KERNEL
random_rows(GA_PARAM ga_random_call call)
{
    GA_AWAIT();
    int64_t rows = call.size / call.columns, first = GA_BLOCK_ID * rows_piece;
    int64_t last = first + rows_piece < rows ? first + rows_piece : rows;
    for (int64_t row = first + GA_THREAD; row < last; row += GA_BLOCK) {
        ga_draws draws = ga_draws_at(&call.source, call.first + row);
        int64_t *dst = static_cast<int64_t *>(call.dst) + row * call.columns;
        if (call.op == GA_RANDOM_multinomial)
            draw_multinomial(call, &draws, row, dst);
        else
            draw_hypergeometric_row(call, &draws, row, dst);
    }
}

int
ga_random_rows(const ga_random_call *call, ga_stream *stream)
{
    if (call->dtype != GA_i64)
        return ga_kernel_fail(GA_ERR_TYPE, "random: counts have dtype int64, not %d",
                              int(call->dtype));
    int64_t rows = call->size / call->columns;
    return ga_launch(random_rows, (rows + rows_piece - 1) / rows_piece, stream, *call);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "score.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"

/* As the tables of published models have it. */
static const double least_error = 4e-4;

void score_add(struct score *score, double predicted_us, double measured_us)
{
    score->errors = mem_grow(score->errors, &score->room, (size_t)score->count + 1, sizeof *score->errors);
    score->errors[score->count++] = predicted_us / measured_us - 1;
}

struct score_numbers score_numbers(const struct score *score)
{
    struct score_numbers numbers = {0};
    struct arena scratch = {0};
    double *sizes = arena_array(&scratch, score->count, sizeof *sizes);
    double logarithms = 0;
    for (uint32_t i = 0; i < score->count; i++) {
        sizes[i] = fabs(score->errors[i]);
        numbers.mean += sizes[i] / score->count;
        numbers.bias += score->errors[i] / score->count;
        logarithms += log(sizes[i] + least_error) / score->count;
    }
    qsort(sizes, score->count, sizeof *sizes, ascending_reals);
    if (score->count) {
        numbers.gmae = exp(logarithms);
        numbers.median = sizes[score->count / 2];
        numbers.p95 = sizes[(uint32_t)(0.95 * (score->count - 1))];
    }
    arena_free(&scratch);
    return numbers;
}

void score_free(struct score *score)
{
    mem_free(score->errors);
    score->errors = NULL;
    score->count = 0;
    score->room = 0;
}

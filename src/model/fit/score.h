/* SPDX-License-Identifier: Apache-2.0 */
/* How far predictions are from measurements, by operator and device. */
#ifndef MODEL_SCORE_H
#define MODEL_SCORE_H

#include "base/arena.h"
#include "base/str.h"

struct score {
    str op, device;
    double *errors; /* signed: predicted / measured - 1 */
    uint32_t count;
    size_t room;
};

struct score_numbers {
    double gmae;              /* exp(mean(ln(|error| + 4e-4))): the geometric mean, kept finite where an error is 0 */
    double mean, median, p95; /* of |error| */
    double bias;              /* mean of error */
};

void score_add(struct score *score, double predicted_us, double measured_us);
struct score_numbers score_numbers(const struct score *score);
void score_free(struct score *score);

#endif

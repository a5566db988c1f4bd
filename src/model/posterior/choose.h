/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which kernels are worth measuring on a device: those whose measured time is expected to narrow the doubt of what is asked
 * for the most, for each second that measuring takes. By the same beliefs that measured rows are then put into
 * (posterior.h): a row tells of kernels near it, and by coefficients of all of its group. One after the other, each
 * knowing those before.
 */
#ifndef MODEL_CHOOSE_H
#define MODEL_CHOOSE_H

#include "model/estimate/model.h"

/* A kernel that is asked for and may be measured. */
struct wanted {
    const struct kernel *kernel;
    double weight;  /* of its time in what is asked for: microseconds in a step, or 1 where each counts for itself */
    double seconds; /* that measuring it takes; 0: it cannot be measured */
};

struct choice {
    uint32_t at; /* of the wanted */
    double gain; /* by so much the variance falls: of the sum of weights x ln time, or of each */
};

/*
 * At most `most` of them, fewer where nothing is gained. `together`: what counts is the doubt of the weighted sum, as of
 * a step; else the squares of each. Kernels that no model takes are passed over.
 */
uint32_t choose_rows(const struct models *models, const struct hardware *hardware, const struct wanted *wanted,
                     uint32_t count, bool together, uint32_t most, struct choice *choices);

/* Kernels that count alike, each for itself: which `most` to measure next. */
struct next_asked {
    const struct models *models;
    const struct hardware *hardware;
    const struct kernel *const *among;
    uint32_t count, most;
};

/* Into `picked`, room for most; how many. */
uint32_t choose_next(const struct next_asked *asked, const struct kernel **picked);

/* What timing a kernel of that length takes: it is made ready, warmed up, and repeated. */
double seconds_to_measure(double us);

#endif

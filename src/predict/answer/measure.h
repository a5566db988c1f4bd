/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernels are worth measuring: those whose doubt makes a step's, as rows of a table that `model fit` reads. */
#ifndef PREDICT_MEASURE_H
#define PREDICT_MEASURE_H

#include "predict.h"
#include "report/report.h"

/*
 * Of the kernels of a plan, each shape once, those whose measurement is expected to narrow its doubt most for each second
 * (model/posterior/choose.h), one after the other; at most PREDICTED_ROWS, how many.
 */
uint32_t measure_find(const struct plan *plan, const struct models *models, const struct hardware *hardware,
                      struct arena *arena, struct predicted_row *rows);

/* Where the interval of a step is wider than a fifth either way, most of it by what estimates may be off: what to measure, and how to make it known. */
void measure_show(const struct prediction *prediction, struct report *report);

#endif

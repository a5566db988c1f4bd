/* SPDX-License-Identifier: Apache-2.0 */
/* Predictions as a report; definitions in doc/numbers/prediction.md. */
#ifndef PREDICT_PREDICT_SHOW_H
#define PREDICT_PREDICT_SHOW_H

#include "predict.h"
#include "report/report.h"

/* The step of a job is that of its slowest rank. */
const struct prediction *predict_slowest(const struct prediction *predictions, uint32_t count);

/* At least one. `asked` says how they were made. */
void predict_show(const struct prediction *predictions, uint32_t count, const struct predict_asked *asked,
                  struct report *report);

#endif

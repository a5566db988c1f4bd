/* SPDX-License-Identifier: Apache-2.0 */
/* The joules and the money of a step; definitions in doc/numbers/prediction.md. */
#ifndef PREDICT_ENERGY_SHOW_H
#define PREDICT_ENERGY_SHOW_H

#include "predict.h"
#include "report/report.h"

/* Of a step of one rank: its device work, and the board for being there all along. NaN where its power is not known. */
struct joules predict_joules(const struct prediction *prediction);

/* Texts are in the arena. per_hour 0: no price was given. */
void energy_show(struct section *section, const struct prediction *prediction, double per_hour, struct arena *arena);

#endif

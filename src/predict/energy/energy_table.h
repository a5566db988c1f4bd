/* SPDX-License-Identifier: Apache-2.0 */
/* Joules and money of steps as columns of a table; definitions in doc/numbers/prediction.md. */
#ifndef PREDICT_ENERGY_TABLE_H
#define PREDICT_ENERGY_TABLE_H

#include "model/estimate/energy.h"
#include "report/report.h"

/* At which level ends are told, and the price of a GPU for an hour (0: not given; then people see no money). */
struct energy_asked {
    double level, per_hour;
    bool each; /* money of one step alone: that of many is told elsewhere */
};

void energy_columns(struct table *table, const struct energy_asked *asked);

/* Of one step. What is not known is null, and its basis is "unknown". */
void energy_put(struct table *table, const struct step_energy *energy, struct step_time time,
                const struct energy_asked *asked);

/* Says in a sentence why it is not known. */
void energy_tell_unknown(struct section *section, const struct step_energy *energy, struct arena *arena);

#endif

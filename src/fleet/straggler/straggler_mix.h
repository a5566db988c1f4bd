/* SPDX-License-Identifier: Apache-2.0 */
/* Works of a plan, each cell from one of two tables: what was recorded, or what is ideal. */
#ifndef FLEET_STRAGGLER_MIX_H
#define FLEET_STRAGGLER_MIX_H

#include "straggler_work.h"

/* Cells of a plan: those of a class of types, a replica, a stage, or of marked workers. */
struct selection {
    enum { SELECT_CLASS, SELECT_REPLICA, SELECT_STAGE, SELECT_WORKERS } by;
    uint32_t number;
    const bool *workers; /* [stage * replicas + replica] */
};

/* Types that are told apart: sends and receives of a direction are one class. */
struct type_classes {
    const str *names;
    const uint32_t *of_type;
    uint32_t count;
};
struct type_classes type_classes(const struct operations *operations, struct arena *arena);

/* mixed = chosen where selected, else others. */
void mix_works(const struct straggler_plan *plan, const struct type_classes *classes, struct selection selection,
               const int64_t *chosen, const int64_t *others, int64_t *mixed);

/* Each work at the mean of its type, or its median where the type communicates; of traces only within a step and number. */
const double *ideal_works(const struct operations *operations, const struct straggler_plan *plan, const double *work_s,
                          struct arena *arena);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same question with one figure of it taking several values:
 *
 *     batch=512..8192            doubling from 512 up, and 8192 at the end (hw/values.h)
 *     batch=500..8000:9          nine values, each the same times the one before
 *     cpu-speed=1,1.5,2          as listed
 *     network=25..400Gbps        any figure of the hardware, see `steptime hw`
 *     hw=V100,A100,H100          devices
 *
 * Keys: batch, ranks, cpu-speed, overlap, hw, and those of --set.
 */
#ifndef PREDICT_WHAT_IF_SWEEP_H
#define PREDICT_WHAT_IF_SWEEP_H

#include "predict/energy/energy_table.h"
#include "question.h"
#include "report/report.h"

struct sweep {
    str key;
    uint32_t count;
    const double *values; /* of keys with numbers; in the unit as given */
    const str *texts;     /* as people write them: "25Gbps", "V100" */
    bool numbers;
};

/* False with STEPTIME_USAGE. */
bool sweep_read(str text, struct arena *arena, struct sweep *sweep, struct steptime_error *err);

/* What is predicted for one value; -1: not known. */
struct predicted_point {
    double step_us, host_us, active_us, idle_us, exposed_us;
    double low_us, high_us; /* the interval of step_us; -1: nothing of it is an estimate, or `unlike` */
    double estimates_low_us, estimates_high_us; /* of the walked step, by what is estimated alone */
    double steps_error;                         /* mean absolute, a share: what steps that differ add to it */
    bool unlike;                                /* steps too unlike for an interval */
    struct step_energy energy;                  /* of the step; of work what was walked */
    bool estimated;                             /* some of its device work is not as recorded */
};

/* What intervals are of, where there are some, or why there is none: as a text, and as the value `interval`. */
void sweep_tell_interval(bool any, bool unlike, struct section *section);

typedef bool predict_fn(void *context, const struct question *question, struct predicted_point *point,
                        struct steptime_error *err);

/* One prediction a value; points has room for sweep->count. Stops at the first that fails. */
bool sweep_run(const struct sweep *sweep, const struct question *base, predict_fn *predict, void *context,
               struct predicted_point *points, struct steptime_error *err);

/* Two tables, of times and of energy, and a chart: section "sweep". Intervals are at that level. */
void sweep_show(const struct sweep *sweep, const struct predicted_point *points, const struct energy_asked *asked,
                struct report *report);

#endif

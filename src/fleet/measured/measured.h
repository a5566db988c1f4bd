/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Efficiencies from the jobs of a table that were measured, and how far off the
 * model is without them, with them, and on jobs that they were not fitted on.
 */
#ifndef FLEET_MEASURED_H
#define FLEET_MEASURED_H

#include "fleet/step/fit.h"
#include "fleet/table/job_table.h"
#include "report/report.h"

struct measured {
    struct cluster given;
    struct fit fit; /* on all of them */
    double
        held_out_error; /* mean |modelled / measured - 1| of the steps of every other job, fitted on the rest, both ways */
    double held_out_bias; /* the signed mean */
    double given_error;   /* of the same steps with efficiencies as given */
};

/*
 * Reads the table, a file that can be read again, and fits to at most FIT_JOBS jobs evenly spread over it. False with *err:
 * as job_table_read, and where no job was measured.
 */
bool measured_fit(const struct job_table_asked *asked, const struct cluster *cluster, struct arena *arena,
                  struct measured *measured, struct steptime_error *err);

/* Section "measured". */
void measured_show(const struct measured *measured, struct report *report);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the steps of a table's jobs grow with their workers: constants of the
 * cluster fitted to measured steps, and how far off steps of models are that they
 * were not fitted to, at each number of workers.
 *
 * The models, in the order of their names, are parted in two halves, one after the
 * other; each half is predicted with constants of the other. Beside that each
 * model with those of all others.
 */
#ifndef FLEET_SCALED_H
#define FLEET_SCALED_H

#include "fleet/step/scaling_fit.h"
#include "fleet/table/job_table.h"
#include "report/report.h"

enum { SCALED_MODELS = 4096 };

struct scaled {
    struct scaled_job *jobs;
    uint32_t count, models;
    str *model; /* names, in their order */
    struct scaling_fit all, half[2];
    double *halves, *others; /* ln(modelled / measured) of each job: with the other half, with all other models */
    double *within;          /* its error as told beforehand, of the logarithm: with the other half */
    bool parted;             /* there were two models at least, and each half had steps of several workers */
};

/*
 * Reads the table, whose group is the model, and fits. False with *err: as job_table_read, where no job of several cNodes
 * was measured, and where they are of more than SCALED_MODELS models. All lies in the arena.
 */
bool scaled_fit(const struct job_table_asked *asked, const struct cluster *cluster, struct arena *arena,
                struct scaled *scaled, struct steptime_error *err);

/* Section "scaling", beside what the cluster was before. */
void scaled_show(const struct scaled *scaled, const struct cluster *given, struct report *report);

#endif

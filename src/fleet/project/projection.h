/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A population of jobs elsewhere: on another architecture, other hardware, or
 * both. Who is sped up, by how much, and what then takes the longest; how that
 * changes along a sweep of one figure; and which resource each architecture is
 * most sensitive to. doc/numbers/fleet.md defines every figure.
 */
#ifndef FLEET_PROJECTION_H
#define FLEET_PROJECTION_H

#include "fleet/table/job_table.h"
#include "fleet/population/kept_rows.h"
#include "fleet/table/machines.h"
#include "fleet/population/population.h"
#include "project.h"
#include "report/report.h"

enum projection_value {
    SPEEDUP,
    CNODE_SPEEDUP,
    BEFORE_MS,
    AFTER_MS,
    AFTER_SHARE,
    PROJECTION_VALUES = AFTER_SHARE + PART_BUBBLE
};

/* One hardware that jobs are projected onto: the figure of a sweep at one value, or a resource made twice as fast. */
struct projection_point {
    const struct cluster *cluster;   /* of all jobs; NULL: of their own rows, changed */
    const struct cluster *otherwise; /* where a row names none; NULL */
    const struct machine_changes *changes;
    bool stays; /* no change of architecture, whatever is asked */
};

/* What is kept of all points. */
struct point_sums {
    uint64_t jobs; /* that no obstacle keeps */
    double weight[WEIGHTS], speedup[WEIGHTS], faster[WEIGHTS];
};

struct projection_sums {
    uint64_t jobs, obstacles[OBSTACLES];
    double before_after[PARTS][PARTS]; /* jobs by the longest part of their step here and there */
};

/* Sums over all jobs that somebody else wants: `add` adds a job to `count` of them. */
struct projection_also {
    const void *context;
    uint32_t count;
    void (*add)(const void *context, const struct job *job, const struct job_step *before, const struct cluster *here,
                double *sums);
};

struct projection {
    struct population *by_architecture, *by_group; /* by_group: NULL without --group-by */
    struct projection_sums sums;
    struct point_sums *points; /* point * ARCHITECTURES + architecture */
    double *also;              /* the sums of asked->also */
    uint32_t also_count;
    uint32_t point_count;  /* points[0] is what is asked; then those of the sweeps, then one a resource */
    struct kept_rows rows; /* as projection_row_write writes them */
};

struct projection_asked {
    struct job_table_asked table;
    struct projection_point here;
    const struct projection_point *points;
    uint32_t point_count;
    bool moves; /* to `architecture` */
    enum architecture architecture;
    bool traffic_of_weights; /* see struct target */
    bool every_row;
    struct projection_also also;
};

bool projection_of_table(const struct projection_asked *asked, struct arena *arena, struct projection *projection,
                         struct job_table_result *told, struct steptime_error *err);
void projection_free(struct projection *projection);
bool projection_gather(struct projection *projection, struct job_table_result *told, struct arena *arena,
                       struct steptime_error *err);

/* A sweep of one figure, as it is shown: points[first] to points[first + count - 1]. */
struct projection_sweep {
    str key;
    const str *texts; /* its values, as given */
    const double *values;
    uint32_t first, count;
};

struct projection_words {
    str target; /* "allreduce-local on paper" */
    const struct projection_sweep *sweeps;
    uint32_t sweep_count;
    uint32_t resources; /* the first of the points that double a resource; 0: none */
};

void projection_show(struct projection *projection, const struct projection_asked *asked,
                     const struct projection_words *words, const struct job_table_result *told, struct report *report);

#endif

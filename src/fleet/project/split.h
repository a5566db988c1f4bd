/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the step time of a population of jobs goes: the parts of each job's step,
 * their shares over all jobs and by group, by job, by GPU and by GPU-time, and
 * what the longest part is. doc/numbers/fleet.md defines every figure.
 */
#ifndef FLEET_SPLIT_H
#define FLEET_SPLIT_H

#include "fleet/table/job_table.h"
#include "fleet/population/kept_rows.h"
#include "fleet/table/machines.h"
#include "fleet/population/population.h"
#include "fleet/step/step.h"
#include "report/report.h"

/* What is kept of each job. All have CNODES; the others are NaN where they are not known. */
enum split_value {
    SHARE_OF_PART,
    STEP_MS = PARTS,
    MFU,
    PROGRAM_GOODPUT,
    PRODUCTIVE,
    ERROR_RATIO,
    CNODES,
    SPLIT_VALUES
};

/* Sums over rows that need no distribution. */
struct split_sums {
    uint64_t jobs, without_duration, measured;
    uint64_t too_fast; /* measured, with more FLOP/s than the peak of the hardware */
    double cnodes;
    double longest[ARCHITECTURES][PARTS][WEIGHTS]; /* weight of the jobs whose longest part it is */
    double signed_error;                           /* of the modelled step, over measured jobs */
};

struct split {
    struct population *by_architecture;
    struct population *by_group; /* of --group-by; NULL */
    struct split_sums sums;
    struct kept_rows rows; /* as split_row_write writes them */
};

struct split_asked {
    struct job_table_asked table;
    const struct cluster *cluster; /* of all jobs; NULL: of their own rows */
    const struct machine_changes *changes;
    bool every_row; /* keep all rows */
};

/* Reads the table and fills *split, which split_free releases. False with *err. */
bool split_of_table(const struct split_asked *asked, struct arena *arena, struct split *split,
                    struct job_table_result *told, struct steptime_error *err);
void split_free(struct split *split);

/* What all processes of the crew have read, in the first; the others must show nothing. */
bool split_gather(struct split *split, struct job_table_result *told, struct arena *arena, struct steptime_error *err);

/* Into a report, with `group` the name of the --group-by column, "". The split must outlive the rendering. */
void split_show(struct split *split, const struct split_asked *asked, const struct job_table_result *told,
                struct report *report);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was published of a population of jobs: means of shares, and shares of jobs
 * or of cNodes beyond a bound. A row of a CSV file is a figure:
 *
 *     name,of,by,what,above,value,least,most,to,set,source
 *
 * doc/numbers/fleet-decided.md says what each column means.
 */
#ifndef FLEET_FIGURES_H
#define FLEET_FIGURES_H

#include "fleet/population/population.h"
#include "fleet/project/project.h"

enum figure_what {
    FIGURE_JOBS,   /* the part of all jobs, or of all cNodes, that is of these architectures */
    FIGURE_CNODES, /* of a job */
    FIGURE_PART,   /* a part's share of the step */
    FIGURE_SPEEDUP,
    FIGURE_CNODE_SPEEDUP,
};

struct figure {
    str name;
    uint32_t of; /* a bit an architecture */
    enum weight by;
    enum figure_what kind;
    enum part part; /* of FIGURE_PART */
    double above;   /* NaN: the figure is a mean; else the share that lies above */
    double value, least, most;
    struct target target; /* of the speed-ups */
};

enum { FIGURES_MOST = 24 };

struct figures {
    struct figure at[FIGURES_MOST];
    uint32_t count;
};

/* What jobs run on now is `here`, and where a figure moves them to, but for its `set`, too. False with *err. */
bool figures_read(const char *path, const struct cluster *here, struct arena *arena, struct figures *figures,
                  struct steptime_error *err);

/* Adds a job to the sums of each figure: sums[2 f] of weights, sums[2 f + 1] of weight x value. */
void figures_add(const struct figures *figures, const struct job *job, const struct job_step *before,
                 const struct cluster *here, double *sums);

static inline bool figure_is_of(const struct figure *figure, enum architecture architecture)
{
    return figure->of >> architecture & 1;
}

/* Whether jobs of that architecture count for it at all: all do for FIGURE_JOBS. */
static inline bool figure_counts(const struct figure *figure, enum architecture architecture)
{
    return figure->kind == FIGURE_JOBS || figure_is_of(figure, architecture);
}

#endif

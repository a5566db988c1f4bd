/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The critical path of a trace: the chain of host and device work that decided
 * how long it took. It is found over the whole trace, from the last end back to
 * the start, and counted in the selected steps: every nanosecond of a step
 * belongs to one class, and the classes sum to the step.
 */
#ifndef BREAKDOWN_CRITICAL_PATH_H
#define BREAKDOWN_CRITICAL_PATH_H

#include "breakdown/step/facts.h"
#include "breakdown/holdup/holdup.h"
#include "breakdown/strip/strip.h"
#include "breakdown/verdict/respond.h"
#include "breakdown/verdict/verdict.h"
#include "trace/select.h"
#include "trace/trace.h"

struct path_sums {
    int64_t ns[PATH_CLASSES];
};

/* The class that holds most of a path; where one cause is half of it or more, that. */
struct path_most {
    enum path_class class;
    uint8_t cause; /* enum cause; CAUSE_NONE: the class as a whole */
    int64_t ns;
};

struct path_step {
    int64_t number, start_ns, wall_ns;
    struct path_sums sums; /* they sum to wall_ns */
};

/* All parts of the path of one class and name. */
struct path_top {
    enum path_class class;
    str name, title; /* as recorded; of a kernel also as people call it */
    str operator;    /* around the longest part, "" where there is none or it is the name */
    uint64_t count;
    int64_t ns;
};

/* A stretch of the path; texts are names[name]. */
struct path_stretch {
    int64_t start_ns, end_ns;
    uint32_t row;  /* event id, ROW_NONE */
    uint32_t lane; /* LANE_NONE where nothing is recorded */
    uint32_t name;
    enum path_class class;
};

struct path_lane {
    bool device;
    int64_t process, id;
    str process_text, id_text; /* "" where the number is meant */
};

struct critical_path {
    str path;
    int64_t rank, origin_ns;
    enum step_source step_source;
    bool device;   /* device work was recorded */
    bool sketched; /* it comes from a sketch, which has no stretches */

    struct path_step *steps;
    uint32_t step_count;
    int64_t wall_ns; /* of the steps together */
    struct path_sums sums;
    struct path_most most; /* of them */

    struct path_top *tops; /* largest first */
    uint32_t top_count;

    struct path_stretch *stretches; /* by time */
    uint32_t stretch_count;
    uint64_t stretches_found; /* more than are kept where only the longest are */
    int64_t listed_ns;        /* PATH_LISTED stretches, about, are of this length or longer */
    const str *names;
    const struct path_lane *lanes; /* by lane */
    uint32_t lane_count;

    struct verdict verdict;      /* of the same steps, by experiments on the same graph */
    struct rank_numbers numbers; /* against the others of its job */
    struct strip strip;          /* for the path across ranks */
    struct responses responses;  /* for the verdict of the job */
    struct holdups holdups;      /* of a rank that has collectives: what a late one is late for */

    /* the graph behind it */
    uint32_t nodes, edges;
    uint64_t inferred, inconsistent;
};

enum { PATH_ALL = UINT32_MAX, PATH_LISTED = 10000 };

/* most: stretches to keep, the longest; PATH_ALL keeps every one, 0 none. Everything lives in the arena. */
void critical_path_run(const struct trace *trace, const struct selection *selection, uint32_t most, struct arena *arena,
                       struct critical_path *result);

/* The class with most time; PATH_UNKNOWN of an empty path. */
enum path_class path_largest(const struct path_sums *sums);

#endif

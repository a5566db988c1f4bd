/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One screen for someone who knows nothing of the tool: what a step takes, what
 * it is made of, what bounds it, what to do. Every figure is one of the other
 * analyses', so a number here and there cannot differ. doc/numbers/summary.md
 * defines them.
 */
#ifndef BREAKDOWN_SUMMARY_H
#define BREAKDOWN_SUMMARY_H

#include "breakdown/step/facts.h"
#include "report/report.h"
#include "breakdown/kernels/work_figures.h"
#include "breakdown/holdup/holdup.h"
#include "breakdown/verdict/respond.h"
#include "breakdown/verdict/verdict.h"
#include "breakdown/strip/strip.h"
#include "runs_on.h"

/* An operator or a kernel by name, over the selected steps. */
struct top {
    str name, title, kind; /* kind: family of an operator, class of a kernel */
    int64_t device_ns;     /* of an operator the work launched by itself */
    int64_t host_ns;       /* of an operator its own; of a kernel 0 */
    uint64_t times;
};

struct tops {
    struct top *at;
    uint32_t count;
    int64_t device_ns, host_ns; /* what shares are of: the busy time of the device; all operators' own */
};

/* What the screen sums over all ranks: of each it is asked for once. */
struct summary_details {
    struct breakdown breakdown;
    struct work_figures work;
    struct tops operators, kernels;
    double ideal_ns; /* what the counted arithmetic would take at the device's peak; 0: not known */
    str device;      /* as in struct peaks */
    struct part_place places[PARTS];
    bool has_operators, has_stacks, has_graphs;
    bool sketched; /* of operators and kernels the largest, and no places: it comes from a sketch */
    struct runs_on runs;
};

/* Makes them, as often as they are asked for: those of thousands of sketches need not be held at once. */
struct summary_source {
    void (*read)(const void *of, struct arena *arena, struct summary_details *out);
    const void *of;
};

struct summary {
    const struct summary_details *details; /* NULL: the source makes them */
    struct summary_source source;
    struct verdict verdict;
    struct holdups holdups;
    struct rank_numbers rank; /* empty, as the strip, of what is of no job */
    struct strip strip;
    struct responses responses;
};

/* In the arena, or where they are; texts outlive it. */
const struct summary_details *summary_details(const struct summary *summary, struct arena *arena);

/* of_job: it will be compared with other ranks, now or by its sketch. */
void summary_run(const struct trace *trace, const struct selection *selection, bool of_job, struct arena *arena,
                 struct summary *out);

/*
 * At most `findings` findings; the report says how many more there were. What a log says is compiled `again` has findings
 * elsewhere. Returned: what a mean step gains without compilation; NAN
 * where that was not replayed.
 */
double summary_show(const struct summary *const *ranks, uint32_t count, uint32_t findings, struct again_told again,
                    struct report *report);

#endif

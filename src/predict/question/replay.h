/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A question put to what was recorded: the difference between the plans of the
 * steps before and after it, as a change of the dependency graph of the trace,
 * replayed. So everything that the question does not touch keeps its recorded
 * time to the nanosecond, and a question that changes nothing gives back what was
 * recorded.
 *
 *     device work    its recorded time x (planned time after / before); gone with its entry
 *     host, in an operator   x (what the plan gives the operator after / before)
 *     host, before it        x (T1 after / before)
 *     waits          those of an operator hold no more where the plan has none left
 *     the rest of the host   / cpu_speed, but for what is kept
 */
#ifndef PREDICT_REPLAY_H
#define PREDICT_REPLAY_H

#include "graph/graph.h"
#include "ops/rows/collective_match.h"
#include "ops/rows/work.h"
#include "question.h"
#include "time/split.h"
#include "trace/select.h"

struct replay;

/* Steps of the graph's trace, which must live as long; the change holds from the first of them on. */
struct replay *replay_new(const struct graph *graph, const struct work_classes *classes, struct step_range range);
void replay_free(struct replay *replay);

/* By node: of the host's work what no faster host shortens (sleep, a loader, a network). It must live as long. */
void replay_keep(struct replay *replay, const int64_t *kept_ns);

/*
 * Where the ranks of a job meet on threads of the host in calls that have no node of their own (graph/hold.h): sends and
 * receives of gloo. In nodes of the graph; they must live as long. For replay_run_together.
 */
void replay_waits(struct replay *replay, const struct split_wait *waits, uint32_t count);

/* One step: its program, which is of the graph's trace, planned as recorded and after the question. */
void replay_step(struct replay *replay, const struct plan *before, const struct plan *after);

/* A step from the end of the one before to its own, on the training thread and the device. */
struct replayed_step {
    int64_t step_ns, active_ns; /* active: any work on the device */
};

/* Means over the steps. */
struct replayed {
    int64_t recorded_ns;                  /* from the begin of the first step to the end of the last, by steps */
    int64_t replayed_ns;                  /* the same then; never more where a question only takes away */
    int64_t host_ns;                      /* then, of the training thread alone */
    int64_t was_active_ns, active_ns;     /* as recorded, and then: any work on the device */
    int64_t communication_ns, exposed_ns; /* then: of it communication; without other work beside it */
    const struct replayed_step *steps;    /* then, by the steps of the range */
};

/* After all steps. What is of each step lies in the arena. */
struct replayed replay_run(struct replay *replay, double cpu_speed, struct arena *arena);

/*
 * All ranks of a job at once, each after all its steps: a collective begins when the last rank has come, and takes what
 * it took the one that came last in the recording, or what the question makes of that. False where they meet nowhere, or
 * in other orders than recorded; then nothing is replayed. *doubt: which collective is which on the most doubtful rank.
 */
bool replay_run_together(struct replay *const *replays, uint32_t ranks, double cpu_speed, struct arena *arena,
                         struct replayed *replayed, struct match_doubt *doubt);

#endif

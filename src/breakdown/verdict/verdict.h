/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What bounds a step, by experiment: the recorded steps are replayed with one
 * resource faster, all else as it was, and what shortens them most is the bound.
 * doc/numbers/verdict.md defines every figure.
 *
 *     table of experiments     device and host twice as fast; communication, data and copies free
 *     removal                  each of them once at no time at all: "twice" and "free" are not the same size, so
 *                              resources are compared by this
 *
 * The replay is that of the engine (time/net.h): a resource that gets faster
 * makes nothing later, and one that does not change gives back the recording.
 * How much of the recording the graph explains is measured by one more run, in
 * which every node starts as soon as what it waits for lets it go: its error
 * says how far the experiments may be trusted.
 *
 * Invariants, with S(f) what is saved where a resource takes f times its time:
 *
 *     0 <= S(1/2) <= S(0) <= 2 S(1/2)      but for a nanosecond a node
 *     S(0) is no more than the time of the resource
 *
 * Source of the definitions: doc/numbers/verdict.md; the idea of bounds by what
 * could be saved is that of the critical-path analyses (Böhme et al., 2012).
 */
#ifndef BREAKDOWN_VERDICT_H
#define BREAKDOWN_VERDICT_H

#include "breakdown/step/facts.h"
#include "lab.h"
#include "trace/select.h"

/* Why nothing can be said to bound the steps. The first that holds. */
enum verdict_doubt {
    DOUBT_NONE,
    DOUBT_FEW,      /* fewer than 20 pieces of device work in the steps; without a device, operators */
    DOUBT_SHORT,    /* steps under 100 us */
    DOUBT_FIRST,    /* the only step is the first of the run */
    DOUBT_LAUNCHES, /* more than a tenth of the device work has no launch in the recording */
    DOUBT_LOST,     /* more than a tenth of the launches have no device work in the recording */
    DOUBT_HELD,     /* for more than a tenth of the time launched work was held back by nothing that is recorded */
    DOUBT_BLANK, /* for more than half of the time nothing was recorded on the training thread, and the bound is no host */
    DOUBT_ERROR, /* the graph explains less than 90 % of the time */
};

/* What was replayed. */
enum verdict_over {
    VERDICT_OF_RANK,  /* one rank by itself */
    VERDICT_OF_RANKS, /* several, each by itself: what one gains those who wait for it do not */
    VERDICT_OF_JOB,   /* all ranks together */
};

/* One rank of several, by itself. */
struct verdict_rank {
    int64_t rank, step_ns, explained_ns;
};

/* Of several ranks, who may be late and is not compared. */
enum verdict_unmet {
    UNMET_NONE,
    UNMET_ALL,  /* no collective is known to be the same on several ranks */
    UNMET_SOME, /* of those that met some are not here, or cannot be compared */
};

/* Times are of all its steps together; savings never below 0. */
struct verdict {
    uint32_t steps;       /* replayed */
    uint32_t among;       /* selected: of each rank by over two more where the replayed ones are a sample */
    int64_t step_ns;      /* of all steps, as replayed without a change: as recorded, but for the recorder where */
    double bare_share;    /* of the host's time is below 1 (lab.h); then all times are the same part of that step */
    int64_t explained_ns; /* as the graph explains it */
    int64_t left_out_ns;  /* of the first and the last step, where they are not among them */
    enum cause left_out_cause;          /* of the host there, over half of that time; CAUSE_NONE: no single one */
    int64_t saved_ns[RESOURCES];        /* by the experiment of the table */
    int64_t removed_ns[RESOURCES];      /* by taking the resource away */
    int64_t time_ns[RESOURCES];         /* the summed time of its nodes in the steps */
    enum resource pair[2];              /* where nothing saves much by itself: the two that together save most */
    int64_t pair_ns;                    /* 0: not looked for, or none does */
    int64_t rank;                       /* whose verdict it is; of several: */
    struct verdict_rank pair_of, least; /* whose pair that is; the one of which the replay explains least */
    uint64_t launches, lost;            /* of the whole trace; of them without device work */
    uint64_t work, unlaunched; /* device work in the steps, without a device operators; of it without a launch */
    int64_t held_ns;           /* the device idle although its next work was let go over 30 us before */
    int64_t blank_ns;          /* nothing recorded on the training thread, 1 ms or more at a stretch */
    bool device, first_only;   /* device: the trace has device work */
    enum verdict_over over;    /* and of a job: */
    int64_t job_error_ns;      /* how far the replay with nothing changed is off, summed over the ranks */
    enum verdict_unmet unmet;  /* why a late rank may be taken for transfer */
    uint32_t
        unmatched; /* blocking collectives of no match, in which the ranks stay as recorded; 0: none that matter. Then: */
    int64_t most_ns[RESOURCES]; /* the most that can be saved without a resource; what is replayed is the least */
    bool beside_late;           /* a rank is late: then resources are compared by what they save */
    int64_t beside_late_ns[RESOURCES]; /* once nobody is */
};

/* Of the selected steps; of four or more without the first and the last, unless steps were named. */
void verdict_run(const struct lab *lab, struct verdict *out);

/* Several ranks' as one mean step. Pairs are of one rank: what they save together on all is not replayed. */
void verdict_add(struct verdict *sums, const struct verdict *more);

/* Of several ranks: no removal saves more than that of lateness, and that is a tenth of the step or more. */
bool verdict_is_late(const struct verdict *verdict);

/* How far the time that the graph explains is from the recorded one; a share of that. */
double verdict_error(const struct verdict *verdict);
double verdict_explained(const struct verdict_rank *rank);

enum verdict_doubt verdict_doubt(const struct verdict *verdict);

/* Launched work waits for what is not recorded, so that findings on how late it starts have no ground. */
bool verdict_is_held(const struct verdict *verdict);

struct verdict_answer {
    enum bound bound;  /* BOUND_UNKNOWN with a doubt; BOUND_BALANCED where no removal saves a tenth of the step */
    enum bound second; /* within 5 points of the step; BOUND_UNKNOWN: none */
};
struct verdict_answer verdict_answer(const struct verdict *verdict);

/* It may be the bound. Parts of another resource are shown beside it; of a host alone what it is made of is compared. */
bool verdict_ranks(const struct verdict *verdict, enum resource resource);

/* The table has it at half its time, beside none. */
bool verdict_halves(enum resource resource);

/* Without the resource the steps would be a tenth shorter or more. */
bool verdict_worth(const struct verdict *verdict, enum resource resource);

/* "host-bound: ...", and the proof in a second sentence. `ranks`: how many the verdict is of. In the arena. */
str verdict_say(const struct verdict *verdict, uint32_t ranks, struct arena *arena);

/* Values and the table `experiments`: section "verdict". */
void verdict_show(const struct verdict *verdict, uint32_t ranks, struct report *report);

#endif

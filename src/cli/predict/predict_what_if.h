/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The what-if side of `steptime predict`: a question put to every step of every
 * rank, by the walk and, where the steps were recorded, by exact replay.
 */
#ifndef CLI_PREDICT_WHAT_IF_H
#define CLI_PREDICT_WHAT_IF_H

#include "asked.h"
#include "graph/graph.h"
#include "predict/question/replay.h"
#include "predict/answer/predict.h"
#include "trace/select.h"

/* One rank: its steps, and the trace that they are of (NULL: an execution trace). */
struct what_if_input {
    const struct predict_source *source;
    const struct trace *trace;
    const struct work_classes *classes;
    struct programs *programs;
    /* Made when first replayed. */
    struct graph *graph;
    struct step_range range;        /* the steps that `summary` judges */
    const int64_t *kept_ns;         /* by node: what no faster host shortens */
    double explained;               /* of the recorded time, by the graph */
    double kept;                    /* share of the training thread's time that kept_ns is */
    const struct split_wait *waits; /* for others, in nodes of the graph; found with those of all */
    uint32_t wait_count;
};

/* Before and after; of the replay, where the question can be replayed. */
struct what_if_answer {
    struct predicted_point before, after;
    struct predicted_point walked;     /* after, by the walk */
    double communication_us;           /* after */
    const struct replayed_step *steps; /* after, by the steps of the range; NULL: walked */
};

struct what_if {
    struct arena *arena;
    const struct selection *selection;
    struct question question;
    struct sweep sweep;
    bool swept;
    struct what_if_input *inputs; /* their sources lie side by side */
    uint32_t count;
    struct predict_asked base;      /* as without the question */
    const struct prediction *as_is; /* by rank, without any question */
    struct predicted_point *before; /* of these */
    struct predicted_point *after;  /* the same with the question of the command line; NULL: none is asked */
    struct what_if_answer *answers; /* of the question on the command line, by rank; NULL: none is asked */
    str device;                     /* as recorded; "" */

    /* Of the current question. */
    const struct question *current;
    struct plan_options plan;
    struct hardware hardware;
    uint64_t *met;
    struct question_told told;
    bool waits_found;               /* of all inputs */
    struct match_doubt waits_doubt; /* then: of which is which */
    bool together;                  /* the ranks were replayed at once */
    struct match_doubt doubt;       /* then: of who met whom */
};

/* Reads question and sweep off the command line. */
bool what_if_read(const struct call *call, struct arena *arena, struct what_if *w, struct steptime_error *err);

/* How steps are predicted with the question: w->base, its hardware and its changes. `w` must live as long. */
bool what_if_asked(struct what_if *w, const struct question *question, struct predict_asked *asked,
                   struct steptime_error *err);

/* After a prediction with it: every name must have fitted something. */
bool what_if_met(const struct what_if *w, struct steptime_error *err);

/* What was walked already, by rank: without the question of the command line and with it (NULL: none is asked). */
void what_if_walked(struct what_if *w, const struct prediction *without, const struct prediction *with);

/* Answers the question of the command line; where it is replayed, that is what the predictions then say. */
bool what_if_answer(struct what_if *w, struct prediction *predictions, struct steptime_error *err);

/* The answers to any question, by rank; who they are of is the slowest. */
bool what_if_ask(struct what_if *w, const struct question *question, struct what_if_answer *answers,
                 struct steptime_error *err);
const struct what_if_answer *what_if_slowest(const struct what_if_answer *answers, uint32_t count);

/* Whether it is answered by replaying the recording, not by the walk. */
bool what_if_can_replay(const struct what_if *w, const struct question *question);

/* Shows that answer and asks the sweep; adds the sections "what_if" and "sweep". */
bool what_if_show(struct what_if *w, struct report *report, struct steptime_error *err);

void what_if_close(struct what_if *w);

#endif

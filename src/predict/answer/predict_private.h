/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a prediction, for the files that make it. */
#ifndef PREDICT_PREDICT_PRIVATE_H
#define PREDICT_PREDICT_PRIVATE_H

#include "predict.h"

/* What operators cost the host in one step alone. */
const struct overheads *overheads_of_step(const struct predict_source *source, uint32_t step, struct arena *arena);

/* Of all steps of a rank together; NULL where nothing was timed: then means built in are taken. */
const struct overheads *overheads_of_steps(const struct predict_source *source, struct arena *arena);

/* The step of one program through plan, change and walk. */
bool predict_step_us(const struct program *program, const struct predict_asked *asked,
                     const struct overheads *overheads, double *step_us, struct steptime_error *err);

/* Adds the times of a step to those of the mean; times by launch and operator have no mean. */
void add_walked(struct walked *sum, const struct walked *walked, double share);

/* Shows a walk to whoever looks. */
static inline void predict_tell(const struct predict_asked *asked, const struct predict_seen *seen)
{
    if (asked->seen)
        asked->seen(asked->seen_context, seen);
}

enum job_kind {
    JOB_NONE,          /* one rank, or nothing recorded at which ranks meet */
    JOB_LONE_STEP,     /* ranks that meet in one step: it does not tell how far apart they began it */
    JOB_MISSING_RANKS, /* of every group that meets */
    JOB_OTHER_STEPS,   /* ranks that meet, but their steps are not the same */
    JOB_SAME_STEPS,
};
enum job_kind predict_job_kind(const struct predict_source *sources, uint32_t ranks);

/*
 * The ranks of a job with the same steps at once, in place of what `predictions` holds of each alone. False with
 * *err where their collectives do not match: then nothing is changed.
 */
bool predict_together(const struct predict_source *sources, uint32_t ranks, const struct predict_asked *asked,
                      struct prediction *predictions, struct steptime_error *err);

/* Between which times a step lies, and what its device work may be off: walks the plan at the ends of its doubt. */
bool range_step(const struct predict_asked *asked, const struct overheads *overheads, struct plan *plan,
                struct predicted_step *step, struct prediction *into, struct steptime_error *err);

/* Widens the range by `error`. */
void predict_range_tested(struct prediction *prediction);

/* The same of the mean step, once all steps are there and tested. */
void range_prediction(const struct predict_asked *asked, struct prediction *into);

/* What most of an interval beyond a fifth either way comes from. */
enum range_width { RANGE_NARROW, RANGE_WIDE_BY_ESTIMATES, RANGE_WIDE_BY_STEPS };

enum range_width range_width_of(const struct prediction *prediction);

/* Whether each step can be predicted from the one beside it: they are recorded, and nothing is asked. */
bool can_test_steps(const struct predict_source *source, const struct predict_asked *asked);

/* With the program of step i: fills from_beside_us of the step that it tells of. */
bool test_from_step(const struct predict_source *source, uint32_t i, const struct program *program,
                    const struct predict_asked *asked, struct predicted_step *steps, struct steptime_error *err);

/* Of all steps: error, bias and tests. */
void sum_tests(const struct predicted_step *steps, uint32_t count, struct prediction *into);

/* The operators without which a step would be the most shorter: asked of the program of the step in the middle. */
bool find_top(const struct program *program, const struct predict_asked *asked, const struct overheads *overheads,
              struct arena *arena, struct prediction *into, struct steptime_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* How long a step takes, and nothing else of it: once more with something changed, or for somebody who looks. */
#ifndef PREDICT_PRICE_ALONE_H
#define PREDICT_PRICE_ALONE_H

#include "predict/answer/predict.h"

/* As in predict_asked; what is NULL is nothing. */
struct alone {
    const struct hardware *hardware; /* NULL: that of what is asked */
    bool (*change)(const void *context, struct plan *plan, struct arena *arena, struct steptime_error *err);
    const void *context;
    void (*seen)(void *context, const struct predict_seen *seen);
    void *seen_context;
};

struct alone_step {
    double step_us, active_us;
};

/* Without interval and joules, whatever else is asked. False with *err, and a step that takes no time. */
bool step_alone(const struct predict_source *source, const struct predict_asked *asked, const struct alone *alone,
                struct alone_step *step, struct steptime_error *err);

#endif

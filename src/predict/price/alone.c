/* SPDX-License-Identifier: Apache-2.0 */
#include "alone.h"

bool step_alone(const struct predict_source *source, const struct predict_asked *asked, const struct alone *alone,
                struct alone_step *step, struct steptime_error *err)
{
    struct arena scratch = {0};
    struct prediction of = {0};
    struct predict_asked with = *asked;
    if (alone->hardware)
        with.plan.hardware = alone->hardware;
    with.change = alone->change;
    with.context = alone->context;
    with.seen = alone->seen;
    with.seen_context = alone->seen_context;
    with.only_steps = true;
    with.level = 0;
    with.energy = false;
    const bool good = predict(source, &with, &scratch, &of, err);
    *step = good ? (struct alone_step){of.walked.step_us, of.walked.active_us} : (struct alone_step){0};
    arena_free(&scratch);
    return good;
}

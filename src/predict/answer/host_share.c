/* SPDX-License-Identifier: Apache-2.0 */
#include "host_share.h"

#include "predict_private.h"

enum { HALVINGS = 24 };

/* The program as it was recorded, whatever is asked. */
static struct predict_asked as_recorded(const struct predict_asked *asked)
{
    struct predict_asked replay = *asked;
    replay.plan.replay = replay.plan.with_profiler = true;
    replay.plan.hardware = NULL;
    replay.plan.units = NULL;
    replay.change = NULL;
    replay.seen = NULL;
    return replay;
}

static bool step_us_with(const struct program *program, struct predict_asked *replay, const struct overheads *overheads,
                         double share, double *us, struct steptime_error *err)
{
    replay->plan.host_share = share;
    return predict_step_us(program, replay, overheads, us, err);
}

static bool find_share(const struct program *program, const struct predict_asked *asked,
                       const struct overheads *overheads, double slowed, double *share, struct steptime_error *err)
{
    struct predict_asked replay = as_recorded(asked);
    double whole_us, us, low = 0, high = 1;
    if (!step_us_with(program, &replay, overheads, 1, &whole_us, err))
        return false;
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = (low + high) / 2;
        if (!step_us_with(program, &replay, overheads, middle, &us, err))
            return false;
        if (us > whole_us / slowed)
            high = middle;
        else
            low = middle;
    }
    *share = low > 0 ? low : 1 / slowed;
    return true;
}

bool host_share_of(const struct predict_source *source, const struct predict_asked *asked,
                   const struct overheads *overheads, double *share, struct steptime_error *err)
{
    struct arena scratch = {0};
    *share = 0;
    if (!source->timed || !source->count || !(source->slowed > 1))
        return true;
    const struct program program = predict_source_step(source, source->count / 2, &scratch);
    const bool good = find_share(&program, asked, overheads, source->slowed, share, err);
    arena_free(&scratch);
    return good;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "host_share.h"

#include "predict_private.h"
#include "time/share.h"

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

struct replaying {
    const struct program *program;
    struct predict_asked asked;
    const struct overheads *overheads;
    struct steptime_error *err;
};

static bool step_us_with(void *context, double share, double *us)
{
    struct replaying *const replaying = context;
    replaying->asked.plan.host_share = share;
    return predict_step_us(replaying->program, &replaying->asked, replaying->overheads, us, replaying->err);
}

static bool find_share(const struct program *program, const struct predict_asked *asked,
                       const struct overheads *overheads, double slowed, double *share, struct steptime_error *err)
{
    struct replaying replaying = {program, as_recorded(asked), overheads, err};
    double whole_us;
    if (!step_us_with(&replaying, 1, &whole_us) || !share_for(step_us_with, &replaying, whole_us / slowed, share))
        return false;
    if (!(*share > 0))
        *share = 1 / slowed;
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

/* SPDX-License-Identifier: Apache-2.0 */
/* Says what waits for itself in a circle. */
#include "base/error.h"
#include "walk_private.h"

static str op_name(const struct plan *plan, uint32_t launch)
{
    const uint32_t op = plan->ops[plan->launches[launch].op].op;
    return op == OP_NONE ? S("no operator") : plan->program->ops[op].name;
}

/* The first launch that its stream cannot begin; PLAN_NONE. */
static uint32_t stuck_launch(const struct rank *rank)
{
    for (uint32_t s = 0; s < rank->plan->streams; s++)
        if (rank->streams[s].head != PLAN_NONE)
            return rank->streams[s].head;
    return PLAN_NONE;
}

/* What a stuck launch waits for on its own rank; PLAN_NONE: for another rank. */
static uint32_t awaited_launch(const struct rank *rank, uint32_t launch)
{
    const struct plan_launch *work = &rank->plan->launches[launch];
    for (uint32_t i = 0; i < work->waits; i++)
        if (!known(rank->launch_end[rank->plan->waits[work->first_wait + i]]))
            return rank->plan->waits[work->first_wait + i];
    return PLAN_NONE;
}

static bool circle_alone(const struct rank *rank, uint32_t launch, struct steptime_error *err)
{
    const uint32_t other = awaited_launch(rank, launch);
    const str name = op_name(rank->plan, launch), awaited = other == PLAN_NONE ? S("") : op_name(rank->plan, other);
    return fail(err, STEPTIME_INPUT,
                "work waits in a circle: launch %u (%.*s) for launch %u (%.*s), which waits for it", launch,
                (int)name.len, name.at, other, (int)awaited.len, awaited.at);
}

static bool circle_of_ranks(const struct walking *walking, const struct rank *rank, struct steptime_error *err)
{
    struct arena scratch = {0};
    const uint32_t r = (uint32_t)(rank - walking->ranks);
    str mine = meetings_name(walking->meetings, r, stuck_launch(rank), &scratch), theirs = S("nothing");
    int64_t other = -1;
    for (uint32_t i = 0; i < walking->count; i++)
        if (i != r && !walk_done(&walking->ranks[i]) && stuck_launch(&walking->ranks[i]) != PLAN_NONE) {
            theirs = meetings_name(walking->meetings, i, stuck_launch(&walking->ranks[i]), &scratch);
            other = walking->ranks[i].plan->program->rank;
        }
    fail(err, STEPTIME_INPUT, "ranks wait in a circle: rank %lld in %.*s, rank %lld in %.*s",
         (long long)rank->plan->program->rank, (int)mine.len, mine.at, (long long)other, (int)theirs.len, theirs.at);
    arena_free(&scratch);
    return false;
}

bool walk_no_circle(const struct walking *walking, struct steptime_error *err)
{
    for (uint32_t r = 0; r < walking->count; r++) {
        const struct rank *rank = &walking->ranks[r];
        if (walk_done(rank))
            continue;
        const uint32_t stuck = stuck_launch(rank);
        const bool alone = !walking->meetings || stuck == PLAN_NONE || awaited_launch(rank, stuck) != PLAN_NONE;
        return alone ? circle_alone(rank, stuck, err) : circle_of_ranks(walking, rank, err);
    }
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The nets of all ranks, run step after step until the time between two is steady. */
#include "walk.h"

#include <math.h>

#include "base/error.h"
#include "meetings.h"
#include "walk_private.h"

/* ---- who meets whom ---- */

/* The members of all meetings side by side, and which of them are whose. */
static void deal_members(const struct walking *w, struct member *members, struct meeting *meetings)
{
    const uint32_t count = meetings_count(w->meetings);
    for (int fill = 0; fill < 2; fill++) {
        uint32_t first = 0;
        for (uint32_t i = 0; fill && i < count; i++) {
            meetings[i].first = first;
            first += meetings[i].count;
            meetings[i].count = 0;
        }
        for (uint32_t r = 0; r < w->count; r++)
            for (uint32_t launch = 0; launch < w->ranks[r].plan->launch_count; launch++) {
                const uint32_t id = meetings_of(w->meetings, r, launch), node = w->ranks[r].work_of[launch];
                if (id == MEETS_NOBODY || node == NODE_NONE)
                    continue;
                if (fill)
                    members[meetings[id].first + meetings[id].count] = (struct member){r, node};
                meetings[id].count++;
            }
    }
}

static bool open_meetings(struct walking *w, const struct plan *const *plans, struct arena *scratch,
                          struct steptime_error *err)
{
    size_t launches = 0;
    if (w->count < 2)
        return true;
    if (!meetings_open(plans, w->count, scratch, &w->meetings, err))
        return false;
    for (uint32_t r = 0; r < w->count; r++)
        launches += plans[r]->launch_count;
    struct member *members = arena_array(scratch, launches, sizeof *members);
    struct meeting *meetings = arena_array(scratch, meetings_count(w->meetings), sizeof *meetings);
    deal_members(w, members, meetings);
    w->job.members = members;
    w->job.meetings = meetings;
    w->job.meeting_count = meetings_count(w->meetings);
    return true;
}

/* ---- what is wrong ---- */

static str name_of(const struct walking *w, uint32_t rank, uint32_t node, struct arena *scratch)
{
    for (uint32_t launch = 0; launch < w->ranks[rank].plan->launch_count; launch++)
        if (w->ranks[rank].work_of[launch] == node)
            return meetings_name(w->meetings, rank, launch, scratch);
    return S("nothing");
}

static bool fail_circle(const struct walking *w, const uint32_t *stuck, struct steptime_error *err)
{
    struct arena scratch = {0};
    uint32_t of[2] = {0, 0}, found = 0;
    for (uint32_t r = 0; r < w->count && found < 2; r++)
        if (stuck[r] != NODE_NONE)
            of[found++] = r;
    const str mine = name_of(w, of[0], stuck[of[0]], &scratch), theirs = name_of(w, of[1], stuck[of[1]], &scratch);
    fail(err, STEPTIME_INPUT, "ranks wait in a circle: rank %lld in %.*s, rank %lld in %.*s",
         (long long)w->ranks[of[0]].plan->program->rank, (int)mine.len, mine.at,
         (long long)w->ranks[of[1]].plan->program->rank, (int)theirs.len, theirs.at);
    arena_free(&scratch);
    return false;
}

/* ---- steps ---- */

/* Of the step to come: when it begins. Its ticks are since the end of the one before. */
static void begin_step(struct walking *w, uint32_t pass)
{
    for (uint32_t r = 0; r < w->count && pass; r++) {
        const struct schedule *before = &w->schedules[r];
        w->steps[r] = (struct walk_step){before->end[w->ranks[r].tail], -before->span, w->steps[r].ticks};
    }
}

static bool walk_step(struct walking *w, uint32_t pass, struct arena *scratch, struct steptime_error *err)
{
    uint32_t *stuck = arena_array(scratch, w->count, sizeof *stuck);
    begin_step(w, pass);
    if (!job_run(&w->job, pass, scratch, w->schedules, stuck))
        return fail_circle(w, stuck, err);
    for (uint32_t r = 0; r < w->count; r++) {
        if (w->schedules[r].span == INT64_MAX)
            return fail(err, STEPTIME_USAGE, "the step would take longer than a hundred days, which is not told");
        w->steps[r].ticks += w->schedules[r].span;
    }
    return true;
}

/* Every rank took as long as in the step before. */
static bool steady(const struct walking *w)
{
    for (uint32_t r = 0; r < w->count; r++) {
        const struct walk_step *step = &w->steps[r];
        if (fabs((double)(step->ticks - step->before)) > 1e-6 * (double)step->ticks)
            return false;
    }
    return true;
}

/* Walks until the step is steady: that one is told of. */
static bool walk_steps(struct walking *w, struct arena *scratch, struct steptime_error *err)
{
    const uint32_t most = w->ranks[0].plan->repeats ? WALK_REPEATS_MOST : 1;
    w->schedules = arena_array(scratch, w->count, sizeof *w->schedules);
    w->steps = arena_array(scratch, w->count, sizeof *w->steps);
    w->job.let_go = job_room(&w->job, most, scratch);
    for (uint32_t pass = 0; pass < most; pass++) {
        if (!walk_step(w, pass, scratch, err))
            return false;
        if (steady(w))
            break;
    }
    return true;
}

static struct walking open_walking(const struct plan *const *plans, uint32_t ranks, struct arena *scratch)
{
    struct walking w = {.ranks = arena_array(scratch, ranks, sizeof *w.ranks), .count = ranks};
    struct net *nets = arena_array(scratch, ranks, sizeof *nets);
    for (uint32_t r = 0; r < ranks; r++) {
        w.ranks[r] = walk_net_of(plans[r], scratch);
        nets[r] = w.ranks[r].net;
    }
    w.job = (struct job){.nets = nets, .count = ranks};
    return w;
}

bool walk_ranks(const struct plan *const *plans, uint32_t ranks, struct arena *arena, struct walked *walked,
                struct steptime_error *err)
{
    struct arena scratch = {0};
    struct walking w = open_walking(plans, ranks, &scratch);
    const bool good = open_meetings(&w, plans, &scratch, err) && walk_steps(&w, &scratch, err);
    for (uint32_t r = 0; good && r < ranks; r++)
        walk_sum(&w, r, arena, &walked[r]);
    arena_free(&scratch);
    return good;
}

bool walk(const struct plan *plan, struct arena *arena, struct walked *walked, struct steptime_error *err)
{
    return walk_ranks(&plan, 1, arena, walked, err);
}

bool walk_step_us(const struct plan *plan, double *step_us, struct steptime_error *err)
{
    struct arena scratch = {0};
    struct walking w = open_walking(&plan, 1, &scratch);
    const bool good = walk_steps(&w, &scratch, err);
    *step_us = good ? walk_us(w.steps[0].ticks) : 0;
    arena_free(&scratch);
    return good;
}

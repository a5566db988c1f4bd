/* SPDX-License-Identifier: Apache-2.0 */
#include "course_fit.h"

#include <string.h>

enum { FAR = UINT32_MAX / 4 };

struct fitting {
    const struct course *course;
    const bool *seen;
    const struct course_run *run;
    uint32_t steps;
    uint32_t *before;        /* by call and step: the least that it costs to come there before the call */
    uint32_t *behind, *next; /* by step: the least that the rest costs, before a call and before the next one */
    bool *is_silent;         /* by step that enters a loop in brackets: no call in it is ever seen */
    uint32_t best;
};

/* ---- steps ---- */

static bool is_seen(const struct fitting *f, const struct course_step *step)
{
    return step->name != COURSE_NO_NAME && f->seen[step->name];
}

/* A call that is never seen costs nothing. */
static uint32_t cost_of_leaving_out(const struct fitting *f, const struct course_step *step)
{
    return step->op == COURSE_CALL && is_seen(f, step);
}

static bool takes(const struct fitting *f, const struct course_step *step, uint32_t event)
{
    if (step->op != COURSE_CALL)
        return false;
    return event == EVENT_ANY ? !is_seen(f, step) : step->name == event;
}

static bool lower(uint32_t *at, uint32_t cost)
{
    if (cost >= *at)
        return false;
    *at = cost;
    return true;
}

/* Steps without a call of the run, forwards; loops lead back, so until nothing changes. */
static void close_forward(const struct fitting *f, uint32_t *costs)
{
    for (bool changes = true; changes;) {
        changes = false;
        for (uint32_t i = 0; i + 1 < f->steps; i++) {
            const struct course_step *const step = &f->course->steps[i];
            if (costs[i] >= FAR)
                continue;
            if (step->op != COURSE_JUMP)
                lower(&costs[i + 1], costs[i] + cost_of_leaving_out(f, step));
            if (step->op == COURSE_SPLIT || step->op == COURSE_JUMP)
                changes |= lower(&costs[step->to], costs[i]) && step->to <= i;
        }
    }
}

static void close_backward(const struct fitting *f, uint32_t *costs)
{
    for (bool changes = true; changes;) {
        changes = false;
        for (uint32_t i = f->steps - 1; i-- > 0;) {
            const struct course_step *const step = &f->course->steps[i];
            bool lower_here = false;
            if (step->op != COURSE_JUMP)
                lower_here |= lower(&costs[i], costs[i + 1] + cost_of_leaving_out(f, step));
            if (step->op == COURSE_SPLIT || step->op == COURSE_JUMP)
                lower_here |= lower(&costs[i], costs[step->to]);
            changes |= lower_here;
        }
    }
}

/* ---- forwards ---- */

static void take_forward(const struct fitting *f, uint32_t event, const uint32_t *from, uint32_t *to)
{
    for (uint32_t i = 0; i < f->steps; i++)
        to[i] = from[i] + 1;
    for (uint32_t i = 0; i + 1 < f->steps; i++)
        if (takes(f, &f->course->steps[i], event))
            lower(&to[i + 1], from[i]);
    close_forward(f, to);
}

static void go_forward(struct fitting *f)
{
    for (uint32_t i = 0; i < f->steps; i++)
        f->before[i] = i && !f->run->is_begun ? (uint32_t)FAR : 0;
    close_forward(f, f->before);
    for (uint32_t k = 0; k < f->run->count; k++)
        take_forward(f, f->run->events[k], f->before + (size_t)k * f->steps, f->before + (size_t)(k + 1) * f->steps);
}

/* ---- backwards, telling ---- */

static uint32_t either(uint32_t known, uint32_t none, uint32_t more)
{
    return known == none || known == more ? more : (uint32_t)LOOP_UNSURE;
}

static void tell_call(const struct fitting *f, uint32_t k, struct course_fit *fit)
{
    const uint32_t *const before = f->before + (size_t)k * f->steps;
    fit->loops[k] = LOOP_NONE;
    for (uint32_t i = 0; i + 1 < f->steps; i++)
        if (takes(f, &f->course->steps[i], f->run->events[k]) && before[i] + f->next[i + 1] == f->best)
            fit->loops[k] = either(fit->loops[k], LOOP_NONE, f->course->steps[i].loop);
}

static void tell_gap(const struct fitting *f, uint32_t k, struct course_fit *fit)
{
    const uint32_t *const before = f->before + (size_t)k * f->steps;
    struct course_gap *const gap = &fit->gaps[k];
    for (uint32_t i = 0; i + 1 < f->steps; i++) {
        const struct course_step *const step = &f->course->steps[i];
        if (step->op == COURSE_ENTER && f->is_silent[i] && before[i] + f->behind[i] == f->best)
            gap->loop = either(gap->loop, 0, step->node);
        if (step->op != COURSE_CALL || before[i] + cost_of_leaving_out(f, step) + f->behind[i + 1] != f->best)
            continue;
        if (step->loop)
            gap->unclean = either(gap->unclean, 0, step->loop);
        else
            gap->is_unclean = true;
    }
}

static void take_backward(struct fitting *f, uint32_t event)
{
    for (uint32_t i = 0; i < f->steps; i++)
        f->behind[i] = f->next[i] + 1;
    for (uint32_t i = 0; i + 1 < f->steps; i++)
        if (takes(f, &f->course->steps[i], event))
            lower(&f->behind[i], f->next[i + 1]);
    close_backward(f, f->behind);
}

static void go_backward(struct fitting *f, struct course_fit *fit)
{
    const uint32_t *const last = f->before + (size_t)f->run->count * f->steps;
    f->best = FAR;
    for (uint32_t i = 0; i < f->steps; i++) {
        f->behind[i] = i + 1 < f->steps && !f->run->is_cut ? (uint32_t)FAR : 0;
        lower(&f->best, last[i] + f->behind[i]);
    }
    close_backward(f, f->behind);
    tell_gap(f, f->run->count, fit);
    for (uint32_t k = f->run->count; k-- > 0;) {
        uint32_t *const swapped = f->next;
        f->next = f->behind;
        f->behind = swapped;
        take_backward(f, f->run->events[k]);
        tell_call(f, k, fit);
        tell_gap(f, k, fit);
    }
}

/* ---- loops in brackets that call nothing ---- */

static bool *silent_loops(const struct fitting *f, struct arena *arena)
{
    bool *const silent = arena_array(arena, f->steps, sizeof *silent);
    for (uint32_t i = 0; i < f->steps; i++) {
        if (f->course->steps[i].op != COURSE_ENTER)
            continue;
        silent[i] = true;
        const uint32_t node = f->course->steps[i].node;
        for (uint32_t k = i + 1; f->course->steps[k].op != COURSE_LEAVE || f->course->steps[k].node != node; k++)
            silent[i] &= f->course->steps[k].op != COURSE_CALL || !is_seen(f, &f->course->steps[k]);
    }
    return silent;
}

/* ---- whole ---- */

struct course_fit course_fit(const struct course *course, const bool *seen, const struct course_run *run,
                             struct arena *arena)
{
    struct course_fit fit = {0};
    if (!course->is_whole || ((uint64_t)run->count + 1) * course->count > FIT_MOST)
        return fit;
    struct arena scratch = {0};
    struct fitting f = {.course = course, .seen = seen, .run = run, .steps = course->count};
    f.before = arena_room(&scratch, ((size_t)run->count + 1) * f.steps, sizeof *f.before);
    f.behind = arena_room(&scratch, f.steps, sizeof *f.behind);
    f.next = arena_room(&scratch, f.steps, sizeof *f.next);
    f.is_silent = silent_loops(&f, &scratch);
    fit.loops = arena_array(arena, run->count, sizeof *fit.loops);
    fit.gaps = arena_array(arena, (size_t)run->count + 1, sizeof *fit.gaps);
    go_forward(&f);
    go_backward(&f, &fit);
    fit.cost = f.best;
    fit.fits = f.best <= 2 + run->count / 6;
    arena_free(&scratch);
    return fit;
}

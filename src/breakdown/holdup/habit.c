/* SPDX-License-Identifier: Apache-2.0 */
#include "habit.h"

static const char *const ids[HABITS] = {
    [HABIT_EACH] = "each", [HABIT_WARM_UP] = "warm_up", [HABIT_PERIODIC] = "periodic",
    [HABIT_ONCE] = "once", [HABIT_SOME] = "some",       [HABIT_UNKNOWN] = "unknown",
};

const char *habit_id(enum habit habit)
{
    return ids[habit];
}

/* The steps that have it, as they come: distances between one and the next are equal or not. */
struct seen {
    uint32_t first, last, count, apart; /* indices into trace->steps */
    bool even;
};

static void see(struct seen *seen, uint32_t step)
{
    if (seen->count && step == seen->last)
        return;
    const uint32_t apart = seen->count ? step - seen->last : 0;
    if (!seen->count)
        seen->first = step;
    else if (seen->count == 1)
        seen->apart = apart;
    else
        seen->even &= apart == seen->apart;
    seen->last = step;
    seen->count++;
}

/* Nodes are numbered by start, so steps come in order; one that began before the first step counts to it. */
static struct seen look(const struct lab *lab, const struct stretches *stretches, uint32_t group,
                        struct step_range range)
{
    const struct trace *trace = lab->graph->trace;
    struct seen seen = {.even = true};
    uint32_t step = range.first;
    for (size_t i = 0; i < stretches->count; i++) {
        if (stretches->at[i].group != group)
            continue;
        const int64_t start = lab->graph->net.start[stretches->at[i].node];
        while (step + 1 < range.first + range.count && trace->steps[step + 1].start_ns <= start)
            step++;
        see(&seen, step);
    }
    return seen;
}

void habit_find(const struct lab *lab, const struct stretches *stretches, uint32_t group, struct step_range range,
                struct holdup *holdup)
{
    const struct seen seen = look(lab, stretches, group, range);
    holdup->steps = seen.count;
    holdup->every = 0;
    if (lab->graph->trace->step_source == STEPS_NONE)
        holdup->habit = HABIT_UNKNOWN;
    else if (seen.count == range.count || (range.count > 2 && seen.count + 1 == range.count))
        holdup->habit = HABIT_EACH;
    else if (seen.count <= 2 && seen.last <= 1 && range.first == 0)
        holdup->habit = HABIT_WARM_UP;
    else if (seen.count > 1 && seen.even && seen.apart > 1) {
        holdup->habit = HABIT_PERIODIC;
        holdup->every = seen.apart;
    } else
        holdup->habit = seen.count <= 2 ? HABIT_ONCE : HABIT_SOME;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "habit.h"

static const char *const ids[HABITS] = {
    [HABIT_EACH] = "each", [HABIT_WARM_UP] = "warm_up", [HABIT_PERIODIC] = "periodic", [HABIT_ONCE] = "once",
    [HABIT_SOME] = "some", [HABIT_UNKNOWN] = "unknown", [HABIT_ONE] = "one_step",
};

const char *habit_id(enum habit habit)
{
    return ids[habit];
}

void habit_find(const struct trace *trace, const struct seen *seen, struct step_range range, struct holdup *holdup)
{
    holdup->steps = seen->count;
    holdup->every = 0;
    if (trace->step_source == STEPS_NONE)
        holdup->habit = HABIT_UNKNOWN;
    else if (range.count == 1)
        holdup->habit = HABIT_ONE;
    else if (seen->count == range.count || (range.count > 2 && seen->count + 1 == range.count))
        holdup->habit = HABIT_EACH;
    else if (seen->count <= 2 && seen->last <= 1 && range.first == 0)
        holdup->habit = HABIT_WARM_UP;
    else if (seen->count > 2 && !seen->uneven && seen->apart > 1) { /* two alone have no period */
        holdup->habit = HABIT_PERIODIC;
        holdup->every = seen->apart;
    } else
        holdup->habit = seen->count <= 2 ? HABIT_ONCE : HABIT_SOME;
}

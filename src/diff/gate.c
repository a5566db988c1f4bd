/* SPDX-License-Identifier: Apache-2.0 */
#include "gate.h"

#include <math.h>

const char *gate_id(enum gate gate)
{
    static const char *const ids[] = {
        [GATE_HOLDS] = "holds", [GATE_FAILS] = "fails", [GATE_CANNOT_TELL] = "cannot_tell"};
    return ids[gate];
}

static bool is_apart(const struct diff *diff)
{
    return diff->before->cut || diff->after->cut || diff->answer == DIFF_APART;
}

/* It differs, and whether that is a change is open: of one that is quicker it does not matter. */
static bool is_open(const struct diff *diff)
{
    return (diff->answer == DIFF_UNPROVEN && diff->share > 0) || diff->answer == DIFF_UNTESTED;
}

enum gate gate_of(const struct diff *diff, double share)
{
    if (is_apart(diff) || is_open(diff))
        return GATE_CANNOT_TELL;
    if (diff->answer == DIFF_PROVEN)
        return diff->share > share ? GATE_FAILS : GATE_HOLDS;
    return diff->shows_share <= share ? GATE_HOLDS : GATE_CANNOT_TELL;
}

/* What would let it tell: of a difference that is open to prove that one, else to show what the gate asks for. */
static str remedy(const struct diff *diff, double share, struct arena *arena)
{
    const uint32_t steps = diff_steps_for(diff, is_open(diff) ? fmax(share, fabs(diff->share)) : share);
    const uint32_t fewest = diff->before->count < diff->after->count ? diff->before->count : diff->after->count;
    if (isnan(diff->spread.error))
        return S("Record twelve steps a side or more.");
    if (!steps)
        return S("Steps differ by too much for it: record where nothing else runs, or let the gate be higher.");
    return steps > fewest
               ? str_printf(arena, "Record at least %u steps a side.", steps)
               : S("Steps of one side do not stay alike: record more of them, later, or where nothing else runs.");
}

static str cannot_tell_words(const struct diff *diff, double share, struct arena *arena)
{
    if (diff->before->cut || diff->after->cut)
        return S("The gate cannot tell: a file breaks off.");
    if (diff->answer == DIFF_APART)
        return S("The gate cannot tell: one side marks no steps.");
    const str what = remedy(diff, share, arena);
    if (isnan(diff->p_mean))
        return str_printf(arena, "The gate cannot tell: of fewer than four steps a side nothing can be proven. %.*s",
                          (int)what.len, what.at);
    if (is_open(diff))
        return str_printf(arena, "The gate cannot tell: the step is longer, and that is not proven. %.*s",
                          (int)what.len, what.at);
    return str_printf(arena, "The gate cannot tell: of these steps only %.*f %% or more would show, not %g %%. %.*s",
                      diff->shows_share < 0.1, 100 * diff->shows_share, 100 * share, (int)what.len, what.at);
}

str gate_words(const struct diff *diff, double share, struct arena *arena)
{
    switch (gate_of(diff, share)) {
    case GATE_FAILS:
        return str_printf(arena, "The gate fails: the step is more than %g %% slower.", 100 * share);
    case GATE_HOLDS:
        return str_printf(arena, "The gate holds: no step that is proven to be more than %g %% slower.", 100 * share);
    default:
        return cannot_tell_words(diff, share, arena);
    }
}

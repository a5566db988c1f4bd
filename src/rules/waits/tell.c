/* SPDX-License-Identifier: Apache-2.0 */
#include "tell.h"

#include "waited.h"

/* A read whose value somebody uses; what a library waits for on its own is one wait more. */
static bool is_wait(const struct match *match)
{
    return str_starts(str_of(match->rule->id), S("ST4")) && !match->not_needed;
}

static bool fill(const struct check *check, uint32_t node, struct match *match, str message)
{
    match->builtin = ask_tail(check, node);
    match->message = message;
    const char *anyway = is_wait(match) ? waited_anyway(check, node) : NULL;
    if (anyway)
        match_break(match, LINK_GAIN, anyway, check_site(check, node));
    return level_at(check, node, GPU_SURE, match);
}

bool tell(const struct check *check, uint32_t node, struct match *match, str message)
{
    return ask_matters(check, node) && fill(check, node, match, message);
}

bool tell_of_run(const struct check *check, uint32_t node, struct match *match, str message)
{
    match->builtin = ask_tail(check, node);
    match->message = message;
    return level_of_run(check, node, match);
}

bool tell_each_epoch(const struct check *check, uint32_t node, struct match *match, str message)
{
    return context_of(check->project, check_site(check, node)).pace != PACE_ONCE && fill(check, node, match, message);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tell.h"

static bool fill(const struct check *check, uint32_t node, struct match *match, str message)
{
    match->builtin = ask_tail(check, node);
    match->message = message;
    return level_at(check, node, GPU_SURE, match);
}

bool tell(const struct check *check, uint32_t node, struct match *match, str message)
{
    return ask_matters(check, node) && fill(check, node, match, message);
}

bool tell_each_epoch(const struct check *check, uint32_t node, struct match *match, str message)
{
    return context_of(check->project, check_site(check, node)).pace != PACE_ONCE && fill(check, node, match, message);
}

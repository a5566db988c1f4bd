/* SPDX-License-Identifier: Apache-2.0 */
#include "idle_copy.h"

#include "base/map.h"
#include "drain.h"
#include "rules/uploads/upload.h"

static bool is_whole_copy(const struct match *match, const char *rules)
{
    return match->upload && str_is_among(rules, str_of(match->rule->id)) && match->level != LEVEL_NOTE &&
           !match->broken[LINK_DEVICE].why && !match->broken[LINK_PACE].why && !match->broken[LINK_GAIN].why;
}

bool idle_copy_is(const struct match *match)
{
    return is_whole_copy(match, "ST602");
}

/* ---- what was waited for before ---- */

struct copies {
    const struct check *check;
    struct match *matches;
    struct map at_upload; /* calls that copy; to their match */
    struct drains *drains;
};

/* The match that tells of the wait, where that is a copy; NULL. */
static const struct match *copy_at(const struct copies *copies, struct site wait)
{
    const uint32_t i = wait.file == copies->check->file ? map_get(&copies->at_upload, wait.node) : MAP_NONE;
    return i == MAP_NONE ? NULL : &copies->matches[i];
}

/* A copy just before is made with it: what is said of that one holds of this one. */
static void break_behind(struct copies *copies, uint32_t i)
{
    static const char *const emptied =
        "this wait has emptied the device, and next to nothing was launched since: the copy has no queue to wait for, and "
        "pays once that wait is gone";
    const struct drain drain = drain_before_round(copies->drains, i);
    struct match *match = &copies->matches[i];
    if (!drain.is)
        return;
    const struct match *copy = copy_at(copies, drain.wait);
    if (!copy)
        match_break_by_order(match, emptied, drain.wait);
    else if (copy != match && copy->broken[LINK_GAIN].why == emptied)
        match_break_by_order(match, emptied, copy->broken[LINK_GAIN].at);
}

void idle_copy_break(const struct check *check, struct match *matches, uint32_t count)
{
    struct copies copies = {.check = check, .matches = matches};
    for (uint32_t i = 0; i < count; i++)
        if (matches[i].upload)
            map_put(&copies.at_upload, matches[i].upload, i);
    for (uint32_t i = 0; i < count; i++) {
        if (!is_whole_copy(&matches[i], "ST502 ST602"))
            continue;
        if (!copies.drains)
            copies.drains = drains_new(check, matches, count);
        break_behind(&copies, i);
    }
    if (copies.drains)
        drains_free(copies.drains);
    map_free(&copies.at_upload);
}

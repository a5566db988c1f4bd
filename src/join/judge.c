/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace is the judge. What it shows to copy or wait at its call in the steps is a warning, where the device or the
 * pace was all that was missing. What ran without a copy or a wait below its function is a note.
 */
#include "evidence/place.h"
#include "private.h"

static int64_t key_of(struct located at)
{
    return (int64_t)((uint64_t)at.file << 32 | at.node);
}

static void mark_moving(struct join *join, const struct move *move)
{
    struct place place = place_of(join->evidence.stacks, move_row(move));
    if (!place_known(&place)) {
        join->unplaced = true;
        return;
    }
    do {
        const struct located at = locate(join->locator, &place.function);
        if (at.file != LOCATED_NONE)
            map_put(&join->moving, key_of(at), 1);
    } while (place_outward(join->evidence.stacks, &place));
}

/* Whether copies or waits of the call are what the rule is about. */
static bool is_of_moves(const struct match *match)
{
    const unsigned shows = showing_of(match->rule).shows;
    return shows & (SHOWS_READ | SHOWS_UPLOAD | SHOWS_SYNC) && match->node && !match->of_run;
}

static bool ran_without(const struct join *join, const struct match *match)
{
    const struct located at = {match->file, locate_node(join->lint->files[match->file].tree, match->node)};
    return !join->unplaced && locate_ran(join->locator, at) && map_get(&join->moving, key_of(at)) == MAP_NONE;
}

/* In at least every second step. */
static bool is_seen_in_steps(const struct join *join, uint32_t i)
{
    return join->tiers[i] == TIER_CONFIRMED &&
           (join->sightings[i].move_count * 2 >= join->evidence.steps || join_seen_in_steps(join, i));
}

static void judge(struct join *join, uint32_t i)
{
    struct lint_finding *finding = &join->lint->findings[i];
    const struct match *match = finding->match;
    if (!match || !is_of_moves(match))
        return;
    if (is_seen_in_steps(join, i) && !match->broken[LINK_GAIN].why) {
        finding->judged = JUDGED_SEEN;
    } else if (finding->tier == TIER_STATIC && ran_without(join, match)) {
        finding->judged = JUDGED_UNSEEN;
        finding->note = S("The trace ran this function and shows no copy or wait below it: a note.");
    } else if (finding->tier != TIER_STATIC && finding->judged == JUDGED_UNSEEN) {
        finding->judged = JUDGED_NOT; /* another trace shows it */
    }
}

void join_judge(struct join *join)
{
    for (uint32_t i = 0; i < join->evidence.movement.count; i++)
        if (join->evidence.movement.at[i].step != STEP_NONE)
            mark_moving(join, &join->evidence.movement.at[i]);
    for (uint32_t i = 0; i < join->finding_count; i++)
        judge(join, i);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "proven.h"

#include "judge.h"
#include "unnamed.h"

static str why_not(const struct dry_result *dry, struct arena *arena)
{
    if (dry->waits.wrong.len)
        return str_printf(arena, "what a dry run noted of waits is not used: %.*s", (int)dry->waits.wrong.len,
                          dry->waits.wrong.at);
    if (dry->nothing_there)
        return S("the script puts nothing on the device in this run (does an option choose it?)");
    if (dry->waits.steps < 2)
        return S("the script makes one step only: what lies behind the end of a step was not seen");
    return S("");
}

static void tell_evidence(const struct proven *proven, struct lint *lint, struct arena *arena)
{
    const uint32_t notes = proven->verdicts[VERDICT_EMPTIED] + proven->verdicts[VERDICT_FOLLOWED] +
                           proven->verdicts[VERDICT_RARE] + proven->verdicts[VERDICT_WITHOUT];
    if (!proven->is_used) {
        lint->evidence =
            str_printf(arena, "A dry run says nothing of them: %.*s.", (int)proven->why_not.len, proven->why_not.at);
        return;
    }
    lint->evidence = str_printf(
        arena,
        "The evidence is a dry run of %lld steps of '%.*s' as on an %.*s: %u proven, %u that gain nothing or are rare, %u to "
        "which its steps do not come, %u that no rule finds in the source.",
        (long long)proven->steps, (int)proven->command.len, proven->command.at, (int)proven->device.len,
        proven->device.at, proven->verdicts[VERDICT_SEEN], notes, proven->verdicts[VERDICT_UNREACHED],
        proven->from_dry);
    if (proven->verdicts[VERDICT_DOUBTFUL])
        lint->evidence = str_printf(arena, "%.*s To %u more they do not come where a stand-in chose the way.",
                                    (int)lint->evidence.len, lint->evidence.at, proven->verdicts[VERDICT_DOUBTFUL]);
}

static void join(struct lint *lint, const struct dry_result *dry, struct arena *arena, struct proven *proven)
{
    struct judging judging = {.lint = lint, .arena = arena};
    judging.sites = sites_of(lint, &dry->waits, arena);
    doubts_find(lint, judging.sites, dry, &judging.doubts);
    judge_sites(&judging);
    sites_follow(judging.sites);
    proven->rounds = judging.sites->rounds;
    for (uint32_t i = 0; i < lint->finding_count; i++)
        proven->verdicts[judge_finding(&judging, &lint->findings[i])]++;
    proven->from_dry = unnamed_tell(&judging, &proven->untold);
    for (uint32_t i = 0; i < judging.sites->count; i++)
        proven->foreign_waits += judging.sites->at[i].file == SITE_NONE && judging.sites->at[i].count;
    proven->sites = judging.sites;
    doubts_free(&judging.doubts);
    sites_free(judging.sites);
}

void proven_join(struct lint *lint, const struct dry_result *dry, const struct proven_of *of, struct arena *arena,
                 struct proven *proven)
{
    *proven = (struct proven){.lint = lint,
                              .device = of->device,
                              .command = of->command,
                              .steps = dry->steps,
                              .branches = dry->times[DRY_BRANCH],
                              .why_not = why_not(dry, arena)};
    proven->is_used = !proven->why_not.len;
    if (proven->is_used)
        join(lint, dry, arena, proven);
    tell_evidence(proven, lint, arena);
}

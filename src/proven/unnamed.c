/* SPDX-License-Identifier: Apache-2.0 */
#include "unnamed.h"

enum { MOST_TOLD = 200 };

/* The rule whose advice fits; NULL where the host may need what it reads, or it is a package that waits. */
static const char *rule_of(enum dry_wait_kind kind)
{
    static const char *const rules_of[DRY_WAIT_KINDS] = {
        [DRY_ITEM] = "ST401",   [DRY_NUMBER] = "ST401", [DRY_INDEX] = "ST407",      [DRY_PRINT] = "ST403",
        [DRY_TOLIST] = "ST404", [DRY_NUMPY] = "ST404",  [DRY_CPU] = "ST404",        [DRY_SHAPES] = "ST406",
        [DRY_UPLOAD] = "ST602", [DRY_BUILT] = "ST201",  [DRY_HOST_INDEX] = "ST503", [DRY_SYNC] = "ST606"};
    return rules_of[kind];
}

static const char *deed_of(enum dry_wait_kind kind)
{
    static const char *const deeds[DRY_WAIT_KINDS] = {
        [DRY_SHAPES] = "has a result whose size depends on values on the device",
        [DRY_UPLOAD] = "copies to the device, and the host waits",
        [DRY_BUILT] = "builds a device tensor out of values of the host",
        [DRY_HOST_INDEX] = "indexes a device tensor by one of the host, which is copied first",
        [DRY_SYNC] = "waits for the device on purpose"};
    return deeds[kind] ? deeds[kind] : "reads back from the device";
}

static bool costs(const struct judging *judging, const struct wait_site *site)
{
    return site->file != SITE_NONE && !site->rule && !site->via.len &&
           site->busy_rounds * 2 >= judging->sites->rounds && site->followed * 2 < site->count;
}

/* Whether the rule is asked for of this file: any match of it, or no selection, says so; lint keeps what it was asked for. */
static bool is_selected(const struct judging *judging, const struct wait_site *site, const char *id)
{
    for (uint32_t i = 0; rules[i]; i++)
        if (str_eq(str_of(rules[i]->id), str_of(id)))
            return judging->lint->files[site->file].selected >> i & 1;
    return false;
}

static struct lint_finding finding_of(struct judging *judging, uint32_t at, const char *rule)
{
    const struct wait_site *const site = &judging->sites->at[at];
    const str often = judge_often(judging, site->count), before = judge_place(judging, site->before);
    return (struct lint_finding){
        .tier = TIER_DRY,
        .host_blocked_ns = -1,
        .saving_ns = -1,
        .note = S(""),
        .rule = str_of(rule),
        .file = site->path,
        .line = site->line,
        .message = str_printf(
            judging->arena,
            "`%.*s` %s. In a dry run of %lld steps it waits %.*s a step, with %lld operators queued since the "
            "wait before it (%.*s); nothing in the source shows that",
            (int)site->call.len, site->call.at, deed_of(site->kind), (long long)judging->sites->waits->steps,
            (int)often.len, often.at, (long long)(site->queued / site->busy), (int)before.len, before.at),
    };
}

static void append(struct judging *judging, const struct lint_finding *found, uint32_t count)
{
    struct lint *const lint = judging->lint;
    struct lint_finding *const all = arena_array(judging->arena, (size_t)lint->finding_count + count, sizeof *all);
    if (lint->finding_count)
        memcpy(all, lint->findings, lint->finding_count * sizeof *all);
    if (count)
        memcpy(all + lint->finding_count, found, count * sizeof *all);
    lint->findings = all;
    lint->finding_count += count;
}

/* By another way to the same line. */
static bool is_told(const struct lint_finding *found, uint32_t count, const struct wait_site *site, const char *rule)
{
    for (uint32_t i = 0; i < count; i++)
        if (found[i].line == site->line && str_eq(found[i].file, site->path) && str_eq(found[i].rule, str_of(rule)))
            return true;
    return false;
}

uint32_t unnamed_tell(struct judging *judging, uint32_t *untold)
{
    struct arena scratch = {0};
    struct lint_finding *const found = arena_array(&scratch, MOST_TOLD, sizeof *found);
    uint32_t count = 0;
    *untold = 0;
    for (uint32_t i = 0; i < judging->sites->count; i++) {
        struct wait_site *const site = &judging->sites->at[i];
        const char *const rule = rule_of(site->kind);
        if (!rule || !costs(judging, site) || !is_selected(judging, site, rule))
            continue;
        site->rule = rule;
        if (is_told(found, count, site, rule))
            continue;
        if (count == MOST_TOLD) {
            ++*untold;
            continue;
        }
        found[count++] = finding_of(judging, i, rule);
    }
    append(judging, found, count);
    arena_free(&scratch);
    return count;
}

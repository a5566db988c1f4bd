/* SPDX-License-Identifier: Apache-2.0 */
#include "judge.h"

#include "join/fit.h"

/* ---- words ---- */

str judge_place(const struct judging *judging, uint32_t site)
{
    if (site == SITE_NONE)
        return S("the start");
    const struct wait_site *const at = &judging->sites->at[site];
    const str place = str_printf(judging->arena, "%.*s:%lld", (int)at->path.len, at->path.at, (long long)at->line);
    if (!at->is_shared || !at->caller.file.len)
        return place;
    return str_printf(judging->arena, "%s, called at %.*s:%lld", place.at, (int)at->caller.file.len, at->caller.file.at,
                      (long long)at->caller.line);
}

str judge_often(const struct judging *judging, int64_t count)
{
    const double each = (double)count / (double)judging->sites->rounds;
    if (count == judging->sites->rounds)
        return S("once");
    return count % judging->sites->rounds
               ? str_printf(judging->arena, "%.1f times", each)
               : str_printf(judging->arena, "%lld times", (long long)(count / judging->sites->rounds));
}

/* ---- which waits a rule is about ---- */

static unsigned shows_of(enum dry_wait_kind kind)
{
    static const unsigned shows[DRY_WAIT_KINDS] = {[DRY_UPLOAD] = SHOWS_UPLOAD,
                                                   [DRY_BUILT] = SHOWS_UPLOAD,
                                                   [DRY_HOST_INDEX] = SHOWS_UPLOAD,
                                                   [DRY_SYNC] = SHOWS_SYNC | SHOWS_READ};
    return shows[kind] ? shows[kind] : SHOWS_READ | SHOWS_SYNC;
}

static bool is_of_waits(const struct match *match)
{
    return showing_of(match->rule).shows & (SHOWS_READ | SHOWS_UPLOAD | SHOWS_SYNC);
}

/* Whether what the rule says comes to a wait at its own line; others are as much about the host's work, or about another line. */
static bool waits_at_its_line(const struct match *match)
{
    static const char among[] =
        "ST301 ST401 ST402 ST403 ST404 ST405 ST406 ST407 ST408 ST409 ST410 ST501 ST502 ST503 ST601 "
        "ST602 ST606";
    return str_is_among(among, str_of(match->rule->id));
}

/* Whether nothing is spared where the device is empty: the others spare work of the host as well, or memory. */
static bool spares_the_wait_alone(const struct match *match)
{
    static const char among[] =
        "ST301 ST401 ST402 ST403 ST404 ST406 ST407 ST408 ST409 ST410 ST501 ST502 ST503 ST602 ST606";
    return str_is_among(among, str_of(match->rule->id)) && !str_eq(match->builtin, S("empty_cache"));
}

/* What is broken by the order of waits, or for want of what is launched, a run may know better. */
static bool may_gain(const struct match *match)
{
    const struct broken *const gain = &match->broken[LINK_GAIN];
    return !gain->why || gain->by_order || gain->perhaps;
}

/* ---- the lines of a finding ---- */

struct lines {
    uint32_t file;
    int64_t first, last;
};

static struct lines lines_of(const struct judging *judging, const struct match *match)
{
    const struct syntax *const tree = judging->lint->files[match->file].tree;
    return (struct lines){match->file, syntax_place(tree, match->begin).line, syntax_place(tree, match->end).line};
}

/* All that was seen at the places of a finding. */
struct sight {
    int64_t count, rounds, busy, busy_rounds, queued, followed, ran;
    uint32_t site; /* the busiest */
    str stays;     /* how copies there stay; "" */
};

static void add_site(const struct judging *judging, struct sight *sight, uint32_t at)
{
    const struct wait_site *const site = &judging->sites->at[at];
    const bool better = sight->site == SITE_NONE || site->busy > judging->sites->at[sight->site].busy;
    sight->count += site->count;
    sight->busy += site->busy;
    sight->queued += site->queued;
    sight->followed += site->followed;
    sight->rounds = site->rounds > sight->rounds ? site->rounds : sight->rounds;
    sight->busy_rounds = site->busy_rounds > sight->busy_rounds ? site->busy_rounds : sight->busy_rounds;
    sight->site = better ? at : sight->site;
}

/* The next site at the lines of the match of a kind that its rule is about; SITE_NONE. */
static uint32_t next_site(const struct judging *judging, const struct match *match, const struct lines *lines,
                          bool around, uint32_t *at)
{
    const struct wait_sites *const sites = judging->sites;
    const unsigned shows = showing_of(match->rule).shows;
    while (*at < sites->line_count) {
        const struct site_line *const line = &sites->by_line[(*at)++];
        if (line->file != lines->file || line->line > lines->last)
            break;
        if (line->around == around && shows & shows_of(sites->at[line->site].kind))
            return line->site;
    }
    return SITE_NONE;
}

/* Those that stand there; only where none does, those of what is called there. */
static void look_for_sites(const struct judging *judging, const struct match *match, const struct lines *lines,
                           struct sight *sight)
{
    for (int around = 0; around < 2 && !sight->count; around++) {
        uint32_t at = sites_from(judging->sites, lines->file, lines->first);
        for (uint32_t site; (site = next_site(judging, match, lines, around, &at)) != SITE_NONE;)
            if (judging->sites->at[site].count)
                add_site(judging, sight, site);
    }
}

static void look_at(const struct judging *judging, const struct match *match, struct sight *sight)
{
    const struct wait_sites *const sites = judging->sites;
    const struct lines lines = lines_of(judging, match);
    const unsigned shows = showing_of(match->rule).shows;
    look_for_sites(judging, match, &lines, sight);
    const int64_t ran = sites_ran_within(sites, lines.file, lines.first, lines.last);
    sight->ran = ran > sight->ran ? ran : sight->ran;
    for (uint32_t i = 0; i < sites->waits->stay_count && shows & SHOWS_UPLOAD; i++) {
        const struct dry_stay *const stay = &sites->waits->stays[i];
        if (stay->times && stay->at.line >= lines.first && stay->at.line <= lines.last &&
            sites_file(sites, stay->at.file) == lines.file)
            sight->stays = stay->how;
    }
}

/* ---- which waits stay ---- */

static bool can_go_by_itself(const struct wait_site *site)
{
    return site->file != SITE_NONE && !site->via.len && site->kind != DRY_BOOL && site->kind != DRY_LIBRARY;
}

static void name_sites(struct judging *judging, const struct match *match, bool *may_go)
{
    const struct lines lines = lines_of(judging, match);
    bool any = false;
    for (int around = 0; around < 2 && !any; around++) {
        uint32_t at = sites_from(judging->sites, lines.file, lines.first);
        for (uint32_t site; (site = next_site(judging, match, &lines, around, &at)) != SITE_NONE; any = true) {
            judging->sites->at[site].rule = match->rule->id;
            may_go[site] |= may_gain(match) || match->yields;
        }
    }
}

void judge_sites(struct judging *judging)
{
    struct wait_sites *const sites = judging->sites;
    struct arena scratch = {0};
    bool *const may_go = arena_array(&scratch, sites->count, sizeof *may_go);
    for (uint32_t f = 0; f < judging->lint->file_count; f++) /* suppressed ones too: their lines have a name */
        for (uint32_t k = 0; k < judging->lint->files[f].matches.count; k++) {
            const struct match *const match = &judging->lint->files[f].matches.at[k];
            if (match->node && is_of_waits(match) && !match->of_run)
                name_sites(judging, match, may_go);
        }
    for (uint32_t i = 0; i < sites->count; i++)
        sites->at[i].stays = sites->at[i].rule ? !may_go[i] : !can_go_by_itself(&sites->at[i]);
    arena_free(&scratch);
}

/* ---- what is told ---- */

static struct lint_told *told_of(struct judging *judging, struct lint_finding *finding)
{
    struct lint_told *const told = arena_array(judging->arena, LINKS, sizeof *told);
    for (int i = 0; i < LINKS; i++)
        told[i] = (struct lint_told){.text = S(""), .path = S(""), .what = S("")};
    finding->told = told;
    return told;
}

static void point_at(const struct judging *judging, struct lint_told *told, uint32_t site)
{
    if (site == SITE_NONE)
        return;
    const struct wait_site *const at = &judging->sites->at[site];
    told->path = at->path;
    told->line = at->line;
    told->what = at->call;
}

static str begun(const struct judging *judging, const char *rest)
{
    return str_printf(judging->arena, "in a dry run of %lld steps %s", (long long)judging->sites->waits->steps, rest);
}

/* It is a note: this link does not hold. */
static enum verdict put_away(struct judging *judging, struct lint_finding *finding, enum chain_link link, str why,
                             uint32_t site, enum verdict verdict)
{
    struct lint_told *const told = &told_of(judging, finding)[link];
    told->holds = HOLDS_NOT;
    told->text = why;
    point_at(judging, told, site);
    finding->judged = JUDGED_AWAY;
    finding->note = str_printf(judging->arena, "A note, since %.*s.", (int)why.len, why.at);
    return verdict;
}

static enum verdict tell_unreached(struct judging *judging, struct lint_finding *finding)
{
    const struct match *const match = finding->match;
    const struct dry_note *const chosen = doubts_of(&judging->doubts, match->file, match->node);
    if (!chosen)
        return put_away(judging, finding, LINK_PACE, begun(judging, "this run's steps do not come to it"), SITE_NONE,
                        VERDICT_UNREACHED);
    const str place = str_printable(judging->arena, chosen->place);
    finding->note =
        str_printf(judging->arena,
                   "In a dry run of %lld steps this run's steps do not come to it, but a stand-in chose the way at "
                   "%.*s, so that says nothing.",
                   (long long)judging->sites->waits->steps, (int)place.len, place.at);
    return VERDICT_DOUBTFUL;
}

static enum verdict tell_rare(struct judging *judging, struct lint_finding *finding, int64_t rounds)
{
    const str why = str_printf(judging->arena, "in a dry run it runs in %lld of %lld steps", (long long)rounds,
                               (long long)judging->sites->rounds);
    return put_away(judging, finding, LINK_PACE, why, SITE_NONE, VERDICT_RARE);
}

static enum verdict tell_without(struct judging *judging, struct lint_finding *finding, const struct sight *sight)
{
    const char *const what =
        str_eq(sight->stays, S("pinned"))
            ? "it copies from pinned memory and waits for nothing"
            : "its line runs and waits for nothing: the value does not lie on the device, or that part of the line does not run";
    return put_away(judging, finding, LINK_DEVICE, begun(judging, what), SITE_NONE, VERDICT_WITHOUT);
}

static enum verdict tell_emptied(struct judging *judging, struct lint_finding *finding, const struct sight *sight)
{
    const uint32_t by = judging->sites->at[sight->site].emptied_by;
    const str why =
        str_printf(judging->arena,
                   "in a dry run of %lld steps the wait at %s has emptied the device, and next to nothing was "
                   "launched since",
                   (long long)judging->sites->waits->steps, judge_place(judging, by).at);
    return put_away(judging, finding, LINK_GAIN, why, by, VERDICT_EMPTIED);
}

static enum verdict tell_followed(struct judging *judging, struct lint_finding *finding, const struct sight *sight)
{
    const uint32_t by = judging->sites->at[sight->site].follower;
    const str why =
        str_printf(judging->arena,
                   "in a dry run of %lld steps the host waits at %s next, before it has launched more than next to "
                   "nothing, and that wait stays",
                   (long long)judging->sites->waits->steps, judge_place(judging, by).at);
    return put_away(judging, finding, LINK_GAIN, why, by, VERDICT_FOLLOWED);
}

static str proof_text(const struct judging *judging, const struct sight *sight)
{
    return str_printf(
        judging->arena,
        "in a dry run of %lld steps it waits %s a step, with %lld operators queued since the wait before it (%s)",
        (long long)judging->sites->waits->steps, judge_often(judging, sight->count).at,
        (long long)(sight->queued / sight->busy), judge_place(judging, judging->sites->at[sight->site].before).at);
}

static enum verdict tell_seen(struct judging *judging, struct lint_finding *finding, const struct sight *sight)
{
    const struct match *const match = finding->match;
    const uint32_t before = judging->sites->at[sight->site].before;
    const str text = proof_text(judging, sight);
    struct lint_told *const told = told_of(judging, finding);
    told[LINK_DEVICE] = (struct lint_told){HOLDS, S("a dry run waits for the device at this line"), S(""), 0, S("")};
    told[LINK_PACE] = (struct lint_told){HOLDS, text, S(""), 0, S("")};
    point_at(judging, &told[LINK_PACE], before);
    if (match->broken[LINK_GAIN].why && may_gain(match))
        told[LINK_GAIN] =
            (struct lint_told){HOLDS, S("the wait: the device has work when the host comes to it"), S(""), 0, S("")};
    finding->tier = TIER_CONFIRMED;
    if (may_gain(match))
        finding->judged = JUDGED_SEEN;
    finding->note = str_printf(judging->arena, "I%.*s.", (int)text.len - 1, text.at + 1);
    return VERDICT_SEEN;
}

/* ---- loaders ---- */

static bool is_of_batch(const struct wait_site *site)
{
    return str_eq(site->call, S("a batch to the device"));
}

static bool is_any_batch_copied(const struct judging *judging)
{
    for (uint32_t i = 0; i < judging->sites->count; i++)
        if (is_of_batch(&judging->sites->at[i]) && judging->sites->at[i].count)
            return true;
    return false;
}

/* Whether pinned memory would spare any wait of the rounds: of batches as they are, or where none is copied so of all copies. */
static bool is_any_copy_busy(const struct judging *judging)
{
    const bool of_batches = is_any_batch_copied(judging);
    for (uint32_t i = 0; i < judging->sites->count; i++) {
        const struct wait_site *const site = &judging->sites->at[i];
        if (site->kind == DRY_UPLOAD && (!of_batches || is_of_batch(site)) &&
            site->busy_rounds * 2 >= judging->sites->rounds && site->followed * 2 < site->count)
            return true;
    }
    return false;
}

static enum verdict judge_loader(struct judging *judging, struct lint_finding *finding)
{
    const struct lines lines = lines_of(judging, finding->match);
    const struct dry_waits *const waits = judging->sites->waits;
    int64_t made = 0, batches = 0, workers = 0;
    bool pins = true;
    for (uint32_t i = 0; i < waits->loader_count; i++) {
        const struct dry_loader *const loader = &waits->loaders[i];
        if (loader->at.line < lines.first || loader->at.line > lines.last ||
            sites_file(judging->sites, loader->at.file) != lines.file)
            continue;
        made++;
        batches += loader->batches;
        workers = loader->batches && loader->workers > workers ? loader->workers : workers;
        pins &= loader->pins;
    }
    if (!made)
        return put_away(judging, finding, LINK_PACE, begun(judging, "no loader is made here"), SITE_NONE,
                        VERDICT_UNREACHED);
    if (batches * 2 < judging->sites->rounds)
        return put_away(judging, finding, LINK_PACE, begun(judging, "the steps do not go over this loader"), SITE_NONE,
                        batches ? VERDICT_RARE : VERDICT_UNREACHED);
    if (workers && str_eq(str_of(finding->match->rule->id), S("ST604")))
        return put_away(judging, finding, LINK_DEVICE,
                        str_printf(judging->arena, "in a dry run it has %lld workers", (long long)workers), SITE_NONE,
                        VERDICT_WITHOUT);
    if (pins && str_eq(str_of(finding->match->rule->id), S("ST602")))
        return put_away(judging, finding, LINK_DEVICE, S("in a dry run it pins its batches"), SITE_NONE,
                        VERDICT_WITHOUT);
    if (str_eq(str_of(finding->match->rule->id), S("ST602")) && !is_any_copy_busy(judging))
        return put_away(judging, finding, LINK_GAIN, begun(judging, "copies to the device find it empty"), SITE_NONE,
                        VERDICT_EMPTIED);
    struct lint_told *const told = told_of(judging, finding);
    finding->tier = TIER_CONFIRMED;
    if (!finding->match->broken[LINK_GAIN].why)
        finding->judged = JUDGED_SEEN;
    told[LINK_PACE] =
        (struct lint_told){HOLDS,
                           str_printf(judging->arena, "in a dry run of %lld steps these take %s a batch each from it",
                                      (long long)waits->steps, judge_often(judging, batches).at),
                           S(""), 0, S("")};
    return VERDICT_SEEN;
}

/* ---- the verdict ---- */

static bool is_loader_rule(const struct match *match)
{
    return match->of_run && str_is_among("ST602 ST604", str_of(match->rule->id)) &&
           str_has(match->builtin, S("Loader"));
}

static enum verdict judge_waits(struct judging *judging, struct lint_finding *finding, const struct sight *sight)
{
    const struct match *const match = finding->match;
    const int64_t rounds = judging->sites->rounds;
    if (!sight->count)
        return waits_at_its_line(match) ? tell_without(judging, finding, sight) : VERDICT_NONE;
    if (sight->rounds * 2 < rounds)
        return tell_rare(judging, finding, sight->rounds);
    if (sight->busy_rounds * 2 < rounds)
        return spares_the_wait_alone(match) ? tell_emptied(judging, finding, sight) : VERDICT_NONE;
    if (sight->followed * 2 >= sight->count && spares_the_wait_alone(match))
        return tell_followed(judging, finding, sight);
    return tell_seen(judging, finding, sight);
}

enum verdict judge_finding(struct judging *judging, struct lint_finding *finding)
{
    const struct match *const match = finding->match;
    if (!match || judging->lint->files[match->file].notebook || finding->tier != TIER_STATIC ||
        finding->judged != JUDGED_NOT)
        return VERDICT_NONE;
    if (is_loader_rule(match))
        return judge_loader(judging, finding);
    if (match->of_run)
        return VERDICT_NONE;
    struct sight sight = {.site = SITE_NONE, .stays = S("")};
    for (const struct match *at = match; at; at = at->also)
        look_at(judging, at, &sight);
    if (!sight.ran && !sight.count)
        return tell_unreached(judging, finding);
    if (!sight.count && sight.ran * 2 < judging->sites->rounds)
        return tell_rare(judging, finding, sight.ran);
    return is_of_waits(match) ? judge_waits(judging, finding, &sight) : VERDICT_NONE;
}

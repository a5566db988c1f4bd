/* SPDX-License-Identifier: Apache-2.0 */
#include "prove.h"

#include "chain.h"

static bool is_whole(const struct match *match)
{
    for (int link = 0; link < LINKS; link++)
        if (match->broken[link].why)
            return false;
    return true;
}

void proof_weigh(const struct check *check, struct match *match)
{
    if (match->rule->level == LEVEL_NOTE)
        match_break(match, LINK_GAIN, "it is worth the work only where the rest is done",
                    (struct site){match->file, match->node});
    (void)check;
    match->level = is_whole(match) ? match->rule->level : LEVEL_NOTE;
}

/* ---- what is shown ---- */

static str place_text(const struct check *check, struct site site)
{
    const struct syntax *tree = project_tree(check->project, site.file);
    const unsigned line = syntax_place(tree, tree->begin[site.node]).line;
    if (site.file == check->file)
        return str_printf(check->arena, "line %u", line);
    const str path = project_file(check->project, site.file)->path;
    return str_printf(check->arena, "%.*s:%u", (int)path.len, path.at, line);
}

static void show_broken(const struct check *check, const struct broken *broken, struct proof_link *link)
{
    struct proof_place *place = arena_array(check->arena, 1, sizeof *place);
    *place = (struct proof_place){broken->at, str_of(broken->why)};
    link->holds = broken->perhaps ? HOLDS_OPEN : HOLDS_NOT;
    link->text = str_of(broken->why);
    link->places = place;
    link->count = 1;
}

/* Nothing speaks against it, and nothing shows it to its end: the places are those as far as it is shown. */
static void show_open(const struct check *check, struct match *match, enum chain_link which, const char *open,
                      struct proof_link *link)
{
    const struct site site = link->count ? link->places[0].site : check_site(check, match->node);
    match->broken[which] = (struct broken){open, site, true, false};
    if (!link->count)
        show_broken(check, &match->broken[which], link);
    link->holds = HOLDS_OPEN;
    link->text = str_of(open);
}

/* Without an origin nobody knows whether it lies there: what a value is taken for is no proof. */
static void show_device(const struct check *check, struct match *match, struct proof_link *link)
{
    static const char *const unnamed = "no place in the files linted puts it on the device by name";
    struct chain chain = {.check = check};
    chain_device(&chain, match);
    chain_give(&chain, link);
    link->holds = chain.origin ? HOLDS : HOLDS_OPEN;
    link->text = chain.origin ? link->places[0].what : str_of(unnamed);
    if (!chain.origin) {
        match->broken[LINK_DEVICE] = (struct broken){unnamed, check_site(check, match->node), true, false};
        show_broken(check, &match->broken[LINK_DEVICE], link);
    }
}

static void show_pace(const struct check *check, struct match *match, struct proof_link *link)
{
    struct chain chain = {.check = check};
    if (match->of_run) {
        chain_pace_of_run(&chain, check_site(check, match->runs_at ? match->runs_at : match->node));
        chain_give(&chain, link);
        link->holds = HOLDS;
        link->text = chain.origin ? link->places[0].what : S("it decides what each training step does");
        return;
    }
    chain_pace(&chain, (struct site){match->file, match->runs_at ? match->runs_at : match->node});
    chain_give(&chain, link);
    link->holds = HOLDS;
    link->text = chain.origin ? link->places[0].what : S("it runs each training step");
    if (chain.open || !chain.origin)
        show_open(check, match, LINK_PACE,
                  chain.open ? chain.open : "no loop of training steps in the files linted is seen to run it", link);
}

/* Between reads of one statement something may be launched. */
static str goes_with(const struct check *check, const struct match *match, uint32_t node)
{
    return syntax_statement(check->tree, match->node) == syntax_statement(check->tree, node)
               ? S("goes with it: read by the same statement")
               : S("goes with it: the same wait");
}

static void show_gain(const struct check *check, struct match *match, struct proof_link *link)
{
    struct chain chain = {.check = check};
    const str text = chain_gain(&chain, match);
    const uint32_t count = chain.count + match->joined_count;
    struct proof_place *places = arena_array(check->arena, count, sizeof *places);
    memcpy(places, chain.places, chain.count * sizeof *places);
    uint32_t i = count;
    for (const struct joined_wait *at = match->joined; at; at = at->before)
        places[--i] = (struct proof_place){check_site(check, at->node), goes_with(check, match, at->node)};
    *link = (struct proof_link){HOLDS, text, places, count};
    if (chain.open)
        show_open(check, match, LINK_GAIN, chain.open, link);
}

/* One finding, several places: the first few by their lines, all of them in the proof. */
static void tell_joined(const struct check *check, struct match *match)
{
    enum { TOLD = 8 };
    uint32_t lines[TOLD], i = match->joined_count;
    uint32_t before = syntax_place(check->tree, match->begin).line;
    bool told = false;
    for (const struct joined_wait *at = match->joined; at; at = at->before)
        if (--i < TOLD)
            lines[i] = syntax_place(check->tree, check->tree->begin[at->node]).line;
    for (i = 0; i < match->joined_count && i < TOLD; before = lines[i++])
        if (lines[i] != before) {
            match->message = str_printf(check->arena, "%.*s%s%u", (int)match->message.len, match->message.at,
                                        told ? ", " : "; with it line ", lines[i]);
            told = true;
        }
    if (match->joined_count > TOLD)
        match->message = str_printf(check->arena, "%.*s and %u more", (int)match->message.len, match->message.at,
                                    match->joined_count - TOLD);
}

/* A note says which link is missing, and where. */
static void tell_missing(const struct check *check, struct match *match)
{
    for (int i = LINKS; i-- > 0;) {
        const struct broken *broken = &match->broken[i];
        if (!broken->why)
            continue;
        const str place = place_text(check, broken->at);
        const char *claim = i == LINK_GAIN && !broken->perhaps ? "nothing is gained here: " : "";
        match->missing =
            str_printf(check->arena, "; a note, since %s%s (%.*s)", claim, broken->why, (int)place.len, place.at);
        return;
    }
}

void proof_show(const struct check *check, struct match *match)
{
    static void (*const show[LINKS])(const struct check *, struct match *, struct proof_link *) = {
        [LINK_DEVICE] = show_device, [LINK_PACE] = show_pace, [LINK_GAIN] = show_gain};
    for (int i = 0; i < LINKS; i++)
        if (match->broken[i].why)
            show_broken(check, &match->broken[i], &match->proof.link[i]);
        else
            show[i](check, match, &match->proof.link[i]);
    proof_weigh(check, match);
    tell_joined(check, match);
    tell_missing(check, match);
}

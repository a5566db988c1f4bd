/* SPDX-License-Identifier: Apache-2.0 */
#include "cell.h"
#include "notebook/notebook.h"
#include "report/report.h"

static const enum finding_holds holds_words[] = {
    [HOLDS_NOT] = FINDING_HOLDS_NOT, [HOLDS_OPEN] = FINDING_HOLDS_OPEN, [HOLDS] = FINDING_HOLDS};

static struct finding_place place_of(const struct lint *lint, const struct proof_place *place)
{
    const struct lint_file *file = &lint->files[place->site.file];
    const struct cell_line at = cell_line(file, syntax_place(file->tree, file->tree->begin[place->site.node]).line);
    const int64_t in_file =
        file->notebook ? notebook_file_place(file->notebook, file->tree->begin[place->site.node]).line : 0;
    return (struct finding_place){file->path, at.line, place->what, at.cell, in_file};
}

/* What the traces say takes the place of what the source says of the device. */
static void judge(struct finding_link *links, enum judged judged)
{
    if (judged == JUDGED_UNSEEN)
        links[FINDING_DEVICE] = (struct finding_link){
            .holds = FINDING_HOLDS_NOT, .text = S("a trace ran its function and shows no copy or wait below it")};
    if (judged != JUDGED_SEEN)
        return;
    const struct finding_link seen = {.holds = FINDING_HOLDS, .text = S("a trace shows it at this call, in its steps")};
    for (int i = FINDING_DEVICE; i <= FINDING_PACE; i++)
        if (links[i].holds != FINDING_HOLDS)
            links[i] = seen;
}

/* What a dry run shows takes the place of both. */
static void tell(struct finding_link *links, const struct lint_told *told, struct arena *arena)
{
    for (int i = 0; i < LINKS; i++) {
        if (!told[i].text.len)
            continue;
        struct finding_place *const place = arena_alloc(arena, sizeof *place);
        *place = (struct finding_place){told[i].path, told[i].line, told[i].what, 0, 0};
        links[i] = (struct finding_link){holds_words[told[i].holds], told[i].text, place, told[i].path.len > 0};
    }
}

const struct finding_link *proof_links(const struct lint *lint, const struct lint_finding *finding, struct arena *arena)
{
    const struct match *const match = finding->match;
    struct finding_link *links = arena_array(arena, FINDING_LINKS, sizeof *links);
    for (int i = 0; i < LINKS; i++) {
        const struct proof_link *from = &match->proof.link[i];
        struct finding_place *places = arena_array(arena, from->count, sizeof *places);
        for (uint32_t k = 0; k < from->count; k++)
            places[k] = place_of(lint, &from->places[k]);
        links[i] = (struct finding_link){holds_words[from->holds], from->text, places, from->count};
    }
    judge(links, finding->judged);
    if (finding->told)
        tell(links, finding->told, arena);
    return links;
}

enum level lint_level(const struct lint_finding *finding)
{
    if (!finding->match)
        return LEVEL_WARNING;
    if (finding->judged == JUDGED_UNSEEN || finding->judged == JUDGED_AWAY)
        return LEVEL_NOTE;
    return finding->judged == JUDGED_SEEN ? finding->match->rule->level : finding->match->level;
}

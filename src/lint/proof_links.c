/* SPDX-License-Identifier: Apache-2.0 */
#include "cell.h"
#include "notebook/notebook.h"
#include "report/report.h"

static struct finding_place place_of(const struct lint *lint, const struct proof_place *place)
{
    const struct lint_file *file = &lint->files[place->site.file];
    const struct cell_line at = cell_line(file, syntax_place(file->tree, file->tree->begin[place->site.node]).line);
    const int64_t in_file =
        file->notebook ? notebook_file_place(file->notebook, file->tree->begin[place->site.node]).line : 0;
    return (struct finding_place){file->path, at.line, place->what, at.cell, in_file};
}

const struct finding_link *proof_links(const struct lint *lint, const struct proof *proof, struct arena *arena)
{
    static const enum finding_holds holds[] = {
        [HOLDS_NOT] = FINDING_HOLDS_NOT, [HOLDS_PERHAPS] = FINDING_HOLDS_PERHAPS, [HOLDS] = FINDING_HOLDS};
    struct finding_link *links = arena_array(arena, FINDING_LINKS, sizeof *links);
    for (int i = 0; i < LINKS; i++) {
        const struct proof_link *from = &proof->link[i];
        struct finding_place *places = arena_array(arena, from->count, sizeof *places);
        for (uint32_t k = 0; k < from->count; k++)
            places[k] = place_of(lint, &from->places[k]);
        links[i] = (struct finding_link){holds[from->holds], from->text, places, from->count};
    }
    return links;
}

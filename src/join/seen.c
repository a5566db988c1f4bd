/* SPDX-License-Identifier: Apache-2.0 */
/* Findings at lines that PyTorch itself saw wait: the strongest proof there is. */
#include "private.h"
#include "syntax/syntax.h"

static bool begins_at(const struct syntax *tree, uint32_t node, int64_t line)
{
    const uint32_t parent = tree->parent[node];
    return syntax_place(tree, tree->begin[node]).line == line ||
           (tree->kind[parent] == SYN_DECORATED && syntax_place(tree, tree->begin[parent]).line == line);
}

/* Where its function has moved since, the line says nothing any more. */
static struct located place_of_line(const struct join *join, const struct sync_line *line)
{
    const struct frame frame = {
        .kind = FRAME_FUNCTION, .file = line->file, .line = line->first_line, .name = line->function};
    const struct located none = {LOCATED_NONE, 0}, at = locate(join->locator, &frame);
    if (at.file == LOCATED_NONE || !line->function.len || frame_is_unnamed(line->function))
        return at;
    return begins_at(join->lint->files[at.file].tree, at.node, line->first_line) ? at : none;
}

/* The finding's own place, or one that it also has, is a wait at this line. */
static bool waits_at(const struct join *join, uint32_t finding, uint32_t file, int64_t line)
{
    for (const struct match *match = join->lint->findings[finding].match; match; match = match->also)
        if (match->file == file && showing_of(match->rule).shows & (SHOWS_READ | SHOWS_UPLOAD | SHOWS_SYNC) &&
            match_lies_on(match, join->lint->files[file].tree, line))
            return true;
    return false;
}

static void see(struct join *join, struct located at, struct sync_line *line)
{
    for (uint32_t i = join_first(join, at); i != FINDING_NONE; i = join->next[i]) {
        if (!waits_at(join, i, at.file, line->line))
            continue;
        struct seen *const seen = &join->seen[i];
        join->tiers[i] = TIER_CONFIRMED;
        seen->count += line->count;
        seen->steps = line->steps > seen->steps ? line->steps : seen->steps;
        line->rule = str_of(join->lint->findings[i].match->rule->id);
    }
}

uint32_t join_seen(struct join *join)
{
    uint32_t placed = 0;
    if (join->lines.wrong.len)
        join_warn(join, str_printf(join->arena, "%.*s %.*s", (int)join->lines.path.len, join->lines.path.at,
                                   (int)join->lines.wrong.len, join->lines.wrong.at)
                            .at);
    for (uint32_t i = 0; i < join->lines.count; i++) {
        const struct located at = place_of_line(join, &join->lines.at[i]);
        placed += at.file != LOCATED_NONE;
        if (at.file != LOCATED_NONE)
            see(join, at, &join->lines.at[i]);
    }
    return placed;
}

/* In at least every second step of that pass. */
bool join_seen_in_steps(const struct join *join, uint32_t finding)
{
    return join->seen[finding].steps * 2 >= join->lines.steps && join->seen[finding].count;
}

static str often(struct arena *arena, double each)
{
    const int64_t whole = (int64_t)(each + 0.5);
    if (each == 1)
        return S("once");
    return each == (double)whole ? str_printf(arena, "%lld times", (long long)whole)
                                 : str_printf(arena, "%.1f times", each);
}

str join_seen_note(const struct join *join, uint32_t finding, str note)
{
    const struct seen *const seen = &join->seen[finding];
    if (!seen->count)
        return note;
    const str times = often(join->arena, (double)seen->count / (double)join->lines.steps);
    return str_printf(join->arena, "%.*s%sPyTorch saw this line wait for the device %s a step.", (int)note.len, note.at,
                      note.len ? " " : "", times.at);
}

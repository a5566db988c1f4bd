/* SPDX-License-Identifier: Apache-2.0 */
#include "edit.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"

struct taken {
    struct edit edit;
    uint32_t group;
    uint32_t rank; /* in which order the edits were made: insertions at one place keep it */
};

struct edits {
    struct arena *arena;
    const struct syntax *tree;
    struct taken *at; /* by begin; of one place insertions first, then by rank. Grows in the arena */
    struct edit *list;
    uint32_t count, room, groups, rank;
    bool *dropped; /* by group */
    uint32_t dropped_room;
};

/* --- order and overlap ------------------------------------------------------------------------------------------------ */

static int compare(const struct taken *a, const struct taken *b)
{
    if (a->edit.begin != b->edit.begin)
        return a->edit.begin < b->edit.begin ? -1 : 1;
    if (a->edit.end != b->edit.end)
        return a->edit.end < b->edit.end ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

/* Edits may touch; an insertion may stand at either end of a replacement, not within. */
static bool overlap(const struct edit *a, const struct edit *b)
{
    if (a->begin == a->end || b->begin == b->end)
        return (a->begin < b->begin && b->begin < a->end) || (b->begin < a->begin && a->begin < b->end);
    return a->begin < b->end && b->begin < a->end;
}

/* The first that begins at this byte or behind it. */
static uint32_t first_from(const struct edits *edits, uint32_t byte)
{
    uint32_t from = 0, to = edits->count;
    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        if (edits->at[middle].edit.begin < byte)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Taken edits do not overlap, so of those that begin before this one only the last replacement can reach into it. */
static bool meets_taken(const struct edits *edits, const struct edit *edit)
{
    const uint32_t from = first_from(edits, edit->begin);
    for (uint32_t i = from; i-- > 0;) {
        const struct edit *before = &edits->at[i].edit;
        if (overlap(before, edit))
            return true;
        if (before->end > before->begin)
            break;
    }
    for (uint32_t i = from; i < edits->count && edits->at[i].edit.begin <= edit->end; i++)
        if (overlap(&edits->at[i].edit, edit))
            return true;
    return false;
}

static bool fits(const struct edits *edits, const struct edit *group, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (group[i].begin > group[i].end || group[i].end > edits->tree->text.len || meets_taken(edits, &group[i]))
            return false;
        for (uint32_t j = 0; j < i; j++)
            if (overlap(&group[i], &group[j]))
                return false;
    }
    return true;
}

/* --- taking a group --------------------------------------------------------------------------------------------------- */

static bool is_made(const struct edits *edits, const struct edit *edit)
{
    if (edit->begin != edit->end)
        return false;
    for (uint32_t i = first_from(edits, edit->begin); i < edits->count && edits->at[i].edit.begin == edit->begin; i++)
        if (edits->at[i].edit.end == edit->begin && str_eq(edits->at[i].edit.text, edit->text))
            return true;
    return false;
}

/* The text with the file's ends of lines; CRLF in it stays. */
static str with_line_ends(const struct edits *edits, str text)
{
    const str end = edit_line_end(edits->tree);
    if (str_eq(end, S("\n")) || !text.len)
        return str_copy(edits->arena, text);
    struct buf buf = {0};
    for (size_t i = 0; i < text.len; i++)
        if (text.at[i] == '\n' && (!i || text.at[i - 1] != '\r'))
            buf_add(&buf, end);
        else
            buf_char(&buf, text.at[i]);
    const str copy = str_copy(edits->arena, buf_str(&buf));
    buf_free(&buf);
    return copy;
}

bool edits_makes(const struct edits *edits, const struct edit *insertion)
{
    struct edit made = *insertion;
    made.text = with_line_ends(edits, insertion->text);
    return is_made(edits, &made);
}

bool edits_ends_below(const struct edits *edits, uint32_t at, str head, str indent)
{
    const str wanted = with_line_ends(edits, head);
    bool below = false;
    for (uint32_t i = first_from(edits, at); i < edits->count && edits->at[i].edit.end == at; i++) {
        const str text = edits->at[i].edit.text;
        below = str_starts(text, wanted) || (below && str_starts(text, indent));
    }
    return below;
}

static void make_room(struct edits *edits)
{
    if (edits->count < edits->room)
        return;
    edits->room = edits->room ? 2 * edits->room : 16;
    struct taken *at = arena_array(edits->arena, edits->room, sizeof *at);
    if (edits->count)
        memcpy(at, edits->at, edits->count * sizeof *at);
    edits->at = at;
    edits->list = arena_array(edits->arena, edits->room, sizeof *edits->list);
}

static void insert(struct edits *edits, struct taken taken)
{
    make_room(edits);
    uint32_t place = edits->count++;
    for (; place && compare(&edits->at[place - 1], &taken) > 0; place--)
        edits->at[place] = edits->at[place - 1];
    edits->at[place] = taken;
}

static bool is_deleted(const struct edits *edits, uint32_t statement)
{
    struct edit deletion;
    edit_delete(edits->tree, statement, &deletion);
    const uint32_t from = first_from(edits, deletion.begin);
    for (uint32_t i = from; i < edits->count && edits->at[i].edit.begin == deletion.begin; i++)
        if (edits->at[i].edit.deletes == statement)
            return true;
    return false;
}

/* Whether this deletion takes the last statement that a block still has. */
static bool empties(const struct edits *edits, uint32_t statement)
{
    const struct syntax *tree = edits->tree;
    const uint32_t block = tree->parent[statement];
    if (block == SYNTAX_NONE || tree->kind[block] != SYN_BLOCK)
        return false;
    for (uint32_t at = syntax_first(tree, block); at != SYNTAX_NONE; at = syntax_next(tree, at))
        if (at != statement && !is_deleted(edits, at))
            return false;
    return true;
}

static struct edit pass_for(const struct syntax *tree, uint32_t statement)
{
    return (struct edit){tree->begin[statement], tree->end[statement], S("pass"), 0};
}

static void note_group(struct edits *edits)
{
    if (edits->groups == edits->dropped_room) {
        edits->dropped_room = edits->dropped_room ? 2 * edits->dropped_room : 16;
        bool *dropped = arena_array(edits->arena, edits->dropped_room, sizeof *dropped);
        if (edits->groups)
            memcpy(dropped, edits->dropped, edits->groups * sizeof *dropped);
        edits->dropped = dropped;
    }
    edits->dropped[edits->groups++] = false;
}

uint32_t edits_take(struct edits *edits, const struct edit *group, uint32_t count)
{
    if (!fits(edits, group, count))
        return EDITS_REFUSED;
    const uint32_t number = edits->groups;
    note_group(edits);
    for (uint32_t i = 0; i < count; i++) {
        struct edit edit = group[i];
        edit.text = with_line_ends(edits, edit.text);
        if (edit.deletes && empties(edits, edit.deletes))
            edit = pass_for(edits->tree, edit.deletes);
        if (!is_made(edits, &edit))
            insert(edits, (struct taken){edit, number, edits->rank++});
    }
    return number;
}

/* --- what holds --------------------------------------------------------------------------------------------------------- */

struct edits *edits_new(struct arena *arena, const struct syntax *tree)
{
    struct edits *edits = arena_alloc(arena, sizeof *edits);
    *edits = (struct edits){.arena = arena, .tree = tree};
    return edits;
}

uint32_t edits_groups(const struct edits *edits)
{
    return edits->groups;
}

bool edits_holds(const struct edits *edits, uint32_t group)
{
    return group < edits->groups && !edits->dropped[group];
}

void edits_drop(struct edits *edits, uint32_t group)
{
    if (!edits_holds(edits, group))
        return;
    edits->dropped[group] = true;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < edits->count; i++)
        if (edits->at[i].group != group)
            edits->at[kept++] = edits->at[i];
    edits->count = kept;
}

const struct edit *edits_list(const struct edits *edits, uint32_t *count)
{
    for (uint32_t i = 0; i < edits->count; i++)
        edits->list[i] = edits->at[i].edit;
    *count = edits->count;
    return edits->list;
}

uint32_t edits_group_at(const struct edits *edits, uint32_t i)
{
    return edits->at[i].group;
}

static size_t result_bytes(const struct edits *edits, uint32_t groups)
{
    size_t bytes = edits->tree->text.len;
    for (uint32_t i = 0; i < edits->count; i++)
        if (edits->at[i].group < groups)
            bytes += edits->at[i].edit.text.len - (edits->at[i].edit.end - edits->at[i].edit.begin);
    return bytes;
}

static char *put(char *to, str text)
{
    if (text.len)
        memcpy(to, text.at, text.len);
    return to + text.len;
}

/* The text with the first groups only. */
static str apply(const struct edits *edits, uint32_t groups, struct arena *arena)
{
    const str text = edits->tree->text;
    const size_t bytes = result_bytes(edits, groups);
    char *result = arena_alloc(arena, bytes), *to = result;
    uint32_t from = 0;
    for (uint32_t i = 0; i < edits->count; i++) {
        const struct edit *edit = &edits->at[i].edit;
        if (edits->at[i].group >= groups)
            continue;
        to = put(to, (str){text.at + from, edit->begin - from});
        to = put(to, edit->text);
        from = edit->end;
    }
    put(to, str_from(text, from));
    return (str){result, bytes};
}

str edits_apply(const struct edits *edits, struct arena *arena)
{
    return apply(edits, edits->groups, arena);
}

static bool is_sound(const struct edits *edits, uint32_t groups)
{
    struct arena scratch = {0};
    const struct syntax *after = syntax_parse(&scratch, edits->tree->path, apply(edits, groups, &scratch));
    const bool sound = after && after->error_count <= edits->tree->error_count;
    arena_free(&scratch);
    return sound;
}

/* The first group with which the file is no longer sound, found by halves. */
static uint32_t culprit(const struct edits *edits)
{
    uint32_t sound = 0, unsound = edits->groups;
    while (unsound - sound > 1) {
        const uint32_t middle = sound + (unsound - sound) / 2;
        if (is_sound(edits, middle))
            sound = middle;
        else
            unsound = middle;
    }
    return unsound - 1;
}

uint32_t edits_settle(struct edits *edits)
{
    uint32_t dropped = 0;
    for (; edits->count && !is_sound(edits, edits->groups); dropped++)
        edits_drop(edits, culprit(edits));
    return dropped;
}

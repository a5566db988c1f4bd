/* SPDX-License-Identifier: Apache-2.0 */
#include "lines.h"

#include "base/hash.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/sort.h"
#include "job.h"
#include "ops/rows/phase.h"

/* ---- kinds ---- */

struct numbering {
    struct lines *lines;
    struct arena *arena;
    struct intern *names;
    struct map known; /* a kind, as one number, to its number */
    size_t room;
};

static uint32_t kind_number(struct numbering *n, struct strip_kind kind, str name)
{
    struct lines *lines = n->lines;
    const int64_t key = (int64_t)intern_id(n->names, name) << 24 | kind.phase << 16 | kind.cause << 8 | kind.class;
    const uint32_t known = map_get(&n->known, key);
    if (known != MAP_NONE)
        return known;
    const uint32_t plain = name.len ? kind_number(n, kind, S("")) : lines->kind_count;
    lines->kinds = mem_grow(lines->kinds, &n->room, lines->kind_count + 1, sizeof *lines->kinds);
    lines->kinds[lines->kind_count] =
        (struct line_kind){kind.class, kind.cause, kind.phase, str_copy(n->arena, name), plain};
    map_put(&n->known, key, lines->kind_count);
    return lines->kind_count++;
}

static void number_fixed(struct numbering *n)
{
    static const uint8_t classes[KINDS_FIXED] = {PATH_UNKNOWN, KIND_TRANSFER, PATH_COMMUNICATION};
    for (int i = 0; i < KINDS_FIXED; i++)
        kind_number(n, (struct strip_kind){.class = classes[i], .phase = PHASE_NONE}, S(""));
}

static const uint32_t *number_strip(struct numbering *n, const struct strip *strip)
{
    uint32_t *kind = arena_array(n->arena, strip->kind_count, sizeof *kind);
    for (uint32_t i = 0; i < strip->kind_count; i++)
        kind[i] = kind_number(n, strip->kinds[i], strip->names[strip->kinds[i].name]);
    return kind;
}

static void number_kinds(struct lines *lines, struct arena *arena)
{
    struct numbering n = {.lines = lines, .arena = arena, .names = intern_new()};
    number_fixed(&n);
    for (uint32_t r = 0; r < lines->count; r++)
        lines->at[r].kind = number_strip(&n, lines->at[r].strip);
    lines->kinds = arena_move(arena, lines->kinds, lines->kind_count * sizeof *lines->kinds);
    map_free(&n.known);
    intern_free(n.names);
}

/* ---- meetings ---- */

static void attend(struct lines *lines, uint32_t meeting)
{
    const struct ranks *ranks = lines->ranks;
    const struct meeting *of = &ranks->meetings[meeting];
    struct line_meeting *out = &lines->meetings[meeting];
    *out = (struct line_meeting){INT64_MIN, INT64_MIN, NO_RANK, 0, false};
    for (uint32_t k = of->first; k < of->first + of->count; k++) {
        const struct meeting_member *member = &ranks->members[k];
        struct line *line = &lines->at[member->rank];
        line->meeting[member->index] = meeting;
        line->member[member->index] = k;
        const int64_t entry = line_entry_ns(lines, member->rank, member->index);
        if (entry > out->last_ns || out->last_rank == NO_RANK)
            *out = (struct line_meeting){entry, out->last_ns, member->rank, member->index, false};
        else
            out->next_ns = larger_of(out->next_ns, entry);
    }
    out->blocking = meeting_lets_nobody_go(ranks, of);
}

static bool in_one_kernel(const struct collective *a, const struct collective *b)
{
    return !a->on_host && !b->on_host && a->dur_ns >= 0 && a->start_ns == b->start_ns && a->dur_ns == b->dur_ns &&
           a->kind == COLLECTIVE_POINT_TO_POINT && b->kind == COLLECTIVE_POINT_TO_POINT;
}

static int64_t last_of(const struct lines *lines, uint32_t r, uint32_t collective)
{
    const struct line_meeting *met = line_blocking(lines, r, collective);
    return met ? met->last_ns : INT64_MIN;
}

/* A kernel of several messages ends when the last of all has come. They are called one after another. */
static void find_leads(const struct lines *lines, uint32_t r, struct arena *arena)
{
    struct line *line = &lines->at[r];
    const struct rank_collective *all = line->numbers->collectives;
    const uint32_t count = line->numbers->collective_count;
    line->lead = arena_array(arena, count, sizeof *line->lead);
    for (uint32_t first = 0, end; first < count; first = end) {
        uint32_t lead = first;
        for (end = first + 1; end < count && in_one_kernel(&all[first].of, &all[end].of); end++)
            lead = last_of(lines, r, end) > last_of(lines, r, lead) ? end : lead;
        for (uint32_t i = first; i < end; i++)
            line->lead[i] = lead;
    }
}

static uint32_t *none_of(uint32_t count, struct arena *arena)
{
    uint32_t *out = arena_array(arena, count, sizeof *out);
    memset(out, 0xFF, count * sizeof *out); /* NO_MEETING */
    return out;
}

/* A rank without collectives has no strip: what it did is not known, but when it began and ended. */
static const struct strip *without_collectives(const struct strip *strip, struct arena *arena)
{
    struct strip *out = arena_alloc(arena, sizeof *out);
    *out = (struct strip){.first_ns = strip->first_ns, .last_ns = strip->last_ns, .way_count = 1};
    out->ways = arena_array(arena, 1, sizeof *out->ways);
    return out;
}

static int64_t first_start(const struct lines *lines)
{
    int64_t first_ns = INT64_MAX;
    for (uint32_t r = 0; r < lines->count; r++)
        first_ns = smaller_of(first_ns, line_time_ns(lines, r, lines->at[r].strip->first_ns));
    return first_ns;
}

bool lines_of(const struct job_rank *ranks, uint32_t count, const struct ranks *merged, struct arena *arena,
              struct lines *out)
{
    *out = (struct lines){.ranks = merged, .count = count, .at = arena_array(arena, count, sizeof *out->at)};
    for (uint32_t r = 0; r < count; r++) {
        const struct rank_numbers *numbers = ranks[r].numbers;
        const struct strip *strip = ranks[r].strip;
        if (strip && !strip->way_count && !numbers->collective_count)
            strip = without_collectives(strip, arena);
        if (!strip || strip->way_count != numbers->collective_count + 1)
            return false;
        out->at[r] = (struct line){
            strip, numbers, NULL, none_of(numbers->collective_count, arena), none_of(numbers->collective_count, arena),
            NULL};
    }
    out->start_ns = first_start(out);
    number_kinds(out, arena);
    out->meetings = arena_array(arena, merged->meeting_count, sizeof *out->meetings);
    for (uint32_t i = 0; i < merged->meeting_count; i++)
        attend(out, i);
    for (uint32_t r = 0; r < count; r++)
        find_leads(out, r, arena);
    return true;
}

/* ---- times ---- */

int64_t line_entry_ns(const struct lines *lines, uint32_t rank, uint32_t collective)
{
    return ranks_entry_ns(lines->ranks, rank, collective);
}

int64_t line_exit_ns(const struct lines *lines, uint32_t rank, uint32_t collective)
{
    return ranks_exit_ns(lines->ranks, rank, collective);
}

const struct line_meeting *line_blocking(const struct lines *lines, uint32_t rank, uint32_t collective)
{
    const uint32_t meeting = lines->at[rank].meeting[collective];
    return meeting == NO_MEETING || !lines->meetings[meeting].blocking ? NULL : &lines->meetings[meeting];
}

/* ---- shares ---- */

void line_share(int64_t amount, const int64_t *weights, uint32_t count, int64_t *shares)
{
    struct arena scratch = {0};
    struct keyed *rest = arena_array(&scratch, count, sizeof *rest);
    __int128 sum = 0;
    int64_t left = amount;
    for (uint32_t i = 0; i < count; i++)
        sum += weights[i];
    for (uint32_t i = 0; i < count && sum; i++) {
        const __int128 product = (__int128)amount * weights[i];
        shares[i] = (int64_t)(product / sum);
        rest[i] = (struct keyed){-(int64_t)(product % sum), i};
        left -= shares[i];
    }
    sort_keyed(rest, count);
    for (uint32_t i = 0; sum && left > 0; i++, left--)
        shares[rest[i].row]++;
    arena_free(&scratch);
}

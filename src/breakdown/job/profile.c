/* SPDX-License-Identifier: Apache-2.0 */
#include "profile.h"

#include "base/mem.h"
#include "base/order.h"

struct back {
    const struct lines *lines;
    uint32_t rank;
    int64_t from_ns, time_ns; /* known from time_ns on */
    struct strip_link at;
    struct profile *out;
};

static void add(struct profile *out, uint32_t kind, int64_t ns)
{
    if (ns <= 0)
        return;
    if (!out->ns[kind])
        out->seen[out->seen_count++] = kind;
    out->ns[kind] += ns;
}

/* All of a stretch; of one that begins before, in proportion. */
static void add_stretch(struct back *b, uint32_t index)
{
    const struct line *line = &b->lines->at[b->rank];
    const struct strip_stretch *stretch = &line->strip->stretches[index];
    const int64_t start = line_time_ns(b->lines, b->rank, strip_start_ns(line->strip, stretch));
    const int64_t inside = b->time_ns - larger_of(start, b->from_ns), whole = strip_length_ns(line->strip, stretch);
    for (struct strip_walk walk = strip_walk(line->strip, stretch); inside > 0 && strip_next(&walk);)
        add(b->out, line->kind[walk.kind],
            start < b->from_ns ? (int64_t)((__int128)walk.ns * inside / whole) : walk.ns);
    b->time_ns = smaller_of(b->time_ns, start);
    b->at = stretch->before;
}

static void add_wait(struct profile *out, uint32_t collective, int64_t ns)
{
    if (ns <= 0)
        return;
    out->waits = mem_grow(out->waits, &out->wait_room, out->wait_count + 1, sizeof *out->waits);
    out->waits[out->wait_count++] = (struct line_wait){collective, ns};
}

/* Until the last had come it waited; then bytes moved. */
static void add_collective(struct back *b, uint32_t index)
{
    const struct line_meeting *met = line_blocking(b->lines, b->rank, index);
    const int64_t entry = larger_of(line_entry_ns(b->lines, b->rank, index), b->from_ns);
    const int64_t last = met ? smaller_of(met->last_ns, b->time_ns) : entry;
    if (met)
        add_wait(b->out, index, last - entry);
    add(b->out, met ? KIND_OF_TRANSFER : KIND_OF_COMMUNICATION, b->time_ns - larger_of(last, entry));
    b->time_ns = smaller_of(b->time_ns, entry);
    b->at = b->lines->at[b->rank].strip->ways[index];
}

static void clear(struct profile *out, uint32_t kinds)
{
    if (out->kinds != kinds) {
        profile_free(out);
        out->ns = mem_zeroed(kinds * sizeof *out->ns);
        out->seen = mem_alloc(kinds * sizeof *out->seen);
        out->kinds = kinds;
    }
    for (uint32_t i = 0; i < out->seen_count; i++)
        out->ns[out->seen[i]] = 0;
    out->seen_count = 0;
    out->wait_count = 0;
}

void profile_of(const struct lines *lines, uint32_t rank, uint32_t collective, int64_t from_ns, struct profile *out)
{
    const struct strip *strip = lines->at[rank].strip;
    struct back b = {lines, rank, from_ns, line_entry_ns(lines, rank, collective), strip->ways[collective], out};
    clear(out, lines->kind_count);
    for (uint64_t steps = 0; b.time_ns > from_ns && b.at.from != STRIP_START; steps++) {
        if (steps > 2 * ((uint64_t)strip->stretch_count + strip->way_count))
            return;
        if (b.at.from == STRIP_STRETCH)
            add_stretch(&b, b.at.index);
        else
            add_collective(&b, b.at.index);
    }
    if (from_ns > INT64_MIN) /* before its first event */
        add(out, KIND_OF_NOTHING, b.time_ns - from_ns);
}

void profile_free(struct profile *profile)
{
    mem_free(profile->ns);
    mem_free(profile->seen);
    mem_free(profile->waits);
    *profile = (struct profile){0};
}

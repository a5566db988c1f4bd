/* SPDX-License-Identifier: Apache-2.0 */
#include "across.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/order.h"

struct walk {
    const struct lines *lines;
    struct across *out;
    int64_t time_ns; /* the path is known from here on */
    uint32_t rank;
    struct strip_link at; /* what goes before */
    struct map places;    /* a rank and a kind to the index of its sum */
    size_t part_room, sum_room, crossing_room;
    int64_t *weights, *shares; /* of the pieces of one stretch */
};

/* ---- sums ---- */

static void add(struct walk *w, uint32_t kind, int64_t ns)
{
    struct across *out = w->out;
    if (ns <= 0)
        return;
    const uint32_t rank = kind == KIND_OF_TRANSFER ? NO_RANK : w->rank;
    const int64_t key = (int64_t)((uint64_t)rank << 32 | kind);
    uint32_t place = map_get(&w->places, key);
    if (place == MAP_NONE) {
        place = out->sum_count++;
        out->sums = mem_grow(out->sums, &w->sum_room, out->sum_count, sizeof *out->sums);
        out->sums[place] = (struct across_sum){rank, kind, 0};
        map_put(&w->places, key, place);
    }
    out->sums[place].ns += ns;
}

/* The path goes back to start_ns on this rank. */
static void go_back(struct walk *w, int64_t start_ns, bool transfer)
{
    struct across *out = w->out;
    struct across_part *newest = out->part_count ? &out->parts[out->part_count - 1] : NULL;
    if (start_ns >= w->time_ns)
        return;
    if (newest && newest->rank == w->rank && newest->transfer == transfer) {
        newest->start_ns = start_ns;
    } else {
        out->parts = mem_grow(out->parts, &w->part_room, out->part_count + 1, sizeof *out->parts);
        out->parts[out->part_count++] = (struct across_part){start_ns, w->time_ns, w->rank, transfer};
    }
    w->time_ns = start_ns;
}

static void take(struct walk *w, uint32_t kind, int64_t start_ns)
{
    const int64_t start = larger_of(start_ns, w->out->start_ns);
    add(w, kind, w->time_ns - start);
    go_back(w, start, kind == KIND_OF_TRANSFER);
}

/* ---- stretches ---- */

/* Where clocks drift, or only a part of it is on the path, its pieces take their share of the time that there is. */
static void take_stretch(struct walk *w, uint32_t index)
{
    const struct line *line = &w->lines->at[w->rank];
    const struct strip_stretch *stretch = &line->strip->stretches[index];
    const int64_t start =
        larger_of(smaller_of(line_time_ns(w->lines, w->rank, strip_start_ns(line->strip, stretch)), w->time_ns),
                  w->out->start_ns);
    const int64_t ns = w->time_ns - start;
    uint32_t count = 0;
    for (struct strip_walk walk = strip_walk(line->strip, stretch); strip_next(&walk);)
        w->weights[count++] = walk.ns;
    const int64_t *shares = w->weights;
    if (ns != strip_length_ns(line->strip, stretch)) {
        line_share(ns, w->weights, count, w->shares);
        shares = w->shares;
    }
    for (struct strip_walk walk = strip_walk(line->strip, stretch); strip_next(&walk);)
        add(w, line->kind[walk.kind], *shares++);
    go_back(w, start, false);
    w->at = stretch->before;
}

/* ---- collectives ---- */

static void cross(struct walk *w, uint32_t collective, const struct line_meeting *met)
{
    struct across *out = w->out;
    const uint32_t meeting = w->lines->at[w->rank].meeting[collective];
    out->crossings = mem_grow(out->crossings, &w->crossing_room, out->crossing_count + 1, sizeof *out->crossings);
    out->crossings[out->crossing_count++] = (struct crossing){w->time_ns, w->rank, met->last_rank, meeting,
                                                              met->last_ns - met->next_ns <= w->lines->ranks->tie_ns};
    w->rank = met->last_rank;
    w->at = w->lines->at[w->rank].strip->ways[met->last_index];
}

/* The path came to it before the last member did, and before its end: then nothing was waited for. */
static bool waited(const struct walk *w, uint32_t collective, const struct line_meeting *met)
{
    return w->time_ns >= met->last_ns || w->time_ns >= line_exit_ns(w->lines, w->rank, collective);
}

static void take_collective(struct walk *w, uint32_t any)
{
    const uint32_t collective = w->lines->at[w->rank].lead[any];
    const struct line_meeting *met = line_blocking(w->lines, w->rank, collective);
    const int64_t entry = line_entry_ns(w->lines, w->rank, collective);
    w->at = w->lines->at[w->rank].strip->ways[collective];
    if (!met || !waited(w, collective, met)) {
        take(w, KIND_OF_COMMUNICATION, entry);
        return;
    }
    take(w, KIND_OF_TRANSFER, smaller_of(met->last_ns, w->time_ns));
    if (met->last_rank != w->rank && met->last_ns > entry && w->time_ns > w->out->start_ns)
        cross(w, collective, met);
}

/* ---- the whole ---- */

static void find_ends(struct walk *w)
{
    const struct lines *lines = w->lines;
    struct across *out = w->out;
    out->start_ns = lines->start_ns;
    out->end_ns = INT64_MIN;
    for (uint32_t r = 0; r < lines->count; r++) {
        const int64_t last = line_time_ns(lines, r, lines->at[r].strip->last_ns);
        if (last > out->end_ns) {
            out->end_ns = last;
            w->rank = r;
        }
    }
    const struct strip *strip = lines->at[w->rank].strip;
    w->time_ns = out->end_ns;
    w->at = strip->ways[strip->way_count - 1];
}

/* Beyond this the links of what was read go in a circle. */
static uint64_t most_steps(const struct lines *lines)
{
    uint64_t steps = 0;
    for (uint32_t r = 0; r < lines->count; r++)
        steps += (uint64_t)lines->at[r].strip->stretch_count + lines->at[r].strip->way_count;
    return 2 * steps;
}

static uint32_t most_pieces(const struct lines *lines)
{
    uint32_t most = 0;
    for (uint32_t r = 0; r < lines->count; r++)
        for (uint32_t i = 0; i < lines->at[r].strip->stretch_count; i++)
            most = (uint32_t)larger_of(most, strip_walk(lines->at[r].strip, &lines->at[r].strip->stretches[i]).left);
    return most;
}

static int largest_first(const void *a, const void *b)
{
    const struct across_sum *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns < y->ns ? 1 : -1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->kind < y->kind ? -1 : 1;
}

static void finish(struct walk *w, struct arena *arena)
{
    struct across *out = w->out;
    for (uint32_t a = 0, b = out->crossing_count; a + 1 < b; a++) {
        const struct crossing swap = out->crossings[a];
        out->crossings[a] = out->crossings[--b];
        out->crossings[b] = swap;
    }
    if (out->sum_count)
        qsort(out->sums, out->sum_count, sizeof *out->sums, largest_first);
    out->parts = arena_move(arena, out->parts, out->part_count * sizeof *out->parts);
    out->sums = arena_move(arena, out->sums, out->sum_count * sizeof *out->sums);
    out->crossings = arena_move(arena, out->crossings, out->crossing_count * sizeof *out->crossings);
    map_free(&w->places);
}

struct across across_of(const struct lines *lines, struct arena *arena)
{
    struct arena scratch = {0};
    struct across out = {0};
    struct walk w = {.lines = lines, .out = &out};
    w.weights = arena_array(&scratch, most_pieces(lines), sizeof *w.weights);
    w.shares = arena_array(&scratch, most_pieces(lines), sizeof *w.shares);
    find_ends(&w);
    const uint64_t most = most_steps(lines);
    for (uint64_t steps = 0; w.time_ns > out.start_ns; steps++) {
        if (w.at.from == STRIP_START || steps > most)
            take(&w, KIND_OF_NOTHING, out.start_ns);
        else if (w.at.from == STRIP_STRETCH)
            take_stretch(&w, w.at.index);
        else
            take_collective(&w, w.at.index);
    }
    finish(&w, arena);
    arena_free(&scratch);
    return out;
}

bool across_check(const struct across *across)
{
    int64_t time_ns = across->end_ns, sum = 0;
    for (uint32_t i = 0; i < across->part_count; i++) {
        if (across->parts[i].end_ns != time_ns || across->parts[i].start_ns >= time_ns)
            return false;
        time_ns = across->parts[i].start_ns;
    }
    for (uint32_t i = 0; i < across->sum_count; i++)
        sum += across->sums[i].ns;
    return time_ns == across->start_ns && sum == across->end_ns - across->start_ns;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pieces of stretches. Of each list of kinds it is chosen which piece is not told, and whether the others are
 * expected from what the rank did between the collectives: what takes fewer bytes.
 */
#include <string.h>

#include "base/order.h"
#include "base/sum.h"
#include "breakdown/strip/strip_pieces.h"
#include "strip_code.h"
#include "times_code.h"

enum { MOST_PIECES = 1 << 24 };

/* ---- kinds of the pieces of a stretch ---- */

str strip_code_kinds(const struct strip_code *s, uint32_t stretch)
{
    return intern_text(s->lists, s->list[stretch]);
}

uint32_t strip_code_kind_at(str list, uint32_t i)
{
    uint32_t kind;
    memcpy(&kind, list.at + i * sizeof kind, sizeof kind);
    return kind;
}

uint32_t strip_code_piece_count(const struct strip_code *s, uint32_t stretch)
{
    return (uint32_t)(strip_code_kinds(s, stretch).len / sizeof(uint32_t));
}

/* ---- pieces ---- */

static enum rank_time time_of(const struct strip_code *s, uint32_t kind)
{
    switch (s->strip->kinds[kind].class) {
    case PATH_COMPUTE:
        return TIME_COMPUTE;
    case PATH_COMMUNICATION:
    case PATH_COLLECTIVE:
        return TIME_COMMUNICATION;
    case PATH_COPY:
    case PATH_MEMSET:
        return TIME_COPY;
    case PATH_LOADING:
        return TIME_LOADING;
    case PATH_FORWARD:
    case PATH_BACKWARD:
    case PATH_OPTIMIZER:
        return s->numbers->device ? TIME_HOST : TIME_COMPUTE;
    default:
        return TIME_HOST;
    }
}

/* A stretch from the end of one collective to the next has what the rank did in between. */
static bool has_before(const struct strip_code *s, uint32_t stretch)
{
    const uint32_t to = s->leads_to[stretch];
    const struct strip_link before = s->strip->stretches[stretch].before;
    return to < s->numbers->collective_count && before.from == STRIP_COLLECTIVE &&
           before.index == s->numbers->collectives[to].after;
}

/* Of each piece what is expected: of the last of a time what the others left of that, of any other nothing. */
struct expecting {
    int64_t left_ns[RANK_TIMES];
    bool expects;
};

static struct expecting expecting_of(const struct strip_code *s, uint32_t stretch)
{
    struct expecting e = {.expects = has_before(s, stretch) && s->about[s->list[stretch]].expects};
    if (e.expects) {
        const struct rank_before before = rank_before(&s->numbers->befores, s->leads_to[stretch]);
        memcpy(e.left_ns, before.ns[SINCE_COLLECTIVE], sizeof e.left_ns);
    }
    return e;
}

static bool is_last_of_time(const struct strip_code *s, str list, uint32_t piece)
{
    const uint32_t count = (uint32_t)(list.len / sizeof count);
    const enum rank_time time = time_of(s, strip_code_kind_at(list, piece));
    for (uint32_t k = piece + 1; k < count; k++)
        if (time_of(s, strip_code_kind_at(list, k)) == time)
            return false;
    return true;
}

static void code_piece(const struct strip_code *s, struct expecting *e, str list, uint32_t piece, int64_t *ns)
{
    const struct times_code times = {s->code, s->unit_ns, COLUMN_ODD};
    const uint32_t kind = strip_code_kind_at(list, piece), column = kind < KIND_COLUMNS ? kind : KIND_COLUMNS - 1;
    int64_t *const left = &e->left_ns[time_of(s, kind)];
    const bool expected = e->expects && is_last_of_time(s, list, piece);
    times_code(&times, column + (expected ? COLUMN_EXPECTED : COLUMN_PIECE), ns, expected ? larger_of(*left, 0) : 0,
               (struct code_bounds){0, STRIP_MOST_NS});
    *left -= *ns;
}

/* All but the one that is what the others leave. */
static void code_pieces_of(const struct strip_code *s, uint32_t stretch, int64_t *ns)
{
    const str list = strip_code_kinds(s, stretch);
    const uint32_t count = strip_code_piece_count(s, stretch), rest = s->about[s->list[stretch]].rest;
    int64_t left_ns = s->strip->stretches[stretch].end_ns - s->start_ns[stretch];
    struct expecting expecting = expecting_of(s, stretch);
    for (uint32_t k = 0; k < count; k++)
        if (k != rest) {
            code_piece(s, &expecting, list, k, &ns[k]);
            s->code->damaged |= ns[k] > left_ns;
            left_ns -= s->code->damaged ? 0 : ns[k];
        }
    s->code->damaged |= !count && left_ns;
    if (count)
        ns[rest] = left_ns;
}

/* Their number: of each stretch those of its list. */
static bool count_pieces(struct strip_code *s)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < s->strip->stretch_count && !s->code->damaged; i++)
        all += strip_code_piece_count(s, i);
    s->code->damaged |= all > MOST_PIECES;
    s->strip->piece_count = s->code->damaged ? 0 : (uint32_t)all;
    return !s->code->damaged;
}

struct pieces {
    uint32_t *kind;
    int64_t *ns;
};

static struct pieces pieces_of(const struct strip_code *s, struct arena *arena)
{
    const struct strip *strip = s->strip;
    struct pieces pieces = {arena_array(arena, strip->piece_count, sizeof *pieces.kind),
                            arena_array(arena, strip->piece_count, sizeof *pieces.ns)};
    for (uint32_t i = 0, piece = 0; i < strip->stretch_count; i++)
        for (uint32_t k = 0; k < strip_code_piece_count(s, i); k++)
            pieces.kind[piece++] = strip_code_kind_at(strip_code_kinds(s, i), k);
    for (uint32_t i = 0, piece = 0; i < strip->stretch_count && !code_reads(s->code); i++)
        for (struct strip_walk walk = strip_walk(strip, &strip->stretches[i]); strip_next(&walk); piece++)
            pieces.ns[piece] = walk.ns;
    return pieces;
}

static void pack(const struct strip_code *s, const struct pieces *pieces, struct arena *scratch)
{
    uint32_t *counts = arena_array(scratch, s->strip->stretch_count, sizeof *counts);
    for (uint32_t i = 0; i < s->strip->stretch_count; i++)
        counts[i] = strip_code_piece_count(s, i);
    strip_pack_known(s->strip, &(struct strip_known){counts, pieces->kind, pieces->ns}, s->code->arena);
}

/* ---- what is chosen by list ---- */

/* How many bits its pieces take with and without what is expected; the more of any list is gained by it, the more below 0. */
static int64_t gain_of(const struct strip_code *s, uint32_t stretch, const int64_t *ns)
{
    const str list = strip_code_kinds(s, stretch);
    struct expecting e = expecting_of(s, stretch);
    int64_t gain = 0;
    for (uint32_t k = 0; k < strip_code_piece_count(s, stretch) && e.expects; k++) {
        int64_t *const left = &e.left_ns[time_of(s, strip_code_kind_at(list, k))];
        if (k == s->about[s->list[stretch]].rest)
            continue;
        if (is_last_of_time(s, list, k))
            gain += noise_size(ns[k]) - noise_size(ns[k] - larger_of(*left, 0));
        *left -= ns[k];
    }
    return gain;
}

/* What is left over is best the longest. */
static void choose_rests(struct strip_code *s, const struct pieces *pieces, struct arena *scratch)
{
    const uint32_t lists = intern_count(s->lists);
    int64_t **sums = arena_array(scratch, lists, sizeof *sums);
    for (uint32_t i = 0, piece = 0; i < s->strip->stretch_count; i++) {
        const uint32_t list = s->list[i], count = strip_code_piece_count(s, i);
        if (!sums[list])
            sums[list] = arena_array(scratch, count, sizeof **sums);
        for (uint32_t k = 0; k < count; k++)
            sum_to(&sums[list][k], pieces->ns[piece++]);
        for (uint32_t k = 0; k < count; k++)
            s->about[list].rest = sums[list][k] >= sums[list][s->about[list].rest] ? k : s->about[list].rest;
    }
}

static void choose_expects(struct strip_code *s, const struct pieces *pieces, struct arena *scratch)
{
    const uint32_t lists = intern_count(s->lists);
    int64_t *gain = arena_array(scratch, lists, sizeof *gain);
    for (uint32_t list = 0; list < lists; list++)
        s->about[list].expects = true;
    for (uint32_t i = 0, piece = 0; i < s->strip->stretch_count; piece += strip_code_piece_count(s, i), i++)
        gain[s->list[i]] += gain_of(s, i, pieces->ns + piece);
    for (uint32_t list = 0; list < lists; list++)
        s->about[list].expects = gain[list] > 0;
}

static void code_abouts(struct strip_code *s, const struct pieces *pieces, struct arena *scratch)
{
    const uint32_t lists = intern_count(s->lists);
    s->about = arena_array(scratch, lists, sizeof *s->about);
    if (!code_reads(s->code)) {
        choose_rests(s, pieces, scratch);
        choose_expects(s, pieces, scratch);
    }
    for (uint32_t list = 0; list < lists; list++) {
        const uint32_t count = (uint32_t)(intern_text(s->lists, list).len / sizeof count);
        code_small(s->code, &s->about[list].rest, count ? count : 1);
        code_bool(s->code, &s->about[list].expects);
    }
}

void strip_code_pieces(struct strip_code *s)
{
    struct arena scratch = {0};
    if (count_pieces(s)) {
        struct pieces pieces = pieces_of(s, &scratch);
        code_abouts(s, &pieces, &scratch);
        for (uint32_t i = 0, piece = 0; i < s->strip->stretch_count && !s->code->damaged; i++) {
            code_pieces_of(s, i, pieces.ns + piece);
            piece += strip_code_piece_count(s, i);
        }
        if (code_reads(s->code) && !s->code->damaged)
            pack(s, &pieces, &scratch);
    }
    arena_free(&scratch);
}

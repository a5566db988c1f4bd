/* SPDX-License-Identifier: Apache-2.0 */
#include "coarse.h"

#include <stdlib.h>

#include "base/order.h"
#include "breakdown/strip/strip_pieces.h"
#include "times_code.h"

const struct coarse_level coarse_levels[COARSE_LEVELS] = {
    {.digits = 0, .entry_bits = 0, .spent_bits = 0},   {.digits = 0, .entry_bits = 0, .spent_bits = 7},
    {.digits = 0, .entry_bits = 0, .spent_bits = 9},   {.digits = 10, .entry_bits = 6, .spent_bits = 9},
    {.digits = 9, .entry_bits = 6, .spent_bits = 9},   {.digits = 8, .entry_bits = 6, .spent_bits = 9},
    {.digits = 8, .entry_bits = 6, .spent_bits = 10},  {.digits = 7, .entry_bits = 9, .spent_bits = 10},
    {.digits = 6, .entry_bits = 10, .spent_bits = 11}, {.digits = 6, .entry_bits = 11, .spent_bits = 13},
    {.digits = 5, .entry_bits = 12, .spent_bits = 16}, {.digits = 4, .entry_bits = 13, .spent_bits = 17},
    {.digits = 3, .entry_bits = 14, .spent_bits = 18},
};

/* What was told too short so far, which is told later. Where much more is owed, it is told nowhere. */
static int64_t owed_after(int64_t wanted, int64_t told, uint32_t bits)
{
    const int64_t most = (int64_t)4 << bits;
    return smaller_of(larger_of(wanted - told, -most), most);
}

/* As a multiple of the unit from 0 to the most. */
static int64_t told_within(int64_t wanted, int64_t most, uint32_t bits)
{
    const int64_t told = larger_of(coarse_rounded(wanted, bits), 0);
    return told <= most ? told : larger_of(most, 0) >> bits << bits;
}

/* ---- the numbers ---- */

static int64_t end_of(const struct collective *of)
{
    return of->start_ns + of->dur_ns;
}

static void round_collectives(struct rank_numbers *out, const struct coarse_times *times)
{
    out->rounding.rounded = out->rounding.entry_bits = 0;
    for (uint32_t i = 0; i < out->collective_count; i++) {
        struct collective *of = &out->collectives[i].of;
        const int64_t end_ns = coarse_rounded(end_of(of), times->bits[i]);
        out->collectives[i].bits = times->bits[i];
        of->call_ns = coarse_rounded(of->call_ns, times->bits[i]);
        of->start_ns = coarse_rounded(of->start_ns, times->bits[i]);
        of->dur_ns = of->dur_ns < 0 ? -1 : end_ns - of->start_ns;
        out->rounding.rounded += times->bits[i] > 0;
        out->rounding.entry_bits = (uint32_t)larger_of(out->rounding.entry_bits, times->bits[i]);
    }
}

/* Between two collectives: the rest is what the others leave of the time between these as they are told. */
static void round_since_collective(const struct rank_numbers *out, uint32_t i, int64_t *ns, int64_t *owed)
{
    const struct rank_collective *at = &out->collectives[i];
    const uint32_t bits = out->rounding.spent_bits;
    if (at->after == RANK_FIRST)
        return;
    int64_t left_ns = at->of.call_ns - smaller_of(end_of(&out->collectives[at->after].of), at->of.call_ns);
    for (int time = 0; time < RANK_TIMES; time++) {
        if (time == (int)out->rounding.rest)
            continue;
        const int64_t wanted = ns[time] + owed[time];
        ns[time] = told_within(wanted, left_ns, bits);
        owed[time] = owed_after(wanted, ns[time], bits);
        left_ns -= ns[time];
    }
    ns[out->rounding.rest] = left_ns;
}

/* What follows from what was told before is told so, unless it is off by a unit. */
static void round_since_step(const struct rank_numbers *out, uint32_t i, const struct rank_before *last,
                             struct rank_before *now)
{
    const struct rank_collective *at = &out->collectives[i];
    const int64_t unit = (int64_t)1 << out->rounding.spent_bits;
    if (!i || at->of.step != out->collectives[i - 1].of.step)
        return;
    int64_t left_ns = at->of.call_ns - out->collectives[i - 1].of.call_ns;
    for (int time = 0; time < RANK_TIMES; time++) {
        const int64_t expected = last->ns[SINCE_STEP][time] + now->ns[SINCE_COLLECTIVE][time];
        int64_t *const ns = &now->ns[SINCE_STEP][time];
        left_ns += last->ns[SINCE_STEP][time];
        if (time == TIME_COMMUNICATION)
            continue;
        *ns = llabs(expected - *ns) <= unit ? expected : *ns;
        left_ns -= *ns;
    }
    int64_t *const ns = &now->ns[SINCE_STEP][TIME_COMMUNICATION];
    *ns = left_ns >= 0 && llabs(left_ns - *ns) <= 4 * unit ? left_ns : *ns;
}

static void round_before(struct rank_numbers *out, struct arena *arena)
{
    struct arena scratch = {0};
    int64_t owed[RANK_TIMES] = {0};
    struct rank_before *before = arena_array(&scratch, out->collective_count, sizeof *before);
    for (uint32_t i = 0; i < out->collective_count; i++) {
        before[i] = rank_before(&out->befores, i);
        round_since_collective(out, i, before[i].ns[SINCE_COLLECTIVE], owed);
        round_since_step(out, i, i ? &before[i - 1] : NULL, &before[i]);
    }
    out->befores = rank_befores_of(before, out->collective_count, arena);
    arena_free(&scratch);
}

static struct rank_numbers coarse_numbers(const struct rank_numbers *numbers, const struct coarse_times *times,
                                          struct arena *arena)
{
    struct rank_numbers out = *numbers;
    out.rounding.spent_bits = times->spent_bits;
    out.rounding.rest = times_largest(numbers);
    out.collectives = arena_array(arena, numbers->collective_count, sizeof *out.collectives);
    for (uint32_t i = 0; i < numbers->collective_count; i++)
        out.collectives[i] = numbers->collectives[i];
    round_collectives(&out, times);
    round_before(&out, arena);
    return out;
}

/* ---- the strip ---- */

struct coarsening {
    const struct strip *from;
    const struct coarse_times *times;
    struct strip out;
    struct strip_packing packing;
    struct strip_piece *pieces; /* of one stretch */
    int64_t *owed;              /* by kind: what its pieces were told too short so far */
    int64_t *ends;              /* by stretch as it was: its end now */
    struct strip_link *link;    /* and what leads to that: itself by its new number, or what went before it */
};

static struct strip_link resolved(const struct coarsening *c, struct strip_link link)
{
    return link.from == STRIP_STRETCH ? c->link[link.index] : link;
}

static int64_t start_of(const struct coarsening *c, const struct strip_stretch *stretch)
{
    if (stretch->before.from == STRIP_STRETCH)
        return c->ends[stretch->before.index];
    return coarse_time(c->times, strip_start_ns(c->from, stretch));
}

/* That which takes most comes last, and is what the others leave. */
static uint32_t take_pieces(struct coarsening *c, const struct strip_stretch *stretch)
{
    uint32_t count = 0, most = 0;
    for (struct strip_walk walk = strip_walk(c->from, stretch); strip_next(&walk); count++) {
        c->pieces[count] = (struct strip_piece){walk.ns, c->from->kinds[walk.kind]};
        c->pieces[count].kind.name = walk.kind; /* for a moment, the number of the kind */
        most = c->pieces[count].ns > c->pieces[most].ns ? count : most;
    }
    const struct strip_piece largest = c->pieces[most];
    c->pieces[most] = c->pieces[count - 1];
    c->pieces[count - 1] = largest;
    return count;
}

static void put(struct coarsening *c, uint32_t *kept, const struct strip_piece *piece, int64_t ns)
{
    const uint32_t kind = piece->kind.name;
    c->owed[kind] = owed_after(c->owed[kind] + piece->ns, ns, c->times->spent_bits);
    if (ns)
        c->pieces[(*kept)++] = (struct strip_piece){ns, c->from->kinds[kind]};
}

static uint32_t round_pieces(struct coarsening *c, uint32_t count, int64_t length_ns)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct strip_piece piece = c->pieces[i];
        int64_t ns = length_ns;
        if (i + 1 < count)
            ns = told_within(piece.ns + c->owed[piece.kind.name], length_ns, c->times->spent_bits);
        length_ns -= ns;
        put(c, &kept, &piece, ns);
    }
    return kept;
}

static void coarse_stretch(struct coarsening *c, uint32_t index)
{
    const struct strip_stretch *stretch = &c->from->stretches[index];
    const int64_t start_ns = start_of(c, stretch);
    c->ends[index] = larger_of(coarse_time(c->times, stretch->end_ns), start_ns);
    const uint32_t count = round_pieces(c, take_pieces(c, stretch), c->ends[index] - start_ns);
    if (!count) {
        c->link[index] = resolved(c, stretch->before);
        return;
    }
    struct strip_stretch *out = &c->out.stretches[c->out.stretch_count];
    c->link[index] = (struct strip_link){STRIP_STRETCH, c->out.stretch_count++};
    *out = (struct strip_stretch){.end_ns = c->ends[index], .before = resolved(c, stretch->before)};
    strip_pack(&c->packing, c->pieces, count, out);
}

static uint32_t most_pieces(const struct strip *strip)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < strip->stretch_count; i++) {
        const uint32_t count = strip_walk(strip, &strip->stretches[i]).left;
        most = count > most ? count : most;
    }
    return most;
}

static struct strip coarse_strip(const struct strip *strip, const struct coarse_times *times, struct arena *arena)
{
    struct arena scratch = {0};
    struct coarsening c = {.from = strip, .times = times, .out = *strip};
    c.pieces = arena_array(&scratch, most_pieces(strip), sizeof *c.pieces);
    c.owed = arena_array(&scratch, strip->kind_count, sizeof *c.owed);
    c.ends = arena_array(&scratch, strip->stretch_count, sizeof *c.ends);
    c.link = arena_array(&scratch, strip->stretch_count, sizeof *c.link);
    c.out.stretches = arena_array(arena, strip->stretch_count, sizeof *c.out.stretches);
    c.out.ways = arena_array(arena, strip->way_count, sizeof *c.out.ways);
    c.out.first_ns = coarse_time(times, strip->first_ns);
    c.out.last_ns = coarse_time(times, strip->last_ns);
    c.out.stretch_count = 0;
    for (uint32_t i = 0; i < strip->stretch_count; i++)
        coarse_stretch(&c, i);
    for (uint32_t i = 0; i < strip->way_count; i++)
        c.out.ways[i] = resolved(&c, strip->ways[i]);
    strip_packed(&c.packing, arena, &c.out);
    arena_free(&scratch);
    return c.out;
}

struct coarse_rank coarse_rank(const struct rank_numbers *numbers, const struct strip *strip,
                               const struct coarse_level *level, struct arena *arena)
{
    struct arena scratch = {0};
    const struct coarse_times times = coarse_times_of(numbers, level, &scratch);
    const struct coarse_rank out = {coarse_numbers(numbers, &times, arena), coarse_strip(strip, &times, arena)};
    arena_free(&scratch);
    return out;
}

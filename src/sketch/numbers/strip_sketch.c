/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Most of a strip follows from the rest: a stretch begins where what goes before it ends, and ends at the call of a
 * collective that it leads to; its last piece is what the others leave. Only what differs from that costs more than a byte.
 */
#include "strip_sketch.h"

#include "base/error.h"
#include "base/sort.h"
#include "base/sum.h"
#include "breakdown/strip/strip_pieces.h"
#include "ops/rows/phase.h"
#include "words.h"

static const int64_t most_ns = (int64_t)1 << 60;

enum { MOST_INDEX = (1 << 30) - 1 };

struct strip_code {
    struct code *code;
    struct strip *strip;
    const struct rank_numbers *numbers;
    uint32_t next[STRIP_COLLECTIVE + 1]; /* by what a link leads to: the index behind the last one */
    int64_t *start_ns;                   /* by stretch, as the next */
    uint32_t *pieces;                    /* how many */
};

/* ---- links ---- */

static void code_from(struct strip_code *s, struct strip_link *link)
{
    uint32_t from = link->from;
    code_small(s->code, &from, STRIP_COLLECTIVE + 1);
    link->from = from & 3;
}

/* Links mostly lead to one after another. */
static void code_index(struct strip_code *s, struct strip_link *link)
{
    if (link->from == STRIP_START)
        return;
    int64_t index = link->index;
    code_int(s->code, &index, s->next[link->from], 0, MOST_INDEX);
    link->index = (uint32_t)index & MOST_INDEX;
    s->next[link->from] = link->index + 1;
}

static void code_ways(struct strip_code *s)
{
    struct strip *strip = s->strip;
    bool any = strip->way_count;
    code_bool(s->code, &any);
    strip->way_count = any ? s->numbers->collective_count + 1 : 0;
    if (code_reads(s->code))
        strip->ways = arena_array(s->code->arena, strip->way_count, sizeof *strip->ways);
    for (uint32_t i = 0; i < strip->way_count; i++)
        code_from(s, &strip->ways[i]);
    for (uint32_t i = 0; i < strip->way_count; i++)
        code_index(s, &strip->ways[i]);
}

/* ---- stretches ---- */

static int64_t end_of(const struct strip_code *s, uint32_t collective)
{
    if (collective >= s->numbers->collective_count)
        return 0;
    const struct collective *of = &s->numbers->collectives[collective].of;
    return of->dur_ns < 0 ? of->call_ns : of->start_ns + of->dur_ns;
}

static int64_t start_expected(const struct strip_code *s, uint32_t stretch)
{
    const struct strip_link before = s->strip->stretches[stretch].before;
    if (before.from == STRIP_START)
        return s->strip->first_ns;
    if (before.from == STRIP_COLLECTIVE)
        return end_of(s, before.index);
    return before.index < stretch ? s->strip->stretches[before.index].end_ns : 0;
}

/* Where ways come from: of each stretch that a way ends with, the call there. */
static int64_t *ends_expected(const struct strip_code *s, struct arena *arena)
{
    const struct strip *strip = s->strip;
    int64_t *ends = arena_array(arena, strip->stretch_count, sizeof *ends);
    for (uint32_t i = 0; i < strip->stretch_count; i++)
        ends[i] = INT64_MIN;
    for (uint32_t i = 0; i < strip->way_count; i++)
        if (strip->ways[i].from == STRIP_STRETCH && strip->ways[i].index < strip->stretch_count)
            ends[strip->ways[i].index] =
                i < s->numbers->collective_count ? s->numbers->collectives[i].of.call_ns : strip->last_ns;
    return ends;
}

static void code_stretches(struct strip_code *s)
{
    struct arena scratch = {0};
    struct strip_stretch *const at = s->strip->stretches;
    const uint32_t count = s->strip->stretch_count;
    const int64_t *ends = ends_expected(s, &scratch);
    s->next[STRIP_STRETCH] = s->next[STRIP_COLLECTIVE] = 0;
    for (uint32_t i = 0; i < count; i++)
        code_from(s, &at[i].before);
    for (uint32_t i = 0; i < count; i++)
        code_index(s, &at[i].before);
    for (uint32_t i = 0; i < count; i++) {
        code_int(s->code, &s->start_ns[i], start_expected(s, i), -most_ns, most_ns);
        code_int(s->code, &at[i].end_ns, ends[i] == INT64_MIN ? s->start_ns[i] : ends[i], s->start_ns[i], most_ns);
    }
    arena_free(&scratch);
}

/* ---- kinds of pieces: each once ---- */

static void code_kind(struct strip_code *s, struct strip_kind *kind)
{
    int class = kind->class, cause = kind->cause, phase = kind->phase;
    code_word(s->code, &sketch_path_classes, &class);
    code_word(s->code, &sketch_causes, &cause);
    code_word(s->code, &sketch_phases, &phase);
    code_small(s->code, &kind->name, s->strip->name_count);
    kind->class = (uint8_t) class;
    kind->cause = (uint8_t)cause;
    kind->phase = (uint8_t)(phase < PHASES ? phase : PHASE_NONE);
}

static void code_kinds(struct strip_code *s)
{
    struct strip *strip = s->strip;
    code_count(s->code, &strip->kind_count);
    struct strip_kind *const kinds =
        code_reads(s->code) ? arena_array(s->code->arena, strip->kind_count, sizeof *kinds) : NULL;
    for (uint32_t i = 0; i < strip->kind_count; i++) {
        struct strip_kind kind = kinds ? (struct strip_kind){0} : strip->kinds[i];
        code_kind(s, &kind);
        if (kinds)
            kinds[i] = kind;
    }
    if (kinds)
        strip->kinds = kinds;
}

/* ---- pieces, of all stretches one behind the other ---- */

struct pieces {
    uint32_t *kind;
    int64_t *ns;
};

static struct pieces pieces_of(const struct strip_code *s, struct arena *arena)
{
    const struct strip *strip = s->strip;
    struct pieces pieces = {arena_array(arena, strip->piece_count, sizeof *pieces.kind),
                            arena_array(arena, strip->piece_count, sizeof *pieces.ns)};
    for (uint32_t i = 0, piece = 0; i < strip->stretch_count && !code_reads(s->code); i++)
        for (struct strip_walk walk = strip_walk(strip, &strip->stretches[i]); strip_next(&walk); piece++) {
            pieces.kind[piece] = walk.kind;
            pieces.ns[piece] = walk.ns;
        }
    return pieces;
}

static void code_counts(struct strip_code *s)
{
    struct strip *strip = s->strip;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < strip->stretch_count; i++) {
        code_count(s->code, &s->pieces[i]);
        sum += s->pieces[i];
    }
    uint32_t count = (uint32_t)sum;
    code_count(s->code, &count); /* so many there are, and no more than bytes are left */
    s->code->damaged |= count != sum;
    strip->piece_count = s->code->damaged ? 0 : count;
}

/* The pieces by kind, but for the last of each stretch, which is what the others leave. Times of one kind are alike. */
static const struct keyed *by_kind(const struct strip_code *s, const struct pieces *pieces, uint32_t *count,
                                   struct arena *arena)
{
    struct keyed *order = arena_array(arena, s->strip->piece_count, sizeof *order);
    *count = 0;
    for (uint32_t i = 0, piece = 0; i < s->strip->stretch_count; i++)
        for (uint32_t k = 1; k <= s->pieces[i]; k++, piece++)
            if (k < s->pieces[i])
                order[(*count)++] = (struct keyed){pieces->kind[piece], piece};
    sort_keyed(order, *count);
    return order;
}

/* What the pieces of a stretch leave goes to the last of them. */
static bool fill_last(int64_t length_ns, int64_t *ns, uint32_t count)
{
    int64_t sum = 0;
    for (uint32_t k = 1; k < count; k++)
        sum_to(&sum, ns[k - 1]);
    if (count)
        ns[count - 1] = length_ns - sum;
    return count ? sum <= length_ns : !length_ns;
}

static void code_times(struct strip_code *s, struct pieces *pieces, struct arena *arena)
{
    uint32_t count;
    const struct strip *strip = s->strip;
    const struct keyed *order = by_kind(s, pieces, &count, arena);
    for (uint32_t i = 0; i < count; i++)
        code_int(s->code, &pieces->ns[order[i].row], 0, 0, most_ns);
    for (uint32_t i = 0, piece = 0; i < strip->stretch_count && code_reads(s->code); i++) {
        s->code->damaged |= !fill_last(strip->stretches[i].end_ns - s->start_ns[i], pieces->ns + piece, s->pieces[i]);
        piece += s->pieces[i];
    }
}

static void code_pieces(struct strip_code *s)
{
    struct arena scratch = {0};
    struct strip *strip = s->strip;
    code_kinds(s);
    code_counts(s);
    struct pieces pieces = pieces_of(s, &scratch);
    for (uint32_t i = 0; i < strip->piece_count; i++)
        code_small(s->code, &pieces.kind[i], strip->kind_count);
    if (!s->code->damaged)
        code_times(s, &pieces, &scratch);
    if (code_reads(s->code) && !s->code->damaged)
        strip_pack_known(strip, &(struct strip_known){s->pieces, pieces.kind, pieces.ns}, s->code->arena);
    arena_free(&scratch);
}

/* ---- the section ---- */

static void code_names(struct strip_code *s)
{
    struct strip *strip = s->strip;
    code_count(s->code, &strip->name_count);
    str *const names =
        code_reads(s->code) ? arena_array(s->code->arena, strip->name_count, sizeof *names) : strip->names;
    for (uint32_t i = 0; i < strip->name_count; i++) {
        str name = names[i];
        code_kept(s->code, &name);
        if (code_reads(s->code))
            names[i] = name;
    }
    strip->names = names;
}

/* What the stretches say when their pieces are asked. */
static void unpack_stretches(struct strip_code *s, struct arena *arena)
{
    const struct strip *strip = s->strip;
    s->start_ns = arena_array(arena, strip->stretch_count, sizeof *s->start_ns);
    s->pieces = arena_array(arena, strip->stretch_count, sizeof *s->pieces);
    for (uint32_t i = 0; i < strip->stretch_count && !code_reads(s->code); i++) {
        s->start_ns[i] = strip_start_ns(strip, &strip->stretches[i]);
        s->pieces[i] = strip_walk(strip, &strip->stretches[i]).left;
    }
}

static void code_strip(struct strip_code *s)
{
    struct arena scratch = {0};
    struct strip *strip = s->strip;
    code_int(s->code, &strip->first_ns, 0, -most_ns, most_ns);
    code_int(s->code, &strip->last_ns, strip->first_ns, -most_ns, most_ns);
    code_ways(s);
    code_count(s->code, &strip->stretch_count);
    if (code_reads(s->code))
        strip->stretches = arena_array(s->code->arena, strip->stretch_count, sizeof *strip->stretches);
    unpack_stretches(s, &scratch);
    code_stretches(s);
    code_names(s);
    code_pieces(s);
    arena_free(&scratch);
}

/* Counts and links pass through the code, which is handed places to write to. */
static struct strip copy_of(const struct strip *strip, struct arena *arena)
{
    struct strip copy = *strip;
    copy.stretches = arena_array(arena, strip->stretch_count, sizeof *copy.stretches);
    for (uint32_t i = 0; i < strip->stretch_count; i++)
        copy.stretches[i] = strip->stretches[i];
    return copy;
}

str strip_sketch_write(const struct strip *strip, const struct rank_numbers *numbers, struct arena *arena)
{
    struct arena scratch = {0};
    struct buf bytes = {0};
    struct code code = code_writer(&bytes);
    struct strip copy = copy_of(strip, &scratch);
    code_strip(&(struct strip_code){&code, &copy, numbers, {0}, NULL, NULL});
    const str section = str_copy(arena, buf_str(&bytes));
    buf_free(&bytes);
    arena_free(&scratch);
    return section;
}

bool strip_sketch_read(const struct sketch *sketch, const struct rank_numbers *numbers, struct arena *arena,
                       struct strip *out, struct steptime_error *err)
{
    struct code code = sketch_section(sketch, SKETCH_STRIP, arena);
    *out = (struct strip){0};
    code_strip(&(struct strip_code){&code, out, numbers, {0}, NULL, NULL});
    return (code_whole(&code) && strip_check(out)) ||
           fail(err, STEPTIME_INPUT,
                sketch->sections[SKETCH_STRIP].len ? "is a damaged sketch" : "is a sketch without a strip");
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Most of a strip follows from the rest: a stretch begins where what goes before it ends, and ends at the call of a
 * collective that it leads to; its longest piece is what the others leave. Between two collectives its pieces are what
 * the rank did there (struct rank_before), often in so many words. Only what differs from that costs more than a byte.
 */
#include "strip_sketch.h"

#include "base/error.h"
#include "base/sort.h"
#include "breakdown/strip/strip_pieces.h"
#include "ops/rows/phase.h"
#include "strip_code.h"
#include "times_code.h"
#include "words.h"

enum { MOST_INDEX = (1 << 30) - 1, MOST_IN_LIST = 1 << 12 };

/* ---- links ---- */

/* A stretch as it differs from the one expected, a collective from that behind the last one. told: more follows of it. */
static void code_link(struct strip_code *s, struct strip_link *link, int64_t stretch, bool *told)
{
    uint32_t what = (uint32_t)link->from + 3 * *told;
    code_small(s->code, &what, 6);
    link->from = what % 3 & 3;
    *told = what >= 3;
    if (link->from == STRIP_START)
        return;
    int64_t index = link->index;
    code_int(s->code, &index, link->from == STRIP_STRETCH ? stretch : s->next, 0, MOST_INDEX);
    link->index = (uint32_t)index & MOST_INDEX;
    if (link->from == STRIP_COLLECTIVE)
        s->next = link->index + 1;
}

static void code_ways(struct strip_code *s)
{
    struct strip *strip = s->strip;
    bool any = strip->way_count;
    code_bool(s->code, &any);
    strip->way_count = any ? s->numbers->collective_count + 1 : 0;
    if (code_reads(s->code))
        strip->ways = arena_array(s->code->arena, strip->way_count, sizeof *strip->ways);
    for (uint32_t i = 0, last = 0; i < strip->way_count; i++) {
        bool told = false;
        code_link(s, &strip->ways[i], (int64_t)last + 1, &told);
        last = strip->ways[i].from == STRIP_STRETCH ? strip->ways[i].index : last;
    }
}

/* ---- when a stretch begins and ends ---- */

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

/* Where ways come from: of each stretch the collective that it leads to. */
static uint32_t *led_to(const struct strip_code *s, struct arena *arena)
{
    const struct strip *strip = s->strip;
    uint32_t *to = arena_array(arena, strip->stretch_count, sizeof *to);
    for (uint32_t i = 0; i < strip->stretch_count; i++)
        to[i] = UINT32_MAX;
    for (uint32_t i = 0; i < strip->way_count; i++)
        if (strip->ways[i].from == STRIP_STRETCH && strip->ways[i].index < strip->stretch_count)
            to[strip->ways[i].index] = i;
    return to;
}

/* Ends of the rank's collectives, where all other stretches are cut that run across one. */
struct cuts {
    int64_t *ns;
    uint32_t count;
};

static struct cuts cuts_of(const struct strip_code *s, struct arena *arena)
{
    const uint32_t count = s->numbers->collective_count;
    struct cuts cuts = {arena_array(arena, count, sizeof *cuts.ns), count};
    for (uint32_t i = 0; i < count; i++)
        cuts.ns[i] = end_of(s, i);
    sort_values(cuts.ns, count);
    return cuts;
}

/* The first behind the time; the time itself where there is none. */
static int64_t cut_behind(const struct cuts *cuts, int64_t time_ns)
{
    uint32_t low = 0, high = cuts->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (cuts->ns[middle] <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low < cuts->count ? cuts->ns[low] : time_ns;
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

/* ---- stretches ---- */

static void code_new_list(struct strip_code *s, uint32_t number)
{
    struct buf kinds = {0};
    const str known = code_reads(s->code) ? S("") : intern_text(s->lists, number);
    uint32_t count = (uint32_t)(known.len / sizeof count);
    code_small(s->code, &count, MOST_IN_LIST);
    for (uint32_t i = 0; i < count && !s->code->damaged; i++) {
        uint32_t kind = code_reads(s->code) ? 0 : strip_code_kind_at(known, i);
        code_small(s->code, &kind, s->strip->kind_count);
        buf_add(&kinds, (str){(const char *)&kind, sizeof kind});
    }
    if (intern_id(s->lists, buf_str(&kinds)) != number)
        s->code->damaged = true;
    buf_free(&kinds);
}

/* The kinds of its pieces: a list that is known, or the next one. */
static void code_list(struct strip_code *s, uint32_t *number, uint32_t *known)
{
    code_small(s->code, number, *known + 1);
    if (*number == *known && !s->code->damaged) {
        code_new_list(s, *number);
        ++*known;
    }
}

static int64_t expected_end(const struct strip_code *s, uint32_t stretch, const struct cuts *cuts)
{
    const uint32_t to = s->leads_to[stretch];
    if (to < s->numbers->collective_count)
        return s->numbers->collectives[to].of.call_ns;
    return to == s->numbers->collective_count ? s->strip->last_ns : cut_behind(cuts, s->start_ns[stretch]);
}

static void code_stretches(struct strip_code *s)
{
    struct arena scratch = {0};
    struct strip_stretch *const at = s->strip->stretches;
    const struct times_code times = {s->code, s->unit_ns, COLUMN_ODD};
    const struct cuts cuts = cuts_of(s, &scratch);
    uint32_t lists = s->known_lists;
    s->next = 0;
    for (uint32_t i = 0; i < s->strip->stretch_count; i++) {
        bool told = !code_reads(s->code) && s->start_ns[i] != start_expected(s, i);
        code_link(s, &at[i].before, (int64_t)i - 1, &told);
        const int64_t start = start_expected(s, i);
        if (told)
            times_code(&times, COLUMN_START, &s->start_ns[i], start,
                       (struct code_bounds){-STRIP_MOST_NS, STRIP_MOST_NS});
        else
            s->start_ns[i] = start;
        const int64_t end = expected_end(s, i, &cuts);
        bool other = at[i].end_ns != end;
        code_bool(s->code, &other);
        if (other)
            times_code(&times, COLUMN_END, &at[i].end_ns, end, (struct code_bounds){s->start_ns[i], STRIP_MOST_NS});
        else
            at[i].end_ns = end;
        s->code->damaged |= at[i].end_ns < s->start_ns[i];
        code_list(s, &s->list[i], &lists);
    }
    arena_free(&scratch);
}

/* ---- the section ---- */

/* What the stretches say when their pieces are asked. */
static void unpack_stretches(struct strip_code *s, struct arena *arena)
{
    const struct strip *strip = s->strip;
    s->start_ns = arena_array(arena, strip->stretch_count, sizeof *s->start_ns);
    s->list = arena_array(arena, strip->stretch_count, sizeof *s->list);
    for (uint32_t i = 0; i < strip->stretch_count && !code_reads(s->code); i++) {
        struct strip_walk walk = strip_walk(strip, &strip->stretches[i]);
        struct buf kinds = {0};
        while (strip_next(&walk))
            buf_add(&kinds, (str){(const char *)&walk.kind, sizeof walk.kind});
        s->start_ns[i] = strip_start_ns(strip, &strip->stretches[i]);
        s->list[i] = intern_id(s->lists, buf_str(&kinds));
        buf_free(&kinds);
    }
}

static void code_strip(struct strip_code *s, struct arena *scratch)
{
    struct strip *strip = s->strip;
    const uint32_t bits = s->numbers->rounding.spent_bits;
    s->unit_ns = bits ? (int64_t)1 << bits : times_grain(s->numbers);
    s->lists = intern_new();
    s->known_lists = intern_count(s->lists);
    code_begin_noise(s->code, COLUMNS, scratch);
    code_int(s->code, &strip->first_ns, 0, -STRIP_MOST_NS, STRIP_MOST_NS);
    code_int(s->code, &strip->last_ns, strip->first_ns, -STRIP_MOST_NS, STRIP_MOST_NS);
    code_ways(s);
    code_names(s);
    code_kinds(s);
    code_count(s->code, &strip->stretch_count);
    if (code_reads(s->code))
        strip->stretches = arena_array(s->code->arena, strip->stretch_count, sizeof *strip->stretches);
    unpack_stretches(s, scratch);
    s->leads_to = led_to(s, scratch);
    code_stretches(s);
    strip_code_pieces(s);
    intern_free(s->lists);
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

void strip_sketch_write(const struct strip *strip, const struct rank_numbers *numbers, struct arena *arena,
                        struct sketch *sketch)
{
    struct arena scratch = {0};
    struct buf bytes = {0};
    struct code code = sketch_writer(sketch, &bytes);
    struct strip copy = copy_of(strip, &scratch);
    code_strip(&(struct strip_code){.code = &code, .strip = &copy, .numbers = numbers}, &scratch);
    sketch->sections[SKETCH_STRIP] = code_end(&code, arena);
    arena_free(&scratch);
}

bool strip_sketch_read(const struct sketch *sketch, const struct rank_numbers *numbers, struct arena *arena,
                       struct strip *out, struct steptime_error *err)
{
    struct arena scratch = {0};
    struct code code = sketch_section(sketch, SKETCH_STRIP, arena);
    *out = (struct strip){0};
    code_strip(&(struct strip_code){.code = &code, .strip = out, .numbers = numbers}, &scratch);
    const bool whole = code_whole(&code);
    arena_free(&scratch);
    return (whole && strip_check(out)) ||
           fail(err, STEPTIME_INPUT,
                sketch->sections[SKETCH_STRIP].len ? "is a damaged sketch" : "is a sketch without a strip");
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Most of a strip follows from the rest: a stretch begins where what goes before it ends, and ends at the call of a
 * collective that it leads to; its longest piece is what the others leave. Between two collectives its pieces are what
 * the rank did there (struct rank_before), often in so many words. Only what differs from that costs more than a byte.
 */
#include "strip_sketch.h"

#include "base/error.h"
#include "base/intern.h"
#include "base/order.h"
#include "base/sort.h"
#include "base/sum.h"
#include "breakdown/strip/strip_pieces.h"
#include "ops/rows/phase.h"
#include "times_code.h"
#include "words.h"

static const int64_t most_ns = (int64_t)1 << 60;

enum {
    MOST_INDEX = (1 << 30) - 1,
    MOST_PIECES = 1 << 24,
    MOST_IN_LIST = 1 << 12,
    KIND_COLUMNS = 24, /* the later kinds share the last */
};

/* Columns of noise. */
enum {
    COLUMN_START,
    COLUMN_END,
    COLUMN_ODD,
    COLUMN_PIECE,
    COLUMN_EXPECTED = COLUMN_PIECE + KIND_COLUMNS,
    COLUMNS = COLUMN_EXPECTED + KIND_COLUMNS,
};

/* Stretches that are made of pieces of the same kinds, in the same order. */
struct list {
    uint32_t rest; /* the piece that is not told */
    bool expects;  /* the others are, from what the rank did between the collectives */
};

struct strip_code {
    struct code *code;
    struct strip *strip;
    const struct rank_numbers *numbers;
    uint32_t next;        /* the collective behind the last that was before something */
    struct intern *lists; /* kinds of the pieces of a stretch, in their order: each list once */
    int64_t unit_ns;      /* of times that follow from no collective */
    uint32_t known_lists; /* before any stretch: the empty one */
    uint32_t *list;       /* by stretch: the number of its list */
    struct list *about;   /* by list */
    int64_t *start_ns;    /* by stretch */
    uint32_t *leads_to;   /* by stretch: the collective whose way ends with it; all of them: the end; more: none */
};

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

static str kinds_of(const struct strip_code *s, uint32_t stretch)
{
    return intern_text(s->lists, s->list[stretch]);
}

static uint32_t kind_at(str list, uint32_t i)
{
    uint32_t kind;
    memcpy(&kind, list.at + i * sizeof kind, sizeof kind);
    return kind;
}

static uint32_t pieces_in(const struct strip_code *s, uint32_t stretch)
{
    return (uint32_t)(kinds_of(s, stretch).len / sizeof(uint32_t));
}

static void code_new_list(struct strip_code *s, uint32_t number)
{
    struct buf kinds = {0};
    const str known = code_reads(s->code) ? S("") : intern_text(s->lists, number);
    uint32_t count = (uint32_t)(known.len / sizeof count);
    code_small(s->code, &count, MOST_IN_LIST);
    for (uint32_t i = 0; i < count && !s->code->damaged; i++) {
        uint32_t kind = code_reads(s->code) ? 0 : kind_at(known, i);
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
            times_code(&times, COLUMN_START, &s->start_ns[i], start, (struct code_bounds){-most_ns, most_ns});
        else
            s->start_ns[i] = start;
        const int64_t end = expected_end(s, i, &cuts);
        bool other = at[i].end_ns != end;
        code_bool(s->code, &other);
        if (other)
            times_code(&times, COLUMN_END, &at[i].end_ns, end, (struct code_bounds){s->start_ns[i], most_ns});
        else
            at[i].end_ns = end;
        s->code->damaged |= at[i].end_ns < s->start_ns[i];
        code_list(s, &s->list[i], &lists);
    }
    arena_free(&scratch);
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
    const enum rank_time time = time_of(s, kind_at(list, piece));
    for (uint32_t k = piece + 1; k < count; k++)
        if (time_of(s, kind_at(list, k)) == time)
            return false;
    return true;
}

static void code_piece(const struct strip_code *s, struct expecting *e, str list, uint32_t piece, int64_t *ns)
{
    const struct times_code times = {s->code, s->unit_ns, COLUMN_ODD};
    const uint32_t kind = kind_at(list, piece), column = kind < KIND_COLUMNS ? kind : KIND_COLUMNS - 1;
    int64_t *const left = &e->left_ns[time_of(s, kind)];
    const bool expected = e->expects && is_last_of_time(s, list, piece);
    times_code(&times, column + (expected ? COLUMN_EXPECTED : COLUMN_PIECE), ns, expected ? larger_of(*left, 0) : 0,
               (struct code_bounds){0, most_ns});
    *left -= *ns;
}

/* All but the one that is what the others leave. */
static void code_pieces_of(const struct strip_code *s, uint32_t stretch, int64_t *ns)
{
    const str list = kinds_of(s, stretch);
    const uint32_t count = pieces_in(s, stretch), rest = s->about[s->list[stretch]].rest;
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
        all += pieces_in(s, i);
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
        for (uint32_t k = 0; k < pieces_in(s, i); k++)
            pieces.kind[piece++] = kind_at(kinds_of(s, i), k);
    for (uint32_t i = 0, piece = 0; i < strip->stretch_count && !code_reads(s->code); i++)
        for (struct strip_walk walk = strip_walk(strip, &strip->stretches[i]); strip_next(&walk); piece++)
            pieces.ns[piece] = walk.ns;
    return pieces;
}

static void pack(const struct strip_code *s, const struct pieces *pieces, struct arena *scratch)
{
    uint32_t *counts = arena_array(scratch, s->strip->stretch_count, sizeof *counts);
    for (uint32_t i = 0; i < s->strip->stretch_count; i++)
        counts[i] = pieces_in(s, i);
    strip_pack_known(s->strip, &(struct strip_known){counts, pieces->kind, pieces->ns}, s->code->arena);
}

/* ---- lists ---- */

/* How many bits its pieces take with and without what is expected; the more of any list is gained by it, the more below 0. */
static int64_t gain_of(const struct strip_code *s, uint32_t stretch, const int64_t *ns)
{
    const str list = kinds_of(s, stretch);
    struct expecting e = expecting_of(s, stretch);
    int64_t gain = 0;
    for (uint32_t k = 0; k < pieces_in(s, stretch) && e.expects; k++) {
        int64_t *const left = &e.left_ns[time_of(s, kind_at(list, k))];
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
        const uint32_t list = s->list[i], count = pieces_in(s, i);
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
    for (uint32_t i = 0, piece = 0; i < s->strip->stretch_count; piece += pieces_in(s, i), i++)
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

static void code_pieces(struct strip_code *s)
{
    struct arena scratch = {0};
    if (count_pieces(s)) {
        struct pieces pieces = pieces_of(s, &scratch);
        code_abouts(s, &pieces, &scratch);
        for (uint32_t i = 0, piece = 0; i < s->strip->stretch_count && !s->code->damaged; i++) {
            code_pieces_of(s, i, pieces.ns + piece);
            piece += pieces_in(s, i);
        }
        if (code_reads(s->code) && !s->code->damaged)
            pack(s, &pieces, &scratch);
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
    code_int(s->code, &strip->first_ns, 0, -most_ns, most_ns);
    code_int(s->code, &strip->last_ns, strip->first_ns, -most_ns, most_ns);
    code_ways(s);
    code_names(s);
    code_kinds(s);
    code_count(s->code, &strip->stretch_count);
    if (code_reads(s->code))
        strip->stretches = arena_array(s->code->arena, strip->stretch_count, sizeof *strip->stretches);
    unpack_stretches(s, scratch);
    s->leads_to = led_to(s, scratch);
    code_stretches(s);
    code_pieces(s);
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

str strip_sketch_write(const struct strip *strip, const struct rank_numbers *numbers, struct arena *arena)
{
    struct arena scratch = {0};
    struct buf bytes = {0};
    struct code code = code_writer(&bytes);
    struct strip copy = copy_of(strip, &scratch);
    code_strip(&(struct strip_code){.code = &code, .strip = &copy, .numbers = numbers}, &scratch);
    const str section = code_end(&code, arena);
    arena_free(&scratch);
    return section;
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

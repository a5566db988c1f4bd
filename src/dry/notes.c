/* SPDX-License-Identifier: Apache-2.0 */
#include "notes.h"

#include "base/sum.h"
#include "io/beside.h"

static const char *const kind_words[] = {
    [DRY_VALUE] = "value", [DRY_BRANCH] = "branch", [DRY_SHAPE] = "shape", [DRY_SKIPPED] = "skipped"};

const char *dry_kind_word(enum dry_kind kind)
{
    return kind_words[kind];
}

struct line {
    str kind, place, words;
    int64_t times;
};

static bool read_line(str text, struct line *line)
{
    str times;
    line->words = text;
    return str_cut(&line->words, '\t', &line->kind) && str_cut(&line->words, '\t', &times) &&
           str_int(times, &line->times) && str_cut(&line->words, '\t', &line->place);
}

/* False where it is of no such kind. */
static bool take_note(const struct line *line, struct dry_note *note)
{
    for (int kind = 0; kind < DRY_KINDS; kind++)
        if (str_eq(line->kind, str_of(kind_words[kind]))) {
            *note = (struct dry_note){(enum dry_kind)kind, line->times, line->place, line->words};
            return true;
        }
    return false;
}

/* "loader 8 16384 1" */
static void take_batch(const struct line *line, struct dry_batch *batch)
{
    str basis, samples, tokens, rest = line->words;
    struct dry_batch told = {.place = line->place};
    if (!str_cut(&rest, ' ', &basis) || !str_cut(&rest, ' ', &samples) || !str_int(samples, &told.samples) ||
        !str_cut(&rest, ' ', &tokens) || !str_int(tokens, &told.tokens) || !str_int(rest, &told.batches) ||
        told.samples < 1 || told.tokens < 0 || told.batches < 1)
        return;
    told.basis = str_eq(basis, S("loader")) ? BATCH_OF_LOADER : BATCH_OF_MODULE;
    *batch = told;
}

/* "64 1" */
static void take_own(const struct line *line, struct dry_batch *batch)
{
    str own, rest = line->words;
    int64_t of_own, of_ran;
    if (!str_cut(&rest, ' ', &own) || !str_int(own, &of_own) || !str_int(rest, &of_ran) || of_own < 1 || of_ran < 1)
        return;
    batch->own = of_own;
    batch->ran = of_ran;
}

/* "8200000 1 4 8000000": nanoseconds of a batch, how many a step takes, workers, nanoseconds of work. Workers of several loaders work side by side. */
static void take_load(const struct line *line, struct dry_load *load)
{
    str batch, count, of, rest = line->words;
    int64_t ns, batches, workers, worked_ns;
    if (!str_cut(&rest, ' ', &batch) || !str_int(batch, &ns) || !str_cut(&rest, ' ', &count) ||
        !str_int(count, &batches) || !str_cut(&rest, ' ', &of) || !str_int(of, &workers) ||
        !str_int(rest, &worked_ns) || ns < 1 || batches < 1 || workers < 0 || worked_ns < 0)
        return;
    const double all_ns = (double)ns * (double)batches / (double)(workers ? workers : 1);
    if (workers)
        load->feed_ns = all_ns > (double)load->feed_ns ? sum_rounded(all_ns) : load->feed_ns;
    else
        load->own_ns = sum_add(load->own_ns, sum_rounded(all_ns));
    if (ns <= load->batch_ns)
        return;
    load->batch_ns = ns;
    load->workers = workers;
    load->worked_ns = worked_ns;
    load->place = line->place;
}

static void take_event(const struct line *line, struct arena *arena, struct dry_told *told, struct dry_result *result)
{
    told->loaded |= str_eq(line->kind, S("loaded"));
    told->done |= str_eq(line->kind, S("done"));
    result->nothing_there |= str_eq(line->kind, S("nothing"));
    result->rebatched |= str_eq(line->kind, S("rebatched"));
    result->shaped |= str_eq(line->kind, S("shaped"));
    if (str_eq(line->kind, S("batch")))
        take_batch(line, &result->batch);
    if (str_eq(line->kind, S("instead")))
        take_own(line, &result->batch);
    if (str_eq(line->kind, S("loading")))
        told->loading_at = line->place;
    if (str_eq(line->kind, S("load")) || str_eq(line->kind, S("unloaded")))
        told->loading_at = S("");
    if (str_eq(line->kind, S("load")))
        take_load(line, &result->load);
    if (str_eq(line->kind, S("unloaded")) && !result->load.why.len)
        result->load.why =
            str_printf(arena, "%.*s: %.*s", (int)line->place.len, line->place.at, (int)line->words.len, line->words.at);
    told->ended |= str_eq(line->kind, S("ended"));
    if (str_eq(line->kind, S("torch"))) {
        told->torch = true;
        result->torch = line->words;
    }
    if (str_eq(line->kind, S("step")))
        str_int(line->words, &result->steps);
    if (str_eq(line->kind, S("anew"))) {
        result->steps = 0;
        result->batch = (struct dry_batch){.place = S("")};
    }
    if (str_eq(line->kind, S("by_hand")))
        result->by_hand = line->place;
    if (str_eq(line->kind, S("late")) && !str_eq(line->place, S("?:0")))
        told->late_at = line->place; /* a launcher may stand nowhere */
    if (str_eq(line->kind, S("why")))
        told->why = line->words;
    if (str_eq(line->kind, S("lacks")))
        told->lacks = line->words;
    if (str_eq(line->kind, S("died"))) {
        told->died = true;
        told->died_at = line->place;
        told->died_of = line->words;
    }
}

static uint32_t lines_in(str text)
{
    uint32_t lines = 1;
    for (size_t i = 0; i < text.len; i++)
        lines += text.at[i] == '\n';
    return lines;
}

struct dry_told dry_notes_read(const char *path, struct arena *arena, struct dry_result *result)
{
    struct dry_told told = {
        .loading_at = S(""), .died_at = S(""), .died_of = S(""), .late_at = S(""), .lacks = S(""), .why = S("")};
    str text = beside_read(path, arena);
    struct dry_note *const notes = arena_array(arena, lines_in(text), sizeof *notes);
    result->at = notes;
    for (str one; str_cut(&text, '\n', &one);) {
        struct line line;
        if (!read_line(one, &line))
            continue;
        if (take_note(&line, &notes[result->count])) {
            result->times[notes[result->count].kind] += (uint64_t)line.times;
            result->count++;
        } else {
            take_event(&line, arena, &told, result);
        }
    }
    if (told.loading_at.len)
        result->load.why =
            str_printf(arena, "%.*s: it died or hung with data", (int)told.loading_at.len, told.loading_at.at);
    return told;
}

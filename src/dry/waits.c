/* SPDX-License-Identifier: Apache-2.0 */
#include "waits.h"

#include "base/mem.h"
#include "io/beside.h"

enum { VERSION = 1, MOST_ROWS = 1 << 20, MOST_STEPS = 1 << 20, MOST_LINE = 1 << 28 };
static const int64_t most_number = (int64_t)1 << 50; /* sums of all rows stay numbers */

static const char *const words[] = {
    [DRY_ITEM] = "item",
    [DRY_NUMBER] = "number",
    [DRY_INDEX] = "index",
    [DRY_BOOL] = "bool",
    [DRY_PRINT] = "print",
    [DRY_TOLIST] = "tolist",
    [DRY_NUMPY] = "numpy",
    [DRY_CPU] = "cpu",
    [DRY_SHAPES] = "shape",
    [DRY_LIBRARY] = "library",
    [DRY_UPLOAD] = "upload",
    [DRY_BUILT] = "built",
    [DRY_HOST_INDEX] = "host-index",
    [DRY_SYNC] = "sync",
};

const char *dry_wait_word(enum dry_wait_kind kind)
{
    return words[kind];
}

struct reading {
    struct arena *arena;
    struct dry_waits waits;
    size_t wait_room, stay_room, loader_room, ran_room;
    bool whole; /* its last line was met */
};

/* ---- words of a row ---- */

static bool next_number(str *rest, int64_t *number)
{
    str word;
    return str_cut(rest, '\t', &word) && str_int(word, number) && *number >= 0 && *number <= most_number;
}

static bool line_of(str word, struct dry_line *at)
{
    size_t colon = word.len;
    while (colon && word.at[colon - 1] != ':')
        colon--;
    if (colon < 2 || !str_int(str_from(word, colon), &at->line) || at->line < 1 || at->line > MOST_LINE)
        return false;
    at->file = (str){word.at, colon - 1};
    return true;
}

static bool next_line(str *rest, struct dry_line *at)
{
    str word;
    return str_cut(rest, '\t', &word) && line_of(word, at);
}

static bool next_kind(str *rest, enum dry_wait_kind *kind)
{
    str word;
    if (!str_cut(rest, '\t', &word))
        return false;
    for (int i = 0; i < DRY_WAIT_KINDS; i++)
        if (str_eq(word, str_of(words[i]))) {
            *kind = (enum dry_wait_kind)i;
            return true;
        }
    return false;
}

/* "file:line|file:line", or "-" */
static bool next_around(str *rest, struct dry_wait *wait)
{
    str word;
    if (!str_cut(rest, '\t', &wait->around_text))
        return false;
    if (str_eq(wait->around_text, S("-"))) {
        wait->around_text = S("");
        return true;
    }
    for (str left = wait->around_text; str_cut(&left, '|', &word);)
        if (wait->around_count == DRY_AROUND || !line_of(word, &wait->around[wait->around_count++]))
            return false;
    return true;
}

/* ---- rows, a function each; false: it is none ---- */

static bool take_wait(struct reading *r, str rest)
{
    struct dry_wait wait = {0};
    struct dry_waits *const waits = &r->waits;
    if (!next_number(&rest, &wait.step) || !next_kind(&rest, &wait.kind) || !next_number(&rest, &wait.bytes) ||
        !next_number(&rest, &wait.queued) || !next_number(&rest, &wait.heavy) || !next_line(&rest, &wait.at) ||
        !str_cut(&rest, '\t', &wait.via) || !next_around(&rest, &wait) || wait.step < 1 || waits->count >= MOST_ROWS)
        return false;
    wait.via = str_eq(wait.via, S("-")) ? S("") : str_printable(r->arena, wait.via);
    wait.call = rest.at ? str_printable(r->arena, rest) : S("");
    waits->at = mem_grow(waits->at, &r->wait_room, waits->count + 1, sizeof wait);
    waits->at[waits->count++] = wait;
    return true;
}

static bool take_stay(struct reading *r, str rest)
{
    struct dry_stay stay = {0};
    struct dry_waits *const waits = &r->waits;
    int64_t bytes;
    str via;
    if (!next_number(&rest, &stay.times) || !next_number(&rest, &bytes) || !next_line(&rest, &stay.at) ||
        !str_cut(&rest, '\t', &via) || !rest.at || waits->stay_count >= MOST_ROWS)
        return false;
    stay.how = str_printable(r->arena, rest);
    waits->stays = mem_grow(waits->stays, &r->stay_room, waits->stay_count + 1, sizeof stay);
    waits->stays[waits->stay_count++] = stay;
    return true;
}

static bool take_loader(struct reading *r, str rest)
{
    struct dry_loader loader = {0};
    struct dry_waits *const waits = &r->waits;
    int64_t pins;
    if (!next_number(&rest, &loader.workers) || !next_number(&rest, &pins) || !next_number(&rest, &loader.batches) ||
        !next_number(&rest, &loader.batches_before) || !next_line(&rest, &loader.at) ||
        waits->loader_count >= MOST_ROWS)
        return false;
    loader.pins = pins != 0;
    waits->loaders = mem_grow(waits->loaders, &r->loader_room, waits->loader_count + 1, sizeof loader);
    waits->loaders[waits->loader_count++] = loader;
    return true;
}

/* "path line:rounds,line:rounds" */
static bool take_ran(struct reading *r, str rest)
{
    struct dry_waits *const waits = &r->waits;
    str path, line, one;
    if (!str_cut(&rest, '\t', &path))
        return false;
    while (str_cut(&rest, ',', &one)) {
        struct dry_ran ran = {.at.file = path};
        if (!str_cut(&one, ':', &line) || !str_int(line, &ran.at.line) || !str_int(one, &ran.rounds) ||
            ran.at.line < 1 || ran.at.line > MOST_LINE || ran.rounds < 1 || ran.rounds > MOST_STEPS ||
            waits->ran_count >= MOST_ROWS)
            return false;
        waits->ran = mem_grow(waits->ran, &r->ran_room, waits->ran_count + 1, sizeof ran);
        waits->ran[waits->ran_count++] = ran;
    }
    return true;
}

static bool take_step(struct reading *r, str rest)
{
    int64_t step;
    if (!next_number(&rest, &step) || step != r->waits.steps + 1 || step > MOST_STEPS)
        return false;
    r->waits.steps = step;
    return true;
}

static bool take_missing(struct reading *r, str rest)
{
    int64_t lines;
    if (!next_number(&rest, &r->waits.dropped) || !next_number(&rest, &lines))
        return false;
    r->waits.lines_short = lines != 0;
    return true;
}

static const struct {
    const char *word;
    bool (*take)(struct reading *r, str rest);
} rows[] = {{"w", take_wait},   {"s", take_step}, {"c", take_stay},
            {"l", take_loader}, {"r", take_ran},  {"m", take_missing}};

static bool take_row(struct reading *r, str line)
{
    str word, rest = line;
    if (!str_cut(&rest, '\t', &word))
        return false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (str_eq(word, str_of(rows[i].word)))
            return rest.at && rows[i].take(r, rest);
    return false;
}

/* ---- the file ---- */

static str read_head(str *rest, struct arena *arena)
{
    static const char *const none = "it is no table of waits";
    str line, word;
    int64_t version;
    if (!str_cut(rest, '\n', &line) || !str_cut(&line, '\t', &word) || !str_eq(word, S("steptime-waits")) || !line.at ||
        !str_int(line, &version))
        return str_of(none);
    return version == VERSION
               ? S("")
               : str_printf(arena, "it has version %lld, and version %d is understood", (long long)version, VERSION);
}

static str read_rows(struct reading *r, str rest)
{
    int64_t number = 1;
    for (str line; !r->whole && str_cut(&rest, '\n', &line);) {
        number++;
        r->whole = str_eq(line, S("end"));
        if (!r->whole && !take_row(r, line))
            return str_printf(r->arena, "its line %lld is no row of it", (long long)number);
    }
    return r->whole ? S("") : S("it breaks off");
}

/* Into the arena, where the caller owns it. */
static void *kept(struct arena *arena, void *at, uint32_t count, size_t size)
{
    void *const copy = arena_array(arena, count, size);
    if (count)
        memcpy(copy, at, count * size);
    mem_free(at);
    return copy;
}

struct dry_waits dry_waits_read(const char *path, struct arena *arena)
{
    struct reading r = {.arena = arena, .waits.wrong = S("")};
    str text = path ? beside_read(path, arena) : (str){NULL, 0};
    if (!text.at || !text.len)
        return (struct dry_waits){.wrong = text.at ? S("it is empty, or has over 64 MiB") : S("it was not written")};
    r.waits.wrong = read_head(&text, arena);
    if (!r.waits.wrong.len)
        r.waits.wrong = read_rows(&r, text);
    struct dry_waits *const waits = &r.waits;
    waits->at = kept(arena, waits->at, waits->count, sizeof *waits->at);
    waits->stays = kept(arena, waits->stays, waits->stay_count, sizeof *waits->stays);
    waits->loaders = kept(arena, waits->loaders, waits->loader_count, sizeof *waits->loaders);
    waits->ran = kept(arena, waits->ran, waits->ran_count, sizeof *waits->ran);
    return waits->wrong.len ? (struct dry_waits){.wrong = waits->wrong} : *waits;
}

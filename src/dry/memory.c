/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include "base/mem.h"
#include "io/beside.h"

enum { ALLOCATED_IN = 512 };
static const int64_t most_bytes = (int64_t)1 << 60, most_held = (int64_t)1 << 62; /* what is more is no size */

static const char *const words[] = {
    [DRY_PARAMETERS] = "parameters",       [DRY_BUFFERS] = "buffers",
    [DRY_GRADIENTS] = "gradients",         [DRY_OPTIMIZER] = "optimizer",
    [DRY_ACTIVATIONS] = "activations",     [DRY_BACKWARD] = "made backwards",
    [DRY_COMMUNICATION] = "communication", [DRY_OTHERS] = "other",
};

const char *dry_memory_word(enum dry_memory_kind kind)
{
    return words[kind];
}

/* ---- the file ---- */

/* Numbers of storages go from 1 on, in the order in which they were made. */
struct storage {
    int64_t bytes;
    str place;
    uint8_t kind;
    bool lives;
};

struct reading {
    struct storage *at;
    size_t count, room;
    int64_t held, steps;
    struct dry_memory found;
    size_t peak_offset; /* behind the line that reached the peak */
};

static struct storage *storage_at(struct reading *r, str number)
{
    int64_t n;
    return str_int(number, &n) && n > 0 && (uint64_t)n <= r->count ? &r->at[n - 1] : NULL;
}

static enum dry_memory_kind kind_of_phase(str phase)
{
    return str_eq(phase, S("forward")) ? DRY_ACTIVATIONS : str_eq(phase, S("backward")) ? DRY_BACKWARD : DRY_OTHERS;
}

static enum dry_memory_kind kind_of_word(str word)
{
    return str_eq(word, S("parameter"))       ? DRY_PARAMETERS
           : str_eq(word, S("gradient"))      ? DRY_GRADIENTS
           : str_eq(word, S("buffer"))        ? DRY_BUFFERS
           : str_eq(word, S("communication")) ? DRY_COMMUNICATION
                                              : DRY_OPTIMIZER;
}

static int64_t allocated(int64_t bytes)
{
    return (bytes + ALLOCATED_IN - 1) / ALLOCATED_IN * ALLOCATED_IN;
}

/* "number bytes phase place" */
static void add(struct reading *r, str rest)
{
    str number, bytes, phase;
    struct storage made = {.lives = true};
    if (!str_cut(&rest, '\t', &number) || !str_cut(&rest, '\t', &bytes) || !str_cut(&rest, '\t', &phase) ||
        !str_int(bytes, &made.bytes) || made.bytes < 0 || r->held > most_held)
        return;
    made.bytes = allocated(made.bytes < most_bytes ? made.bytes : most_bytes);
    made.kind = (uint8_t)kind_of_phase(phase);
    made.place = rest;
    r->at = mem_grow(r->at, &r->room, r->count + 1, sizeof *r->at);
    r->at[r->count++] = made;
}

static void take_off(struct reading *r, str number)
{
    struct storage *const storage = storage_at(r, number);
    if (storage && storage->lives)
        r->held -= storage->bytes;
    if (storage)
        storage->lives = false;
}

static void hold(struct reading *r, const struct storage *made, size_t offset)
{
    r->held += made->bytes;
    if (r->held <= r->found.peak_bytes)
        return;
    r->found.peak_bytes = r->held;
    r->found.place = made->place;
    r->found.step = r->steps + 1;
    r->peak_offset = offset;
}

static void name_kind(struct reading *r, str rest)
{
    str number;
    struct storage *const storage = str_cut(&rest, '\t', &number) ? storage_at(r, number) : NULL;
    if (storage)
        storage->kind = (uint8_t)kind_of_word(rest);
}

static void take_line(struct reading *r, str line, size_t offset)
{
    str what, rest = line;
    if (!str_cut(&rest, '\t', &what))
        return;
    const size_t before = r->count;
    if (str_eq(what, S("+")))
        add(r, rest);
    if (r->count > before)
        hold(r, &r->at[before], offset);
    if (str_eq(what, S("-")))
        take_off(r, rest);
    if (str_eq(what, S("k")))
        name_kind(r, rest);
    r->steps += str_eq(what, S("s"));
}

/* ---- what lived at the peak ---- */

static void count_kinds(struct reading *r, str text)
{
    str rest = text;
    size_t made = 0;
    for (size_t i = 0; i < r->count; i++)
        r->at[i].lives = false;
    for (str line; (size_t)(rest.at - text.at) < r->peak_offset && str_cut(&rest, '\n', &line);) {
        if (str_starts(line, S("+\t")) && made < r->count)
            r->at[made++].lives = true;
        struct storage *const dead = str_starts(line, S("-\t")) ? storage_at(r, str_from(line, 2)) : NULL;
        if (dead)
            dead->lives = false;
    }
    for (size_t i = 0; i < made; i++)
        if (r->at[i].lives)
            r->found.by_kind[r->at[i].kind] += r->at[i].bytes;
}

struct dry_memory dry_memory_read(const char *path, struct arena *arena)
{
    struct reading r = {.found = {.place = S("")}};
    const str text = path ? beside_read(path, arena) : S("");
    str rest = text;
    for (str line; str_cut(&rest, '\n', &line);)
        take_line(&r, line, (size_t)(line.at - text.at) + line.len);
    r.found.storages = r.count;
    count_kinds(&r, text);
    mem_free(r.at);
    return r.found;
}

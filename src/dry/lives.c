/* SPDX-License-Identifier: Apache-2.0 */
#include "lives.h"

#include "io/beside.h"

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

struct reading {
    struct dry_lives lives;
    struct arena *arena;
    bool *dead;    /* by storage */
    uint32_t open; /* the innermost call; LIVES_NONE */
};

/* ---- numbers: storages and calls count from 1 on, in the order in which they come ---- */

static uint32_t index_of(str number, uint32_t count)
{
    int64_t n;
    return str_int(number, &n) && n > 0 && n <= count ? (uint32_t)(n - 1) : LIVES_NONE;
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

static void put_event(struct reading *r, enum dry_life what, uint32_t of)
{
    struct dry_lives *const lives = &r->lives;
    lives->events = arena_one_more(r->arena, lives->events, lives->event_count, sizeof *lives->events);
    lives->events[lives->event_count++] = (struct dry_event){what, of};
}

/* ---- lines ---- */

/* "number bytes phase place" */
static void make(struct reading *r, str rest)
{
    struct dry_lives *const lives = &r->lives;
    str number, bytes, phase;
    int64_t size;
    if (!str_cut(&rest, '\t', &number) || !str_cut(&rest, '\t', &bytes) || !str_cut(&rest, '\t', &phase) ||
        !str_int(bytes, &size) || size < 0)
        return;
    lives->storages = arena_one_more(r->arena, lives->storages, lives->count, sizeof *lives->storages);
    r->dead = arena_one_more(r->arena, r->dead, lives->count, sizeof *r->dead);
    r->dead[lives->count] = false;
    lives->storages[lives->count] =
        (struct dry_storage){size < LIVES_MOST_BYTES ? size : LIVES_MOST_BYTES, rest, kind_of_phase(phase)};
    put_event(r, LIFE_MADE, lives->count++);
}

static void die(struct reading *r, str number)
{
    const uint32_t storage = index_of(number, r->lives.count);
    if (storage == LIVES_NONE || r->dead[storage])
        return;
    r->dead[storage] = true;
    put_event(r, LIFE_DIED, storage);
}

static void name_kind(struct reading *r, str rest)
{
    str number;
    const uint32_t storage = str_cut(&rest, '\t', &number) ? index_of(number, r->lives.count) : LIVES_NONE;
    if (storage != LIVES_NONE)
        r->lives.storages[storage].kind = kind_of_word(rest);
}

/* "number class" */
static void call(struct reading *r, str rest)
{
    struct dry_lives *const lives = &r->lives;
    str number;
    int64_t n;
    if (!str_cut(&rest, '\t', &number) || !str_int(number, &n) || n < 1)
        return;
    lives->calls = arena_one_more(r->arena, lives->calls, lives->call_count, sizeof *lives->calls);
    lives->calls[lives->call_count] = (struct dry_call){.name = rest, .parent = r->open, .number = n};
    r->open = lives->call_count;
    put_event(r, LIFE_CALLED, lives->call_count++);
}

/* "number storage,storage": what it returns. */
static void come_back(struct reading *r, str rest)
{
    str number, list = rest, storage;
    int64_t n;
    if (r->open == LIVES_NONE || !str_cut(&list, '\t', &number) || !str_int(number, &n))
        return;
    struct dry_call *const done = &r->lives.calls[r->open];
    if (done->number != n)
        return;
    uint32_t *returns = NULL;
    while (str_cut(&list, ',', &storage)) {
        const uint32_t at = index_of(storage, r->lives.count);
        if (at == LIVES_NONE)
            continue;
        returns = arena_one_more(r->arena, returns, done->return_count, sizeof *returns);
        returns[done->return_count++] = at;
    }
    done->returns = returns;
    put_event(r, LIFE_RETURNED, r->open);
    r->open = done->parent;
}

static void take_line(struct reading *r, str line)
{
    str what, rest = line;
    if (!str_cut(&rest, '\t', &what) || what.len != 1)
        return;
    switch (what.at[0]) {
    case '+':
        make(r, rest);
        break;
    case '-':
        die(r, rest);
        break;
    case 'k':
        name_kind(r, rest);
        break;
    case 'm':
        call(r, rest);
        break;
    case 'e':
        come_back(r, rest);
        break;
    case 'b':
        r->lives.batch_from = r->lives.count;
        break;
    case 's':
        put_event(r, LIFE_STEP_ENDED, 0);
        break;
    default:
        break;
    }
}

struct dry_lives dry_lives_read(const char *path, struct arena *arena)
{
    struct reading r = {.arena = arena, .open = LIVES_NONE};
    str text = path ? beside_read(path, arena) : S("");
    for (str line; str_cut(&text, '\n', &line);)
        take_line(&r, line);
    return r.lives;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "ways.h"

#include <stdlib.h>

#include "base/sum.h"

enum { MOST_CLASSES = 256 }; /* of modules that are looked at: the first that are called */

/* ---- a share of each kind ---- */

struct dry_lives lives_shared_out(const struct dry_lives *lives, const double share[DRY_MEMORY_KINDS],
                                  struct arena *arena)
{
    struct dry_lives shared = *lives;
    shared.storages = arena_array(arena, lives->count, sizeof *shared.storages);
    for (uint32_t i = 0; i < lives->count; i++) {
        shared.storages[i] = lives->storages[i];
        const int64_t bytes = sum_rounded((double)lives->storages[i].bytes * share[lives->storages[i].kind]);
        shared.storages[i].bytes = bytes < LIVES_MOST_BYTES ? bytes : LIVES_MOST_BYTES;
    }
    return shared;
}

/* ---- what calls keep ---- */

bool lives_is_outermost(const struct dry_lives *lives, uint32_t call, str name)
{
    if (!str_eq(lives->calls[call].name, name))
        return false;
    for (uint32_t at = lives->calls[call].parent; at != LIVES_NONE; at = lives->calls[at].parent)
        if (str_eq(lives->calls[at].name, name))
            return false;
    return true;
}

/* Where things happen: by storage and by call, indices of events; LIVES_NONE. */
struct when {
    uint32_t *made, *died;
    uint32_t *called, *returned;
};

static uint32_t *nones(struct arena *arena, uint32_t count)
{
    uint32_t *const list = arena_array(arena, count, sizeof *list);
    for (uint32_t i = 0; i < count; i++)
        list[i] = LIVES_NONE;
    return list;
}

static struct when when_of(const struct dry_lives *lives, struct arena *arena)
{
    const struct when when = {nones(arena, lives->count), nones(arena, lives->count), nones(arena, lives->call_count),
                              nones(arena, lives->call_count)};
    uint32_t *const lists[] = {[LIFE_MADE] = when.made,
                               [LIFE_DIED] = when.died,
                               [LIFE_STEP_ENDED] = NULL,
                               [LIFE_CALLED] = when.called,
                               [LIFE_RETURNED] = when.returned};
    for (uint32_t i = 0; i < lives->event_count; i++)
        if (lists[lives->events[i].what])
            lists[lives->events[i].what][lives->events[i].of] = i;
    return when;
}

static bool is_returned(const struct dry_call *call, uint32_t storage)
{
    for (uint32_t i = 0; i < call->return_count; i++)
        if (call->returns[i] == storage)
            return true;
    return false;
}

/* Made in the call, kept beyond it, and given to nobody. What never dies is no activation. */
static bool is_kept(const struct dry_lives *lives, const struct when *when, uint32_t call, uint32_t storage)
{
    return lives->storages[storage].kind == DRY_ACTIVATIONS && when->died[storage] != LIVES_NONE &&
           when->died[storage] > when->returned[call] && !is_returned(&lives->calls[call], storage);
}

static int64_t kept_by(const struct dry_lives *lives, const struct when *when, uint32_t call)
{
    int64_t bytes = 0;
    for (uint32_t i = when->called[call]; i < when->returned[call]; i++)
        if (lives->events[i].what == LIFE_MADE && is_kept(lives, when, call, lives->events[i].of))
            sum_to(&bytes, lives->storages[lives->events[i].of].bytes);
    return bytes;
}

static bool is_whole(const struct when *when, uint32_t call)
{
    return when->called[call] != LIVES_NONE && when->returned[call] != LIVES_NONE;
}

/* ---- by class ---- */

static struct dry_keeper *keeper_of(struct dry_keeper *keepers, uint32_t *count, str name)
{
    uint32_t i = 0;
    while (i < *count && !str_eq(keepers[i].name, name))
        i++;
    if (i == MOST_CLASSES)
        return NULL;
    if (i == *count)
        keepers[(*count)++] = (struct dry_keeper){.name = name};
    return &keepers[i];
}

static int by_bytes(const void *a, const void *b)
{
    const struct dry_keeper *const x = a, *const y = b;
    return x->bytes != y->bytes ? (x->bytes < y->bytes) - (x->bytes > y->bytes) : str_cmp(x->name, y->name);
}

/* The event that the last whole step begins behind. */
static uint32_t last_step_begin(const struct dry_lives *lives)
{
    uint32_t begin = 0, end = 0;
    for (uint32_t i = 0; i < lives->event_count; i++)
        if (lives->events[i].what == LIFE_STEP_ENDED) {
            begin = end;
            end = i + 1;
        }
    return begin;
}

struct dry_keeper *lives_keepers(const struct dry_lives *lives, struct arena *arena, uint32_t *count)
{
    struct arena scratch = {0};
    const struct when when = when_of(lives, &scratch);
    const uint32_t begin = last_step_begin(lives);
    struct dry_keeper *const keepers = arena_array(arena, lives->call_count, sizeof *keepers);
    *count = 0;
    for (uint32_t call = 0; call < lives->call_count; call++) {
        const str name = lives->calls[call].name;
        if (!is_whole(&when, call) || when.called[call] < begin || !lives_is_outermost(lives, call, name))
            continue;
        struct dry_keeper *const keeper = keeper_of(keepers, count, name);
        if (!keeper)
            continue;
        keeper->calls++;
        sum_to(&keeper->bytes, kept_by(lives, &when, call));
    }
    qsort(keepers, *count, sizeof *keepers, by_bytes);
    arena_free(&scratch);
    return keepers;
}

/* ---- checkpointed ---- */

/* What happens besides, before an event: a call's kept storages die, or are made again. */
struct besides {
    uint32_t before, call;
    bool again;
};

struct rewriting {
    const struct dry_lives *from;
    struct dry_lives to;
    struct when when;
    struct besides *list;
    uint32_t count;
    struct arena *arena;
};

/* Kept storages of the call, each to `what`. */
static void put(struct rewriting *r, enum dry_life what, uint32_t storage)
{
    r->to.events = arena_one_more(r->arena, r->to.events, r->to.event_count, sizeof *r->to.events);
    r->to.events[r->to.event_count++] = (struct dry_event){what, storage};
}

/* Most that lives of what the call makes, at any time within it. */
static int64_t most_within(const struct rewriting *r, uint32_t call)
{
    const struct dry_lives *const lives = r->from;
    int64_t now = 0, most = 0;
    for (uint32_t i = r->when.called[call]; i < r->when.returned[call]; i++) {
        const struct dry_event event = lives->events[i];
        if (event.what != LIFE_MADE && event.what != LIFE_DIED)
            continue;
        if (event.what == LIFE_MADE)
            sum_to(&now, lives->storages[event.of].bytes);
        else if (r->when.made[event.of] > r->when.called[call])
            now -= lives->storages[event.of].bytes;
        most = now > most ? now : most;
    }
    return most;
}

static void put_kept(struct rewriting *r, uint32_t call, enum dry_life what)
{
    for (uint32_t i = r->when.called[call]; i < r->when.returned[call]; i++)
        if (r->from->events[i].what == LIFE_MADE && is_kept(r->from, &r->when, call, r->from->events[i].of))
            put(r, what, r->from->events[i].of);
}

static str place_within(const struct rewriting *r, uint32_t call)
{
    for (uint32_t i = r->when.called[call]; i < r->when.returned[call]; i++)
        if (r->from->events[i].what == LIFE_MADE)
            return r->from->storages[r->from->events[i].of].place;
    return S("");
}

/* What comes and goes while they are made again. */
static void put_passing(struct rewriting *r, uint32_t call)
{
    const int64_t bytes = most_within(r, call) - kept_by(r->from, &r->when, call);
    if (bytes <= 0)
        return;
    r->to.storages[r->to.count] = (struct dry_storage){bytes, place_within(r, call), DRY_BACKWARD};
    put(r, LIFE_MADE, r->to.count);
    put(r, LIFE_DIED, r->to.count++);
}

/* The first of what is kept dies when an operator backwards is done with it: before that made anything, all were there. */
static uint32_t needed_at(const struct rewriting *r, uint32_t call)
{
    uint32_t first = LIVES_NONE;
    for (uint32_t i = r->when.called[call]; i < r->when.returned[call]; i++) {
        const struct dry_event event = r->from->events[i];
        if (event.what == LIFE_MADE && is_kept(r->from, &r->when, call, event.of) && r->when.died[event.of] < first)
            first = r->when.died[event.of];
    }
    while (first > r->when.returned[call] + 1 && r->from->events[first].what != LIFE_MADE)
        first--;
    return first;
}

static void choose(struct rewriting *r, str name)
{
    const struct dry_lives *const lives = r->from;
    for (uint32_t call = 0; call < lives->call_count; call++)
        if (is_whole(&r->when, call) && lives_is_outermost(lives, call, name) && kept_by(lives, &r->when, call)) {
            r->list[r->count++] = (struct besides){r->when.returned[call] + 1, call, false};
            r->list[r->count++] = (struct besides){needed_at(r, call), call, true};
        }
}

static int by_event(const void *a, const void *b)
{
    const struct besides *const x = a, *const y = b;
    if (x->before != y->before)
        return (x->before > y->before) - (x->before < y->before);
    return x->again != y->again ? x->again - y->again : (x->call > y->call) - (x->call < y->call);
}

static void put_besides(struct rewriting *r, const struct besides *besides)
{
    put_kept(r, besides->call, besides->again ? LIFE_MADE : LIFE_DIED);
    if (besides->again)
        put_passing(r, besides->call);
}

struct dry_lives lives_checkpointed(const struct dry_lives *lives, str name, struct arena *arena)
{
    struct arena scratch = {0};
    struct rewriting r = {.from = lives, .to = *lives, .arena = arena};
    r.when = when_of(lives, &scratch);
    r.list = arena_array(&scratch, 2 * (size_t)lives->call_count, sizeof *r.list);
    choose(&r, name);
    qsort(r.list, r.count, sizeof *r.list, by_event);
    r.to.storages = arena_array(arena, (size_t)lives->count + r.count, sizeof *r.to.storages);
    if (lives->count)
        memcpy(r.to.storages, lives->storages, lives->count * sizeof *lives->storages);
    r.to.events = NULL;
    r.to.event_count = 0;
    uint32_t next = 0;
    for (uint32_t i = 0; i <= lives->event_count; i++) {
        for (; next < r.count && r.list[next].before == i; next++)
            put_besides(&r, &r.list[next]);
        if (i < lives->event_count)
            put(&r, lives->events[i].what, lives->events[i].of);
    }
    arena_free(&scratch);
    return r.to;
}

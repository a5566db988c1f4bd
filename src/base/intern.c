/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open addressing with linear probing. A slot holds the id + 1 and the upper
 * half of the hash, so a probe rarely touches a text. At most half the slots
 * are used, so a free slot always ends a probe.
 */
#include "intern.h"

#include "hash.h"
#include "mem.h"

struct slot {
    uint32_t id_plus_1;
    uint32_t hash;
};

struct intern {
    struct arena texts_arena;
    str *texts;
    size_t texts_room;
    uint32_t count;
    struct slot *slots;
    uint32_t mask; /* slots - 1; slots is a power of two */
};

struct intern *intern_new(void)
{
    struct intern *t = mem_zeroed(sizeof *t);
    t->mask = 1023;
    t->slots = mem_zeroed((t->mask + 1) * sizeof *t->slots);
    intern_id(t, S(""));
    return t;
}

void intern_free(struct intern *t)
{
    if (!t)
        return;
    arena_free(&t->texts_arena);
    mem_free(t->texts);
    mem_free(t->slots);
    mem_free(t);
}

/* The slot that holds the text, or the free one where it belongs. */
static struct slot *probe(const struct intern *t, str text, uint64_t hash)
{
    const uint32_t tag = (uint32_t)(hash >> 32);
    for (uint32_t i = (uint32_t)hash & t->mask;; i = (i + 1) & t->mask) {
        struct slot *s = &t->slots[i];
        if (!s->id_plus_1 || (s->hash == tag && str_eq(t->texts[s->id_plus_1 - 1], text)))
            return s;
    }
}

static void grow(struct intern *t)
{
    mem_free(t->slots);
    t->mask = t->mask * 2 + 1;
    t->slots = mem_zeroed(((size_t)t->mask + 1) * sizeof *t->slots);
    for (uint32_t id = 0; id < t->count; id++) {
        const uint64_t hash = hash_bytes(t->texts[id].at, t->texts[id].len);
        *probe(t, t->texts[id], hash) = (struct slot){id + 1, (uint32_t)(hash >> 32)};
    }
}

uint32_t intern_id(struct intern *t, str text)
{
    const uint64_t hash = hash_bytes(text.at, text.len);
    struct slot *s = probe(t, text, hash);
    if (s->id_plus_1)
        return s->id_plus_1 - 1;
    const uint32_t id = t->count++;
    *s = (struct slot){id + 1, (uint32_t)(hash >> 32)};
    t->texts = mem_grow(t->texts, &t->texts_room, t->count, sizeof *t->texts);
    t->texts[id] = str_copy(&t->texts_arena, text);
    if (t->count > t->mask / 2)
        grow(t);
    return id;
}

bool intern_find(const struct intern *t, str text, uint32_t *id)
{
    const struct slot *s = probe(t, text, hash_bytes(text.at, text.len));
    if (s->id_plus_1)
        *id = s->id_plus_1 - 1;
    return s->id_plus_1;
}

str intern_text(const struct intern *t, uint32_t id)
{
    return t->texts[id];
}

uint32_t intern_count(const struct intern *t)
{
    return t->count;
}

size_t intern_bytes(const struct intern *t)
{
    return t->texts_arena.bytes + t->texts_room * sizeof *t->texts + ((size_t)t->mask + 1) * sizeof *t->slots;
}

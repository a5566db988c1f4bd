/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of a files, each once. Threads meet here often and briefly, so the table is cut into shards. */
#include "names.h"

#include <pthread.h>

#include "base/hash.h"
#include "base/mem.h"
#include "known.h"

enum { SHARDS = 64, LONGEST = 512 };

struct shard {
    pthread_mutex_t lock;
    struct arena arena;
    struct name **slots;
    size_t mask, count;
};

struct names {
    struct shard shards[SHARDS];
    uint32_t next_id;
};

struct names *names_new(void)
{
    struct names *names = mem_zeroed(sizeof *names);
    for (int i = 0; i < SHARDS; i++) {
        pthread_mutex_init(&names->shards[i].lock, NULL);
        names->shards[i].mask = 63;
        names->shards[i].slots = mem_zeroed(64 * sizeof(struct name *));
    }
    return names;
}

void names_free(struct names *names)
{
    for (int i = 0; names && i < SHARDS; i++) {
        pthread_mutex_destroy(&names->shards[i].lock);
        arena_free(&names->shards[i].arena);
        mem_free(names->shards[i].slots);
    }
    mem_free(names);
}

static struct name **probe(const struct shard *shard, str text, uint64_t hash)
{
    for (size_t i = hash >> 8 & shard->mask;; i = (i + 1) & shard->mask)
        if (!shard->slots[i] || str_eq(shard->slots[i]->text, text))
            return &shard->slots[i];
}

static void grow(struct shard *shard)
{
    struct name **const old = shard->slots;
    const size_t old_mask = shard->mask;
    shard->mask = shard->mask * 2 + 1;
    shard->slots = mem_zeroed((shard->mask + 1) * sizeof *shard->slots);
    for (size_t i = 0; i <= old_mask; i++)
        if (old[i])
            *probe(shard, old[i]->text, hash_bytes(old[i]->text.at, old[i]->text.len)) = old[i];
    mem_free(old);
}

static struct name *add(struct names *names, struct shard *shard, str text)
{
    struct name *name = arena_alloc(&shard->arena, sizeof *name);
    name->text = str_copy(&shard->arena, text);
    name->id = __atomic_fetch_add(&names->next_id, 1, __ATOMIC_RELAXED);
    name->known = known_find(name->text);
    return name;
}

const struct name *names_get(struct names *names, str text)
{
    const uint64_t hash = hash_bytes(text.at, text.len);
    struct shard *shard = &names->shards[hash % SHARDS];
    pthread_mutex_lock(&shard->lock);
    struct name **at = probe(shard, text, hash);
    if (!*at) {
        if (++shard->count * 2 > shard->mask) {
            grow(shard);
            at = probe(shard, text, hash);
        }
        *at = add(names, shard, text);
    }
    const struct name *name = *at;
    pthread_mutex_unlock(&shard->lock);
    return name;
}

const struct name *names_dot(struct names *names, const struct name *base, str part)
{
    char room[LONGEST];
    if (base->text.len + part.len + 32 > LONGEST)
        return names_get(names, S("?"));
    memcpy(room, base->text.at, base->text.len);
    size_t len = base->text.len;
    if (len)
        room[len++] = '.';
    memcpy(room + len, part.at, part.len);
    return names_get(names, known_canonical(room, (str){room, len + part.len}));
}

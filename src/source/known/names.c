/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of a files, each once. Threads meet here often and briefly, so the table is cut into shards. */
#include "names.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/shared_set.h"
#include "known.h"

enum { SHARDS = 64, LONGEST = 512 };

struct shard {
    struct shared_set set;
    struct arena arena;
};

struct names {
    struct shard shards[SHARDS];
    uint32_t next_id;
};

struct names *names_new(void)
{
    struct names *names = mem_zeroed(sizeof *names);
    for (int i = 0; i < SHARDS; i++)
        shared_set_begin(&names->shards[i].set);
    return names;
}

void names_free(struct names *names)
{
    for (int i = 0; names && i < SHARDS; i++) {
        shared_set_free(&names->shards[i].set);
        arena_free(&names->shards[i].arena);
    }
    mem_free(names);
}

static bool is_name(const void *thing, const void *wanted)
{
    return str_eq(((const struct name *)thing)->text, *(const str *)wanted);
}

static const struct name *new_name(struct names *names, struct shard *shard, str text)
{
    struct name *name = arena_alloc(&shard->arena, sizeof *name);
    name->text = str_copy(&shard->arena, text);
    name->id = __atomic_fetch_add(&names->next_id, 1, __ATOMIC_RELAXED);
    name->known = known_find(name->text);
    return name;
}

static const struct name *add(struct names *names, struct shard *shard, str text, uint64_t hash)
{
    shared_set_lock(&shard->set);
    const struct name *name = shared_set_find(&shard->set, hash, is_name, &text);
    if (!name)
        shared_set_put(&shard->set, hash, name = new_name(names, shard, text));
    shared_set_unlock(&shard->set);
    return name;
}

const struct name *names_get(struct names *names, str text)
{
    const uint64_t hash = hash_bytes(text.at, text.len);
    struct shard *shard = &names->shards[hash % SHARDS];
    const struct name *name = shared_set_find(&shard->set, hash / SHARDS, is_name, &text);
    return name ? name : add(names, shard, text, hash / SHARDS);
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

/* SPDX-License-Identifier: Apache-2.0 */
#include "limits.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"

/* The places of one limit. */
struct kind {
    const struct limit *limit;
    struct map places; /* file << 32 | at */
};

struct limits {
    pthread_mutex_t lock;
    struct kind *kinds; /* few: searched in order */
    size_t count, room;
};

struct limits *limits_new(void)
{
    struct limits *limits = mem_zeroed(sizeof *limits);
    pthread_mutex_init(&limits->lock, NULL);
    return limits;
}

void limits_free(struct limits *limits)
{
    if (!limits)
        return;
    for (size_t i = 0; i < limits->count; i++)
        map_free(&limits->kinds[i].places);
    mem_free(limits->kinds);
    pthread_mutex_destroy(&limits->lock);
    mem_free(limits);
}

static struct kind *kind_of(struct limits *limits, const struct limit *limit)
{
    for (size_t i = 0; i < limits->count; i++)
        if (limits->kinds[i].limit == limit)
            return &limits->kinds[i];
    limits->kinds = mem_grow(limits->kinds, &limits->room, limits->count + 1, sizeof *limits->kinds);
    limits->kinds[limits->count] = (struct kind){.limit = limit};
    return &limits->kinds[limits->count++];
}

void limits_tell(struct limits *limits, const struct limit *limit, uint32_t file, uint32_t at)
{
    pthread_mutex_lock(&limits->lock);
    map_put(&kind_of(limits, limit)->places, (int64_t)file << 32 | at, 1);
    pthread_mutex_unlock(&limits->lock);
}

static int by_place(const void *a, const void *b)
{
    const struct limit_met *x = a, *y = b;
    const int order = strcmp(x->limit->id, y->limit->id);
    if (order)
        return order;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

const struct limit_met *limits_list(struct limits *limits, struct arena *arena, uint32_t *count)
{
    size_t sum = 0;
    for (size_t i = 0; i < limits->count; i++)
        sum += limits->kinds[i].places.count;
    struct limit_met *list = arena_array(arena, sum, sizeof *list);
    *count = 0;
    for (size_t i = 0; i < limits->count; i++) {
        const struct map *places = &limits->kinds[i].places;
        for (size_t k = 0; places->slots && k <= places->mask; k++)
            if (places->slots[k].value != MAP_NONE)
                list[(*count)++] = (struct limit_met){limits->kinds[i].limit, (uint32_t)(places->slots[k].key >> 32),
                                                      (uint32_t)places->slots[k].key};
    }
    if (*count)
        qsort(list, *count, sizeof *list, by_place);
    return list;
}

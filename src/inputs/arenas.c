/* SPDX-License-Identifier: Apache-2.0 */
#include "arenas.h"

#include "base/mem.h"

void arenas_open(struct arenas *arenas)
{
    *arenas = (struct arenas){.lock = PTHREAD_MUTEX_INITIALIZER};
}

struct arena arenas_take(struct arenas *arenas)
{
    struct arena taken = {0};
    pthread_mutex_lock(&arenas->lock);
    if (arenas->count)
        taken = arenas->at[--arenas->count];
    pthread_mutex_unlock(&arenas->lock);
    return taken;
}

void arenas_give(struct arenas *arenas, struct arena *arena)
{
    pthread_mutex_lock(&arenas->lock);
    arenas->at = mem_grow(arenas->at, &arenas->room, arenas->count + 1, sizeof *arenas->at);
    arenas->at[arenas->count++] = *arena;
    pthread_mutex_unlock(&arenas->lock);
    *arena = (struct arena){0};
}

void arenas_close(struct arenas *arenas)
{
    for (size_t i = 0; i < arenas->count; i++)
        arena_free(&arenas->at[i]);
    mem_free(arenas->at);
    pthread_mutex_destroy(&arenas->lock);
}

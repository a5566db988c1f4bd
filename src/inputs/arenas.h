/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arenas that the files of a run share, as many as files are worked on at once: of ten thousand ranks, each with an arena
 * of its own, what the last blocks leave unused would take a fifth of the memory.
 */
#ifndef INPUTS_ARENAS_H
#define INPUTS_ARENAS_H

#include <pthread.h>

#include "base/arena.h"

struct arenas {
    pthread_mutex_t lock;
    struct arena *at; /* those that nobody works in */
    size_t count, room;
};

void arenas_open(struct arenas *arenas);
struct arena arenas_take(struct arenas *arenas); /* one to work in alone */

/* What lies in it stays until the arenas are closed. The arena is empty then. */
void arenas_give(struct arenas *arenas, struct arena *arena);

void arenas_close(struct arenas *arenas);

#endif

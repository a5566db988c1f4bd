/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ring of blocks. `filled` and `taken` count blocks since the start; block
 * i % BLOCKS is the producer's from i == filled while filled - taken < BLOCKS,
 * and the consumer's from i == taken while taken < filled. The lock guards the
 * counts alone.
 */
#include "ahead.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/mem.h"

enum { BLOCKS = 4, BLOCK = 256 << 10 };

struct ahead {
    ahead_fill fill;
    void *context;
    unsigned char *bytes; /* BLOCKS of BLOCK */
    size_t length[BLOCKS];
    size_t at; /* in the consumer's block */
    unsigned filled, taken;
    bool ended, stopped; /* by the producer, by the consumer */
    bool threaded;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

static unsigned char *block(struct ahead *ahead, unsigned i)
{
    return ahead->bytes + (size_t)(i % BLOCKS) * BLOCK;
}

/* Fills the next block, which must be free. False at the end. */
static bool produce(struct ahead *ahead)
{
    const size_t got = ahead->fill(ahead->context, block(ahead, ahead->filled), BLOCK);
    pthread_mutex_lock(&ahead->lock);
    ahead->length[ahead->filled % BLOCKS] = got;
    ahead->filled += got > 0;
    ahead->ended = got == 0;
    pthread_cond_signal(&ahead->changed);
    pthread_mutex_unlock(&ahead->lock);
    return got > 0;
}

/* Waits for a free block. False once the consumer has gone. */
static bool room_left(struct ahead *ahead)
{
    pthread_mutex_lock(&ahead->lock);
    while (ahead->filled - ahead->taken == BLOCKS && !ahead->stopped)
        pthread_cond_wait(&ahead->changed, &ahead->lock);
    const bool go = !ahead->stopped;
    pthread_mutex_unlock(&ahead->lock);
    return go;
}

static void *run(void *argument)
{
    struct ahead *ahead = argument;
    while (room_left(ahead) && produce(ahead))
        ;
    return NULL;
}

void ahead_resume(struct ahead *ahead)
{
    ahead->stopped = false;
    ahead->threaded = !ahead->ended && !pthread_create(&ahead->thread, NULL, run, ahead);
}

void ahead_pause(struct ahead *ahead)
{
    pthread_mutex_lock(&ahead->lock);
    ahead->stopped = true;
    pthread_cond_signal(&ahead->changed);
    pthread_mutex_unlock(&ahead->lock);
    if (ahead->threaded)
        pthread_join(ahead->thread, NULL);
    ahead->threaded = false;
}

struct ahead *ahead_open(ahead_fill fill, void *context)
{
    struct ahead *ahead = mem_zeroed(sizeof *ahead);
    ahead->fill = fill;
    ahead->context = context;
    ahead->bytes = mem_alloc((size_t)BLOCKS * BLOCK);
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->changed, NULL);
    ahead_resume(ahead);
    return ahead;
}

/* Waits for a filled block. False at the end. */
static bool block_ready(struct ahead *ahead)
{
    pthread_mutex_lock(&ahead->lock);
    while (ahead->taken == ahead->filled && !ahead->ended)
        pthread_cond_wait(&ahead->changed, &ahead->lock);
    const bool ready = ahead->taken != ahead->filled;
    pthread_mutex_unlock(&ahead->lock);
    return ready;
}

/* The blocks are used up, and nobody fills them. */
static size_t read_alone(struct ahead *ahead, void *into, size_t room)
{
    const size_t got = ahead->ended ? 0 : ahead->fill(ahead->context, into, room);
    ahead->ended = got == 0;
    return got;
}

static void give_back(struct ahead *ahead)
{
    pthread_mutex_lock(&ahead->lock);
    ahead->taken++;
    ahead->at = 0;
    pthread_cond_signal(&ahead->changed);
    pthread_mutex_unlock(&ahead->lock);
}

size_t ahead_read(struct ahead *ahead, void *into, size_t room)
{
    if (!ahead->threaded && ahead->taken == ahead->filled)
        return room ? read_alone(ahead, into, room) : 0;
    if (!room || !block_ready(ahead))
        return 0;
    const size_t left = ahead->length[ahead->taken % BLOCKS] - ahead->at;
    const size_t count = left < room ? left : room;
    memcpy(into, block(ahead, ahead->taken) + ahead->at, count);
    ahead->at += count;
    if (count == left)
        give_back(ahead);
    return count;
}

void ahead_close(struct ahead *ahead)
{
    ahead_pause(ahead);
    pthread_cond_destroy(&ahead->changed);
    pthread_mutex_destroy(&ahead->lock);
    mem_free(ahead->bytes);
    mem_free(ahead);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three counts, taken <= begun <= given <= taken + room: an item is the giver's
 * before it is given and after it is taken, a worker's from begun until done.
 * The lock guards the counts and `done`, never an item.
 */
#include "relay.h"

#include <pthread.h>

#include "mem.h"

struct relay {
    relay_work work;
    void *context;
    size_t room;
    size_t given, begun, taken; /* given and taken are changed by the giver alone */
    bool *done;                 /* a place */
    bool closing;
    pthread_mutex_t lock;
    pthread_cond_t more, finished;
    unsigned workers, started;
    pthread_t thread[];
};

/* Waits for an item and begins it. False once the relay closes. */
static bool begin(struct relay *relay, size_t *item)
{
    pthread_mutex_lock(&relay->lock);
    while (relay->begun == relay->given && !relay->closing)
        pthread_cond_wait(&relay->more, &relay->lock);
    const bool go = !relay->closing;
    *item = relay->begun;
    relay->begun += go;
    pthread_mutex_unlock(&relay->lock);
    return go;
}

static void end(struct relay *relay, size_t item)
{
    pthread_mutex_lock(&relay->lock);
    relay->done[item % relay->room] = true;
    if (item == relay->taken)
        pthread_cond_signal(&relay->finished);
    pthread_mutex_unlock(&relay->lock);
}

static void *run(void *argument)
{
    struct relay *const relay = argument;
    pthread_mutex_lock(&relay->lock);
    const unsigned worker = relay->workers++;
    pthread_mutex_unlock(&relay->lock);
    for (size_t item; begin(relay, &item); end(relay, item))
        relay->work(relay->context, worker, item);
    return NULL;
}

struct relay *relay_open(unsigned workers, size_t room, relay_work work, void *context)
{
    struct relay *const relay = mem_zeroed(sizeof *relay + workers * sizeof *relay->thread);
    relay->work = work;
    relay->context = context;
    relay->room = room;
    relay->done = mem_zeroed(room * sizeof *relay->done);
    pthread_mutex_init(&relay->lock, NULL);
    pthread_cond_init(&relay->more, NULL);
    pthread_cond_init(&relay->finished, NULL);
    while (relay->started < workers && !pthread_create(&relay->thread[relay->started], NULL, run, relay))
        relay->started++;
    if (relay->started)
        return relay;
    relay_close(relay);
    return NULL;
}

bool relay_room(const struct relay *relay)
{
    return relay->given - relay->taken < relay->room;
}

void relay_give(struct relay *relay)
{
    pthread_mutex_lock(&relay->lock);
    relay->done[relay->given % relay->room] = false;
    relay->given++;
    pthread_cond_signal(&relay->more);
    pthread_mutex_unlock(&relay->lock);
}

bool relay_take(struct relay *relay)
{
    if (relay->taken == relay->given)
        return false;
    pthread_mutex_lock(&relay->lock);
    while (!relay->done[relay->taken % relay->room])
        pthread_cond_wait(&relay->finished, &relay->lock);
    relay->taken++;
    pthread_mutex_unlock(&relay->lock);
    return true;
}

void relay_close(struct relay *relay)
{
    pthread_mutex_lock(&relay->lock);
    relay->closing = true;
    pthread_cond_broadcast(&relay->more);
    pthread_mutex_unlock(&relay->lock);
    while (relay->started)
        pthread_join(relay->thread[--relay->started], NULL);
    pthread_cond_destroy(&relay->finished);
    pthread_cond_destroy(&relay->more);
    pthread_mutex_destroy(&relay->lock);
    mem_free(relay->done);
    mem_free(relay);
}

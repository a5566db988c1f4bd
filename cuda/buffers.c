/* SPDX-License-Identifier: Apache-2.0 */
#include "buffers.h"

#include <stdlib.h>
#include <time.h>

void buffers_begin(struct buffers *b)
{
    pthread_condattr_t attributes;
    pthread_mutex_init(&b->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&b->more, &attributes);
    pthread_condattr_destroy(&attributes);
}

uint8_t *buffers_room(struct buffers *b)
{
    uint8_t *room = NULL;
    pthread_mutex_lock(&b->lock);
    if (b->spares)
        room = b->spare[--b->spares];
    else if (b->made < BUFFERS_MOST && (room = aligned_alloc(64, BUFFER_BYTES)))
        b->made++;
    pthread_mutex_unlock(&b->lock);
    return room;
}

void buffers_return(struct buffers *b, uint8_t *buffer)
{
    pthread_mutex_lock(&b->lock);
    b->spare[b->spares++] = buffer; /* no more than were made come back */
    pthread_mutex_unlock(&b->lock);
}

void buffers_fill(struct buffers *b, uint8_t *buffer, size_t valid)
{
    if (!valid) {
        buffers_return(b, buffer);
        return;
    }
    pthread_mutex_lock(&b->lock);
    b->queue[(b->first + b->filled++) % BUFFERS_MOST] = (struct filled){buffer, valid};
    pthread_cond_signal(&b->more);
    pthread_mutex_unlock(&b->lock);
}

static struct timespec in_ms(int ms)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_sec += ms / 1000;
    at.tv_nsec += ms % 1000 * 1000000L;
    at.tv_sec += at.tv_nsec >= 1000000000;
    at.tv_nsec %= 1000000000;
    return at;
}

bool buffers_take(struct buffers *b, int wait_ms, struct filled *filled)
{
    const struct timespec until = in_ms(wait_ms);
    pthread_mutex_lock(&b->lock);
    while (!b->filled && !b->is_ending && !pthread_cond_timedwait(&b->more, &b->lock, &until))
        ;
    const bool any = b->filled > 0;
    if (any) {
        *filled = b->queue[b->first];
        b->first = (b->first + 1) % BUFFERS_MOST;
        b->filled--;
    }
    pthread_mutex_unlock(&b->lock);
    return any;
}

void buffers_end(struct buffers *b)
{
    pthread_mutex_lock(&b->lock);
    b->is_ending = true;
    pthread_cond_signal(&b->more);
    pthread_mutex_unlock(&b->lock);
}

bool buffers_ending(struct buffers *b)
{
    pthread_mutex_lock(&b->lock);
    const bool is_ending = b->is_ending;
    pthread_mutex_unlock(&b->lock);
    return is_ending;
}

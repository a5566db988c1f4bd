/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Room that CUPTI fills with records, and what it has filled. CUPTI's threads ask for room and bring it back, the recorder's
 * thread takes it in the order in which it came. As much memory as the limit is used, no more: where all of it is filled and not
 * yet read, there is no room, CUPTI drops records and counts them.
 */
#ifndef CUDA_BUFFERS_H
#define CUDA_BUFFERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BUFFER_BYTES = 1 << 20, BUFFERS_MOST = 128 };

struct filled {
    uint8_t *buffer;
    size_t valid;
};

struct buffers {
    pthread_mutex_t lock;
    pthread_cond_t more; /* something was filled, or the recorder is to end */
    uint8_t *spare[BUFFERS_MOST];
    struct filled queue[BUFFERS_MOST];
    unsigned made, spares, first, filled;
    bool is_ending;
};

void buffers_begin(struct buffers *buffers);

/* NULL: there is no room. */
uint8_t *buffers_room(struct buffers *buffers);
void buffers_fill(struct buffers *buffers, uint8_t *buffer, size_t valid);

/* Waits so long at most. False: nothing came. */
bool buffers_take(struct buffers *buffers, int wait_ms, struct filled *filled);
void buffers_return(struct buffers *buffers, uint8_t *buffer);

/* From now on buffers_take does not wait. */
void buffers_end(struct buffers *buffers);
bool buffers_ending(struct buffers *buffers);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the stub of CUPTI share (stub_cupti.c says what it is): its state, and records put into buffers. */
#ifndef STEPTIME_TESTS_STUB_CUPTI_H
#define STEPTIME_TESTS_STUB_CUPTI_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda/cupti_abi.h"

enum {
    SLOTS = 64,
    MOST_HELD = 64,
    RUNTIME_LAUNCH = 211,
    RUNTIME_COPY = 41,
    RUNTIME_WAIT = 131,
    RUNTIME_SET = 51,
    RUNTIME_GET_DEVICE = 17,
    RUNTIME_PEEK = 10,
    DRIVER_STATE = 388,
    DRIVER_COPY = 277,
    DRIVER_LAUNCH = 307
};

/* Each thread fills a buffer of its own. */
struct slot {
    pthread_mutex_t lock;
    uint8_t *buffer;
    size_t bytes, used;
};

extern struct slot slots[SLOTS];

extern struct stub {
    cupti_request request;
    cupti_complete complete;
    cupti_callback callback;
    void *ours;
    uint8_t enabled[KINDS_KNOWN];
    uint8_t listened[3][4096], left_out[3][4096];
    pthread_mutex_t lock;
    struct held {
        uint8_t *buffer;
        size_t bytes, valid;
    } held[MOST_HELD];
    int held_count;
    uint64_t dropped_untold, dropped, given, correlation, clock_ns, stream_free_ns;
} stub;

/* The number that the environment has of that name. */
long setting(const char *name, long otherwise);

/* The bytes of a record of this version. */
size_t bytes_of(uint32_t kind);

/* All buffers that were kept back, the last first. With stub.lock. */
void bring_all(void);

/* Gives the slot's buffer back. With its lock. */
void send_slot(struct slot *slot);

/* A record of nothing but its kind, in the slot, which stays locked until record_end(); NULL: it is dropped. */
uint8_t *record_begin(struct slot *slot, uint32_t kind);
void record_end(struct slot *slot);

void put4(uint8_t *record, size_t at, uint32_t value);
void put8(uint8_t *record, size_t at, uint64_t value);

#define API __attribute__((visibility("default")))

#endif

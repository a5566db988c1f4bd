/* SPDX-License-Identifier: Apache-2.0 */
/* Records of the stub of CUPTI: from a thread's slot into buffers, and back to whom they belong, late or in the wrong order. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stub_cupti.h"

struct slot slots[SLOTS];

struct stub stub = {.lock = PTHREAD_MUTEX_INITIALIZER, .clock_ns = UINT64_C(1700000000000000000)};

long setting(const char *name, long otherwise)
{
    const char *const text = getenv(name);
    return text && *text ? atol(text) : otherwise;
}

static const struct cupti_layout *layout(void)
{
    static const struct cupti_layout *known;
    int is_newer;
    if (!known)
        known = cupti_layout_of((uint32_t)setting("STUB_VERSION", 130500), &is_newer);
    if (!known) /* older than all */
        known = cupti_layout_of(18, &is_newer);
    return known;
}

size_t bytes_of(uint32_t kind)
{
    static long odd = -1;
    if (odd < 0)
        odd = setting("STUB_ODD", 0);
    return cupti_record_bytes(layout(), kind) + (odd ? 8 : 0);
}

static void bring(struct held held)
{
    const long delay = setting("STUB_DELAY_MS", 0);
    if (delay)
        usleep((useconds_t)delay * 1000);
    stub.complete(NULL, 0, held.buffer, held.bytes, held.valid);
}

void bring_all(void)
{
    while (stub.held_count)
        bring(stub.held[--stub.held_count]);
}

static void send(struct held held)
{
    const long hold = setting("STUB_HOLD", 0);
    pthread_mutex_lock(&stub.lock);
    if (stub.held_count == MOST_HELD || stub.held_count >= hold)
        bring_all();
    if (hold)
        stub.held[stub.held_count++] = held;
    else
        bring(held);
    pthread_mutex_unlock(&stub.lock);
}

void send_slot(struct slot *slot)
{
    if (slot->buffer)
        send((struct held){slot->buffer, slot->bytes, slot->used});
    slot->buffer = NULL;
    slot->bytes = slot->used = 0;
}

static int has_room(struct slot *slot, size_t bytes)
{
    size_t most = 0;
    for (int tries = 0; !slot->buffer || slot->used + bytes > slot->bytes; tries++) {
        send_slot(slot);
        stub.request(&slot->buffer, &slot->bytes, &most);
        if (slot->buffer)
            continue;
        if (!setting("STUB_PATIENT", 0) || tries > 20000)
            return 0;
        usleep(500);
    }
    return 1;
}

uint8_t *record_begin(struct slot *slot, uint32_t kind)
{
    static long every = -1;
    if (every < 0)
        every = setting("STUB_DROP", 0);
    pthread_mutex_lock(&slot->lock);
    const size_t bytes = bytes_of(kind);
    const uint64_t number = __atomic_add_fetch(&stub.given, 1, __ATOMIC_RELAXED);
    if (!stub.enabled[kind] || (every && number % (uint64_t)every == 0) || !has_room(slot, bytes)) {
        __atomic_add_fetch(&stub.dropped, 1, __ATOMIC_RELAXED);
        __atomic_add_fetch(&stub.dropped_untold, 1, __ATOMIC_RELAXED);
        pthread_mutex_unlock(&slot->lock);
        return NULL;
    }
    uint8_t *const record = slot->buffer + slot->used;
    memset(record, 0, bytes);
    memcpy(record, &kind, sizeof kind);
    slot->used += bytes;
    return record;
}

void record_end(struct slot *slot)
{
    pthread_mutex_unlock(&slot->lock);
}

void put4(uint8_t *record, size_t at, uint32_t value)
{
    memcpy(record + at, &value, sizeof value);
}

void put8(uint8_t *record, size_t at, uint64_t value)
{
    memcpy(record + at, &value, sizeof value);
}

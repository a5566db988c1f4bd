/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Things that many threads keep once each. Who finds a thing takes no lock: slots are only ever filled, and a table that
 * became too small stays as it is, for those who are still looking there, until the set is freed. Who finds none takes the
 * lock, looks again, and puts his own.
 *
 *     const struct thing *found = shared_set_find(&set, hash, is_thing, &wanted);
 *     if (!found) {
 *         shared_set_lock(&set);
 *         found = shared_set_find(&set, hash, is_thing, &wanted);
 *         if (!found)
 *             shared_set_put(&set, hash, found = made(wanted));
 *         shared_set_unlock(&set);
 *     }
 */
#ifndef BASE_SHARED_SET_H
#define BASE_SHARED_SET_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shared_slot {
    _Atomic(const void *) thing; /* NULL: free */
    uint64_t hash;               /* written before the thing */
};

struct shared_table {
    struct shared_table *smaller; /* the one before */
    size_t mask;
    struct shared_slot slots[];
};

struct shared_set {
    pthread_mutex_t lock;
    _Atomic(struct shared_table *) table;
    size_t count;
};

void shared_set_begin(struct shared_set *set);
void shared_set_free(struct shared_set *set); /* the things are not its own */

static inline void shared_set_lock(struct shared_set *set)
{
    pthread_mutex_lock(&set->lock);
}

static inline void shared_set_unlock(struct shared_set *set)
{
    pthread_mutex_unlock(&set->lock);
}

/* The thing that is the wanted one; NULL: there is none, or it is being put just now. */
static inline const void *shared_set_find(const struct shared_set *set, uint64_t hash,
                                          bool (*is)(const void *thing, const void *wanted), const void *wanted)
{
    const struct shared_table *table = atomic_load_explicit(&set->table, memory_order_acquire);
    for (size_t i = hash & table->mask;; i = (i + 1) & table->mask) {
        const struct shared_slot *slot = &table->slots[i];
        const void *thing = atomic_load_explicit(&slot->thing, memory_order_acquire);
        if (!thing || (slot->hash == hash && is(thing, wanted)))
            return thing;
    }
}

/* Of whoever holds the lock: a thing that is not there yet. */
void shared_set_put(struct shared_set *set, uint64_t hash, const void *thing);

#endif

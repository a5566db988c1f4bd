/* SPDX-License-Identifier: Apache-2.0 */
#include "shared_set.h"

#include "mem.h"

enum { FIRST_SLOTS = 64 };

static struct shared_table *new_table(size_t slots, struct shared_table *smaller)
{
    struct shared_table *table = mem_zeroed(sizeof *table + slots * sizeof *table->slots);
    table->smaller = smaller;
    table->mask = slots - 1;
    return table;
}

void shared_set_begin(struct shared_set *set)
{
    pthread_mutex_init(&set->lock, NULL);
    set->table = new_table(FIRST_SLOTS, NULL);
    set->count = 0;
}

void shared_set_free(struct shared_set *set)
{
    for (struct shared_table *table = set->table, *smaller; table; table = smaller) {
        smaller = table->smaller;
        mem_free(table);
    }
    pthread_mutex_destroy(&set->lock);
}

static void fill(struct shared_table *table, uint64_t hash, const void *thing)
{
    size_t i = hash & table->mask;
    while (table->slots[i].thing)
        i = (i + 1) & table->mask;
    table->slots[i].hash = hash;
    atomic_store_explicit(&table->slots[i].thing, thing, memory_order_release);
}

/* Half of the slots stay free. */
static struct shared_table *larger(struct shared_table *table)
{
    struct shared_table *twice = new_table(2 * (table->mask + 1), table);
    for (size_t i = 0; i <= table->mask; i++)
        if (table->slots[i].thing)
            fill(twice, table->slots[i].hash, table->slots[i].thing);
    return twice;
}

void shared_set_put(struct shared_set *set, uint64_t hash, const void *thing)
{
    struct shared_table *table = set->table;
    if (++set->count * 2 > table->mask) {
        table = larger(table);
        fill(table, hash, thing);
        atomic_store_explicit(&set->table, table, memory_order_release);
    } else {
        fill(table, hash, thing);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "late.h"

#include <stdatomic.h>

struct late_value {
    void *value;
    struct arena arena; /* that holds this, too */
};

static struct late_value *made(late_make make, const void *context)
{
    struct arena arena = {0};
    struct late_value *value = arena_alloc(&arena, sizeof *value);
    value->value = make(context, &arena);
    value->arena = arena;
    return value;
}

void *late_value(struct late *late, late_make make, const void *context)
{
    struct late_value *known = atomic_load_explicit(&late->value, memory_order_acquire);
    if (known)
        return known->value;
    struct late_value *own = made(make, context);
    if (atomic_compare_exchange_strong(&late->value, &known, own))
        return own->value;
    struct arena arena = own->arena; /* another thread was first */
    arena_free(&arena);
    return known->value;
}

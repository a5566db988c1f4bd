/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lives of storages as they would be if the script kept less: checkpointed modules, tensors divided over ranks or kept on the
 * host. Each gives lives of their own, to be replayed; doc/numbers/price.md has what each leaves out.
 */
#ifndef DRY_WAYS_H
#define DRY_WAYS_H

#include "lives.h"

/* Each kind's storages with that share of their bytes. */
struct dry_lives lives_shared_out(const struct dry_lives *lives, const double share[DRY_MEMORY_KINDS],
                                  struct arena *arena);

/* A class of modules whose calls keep something for backward(). */
struct dry_keeper {
    str name;
    uint32_t calls; /* of the last step, without those inside one of them */
    int64_t bytes;  /* that these keep beyond what they return */
};

/* Most first. */
struct dry_keeper *lives_keepers(const struct dry_lives *lives, struct arena *arena, uint32_t *count);

/*
 * What calls of modules of that class keep dies where they return, and is made again, with what making it takes in passing,
 * before the backward() of the call needs it. Calls inside such a call are its own.
 */
struct dry_lives lives_checkpointed(const struct dry_lives *lives, str name, struct arena *arena);

/* Whether it is such a call, and no other of its class is around it. */
bool lives_is_outermost(const struct dry_lives *lives, uint32_t call, str name);

#endif

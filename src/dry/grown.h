/* SPDX-License-Identifier: Apache-2.0 */
/* Lives of storages as they would be with another batch than those that were run. */
#ifndef DRY_GROWN_H
#define DRY_GROWN_H

#include "base/between.h"
#include "lives.h"

/*
 * Storages of one line and kind go with each other, in their order, where both runs have as many: each stays, or goes with the
 * batch. Of others activations and what was made backwards go with it, but for what was made before the first batch was loaded.
 * few: NULL where only the larger was run.
 */
struct dry_lives lives_between(const struct dry_lives *few, const struct dry_lives *more, struct batches batches,
                               struct arena *arena);

#endif

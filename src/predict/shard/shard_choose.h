/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PREDICT_SHARD_CHOOSE_H
#define PREDICT_SHARD_CHOOSE_H

#include "shard.h"

/* The device of each piece by that method; in the arena. */
uint32_t *shard_choose(const struct sharding *sharding, enum shard_method method, struct arena *arena);

#endif

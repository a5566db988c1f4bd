/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PREDICT_SHARD_CHOOSE_H
#define PREDICT_SHARD_CHOOSE_H

#include "shard.h"

/* The device of each piece by that method; in the arena. */
/* *whole false: further exchanges might make it faster, but they were too many to try. */
uint32_t *shard_choose(const struct sharding *sharding, enum shard_method method, struct arena *arena, bool *whole);

#endif

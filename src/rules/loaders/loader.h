/* SPDX-License-Identifier: Apache-2.0 */
/* A call of torch.utils.data.DataLoader, and what becomes of its batches. */
#ifndef RULES_LOADER_H
#define RULES_LOADER_H

#include "rules/ask/ask.h"

/* Positions in DataLoader.__init__. */
enum loader_parameter {
    LOADER_DATASET = 0,
    LOADER_BATCH_SIZE = 1,
    LOADER_SHUFFLE = 2,
    LOADER_SAMPLER = 3,
    LOADER_BATCH_SAMPLER = 4,
    LOADER_NUM_WORKERS = 5,
    LOADER_COLLATE_FN = 6,
    LOADER_PIN_MEMORY = 7,
};

bool loader_is(const struct check *check, uint32_t call);
uint32_t loader_argument(const struct check *check, uint32_t call, enum loader_parameter parameter);
/* Whether the run has a device at all to which its batches could go. */
bool loader_feeds_device(const struct check *check, uint32_t call);
/* Whether its samples lie on the device, or are put there by its collate_fn: workers and pinning are then errors. */
bool loader_on_device(const struct check *check, uint32_t call);
/* False where its collate_fn is seen to return lists and arrays alone, which cannot be pinned. */
bool loader_gives_tensors(const struct check *check, uint32_t call);
/* Whether it gives numbers of rows alone: DataLoader(range(n)), DataLoader(indices). */
bool loader_of_indices(const struct check *check, uint32_t call);
/* Why nothing is trained on its batches, as a clause; NULL where something is, or may be. */
const char *loader_untrained(const struct check *check, uint32_t call);
/* Whether each step begins by making data with the network from the batch: loading it is nothing beside that. */
bool loader_generates(const struct check *check, uint32_t call);
/* Whether its dataset hands out parts of what it holds in memory, for which workers cost more than they bring. */
bool loader_in_memory(const struct check *check, uint32_t call);

#endif

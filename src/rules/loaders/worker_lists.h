/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists that the workers of a loader hand over, of which the training thread makes tensors:
 *
 *     def collate(rows):                          batches = DataLoader(data, collate_fn=collate, num_workers=2)
 *         ids = []                                for ids, lengths in batches:
 *         ...                                         ids = torch.LongTensor(ids).to(device)
 *         return ids, lengths
 *
 * They are followed from the loader's loop, and from all other calls of the function, through names and calls to the constructors.
 */
#ifndef RULES_WORKER_LISTS_H
#define RULES_WORKER_LISTS_H

#include "rules/ask/ask.h"

enum { WORKER_LISTS = 16 };

struct worker_lists {
    uint32_t nodes[WORKER_LISTS];    /* in what is returned, in the order of the text */
    const char *types[WORKER_LISTS]; /* of NumPy: what each constructor makes of the elements */
    uint32_t count;
};

/* Whether the return is that of a function that workers run, and gives lists of which nothing but tensors of one type is made. */
bool worker_lists_find(const struct check *check, uint32_t statement, struct worker_lists *lists);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "between.h"

#include "sum.h"

static bool goes_with(int64_t of_few, int64_t of_more, struct batches batches)
{
    int64_t x, y;
    return !__builtin_mul_overflow(of_few, batches.more, &x) && !__builtin_mul_overflow(of_more, batches.few, &y) &&
           x == y;
}

int64_t size_with_batch(int64_t of_more, struct batches batches)
{
    return sum_rounded((double)of_more * (double)batches.to / (double)batches.more);
}

bool size_between(int64_t of_few, int64_t of_more, struct batches batches, int64_t *size)
{
    const bool stays = of_few == of_more, with = goes_with(of_few, of_more, batches);
    const bool with_one_more = of_few > 1 && goes_with(of_few - 1, of_more - 1, batches);
    *size = stays           ? of_more
            : with          ? size_with_batch(of_more, batches)
            : with_one_more ? sum_add(size_with_batch(of_more - 1, batches), 1)
                            : of_more;
    return stays || with || with_one_more;
}

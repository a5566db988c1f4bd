/* SPDX-License-Identifier: Apache-2.0 */
#include "ranks_before.h"

#include "base/varint.h"

enum { NUMBERS = RANK_SINCES * RANK_TIMES };

struct rank_befores rank_befores_of(const struct rank_before *each, uint32_t count, struct arena *arena)
{
    struct buf bytes = {0};
    uint32_t *at = arena_array(arena, count, sizeof *at);
    for (uint32_t i = 0; i < count; i++) {
        at[i] = (uint32_t)bytes.len;
        for (int k = 0; k < NUMBERS; k++)
            varint_put(&bytes, (uint64_t)each[i].ns[k / RANK_TIMES][k % RANK_TIMES]);
    }
    const str kept = str_copy(arena, buf_str(&bytes));
    buf_free(&bytes);
    return (struct rank_befores){(const uint8_t *)kept.at, at};
}

struct rank_before rank_before(const struct rank_befores *befores, uint32_t collective)
{
    struct rank_before out;
    const uint8_t *at = befores->bytes + befores->at[collective];
    for (int k = 0; k < NUMBERS; k++)
        out.ns[k / RANK_TIMES][k % RANK_TIMES] = (int64_t)varint_get(&at);
    return out;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What the processes of a crew read of one table, put together in the first one. */
#include "base/error.h"
#include "fleet/step/bytes.h"
#include "parallel/crew.h"
#include "job_table.h"

/* What travels of a result; the texts follow. */
struct sent {
    uint64_t rows, taken, lines, dropped;
    uint64_t line[DROPPED_TOLD];
    uint32_t why[DROPPED_TOLD], damage; /* lengths of the texts */
    bool lines_of_share;
};

static uint32_t told(uint64_t dropped)
{
    return dropped < DROPPED_TOLD ? (uint32_t)dropped : DROPPED_TOLD;
}

static void send(const struct job_table_result *result, struct buf *bytes)
{
    struct sent sent;
    memset(&sent, 0, sizeof sent);
    sent.rows = result->rows;
    sent.taken = result->taken;
    sent.lines = result->lines;
    sent.dropped = result->dropped.count;
    sent.lines_of_share = result->lines_of_share;
    sent.damage = (uint32_t)result->damage.len;
    for (uint32_t i = 0; i < told(sent.dropped); i++) {
        sent.line[i] = result->dropped.told[i].line;
        sent.why[i] = (uint32_t)result->dropped.told[i].why.len;
    }
    bytes_put(bytes, &sent, sizeof sent);
    buf_add(bytes, result->damage);
    for (uint32_t i = 0; i < told(sent.dropped); i++)
        buf_add(bytes, result->dropped.told[i].why);
}

static bool take_text(str *bytes, uint32_t len, struct arena *arena, str *text)
{
    if (len > bytes->len)
        return false;
    *text = str_copy(arena, (str){bytes->at, len});
    *bytes = str_from(*bytes, len);
    return true;
}

static bool add(struct job_table_result *all, uint64_t lines_before, str bytes, struct arena *arena)
{
    struct sent sent;
    str damage, why;
    if (!bytes_take(&bytes, &sent, sizeof sent) || !take_text(&bytes, sent.damage, arena, &damage))
        return false;
    for (uint32_t i = 0; i < told(sent.dropped); i++) {
        if (!take_text(&bytes, sent.why[i], arena, &why))
            return false;
        const uint64_t line = sent.line[i] + (sent.lines_of_share ? lines_before : 0);
        if (all->dropped.count + i < DROPPED_TOLD)
            all->dropped.told[all->dropped.count + i] = (struct dropped_row){line, why};
    }
    all->rows += sent.rows;
    all->taken += sent.taken;
    all->dropped.count += sent.dropped;
    all->lines = sent.lines + (sent.lines_of_share ? lines_before : 0);
    if (damage.len)
        all->damage = damage;
    return true;
}

/* Shares of blocks do not follow one another: dropped rows are told in the order of the file again. */
static void order_dropped(struct job_table_dropped *dropped)
{
    for (uint32_t i = 1; i < told(dropped->count); i++) {
        const struct dropped_row row = dropped->told[i];
        uint32_t at = i;
        for (; at && dropped->told[at - 1].line > row.line; at--)
            dropped->told[at] = dropped->told[at - 1];
        dropped->told[at] = row;
    }
}

bool job_table_gather(struct job_table_result *result, struct arena *arena, struct steptime_error *err)
{
    const struct crew *const crew = crew_ours();
    if (crew->count == 1)
        return true;
    struct buf mine = {0};
    str *const parts = arena_array(arena, crew->count, sizeof *parts);
    send(result, &mine);
    bool good = crew->gather(buf_str(&mine), arena, parts, err);
    for (unsigned rank = 1; good && !crew->rank && rank < crew->count; rank++)
        good = add(result, result->lines, parts[rank], arena) ||
               fail(err, STEPTIME_INPUT, "process %u sent what cannot be read", rank);
    buf_free(&mine);
    if (good && !crew->rank)
        order_dropped(&result->dropped);
    return good;
}

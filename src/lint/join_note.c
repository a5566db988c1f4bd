/* SPDX-License-Identifier: Apache-2.0 */
/* What a trace shows, in a sentence: "A step copies 414 kB in 5 copies here, the host waits 358.6 ms ..." */
#include "join_private.h"

struct amounts {
    uint64_t copies, waits, rounds; /* rounds: operators of a loop over elements */
    int64_t bytes, blocked_ns, bubble_ns, host_ns;
};

static str in_time(struct arena *arena, int64_t ns)
{
    if (ns < 1000)
        return str_printf(arena, "%lld ns", (long long)ns);
    if (ns < 1000 * 1000)
        return str_printf(arena, "%.1f us", (double)ns / 1e3);
    return ns < 1000 * 1000 * 1000 ? str_printf(arena, "%.1f ms", (double)ns / 1e6)
                                   : str_printf(arena, "%.2f s", (double)ns / 1e9);
}

static str in_bytes(struct arena *arena, int64_t bytes)
{
    if (bytes < 1000)
        return str_printf(arena, "%lld bytes", (long long)bytes);
    if (bytes < 1000 * 1000)
        return str_printf(arena, "%.1f kB", (double)bytes / 1e3);
    return bytes < 1000 * 1000 * 1000 ? str_printf(arena, "%.1f MB", (double)bytes / 1e6)
                                      : str_printf(arena, "%.2f GB", (double)bytes / 1e9);
}

static void add_move(struct amounts *amounts, const struct move *move)
{
    amounts->copies += move_is_copy(move);
    amounts->waits += !move_is_copy(move);
    amounts->bytes += move->bytes > 0 ? move->bytes : 0;
    amounts->blocked_ns += move->blocked_ns;
    amounts->bubble_ns += move->bubble_ns;
}

/* "2.5", "5" */
static str a_step(struct arena *arena, uint64_t count, uint32_t steps)
{
    return count % steps ? str_printf(arena, "%.1f", (double)count / steps)
                         : str_printf(arena, "%llu", (unsigned long long)(count / steps));
}

static str what_moves(struct arena *arena, const struct amounts *amounts, uint32_t steps)
{
    const str copies = a_step(arena, amounts->copies, steps), waits = a_step(arena, amounts->waits, steps);
    const str bytes = in_bytes(arena, amounts->bytes / steps);
    if (amounts->copies && amounts->waits)
        return str_printf(arena, "makes %s copies of %s and %s synchronisations", copies.at, bytes.at, waits.at);
    if (amounts->copies)
        return str_printf(arena, "makes %s %s of %s", copies.at, amounts->copies == steps ? "copy" : "copies",
                          bytes.at);
    return str_printf(arena, "synchronises %s times", waits.at);
}

static str told(const struct join *join, const struct amounts *amounts, int64_t saving_ns)
{
    struct arena *arena = join->arena;
    const uint32_t steps = join->evidence.steps;
    str text = S("A step");
    if (amounts->copies || amounts->waits)
        text = str_printf(arena, "%s %s, for which the host waits %s; the device rests %s behind them", text.at,
                          what_moves(arena, amounts, steps).at, in_time(arena, amounts->blocked_ns / steps).at,
                          in_time(arena, amounts->bubble_ns / steps).at);
    else if (amounts->rounds)
        text = str_printf(arena, "%s calls %s operators here on single elements, which takes the host %s", text.at,
                          a_step(arena, amounts->rounds, steps).at, in_time(arena, amounts->host_ns / steps).at);
    else
        text = str_printf(arena, "%s spends %s of the training thread here", text.at,
                          in_time(arena, amounts->host_ns / steps).at);
    if (saving_ns < 0)
        return str_printf(arena, "%s.", text.at);
    if (saving_ns == 0)
        return str_printf(arena, "%s. Without it a step would take as long%s.", text.at,
                          evidence_device_bound(&join->evidence) ? ": the device fills it" : "");
    return str_printf(arena, "%s. Without it a step would take %s less.", text.at, in_time(arena, saving_ns).at);
}

str sighting_note(const struct join *join, const struct sighting *sighting, int64_t saving_ns)
{
    struct amounts amounts = {0};
    for (size_t i = 0; i < sighting->move_count; i++)
        add_move(&amounts, &join->evidence.movement.at[sighting->moves[i]]);
    for (size_t i = 0; i < sighting->host_count; i++)
        amounts.host_ns += join->evidence.trace->dur_ns[sighting->host[i]];
    amounts.rounds = sighting->spares == SPARES_ROUNDS ? sighting->host_count : 0;
    const str text = told(join, &amounts, saving_ns);
    if (!sighting->shared)
        return text;
    return str_printf(join->arena, "%s The trace cannot tell which of %u such places of the function it was.", text.at,
                      sighting->shared);
}

str group_note(const struct join *join, const struct move_group *group, int64_t saving_ns)
{
    const struct amounts amounts = {.copies = group_is_sync(group) ? 0 : group->in_steps,
                                    .waits = group_is_sync(group) ? group->in_steps : 0,
                                    .bytes = group->bytes,
                                    .blocked_ns = group->blocked_ns,
                                    .bubble_ns = group->bubble_ns};
    return told(join, &amounts, saving_ns);
}

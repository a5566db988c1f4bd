/* SPDX-License-Identifier: Apache-2.0 */
/* What a trace shows, in a sentence: "A step copies 414 kB in 5 copies here, the host waits 358.6 ms ..." */
#include "private.h"

/* Of events that several findings show a part each. */
struct amounts {
    double copies, waits, rounds; /* rounds: operators of a loop over elements */
    double bytes, blocked_ns, bubble_ns, host_ns;
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

static void add_move(struct amounts *amounts, const struct move *move, double share)
{
    amounts->copies += share * move_is_copy(move);
    amounts->waits += share * !move_is_copy(move);
    amounts->bytes += share * (double)(move->bytes > 0 ? move->bytes : 0);
    amounts->blocked_ns += share * (double)move->blocked_ns;
    amounts->bubble_ns += share * (double)move->bubble_ns;
}

/* "2.5", "5" */
static str a_step(struct arena *arena, double count, uint32_t steps)
{
    const double each = count / steps;
    const int64_t whole = (int64_t)(each + 0.5);
    const bool even = each - (double)whole < 1e-6 && (double)whole - each < 1e-6;
    return even ? str_printf(arena, "%lld", (long long)whole) : str_printf(arena, "%.1f", each);
}

static str what_moves(struct arena *arena, const struct amounts *amounts, uint32_t steps)
{
    const str copies = a_step(arena, amounts->copies, steps), waits = a_step(arena, amounts->waits, steps);
    const str bytes = in_bytes(arena, (int64_t)(amounts->bytes / steps));
    if (amounts->copies > 0 && amounts->waits > 0)
        return str_printf(arena, "makes %s copies of %s and %s synchronisations", copies.at, bytes.at, waits.at);
    if (amounts->copies > 0)
        return str_printf(arena, "makes %s %s of %s", copies.at, str_eq(copies, S("1")) ? "copy" : "copies", bytes.at);
    return str_printf(arena, "synchronises %s times", waits.at);
}

static str told(const struct join *join, const struct amounts *amounts, int64_t saving_ns)
{
    struct arena *arena = join->arena;
    const uint32_t steps = join->evidence.steps;
    str text = S("A step");
    if (amounts->copies > 0 || amounts->waits > 0)
        text =
            str_printf(arena, "%s %s, for which the host waits %s; the device rests %s behind them", text.at,
                       what_moves(arena, amounts, steps).at, in_time(arena, (int64_t)(amounts->blocked_ns / steps)).at,
                       in_time(arena, (int64_t)(amounts->bubble_ns / steps)).at);
    else if (amounts->rounds > 0)
        text = str_printf(arena, "%s calls %s operators here on single elements, which takes the host %s", text.at,
                          a_step(arena, amounts->rounds, steps).at,
                          in_time(arena, (int64_t)(amounts->host_ns / steps)).at);
    else
        text = str_printf(arena, "%s spends %s of the training thread here", text.at,
                          in_time(arena, (int64_t)(amounts->host_ns / steps)).at);
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
        add_move(&amounts, &join->evidence.movement.at[sighting->moves[i]],
                 join_share_of_move(join, sighting->moves[i]));
    for (size_t i = 0; i < sighting->host_count; i++) {
        const double share = join_share_of_host(join, sighting->host[i]);
        amounts.host_ns += share * (double)join->evidence.trace->dur_ns[sighting->host[i]];
        amounts.rounds += sighting->spares == SPARES_ROUNDS ? share : 0;
    }
    const str text = told(join, &amounts, saving_ns);
    if (!sighting->shared)
        return text;
    return str_printf(join->arena,
                      "%s The trace cannot tell which of %u such places of the function it was: each has its "
                      "part.",
                      text.at, sighting->shared);
}

str group_note(const struct join *join, const struct move_group *group, int64_t saving_ns)
{
    const struct amounts amounts = {.copies = group_is_sync(group) ? 0 : (double)group->in_steps,
                                    .waits = group_is_sync(group) ? (double)group->in_steps : 0,
                                    .bytes = (double)group->bytes,
                                    .blocked_ns = (double)group->blocked_ns,
                                    .bubble_ns = (double)group->bubble_ns};
    return told(join, &amounts, saving_ns);
}

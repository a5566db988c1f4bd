/* SPDX-License-Identifier: Apache-2.0 */
/* All times of a replay are by how much later they are than recorded. */
#include "lines_replay.h"

#include "base/order.h"

struct replay {
    const struct lines *lines;
    struct turns turns;
    struct ways ways;
    struct way_times times; /* by act */
    int64_t *come_ns; /* by act: when the last of all that its kernel carries out had come; NULL: each has its own */
};

static int64_t *room_for(const struct replay *p, struct arena *arena)
{
    return arena_array(arena, p->turns.act_count, sizeof(int64_t));
}

struct replay *lines_replay_new(const struct lines *lines, const struct way_changes *changes, struct arena *arena)
{
    struct replay *p = arena_alloc(arena, sizeof *p);
    *p = (struct replay){.lines = lines, .turns = turns_of(lines, arena)};
    p->ways = ways_of(&p->turns, changes, arena);
    p->times =
        (struct way_times){room_for(p, arena), room_for(p, arena), arena_array(arena, p->ways.slots, sizeof(int64_t))};
    if (p->turns.in_kernels)
        p->come_ns = room_for(p, arena);
    return p;
}

/* ---- a run ---- */

struct run {
    struct replay *replay;
    const struct replay_change *change;
    struct way_reader ways;
};

static int64_t enter(struct run *run, uint32_t i)
{
    const struct replay *p = run->replay;
    p->times.entry_ns[i] = way_next(&run->ways, i, p->turns.acts[i].rank);
    return p->turns.acts[i].entry_ns + p->times.entry_ns[i];
}

/* As long after the last entry as recorded, or as changed; of several in one kernel when all have come. */
static void leave(const struct run *run, const struct turn *turn, uint32_t i, int64_t last_now_ns)
{
    const struct replay *p = run->replay;
    const struct act *act = &p->turns.acts[i];
    if (p->come_ns) {
        const uint32_t exit = turns_exit_act(&p->turns, act->rank, act->collective);
        last_now_ns = p->come_ns[exit] = larger_of(p->come_ns[exit], last_now_ns);
        if (exit != i)
            return;
    }
    int64_t transfer = act->transfer_ns;
    if (transfer > 0 && run->change->transfer)
        transfer = run->change->transfer(run->change->of, turn->meeting, transfer);
    p->times.exit_ns[i] = last_now_ns - p->lines->meetings[turn->meeting].last_ns + transfer - act->transfer_ns;
}

static void hold(struct run *run, const struct turn *turn)
{
    const struct replay *p = run->replay;
    int64_t last_now_ns = INT64_MIN;
    for (uint32_t i = turn->first; i < turn->first + turn->count; i++)
        last_now_ns = larger_of(last_now_ns, enter(run, i));
    for (uint32_t i = turn->first; i < turn->first + turn->count && turn->meeting != NO_MEETING; i++)
        leave(run, turn, i, last_now_ns);
    if (turn->meeting == NO_MEETING)
        p->times.exit_ns[turn->first] = p->times.entry_ns[turn->first];
}

static void hold_all(struct run *run)
{
    const struct replay *p = run->replay;
    for (uint32_t i = 0; p->come_ns && i < p->turns.act_count; i++)
        p->come_ns[i] = INT64_MIN;
    for (uint32_t i = 0; i < p->turns.count; i++)
        hold(run, &p->turns.at[i]);
}

int64_t lines_replay_run(struct replay *replay, const struct replay_change *change)
{
    const struct lines *lines = replay->lines;
    struct run run = {replay, change, {replay->ways.bytes, &replay->times, change->wants, change->of}};
    int64_t last = INT64_MIN;
    hold_all(&run);
    for (uint32_t r = 0; r < lines->count; r++)
        last = larger_of(last, line_time_ns(lines, r, lines->at[r].strip->last_ns) +
                                   way_next(&run.ways, replay->turns.act_count, r));
    return last - lines->start_ns;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several ranks replayed at once: their graphs are the nets of a job (time/job.h),
 * whose meetings are the collectives (ops/rows/collective_match.h), and what threads of
 * the host wait for without a node of its own (replay_waits). Clocks of collectives need
 * not agree, for one ends on all ranks at once. It takes the least that any rank
 * recorded; so a question that changes nothing gives back what was recorded.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "replay_private.h"
#include "time/job.h"

/* Of one rank at one collective. */
struct coming {
    uint64_t key; /* the same on all ranks */
    int64_t size; /* ranks that come; 0: not known */
    struct member member;
};

/* ---- who meets whom ---- */

static int by_key(const void *a, const void *b)
{
    const struct coming *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->member.net > y->member.net) - (x->member.net < y->member.net);
}

/*
 * Collectives of the host whose work stands on a thread of its own: the thread waits there until the last has come, and who
 * waits for that thread waits with it.
 */
static void add_on_host(struct replay *r)
{
    struct arena scratch = {0};
    const struct trace *trace = r->graph->trace;
    const struct collectives all = collectives_of(trace, r->classes, &scratch);
    for (uint32_t i = 0; i < all.count; i++) {
        const struct collective *of = &all.at[i];
        if (!of->on_host || of->dur_ns < 0 || of->call == ROW_NONE || trace->lane[of->row] == trace->lane[of->call] ||
            !collective_is_blocking((enum collective_kind)of->kind))
            continue;
        const int64_t step = of->step == STEP_NONE ? -1 : trace->steps[of->step].number;
        r->meets = mem_grow(r->meets, &r->meet_room, r->meet_count + 1, sizeof *r->meets);
        r->meets[r->meet_count++] = (struct replay_meet){.point = collective_point(of, &all.groups[of->group], step),
                                                         .row = of->row,
                                                         .size = all.groups[of->group].size};
    }
    arena_free(&scratch);
}

static struct collective_line line_of(const struct replay *replay, struct arena *arena)
{
    struct collective_line line = {.at = arena_array(arena, replay->meet_count, sizeof *line.at),
                                   .count = (uint32_t)replay->meet_count};
    line.dated = trace_epoch(replay->graph->trace, &line.origin_ns);
    for (uint32_t i = 0; i < line.count; i++)
        line.at[i] = replay->meets[i].point;
    return line;
}

/* The keys of collectives are hashes: none is so high. */
static uint64_t key_of_wait(const struct split_wait *wait)
{
    return UINT64_MAX - wait->meeting;
}

static void add_collectives(const struct replay *replay, const struct split *split, uint32_t r,
                            const struct collective_line *line, struct coming *all, size_t *count)
{
    for (uint32_t i = 0; i < line->count; i++) {
        const struct replay_meet *meet = &replay->meets[i];
        const uint32_t node = graph_node_of(replay->graph, meet->row);
        if (node != NODE_NONE && line->at[i].key && !split_holds(split, node))
            all[(*count)++] = (struct coming){line->at[i].key, meet->size, {r, split_first(split, node)}};
    }
}

static void add_waits(const struct replay *replay, const struct split *split, uint32_t r, struct coming *all,
                      size_t *count)
{
    for (uint32_t i = 0; i < replay->wait_count; i++)
        all[(*count)++] =
            (struct coming){key_of_wait(&replay->waits[i]), replay->waits[i].members, {r, split->meeting[i]}};
}

static struct coming *all_coming(struct replay *const *replays, const struct replay_split *splits, uint32_t ranks,
                                 struct arena *arena, size_t *count, struct match_doubt *doubt)
{
    struct collective_line *lines = arena_array(arena, ranks, sizeof *lines);
    size_t room = 0;
    for (uint32_t r = 0; r < ranks; r++) {
        lines[r] = line_of(replays[r], arena);
        room += lines[r].count + replays[r]->wait_count;
    }
    *doubt = collectives_match(lines, ranks);
    struct coming *all = arena_array(arena, room, sizeof *all);
    *count = 0;
    for (uint32_t r = 0; r < ranks; r++) {
        add_collectives(replays[r], &splits[r].split, r, &lines[r], all, count);
        add_waits(replays[r], &splits[r].split, r, all, count);
    }
    qsort(all, *count, sizeof *all, by_key);
    return all;
}

/* All of the group come; of groups of unknown size all ranks. */
static bool all_meet(uint32_t ranks, const struct coming *first, size_t count)
{
    const int64_t size = first->size ? first->size : (int64_t)ranks;
    for (size_t i = 1; i < count; i++)
        if (first[i].member.net == first[i - 1].member.net)
            return false;
    return count > 1 && (int64_t)count == size;
}

static void match(struct replay *const *replays, const struct replay_split *splits, struct job *job,
                  struct arena *arena, struct match_doubt *doubt)
{
    size_t count;
    const struct coming *all = all_coming(replays, splits, job->count, arena, &count, doubt);
    struct meeting *meetings = arena_array(arena, count, sizeof *meetings);
    struct member *members = arena_array(arena, count, sizeof *members);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && all[end].key == all[i].key; end++)
            members[end] = all[end].member;
        if (all_meet(job->count, &all[i], end - i))
            meetings[job->meeting_count++] = (struct meeting){(uint32_t)i, (uint32_t)(end - i)};
    }
    job->members = members;
    job->meetings = meetings;
}

/* ---- all ---- */

static struct replayed sum(const struct replay *replay, const struct split *split, const struct schedule *schedule,
                           struct arena *arena)
{
    struct arena scratch = {0};
    if (!split->first)
        return replay_sum(replay, schedule, arena);
    const struct schedule whole = split_whole(split, replay->graph->net.count, schedule, &scratch);
    const struct replayed replayed = replay_sum(replay, &whole, arena);
    arena_free(&scratch);
    return replayed;
}

bool replay_run_together(struct replay *const *replays, uint32_t ranks, double cpu_speed, struct arena *arena,
                         struct replayed *replayed, struct match_doubt *doubt)
{
    struct arena scratch = {0};
    struct replay_split *splits = arena_array(&scratch, ranks, sizeof *splits);
    struct net *nets = arena_array(&scratch, ranks, sizeof *nets);
    struct change *changes = arena_array(&scratch, ranks, sizeof *changes);
    struct schedule *schedules = arena_array(&scratch, ranks, sizeof *schedules);
    struct job job = {.nets = nets, .changes = changes, .count = ranks};
    for (uint32_t r = 0; r < ranks; r++) {
        replays[r]->together = true;
        add_on_host(replays[r]);
        replay_split(replays[r], replay_change(replays[r], cpu_speed), &scratch, &splits[r]);
        nets[r] = splits[r].split.net;
        changes[r] = splits[r].change;
    }
    match(replays, splits, &job, &scratch, doubt);
    const bool good = job.meeting_count && job_run(&job, 0, &scratch, schedules, NULL);
    for (uint32_t r = 0; !good && r < ranks; r++)
        replays[r]->together = false; /* each by itself */
    for (uint32_t r = 0; good && r < ranks; r++)
        replayed[r] = sum(replays[r], &splits[r].split, &schedules[r], arena);
    arena_free(&scratch);
    return good;
}

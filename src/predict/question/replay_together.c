/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several ranks replayed at once: their graphs are the nets of a job (time/job.h),
 * whose meetings are the collectives. Their clocks need not agree, for a
 * collective ends on all ranks at once. It takes the least that any rank recorded;
 * so a question that changes nothing gives back what was recorded.
 */
#include <stdlib.h>

#include "replay_private.h"
#include "time/job.h"

/* Of one rank at one collective. */
struct coming {
    const struct replay_meet *meet;
    struct member member;
};

/* ---- who meets whom ---- */

static int by_place(const void *a, const void *b)
{
    const struct coming *x = a, *y = b;
    if (x->meet->group != y->meet->group)
        return x->meet->group < y->meet->group ? -1 : 1;
    if (x->meet->place != y->meet->place)
        return x->meet->place < y->meet->place ? -1 : 1;
    return (x->member.net > y->member.net) - (x->member.net < y->member.net);
}

static struct coming *all_coming(struct replay *const *replays, uint32_t ranks, struct arena *arena, size_t *count)
{
    size_t room = 0;
    for (uint32_t r = 0; r < ranks; r++)
        room += replays[r]->meet_count;
    struct coming *all = arena_array(arena, room, sizeof *all);
    *count = 0;
    for (uint32_t r = 0; r < ranks; r++)
        for (size_t i = 0; i < replays[r]->meet_count; i++) {
            const uint32_t node = replays[r]->graph->node_of[replays[r]->meets[i].row];
            if (node != NODE_NONE)
                all[(*count)++] = (struct coming){&replays[r]->meets[i], {r, node}};
        }
    qsort(all, *count, sizeof *all, by_place);
    return all;
}

/* All of the group come, to the same; of groups of unknown size all ranks. */
static bool all_meet(uint32_t ranks, const struct coming *first, size_t count)
{
    const int64_t size = first->meet->size ? first->meet->size : (int64_t)ranks;
    for (size_t i = 1; i < count; i++)
        if (first[i].meet->kind != first->meet->kind || first[i].member.net == first[i - 1].member.net)
            return false;
    return count > 1 && (int64_t)count == size;
}

static bool same_place(const struct coming *a, const struct coming *b)
{
    return a->meet->group == b->meet->group && a->meet->place == b->meet->place;
}

static void match(struct replay *const *replays, struct job *job, struct arena *arena)
{
    size_t count;
    const struct coming *all = all_coming(replays, job->count, arena, &count);
    struct meeting *meetings = arena_array(arena, count, sizeof *meetings);
    struct member *members = arena_array(arena, count, sizeof *members);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && same_place(&all[end], &all[i]); end++)
            members[end] = all[end].member;
        if (all_meet(job->count, &all[i], end - i))
            meetings[job->meeting_count++] = (struct meeting){(uint32_t)i, (uint32_t)(end - i)};
    }
    job->members = members;
    job->meetings = meetings;
}

bool replay_run_together(struct replay *const *replays, uint32_t ranks, double cpu_speed, struct replayed *replayed)
{
    struct arena scratch = {0};
    struct net *nets = arena_array(&scratch, ranks, sizeof *nets);
    struct change *changes = arena_array(&scratch, ranks, sizeof *changes);
    struct schedule *schedules = arena_array(&scratch, ranks, sizeof *schedules);
    struct job job = {.nets = nets, .changes = changes, .count = ranks};
    for (uint32_t r = 0; r < ranks; r++) {
        nets[r] = replays[r]->graph->net;
        changes[r] = replay_change(replays[r], cpu_speed);
    }
    match(replays, &job, &scratch);
    const bool good = job.meeting_count && job_run(&job, 0, &scratch, schedules, NULL);
    for (uint32_t r = 0; good && r < ranks; r++)
        replayed[r] = (struct replayed){replay_step_ns(replays[r]->graph, NULL),
                                        replay_step_ns(replays[r]->graph, &schedules[r])};
    arena_free(&scratch);
    return good;
}

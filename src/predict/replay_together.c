/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several ranks replayed at once. Each runs until it comes to a collective, and
 * goes on when all have come. Their clocks need not agree: a collective ends on
 * all ranks at once, so what counts is how long before its recorded end each
 * came. It ended when the last had come and it had taken what it takes, which is
 * the least that any rank recorded; so a question that changes nothing gives back
 * what was recorded.
 */
#include <stdlib.h>

#include "predict/replay_private.h"

enum { MEETS_NOBODY = UINT32_MAX };

/* Of one rank at one collective. */
struct coming {
    const struct replay_meet *meet;
    uint32_t rank, node;
};

struct gathering {
    const struct coming *first; /* `expected` side by side, by rank */
    uint32_t expected, come;
    int64_t latest_ns, work_ns; /* before (below 0) the recorded end; of the collective */
};

struct replayed_rank {
    struct replay *replay;
    struct change change;
    struct replaying *replaying;
    uint32_t *gathering_of; /* by node; MEETS_NOBODY */
    bool *stops;
    uint32_t node; /* where it waits; NODE_NONE: it can go on, or is done */
    bool done;
};

struct together {
    struct replayed_rank *ranks;
    uint32_t count;
    struct gathering *gatherings;
    uint32_t gathering_count;
    struct arena arena;
};

/* ---- who meets whom ---- */

static int by_place(const void *a, const void *b)
{
    const struct coming *x = a, *y = b;
    if (x->meet->group != y->meet->group)
        return x->meet->group < y->meet->group ? -1 : 1;
    if (x->meet->place != y->meet->place)
        return x->meet->place < y->meet->place ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static uint32_t *nodes_of_rows(const struct graph *graph, struct arena *arena)
{
    uint32_t *nodes = arena_array(arena, graph->trace->count, sizeof *nodes);
    memset(nodes, 0xFF, graph->trace->count * sizeof *nodes); /* NODE_NONE */
    for (uint32_t node = 0; node < graph->count; node++)
        if (graph->kind[node] == NODE_DEVICE)
            nodes[graph->row[node]] = node;
    return nodes;
}

static struct coming *all_coming(const struct together *t, struct arena *arena, size_t *count)
{
    size_t room = 0;
    for (uint32_t r = 0; r < t->count; r++)
        room += t->ranks[r].replay->meet_count;
    struct coming *all = arena_array(arena, room, sizeof *all);
    *count = 0;
    for (uint32_t r = 0; r < t->count; r++) {
        struct arena scratch = {0};
        const struct replay *replay = t->ranks[r].replay;
        const uint32_t *nodes = nodes_of_rows(replay->graph, &scratch);
        for (size_t i = 0; i < replay->meet_count; i++)
            if (nodes[replay->meets[i].row] != NODE_NONE)
                all[(*count)++] = (struct coming){&replay->meets[i], r, nodes[replay->meets[i].row]};
        arena_free(&scratch);
    }
    qsort(all, *count, sizeof *all, by_place);
    return all;
}

/* All of the group come, to the same; of groups of unknown size all ranks. */
static bool all_meet(const struct together *t, const struct coming *first, size_t count)
{
    const int64_t size = first->meet->size ? first->meet->size : (int64_t)t->count;
    for (size_t i = 1; i < count; i++)
        if (first[i].meet->kind != first->meet->kind || first[i].rank == first[i - 1].rank)
            return false;
    return count > 1 && (int64_t)count == size;
}

static void add_gathering(struct together *t, const struct coming *first, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        t->ranks[first[i].rank].gathering_of[first[i].node] = t->gathering_count;
        t->ranks[first[i].rank].stops[first[i].node] = true;
    }
    t->gatherings[t->gathering_count++] =
        (struct gathering){.first = first, .expected = (uint32_t)count, .latest_ns = INT64_MIN, .work_ns = INT64_MAX};
}

static void match(struct together *t)
{
    size_t count;
    const struct coming *all = all_coming(t, &t->arena, &count);
    t->gatherings = arena_array(&t->arena, count, sizeof *t->gatherings);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1;
             end < count && all[end].meet->group == all[i].meet->group && all[end].meet->place == all[i].meet->place;)
            end++;
        if (all_meet(t, &all[i], end - i))
            add_gathering(t, &all[i], end - i);
    }
}

/* ---- the replay ---- */

/* Says to all who came when it ends. */
static void release(struct together *t, const struct gathering *gathering)
{
    for (uint32_t i = 0; i < gathering->expected; i++) {
        struct replayed_rank *rank = &t->ranks[gathering->first[i].rank];
        graph_replay_end(rank->replaying,
                         graph_end_ns(rank->replay->graph, rank->node) + gathering->latest_ns + gathering->work_ns);
        rank->node = NODE_NONE;
    }
}

/* Runs to the next collective. */
static void run_rank(struct together *t, struct replayed_rank *rank)
{
    int64_t start_ns;
    const struct graph *graph = rank->replay->graph;
    rank->node = graph_replay_run(rank->replaying, &start_ns);
    if (rank->node == NODE_NONE) {
        rank->done = true;
        return;
    }
    struct gathering *gathering = &t->gatherings[rank->gathering_of[rank->node]];
    const int64_t came_ns = start_ns - graph_end_ns(graph, rank->node);
    const int64_t work_ns = change_work_ns(&rank->change, graph, rank->node);
    gathering->latest_ns = came_ns > gathering->latest_ns ? came_ns : gathering->latest_ns;
    gathering->work_ns = work_ns < gathering->work_ns ? work_ns : gathering->work_ns;
    if (++gathering->come == gathering->expected)
        release(t, gathering);
}

/* False where ranks wait for each other in a circle. */
static bool run_all(struct together *t)
{
    bool any = true, done = false;
    while (any && !done) {
        any = false;
        done = true;
        for (uint32_t r = 0; r < t->count; r++) {
            while (!t->ranks[r].done && t->ranks[r].node == NODE_NONE) {
                run_rank(t, &t->ranks[r]);
                any = true;
            }
            done = done && t->ranks[r].done;
        }
    }
    return done;
}

static void open_rank(struct together *t, struct replayed_rank *rank, struct replay *replay, double cpu_speed)
{
    const struct graph *graph = replay->graph;
    *rank = (struct replayed_rank){.replay = replay, .change = replay_change(replay, cpu_speed), .node = NODE_NONE};
    rank->gathering_of = arena_array(&t->arena, graph->count, sizeof *rank->gathering_of);
    rank->stops = arena_array(&t->arena, graph->count, sizeof *rank->stops);
    rank->replaying = graph_replay_open(graph, &rank->change, rank->stops, &t->arena);
}

static int64_t recorded_step_ns(const struct graph *graph)
{
    struct arena scratch = {0};
    const struct schedule schedule = graph_replay(graph, NULL, &scratch);
    const int64_t ns = replay_step_ns(graph, &schedule);
    arena_free(&scratch);
    return ns;
}

bool replay_run_together(struct replay *const *replays, uint32_t ranks, double cpu_speed, struct replayed *replayed)
{
    struct together t = {.count = ranks};
    t.ranks = arena_array(&t.arena, ranks, sizeof *t.ranks);
    for (uint32_t r = 0; r < ranks; r++)
        open_rank(&t, &t.ranks[r], replays[r], cpu_speed);
    match(&t);
    const bool good = t.gathering_count && run_all(&t);
    for (uint32_t r = 0; good && r < ranks; r++) {
        const struct schedule schedule = graph_replay_close(t.ranks[r].replaying);
        replayed[r] =
            (struct replayed){recorded_step_ns(replays[r]->graph), replay_step_ns(replays[r]->graph, &schedule)};
    }
    arena_free(&t.arena);
    return good;
}

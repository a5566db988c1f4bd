/* SPDX-License-Identifier: Apache-2.0 */
#include "ranks_host_waits.h"

#include "base/order.h"
#include "graph/meets.h"

struct found {
    struct waiting_rank *out;
    struct ranks ranks;
    struct rank_nodes *at; /* by rank */
};

/* Nodes, by collective; NODE_NONE. */
struct rank_nodes {
    uint32_t *enters, *holds, *works;
};

/* ---- whether there are any ---- */

static bool holds_any(const struct waiting_rank *rank)
{
    struct arena scratch = {0};
    const struct collectives all = collectives_of(rank->graph->trace, rank->classes, &scratch);
    const struct collective_rows rows = {all.at, sizeof *all.at, all.count};
    size_t count = 0;
    graph_holds(rank->graph, &rows, &scratch, &count);
    arena_free(&scratch);
    return count > 0;
}

static bool any_holds(const struct waiting_rank *ranks, uint32_t count)
{
    for (uint32_t r = 0; r < count; r++)
        if (holds_any(&ranks[r]))
            return true;
    return false;
}

/* ---- where they are ---- */

static uint32_t *by_collective(const struct keyed *nodes, size_t count, uint32_t collectives, struct arena *arena)
{
    uint32_t *of = arena_array(arena, collectives, sizeof *of);
    for (uint32_t i = 0; i < collectives; i++)
        of[i] = NODE_NONE;
    for (size_t i = 0; i < count; i++)
        of[nodes[i].row] = (uint32_t)nodes[i].key;
    return of;
}

static struct rank_nodes nodes_of(const struct graph *graph, const struct rank_numbers *numbers, struct arena *arena)
{
    const struct collective_rows rows = rank_collectives(numbers);
    const struct graph_meets meets = graph_meets_of(graph, &rows, arena);
    return (struct rank_nodes){by_collective(meets.entries, meets.entry_count, rows.count, arena),
                               by_collective(meets.holds, meets.hold_count, rows.count, arena),
                               by_collective(meets.works, meets.work_count, rows.count, arena)};
}

static int64_t left_ns(const struct found *f, const struct meeting_member *member)
{
    const struct collective *of = &f->ranks.at[member->rank]->collectives[member->index].of;
    return of->start_ns + of->dur_ns;
}

/* The net needs some time between entry and exit. */
static bool has_nodes(const struct found *f, const struct meeting_member *member)
{
    const struct rank_nodes *nodes = &f->at[member->rank];
    const uint32_t enters = nodes->enters[member->index], i = member->index;
    const struct collective *of = &f->ranks.at[member->rank]->collectives[i].of;
    return enters != NODE_NONE && of->dur_ns > 0 && f->out[member->rank].graph->net.start[enters] < left_ns(f, member);
}

static bool is_own(const struct found *f, const struct meeting_member *member)
{
    const struct collective *of = &f->ranks.at[member->rank]->collectives[member->index].of;
    const struct trace *trace = f->out[member->rank].graph->trace;
    return of->on_host && of->call != ROW_NONE && of->row < trace->count &&
           trace->lane[of->row] == trace->lane[of->call];
}

/* All take part, somebody waits in it, and none of them has a node for it. */
static bool is_wait(const struct found *f, const struct meeting *meeting)
{
    bool held = false;
    for (uint32_t k = meeting->first; k < meeting->first + meeting->count; k++) {
        const struct meeting_member *member = &f->ranks.members[k];
        if (!is_own(f, member) || !has_nodes(f, member))
            return false;
        held |= f->at[member->rank].holds[member->index] != NODE_NONE;
    }
    return held && meeting->count > 1 && meeting->count == meeting->ranks && meeting_lets_nobody_go(&f->ranks, meeting);
}

/* When the first of them went on, in the first rank's time. */
static int64_t first_exit_ns(const struct found *f, const struct meeting *meeting)
{
    int64_t first = INT64_MAX;
    for (uint32_t k = meeting->first; k < meeting->first + meeting->count; k++)
        first = smaller_of(first, ranks_exit_ns(&f->ranks, f->ranks.members[k].rank, f->ranks.members[k].index));
    return first;
}

static void add_meeting(const struct found *f, uint32_t index)
{
    const struct meeting *meeting = &f->ranks.meetings[index];
    const int64_t first_ns = first_exit_ns(f, meeting);
    for (uint32_t k = meeting->first; k < meeting->first + meeting->count; k++) {
        const struct meeting_member *member = &f->ranks.members[k];
        struct waiting_rank *rank = &f->out[member->rank];
        const int64_t let_go = left_ns(f, member);
        const int64_t longer = ranks_exit_ns(&f->ranks, member->rank, member->index) - first_ns;
        rank->waits[rank->wait_count++] =
            (struct split_wait){index,
                                meeting->count,
                                {f->at[member->rank].enters[member->index], f->at[member->rank].holds[member->index],
                                 let_go - longer, let_go}};
    }
}

struct match_doubt waits_find(struct waiting_rank *ranks, uint32_t count, const struct selection *selection,
                              struct arena *arena)
{
    struct arena scratch = {0};
    if (!any_holds(ranks, count))
        return (struct match_doubt){0};
    struct rank_numbers *numbers = arena_array(&scratch, count, sizeof *numbers);
    const struct rank_numbers **at = arena_array(&scratch, count, sizeof *at);
    struct found f = {.out = ranks, .at = arena_array(&scratch, count, sizeof *f.at)};
    for (uint32_t r = 0; r < count; r++) {
        rank_run_judged(ranks[r].graph->trace, ranks[r].classes, NULL, selection, &scratch, &numbers[r]);
        at[r] = &numbers[r];
    }
    ranks_merge(at, count, &scratch, &f.ranks);
    for (uint32_t r = 0; r < count; r++) {
        f.at[r] = nodes_of(ranks[r].graph, &numbers[r], &scratch);
        ranks[r].waits = arena_array(arena, numbers[r].collective_count, sizeof *ranks[r].waits);
    }
    for (uint32_t i = 0; i < f.ranks.meeting_count; i++)
        if (is_wait(&f, &f.ranks.meetings[i]))
            add_meeting(&f, i);
    const struct match_doubt doubt = f.ranks.doubt;
    arena_free(&scratch);
    return doubt;
}

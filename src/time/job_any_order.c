/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job of nets that come to their meetings in different orders on several lanes:
 * a lane that waits holds up only what waits for it.
 */
#include "base/sort.h"
#include "job_private.h"

enum { ALONE = UINT32_MAX, CAME = UINT32_MAX };

struct place {
    uint32_t net, node;
};

/* Of one net, by node. */
struct seat {
    uint32_t *missing;       /* of what it waits for, what has not been run; CAME: it is at its meeting */
    uint32_t *meeting;       /* ALONE */
    const struct keyed *out; /* edges by their source, with what waits for it; the lane order among them */
    size_t out_count;
};

struct crowd {
    struct gatherings *all;
    struct seat *seats;
    struct place *ready; /* a stack */
    size_t ready_count;
    size_t left; /* nodes not yet run */
};

/* ---- opening ---- */

static void open_seat(const struct net *net, struct seat *seat, struct arena *scratch)
{
    struct keyed *out = arena_array(scratch, (size_t)net->count + net->edge_count, sizeof *out);
    seat->missing = arena_array(scratch, net->count, sizeof *seat->missing);
    seat->meeting = arena_array(scratch, net->count, sizeof *seat->meeting);
    for (uint32_t node = 0; node < net->count; node++) {
        seat->meeting[node] = ALONE;
        if (net->before[node] != NODE_NONE)
            out[seat->out_count++] = (struct keyed){net->before[node], node};
    }
    for (uint32_t i = 0; i < net->edge_count; i++)
        out[seat->out_count++] = (struct keyed){net->edges[i].from, net->edges[i].to};
    for (size_t i = 0; i < seat->out_count; i++)
        seat->missing[out[i].row]++;
    sort_keyed(out, seat->out_count);
    seat->out = out;
}

static void open_crowd(struct crowd *c, struct arena *scratch)
{
    const struct job *job = c->all->job;
    c->seats = arena_array(scratch, job->count, sizeof *c->seats);
    for (uint32_t i = 0; i < job->count; i++) {
        open_seat(&job->nets[i], &c->seats[i], scratch);
        c->left += job->nets[i].count;
    }
    for (uint32_t i = 0; i < job->meeting_count; i++)
        for (uint32_t m = 0; m < job->meetings[i].count; m++) {
            const struct member *member = &job->members[job->meetings[i].first + m];
            c->seats[member->net].meeting[member->node] = i;
        }
    c->ready = arena_array(scratch, c->left, sizeof *c->ready);
    for (uint32_t i = 0; i < job->count; i++)
        for (uint32_t node = 0; node < job->nets[i].count; node++)
            if (!c->seats[i].missing[node])
                c->ready[c->ready_count++] = (struct place){i, node};
}

/* ---- running ---- */

/* Lets go what waits for a node. */
static void finish(struct crowd *c, uint32_t net, uint32_t node)
{
    struct seat *seat = &c->seats[net];
    c->left--;
    for (size_t i = keyed_below(seat->out, seat->out_count, node); i < seat->out_count && seat->out[i].key == node; i++)
        if (--seat->missing[seat->out[i].row] == 0)
            c->ready[c->ready_count++] = (struct place){net, seat->out[i].row};
}

static void release(struct crowd *c, uint32_t id)
{
    const struct meeting *meeting = &c->all->job->meetings[id];
    for (uint32_t m = 0; m < meeting->count; m++) {
        const struct member *member = &c->all->job->members[meeting->first + m];
        if (c->seats[member->net].missing[member->node] != CAME)
            continue;
        c->all->runs[member->net].end[member->node] = gathering_end(c->all, id, member);
        c->seats[member->net].missing[member->node] = 0;
        finish(c, member->net, member->node);
    }
}

static void run_node(struct crowd *c, uint32_t net, uint32_t node)
{
    struct run *run = &c->all->runs[net];
    const uint32_t id = c->seats[net].meeting[node];
    const bool waits = run_one(run, node, id != ALONE);
    if (waits)
        c->seats[net].missing[node] = CAME;
    else
        finish(c, net, node);
    if (id != ALONE && (waits ? gathering_comes(c->all, id, run) : gathering_stays_away(c->all, id)))
        release(c, id);
}

bool job_any_order(struct gatherings *all, uint32_t *stuck)
{
    struct arena scratch = {0};
    struct crowd c = {.all = all};
    open_crowd(&c, &scratch);
    while (c.ready_count) {
        const struct place next = c.ready[--c.ready_count];
        run_node(&c, next.net, next.node);
    }
    for (uint32_t i = 0; stuck && i < all->job->count; i++) {
        stuck[i] = NODE_NONE;
        for (uint32_t node = all->job->nets[i].count; node-- > 0;)
            if (c.seats[i].missing[node] == CAME)
                stuck[i] = node;
    }
    arena_free(&scratch);
    return !c.left;
}

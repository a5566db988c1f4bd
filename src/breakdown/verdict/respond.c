/* SPDX-License-Identifier: Apache-2.0 */
#include "respond.h"

#include "base/order.h"
#include "base/sort.h"
#include "experiment.h"

struct asking {
    const struct lab *lab;
    const struct collective_rows *collectives;
    const struct spending *spending;
    struct response_exit *exits;
    struct response_ask ask;
};

/* ---- where the rank meets others, in nodes of the joined net ---- */

static int64_t left_ns(const struct collective *of)
{
    return of->dur_ns < 0 ? of->call_ns : of->start_ns + of->dur_ns;
}

static struct response_entry *entries_of(const struct lab *lab, uint32_t *count, struct arena *arena)
{
    struct response_entry *entries = arena_array(arena, lab->meets.entry_count, sizeof *entries);
    for (size_t i = 0; i < lab->meets.entry_count; i++)
        if (lab->meets.entries[i].key < lab->joined.until)
            entries[(*count)++] =
                (struct response_entry){lab->joined.of[lab->meets.entries[i].key], lab->meets.entries[i].row};
    return entries;
}

static void add_exits(const struct asking *asking, const struct keyed *nodes, size_t count, bool inside,
                      struct response_exit *exits, uint32_t *at)
{
    for (size_t i = 0; i < count; i++)
        if (nodes[i].key < asking->lab->joined.until)
            exits[(*at)++] =
                (struct response_exit){.node = asking->lab->joined.of[nodes[i].key],
                                       .meeting = nodes[i].row,
                                       .inside = inside,
                                       .let_go = left_ns(collective_row(asking->collectives, nodes[i].row))};
}

/* By node; those of one node as they came. */
static struct response_exit *exits_of(const struct asking *asking, uint32_t *count, struct arena *arena)
{
    struct arena scratch = {0};
    const struct graph_meets *meets = &asking->lab->meets;
    const size_t most = meets->work_count + meets->hold_count;
    struct response_exit *all = arena_array(&scratch, most, sizeof *all),
                         *exits = arena_array(arena, most, sizeof *exits);
    struct keyed *order = arena_array(&scratch, most, sizeof *order);
    add_exits(asking, meets->holds, meets->hold_count, true, all, count);
    add_exits(asking, meets->works, meets->work_count, false, all, count);
    for (uint32_t i = 0; i < *count; i++)
        order[i] = (struct keyed){all[i].node, i};
    sort_keyed(order, *count);
    for (uint32_t i = 0; i < *count; i++)
        exits[i] = all[order[i].row];
    arena_free(&scratch);
    return exits;
}

enum { MARK_FROM, MARK_END, MARKS };

/* The last node of the training thread that began by a time. */
static uint32_t training_at(const struct lab *lab, int64_t time_ns)
{
    const struct graph *graph = lab->graph;
    uint32_t found = NODE_NONE;
    for (uint32_t node = 0; node < lab->joined.until && graph->net.start[node] <= time_ns; node++)
        if (graph->net.kind[node] != NODE_DEVICE && graph_lane(graph, node) == graph->main_lane)
            found = node;
    return found == NODE_NONE ? NODE_NONE : lab->joined.of[found];
}

/* When the judged steps begin on the training thread; when that and the device have ended them. */
static struct response_mark *marks_of(const struct lab *lab, uint32_t *count, struct arena *arena)
{
    const struct graph_steps *steps = &lab->judged.joined;
    const struct net *net = steps->net;
    struct response_mark *marks = arena_array(arena, (size_t)steps->work_count + 2, sizeof *marks);
    const uint32_t first = training_at(lab, steps->from_ns), last = steps->host_node;
    for (uint32_t i = 0; i < steps->work_count; i++)
        marks[(*count)++] = (struct response_mark){steps->work[i], MARK_END, net->work[steps->work[i]]};
    if (last != NODE_NONE)
        marks[(*count)++] =
            (struct response_mark){last, MARK_END, smaller_of(steps->host_end_ns - net->start[last], net->work[last])};
    if (first != NODE_NONE)
        marks[(*count)++] = (struct response_mark){first, MARK_FROM, steps->from_ns - net->start[first]};
    return marks;
}

static void open_ask(struct asking *asking, struct arena *arena)
{
    const struct window *judged = &asking->lab->judged;
    struct response_ask *ask = &asking->ask;
    ask->entries = entries_of(asking->lab, &ask->entry_count, arena);
    ask->exits = asking->exits = exits_of(asking, &ask->exit_count, arena);
    ask->marks = marks_of(asking->lab, &ask->mark_count, arena);
    ask->times = MARKS;
    ask->meeting_count = asking->collectives->count;
    ask->until = judged->joined.until;
    ask->from = asking->lab->selected.steps.from_ns;
}

/* ---- what is left of a node when a meeting lets it go ---- */

struct own {
    int64_t recorded, then[ABREAST];
};

/* Of what the thread did itself, in proportion. */
static void fill_rests(const struct asking *asking, const struct experiment *some, uint32_t count)
{
    struct arena scratch = {0};
    const struct net *net = &asking->lab->joined.net;
    struct own *own = arena_array(&scratch, net->count, sizeof *own);
    for (size_t i = 0; i < asking->spending->count; i++) {
        const struct spent *spent = &asking->spending->at[i];
        if (spent->resource == RESOURCE_COMMUNICATION)
            continue;
        own[spent->node].recorded += spent->ns;
        for (uint32_t run = 0; run < ABREAST; run++)
            own[spent->node].then[run] += experiment_paced(&some[run < count ? run : count - 1], spent);
    }
    for (uint32_t i = 0; i < asking->ask.exit_count; i++) {
        struct response_exit *exit = &asking->exits[i];
        const int64_t rest = net_end(net, exit->node) - exit->let_go;
        for (int run = 0; exit->inside && run < ABREAST; run++)
            exit->rest[run] = time_share(rest, own[exit->node].recorded, own[exit->node].then[run]);
    }
    arena_free(&scratch);
}

static bool any_inside(const struct asking *asking)
{
    for (uint32_t i = 0; i < asking->ask.exit_count; i++)
        if (asking->exits[i].inside)
            return true;
    return false;
}

/* ---- the experiments ---- */

static void add_run(struct responses *out, struct experiment *experiments, const struct lab *lab,
                    enum resource resource, int part)
{
    experiments[out->run_count] = experiment_plain();
    if (resource != RESOURCE_NONE)
        experiment_pace(&experiments[out->run_count], lab, resource, part);
    out->runs[out->run_count++] = (struct response_run){(uint8_t)resource, part == PACE_NOTHING};
}

static void list_runs(const struct asking *asking, struct responses *out, struct experiment *experiments)
{
    int64_t time_ns[RESOURCES] = {0};
    experiment_times(asking->lab, &asking->lab->judged, asking->spending, time_ns);
    add_run(out, experiments, asking->lab, RESOURCE_NONE, PACE_WHOLE);
    for (int r = 0; r < RESOURCE_NONE; r++) {
        if (!time_ns[r])
            continue;
        add_run(out, experiments, asking->lab, r, PACE_NOTHING);
        if (experiment_part(r) != PACE_NOTHING)
            add_run(out, experiments, asking->lab, r, experiment_part(r));
    }
}

static struct response_times times_of(const struct asking *asking, const struct responses *out, struct arena *arena)
{
    const uint32_t count = asking->collectives->count;
    int64_t *enter = arena_array(arena, (size_t)count + MARKS, sizeof *enter),
            *leave = arena_array(arena, count, sizeof *leave);
    for (uint32_t i = 0; i < count; i++) {
        const struct collective *of = collective_row(asking->collectives, i);
        enter[i] = of->call_ns;
        leave[i] = left_ns(of);
    }
    enter[count + MARK_FROM] = out->from_ns;
    enter[count + MARK_END] = out->end_ns;
    return (struct response_times){enter, leave};
}

void responses_of(const struct lab *lab, const struct collective_rows *collectives, struct arena *arena,
                  struct responses *out)
{
    struct arena scratch = {0};
    struct spending spending = spending_of(lab, lab->selected.steps.from_ns);
    struct asking asking = {.lab = lab, .collectives = collectives, .spending = &spending};
    struct experiment experiments[RESPONSE_RUNS_MOST];
    const struct response_row *batches[RESPONSE_RUNS_MOST];
    const int64_t from_ns = lab->judged.steps.from_ns;
    *out = (struct responses){.steps = lab->judged.range.count,
                              .from_ns = from_ns,
                              .end_ns = time_sum(from_ns, lab->judged.as_is_ns),
                              .changes_ns = lab->selected.steps.from_ns,
                              .count = collectives->count};
    if (out->steps) {
        open_ask(&asking, &scratch);
        list_runs(&asking, out, experiments);
        const bool rests = any_inside(&asking);
        for (uint32_t first = 0; first < out->run_count; first += ABREAST) {
            const uint32_t count = out->run_count - first < ABREAST ? out->run_count - first : ABREAST;
            experiments_fill(lab, &spending, experiments + first, count);
            if (rests)
                fill_rests(&asking, experiments + first, count);
            batches[first / ABREAST] = response_run(&lab->runs, &asking.ask, &scratch);
        }
        const struct response_times times = times_of(&asking, out, &scratch);
        responses_pack(out, batches, &times, arena);
    }
    spending_free(&spending);
    arena_free(&scratch);
}

void responses_of_all(const struct lab *lab, const struct graph *graph, const struct judged_rows *rows,
                      const struct selection *selection, struct arena *arena, struct responses *out)
{
    struct arena scratch = {0};
    if (lab->graph != graph)
        lab = lab_open_known(graph, rows, selection, &scratch);
    responses_of(lab, rows->collectives, arena, out);
    arena_free(&scratch);
}

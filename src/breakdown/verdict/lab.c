/* SPDX-License-Identifier: Apache-2.0 */
#include "lab.h"

#include "graph/bare.h"
#include "sample.h"

static struct window window_of(const struct graph *graph, struct step_range range, struct arena *arena)
{
    struct window window = {.range = range, .steps = graph_steps_of(graph, range, arena)};
    window.as_is_ns = window.bare_ns = graph_steps_ns(&window.steps, NULL);
    return window;
}

static void add_nodes(uint32_t *nodes, uint32_t *count, const struct keyed *more, size_t more_count)
{
    for (size_t i = 0; i < more_count; i++)
        nodes[(*count)++] = (uint32_t)more[i].key;
}

/* Apart stand the work of the device, where the steps end, and where the rank meets others. */
static struct joined join(const struct lab *lab, struct arena *arena)
{
    struct arena scratch = {0};
    const struct graph_steps *a = &lab->selected.steps, *b = &lab->judged.steps;
    const struct graph_meets *meets = &lab->meets;
    const int64_t from[] = {a->from_ns, b->from_ns};
    uint32_t count = 0;
    uint32_t *apart =
        arena_room(&scratch, 2 + meets->entry_count + meets->work_count + meets->hold_count, sizeof *apart);
    apart[count++] = a->host_node;
    apart[count++] = b->host_node;
    add_nodes(apart, &count, meets->entries, meets->entry_count);
    add_nodes(apart, &count, meets->works, meets->work_count);
    add_nodes(apart, &count, meets->holds, meets->hold_count);
    const struct joining joining = {.until = a->until > b->until ? a->until : b->until,
                                    .kinds = 1U << NODE_DEVICE,
                                    .apart = apart,
                                    .apart_count = count,
                                    .from = from,
                                    .from_count = 2};
    const struct joined joined = net_join(&lab->graph->net, &joining, arena);
    arena_free(&scratch);
    return joined;
}

static bool is_sample(const struct graph *graph)
{
    return graph->steps.count < graph->trace->step_count;
}

/* Nodes that are joined are all of the host. */
static void leave_out_recorder(const struct lab *lab, uint32_t until)
{
    for (uint32_t node = 0; lab->bare_share < 1 && node < until; node++)
        for (int run = 0; run < ABREAST && lab->joined.net.kind[node] != NODE_DEVICE; run++)
            lab_works(lab, node)[run] = graph_bare_ns(lab->bare_share, lab_works(lab, node)[run]);
}

static void replay(const struct lab *lab, const struct window *window, uint32_t prompt, int64_t ns[ABREAST])
{
    leave_out_recorder(lab, window->joined.until);
    abreast_run(&lab->runs, window->joined.until, window->steps.from_ns, prompt);
    graph_steps_ns_abreast(&window->joined, &lab->runs, ns);
}

static void fill_as_recorded(const struct lab *lab)
{
    for (uint32_t node = 0; node < lab->joined.net.count; node++)
        for (int run = 0; run < ABREAST; run++)
            lab_works(lab, node)[run] = lab->joined.net.work[node];
}

/* Ranks of a job wait for each other, and each has a recorder of its own: there it is left in. */
static void find_bare(struct lab *lab)
{
    const struct trace_info *const info = &lab->graph->trace->info;
    int64_t ns[ABREAST];
    lab->bare_share = 1;
    if (info->is_alone && info->world_size <= 1)
        lab->bare_share = graph_bare_share(lab->graph, &lab->judged.steps);
    struct window *const windows[] = {&lab->selected, &lab->judged};
    for (int i = 0; i < 2 && lab->bare_share < 1; i++) {
        fill_as_recorded(lab);
        replay(lab, windows[i], 0, ns);
        windows[i]->bare_ns = ns[0];
    }
}

struct lab *lab_open_known(const struct graph *graph, const struct judged_rows *rows, const struct selection *selection,
                           struct arena *arena)
{
    const struct trace *trace = graph->trace;
    const bool sample = is_sample(graph);
    const struct step_range range = sample ? graph->steps : selection_steps(trace, selection);
    const struct cause_track *tracks = rows->tracks ? rows->tracks : cause_tracks_of(trace, rows->classes, arena);
    struct lab *lab = arena_array(arena, 1, sizeof *lab);
    *lab = (struct lab){.graph = graph,
                        .charges = charges_of(graph, rows->classes, tracks, arena),
                        .hostwork = hostwork_of(trace, rows->phases, arena)};
    lab->selected = window_of(graph, range, arena);
    lab->judged = sample ? lab->selected : window_of(graph, selection_judged(trace, selection), arena);
    lab->among = selection_steps(trace, selection);
    if (rows->collectives && !sample)
        lab->meets = graph_meets_of(graph, rows->collectives, arena);
    lab->joined = join(lab, arena);
    lab->selected.joined = graph_steps_joined(&lab->selected.steps, &lab->joined, arena);
    lab->judged.joined = sample ? lab->selected.joined : graph_steps_joined(&lab->judged.steps, &lab->joined, arena);
    lab->runs = abreast_open(&lab->joined.net, EDGE_WAIT, arena);
    find_bare(lab);
    return lab;
}

struct lab *lab_open(const struct graph *graph, const struct work_classes *classes, const struct selection *selection,
                     struct arena *arena)
{
    return lab_open_known(graph, &(struct judged_rows){.classes = classes}, selection, arena);
}

struct lab *lab_open_sampled(const struct trace *trace, const struct graph *graph, const struct judged_rows *rows,
                             const struct selection *selection, struct arena *arena)
{
    const struct step_range sample = sample_of(trace, selection);
    struct graph *own = NULL;
    if (sample.count)
        graph = own = graph_new_steps(trace, rows->classes, rows->phases, sample);
    else if (!graph)
        graph = own = graph_new_phased(trace, rows->classes, rows->phases);
    struct lab *lab = lab_open_known(graph, rows, selection, arena);
    lab->own = own;
    return lab;
}

void lab_close(struct lab *lab)
{
    graph_free(lab->own);
    lab->own = NULL;
}

void lab_save(const struct lab *lab, const struct window *window, uint32_t prompt, int64_t saved_ns[ABREAST])
{
    replay(lab, window, prompt, saved_ns);
    for (int run = 0; run < ABREAST; run++)
        saved_ns[run] = window->bare_ns - saved_ns[run];
}

double lab_explained(const struct lab *lab)
{
    int64_t saved_ns[ABREAST];
    fill_as_recorded(lab);
    lab_save(lab, &lab->judged, (1U << ABREAST) - 1, saved_ns);
    const double as_is = (double)lab->judged.bare_ns, saved = (double)saved_ns[0];
    return as_is > 0 ? 1 - (saved < 0 ? -saved : saved) / as_is : 1;
}

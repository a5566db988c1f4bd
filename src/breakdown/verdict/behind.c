/* SPDX-License-Identifier: Apache-2.0 */
#include "behind.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/sum.h"
#include "spent.h"
#include "verdict.h"

enum { BEHINDS = 5 }; /* of a resource */

bool behinds_wanted(const char *explain)
{
    const str word = explain ? str_of(explain) : S("");
    return str_eq(word, S("verdict")) || str_eq(word, S("experiments")) || str_eq(word, S("behind")) ||
           str_starts(word, S("behind."));
}

/* ---- the path ---- */

struct along {
    const struct lab *lab;
    int64_t from_ns, end_ns; /* of the replayed steps */
    int64_t *on_path;        /* by node */
};

static void take_part(void *context, const struct path_part *part)
{
    struct along *along = context;
    const int64_t start = part->start > along->from_ns ? part->start : along->from_ns;
    const int64_t end = part->end < along->end_ns ? part->end : along->end_ns;
    if (!part->waiting && end > start)
        along->on_path[part->node] += end - start;
}

/* The node with which the steps end: of the training thread, or of the device where that is later. */
static uint32_t last_of(const struct graph *graph, const struct graph_steps *steps)
{
    uint32_t last = steps->host_node;
    int64_t end_ns = steps->host_end_ns;
    for (uint32_t i = 0; i < steps->work_count; i++)
        if (graph_end_ns(graph, steps->work[i]) > end_ns) {
            last = steps->work[i];
            end_ns = graph_end_ns(graph, last);
        }
    return last;
}

static struct along walk(const struct lab *lab, struct arena *arena)
{
    const struct window *window = &lab->judged;
    struct along along = {.lab = lab,
                          .from_ns = window->steps.from_ns,
                          .end_ns = window->steps.from_ns + window->as_is_ns,
                          .on_path = arena_array(arena, lab->graph->net.count, sizeof *along.on_path)};
    const uint32_t last = last_of(lab->graph, &window->steps);
    if (last != NODE_NONE)
        graph_path(lab->graph, NULL, last, take_part, &along);
    return along;
}

/* ---- by name ---- */

struct groups {
    struct map of; /* resource and name */
    struct behind *at;
    size_t room;
    uint32_t count;
};

static struct behind *group_of(struct groups *groups, const struct trace *trace, enum resource resource, uint32_t row)
{
    const uint32_t name = row == ROW_NONE ? 0 : trace->name[row];
    const int64_t key = (int64_t)resource << 32 | name;
    uint32_t at = map_get(&groups->of, key);
    if (at == MAP_NONE) {
        at = groups->count++;
        map_put(&groups->of, key, at);
        groups->at = mem_grow(groups->at, &groups->room, groups->count, sizeof *groups->at);
        groups->at[at] = (struct behind){.resource = resource, .name = trace_text(trace, name), .row = row};
    }
    return &groups->at[at];
}

static void add(struct groups *groups, const struct along *along, uint32_t node, uint32_t row, enum resource resource,
                int64_t ns)
{
    const struct lab *lab = along->lab;
    struct behind *behind = group_of(groups, lab->graph->trace, resource, row);
    behind->times++;
    sum_to(&behind->time_ns, ns);
    sum_to(&behind->path_ns,
           sum_rounded((double)ns * (double)along->on_path[node] / (double)lab->graph->net.work[node]));
    if (ns > behind->longest_ns) {
        behind->longest_ns = ns;
        behind->row = row;
    }
}

static struct groups group(const struct along *along)
{
    const struct lab *lab = along->lab;
    const struct net *net = &lab->graph->net;
    const struct charges *charges = &lab->charges;
    struct groups groups = {0};
    enum resource of[CHARGES];
    spent_resources(lab, of);
    for (uint32_t node = 0, slice = 0; node < lab->judged.steps.until; node++) {
        const bool told = net_end(net, node) > along->from_ns && net->start[node] < along->end_ns;
        int64_t own = net->work[node];
        for (; slice < charges->slice_count && charges->slices[slice].node == node; slice++) {
            const struct charge_slice *at = &charges->slices[slice];
            own -= at->ns;
            if (told && at->ns > 0)
                add(&groups, along, node, at->row, of[at->charge], at->ns);
        }
        if (told && own > 0)
            add(&groups, along, node, lab->graph->row[node], spent_of_node(lab, of, node), own);
    }
    map_free(&groups.of);
    return groups;
}

static int by_weight(const void *a, const void *b)
{
    const struct behind *x = a, *y = b;
    if (x->resource != y->resource)
        return x->resource < y->resource ? -1 : 1;
    if (x->path_ns != y->path_ns)
        return x->path_ns < y->path_ns ? 1 : -1;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? 1 : -1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static void keep(const struct groups *groups, struct arena *arena, struct behinds *out)
{
    uint32_t kept[RESOURCES] = {0};
    out->at = arena_array(arena, (size_t)RESOURCES * BEHINDS, sizeof *out->at);
    for (uint32_t i = 0; i < groups->count; i++) {
        const struct behind *behind = &groups->at[i];
        sum_to(&out->path_ns[behind->resource], behind->path_ns);
        if (kept[behind->resource]++ >= BEHINDS)
            continue;
        out->at[out->count] = *behind;
        out->at[out->count++].name = str_copy(arena, behind->name);
    }
}

void behinds_run(const struct trace *trace, const struct selection *selection, struct arena *arena, struct behinds *out)
{
    struct arena scratch = {0};
    const struct judged_rows rows = rows_judge(trace, &scratch);
    struct lab *lab = lab_open_sampled(trace, NULL, &rows, selection, &scratch);
    const struct along along = walk(lab, &scratch);
    struct groups groups = group(&along);
    if (groups.count)
        qsort(groups.at, groups.count, sizeof *groups.at, by_weight);
    *out = (struct behinds){.rank = trace->info.rank, .steps = lab->judged.range.count};
    keep(&groups, arena, out);
    mem_free(groups.at);
    lab_close(lab);
    arena_free(&scratch);
}

/* ---- shown ---- */

static const struct column_spec columns[] = {
    {"resource", "resource", UNIT_NONE, COLUMN_PLAIN, "what is made faster, as in `experiments`"},
    {"name", "what", UNIT_NONE, COLUMN_WIDE,
     "the event, by its name; empty where none stands for it: Python between calls"},
    {"times", "times a step", UNIT_COUNT, COLUMN_PLAIN, "pieces of work of that name / replayed steps"},
    {"time_ns", "time", UNIT_NS, COLUMN_PLAIN, "their time a replayed step, hidden or not"},
    {"path_ns", "on the path", UNIT_NS, COLUMN_PLAIN,
     "of it what lies on the longest path of these steps: without this event alone a step is shorter by no more"},
    {"path_share", "of the resource", UNIT_RATIO, COLUMN_BAR, "path_ns / the same of all events of the resource"},
    {"event", "event", UNIT_NONE, COLUMN_PLAIN, "row number of the longest; null where no event stands for it"},
    {0},
};

static void put_rank(const struct behinds *behinds, struct table *table)
{
    const int64_t steps = behinds->steps ? behinds->steps : 1;
    for (uint32_t i = 0; i < behinds->count; i++) {
        const struct behind *behind = &behinds->at[i];
        const int64_t all_ns = behinds->path_ns[behind->resource];
        table_row(table);
        table_int(table, behinds->rank);
        table_text(table, str_of(resource_id(behind->resource)));
        table_text(table, behind->name);
        table_real(table, (double)behind->times / (double)steps);
        table_int(table, behind->time_ns / steps);
        table_int(table, behind->path_ns / steps);
        table_real(table, all_ns ? (double)behind->path_ns / (double)all_ns : 0);
        table_cell(table, behind->row == ROW_NONE ? cell_null() : cell_int(behind->row));
    }
}

void behinds_show(const struct behinds *const *ranks, uint32_t count, struct report *report)
{
    uint32_t rows = 0;
    for (uint32_t r = 0; r < count; r++)
        rows += ranks[r]->count;
    if (!rows)
        return;
    struct section *section = report_section(report, "verdict", "What would make a step shorter");
    struct table *table = section_table(section, "behind", "What is behind the experiments");
    table_column(table, (struct column_spec){"rank", "rank", UNIT_NONE, count > 1 ? COLUMN_PLAIN : COLUMN_DETAIL,
                                             "of the trace"});
    table_columns(table, columns);
    for (uint32_t r = 0; r < count; r++)
        put_rank(ranks[r], table);
}

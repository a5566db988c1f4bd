/* SPDX-License-Identifier: Apache-2.0 */
/* One sweep over a nest of the training thread, with the events that are open on a stack. */
#include "preparation.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"

struct sweep {
    const struct trace *trace;
    struct stacks *stacks;
    struct arena *arena;
    int64_t start_ns, end_ns; /* of the steps */
    struct spans working;     /* the device rests, and the thread does not wait for it */
    struct preparation *found;
    size_t count, room;
    uint32_t *times_open; /* by place among `found` */
    size_t open_room;
    struct map index;   /* name to its place among `found` */
    struct keyed *runs; /* key: place among `found` */
    size_t run_count, run_room;
};

/* ---- the time that counts ---- */

static void add_wait(const struct trace *trace, uint32_t row, uint32_t lane, struct spans *waits)
{
    if (row != ROW_NONE && trace->lane[row] == lane)
        spans_add(waits, trace->start_ns[row], trace_end_ns(trace, row));
}

static void find_working(struct sweep *sweep, const struct device_times *times, const struct movement *movement,
                         int64_t *idle_ns)
{
    const uint32_t main = trace_main_lane(sweep->trace);
    struct spans waits = {0}, idle = {0};
    for (uint32_t i = 0; i < movement->count; i++) {
        const struct move *move = &movement->at[i];
        if (!move->blocking)
            continue;
        add_wait(sweep->trace, move->call, main, &waits);
        add_wait(sweep->trace, move->sync, main, &waits);
    }
    spans_tidy(&waits);
    device_idle(times, sweep->start_ns, sweep->end_ns, &idle);
    spans_minus(&idle, &waits, &sweep->working);
    *idle_ns = spans_length(&idle);
    spans_free(&waits);
    spans_free(&idle);
}

static int64_t working_in(const struct sweep *sweep, uint32_t row)
{
    return spans_length_within(&sweep->working, sweep->trace->start_ns[row], trace_end_ns(sweep->trace, row));
}

/* ---- which events stand for a function ---- */

static bool stands(const struct sweep *sweep, enum preparer kind, uint32_t row)
{
    const struct trace *trace = sweep->trace;
    if (kind == PREPARER_FUNCTION)
        return stacks_wants(sweep->stacks, trace->name[row]);
    if (kind == PREPARER_ANNOTATION)
        return !str_starts(trace_name(trace, row), S("ProfilerStep#"));
    return trace->kind[row] == EVENT_OPERATOR && trace->parent[row] == ROW_NONE;
}

static enum nest nest_of(enum preparer kind)
{
    static const enum nest nests[] = {NEST_PYTHON, NEST_ANNOTATION, NEST_CALLS};
    return nests[kind];
}

static uint32_t place_for(struct sweep *sweep, enum preparer kind, uint32_t row)
{
    const uint32_t name = sweep->trace->name[row];
    const int64_t key = (int64_t)name << 8 | kind;
    const uint32_t known = map_get(&sweep->index, key);
    if (known != MAP_NONE)
        return known;
    map_put(&sweep->index, key, (uint32_t)sweep->count);
    sweep->found = mem_grow(sweep->found, &sweep->room, sweep->count + 1, sizeof *sweep->found);
    sweep->times_open = mem_grow(sweep->times_open, &sweep->open_room, sweep->count + 1, sizeof *sweep->times_open);
    sweep->times_open[sweep->count] = 0;
    sweep->found[sweep->count] = (struct preparation){.kind = kind, .name = trace_text(sweep->trace, name)};
    if (kind == PREPARER_FUNCTION)
        sweep->found[sweep->count].function = *stacks_frame(sweep->stacks, name);
    return (uint32_t)sweep->count++;
}

/* ---- the sweep ---- */

/* An event that is open and stands for a function. */
struct open {
    int64_t end_ns;
    uint32_t place;
};

static void add_run(struct sweep *sweep, uint32_t place, uint32_t row)
{
    sweep->runs = mem_grow(sweep->runs, &sweep->run_room, sweep->run_count + 1, sizeof *sweep->runs);
    sweep->runs[sweep->run_count++] = (struct keyed){place, row};
}

/* The events that are open, the outermost first. */
struct opened {
    struct open *at;
    size_t depth, room;
};

static void close_until(struct sweep *sweep, struct opened *opened, int64_t now_ns)
{
    for (; opened->depth && opened->at[opened->depth - 1].end_ns <= now_ns; opened->depth--)
        sweep->times_open[opened->at[opened->depth - 1].place]--;
}

static void take(struct sweep *sweep, enum preparer kind, uint32_t row, struct opened *opened)
{
    const struct trace *trace = sweep->trace;
    const uint32_t place = place_for(sweep, kind, row);
    const int64_t idle = working_in(sweep, row);
    sweep->found[place].own_idle_ns += idle;
    if (opened->depth)
        sweep->found[opened->at[opened->depth - 1].place].own_idle_ns -= idle;
    if (!sweep->times_open[place]++) {
        sweep->found[place].idle_ns += idle;
        sweep->found[place].total_ns += trace->dur_ns[row];
        add_run(sweep, place, row);
    }
    opened->at = mem_grow(opened->at, &opened->room, opened->depth + 1, sizeof *opened->at);
    opened->at[opened->depth++] = (struct open){trace_end_ns(trace, row), place};
}

static void sweep_nest(struct sweep *sweep, enum preparer kind)
{
    const struct trace *trace = sweep->trace;
    const uint32_t lane = trace_main_lane(trace);
    if (lane == LANE_NONE)
        return;
    struct opened opened = {0};
    const struct rows rows = trace_rows(trace, lane, nest_of(kind));
    for (uint32_t i = 0; i < rows.count; i++) {
        const uint32_t row = rows.at[i];
        const int64_t start = trace->start_ns[row];
        close_until(sweep, &opened, start);
        if (trace_end_ns(trace, row) > sweep->start_ns && start < sweep->end_ns && stands(sweep, kind, row))
            take(sweep, kind, row, &opened);
    }
    close_until(sweep, &opened, INT64_MAX);
    mem_free(opened.at);
}

/* ---- data loaders ---- */

static bool loads(const struct trace *trace, uint32_t row)
{
    const str name = trace_name(trace, row);
    return str_starts(name, S("enumerate(DataLoader)#")) || str_starts(name, S("enumerate(DataPipe)#"));
}

static void find_loader(const struct sweep *sweep, struct preparations *out)
{
    const struct trace *trace = sweep->trace;
    const uint32_t lane = trace_main_lane(trace);
    uint32_t *found = NULL;
    size_t room = 0;
    for (enum nest nest = NEST_CALLS; nest <= NEST_ANNOTATION && lane != LANE_NONE; nest++) {
        const struct rows rows = trace_rows(trace, lane, nest);
        for (uint32_t i = 0; i < rows.count; i++) {
            const uint32_t row = rows.at[i];
            if (!loads(trace, row) || trace->start_ns[row] < sweep->start_ns || trace->start_ns[row] >= sweep->end_ns)
                continue;
            found = mem_grow(found, &room, (size_t)out->loader_count + 1, sizeof *found);
            found[out->loader_count++] = row;
            out->loader_ns += trace->dur_ns[row];
            out->loader_idle_ns += working_in(sweep, row);
        }
    }
    uint32_t *rows = arena_array(sweep->arena, out->loader_count, sizeof *rows);
    if (found)
        memcpy(rows, found, out->loader_count * sizeof *rows);
    out->loader_rows = rows;
    mem_free(found);
}

/* ---- whole ---- */

static void list_runs(struct sweep *sweep)
{
    uint32_t *rows = arena_array(sweep->arena, sweep->run_count, sizeof *rows);
    sort_keyed(sweep->runs, sweep->run_count);
    for (size_t i = 0; i < sweep->run_count; i++) {
        struct preparation *of = &sweep->found[sweep->runs[i].key];
        rows[i] = sweep->runs[i].row;
        if (!of->count++)
            of->rows = rows + i;
    }
}

static struct preparation *ranked(const struct sweep *sweep)
{
    struct arena scratch = {0};
    struct keyed *order = arena_array(&scratch, sweep->count, sizeof *order);
    struct preparation *sorted = arena_array(sweep->arena, sweep->count, sizeof *sorted);
    for (size_t i = 0; i < sweep->count; i++)
        order[i] = (struct keyed){-sweep->found[i].idle_ns, (uint32_t)i};
    sort_keyed(order, sweep->count);
    for (size_t i = 0; i < sweep->count; i++)
        sorted[i] = sweep->found[order[i].row];
    arena_free(&scratch);
    return sorted;
}

struct preparations preparations_of(const struct trace *trace, const struct device_times *times,
                                    const struct movement *movement, struct stacks *stacks, struct arena *arena)
{
    struct sweep sweep = {.trace = trace, .stacks = stacks, .arena = arena};
    struct preparations out = {0};
    if (trace->step_count) {
        sweep.start_ns = trace->steps[0].start_ns;
        sweep.end_ns = trace->steps[trace->step_count - 1].end_ns;
    }
    find_working(&sweep, times, movement, &out.idle_ns);
    out.working_ns = spans_length(&sweep.working);
    if (trace->kinds[EVENT_PYTHON]) {
        sweep_nest(&sweep, PREPARER_FUNCTION);
    } else {
        sweep_nest(&sweep, PREPARER_ANNOTATION);
        sweep_nest(&sweep, PREPARER_OPERATOR);
    }
    find_loader(&sweep, &out);
    list_runs(&sweep);
    out.at = ranked(&sweep);
    out.count = (uint32_t)sweep.count;
    spans_free(&sweep.working);
    map_free(&sweep.index);
    mem_free(sweep.found);
    mem_free(sweep.runs);
    mem_free(sweep.times_open);
    return out;
}

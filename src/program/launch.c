/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The launches and waits of a step. All calls that do either are found thread by
 * thread, put in the order of the program, and become what they are.
 */
#include "base/span.h"
#include "build.h"
#include "trace.h"

/* A call of the host, or device work of which no call is known. */
struct act {
    int64_t time_ns;
    uint32_t call;   /* ROW_NONE: not recorded */
    uint32_t work;   /* ROW_NONE: a wait, or a launch whose work was not recorded */
    uint32_t op;     /* the innermost operator around; OP_NONE */
    uint32_t stream; /* lane that a wait waits for; LANE_NONE: all */
    bool wait, blocking, shared;
};

struct acts {
    struct act *at;
    uint32_t count;
};

/* ---- finding ---- */

static uint32_t act_room(const struct step_program *p)
{
    const struct trace *trace = p->of->trace;
    uint32_t room = 0;
    for (uint32_t lane = 0; lane < trace->lane_count; lane++) {
        const struct rows rows = program_rows(trace, lane, trace->lanes[lane].device ? NEST_WORK : NEST_CALLS, p->step);
        room += rows.count;
        for (uint32_t i = 0; i < rows.count && !trace->lanes[lane].device; i++)
            room += trace_caused(trace, rows.at[i]).count;
    }
    return room;
}

/* The stream that a synchronisation waits for: where all it waited for lay on one. */
static uint32_t waited_stream(const struct step_program *p, uint32_t call, uint32_t last_launch,
                              const struct wait *wait)
{
    const struct trace *trace = p->of->trace;
    const enum runtime_call kind = p->of->calls[trace->name[call]];
    if (kind == RUNTIME_DEVICE_SYNC || kind == RUNTIME_FREE)
        return LANE_NONE;
    if (!wait->count)
        return kind == RUNTIME_STREAM_SYNC && last_launch != ROW_NONE ? trace->lane[trace->cause[last_launch]]
                                                                      : (uint32_t)LANE_NONE;
    return trace->lane[wait->sources[0]];
}

static void add_wait(const struct step_program *p, struct acts *acts, uint32_t call, uint32_t last_launch)
{
    const struct trace *trace = p->of->trace;
    struct wait wait;
    wait_of(&p->of->waits, call, last_launch, &wait);
    if (p->of->calls[trace->name[call]] == RUNTIME_FREE && !wait.count)
        return; /* memory of a pool, given back at once */
    acts->at[acts->count++] = (struct act){.time_ns = trace->start_ns[call],
                                           .call = call,
                                           .work = ROW_NONE,
                                           .op = step_operator(p, call),
                                           .stream = waited_stream(p, call, last_launch, &wait),
                                           .wait = true};
}

/* Whether the host went on only when its copy was done. */
static bool blocks(const struct step_program *p, uint32_t row, uint32_t last_launch)
{
    const enum runtime_call kind = p->of->calls[p->of->trace->name[row]];
    struct wait wait;
    return (kind == RUNTIME_COPY || kind == RUNTIME_BLOCKING_COPY) && wait_of(&p->of->waits, row, last_launch, &wait) &&
           wait.kind == EDGE_WAIT;
}

static void add_launches(const struct step_program *p, struct acts *acts, uint32_t row, uint32_t last_launch)
{
    const struct trace *trace = p->of->trace;
    const struct rows caused = trace_caused(trace, row);
    const bool recorded = trace->kind[row] == EVENT_RUNTIME;
    const struct act act = {.time_ns = trace->start_ns[row],
                            .call = recorded ? row : (uint32_t)ROW_NONE,
                            .work = ROW_NONE,
                            .op = step_operator(p, row),
                            .blocking = recorded && blocks(p, row, last_launch)};
    for (uint32_t i = 0; i < caused.count; i++) {
        acts->at[acts->count] = act;
        acts->at[acts->count].work = caused.at[i];
        acts->at[acts->count++].shared = recorded && i > 0;
    }
    if (!caused.count)
        acts->at[acts->count++] = act;
}

/* A launch whose work was not recorded, as while a CUDA graph is captured; not one that only calls another. */
static bool launches_nothing(const struct step_program *p, uint32_t row)
{
    const struct trace *trace = p->of->trace;
    const uint32_t around = trace->parent[row];
    return trace->kind[row] == EVENT_RUNTIME && p->of->calls[trace->name[row]] == RUNTIME_LAUNCH &&
           (around == ROW_NONE || trace->kind[around] != EVENT_RUNTIME);
}

static void add_thread(const struct step_program *p, struct acts *acts, uint32_t lane)
{
    const struct trace *trace = p->of->trace;
    const struct rows rows = program_rows(trace, lane, NEST_CALLS, p->step);
    uint32_t last_launch = ROW_NONE;
    for (uint32_t i = 0; i < rows.count; i++) {
        const uint32_t row = rows.at[i];
        if (trace->cause[row] != ROW_NONE || launches_nothing(p, row))
            add_launches(p, acts, row, last_launch);
        else if (trace->kind[row] == EVENT_RUNTIME && runtime_is_sync(p->of->calls[trace->name[row]]))
            add_wait(p, acts, row, last_launch);
        if (trace->kind[row] == EVENT_RUNTIME && trace->cause[row] != ROW_NONE)
            last_launch = row;
    }
}

/* The first work of a stream whose call was recorded: what ran before it was launched before the recording began. */
static uint32_t first_linked(const struct trace *trace, struct rows work)
{
    for (uint32_t i = 0; i < work.count; i++)
        if (trace->cause[work.at[i]] != ROW_NONE)
            return work.at[i];
    return ROW_NONE;
}

/* Work of which nothing is known but that it ran in the step. */
static void add_stray_work(const struct step_program *p, struct acts *acts, uint32_t lane)
{
    const struct trace *trace = p->of->trace;
    const struct rows rows = program_rows(trace, lane, NEST_WORK, p->step);
    const uint32_t linked = first_linked(trace, trace_rows(trace, lane, NEST_WORK));
    for (uint32_t i = 0; i < rows.count; i++) {
        const uint32_t row = rows.at[i];
        if (trace->cause[row] == ROW_NONE && (linked == ROW_NONE || trace->start_ns[row] > trace->start_ns[linked]))
            acts->at[acts->count++] =
                (struct act){.time_ns = trace->start_ns[row], .call = ROW_NONE, .work = row, .op = OP_NONE};
    }
}

static struct acts find_acts(struct step_program *p)
{
    const struct trace *trace = p->of->trace;
    struct acts acts = {arena_array(&p->scratch, act_room(p), sizeof *acts.at), 0};
    for (uint32_t lane = 0; lane < trace->lane_count; lane++)
        if (trace->lanes[lane].device)
            add_stray_work(p, &acts, lane);
        else
            add_thread(p, &acts, lane);
    return acts;
}

/* ---- order ---- */

/* The starts of the operators at the top, ascending, each with its number. */
static struct keyed *top_starts(struct step_program *p, const uint32_t *tops, uint32_t *count)
{
    struct keyed *starts = arena_array(&p->scratch, p->result.count, sizeof *starts);
    *count = 0;
    for (uint32_t i = 0; i < p->result.count; i++)
        if (tops[i] == i)
            starts[(*count)++] = (struct keyed){p->ops[i].start_ns, i};
    sort_keyed(starts, *count);
    return starts;
}

/* Acts of an operator at the top lie together at its place; others behind the one that began last before them. */
static int64_t place(const struct act *act, const uint32_t *tops, const struct keyed *starts, uint32_t count,
                     int64_t step_ns)
{
    if (act->op != OP_NONE)
        return 2 * (int64_t)tops[act->op] + 1;
    const size_t begun = keyed_below(starts, count, act->time_ns - step_ns + 1);
    return begun ? 2 * (int64_t)starts[begun - 1].row + 2 : 0;
}

static void sort_acts(struct step_program *p, struct acts *acts)
{
    uint32_t top_count;
    const uint32_t *tops = program_tops(p->ops, p->result.count, &p->scratch);
    const struct keyed *starts = top_starts(p, tops, &top_count);
    struct keyed *order = arena_array(&p->scratch, acts->count, sizeof *order);
    struct act *sorted = arena_array(&p->scratch, acts->count, sizeof *sorted);
    for (uint32_t i = 0; i < acts->count; i++)
        order[i] = (struct keyed){acts->at[i].time_ns, i};
    sort_keyed(order, acts->count);
    for (uint32_t i = 0; i < acts->count; i++)
        order[i].key = place(&acts->at[order[i].row], tops, starts, top_count, p->step->start_ns);
    sort_keyed(order, acts->count);
    for (uint32_t i = 0; i < acts->count; i++)
        sorted[i] = acts->at[order[i].row];
    acts->at = sorted;
}

/* ---- streams ---- */

static uint32_t step_stream(struct step_program *p, uint32_t lane)
{
    if (lane == LANE_NONE)
        return UINT32_MAX;
    if (p->stream_of[lane] == OP_NONE)
        p->stream_of[lane] = p->result.streams++;
    return p->stream_of[lane];
}

static str device_name(const struct trace *trace, uint32_t lane)
{
    const struct device_info *device = trace_device_info(trace, trace->lanes[lane].process);
    return device ? device->name : S("");
}

/* The stream that computes first is stream 0. */
static void first_stream(struct step_program *p, const struct acts *acts)
{
    const struct trace *trace = p->of->trace;
    for (uint32_t i = 0; i < acts->count; i++) {
        const uint32_t work = acts->at[i].work;
        if (work == ROW_NONE || trace->kind[work] != EVENT_KERNEL || work_class(p->of->classes, work) != WORK_COMPUTE)
            continue;
        step_stream(p, trace->lane[work]);
        p->result.device = device_name(trace, trace->lane[work]);
        return;
    }
}

/* ---- making ---- */

static uint32_t collective_of_row(const struct map *collectives, uint32_t row)
{
    return map_get(collectives, row); /* MAP_NONE is UINT32_MAX: none */
}

static struct map collective_rows(const struct step_program *p)
{
    struct map rows = {0};
    for (uint32_t i = 0; i < p->result.collective_count; i++)
        map_put(&rows, p->result.collectives[i].row, i);
    return rows;
}

static void set_work(struct step_program *p, uint32_t work, struct program_launch *launch)
{
    const struct trace *trace = p->of->trace;
    launch->kernel = trace_name(trace, work);
    launch->row = work;
    launch->start_ns = trace->start_ns[work] - p->step->start_ns;
    launch->dur_ns = trace->dur_ns[work];
    launch->stream = step_stream(p, trace->lane[work]);
    launch->work = (uint8_t)work_class(p->of->classes, work);
    launch->bytes = trace_attr_or(trace, work, ATTR_BYTES, -1);
    if (trace->kind[work] == EVENT_COPY) {
        launch->direction = (uint8_t)work_copy_direction(p->of->classes, work);
        launch->memory = (uint8_t)work_copy_memory(p->of->classes, work);
    }
}

static struct program_launch launch_of(struct step_program *p, const struct act *act, const struct map *collectives)
{
    const struct trace *trace = p->of->trace;
    struct program_launch launch = program_blank_launch();
    launch.op = act->op;
    launch.bytes = -1;
    launch.blocking = act->blocking;
    launch.shared = act->shared;
    if (act->call != ROW_NONE) {
        launch.thread = step_thread(p, trace->lane[act->call]);
        launch.call = trace_name(trace, act->call);
        launch.call_start_ns = trace->start_ns[act->call] - p->step->start_ns;
        launch.call_dur_ns = act->shared ? 0 : trace->dur_ns[act->call];
    } else if (act->op != OP_NONE) {
        launch.thread = p->ops[act->op].thread;
    }
    if (act->work != ROW_NONE) {
        set_work(p, act->work, &launch);
        launch.collective = collective_of_row(collectives, act->work);
    }
    return launch;
}

static struct program_sync sync_of(struct step_program *p, const struct act *act, uint32_t before)
{
    const struct trace *trace = p->of->trace;
    return (struct program_sync){.op = act->op,
                                 .thread = step_thread(p, trace->lane[act->call]),
                                 .before = before,
                                 .stream = step_stream(p, act->stream),
                                 .row = act->call,
                                 .start_ns = trace->start_ns[act->call] - p->step->start_ns,
                                 .dur_ns = trace->dur_ns[act->call]};
}

static void make(struct step_program *p, const struct acts *acts)
{
    struct program_launch *launches = arena_array(p->arena, acts->count, sizeof *launches);
    struct program_sync *syncs = arena_array(p->arena, acts->count, sizeof *syncs);
    struct map collectives = collective_rows(p);
    struct program *out = &p->result;
    for (uint32_t i = 0; i < acts->count; i++)
        if (acts->at[i].wait)
            syncs[out->sync_count++] = sync_of(p, &acts->at[i], out->launch_count);
        else
            launches[out->launch_count++] = launch_of(p, &acts->at[i], &collectives);
    out->launches = launches;
    out->syncs = syncs;
    if (out->launch_count && !out->threads)
        out->threads = 1; /* work without calls counts as the training thread's */
    map_free(&collectives);
}

/* ---- what follows from the launches ---- */

/* Calls inside come behind the one around them, so going backwards each has all of its own when it is added to it. */
static void count_launches(struct step_program *p)
{
    const struct program *out = &p->result;
    for (uint32_t i = 0; i < out->launch_count; i++) {
        if (out->launches[i].op == OP_NONE)
            continue;
        struct program_op *op = &p->ops[out->launches[i].op];
        op->first_launch = op->launches ? op->first_launch : i;
        op->launches = i + 1 - op->first_launch;
    }
    for (uint32_t i = out->count; i-- > 0;) {
        const struct program_op *inner = &p->ops[i];
        if (!inner->launches || inner->parent == OP_NONE)
            continue;
        struct program_op *outer = &p->ops[inner->parent];
        const uint32_t end = inner->first_launch + inner->launches, outer_end = outer->first_launch + outer->launches;
        const uint32_t first =
            outer->launches && outer->first_launch < inner->first_launch ? outer->first_launch : inner->first_launch;
        outer->launches = (outer->launches && outer_end > end ? outer_end : end) - first;
        outer->first_launch = first;
    }
}

/* What the launch had to wait for on other streams; counted only, where `into` is NULL. */
static uint32_t orders_at(const struct step_program *p, const struct map *launch_of_row, uint32_t launch,
                          struct program_order *into)
{
    const struct orders *orders = &p->of->orders;
    const struct program_launch *launches = p->result.launches;
    const int64_t row = launches[launch].row;
    uint32_t count = 0;
    if (row < 0 || !orders->count)
        return 0;
    for (uint32_t k = orders_of(orders, (uint32_t)row); k < orders->count && orders->at[k].key == row; k++) {
        const uint32_t after = map_get(launch_of_row, orders->at[k].row);
        if (after == MAP_NONE || launches[after].stream == launches[launch].stream)
            continue;
        if (into)
            into[count] = (struct program_order){launch, after};
        count++;
    }
    return count;
}

static void find_orders(struct step_program *p)
{
    struct program *out = &p->result;
    struct map launch_of_row = {0};
    uint32_t room = 0;
    for (uint32_t i = 0; i < out->launch_count; i++)
        if (out->launches[i].row >= 0)
            map_put(&launch_of_row, out->launches[i].row, i);
    for (uint32_t i = 0; i < out->launch_count; i++)
        room += orders_at(p, &launch_of_row, i, NULL);
    struct program_order *orders = arena_array(p->arena, room, sizeof *orders);
    for (uint32_t i = 0; i < out->launch_count; i++)
        out->order_count += orders_at(p, &launch_of_row, i, orders + out->order_count);
    out->orders = orders;
    map_free(&launch_of_row);
}

static int64_t active_ns(const struct program *program)
{
    struct spans active = {0};
    for (uint32_t i = 0; i < program->launch_count; i++) {
        const struct program_launch *launch = &program->launches[i];
        if (launch->row >= 0)
            spans_add(&active, launch->start_ns, launch->start_ns + launch->dur_ns);
    }
    spans_tidy(&active);
    const int64_t ns = spans_length(&active);
    spans_free(&active);
    return ns;
}

void step_launches(struct step_program *p)
{
    struct acts acts = find_acts(p);
    sort_acts(p, &acts);
    first_stream(p, &acts);
    make(p, &acts);
    count_launches(p);
    find_orders(p);
    p->result.active_ns = active_ns(&p->result);
}

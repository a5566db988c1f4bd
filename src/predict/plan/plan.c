/* SPDX-License-Identifier: Apache-2.0 */
/* Puts the host's numbers on a program: from the line of what the host does, and the means of overheads. */
#include "plan.h"

#include "plan_private.h"

enum {
    QUEUE_ROOM = 1022
}; /* launches a stream holds before the host has to wait; seen so in traces of CUDA 11 and 12 */

/* ---- overheads ---- */

/*
 * Where nothing was measured: means over public traces of V100 and A100 machines with the profiler on, less its cost.
 * doc/numbers/overheads.md says which.
 */
static const double built_in_us[OVERHEADS] = {
    [OVERHEAD_T1] = 8,  [OVERHEAD_T2] = 20,    [OVERHEAD_T3] = 8,    [OVERHEAD_T4] = 6,
    [OVERHEAD_T5] = 12, [OVERHEAD_START] = 10, [OVERHEAD_GAP] = 1.3, [OVERHEAD_RETURN] = 6,
};

/*
 * What the host does counts with its outliers: they are rare and long, and steps have them too. A walk over means
 * without them comes out short. Of what lies between host and device, and of launch calls, outliers are waits, which
 * the walk has itself.
 */
static double value_of(const struct planning *p, enum overhead_kind kind, str name, struct overhead overhead)
{
    if (kind >= OVERHEAD_START || str_eq(name, OVERHEAD_WAIT))
        return overhead.median_us;
    const double recorded = kind == OVERHEAD_T4 ? overhead.mean_us + overhead.profiler_us : overhead.whole_us;
    return p->options->with_profiler || recorded < overhead.profiler_us ? recorded : recorded - overhead.profiler_us;
}

double planned_us(const struct planning *p, enum overhead_kind kind, str name)
{
    const struct overhead named = overheads_get(p->overheads, kind, name);
    if (named.count)
        return value_of(p, kind, name, named);
    const struct overhead all = overheads_get(p->overheads, kind, S(""));
    return all.count ? value_of(p, kind, S(""), all) : built_in_us[kind];
}

double less_events(const struct planning *p, double us, uint32_t events)
{
    const double cost = p->options->with_profiler ? 0 : events * overheads_event_us(p->overheads);
    return us > cost ? us - cost : 0;
}

/* ---- the line ---- */

static str name_of(const struct planning *p, const struct host_op *op)
{
    return op->op == OP_NONE ? OVERHEAD_OUTSIDE : p->program->ops[op->op].name;
}

struct plan_launch *room_for_launch(struct planning *p)
{
    struct plan *plan = p->plan;
    if (plan->launch_count == p->launch_room) {
        const uint32_t room = 2 * p->launch_room + 64;
        struct plan_launch *wider = arena_array(p->arena, room, sizeof *wider);
        if (plan->launch_count)
            memcpy(wider, plan->launches, plan->launch_count * sizeof *wider);
        plan->launches = wider;
        p->launch_room = room;
    }
    return &plan->launches[plan->launch_count++];
}

static void plan_launch(struct planning *p, struct plan_op *op, uint32_t source, str name)
{
    const struct program_launch *recorded = &p->program->launches[source];
    const bool outside = op->op == OP_NONE;
    p->launch_of[source] = p->plan->launch_count;
    *room_for_launch(p) = (struct plan_launch){
        .op = p->plan->count,
        .source = source,
        .gap_us = recorded->shared || outside ? 0 : planned_us(p, op->launches ? OVERHEAD_T5 : OVERHEAD_T2, name),
        .call_us = recorded->shared ? 0 : planned_us(p, OVERHEAD_T4, recorded->call),
        .wait_stream = launch_waits(recorded) ? recorded->stream : WAITS_FOR_NOTHING,
        .stream = recorded->stream,
        .collective = recorded->collective,
        .work = recorded->work,
    };
    op->launches++;
}

/* A wait stands after the launch before it in its operator; one with none before it, at the operator's begin. */
static void plan_wait(struct planning *p, struct plan_op *op, uint32_t index)
{
    const struct program_sync *sync = &p->program->syncs[index];
    p->places[index] = (struct plan_place){p->plan->count, op->launches ? p->plan->launch_count - 1 : PLAN_NONE};
    uint32_t *wait = plan_wait_at(p->plan, &p->places[index]);
    const uint32_t stream = sync->stream == UINT32_MAX ? WAITS_FOR_ALL : sync->stream;
    *wait = *wait == WAITS_FOR_NOTHING || *wait == stream ? stream : WAITS_FOR_ALL;
}

/* T1, of just these two neighbours where they were seen. */
static double before_us(const struct planning *p, const struct host_op *entry)
{
    const uint32_t before = entry->follows != OP_NONE ? entry->follows : entry->before;
    const str name = name_of(p, entry), after = before == OP_NONE ? OVERHEAD_BEGIN : name_of(p, &p->line.ops[before]);
    const struct overhead pair = overheads_after(p->overheads, after, name);
    const double us = pair.count ? value_of(p, OVERHEAD_T1, name, pair) : planned_us(p, OVERHEAD_T1, name);
    return less_events(p, us, 1);
}

/* Outliers aside: between two operators usually lies a call or two of Python. */
static double usual_gap_us(const struct planning *p)
{
    const struct overhead any = overheads_get(p->overheads, OVERHEAD_T1, S(""));
    return less_events(p, any.count ? any.mean_us : built_in_us[OVERHEAD_T1], 1);
}

static void plan_items(struct planning *p, struct plan_op *op, const struct host_op *entry, str name)
{
    for (uint32_t i = 0; i < entry->items; i++) {
        const struct host_item *item = &p->line.items[entry->first_item + i];
        if (item->waits)
            plan_wait(p, op, item->index);
        else
            plan_launch(p, op, item->index, name);
    }
}

static bool suppose_at(struct planning *p, struct plan_op *op, uint32_t at, struct steptime_error *err)
{
    return p->unit_of[at] == PLAN_NONE || p->program->ops[at].launches ||
           suppose_unit(p, op, &p->units.at[p->unit_of[at]], err);
}

/* The operator's own work, or that of the calls inside it. */
static bool suppose_items(struct planning *p, struct plan_op *op, const struct host_op *entry,
                          struct steptime_error *err)
{
    bool good = entry->op == OP_NONE || suppose_at(p, op, entry->op, err);
    for (uint32_t i = 0; i < entry->inside && good; i++)
        good = suppose_at(p, op, p->line.inside[entry->first_inside + i], err);
    return good;
}

/* Calls inside that began after the last launch. */
static uint32_t events_left(const struct planning *p, const struct host_op *entry)
{
    const uint32_t last = entry->inside ? p->line.inside[entry->first_inside + entry->inside - 1] : entry->op;
    return last > p->event_at ? last - p->event_at : 0;
}

/* Compiled code calls its kernels one after the other; of operators nothing is left. */
static void compile_host(struct plan_op *op)
{
    op->before_us = op->last_us = 0;
    op->gone = !op->launches && op->wait_stream == WAITS_FOR_NOTHING;
}

static bool plan_entry(struct planning *p, const struct host_op *entry, struct steptime_error *err)
{
    const str name = name_of(p, entry);
    struct plan_op *op = &p->plan->ops[p->plan->count];
    *op = (struct plan_op){
        .op = entry->op,
        .before_us = before_us(p, entry),
        .wait_stream = WAITS_FOR_NOTHING,
        .first_launch = p->plan->launch_count,
        .thread = entry->thread,
        .follows = entry->follows,
    };
    p->event_at = entry->op;
    plan_items(p, op, entry, name);
    if (p->supposes && !suppose_items(p, op, entry, err))
        return false;
    if (entry->op != OP_NONE)
        op->last_us +=
            less_events(p, planned_us(p, op->launches ? OVERHEAD_T3 : OVERHEAD_T5, name), events_left(p, entry));
    if (p->fusions.compiled && entry->op != OP_NONE && p->fusions.compiled[entry->op])
        compile_host(op);
    p->plan->count++;
    return true;
}

/* ---- streams ---- */

static void plan_orders(struct planning *p)
{
    const struct program *program = p->program;
    uint32_t *waits = arena_array(p->arena, program->order_count, sizeof *waits), count = 0;
    for (uint32_t i = 0; i < program->order_count; i++) {
        struct plan_launch *launch = &p->plan->launches[p->launch_of[program->orders[i].launch]];
        if (!launch->waits)
            launch->first_wait = count;
        waits[count++] = p->launch_of[program->orders[i].after];
        launch->waits++;
    }
    if (program->order_count)
        p->plan->waits = waits;
}

/* HIP's queues grow. */
static bool calls_hip(const struct program *program)
{
    for (uint32_t i = 0; i < program->launch_count; i++)
        if (program->launches[i].call.len)
            return str_starts(program->launches[i].call, S("hip"));
    return false;
}

static void plan_device(struct planning *p)
{
    struct plan_device *device = &p->plan->device;
    for (int class = 0; class < WORK_CLASSES; class ++) {
        device->start_us[class] = planned_us(p, OVERHEAD_START, work_class_word((enum work_class) class));
        device->gap_us[class] = planned_us(p, OVERHEAD_GAP, work_class_word((enum work_class) class));
    }
    device->return_us = planned_us(p, OVERHEAD_RETURN, OVERHEAD_WAIT);
    device->wait_us = overheads_get(p->overheads, OVERHEAD_T4, OVERHEAD_WAIT).median_us;
    device->queue_room = calls_hip(p->program) ? 0 : QUEUE_ROOM;
}

/* ---- sums ---- */

void plan_sum(struct plan *plan)
{
    plan->guessed_us = plan->modelled_us = plan->recorded_us = 0;
    plan->guessed = 0;
    for (uint32_t i = 0; i < plan->launch_count; i++) {
        const struct plan_launch *launch = &plan->launches[i];
        if (launch->gone || plan->ops[launch->op].gone)
            continue;
        double *sum = launch->basis == TIMED_RECORDED ? &plan->recorded_us
                      : launch->basis == TIMED_GUESS  ? &plan->guessed_us
                                                      : &plan->modelled_us;
        *sum += launch->us;
        plan->guessed += launch->basis == TIMED_GUESS;
    }
}

/* ---- all ---- */

static bool plan_line(struct planning *p, struct steptime_error *err)
{
    const struct program *program = p->program;
    p->plan->ops = arena_array(p->arena, p->line.count, sizeof *p->plan->ops);
    for (uint32_t i = 0; i < p->line.count; i++)
        if (!plan_entry(p, &p->line.ops[i], err))
            return false;
    p->plan->between_us = usual_gap_us(p);
    p->plan->tail_us = program->step >= 0 ? planned_us(p, OVERHEAD_T1, OVERHEAD_END_OF_STEP) : 0;
    return true;
}

void plan_scale_host(struct plan *plan, double factor)
{
    for (uint32_t i = 0; i < plan->count; i++) {
        plan->ops[i].before_us *= factor;
        plan->ops[i].last_us *= factor;
    }
    for (uint32_t i = 0; i < plan->launch_count; i++) {
        plan->launches[i].gap_us *= factor;
        plan->launches[i].call_us *= factor;
    }
    plan->tail_us *= factor;
    plan->load.own_us *= factor;
    plan->load.feed_us *= factor;
    plan->between_us *= factor;
}

static void find_units(struct planning *p, struct arena *scratch)
{
    const struct program *program = p->program;
    if (!p->options->models || !p->options->hardware)
        return;
    p->plan->units = units_known(p->options->units, program, p->arena);
    p->units = *p->plan->units;
    p->supposes = program->source != PROGRAM_TRACE && program->source != PROGRAM_JOINED;
    if (p->supposes)
        p->fusions = fusions_of(program, &p->units, p->arena);
    p->plan->compiled = p->fusions.operators;
    p->plan->compiled_kernels = p->fusions.kernels;
    p->unit_of = arena_array(scratch, program->count, sizeof *p->unit_of);
    for (uint32_t op = 0; op < program->count; op++)
        p->unit_of[op] = PLAN_NONE;
    for (uint32_t i = 0; i < p->units.count; i++)
        p->unit_of[p->units.at[i].op] = i;
}

bool plan_of(const struct program *program, const struct plan_options *options, struct arena *arena, struct plan *plan,
             struct steptime_error *err)
{
    struct arena scratch = {0};
    struct planning p = {.program = program, .options = options, .arena = arena, .plan = plan};
    *plan = (struct plan){.program = program,
                          .load = {(double)program->load_ns / 1e3, (double)program->feed_ns / 1e3},
                          .repeats = program->step >= 0};
    if (options->hardware)
        plan->hardware = *options->hardware;
    plan->streams = program->streams > 2 ? program->streams : 2; /* one of compute, one of communication */
    plan->threads = program->threads ? program->threads : 1;
    p.overheads = options->overheads ? options->overheads : overheads_of_program(program, arena);
    p.launch_of = arena_array(&scratch, program->launch_count, sizeof *p.launch_of);
    p.places = arena_array(arena, program->sync_count, sizeof *p.places);
    plan->places = p.places;
    p.line = host_line_of(program, &scratch);
    find_units(&p, &scratch);
    p.put = p.supposes ? plan_streams_open(program, plan, arena) : NULL;
    bool good = (!p.supposes || program_check(program, err)) && plan_line(&p, err);
    if (good) {
        plan_orders(&p);
        plan_device(&p);
        good = time_launches(&p, err);
        plan_pipeline(plan);
        plan_sum(plan);
        if (options->host_share > 0)
            plan_scale_host(plan, options->host_share);
    }
    plan_streams_close(p.put);
    arena_free(&scratch);
    return good;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the samples of overheads from a program with recorded times. */
#include "base/mem.h"
#include "host_line.h"
#include "samples.h"

const str OVERHEAD_END_OF_STEP = {"(end of the step)", sizeof "(end of the step)" - 1};
const str OVERHEAD_WAIT = {"wait", 4};
const str OVERHEAD_BEGIN = {"(begin)", sizeof "(begin)" - 1};
const str OVERHEAD_OUTSIDE = {"(outside operators)", sizeof "(outside operators)" - 1};

enum { DEEP_QUEUE = 500 }; /* launches; drivers hold about 1000 a stream */

struct taking {
    struct overhead_samples *samples;
    const struct program *program;
    struct host_line line;
    int64_t *stream_end_ns; /* by stream: end of its last work so far; -1 */
    bool *stream_waits;     /* by launch: it waits for other streams */
    bool full;              /* see struct sample */
    int64_t *pace_ns;       /* by stream, see find_pace */
    struct arena *scratch;
};

static str name_of(const struct taking *t, const struct host_op *op)
{
    return op->op == OP_NONE ? OVERHEAD_OUTSIDE : t->program->ops[op->op].name;
}

/* Of the entry that let it begin; of a thread's first, "(begin)". */
static str name_before(const struct taking *t, const struct host_op *op)
{
    const uint32_t before = op->follows != OP_NONE ? op->follows : op->before;
    return before == OP_NONE ? OVERHEAD_BEGIN : name_of(t, &t->line.ops[before]);
}

static void put_between(struct taking *t, uint32_t kind, str before, str name, int64_t ns, uint32_t events)
{
    samples_put(t->samples, kind, before, name,
                (struct sample){.ns = ns, .events = events & INT32_MAX, .full = t->full});
}

static void put(struct taking *t, uint32_t kind, str name, int64_t ns, uint32_t events)
{
    put_between(t, kind, S(""), name, ns, events);
}

/* ---- T1 ---- */

static uint32_t parent_of(const struct taking *t, const struct host_op *op)
{
    return op->op == OP_NONE ? OP_NONE : t->program->ops[op->op].parent;
}

static bool same_module(const struct taking *t, const struct host_op *op)
{
    if (op->before == OP_NONE || op->follows != OP_NONE || op->op == OP_NONE)
        return false;
    const struct host_op *before = &t->line.ops[op->before];
    return before->op != OP_NONE && parent_of(t, op) == parent_of(t, before);
}

static void take_before(struct taking *t, const struct host_op *op)
{
    const int64_t free_ns = host_op_free_ns(&t->line, op);
    if (free_ns < 0)
        return;
    const int64_t ns = host_op_start_ns(&t->line, op) - free_ns;
    put(t, OVERHEAD_T1, name_of(t, op), ns, 1);
    put_between(t, OVERHEAD_T1, name_before(t, op), name_of(t, op), ns, 1);
    if (same_module(t, op))
        put(t, SAMPLES_T1_SAME, S(""), ns, 1);
}

/* The last step of a trace lasts until its device work is done: what the host did then is not known. */
static bool ends_with_device(const struct program *program)
{
    int64_t end_ns = -1;
    for (uint32_t i = 0; i < program->launch_count; i++) {
        const struct program_launch *launch = &program->launches[i];
        if (launch->dur_ns >= 0 && launch->start_ns + launch->dur_ns > end_ns)
            end_ns = launch->start_ns + launch->dur_ns;
    }
    return end_ns >= program->wall_ns;
}

static void take_end_of_step(struct taking *t)
{
    int64_t end_ns = 0;
    for (uint32_t i = 0; i < t->line.count; i++) {
        const int64_t at = host_op_end_ns(&t->line, &t->line.ops[i]);
        end_ns = at > end_ns ? at : end_ns;
    }
    if (t->program->wall_ns >= end_ns && t->program->step >= 0 && !ends_with_device(t->program))
        put(t, OVERHEAD_T1, OVERHEAD_END_OF_STEP, t->program->wall_ns - end_ns, 1);
}

/* ---- inside an operator ---- */

/* The time between two begins of work in the stream of a launch, in the mean. */
static void find_pace(struct taking *t, struct arena *scratch)
{
    const struct program *program = t->program;
    int64_t *first_ns = arena_array(scratch, program->streams, sizeof *first_ns);
    uint32_t *count = arena_array(scratch, program->streams, sizeof *count);
    t->pace_ns = arena_array(scratch, program->streams, sizeof *t->pace_ns);
    for (uint32_t i = 0; i < program->launch_count; i++) {
        const struct program_launch *launch = &program->launches[i];
        if (launch->start_ns < 0)
            continue;
        if (!count[launch->stream]++)
            first_ns[launch->stream] = launch->start_ns;
        else
            t->pace_ns[launch->stream] = (launch->start_ns - first_ns[launch->stream]) / (count[launch->stream] - 1);
    }
}

/* So many launches wait for their turn that the host may have had to wait for room. */
static bool queue_is_full(const struct taking *t, const struct program_launch *launch)
{
    const int64_t pace_ns = t->pace_ns[launch->stream];
    return launch->start_ns >= 0 && pace_ns > 0 && launch->start_ns - launch->call_start_ns > DEEP_QUEUE * pace_ns;
}

/* Calls inside that began before the time, from the one at `next` on. */
static uint32_t events_until(const struct taking *t, const struct host_op *op, uint32_t *next, int64_t time_ns)
{
    uint32_t events = 0;
    for (; *next < op->inside && t->program->ops[t->line.inside[op->first_inside + *next]].start_ns < time_ns; ++*next)
        events++;
    return events;
}

static void take_inside(struct taking *t, const struct host_op *op)
{
    int64_t at_ns = host_op_start_ns(&t->line, op), own_ns = 0;
    const int64_t end_ns = host_op_end_ns(&t->line, op);
    uint32_t launches = 0, events = 0, next = 0;
    for (uint32_t i = 0; i < op->items; i++) {
        const struct host_item *item = &t->line.items[op->first_item + i];
        const int64_t start_ns = host_item_start_ns(&t->line, item), item_end_ns = host_item_end_ns(&t->line, item);
        if (start_ns < 0 || item_end_ns < 0)
            continue;
        own_ns += start_ns - at_ns;
        events += events_until(t, op, &next, start_ns);
        at_ns = item_end_ns;
        if (item->waits || t->program->launches[item->index].shared)
            continue;
        t->full = queue_is_full(t, &t->program->launches[item->index]);
        put(t, launches++ ? OVERHEAD_T5 : OVERHEAD_T2, name_of(t, op), own_ns, events);
        own_ns = events = 0;
    }
    own_ns += end_ns - at_ns;
    events += op->inside - next;
    put(t, launches ? OVERHEAD_T3 : OVERHEAD_T5, name_of(t, op), own_ns, events);
}

static void take_op(struct taking *t, const struct host_op *op)
{
    take_before(t, op);
    if (op->op == OP_NONE || host_op_end_ns(&t->line, op) < 0)
        return;
    take_inside(t, op);
}

/* Calls that follow each other in one operator. Launches between them do no harm: the least of all pairs is looked for. */
static void take_neighbours(struct taking *t)
{
    const struct program *program = t->program;
    uint32_t *last = arena_array(t->scratch, program->count, sizeof *last); /* by operator: 1 + the last call in it */
    for (uint32_t i = 0; i < program->count; i++) {
        const struct program_op *op = &program->ops[i];
        if (op->parent >= i || program->ops[op->parent].label || op->start_ns < 0 || op->dur_ns < 0)
            continue;
        const struct program_op *before = last[op->parent] ? &program->ops[last[op->parent] - 1] : NULL;
        last[op->parent] = i + 1;
        if (before && before->thread == op->thread && before->start_ns + before->dur_ns <= op->start_ns)
            put_between(t, SAMPLES_NEIGHBOURS, before->name, op->name, op->start_ns - before->start_ns - before->dur_ns,
                        0);
    }
}

/* ---- between host and device ---- */

static void take_call(struct taking *t, const struct program_launch *launch)
{
    if (launch->call_dur_ns < 0 || launch->shared || launch_waits(launch))
        return;
    t->full = queue_is_full(t, launch);
    put(t, OVERHEAD_T4, launch->call, launch->call_dur_ns, 0);
    t->full = false;
}

static void take_start(struct taking *t, uint32_t i)
{
    const struct program_launch *launch = &t->program->launches[i];
    if (launch->start_ns < 0 || launch->call_start_ns < 0 || t->stream_waits[i])
        return;
    const str class = work_class_word((enum work_class)launch->work);
    const int64_t free_ns = t->stream_end_ns[launch->stream];
    if (free_ns < 0) /* the step before may still have held the stream */
        return;
    if (free_ns <= launch->call_start_ns)
        put(t, OVERHEAD_START, class, launch->start_ns - launch->call_start_ns, 0);
    else if (launch->call_start_ns + launch->call_dur_ns <= free_ns)
        put(t, OVERHEAD_GAP, class, launch->start_ns - free_ns, 0);
}

/* A blocking copy returns when its work is done. */
static void take_return(struct taking *t, const struct program_launch *launch)
{
    if (launch_waits(launch) && launch->dur_ns >= 0 && launch->call_dur_ns >= 0)
        put(t, OVERHEAD_RETURN, launch->call,
            launch->call_start_ns + launch->call_dur_ns - launch->start_ns - launch->dur_ns, 0);
}

static void take_launch(struct taking *t, uint32_t i)
{
    const struct program_launch *launch = &t->program->launches[i];
    take_call(t, launch);
    take_start(t, i);
    take_return(t, launch);
    if (launch->dur_ns >= 0)
        t->stream_end_ns[launch->stream] = launch->start_ns + launch->dur_ns;
}

/* Of a wait that had to: from the end of what it waited for. Of one that had not: all of it, as a call. */
static void take_wait(struct taking *t, const struct program_sync *sync)
{
    int64_t end_ns = -1;
    for (uint32_t stream = 0; stream < t->program->streams; stream++)
        if ((sync->stream == stream || sync->stream == UINT32_MAX) && t->stream_end_ns[stream] > end_ns)
            end_ns = t->stream_end_ns[stream];
    if (sync->start_ns < 0 || sync->dur_ns < 0 || end_ns < 0) /* it may have waited for the step before */
        return;
    const int64_t back_ns = sync->start_ns + sync->dur_ns;
    if (end_ns > sync->start_ns && end_ns <= back_ns)
        put(t, OVERHEAD_RETURN, OVERHEAD_WAIT, back_ns - end_ns, 0);
    else if (end_ns <= sync->start_ns)
        put(t, OVERHEAD_T4, OVERHEAD_WAIT, sync->dur_ns, 0);
}

static void take_device(struct taking *t, struct arena *scratch)
{
    const struct program *program = t->program;
    t->stream_end_ns = arena_array(scratch, program->streams, sizeof *t->stream_end_ns);
    for (uint32_t stream = 0; stream < program->streams; stream++)
        t->stream_end_ns[stream] = -1;
    uint32_t sync = 0;
    for (uint32_t i = 0; i <= program->launch_count; i++) {
        for (; sync < program->sync_count && program->syncs[sync].before <= i; sync++)
            take_wait(t, &program->syncs[sync]);
        if (i < program->launch_count)
            take_launch(t, i);
    }
}

void overhead_samples_add(struct overhead_samples *samples, const struct program *program)
{
    struct arena scratch = {0};
    struct taking t = {
        .samples = samples, .program = program, .line = host_line_of(program, &scratch), .scratch = &scratch};
    t.stream_waits = arena_array(&scratch, program->launch_count, sizeof *t.stream_waits);
    for (uint32_t i = 0; i < program->order_count; i++)
        t.stream_waits[program->orders[i].launch] = true;
    samples->profiled |= program->profiled;
    find_pace(&t, &scratch);
    for (uint32_t i = 0; i < t.line.count; i++)
        take_op(&t, &t.line.ops[i]);
    take_end_of_step(&t);
    t.full = false;
    take_neighbours(&t);
    take_device(&t, &scratch);
    arena_free(&scratch);
}

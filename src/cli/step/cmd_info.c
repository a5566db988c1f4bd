/* SPDX-License-Identifier: Apache-2.0 */
/* What a trace holds, before anyone asks what it means. */
#include "cli/program/command.h"
#include "info.h"
#include "read/rank.h"

/* "shapes, stack": what the profiler was told to record, as far as the file says so or shows it. */
static str recorded_of(const struct trace *trace, struct arena *arena)
{
    const struct {
        bool on;
        const char *word;
    } options[] = {
        {trace->info.shapes || trace_attr_count(trace, ATTR_INPUT_DIMS), "shapes"},
        {trace->info.stack || trace->kinds[EVENT_PYTHON] || trace_attr_count(trace, ATTR_CALL_STACK), "stack"},
        {trace->info.memory || trace_attr_count(trace, ATTR_TOTAL_ALLOCATED), "memory"},
        {trace->info.flops || trace_attr_count(trace, ATTR_FLOPS), "flops"},
    };
    str list = S("");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].on)
            list = str_printf(arena, "%.*s%s%s", (int)list.len, list.at, list.len ? ", " : "", options[i].word);
    return list;
}

static str text_or_number(const struct trace *trace, struct arena *arena, uint32_t text, int64_t number)
{
    return text ? str_copy(arena, trace_text(trace, text)) : str_printf(arena, "%lld", (long long)number);
}

/* "python (1234)", or what of it is known. */
static str named(const struct trace *trace, struct arena *arena, uint32_t name, str id)
{
    const str text = trace_text(trace, name);
    if (!text.len || str_eq(text, id))
        return id;
    if (str_has(text, id)) /* "stream 7" */
        return str_copy(arena, text);
    return str_printf(arena, "%.*s (%.*s)", (int)text.len, text.at, (int)id.len, id.at);
}

static void take_lane_names(const struct trace *trace, struct arena *arena, struct lane_count *count, uint32_t lane)
{
    const struct lane *at = &trace->lanes[lane];
    const str process = text_or_number(trace, arena, at->process_text, at->process);
    const str id = text_or_number(trace, arena, at->id_text, at->id);
    count->device = at->device;
    count->process = named(trace, arena, at->process_name, process);
    count->name = named(trace, arena, at->name, id);
}

static void count_event(const struct trace *trace, struct lane_count *lane, uint32_t row)
{
    const int64_t start = trace->start_ns[row], end = trace_end_ns(trace, row);
    if (!lane->events || start < lane->first_ns)
        lane->first_ns = start;
    if (end > lane->end_ns)
        lane->end_ns = end;
    lane->events++;
}

static void take_lanes(const struct trace *trace, struct arena *arena, struct info *info)
{
    info->lane_count = trace->lane_count;
    info->lanes = arena_array(arena, trace->lane_count, sizeof *info->lanes);
    for (uint32_t i = 0; i < trace->lane_count; i++)
        take_lane_names(trace, arena, &info->lanes[i], i);
    for (uint32_t row = 0; row < trace->count; row++)
        count_event(trace, &info->lanes[trace->lane[row]], row);
}

/* Device work that was launched in the last step of a run goes on behind it. */
static int64_t ns_after(const struct trace *trace, const struct step *step)
{
    const bool goes_on = step + 1 < trace->steps + trace->step_count && step[1].start_ns == step->end_ns;
    return goes_on || trace->step_source == STEPS_NONE ? 0 : step->end_ns - step->host_end_ns;
}

static void take_steps(const struct trace *trace, const struct selection *selection, struct arena *arena,
                       struct info *info)
{
    const struct step_range range = selection_steps(trace, selection);
    info->step_basis = trace_step_basis(trace, arena);
    info->step_count = range.count;
    info->steps = arena_array(arena, range.count, sizeof *info->steps);
    for (uint32_t i = 0; i < range.count; i++) {
        const struct step *step = &trace->steps[range.first + i];
        info->steps[i] = (struct step_time){.number = step->number,
                                            .start_ns = step->start_ns,
                                            .wall_ns = step->end_ns - step->start_ns,
                                            .after_ns = ns_after(trace, step)};
    }
}

static void take_devices(const struct trace *trace, struct arena *arena, struct info *info)
{
    info->device_count = trace->info.device_count;
    info->devices = arena_array(arena, info->device_count, sizeof *info->devices);
    for (uint32_t i = 0; i < info->device_count; i++) {
        info->devices[i] = trace->info.devices[i];
        info->devices[i].name = str_copy(arena, info->devices[i].name);
    }
}

static void take_head(const struct trace *trace, struct arena *arena, struct info *info)
{
    const struct trace_info *from = &trace->info;
    info->path = str_copy(arena, from->path);
    info->format = str_copy(arena, from->format);
    info->host = str_copy(arena, from->host);
    info->backend = str_copy(arena, from->backend);
    info->torch_version = str_copy(arena, from->torch_version);
    info->trace_id = str_copy(arena, from->trace_id);
    info->recorded = recorded_of(trace, arena);
    info->rank = from->rank;
    info->world_size = from->world_size;
    info->bytes = from->file_bytes;
    info->base_ns = from->base_ns;
    info->origin_ns = trace->origin_ns;
    info->span_ns = trace->end_ns;
    info->events = trace->count;
    info->repaired = trace->repaired;
    info->dropped = trace->dropped;
}

static void run(const struct call *call, const struct trace *trace, struct arena *arena, void *result)
{
    struct info *info = result;
    take_head(trace, arena, info);
    take_lanes(trace, arena, info);
    take_steps(trace, call_selection(call), arena, info);
    take_devices(trace, arena, info);
    info->oddities = trace_oddities(trace);
    memcpy(info->kinds, trace->kinds, sizeof info->kinds);
    for (int kind = 0; kind < EVENT_KINDS; kind++)
        info->device_events += event_is_device_work((enum event_kind)kind) ? trace->kinds[kind] : 0;
}

/* Nodes count as events: they are what the file is made of. */
static void run_execution(const struct call *call, const struct execution *from, struct arena *arena, void *result)
{
    struct info *info = result;
    info->is_execution = true;
    info->path = str_copy(arena, from->path);
    info->format = str_printf(arena, "execution trace of PyTorch, schema %.*s", (int)from->schema.len, from->schema.at);
    info->recorded = S("shapes, data");
    info->rank = rank_of_path(from->path);
    info->world_size = -1;
    info->bytes = from->file_bytes;
    info->events = from->count;
    info->repaired = from->repaired;
    info->dropped = from->dropped;
    if (from->start_ms >= 0 && from->finish_ms >= from->start_ms)
        __builtin_mul_overflow(from->finish_ms - from->start_ms, 1000000, &info->span_ns);
    info_execution_take(from, arena, &info->execution);
}

static bool show(const struct call *call, const void *const *results, uint32_t count, struct report *report,
                 struct steptime_error *err)
{
    info_show(&(struct infos){(const struct info *const *)results, count}, report);
    return true;
}

static const struct analysis analysis = {
    .size = sizeof(struct info), .run = run, .show = show, .run_execution = run_execution};

const struct command command_info = {
    .name = "info",
    .arguments = "TRACE|DIR...",
    .brief = "what a trace holds: events, steps, threads and streams, devices",
    .about = "Reads the traces and says what is in them: their format, the rank that recorded them, how many events of "
             "each kind, which steps, threads, streams and devices, and what had to be repaired or dropped. Of an "
             "execution trace it says what prediction will take from it.\n\n"
             "It judges nothing; see 'steptime summary' for where the time goes.",
    .examples = "steptime info trace.json.gz|one trace\n"
                "steptime info traces/|all ranks of a job\n"
                "steptime info --table lanes --format csv trace.json|the threads and streams as CSV",
    .shared = SHARED_OUTPUT | SHARED_EXPLAIN | SHARED_TRACE,
    .analysis = &analysis,
};

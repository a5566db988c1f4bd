/* SPDX-License-Identifier: Apache-2.0 */
/* What a trace holds, before anyone asks what it means. */
#include <stddef.h>

#include "cli/program/command.h"
#include "info_execution.h"
#include "read/rank.h"

struct lane_count {
    str process, name;
    bool device;
    uint32_t events;
    int64_t first_ns, end_ns;
};

struct step_time {
    int64_t number, start_ns, wall_ns;
    int64_t after_ns; /* of it behind its own end on the host, where no next step begins there */
};

struct info {
    str path, format, host, backend, torch_version, trace_id, recorded;
    int64_t rank, world_size, bytes, base_ns, origin_ns, span_ns;
    uint64_t events, device_events, repaired, dropped, kinds[EVENT_KINDS];
    struct trace_oddities oddities;
    struct step_basis step_basis;
    struct step_time *steps;
    uint32_t step_count;
    struct lane_count *lanes;
    uint32_t lane_count;
    struct device_info *devices;
    uint32_t device_count;
    bool is_execution;
    struct info_execution execution;
};

static const char *const kind_words[EVENT_KINDS] = {
    [EVENT_OPERATOR] = "operator",
    [EVENT_RUNTIME] = "runtime call",
    [EVENT_ANNOTATION] = "annotation",
    [EVENT_PYTHON] = "python frame",
    [EVENT_OVERHEAD] = "profiler overhead",
    [EVENT_INSTANT] = "instant",
    [EVENT_OTHER] = "other",
    [EVENT_KERNEL] = "kernel",
    [EVENT_COPY] = "copy",
    [EVENT_MEMSET] = "memset",
    [EVENT_SYNC] = "synchronisation",
    [EVENT_DEVICE_ANNOTATION] = "device annotation",
};

/* ---- taking ---- */

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

/* ---- showing ---- */

/* Results of all files; with a single one, the columns that tell files apart are only for machines. */
struct infos {
    const struct info *const *at;
    uint32_t count;
};

static unsigned rank_column(const struct infos *infos)
{
    return infos->count > 1 ? COLUMN_PLAIN : COLUMN_DETAIL;
}

/* Nanoseconds since the epoch do not fit a double, so they are text. */
static str epoch_of(const struct info *info, struct arena *arena)
{
    if (info->base_ns)
        return str_printf(arena, "%lld", (long long)(info->base_ns + info->origin_ns));
    return S("");
}

static void show_file(const struct info *info, struct report *report)
{
    struct section *section = report_section(report, "file", "The file");
    section_value(section, "format", "format", UNIT_NONE, cell_text_or_null(info->format));
    section_value(section, "bytes", "size, unpacked", UNIT_BYTES, cell_int_or_null(info->bytes));
    section_value(section, "events", "events", UNIT_COUNT, cell_int((int64_t)info->events));
    section_value(section, "span_ns", "time from first to last", UNIT_NS, cell_int(info->span_ns));
    section_value(section, "rank", "rank", UNIT_NONE, cell_int_or_null(info->rank));
    section_value(section, "world_size", "ranks in the job", UNIT_NONE, cell_int_or_null(info->world_size));
    section_value(section, "backend", "backend", UNIT_NONE, cell_text_or_null(info->backend));
    section_value(section, "host", "host", UNIT_NONE, cell_text_or_null(info->host));
    section_value(section, "torch_version", "PyTorch", UNIT_NONE, cell_text_or_null(info->torch_version));
    section_value(section, "recorded", "recorded with", UNIT_NONE, cell_text_or_null(info->recorded));
    section_value(section, "start_epoch_ns", "start, ns since 1970", UNIT_NONE,
                  cell_text_or_null(epoch_of(info, report_arena(report))));
}

static const struct column_spec files_columns[] = {
    {"rank", "rank", UNIT_NONE, 0, "as recorded, else from the file's name, else by order"},
    {"file", "file", UNIT_NONE, COLUMN_WIDE, "path of the file"},
    {"format", "format", UNIT_NONE, COLUMN_DETAIL, "the reader that took it"},
    {"bytes", "size", UNIT_BYTES, 0, "size as unpacked"},
    {"events", "events", UNIT_COUNT, 0, "events; of a file those loaded, of a lane those on it"},
    {"device_events", "device work", UNIT_COUNT, 0, "kernels, copies and memsets"},
    {"steps", "steps", UNIT_COUNT, 0, "steps found"},
    {"span_ns", "time", UNIT_NS, 0, "from the start of the first event to the end of the last"},
    {"world_size", "ranks in job", UNIT_NONE, 0, "ranks of the job, as the file states them"},
    {"repaired", "repaired", UNIT_COUNT, COLUMN_DETAIL, "events taken after something in them was mended"},
    {"dropped", "dropped", UNIT_COUNT, COLUMN_DETAIL, "events left out; the warnings say why"},
    {0},
};

static void show_files(const struct infos *infos, struct report *report)
{
    struct table *table = section_table(report_section(report, "files", "The files"), "files", "");
    if (infos->count == 1)
        table_json_only(table);
    table_columns(table, files_columns);
    for (uint32_t i = 0; i < infos->count; i++) {
        const struct info *info = infos->at[i];
        table_row(table);
        table_int(table, info->rank);
        table_text(table, info->path);
        table_text(table, info->format);
        table_cell(table, cell_int_or_null(info->bytes));
        table_int(table, (int64_t)info->events);
        table_int(table, (int64_t)info->device_events);
        table_int(table, info->step_count);
        table_int(table, info->span_ns);
        table_cell(table, cell_int_or_null(info->world_size));
        table_int(table, (int64_t)info->repaired);
        table_int(table, (int64_t)info->dropped);
    }
}

static const struct column_spec kinds_columns[] = {
    {"kind", "kind", UNIT_NONE, 0, "kind of the events"},
    {"where", "on", UNIT_NONE, 0, "host or device"},
    {"events", "events", UNIT_COUNT, 0, "events; of a file those loaded, of a lane those on it"},
    {"share", "share", UNIT_RATIO, COLUMN_BAR, "of all events"},
    {0},
};

static void show_kinds(const struct infos *infos, struct report *report)
{
    struct section *section = report_section(report, "events", "Events");
    struct table *table = section_table(section, "kinds", "");
    table_columns(table, kinds_columns);
    uint64_t all = 0;
    for (uint32_t i = 0; i < infos->count; i++)
        all += infos->at[i]->events;
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        uint64_t events = 0;
        for (uint32_t i = 0; i < infos->count; i++)
            events += infos->at[i]->kinds[kind];
        if (!events)
            continue;
        table_row(table);
        table_text(table, str_of(kind_words[kind]));
        table_text(table, event_on_device((enum event_kind)kind) ? S("device") : S("host"));
        table_int(table, (int64_t)events);
        table_real(table, (double)events / (double)all);
    }
}

static const struct info *first_trace(const struct infos *infos)
{
    uint32_t i = 0;
    while (i + 1 < infos->count && infos->at[i]->is_execution)
        i++;
    return infos->at[i];
}

static void show_step_basis(const struct info *info, struct section *section)
{
    if (info->step_basis.source == STEPS_ANNOTATED)
        section_text(section, info->step_basis.words);
    if (info->step_basis.source > STEPS_OPTIMIZER)
        section_text(section, S("Call profiler.step() after each step to have them marked."));
}

/* Of the last one: those before it end where the next begins. */
static void show_step_after(const struct info *info, struct section *section, struct arena *arena)
{
    const struct step_time *last = info->step_count ? &info->steps[info->step_count - 1] : NULL;
    if (last && last->after_ns > 0)
        section_text(
            section,
            str_printf(
                arena,
                "Step %lld has none behind it: it ends with the last device work that it launched, %.3f ms after "
                "its end on the host.",
                (long long)last->number, (double)last->after_ns / 1e6));
}

static const struct column_spec steps_columns[] = {
    {"step", "step", UNIT_NONE, 0, "number of the step"},
    {"start_ns", "start", UNIT_NS, 0, "start of the step, from the trace's start"},
    {"wall_ns", "length", UNIT_NS, 0,
     "start of the next step - start of this one; the last ends with its annotation or the last device work launched in it"},
    {0},
};

static void show_steps(const struct infos *infos, struct report *report)
{
    struct section *section = report_section(report, "steps", "Steps");
    show_step_basis(first_trace(infos), section);
    show_step_after(first_trace(infos), section, report_arena(report));
    struct table *table = section_table(section, "steps", "");
    table_column(table, (struct column_spec){"rank", "rank", UNIT_NONE, rank_column(infos),
                                             "as recorded, else from the file's name, else by order"});
    table_columns(table, steps_columns);
    for (uint32_t i = 0; i < infos->count; i++)
        for (uint32_t k = 0; k < infos->at[i]->step_count; k++) {
            const struct step_time *step = &infos->at[i]->steps[k];
            table_row(table);
            table_int(table, infos->at[i]->rank);
            table_int(table, step->number);
            table_int(table, step->start_ns);
            table_int(table, step->wall_ns);
        }
}

static const struct column_spec lanes_columns[] = {
    {"process", "process or device", UNIT_NONE, COLUMN_WIDE, "process or device, as recorded"},
    {"lane", "thread or stream", UNIT_NONE, COLUMN_WIDE, "thread or stream, as recorded"},
    {"where", "on", UNIT_NONE, 0, "host or device"},
    {"events", "events", UNIT_COUNT, 0, "events; of a file those loaded, of a lane those on it"},
    {"first_ns", "first", UNIT_NS, 0, "start of its first event"},
    {"end_ns", "end", UNIT_NS, 0, "latest end of an event"},
    {0},
};

static void show_lanes(const struct infos *infos, struct report *report)
{
    struct section *section = report_section(report, "lanes", "Threads and streams");
    struct table *table = section_table(section, "lanes", "");
    if (infos->count > 1)
        table_json_only(table);
    table_column(table, (struct column_spec){"rank", "rank", UNIT_NONE, rank_column(infos),
                                             "as recorded, else from the file's name, else by order"});
    table_columns(table, lanes_columns);
    for (uint32_t i = 0; i < infos->count; i++)
        for (uint32_t k = 0; k < infos->at[i]->lane_count; k++) {
            const struct lane_count *lane = &infos->at[i]->lanes[k];
            if (!lane->events)
                continue;
            table_row(table);
            table_int(table, infos->at[i]->rank);
            table_text(table, lane->process);
            table_text(table, lane->name);
            table_text(table, lane->device ? S("device") : S("host"));
            table_int(table, lane->events);
            table_int(table, lane->first_ns);
            table_int(table, lane->end_ns);
        }
}

static const struct column_spec devices_columns[] = {
    {"device", "device", UNIT_NONE, 0, "index of the device"},
    {"name", "name", UNIT_NONE, COLUMN_WIDE, "its name"},
    {"memory_bytes", "memory", UNIT_BYTES, 0, "its memory"},
    {"sms", "multiprocessors", UNIT_COUNT, 0, "its multiprocessors"},
    {"major", "compute major", UNIT_NONE, COLUMN_DETAIL, "its compute capability, major"},
    {"minor", "compute minor", UNIT_NONE, COLUMN_DETAIL, "its compute capability, minor"},
    {0},
};

static void show_devices(const struct infos *infos, struct report *report)
{
    struct section *section = report_section(report, "devices", "Devices");
    struct table *table = section_table(section, "devices", "");
    if (infos->count > 1)
        table_json_only(table);
    table_column(table, (struct column_spec){"rank", "rank", UNIT_NONE, rank_column(infos),
                                             "as recorded, else from the file's name, else by order"});
    table_columns(table, devices_columns);
    for (uint32_t i = 0; i < infos->count; i++)
        for (uint32_t k = 0; k < infos->at[i]->device_count; k++) {
            const struct device_info *device = &infos->at[i]->devices[k];
            table_row(table);
            table_int(table, infos->at[i]->rank);
            table_int(table, device->id);
            table_text(table, device->name);
            table_cell(table, cell_int_or_null(device->memory_bytes));
            table_cell(table, cell_int_or_null(device->sms));
            table_cell(table, cell_int_or_null(device->major));
            table_cell(table, cell_int_or_null(device->minor));
        }
}

static const struct oddity {
    const char *id, *title;
    size_t at; /* of its count in struct trace_oddities */
} oddities[] = {
    {"partial_overlaps", "host events that end after their parent", offsetof(struct trace_oddities, partial_overlaps)},
    {"zero_durations", "device work of no length", offsetof(struct trace_oddities, zero_durations)},
    {"stream_overlaps", "device work that overlaps on its stream", offsetof(struct trace_oddities, stream_overlaps)},
    {"kernels_without_launch", "device work without a launch", offsetof(struct trace_oddities, kernels_without_launch)},
    {"launches_without_kernel", "launches without device work",
     offsetof(struct trace_oddities, launches_without_kernel)},
    {"graph_launches", "graph launches", offsetof(struct trace_oddities, graph_launches)},
    {"graph_kernels", "kernels of graphs", offsetof(struct trace_oddities, graph_kernels)},
};

static void show_oddities(const struct infos *infos, struct report *report)
{
    struct section *section = report_section(report, "oddities", "Oddities of the recording");
    for (size_t k = 0; k < sizeof oddities / sizeof *oddities; k++) {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < infos->count; i++) {
            uint64_t own;
            memcpy(&own, (const char *)&infos->at[i]->oddities + oddities[k].at, sizeof own);
            sum += own;
        }
        section_value(section, oddities[k].id, oddities[k].title, UNIT_COUNT, cell_int((int64_t)sum));
    }
}

static bool only_executions(const struct infos *infos)
{
    for (uint32_t i = 0; i < infos->count; i++)
        if (!infos->at[i]->is_execution)
            return false;
    return true;
}

static bool show(const struct call *call, const void *const *results, uint32_t count, struct report *report,
                 struct steptime_error *err)
{
    const struct infos infos = {(const struct info *const *)results, count};
    if (count == 1)
        show_file(infos.at[0], report);
    show_files(&infos, report);
    if (only_executions(&infos)) {
        if (count == 1)
            info_execution_show(&infos.at[0]->execution, report);
        return true;
    }
    show_kinds(&infos, report);
    show_steps(&infos, report);
    show_devices(&infos, report);
    show_lanes(&infos, report);
    show_oddities(&infos, report);
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

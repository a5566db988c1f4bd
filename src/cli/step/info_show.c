/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "info.h"

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
    {"events", "events", UNIT_COUNT, COLUMN_SUM, "events; of a file those loaded, of a lane those on it"},
    {"share", "share", UNIT_RATIO, COLUMN_BAR | COLUMN_PART, "of all events"},
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

void info_show(const struct infos *infos, struct report *report)
{
    if (infos->count == 1)
        show_file(infos->at[0], report);
    show_files(infos, report);
    if (only_executions(infos)) {
        if (infos->count == 1)
            info_execution_show(&infos->at[0]->execution, report);
        return;
    }
    show_kinds(infos, report);
    show_steps(infos, report);
    show_devices(infos, report);
    show_lanes(infos, report);
    show_oddities(infos, report);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* All tables, and the columns of those that are none of events. */
#include "table.h"

#include "get.h"

str sql_kind_word(enum event_kind kind)
{
    static const char *const words[EVENT_KINDS] = {
        [EVENT_OPERATOR] = "operator", [EVENT_RUNTIME] = "runtime",   [EVENT_ANNOTATION] = "annotation",
        [EVENT_PYTHON] = "python",     [EVENT_OVERHEAD] = "overhead", [EVENT_INSTANT] = "instant",
        [EVENT_OTHER] = "other",       [EVENT_KERNEL] = "kernel",     [EVENT_COPY] = "copy",
        [EVENT_MEMSET] = "memset",     [EVENT_SYNC] = "sync",         [EVENT_DEVICE_ANNOTATION] = "device_annotation",
    };
    return str_of(words[kind]);
}

/* ---- steps ---- */

static const struct step *step_of(const struct sql_part *part, uint32_t item)
{
    return &part->trace->steps[item];
}

static uint32_t count_steps(const struct sql_part *part)
{
    return part->trace->step_count;
}

static struct cell get_number(struct sql_part *part, const struct sql_column *column, uint32_t item)
{
    return cell_int(step_of(part, item)->number);
}

static struct cell get_step_start(struct sql_part *part, const struct sql_column *column, uint32_t item)
{
    return cell_int(step_of(part, item)->start_ns);
}

static struct cell get_step_dur(struct sql_part *part, const struct sql_column *column, uint32_t item)
{
    return cell_int(step_of(part, item)->end_ns - step_of(part, item)->start_ns);
}

static struct cell get_step_end(struct sql_part *part, const struct sql_column *column, uint32_t item)
{
    return cell_int(step_of(part, item)->end_ns);
}

static struct cell get_host_end(struct sql_part *part, const struct sql_column *column, uint32_t item)
{
    return cell_int(step_of(part, item)->host_end_ns);
}

static struct cell get_step_event(struct sql_part *part, const struct sql_column *column, uint32_t item)
{
    return get_row_or_null(step_of(part, item)->row);
}

static const struct sql_column step_columns[] = {
    {"rank", "INTEGER", "", "rank of the trace in its job", get_rank, ROLE_RANK, 0, false},
    {"step", "INTEGER", "", "its number: N of ProfilerStep#N, else counted from 0", get_number, 0, 0, false},
    {"start_ns", "INTEGER", "ns", "from the start of the trace", get_step_start, 0, 0, false},
    {"dur_ns", "INTEGER", "ns", "to the start of the next", get_step_dur, 0, 0, false},
    {"end_ns", "INTEGER", "ns", "start_ns + dur_ns", get_step_end, 0, 0, false},
    {"host_end_ns", "INTEGER", "ns", "end of its own mark on the host", get_host_end, 0, 0, false},
    {"event", "INTEGER", "", "the mark, or what begins the step", get_step_event, 0, 0, false},
    {0},
};

/* ---- ranks ---- */

static uint32_t count_ranks(const struct sql_part *part)
{
    return 1;
}

static struct cell get_world(struct sql_part *part, const struct sql_column *column, uint32_t item)
{
    return cell_int_or_null(part->trace->info.world_size);
}

static struct cell get_path(struct sql_part *part, const struct sql_column *column, uint32_t item)
{
    return cell_text_or_null(part->trace->info.path);
}

static struct cell get_host(struct sql_part *part, const struct sql_column *column, uint32_t item)
{
    return cell_text_or_null(part->trace->info.host);
}

static struct cell get_torch(struct sql_part *part, const struct sql_column *column, uint32_t item)
{
    return cell_text_or_null(part->trace->info.torch_version);
}

static struct cell get_device_name(struct sql_part *part, const struct sql_column *column, uint32_t item)
{
    const struct trace_info *info = &part->trace->info;
    return cell_text_or_null(info->device_count ? info->devices[0].name : S(""));
}

static struct cell get_events(struct sql_part *part, const struct sql_column *column, uint32_t item)
{
    return cell_int(part->trace->count);
}

static struct cell get_span(struct sql_part *part, const struct sql_column *column, uint32_t item)
{
    return cell_int(part->trace->end_ns);
}

static struct cell get_origin(struct sql_part *part, const struct sql_column *column, uint32_t item)
{
    int64_t origin_ns;
    const bool known = trace_epoch(part->trace, &origin_ns);
    return cell_int_if(known, known ? origin_ns : 0);
}

static struct cell get_step_source(struct sql_part *part, const struct sql_column *column, uint32_t item)
{
    return cell_text(str_of(step_source_id(part->trace->step_source)));
}

static struct cell get_main_lane(struct sql_part *part, const struct sql_column *column, uint32_t item)
{
    const uint32_t lane = trace_main_lane(part->trace);
    return cell_int_if(lane != LANE_NONE, lane);
}

static const struct sql_column rank_columns[] = {
    {"rank", "INTEGER", "", "rank in the job: recorded, else of the file's name, else by order", get_rank, ROLE_RANK, 0,
     false},
    {"world_size", "INTEGER", "", "ranks of the job, where recorded", get_world, 0, 0, false},
    {"path", "TEXT", "", "file of the trace", get_path, 0, 0, false},
    {"host", "TEXT", "", "machine, where recorded", get_host, 0, 0, false},
    {"torch_version", "TEXT", "", "version of PyTorch, where recorded", get_torch, 0, 0, false},
    {"device", "TEXT", "", "name of its first device, where recorded", get_device_name, 0, 0, false},
    {"events", "INTEGER", "", "events of the trace", get_events, 0, 0, false},
    {"span_ns", "INTEGER", "ns", "from the start of the trace to its end", get_span, 0, 0, false},
    {"origin_ns", "INTEGER", "ns", "start of the trace since the epoch: add it to compare times of ranks", get_origin,
     0, 0, false},
    {"step_source", "TEXT", "", "what tells the steps", get_step_source, 0, 0, false},
    {"main_lane", "INTEGER", "", "the thread of the training loop: lanes.lane", get_main_lane, 0, 0, false},
    {0},
};

/* ---- lanes ---- */

static uint32_t count_lanes(const struct sql_part *part)
{
    return part->trace->lane_count;
}

static struct cell get_on_device(struct sql_part *part, const struct sql_column *column, uint32_t item)
{
    return cell_int(part->trace->lanes[item].device);
}

static struct cell place_cell(const struct sql_part *part, uint32_t text, int64_t number)
{
    return text ? cell_text(trace_text(part->trace, text))
                : cell_text(str_printf(part->scratch, "%lld", (long long)number));
}

static struct cell get_process(struct sql_part *part, const struct sql_column *column, uint32_t item)
{
    return place_cell(part, part->trace->lanes[item].process_text, part->trace->lanes[item].process);
}

static struct cell get_id(struct sql_part *part, const struct sql_column *column, uint32_t item)
{
    return place_cell(part, part->trace->lanes[item].id_text, part->trace->lanes[item].id);
}

static struct cell get_process_name(struct sql_part *part, const struct sql_column *column, uint32_t item)
{
    return cell_text_or_null(trace_text(part->trace, part->trace->lanes[item].process_name));
}

static struct cell get_lane_name(struct sql_part *part, const struct sql_column *column, uint32_t item)
{
    return cell_text_or_null(trace_text(part->trace, part->trace->lanes[item].name));
}

static const struct sql_column lane_columns[] = {
    {"rank", "INTEGER", "", "rank of the trace in its job", get_rank, ROLE_RANK, 0, false},
    {"lane", "INTEGER", "", "number of the lane in its trace", get_item, ROLE_ITEM, 0, false},
    {"on_device", "INTEGER", "", "1: a stream of a device; 0: a thread of the host", get_on_device, 0, 0, false},
    {"process", "TEXT", "", "process, or index of the device", get_process, 0, 0, true},
    {"id", "TEXT", "", "thread, or number of the stream", get_id, 0, 0, true},
    {"process_name", "TEXT", "", "where recorded", get_process_name, 0, 0, false},
    {"name", "TEXT", "", "where recorded", get_lane_name, 0, 0, false},
    {0},
};

/* ---- notes ---- */

static uint32_t count_notes(const struct sql_part *part)
{
    return part->trace->note_count;
}

static struct cell get_note_kind(struct sql_part *part, const struct sql_column *column, uint32_t item)
{
    static const char *const words[] = {"repaired", "dropped", "remark", "doubt"};
    return cell_text(str_of(words[part->trace->notes[item].kind]));
}

static struct cell get_offset(struct sql_part *part, const struct sql_column *column, uint32_t item)
{
    return cell_int_or_null(part->trace->notes[item].offset);
}

static struct cell get_note_text(struct sql_part *part, const struct sql_column *column, uint32_t item)
{
    return cell_text(part->trace->notes[item].text);
}

static const struct sql_column note_columns[] = {
    {"rank", "INTEGER", "", "rank of the trace in its job", get_rank, ROLE_RANK, 0, false},
    {"kind", "TEXT", "", "repaired, dropped, remark or doubt", get_note_kind, 0, 0, false},
    {"offset", "INTEGER", "byte", "where in the unpacked file", get_offset, 0, 0, false},
    {"text", "TEXT", "", "what the reader did, or doubts", get_note_text, 0, 0, false},
    {0},
};

/* ---- all ---- */

static bool is_flow(const struct trace *trace, uint32_t row)
{
    return event_on_device((enum event_kind)trace->kind[row]) ? trace->cause[row] != ROW_NONE
                                                              : trace_forward(trace, row) != ROW_NONE;
}

static bool is_memory(const struct trace *trace, uint32_t row)
{
    int64_t bytes;
    return trace_attr(trace, row, ATTR_TOTAL_ALLOCATED, &bytes) || trace_attr(trace, row, ATTR_BYTES, &bytes);
}

#define KIND(kind) (1u << (kind))

static const struct sql_table
    events = {"events", "everything that was recorded", KIND(EVENT_KINDS) - 1, NULL, NULL, sql_event_columns},
    operators = {"operators", "operators of PyTorch", KIND(EVENT_OPERATOR), NULL, NULL, sql_operator_columns},
    kernels = {"kernels", "kernels, those of communication too", KIND(EVENT_KERNEL), NULL, NULL, sql_kernel_columns},
    copies = {"copies",        "copies and memsets of a device", KIND(EVENT_COPY) | KIND(EVENT_MEMSET), NULL, NULL,
              sql_copy_columns},
    calls = {"calls", "calls into the device's runtime", KIND(EVENT_RUNTIME), NULL, NULL, sql_call_columns},
    annotations = {"annotations",
                   "ranges that the program marks",
                   KIND(EVENT_ANNOTATION) | KIND(EVENT_DEVICE_ANNOTATION),
                   NULL,
                   NULL,
                   sql_annotation_columns},
    stacks = {"stacks", "Python frames, each with its stack", KIND(EVENT_PYTHON), NULL, NULL, sql_stack_columns},
    memory = {"memory", "allocations and frees", KIND(EVENT_INSTANT), is_memory, NULL, sql_memory_columns},
    flows = {"flows",
             "what caused what: launches and their work, forward and backward operators",
             KIND(EVENT_OPERATOR) | KIND(EVENT_KERNEL) | KIND(EVENT_COPY) | KIND(EVENT_MEMSET),
             is_flow,
             NULL,
             sql_flow_columns},
    steps = {"steps", "steps of training", 0, NULL, count_steps, step_columns},
    ranks = {"ranks", "the traces, one a rank", 0, NULL, count_ranks, rank_columns},
    lanes = {"lanes", "threads and streams", 0, NULL, count_lanes, lane_columns},
    notes = {"notes", "what the reader mended or left out; the first few hundred", 0, NULL, count_notes, note_columns};

const struct sql_table *const sql_tables[] = {&events, &operators, &kernels, &copies, &calls, &annotations, &stacks,
                                              &memory, &flows,     &steps,   &ranks,  &lanes, &notes,       NULL};

uint32_t sql_column_count(const struct sql_table *table)
{
    uint32_t count = 0;
    while (table->columns[count].name)
        count++;
    return count;
}

/* ---- descriptions ---- */

uint32_t sql_described_count(void)
{
    uint32_t count = 0;
    for (const struct sql_table *const *at = sql_tables; *at; at++)
        count += 1 + sql_column_count(*at);
    return count;
}

struct sql_described sql_describe(uint32_t i)
{
    const struct sql_table *const *at = sql_tables;
    for (uint32_t here; i >= (here = 1 + sql_column_count(*at)); at++)
        i -= here;
    if (!i)
        return (struct sql_described){(*at)->name, NULL, "", "", (*at)->about};
    const struct sql_column *column = &(*at)->columns[i - 1];
    return (struct sql_described){(*at)->name, column->name, column->type, column->unit, column->about};
}

/* SPDX-License-Identifier: Apache-2.0 */
/* One trace: a track a nest of a lane, a column a field. */
#include "base/intern.h"
#include "base/mem.h"
#include "column.h"
#include "text/json_writer.h"
#include "timeline.h"

struct encoding {
    const struct trace *trace;
    const struct page_marks *marks;
    struct json_writer json;
    struct buf *columns;
    struct column column; /* under construction */
    int64_t unit_ns;
    uint32_t events;
    struct arena scratch;

    uint32_t *number_of;  /* by text and class: number of the name plus 1; 0: none yet */
    struct intern *names; /* a byte for the class, then the text */
    uint32_t *numbers;    /* by id of those */
    size_t numbers_room;
    struct buf order; /* ids of those by number: uint32_t each */
    uint32_t name_count;
};

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* ---- names ---- */

static uint32_t number_of_text(struct encoding *encoding, str text, unsigned class)
{
    struct buf key = {0};
    buf_char(&key, (char)('0' + class));
    buf_add(&key, str_printable(&encoding->scratch, text));
    const uint32_t id = intern_id(encoding->names, buf_str(&key));
    buf_free(&key);
    if ((size_t)id >= encoding->numbers_room) {
        const size_t before = encoding->numbers_room;
        encoding->numbers =
            mem_grow(encoding->numbers, &encoding->numbers_room, (size_t)id + 1, sizeof *encoding->numbers);
        memset(encoding->numbers + before, 0, (encoding->numbers_room - before) * sizeof *encoding->numbers);
    }
    if (!encoding->numbers[id]) {
        buf_add(&encoding->order, (str){(const char *)&id, sizeof id});
        encoding->numbers[id] = ++encoding->name_count;
    }
    return encoding->numbers[id] - 1;
}

static uint32_t number_of_row(struct encoding *encoding, uint32_t row)
{
    const unsigned class = encoding->marks->classes[row];
    uint32_t *const known = &encoding->number_of[(size_t)encoding->trace->name[row] * PAGE_CLASSES + class];
    if (!*known)
        *known = 1 + number_of_text(encoding, trace_name(encoding->trace, row), class);
    return *known - 1;
}

static void put_names(struct encoding *encoding)
{
    const uint32_t *order = (const uint32_t *)(const void *)encoding->order.at;
    json_write_key(&encoding->json, S("names"));
    json_write_array(&encoding->json, JSON_FLAT);
    for (uint32_t i = 0; i < encoding->name_count; i++)
        json_write_text(&encoding->json, intern_text(encoding->names, order[i]));
    json_write_end(&encoding->json);
}

/* ---- tracks ---- */

/* Values of the allocator are no events to look at: a counter, which the timeline does not draw. */
static bool is_drawn(const struct trace *trace, uint32_t row)
{
    int64_t total;
    return trace->kind[row] != EVENT_INSTANT || !trace_attr(trace, row, ATTR_TOTAL_ALLOCATED, &total);
}

static struct rows drawn_of(struct encoding *encoding, struct rows rows)
{
    uint32_t *kept = arena_array(&encoding->scratch, rows.count, sizeof *kept), count = 0;
    for (uint32_t i = 0; i < rows.count; i++)
        if (is_drawn(encoding->trace, rows.at[i]))
            kept[count++] = rows.at[i];
    return (struct rows){kept, count};
}

static void put_columns(struct encoding *encoding, struct rows rows, enum nest nest)
{
    const struct trace *trace = encoding->trace;
    struct column *const column = &encoding->column;
    int64_t last = 0;
    for (uint32_t i = 0; i < rows.count; last = trace->start_ns[rows.at[i++]])
        column_add(column, (uint64_t)((trace->start_ns[rows.at[i]] - last) / encoding->unit_ns));
    column_end(column, encoding->columns);
    for (uint32_t i = 0; i < rows.count; i++)
        column_add(column, (uint64_t)(trace->dur_ns[rows.at[i]] / encoding->unit_ns));
    column_end(column, encoding->columns);
    for (uint32_t i = 0; i < rows.count; i++)
        column_add(column, number_of_row(encoding, rows.at[i]));
    column_end(column, encoding->columns);
    last = -1; /* events of a file come one behind the other, mostly */
    for (uint32_t i = 0; i < rows.count; last = rows.at[i++])
        column_add_signed(column, (int64_t)rows.at[i] - last - 1);
    column_end(column, encoding->columns);
    last = -1;
    for (uint32_t i = 0; i < rows.count && nest == NEST_WORK; i++) {
        const uint32_t cause = trace->cause[rows.at[i]];
        column_add_signed(column, cause == ROW_NONE ? 0 : (int64_t)cause - last);
        last = cause == ROW_NONE ? last : (int64_t)cause;
    }
    column_end(column, encoding->columns);
    encoding->events += rows.count;
}

static void put_track(struct encoding *encoding, uint32_t lane, enum nest nest)
{
    const struct rows rows = drawn_of(encoding, trace_rows(encoding->trace, lane, nest));
    if (!rows.count)
        return;
    json_write_object(&encoding->json, JSON_FLAT);
    json_write_key(&encoding->json, S("nest"));
    json_write_int(&encoding->json, nest);
    json_write_key(&encoding->json, S("count"));
    json_write_int(&encoding->json, rows.count);
    json_write_end(&encoding->json);
    put_columns(encoding, rows, nest);
}

/* ---- lanes ---- */

static void put_lane(struct encoding *encoding, uint32_t lane)
{
    const struct lane *at = &encoding->trace->lanes[lane];
    json_write_object(&encoding->json, JSON_FLAT);
    json_write_member(&encoding->json, S("name"),
                      str_printable(&encoding->scratch, trace_lane_name(encoding->trace, at, &encoding->scratch)));
    json_write_member(&encoding->json, S("process"),
                      str_printable(&encoding->scratch, trace_process_name(encoding->trace, at, &encoding->scratch)));
    json_write_key(&encoding->json, S("device"));
    json_write_bool(&encoding->json, at->device);
    json_write_key(&encoding->json, S("main"));
    json_write_bool(&encoding->json, lane == trace_main_lane(encoding->trace));
    json_write_key(&encoding->json, S("tracks"));
    json_write_array(&encoding->json, JSON_FLAT);
    for (int nest = 0; nest < NESTS; nest++)
        put_track(encoding, lane, (enum nest)nest);
    json_write_end(&encoding->json);
    json_write_end(&encoding->json);
}

static void put_lanes(struct encoding *encoding)
{
    json_write_key(&encoding->json, S("lanes"));
    json_write_array(&encoding->json, JSON_FLAT);
    for (uint32_t lane = 0; lane < encoding->trace->lane_count; lane++)
        put_lane(encoding, lane);
    json_write_end(&encoding->json);
}

/* ---- what was found ---- */

static void put_steps(struct encoding *encoding)
{
    const struct trace *trace = encoding->trace;
    const uint32_t count = trace->step_source == STEPS_NONE ? 0 : trace->step_count;
    json_write_key(&encoding->json, S("steps"));
    json_write_array(&encoding->json, JSON_FLAT);
    for (uint32_t i = 0; i < count; i++) {
        json_write_int(&encoding->json, trace->steps[i].number);
        json_write_int(&encoding->json, trace->steps[i].start_ns);
        json_write_int(&encoding->json, trace->steps[i].end_ns);
    }
    json_write_end(&encoding->json);
}

/* The event that the page can look up; ROW_NONE. */
static uint32_t known_row(const struct encoding *encoding, uint32_t i)
{
    const struct page_marks *marks = encoding->marks;
    const uint32_t row = i < marks->path_count ? marks->path[i].row : ROW_NONE;
    return row != ROW_NONE && is_drawn(encoding->trace, row) ? row : ROW_NONE;
}

/* Stretches end where their event does or where the next one's begins; else their length is told. */
static uint64_t end_of_stretch(const struct encoding *encoding, uint32_t i)
{
    const struct page_stretch *stretch = &encoding->marks->path[i];
    const uint32_t own = known_row(encoding, i), next = known_row(encoding, i + 1);
    if (own != ROW_NONE && trace_end_ns(encoding->trace, own) == stretch->end_ns)
        return PAGE_ENDS_WITH_EVENT;
    if (next != ROW_NONE && encoding->trace->start_ns[next] == stretch->end_ns)
        return PAGE_ENDS_WITH_NEXT;
    return PAGE_ENDS_AFTER + (uint64_t)(stretch->end_ns - stretch->start_ns);
}

/* Starts from the end before, ends, names, rows plus 1. */
static void put_path(struct encoding *encoding)
{
    const struct page_marks *marks = encoding->marks;
    struct column *const column = &encoding->column;
    int64_t last = 0;
    for (uint32_t i = 0; i < marks->path_count; last = marks->path[i++].end_ns)
        column_add_signed(column, marks->path[i].start_ns - last);
    column_end(column, encoding->columns);
    for (uint32_t i = 0; i < marks->path_count; i++)
        column_add(column, end_of_stretch(encoding, i));
    column_end(column, encoding->columns);
    for (uint32_t i = 0; i < marks->path_count; i++) {
        const uint32_t row = marks->path[i].row;
        column_add(column, row == ROW_NONE ? number_of_text(encoding, marks->path[i].name, PAGE_OTHER)
                                           : number_of_row(encoding, row));
    }
    column_end(column, encoding->columns);
    last = 0;
    for (uint32_t i = 0; i < marks->path_count; i++) {
        const int64_t row = marks->path[i].row == ROW_NONE ? 0 : (int64_t)marks->path[i].row + 1;
        column_add_signed(column, row - last);
        last = row;
    }
    column_end(column, encoding->columns);
    json_write_key(&encoding->json, S("path"));
    json_write_int(&encoding->json, marks->path_count);
}

static void put_found(struct encoding *encoding)
{
    json_write_key(&encoding->json, S("found"));
    json_write_array(&encoding->json, JSON_FLAT);
    for (uint32_t i = 0; i < encoding->marks->found_count; i++) {
        const struct page_found *found = &encoding->marks->found[i];
        json_write_object(&encoding->json, JSON_FLAT);
        json_write_member(&encoding->json, S("id"), found->id);
        json_write_member(&encoding->json, S("rule"), found->rule);
        json_write_key(&encoding->json, S("count"));
        json_write_int(&encoding->json, found->count);
        json_write_end(&encoding->json);
        int64_t last = 0;
        for (uint32_t k = 0; k < found->count; last = found->rows[k++])
            column_add_signed(&encoding->column, (int64_t)found->rows[k] - last);
        column_end(&encoding->column, encoding->columns);
    }
    json_write_end(&encoding->json);
}

/* ---- the whole ---- */

/* What all times are multiples of: recorders that tell whole microseconds leave digits that are noise to no one. */
static int64_t unit_of(const struct trace *trace)
{
    int64_t unit = 0;
    for (uint32_t row = 0; row < trace->count && unit != 1; row++) {
        unit = common_divisor(unit, trace->start_ns[row]);
        unit = common_divisor(unit, trace->dur_ns[row]);
    }
    return unit ? unit : 1;
}

void page_trace_encode(const struct trace *trace, int64_t rank, const struct page_marks *marks, struct page_trace *out)
{
    *out = (struct page_trace){.head = writer_to_memory(), .rank = rank};
    struct encoding encoding = {
        .trace = trace,
        .marks = marks,
        .json = json_write_begin(out->head),
        .columns = &out->columns,
        .unit_ns = unit_of(trace),
        .number_of = mem_zeroed(((size_t)trace_text_count(trace) + 1) * PAGE_CLASSES * sizeof(uint32_t)),
        .names = intern_new(),
    };
    out->start.dated = trace_epoch(trace, &out->start.epoch_ns);
    json_write_object(&encoding.json, JSON_FLAT);
    json_write_key(&encoding.json, S("rank"));
    json_write_int(&encoding.json, rank);
    json_write_key(&encoding.json, S("end"));
    json_write_int(&encoding.json, trace->end_ns);
    json_write_key(&encoding.json, S("unit"));
    json_write_int(&encoding.json, encoding.unit_ns);
    put_lanes(&encoding);
    put_steps(&encoding);
    put_path(&encoding);
    put_found(&encoding);
    put_names(&encoding);
    json_write_end(&encoding.json);
    json_write_finish(&encoding.json);
    out->events = encoding.events;
    column_free(&encoding.column);
    mem_free(encoding.number_of);
    mem_free(encoding.numbers);
    intern_free(encoding.names);
    buf_free(&encoding.order);
    arena_free(&encoding.scratch);
}

void page_trace_free(struct page_trace *trace)
{
    if (trace->head)
        writer_abandon(trace->head);
    buf_free(&trace->columns);
    *trace = (struct page_trace){0};
}

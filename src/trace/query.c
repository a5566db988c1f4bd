/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to a finished trace. */
#include "base/mem.h"
#include "base/search.h"
#include "base/sort.h"
#include "private.h"

str trace_text(const struct trace *t, uint32_t id)
{
    return intern_text(t->private->names, id);
}

uint32_t trace_text_count(const struct trace *t)
{
    return intern_count(t->private->names);
}

bool trace_epoch(const struct trace *t, int64_t *origin_ns)
{
    const int64_t base = t->info.base_ns;
    const bool sane = base >= 0 && base < EVENT_TIME_LIMIT;
    *origin_ns = t->origin_ns + (sane ? base : 0);
    return sane;
}

struct trace_oddities trace_oddities(const struct trace *t)
{
    return t->private->odd;
}

/* ---- attributes ---- */

str trace_attr_text(const struct trace *t, uint32_t row, enum attr attr)
{
    return trace_text(t, (uint32_t)trace_attr_or(t, row, attr, 0));
}

/* ---- rows in order ---- */

uint32_t trace_first_from(const struct trace *trace, struct rows rows, int64_t time_ns)
{
    uint32_t low = 0, high = rows.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (trace->start_ns[rows.at[middle]] < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- devices ---- */

static int64_t device_of(const struct trace *t, uint32_t i)
{
    return t->lanes[t->private->device_lanes[i]].process;
}

void trace_find_devices(struct trace *t)
{
    struct trace_private *p = t->private;
    struct keyed *order = mem_alloc(t->lane_count * sizeof *order);
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < t->lane_count; lane++)
        if (t->lanes[lane].device && trace_rows(t, lane, NEST_WORK).count)
            order[count++] = (struct keyed){t->lanes[lane].process, lane};
    sort_keyed(order, count);
    p->device_lanes = mem_alloc(count * sizeof *p->device_lanes);
    for (uint32_t i = 0; i < count; i++)
        p->device_lanes[i] = order[i].row;
    p->device_lane_count = count;
    mem_free(order);
}

uint32_t trace_devices(const struct trace *t, struct arena *arena, int64_t **devices)
{
    const uint32_t lanes = t->private->device_lane_count;
    int64_t *list = arena_array(arena, lanes, sizeof *list);
    uint32_t count = 0;
    for (uint32_t i = 0; i < lanes; i++)
        if (!i || device_of(t, i) != device_of(t, i - 1))
            list[count++] = device_of(t, i);
    *devices = list;
    return count;
}

/* Index of the first of device_lanes whose device is the one or above. */
static uint32_t first_lane_of(const struct trace *t, int64_t device)
{
    uint32_t low = 0, high = t->private->device_lane_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (device_of(t, middle) < device)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct rows trace_streams(const struct trace *t, int64_t device)
{
    const uint32_t all = t->private->device_lane_count, first = device < 0 ? 0 : first_lane_of(t, device);
    const uint32_t most = device < 0 ? TRACE_STREAMS_OF_ALL : TRACE_STREAMS_MOST;
    uint32_t end = first;
    while (end < all && end - first < most && (device < 0 || device_of(t, end) == device))
        end++;
    return (struct rows){t->private->device_lanes + first, end - first};
}

struct rows trace_device_work(const struct trace *t, struct arena *arena, int64_t device)
{
    const uint32_t *lanes = t->private->device_lanes, first = device < 0 ? 0 : first_lane_of(t, device);
    uint32_t end = first, total = 0;
    for (; end < t->private->device_lane_count && (device < 0 || device_of(t, end) == device); end++)
        total += trace_rows(t, lanes[end], NEST_WORK).count;
    uint32_t *rows = arena_array(arena, total, sizeof *rows);
    uint32_t count = 0;
    for (uint32_t i = first; i < end; i++) {
        const struct rows part = trace_rows(t, lanes[i], NEST_WORK);
        memcpy(rows + count, part.at, part.count * sizeof *rows);
        count += part.count;
    }
    trace_sort_rows(t, rows, count);
    return (struct rows){rows, count};
}

/* ---- around a row ---- */

uint32_t trace_open_at(const struct trace *t, uint32_t lane, enum nest nest, int64_t time_ns)
{
    const struct rows rows = trace_rows(t, lane, nest);
    uint32_t low = 0, high = rows.count; /* rows below low start at or before the time */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (t->start_ns[rows.at[middle]] <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    uint32_t row = low ? rows.at[low - 1] : ROW_NONE;
    while (row != ROW_NONE && trace_end_ns(t, row) <= time_ns && t->start_ns[row] != time_ns)
        row = t->parent[row];
    return row;
}

struct rows trace_caused(const struct trace *t, uint32_t row)
{
    const struct trace_private *p = t->private;
    uint32_t low = 0, high = p->caused_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (t->cause[p->caused[middle]] < row)
            low = middle + 1;
        else
            high = middle;
    }
    uint32_t end = low;
    while (end < p->caused_count && t->cause[p->caused[end]] == row)
        end++;
    return (struct rows){p->caused + low, end - low};
}

/* The host row that stands for it: itself, or the cause of device work. */
static uint32_t host_row(const struct trace *t, uint32_t row)
{
    return event_on_device(t->kind[row]) ? t->cause[row] : row;
}

uint32_t trace_operator(const struct trace *t, uint32_t row)
{
    const uint32_t host = host_row(t, row);
    if (host == ROW_NONE)
        return ROW_NONE;
    const bool call = event_nest(t->kind[host]) == NEST_CALLS;
    const uint32_t first = call ? host : trace_open_at(t, t->lane[host], NEST_CALLS, t->start_ns[host]);
    uint32_t at = first;
    for (uint32_t climb = 0; at != ROW_NONE && t->kind[at] != EVENT_OPERATOR; climb++) {
        if (climb == TRACE_LONGEST_CLIMB)
            return map_get(&t->private->far_operator, first); /* MAP_NONE is ROW_NONE */
        at = t->parent[at];
    }
    return at;
}

uint32_t trace_frame(const struct trace *t, uint32_t row)
{
    const uint32_t host = host_row(t, row);
    if (host == ROW_NONE || t->kind[host] == EVENT_PYTHON)
        return host;
    return trace_open_at(t, t->lane[host], NEST_PYTHON, t->start_ns[host]);
}

/* ---- steps ---- */

uint32_t trace_step_at(const struct trace *t, int64_t time_ns)
{
    const size_t next =
        search_after(t->steps, t->step_count, sizeof *t->steps, offsetof(struct step, start_ns), time_ns);
    return next && time_ns < t->steps[next - 1].end_ns ? (uint32_t)next - 1 : STEP_NONE;
}

uint32_t trace_step(const struct trace *t, uint32_t row)
{
    const uint32_t host = host_row(t, row);
    return host == ROW_NONE ? STEP_NONE : trace_step_at(t, t->start_ns[host]);
}

/* ---- host time ---- */

/* Time in operators at the top of the lane; autograd's own thread counts only where there is no other. */
static int64_t forward_operator_ns(const struct trace *t, uint32_t lane)
{
    const struct rows rows = trace_rows(t, lane, NEST_CALLS);
    int64_t sum = 0, autograd = 0;
    for (uint32_t i = 0; i < rows.count; i++) {
        const uint32_t row = rows.at[i];
        if (t->kind[row] != EVENT_OPERATOR || t->parent[row] != ROW_NONE)
            continue;
        if (str_starts(trace_name(t, row), S("autograd::engine")))
            autograd += t->dur_ns[row];
        else
            sum += t->dur_ns[row] + 1;
    }
    return sum ? sum : autograd > 0;
}

void trace_find_main_lane(struct trace *t)
{
    int64_t most = 0;
    for (uint32_t lane = 0; lane < t->lane_count; lane++) {
        const int64_t ns = t->lanes[lane].device ? 0 : forward_operator_ns(t, lane);
        if (ns > most) {
            most = ns;
            t->private->main_lane = lane;
        }
    }
}

const struct device_info *trace_device_info(const struct trace *t, int64_t id)
{
    const struct device_info *first = t->info.device_count ? t->info.devices : NULL;
    bool alike = true;
    for (uint32_t i = 0; i < t->info.device_count; i++) {
        if (t->info.devices[i].id == id)
            return &t->info.devices[i];
        alike = alike && str_eq(t->info.devices[i].name, first->name);
    }
    return alike ? first : NULL;
}

uint32_t trace_main_lane(const struct trace *t)
{
    return t->private->main_lane;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Copies first, from the rows of the device; then calls of the host, which belong to a copy or stand alone. */
#include "movement.h"

#include "base/mem.h"
#include "base/sort.h"
#include "gap.h"
#include "graph/runtime.h"

enum {
    AT_ONCE_NS =
        20 * 1000, /* on a thread without operators: a synchronisation this soon after a copy is the copy's own */
};

struct table {
    const struct trace *trace;
    const struct work_classes *classes;
    const uint8_t *calls; /* enum runtime_call by text */
    uint32_t *move_of;    /* by row of a call: 1 + its move; 0: none */
    struct move *at;
    size_t room;
    uint32_t count;
};

static struct move *add(struct table *table, struct move move)
{
    table->at = mem_grow(table->at, &table->room, (size_t)table->count + 1, sizeof *table->at);
    table->at[table->count] = move;
    return &table->at[table->count++];
}

/* ---- copies ---- */

static bool copies(enum runtime_call call)
{
    return call == RUNTIME_COPY || call == RUNTIME_BLOCKING_COPY;
}

/* The call of its own that a copy has; one replayed from a graph, or known by its operator alone, has none. */
static uint32_t call_of(const struct table *table, uint32_t copy)
{
    const struct trace *trace = table->trace;
    const uint32_t cause = trace->cause[copy];
    if (cause == ROW_NONE || trace->kind[cause] != EVENT_RUNTIME || !copies(table->calls[trace->name[cause]]))
        return ROW_NONE;
    return cause;
}

static bool call_blocks(const struct table *table, const struct move *move)
{
    const struct trace *trace = table->trace;
    if (move->direction != COPY_H2D && move->direction != COPY_D2H)
        return false;
    if (table->calls[trace->name[move->call]] == RUNTIME_BLOCKING_COPY || move->memory == HOST_PAGEABLE)
        return true;
    return move->memory == HOST_UNKNOWN && trace_end_ns(trace, move->call) >= trace_end_ns(trace, move->copy);
}

static void add_copy(struct table *table, uint32_t row)
{
    const struct trace *trace = table->trace;
    struct move move = {.call = call_of(table, row),
                        .copy = row,
                        .sync = ROW_NONE,
                        .step = trace_step(trace, row),
                        .lane = trace->lane[row],
                        .direction = work_copy_direction(table->classes, row),
                        .memory = work_copy_memory(table->classes, row),
                        .bytes = trace_attr_or(trace, row, ATTR_BYTES, -1),
                        .start_ns = trace->start_ns[row],
                        .device_ns = trace->dur_ns[row]};
    if (move.call != ROW_NONE) {
        move.start_ns = trace->start_ns[move.call];
        move.call_ns = trace->dur_ns[move.call];
        move.blocking = call_blocks(table, &move);
    }
    add(table, move);
    if (move.call != ROW_NONE)
        table->move_of[move.call] = table->count;
}

static void add_copies(struct table *table)
{
    for (uint32_t row = 0; row < table->trace->count; row++)
        if (table->trace->kind[row] == EVENT_COPY)
            add_copy(table, row);
}

/* ---- synchronisations ---- */

/* PyTorch waits for its stream right after the copy, within the same operator. */
static bool waits_for(const struct table *table, uint32_t sync, uint32_t copy_call)
{
    const struct trace *trace = table->trace;
    if (copy_call == ROW_NONE || !table->move_of[copy_call] || table->calls[trace->name[sync]] != RUNTIME_STREAM_SYNC ||
        trace->parent[sync] != trace->parent[copy_call])
        return false;
    return trace->parent[sync] != ROW_NONE || trace->start_ns[sync] - trace_end_ns(trace, copy_call) <= AT_ONCE_NS;
}

static void add_sync(struct table *table, uint32_t row, uint32_t copy_call)
{
    const struct trace *trace = table->trace;
    if (waits_for(table, row, copy_call)) {
        struct move *move = &table->at[table->move_of[copy_call] - 1];
        move->sync = row;
        move->sync_ns = trace->dur_ns[row];
        move->blocking = true;
        return;
    }
    add(table, (struct move){.call = row,
                             .copy = ROW_NONE,
                             .sync = row,
                             .step = trace_step(trace, row),
                             .lane = LANE_NONE,
                             .direction = COPY_UNKNOWN,
                             .memory = HOST_UNKNOWN,
                             .blocking = true,
                             .bytes = -1,
                             .start_ns = trace->start_ns[row],
                             .sync_ns = trace->dur_ns[row]});
}

/* Calls that neither copy, launch nor wait may lie between a copy and its synchronisation. */
static void add_lane(struct table *table, uint32_t lane)
{
    const struct trace *trace = table->trace;
    const struct rows rows = trace_rows(trace, lane, NEST_CALLS);
    uint32_t last_call = ROW_NONE;
    for (uint32_t i = 0; i < rows.count; i++) {
        const uint32_t row = rows.at[i];
        if (trace->kind[row] != EVENT_RUNTIME)
            continue;
        const enum runtime_call call = table->calls[trace->name[row]];
        if (runtime_is_sync(call))
            add_sync(table, row, last_call);
        if (call != RUNTIME_OTHER)
            last_call = row;
    }
}

/* ---- whole ---- */

static void find_blocked(struct move *move)
{
    const int64_t ns = move->call_ns + move->sync_ns - move->device_ns;
    move->blocked_ns = move->blocking && ns > 0 ? ns : 0;
}

static struct move *by_start(const struct table *table, struct arena *arena)
{
    struct arena scratch = {0};
    struct keyed *order = arena_array(&scratch, table->count, sizeof *order);
    struct move *sorted = arena_array(arena, table->count, sizeof *sorted);
    for (uint32_t i = 0; i < table->count; i++)
        order[i] = (struct keyed){table->at[i].start_ns, i};
    sort_keyed(order, table->count);
    for (uint32_t i = 0; i < table->count; i++) {
        sorted[i] = table->at[order[i].row];
        find_blocked(&sorted[i]);
    }
    arena_free(&scratch);
    return sorted;
}

struct movement movement_of(const struct graph *graph, const struct work_classes *classes,
                            const struct device_times *times, struct arena *arena)
{
    struct arena scratch = {0};
    const struct trace *trace = graph->trace;
    struct table table = {.trace = trace,
                          .classes = classes,
                          .calls = runtime_calls_of(trace, &scratch),
                          .move_of = arena_array(&scratch, trace->count, sizeof *table.move_of)};
    add_copies(&table);
    for (uint32_t lane = 0; lane < trace->lane_count; lane++)
        if (!trace->lanes[lane].device)
            add_lane(&table, lane);
    struct move *moves = by_start(&table, arena);
    find_gaps(graph, times, moves, table.count);
    mem_free(table.at);
    arena_free(&scratch);
    return (struct movement){moves, table.count};
}

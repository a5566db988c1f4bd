/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collectives that run on the host. Nothing in a trace ties the work
 * (gloo:all_reduce, on a worker thread) to its call (c10d::allreduce_), so they
 * are matched within one kind and size: where there are as many of the one as of
 * the other, by order; where some work was not recorded, a work belongs to the
 * last call before it that is still free, in order. Work of no call stands for
 * itself.
 */
#include "base/hash.h"
#include "base/mem.h"
#include "base/sort.h"
#include "collective_table.h"
#include "message.h"

enum { MOST_PARENTS = 5 }; /* around a launch or record_param_comms, as far as the c10d call */

/* ---- calls ---- */

/* The output comes first where there is one of its own. */
static int input_argument(enum collective_kind kind)
{
    switch (kind) {
    case COLLECTIVE_ALL_GATHER:
    case COLLECTIVE_REDUCE_SCATTER:
    case COLLECTIVE_ALL_TO_ALL:
    case COLLECTIVE_GATHER:
    case COLLECTIVE_SCATTER:
        return 1;
    default:
        return 0;
    }
}

static bool named_call(const struct trace *trace, uint32_t row)
{
    return trace->kind[row] == EVENT_OPERATOR && str_starts(trace_name(trace, row), S("c10d::"));
}

static void flag_around(const struct trace *trace, uint32_t row, uint8_t *flags)
{
    for (int i = 0; i < MOST_PARENTS && row != ROW_NONE; i++, row = trace->parent[row])
        flags[row] = 1;
}

/*
 * Flags the calls that a device carries out: they hold record_param_comms; in recordings that have none (before 2022) the
 * launch of its work.
 */
static void flag_device_calls(const struct collective_table *table, uint32_t name, uint8_t *flags)
{
    const struct trace *trace = table->trace;
    for (uint32_t row = 0; row < trace->count && name; row++)
        if (trace->name[row] == name)
            flag_around(trace, trace->parent[row], flags);
    for (size_t i = 0; i < table->count && !name; i++)
        flag_around(trace, trace_operator(trace, table->at[i].row), flags);
}

/* A barrier is called with a tensor that says nothing. */
static void set_message(const struct trace *trace, int argument, struct collective *into)
{
    if (into->kind == COLLECTIVE_BARRIER)
        return;
    const struct message message = message_of_shapes(trace_attr_text(trace, into->row, ATTR_INPUT_DIMS),
                                                     trace_attr_text(trace, into->row, ATTR_INPUT_TYPES), argument);
    into->in_elements = message.elements;
    into->element_bytes = message.element_bytes;
}

static void add_call(struct collective_table *table, uint32_t row, enum collective_kind kind)
{
    struct collective *call = collective_table_add(table, row, kind);
    call->dur_ns = -1;
    call->call = row;
    call->on_host = true;
    set_message(table->trace, input_argument(kind), call);
    collective_set_peers(table->trace, &(struct peer_rows){-1, -1, S(""), S(""), ROW_NONE, row}, call);
}

/* Text ids are dense, so a name of the trace is found by a walk over them. */
static uint32_t text_id(const struct trace *trace, str text)
{
    for (uint32_t id = 0; id < trace_text_count(trace); id++)
        if (str_eq(trace_text(trace, id), text))
            return id;
    return 0;
}

static void add_calls(struct collective_table *table)
{
    const struct trace *trace = table->trace;
    uint8_t *on_device = mem_zeroed(trace->count);
    flag_device_calls(table, text_id(trace, S("record_param_comms")), on_device);
    for (uint32_t row = 0; row < trace->count; row++) {
        if (on_device[row] || !named_call(trace, row))
            continue;
        const enum collective_kind kind = collective_kind_of_name(trace_name(trace, row));
        const uint32_t parent = trace->parent[row];
        if (kind != COLLECTIVE_OTHER && (parent == ROW_NONE || !named_call(trace, parent)))
            add_call(table, row, kind);
    }
    mem_free(on_device);
}

/* ---- work ---- */

static void add_work(struct collective_table *table, uint32_t row)
{
    struct collective *work = collective_table_add(table, row, collective_kind_of_name(trace_name(table->trace, row)));
    work->on_host = true;
    set_message(table->trace, ALL_ARGUMENTS, work);
}

static void add_works(struct collective_table *table)
{
    const struct trace *trace = table->trace;
    for (uint32_t row = 0; row < trace->count; row++)
        if (trace->kind[row] == EVENT_ANNOTATION && work_host_communication(table->classes, row))
            add_work(table, row);
}

/* ---- matching ---- */

static bool is_call(const struct collective *entry)
{
    return entry->dur_ns < 0;
}

/* Sizes tell apart only where both sides have them. */
static bool sizes_known(const struct collective *at, size_t count)
{
    bool calls = false, works = false;
    for (size_t i = 0; i < count; i++)
        if (at[i].in_elements >= 0)
            *(is_call(&at[i]) ? &calls : &works) = true;
    return calls && works;
}

static int64_t match_key(const struct collective *entry, bool with_size)
{
    return (int64_t)hash_mix((uint64_t)entry->kind + (with_size ? hash_mix((uint64_t)entry->in_elements) : 0));
}

/* The entries in order of key, and of time within one. */
static struct keyed *in_order(const struct collective *at, size_t count)
{
    const bool with_size = sizes_known(at, count);
    struct keyed *order = mem_alloc(count * sizeof *order);
    for (size_t i = 0; i < count; i++)
        order[i] = (struct keyed){at[i].start_ns, (uint32_t)i};
    sort_keyed(order, count);
    for (size_t i = 0; i < count; i++)
        order[i].key = match_key(&at[order[i].row], with_size);
    sort_keyed(order, count);
    return order;
}

enum { VOID = COLLECTIVE_KINDS };

/* The call takes over its work, whose own entry is void from then on. */
static void join(struct collective *call, struct collective *work)
{
    call->start_ns = work->start_ns;
    call->dur_ns = work->dur_ns;
    call->row = work->row;
    if (work->in_elements >= 0)
        call->in_elements = work->in_elements;
    if (work->element_bytes)
        call->element_bytes = work->element_bytes;
    work->kind = VOID;
}

/* Calls and works of one kind and size, as indices, each in order of time. */
struct sides {
    uint32_t *calls, *works;
    size_t call_count, work_count;
};

static void join_all(struct collective *at, const struct sides *sides)
{
    for (size_t i = 0; i < sides->work_count; i++)
        join(&at[sides->calls[i]], &at[sides->works[i]]);
}

static void join_some(struct collective *at, const struct sides *sides)
{
    size_t free = 0; /* the first call that may still get a work */
    for (size_t i = 0; i < sides->work_count; i++) {
        struct collective *work = &at[sides->works[i]];
        size_t after = free; /* the first call after the work began */
        while (after < sides->call_count && at[sides->calls[after]].call_ns <= work->start_ns)
            after++;
        if (after == free)
            continue;
        join(&at[sides->calls[after - 1]], work);
        free = after;
    }
}

static void match(struct collective *at, size_t count)
{
    struct keyed *order = in_order(at, count);
    uint32_t *calls = mem_alloc(count * sizeof *calls), *works = mem_alloc(count * sizeof *works);
    for (size_t first = 0, next; first < count; first = next) {
        struct sides sides = {.calls = calls, .works = works};
        for (next = first; next < count && order[next].key == order[first].key; next++) {
            const uint32_t i = order[next].row;
            if (is_call(&at[i]))
                calls[sides.call_count++] = i;
            else
                works[sides.work_count++] = i;
        }
        if (sides.call_count == sides.work_count)
            join_all(at, &sides);
        else
            join_some(at, &sides);
    }
    mem_free(order);
    mem_free(calls);
    mem_free(works);
}

void collective_table_add_host(struct collective_table *table)
{
    const size_t first = table->count;
    add_calls(table);
    add_works(table);
    if (table->count == first)
        return;
    match(table->at + first, table->count - first);
    size_t kept = first;
    for (size_t i = first; i < table->count; i++)
        if (table->at[i].kind != VOID)
            table->at[kept++] = table->at[i];
    table->count = kept;
}

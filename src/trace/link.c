/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which host call caused which device work. Three keys, each tried on what the
 * one before left open:
 *
 *   1. correlation id: the runtime call and its device work carry the same
 *   2. External id: the operator around the call, where no call was recorded
 *   3. flow arrows: from a place inside a host call to the device work's start
 */
#include "base/hash.h"
#include "base/mem.h"
#include "base/sort.h"
#include "ids.h"
#include "private.h"

/* An id of 0 means "none" in every producer. */
static bool own_id(const struct trace *t, uint32_t row, enum event_kind kind, enum attr key, int64_t *id)
{
    return t->kind[row] == kind && trace_attr(t, row, key, id) && *id != 0;
}

/* The first row of an id keeps it. `asked`: of the ids that are there already. */
static void collect_ids(const struct trace *t, enum event_kind kind, enum attr key, bool asked, struct ids *ids)
{
    int64_t id;
    for (uint32_t row = t->count; row-- > 0;)
        if (own_id(t, row, kind, key, &id) && (!asked || ids_place(ids, id)))
            ids_put(ids, id, row);
}

static bool is_open(const struct trace *t, uint32_t row)
{
    return event_is_device_work(t->kind[row]) && t->cause[row] == ROW_NONE;
}

/* Pages for the ids of device work that has no cause: where that is little, most ids of the host are not asked for. */
static void ask_ids(const struct trace *t, enum attr key, struct ids *ids)
{
    int64_t id;
    for (uint32_t row = 0; row < t->count; row++)
        if (is_open(t, row) && trace_attr(t, row, key, &id))
            ids_put(ids, id, ROW_NONE);
}

enum { LITTLE = 16 }; /* one of so many host rows is asked for, or fewer */

/* Links `open` device rows that have no cause yet to the host row of the kind with the same id; returns what stays open. */
static uint32_t link_by_id(struct trace *t, uint64_t open, enum event_kind kind, enum attr key)
{
    const bool asked = open < t->kinds[kind] / LITTLE;
    struct ids ids;
    uint32_t left = 0;
    ids_open(&ids);
    if (asked)
        ask_ids(t, key, &ids);
    collect_ids(t, kind, key, asked, &ids);
    for (uint32_t row = 0; row < t->count; row++) {
        if (!is_open(t, row))
            continue;
        int64_t id;
        if (trace_attr(t, row, key, &id) && id != 0)
            t->private->cause[row] = ids_get(&ids, id);
        left += t->cause[row] == ROW_NONE;
    }
    ids_close(&ids);
    return left;
}

static int64_t place(uint32_t lane, int64_t time_ns)
{
    return (int64_t)hash_mix(hash_mix(lane) ^ (uint64_t)time_ns);
}

static void link_by_flow(struct trace *t)
{
    struct trace_private *p = t->private;
    struct map start_of = {0}, open_at = {0};
    for (uint32_t row = 0; row < t->count; row++)
        if (event_is_device_work(t->kind[row]) && t->cause[row] == ROW_NONE)
            map_put(&open_at, place(t->lane[row], t->start_ns[row]), row);
    for (size_t i = 0; i < p->flow_count; i++)
        if (p->flows[i].kind == FLOW_LAUNCH && !p->flows[i].finish)
            map_put(&start_of, p->flows[i].id, (uint32_t)i);
    for (size_t i = 0; i < p->flow_count; i++) {
        const struct flow *end = &p->flows[i];
        if (end->kind != FLOW_LAUNCH || !end->finish)
            continue;
        const uint32_t start = map_get(&start_of, end->id);
        const uint32_t row = map_get(&open_at, place(end->lane, end->time_ns));
        if (start != MAP_NONE && row != MAP_NONE)
            p->cause[row] = trace_open_at(t, p->flows[start].lane, NEST_CALLS, p->flows[start].time_ns);
    }
    map_free(&start_of);
    map_free(&open_at);
}

/* caused: linked device rows by cause; each cause's rows by time. */
static void gather_caused(struct trace *t)
{
    struct trace_private *p = t->private;
    struct keyed *pairs = NULL;
    size_t room = 0;
    for (uint32_t row = 0; row < t->count; row++)
        if (event_is_device_work(t->kind[row]) && t->cause[row] != ROW_NONE) {
            pairs = mem_grow(pairs, &room, p->caused_count + 1, sizeof *pairs);
            pairs[p->caused_count++] = (struct keyed){t->cause[row], row};
        }
    sort_keyed(pairs, p->caused_count);
    p->caused = mem_alloc(p->caused_count * sizeof *p->caused);
    for (uint32_t i = 0; i < p->caused_count; i++)
        p->caused[i] = pairs[i].row;
    mem_free(pairs);
    for (uint32_t a = 0, b; a < p->caused_count; a = b) {
        for (b = a + 1; b < p->caused_count && t->cause[p->caused[b]] == t->cause[p->caused[a]]; b++)
            ;
        trace_sort_rows(t, p->caused + a, b - a);
    }
}

/* A call that puts work on a device, by the names of CUDA's runtime and driver and of HIP. */
static bool launches(str name)
{
    static const char *const starts[] = {"cudaLaunch",      "cuLaunch",      "hipLaunch",
                                         "hipModuleLaunch", "hipExtLaunch",  "hipExtModuleLaunch",
                                         "cudaGraphLaunch", "cuGraphLaunch", "hipGraphLaunch"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (str_starts(name, str_of(starts[i])))
            return true;
    return false;
}

enum { NAME_LAUNCHES = 1, NAME_GRAPH = 2 };

static const uint8_t *launch_names(const struct trace *t, struct arena *arena)
{
    const uint32_t count = trace_text_count(t);
    uint8_t *flags = arena_alloc(arena, count);
    for (uint32_t id = 0; id < count; id++) {
        const str name = trace_text(t, id);
        if (launches(name))
            flags[id] = str_has(name, S("GraphLaunch")) ? NAME_LAUNCHES | NAME_GRAPH : NAME_LAUNCHES;
    }
    return flags;
}

static void count_launches(struct trace *t)
{
    struct trace_oddities *odd = &t->private->odd;
    struct arena scratch = {0};
    const uint8_t *flags = launch_names(t, &scratch);
    for (uint32_t row = 0; row < t->count; row++) {
        if (t->kind[row] != EVENT_RUNTIME || !flags[t->name[row]])
            continue;
        odd->launches++;
        odd->launches_without_kernel += t->cause[row] == ROW_NONE;
        if (flags[t->name[row]] & NAME_GRAPH) {
            odd->graph_launches++;
            odd->graph_kernels += trace_caused(t, row).count;
        }
    }
    arena_free(&scratch);
}

void trace_link_ids(struct trace *t)
{
    struct trace_private *p = t->private;
    p->cause = mem_alloc(t->count * sizeof *p->cause);
    memset(p->cause, 0xFF, t->count * sizeof *p->cause); /* ROW_NONE */
    t->cause = p->cause;
    const uint64_t work = t->kinds[EVENT_KERNEL] + t->kinds[EVENT_COPY] + t->kinds[EVENT_MEMSET];
    p->unlinked = work ? link_by_id(t, work, EVENT_RUNTIME, ATTR_CORRELATION) : 0;
    if (p->unlinked)
        p->unlinked = link_by_id(t, p->unlinked, EVENT_OPERATOR, ATTR_EXTERNAL_ID);
}

void trace_link(struct trace *t)
{
    struct trace_private *p = t->private;
    if (p->unlinked && p->flow_count)
        link_by_flow(t);
    gather_caused(t);
    for (uint32_t i = p->caused_count; i-- > 0;)
        p->cause[t->cause[p->caused[i]]] = p->caused[i];
    count_launches(t);
}

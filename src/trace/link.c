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
#include "private.h"

/*
 * From id to row. Profilers count ids up, so their range is usually a small
 * multiple of their number and an array does; a map where it is not.
 */
struct id_index {
    int64_t lowest;
    uint64_t range; /* 0: the map is used */
    uint32_t *rows;
    struct map map;
};

struct id_range {
    int64_t lowest, highest;
    uint32_t count;
};

static void widen(struct id_range *range, int64_t id)
{
    range->lowest = !range->count || id < range->lowest ? id : range->lowest;
    range->highest = !range->count || id > range->highest ? id : range->highest;
    range->count++;
}

static void index_begin(struct id_index *index, const struct id_range *ids)
{
    *index = (struct id_index){.lowest = ids->lowest};
    const uint64_t range = (uint64_t)ids->highest - (uint64_t)ids->lowest + 1;
    if (!ids->count || range == 0 || range > (uint64_t)ids->count * 8)
        return;
    index->range = range;
    index->rows = mem_alloc(range * sizeof *index->rows);
    memset(index->rows, 0xFF, range * sizeof *index->rows); /* ROW_NONE */
}

static uint32_t index_get(const struct id_index *index, int64_t id)
{
    if (!index->range)
        return map_get(&index->map, id);
    const uint64_t at = (uint64_t)id - (uint64_t)index->lowest;
    return at < index->range ? index->rows[at] : ROW_NONE;
}

/* The first row of an id keeps it. */
static void index_add(struct id_index *index, int64_t id, uint32_t row)
{
    if (index_get(index, id) != ROW_NONE)
        return;
    if (index->range)
        index->rows[(uint64_t)id - (uint64_t)index->lowest] = row;
    else
        map_put(&index->map, id, row);
}

static void index_end(struct id_index *index)
{
    mem_free(index->rows);
    map_free(&index->map);
}

/* An id of 0 means "none" in every producer. */
static bool own_id(const struct trace *t, uint32_t row, enum event_kind kind, enum attr key, int64_t *id)
{
    return t->kind[row] == kind && trace_attr(t, row, key, id) && *id != 0;
}

static void index_rows(const struct trace *t, enum event_kind kind, enum attr key, struct id_index *index)
{
    struct id_range ids = {0};
    int64_t id;
    for (uint32_t row = 0; row < t->count; row++)
        if (own_id(t, row, kind, key, &id))
            widen(&ids, id);
    index_begin(index, &ids);
    for (uint32_t row = 0; row < t->count; row++)
        if (own_id(t, row, kind, key, &id))
            index_add(index, id, row);
}

/* Links device work that has no cause yet to the host row of the kind with the same id; returns what stays open. */
static uint32_t link_by_id(struct trace *t, enum event_kind kind, enum attr key)
{
    struct id_index index;
    index_rows(t, kind, key, &index);
    uint32_t open = 0;
    for (uint32_t row = 0; row < t->count; row++) {
        if (!event_is_device_work(t->kind[row]) || t->cause[row] != ROW_NONE)
            continue;
        int64_t id;
        if (trace_attr(t, row, key, &id) && id != 0)
            t->private->cause[row] = index_get(&index, id);
        open += t->cause[row] == ROW_NONE;
    }
    index_end(&index);
    return open;
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

/* caused: counting sort of linked device rows by cause; each cause's rows by time. */
static void gather_caused(struct trace *t)
{
    struct trace_private *p = t->private;
    uint32_t *count = mem_zeroed(((size_t)t->count + 1) * sizeof *count);
    for (uint32_t row = 0; row < t->count; row++)
        if (event_is_device_work(t->kind[row]) && t->cause[row] != ROW_NONE) {
            count[t->cause[row] + 1]++;
            p->caused_count++;
        }
    for (uint32_t row = 0; row < t->count; row++)
        count[row + 1] += count[row];
    p->caused = mem_alloc(p->caused_count * sizeof *p->caused);
    for (uint32_t row = 0; row < t->count; row++)
        if (event_is_device_work(t->kind[row]) && t->cause[row] != ROW_NONE)
            p->caused[count[t->cause[row]]++] = row;
    mem_free(count);
    for (uint32_t a = 0, b; a < p->caused_count; a = b) {
        for (b = a + 1; b < p->caused_count && t->cause[p->caused[b]] == t->cause[p->caused[a]]; b++)
            ;
        trace_sort_rows(t, p->caused + a, b - a);
    }
}

/* A call that puts work on a device, by the names of CUDA's runtime and driver and of HIP. */
static bool launches(str name)
{
    static const char *const starts[] = {"cudaLaunch", "cuLaunch", "hipLaunch", "hipModuleLaunch", "hipExtLaunch",
                                         "hipExtModuleLaunch", "cudaGraphLaunch", "cuGraphLaunch", "hipGraphLaunch"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (str_starts(name, str_of(starts[i])))
            return true;
    return false;
}

static void count_launches(struct trace *t)
{
    struct trace_oddities *odd = &t->private->odd;
    for (uint32_t row = 0; row < t->count; row++) {
        if (t->kind[row] != EVENT_RUNTIME)
            continue;
        const str name = trace_name(t, row);
        if (!launches(name))
            continue;
        const struct rows work = trace_caused(t, row);
        odd->launches_without_kernel += work.count == 0;
        if (str_has(name, S("GraphLaunch"))) {
            odd->graph_launches++;
            odd->graph_kernels += work.count;
        }
    }
}

void trace_link(struct trace *t)
{
    struct trace_private *p = t->private;
    p->cause = mem_alloc(t->count * sizeof *p->cause);
    memset(p->cause, 0xFF, t->count * sizeof *p->cause); /* ROW_NONE */
    t->cause = p->cause;
    uint32_t open = link_by_id(t, EVENT_RUNTIME, ATTR_CORRELATION);
    if (open)
        open = link_by_id(t, EVENT_OPERATOR, ATTR_EXTERNAL_ID);
    if (open && p->flow_count)
        link_by_flow(t);
    gather_caused(t);
    for (uint32_t i = p->caused_count; i-- > 0;)
        p->cause[t->cause[p->caused[i]]] = p->caused[i];
    count_launches(t);
}

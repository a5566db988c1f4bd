/* SPDX-License-Identifier: Apache-2.0 */
/* The table: filled from the device and from the host, then sorted and moved into the arena. */
#include "collective.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/sort.h"
#include "collective_table.h"

struct collective *collective_table_add(struct collective_table *table, uint32_t row, enum collective_kind kind)
{
    table->at = mem_grow(table->at, &table->room, table->count + 1, sizeof *table->at);
    struct collective *new = &table->at[table->count++];
    *new = (struct collective){
        .call_ns = table->trace->start_ns[row],
        .start_ns = table->trace->start_ns[row],
        .dur_ns = table->trace->dur_ns[row],
        .seq = -1,
        .in_elements = -1,
        .out_elements = -1,
        .source = -1,
        .destination = -1,
        .row = row,
        .call = ROW_NONE,
        .step = trace_step(table->trace, row),
        .kind = (uint8_t)kind,
    };
    return new;
}

/* Names count up on each rank alike, but sub-groups may share one; the members tell them apart. */
static uint64_t identity_of(str name, str ranks)
{
    const uint64_t hash = hash_mix(hash_stable(name.at, name.len) * 31 + hash_stable(ranks.at, ranks.len));
    return hash ? hash : 1;
}

static uint32_t add_group(struct collective_table *table, struct collective_group group)
{
    table->groups = mem_grow(table->groups, &table->group_room, table->group_count + 1, sizeof *table->groups);
    table->groups[table->group_count] = group;
    return (uint32_t)table->group_count++;
}

uint32_t collective_table_group(struct collective_table *table, uint32_t name, uint32_t ranks, int64_t size)
{
    if (!name && !ranks && size <= 0)
        return 0;
    const int64_t key = (int64_t)hash_mix(((uint64_t)name << 32 | ranks) ^ hash_mix((uint64_t)size));
    const uint32_t known = map_get(&table->group_index, key);
    if (known != MAP_NONE)
        return known;
    const str name_text = trace_text(table->trace, name);
    const struct collective_group group = {
        .name = str_copy(table->arena, name_text),
        .size = size > 0 ? size : 0,
        .identity = name || ranks ? identity_of(name_text, trace_text(table->trace, ranks)) : 0,
    };
    const uint32_t index = add_group(table, group);
    map_put(&table->group_index, key, index);
    return index;
}

static struct collective *sorted(const struct collective_table *table, struct arena *arena)
{
    struct keyed *order = mem_alloc(table->count * sizeof *order);
    for (size_t i = 0; i < table->count; i++)
        order[i] = (struct keyed){table->at[i].call_ns, (uint32_t)i};
    sort_keyed(order, table->count);
    struct collective *result = arena_array(arena, table->count, sizeof *result);
    for (size_t i = 0; i < table->count; i++)
        result[i] = table->at[order[i].row];
    mem_free(order);
    return result;
}

static struct collective_group *groups_of(const struct collective_table *table, struct arena *arena)
{
    struct collective_group *result = arena_array(arena, table->group_count, sizeof *result);
    memcpy(result, table->groups, table->group_count * sizeof *result);
    return result;
}

static bool unlaunched(const struct trace *trace, const struct collective *collective)
{
    return trace->kind[collective->row] == EVENT_KERNEL && trace->cause[collective->row] == ROW_NONE;
}

/* When the first kernel starts whose launch was recorded; INT64_MIN if none was. */
static int64_t first_launched_ns(const struct trace *trace, const struct collectives *table)
{
    for (uint32_t i = 0; i < table->count; i++)
        if (!table->at[i].on_host && !unlaunched(trace, &table->at[i]))
            return table->at[i].call_ns;
    return INT64_MIN;
}

/*
 * Kernels without a launch, before the first one that has a launch, were queued
 * before the recording began. Where launches are missing altogether, a kernel is
 * of the step it runs in.
 */
static void settle_launches(const struct trace *trace, const struct collectives *table)
{
    const int64_t first_ns = first_launched_ns(trace, table);
    for (uint32_t i = 0; i < table->count; i++) {
        struct collective *collective = &table->at[i];
        if (!unlaunched(trace, collective))
            continue;
        collective->queued_before = collective->call_ns < first_ns;
        if (!collective->queued_before)
            collective->step = trace_step_at(trace, collective->call_ns);
    }
}

/* The kernels of one replay of a graph are told apart by their place in it: nothing else is known of them. */
static void number_graph_kernels(const struct trace *trace, const struct collectives *table)
{
    struct map replays = {0}; /* the launch: kernels so far */
    for (uint32_t i = 0; i < table->count; i++) {
        const uint32_t launch = table->at[i].on_host ? ROW_NONE : trace->cause[table->at[i].row];
        if (launch == ROW_NONE || !str_has(trace_name(trace, launch), S("GraphLaunch")))
            continue;
        const uint32_t before = map_get(&replays, launch);
        table->at[i].of_graph = before == MAP_NONE ? 1 : before + 1;
        map_put(&replays, launch, table->at[i].of_graph);
    }
    map_free(&replays);
}

enum { AMBIGUOUS = COLLECTIVE_KINDS };

/* The kind of the kernels of each name whose launch says what they are. */
static void learn_kinds(const struct trace *trace, const struct collectives *table, struct map *kinds)
{
    for (uint32_t i = 0; i < table->count; i++) {
        const struct collective *collective = &table->at[i];
        if (collective->on_host || unlaunched(trace, collective))
            continue;
        const int64_t name = trace->name[collective->row];
        const uint32_t known = map_get(kinds, name);
        map_put(kinds, name, known == MAP_NONE || known == collective->kind ? collective->kind : AMBIGUOUS);
    }
}

/* A kernel that sends and receives is what all others of its name are, where its launch was not recorded. */
static void settle_kinds(const struct trace *trace, const struct collectives *table)
{
    struct map kinds = {0};
    learn_kinds(trace, table, &kinds);
    for (uint32_t i = 0; i < table->count; i++) {
        struct collective *collective = &table->at[i];
        if (collective->kind != COLLECTIVE_POINT_TO_POINT || !unlaunched(trace, collective))
            continue;
        const uint32_t kind = map_get(&kinds, trace->name[collective->row]);
        if (kind != MAP_NONE && kind != AMBIGUOUS)
            collective->kind = (uint8_t)kind;
    }
    map_free(&kinds);
}

struct collectives collectives_of(const struct trace *trace, const struct work_classes *classes, struct arena *arena)
{
    struct collective_table table = {.trace = trace, .classes = classes, .arena = arena};
    add_group(&table, (struct collective_group){0});
    collective_table_add_kernels(&table);
    collective_table_add_host(&table);
    const struct collectives result = {
        .at = sorted(&table, arena),
        .count = (uint32_t)table.count,
        .groups = groups_of(&table, arena),
        .group_count = (uint32_t)table.group_count,
    };
    settle_launches(trace, &result);
    settle_kinds(trace, &result);
    number_graph_kernels(trace, &result);
    mem_free(table.at);
    mem_free(table.groups);
    map_free(&table.group_index);
    return result;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "lists.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/sort.h"

static uint32_t room_of(const struct sql_table *table, const struct sql_part *part)
{
    return table->kinds ? part->trace->count : table->count(part);
}

bool list_holds(const struct sql_table *table, const struct sql_part *part, uint32_t item)
{
    if (item >= room_of(table, part))
        return false;
    return !table->kinds ||
           (table->kinds >> part->trace->kind[item] & 1 && (!table->has || table->has(part->trace, item)));
}

static void make(struct sql_list *list, const struct sql_table *table, const struct sql_part *part)
{
    const struct trace *trace = part->trace;
    const uint32_t all = (1u << EVENT_KINDS) - 1;
    list->made = true;
    list->count = room_of(table, part);
    if (!table->kinds || (table->kinds == all && !table->has))
        return;
    uint64_t most = 0;
    for (int kind = 0; kind < EVENT_KINDS; kind++)
        most += table->kinds >> kind & 1 ? trace->kinds[kind] : 0;
    uint32_t *items = arena_room(part->arena, most, sizeof *items);
    list->items = items;
    list->count = 0;
    for (uint32_t row = 0; row < trace->count && list->count < most; row++)
        if (list_holds(table, part, row))
            items[list->count++] = row;
}

static bool ascends(const struct sql_list *list, const struct trace *trace)
{
    for (uint32_t i = 1; i < list->count; i++)
        if (trace->start_ns[list_at(list, i)] < trace->start_ns[list_at(list, i - 1)])
            return false;
    return true;
}

static void sort_by_start(struct sql_list *list, const struct sql_part *part)
{
    const struct trace *trace = part->trace;
    list->by_start = true;
    if (ascends(list, trace))
        return;
    struct keyed *pairs = mem_alloc(list->count * sizeof *pairs);
    for (uint32_t i = 0; i < list->count; i++)
        pairs[i] = (struct keyed){trace->start_ns[list_at(list, i)], list_at(list, i)};
    sort_keyed(pairs, list->count);
    uint32_t *items = arena_room(part->arena, list->count, sizeof *items);
    for (uint32_t i = 0; i < list->count; i++)
        items[i] = pairs[i].row;
    list->items = items;
    mem_free(pairs);
}

struct sql_list *list_of(struct sql_list *list, const struct sql_table *table, struct sql_part *part, bool by_start)
{
    if (!list->made)
        make(list, table, part);
    if (by_start && !list->by_start)
        sort_by_start(list, part);
    return list;
}

uint32_t list_from(const struct sql_list *list, const struct trace *trace, int64_t start_ns)
{
    uint32_t low = 0, high = list->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (trace->start_ns[list_at(list, middle)] < start_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- grouping: a counting sort a role, the finest first ---- */

struct text_key {
    str text;
    uint32_t id;
};

static int by_text(const void *a, const void *b)
{
    const struct text_key *left = a, *right = b;
    return str_cmp(left->text, right->text);
}

static const uint32_t *name_order(struct sql_part *part)
{
    if (part->name_order)
        return part->name_order;
    const uint32_t count = trace_text_count(part->trace);
    struct text_key *keys = mem_alloc((count ? count : 1) * sizeof *keys);
    for (uint32_t id = 0; id < count; id++)
        keys[id] = (struct text_key){trace_text(part->trace, id), id};
    qsort(keys, count, sizeof *keys, by_text);
    part->name_order = arena_room(part->arena, count, sizeof *part->name_order);
    for (uint32_t i = 0; i < count; i++)
        part->name_order[keys[i].id] = i;
    mem_free(keys);
    return part->name_order;
}

static void kind_order(uint32_t order[EVENT_KINDS])
{
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        order[kind] = 0;
        for (int other = 0; other < EVENT_KINDS; other++)
            order[kind] += str_cmp(sql_kind_word((enum event_kind)other), sql_kind_word((enum event_kind)kind)) < 0;
    }
}

/* By row the code, in the order of the values; `codes` is room for one a row. The number of codes. */
static uint32_t codes_of(struct sql_part *part, enum sql_role role, uint32_t *codes)
{
    const struct trace *trace = part->trace;
    uint32_t kinds[EVENT_KINDS];
    const uint32_t *names = role == ROLE_NAME ? name_order(part) : NULL;
    const uint32_t *steps = role == ROLE_STEP ? sql_steps(part) : NULL;
    kind_order(kinds);
    for (uint32_t row = 0; row < trace->count; row++)
        codes[row] = names               ? names[trace->name[row]]
                     : steps             ? steps[row]
                     : role == ROLE_KIND ? kinds[trace->kind[row]]
                                         : trace->lane[row];
    return names               ? trace_text_count(trace)
           : steps             ? trace->step_count + 1
           : role == ROLE_KIND ? EVENT_KINDS
                               : trace->lane_count;
}

static void sort_by_codes(uint32_t *items, uint32_t *room, uint32_t count, const uint32_t *codes, uint32_t code_count)
{
    uint32_t *begin = mem_zeroed(((size_t)code_count + 1) * sizeof *begin);
    for (uint32_t i = 0; i < count; i++)
        begin[codes[items[i]] + 1]++;
    for (uint32_t code = 0; code < code_count; code++)
        begin[code + 1] += begin[code];
    for (uint32_t i = 0; i < count; i++)
        room[begin[codes[items[i]]]++] = items[i];
    memcpy(items, room, count * sizeof *items);
    mem_free(begin);
}

static const uint32_t *sort_by_roles(const struct sql_list *list, struct sql_part *part, const enum sql_role *roles,
                                     uint32_t count)
{
    uint32_t *items = arena_room(part->arena, list->count, sizeof *items);
    uint32_t *room = mem_alloc(((size_t)list->count + 1) * sizeof *room);
    uint32_t *codes = mem_alloc(((size_t)part->trace->count + 1) * sizeof *codes);
    for (uint32_t i = 0; i < list->count; i++)
        items[i] = list_at(list, i);
    for (uint32_t i = count; i--;)
        sort_by_codes(items, room, list->count, codes, codes_of(part, roles[i], codes));
    mem_free(codes);
    mem_free(room);
    return items;
}

/* ---- what was grouped is kept: who walks along it may be asked for another order meanwhile ---- */

struct sql_grouping {
    struct sql_grouping *before;
    enum sql_role roles[ROLES];
    uint32_t count;
    struct sql_lined lined;
    bool is_far;
};

/* A role that comes again orders nothing more. */
static void add_role(struct sql_grouping *grouping, enum sql_role role)
{
    for (uint32_t i = 0; i < grouping->count; i++)
        if (grouping->roles[i] == role)
            return;
    grouping->roles[grouping->count++] = role;
}

static bool same_roles(const struct sql_grouping *a, const struct sql_grouping *b)
{
    return a->count == b->count && !memcmp(a->roles, b->roles, a->count * sizeof *a->roles);
}

struct sql_list list_grouped(struct sql_list *list, const struct sql_table *table, struct sql_part *part,
                             const enum sql_role *roles, uint32_t count)
{
    struct sql_grouping wanted = {.before = list->groupings};
    for (uint32_t i = 0; i < count; i++)
        add_role(&wanted, roles[i]);
    struct sql_grouping *found = list->groupings;
    while (found && !same_roles(found, &wanted))
        found = found->before;
    if (!found) {
        wanted.lined = (struct sql_lined){
            .table = table, .items = sort_by_roles(list, part, wanted.roles, wanted.count), .count = list->count};
        wanted.is_far = lined_is_worth_it(wanted.lined.items, list->count);
        list->groupings = arena_alloc(part->arena, sizeof wanted);
        *list->groupings = wanted;
        found = list->groupings;
    }
    return (struct sql_list){
        .made = true, .items = found->lined.items, .count = list->count, .lined = found->is_far ? &found->lined : NULL};
}

bool list_can_group(const struct sql_part *part, enum sql_role role)
{
    if (role != ROLE_STEP)
        return role_is_coded(role);
    for (uint32_t i = 1; i < part->trace->step_count; i++)
        if (part->trace->steps[i].number <= part->trace->steps[i - 1].number)
            return false;
    return true;
}

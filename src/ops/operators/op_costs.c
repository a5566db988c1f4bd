/* SPDX-License-Identifier: Apache-2.0 */
#include "op_costs.h"

#include "ops/words/family.h"

#include "base/hash.h"
#include "base/map.h"

/* What a cost follows from: text ids. */
struct cost_key {
    uint32_t name, dims, types, values, strides;
};

struct cost_entry {
    struct cost_key key;
    struct op_cost cost;
    uint32_t next; /* of the same hash; NO_ENTRY */
};

enum { NO_ENTRY = UINT32_MAX };

/* What lies inside a call: bits. */
enum { INSIDE_MATRIX = 1, INSIDE_COST = 2, INSIDE_DEVICE = 4, COUNTS = 8 };

struct op_costs {
    const struct trace *trace;
    struct cost_entry *entries;
    uint32_t entry_count;
    uint32_t *entry; /* by row: index of its cost; NO_ENTRY */
    uint32_t *owner; /* by row: the operator that counts around it; ROW_NONE */
    uint8_t *inside; /* by row */
};

/* ---- one entry a distinct call ---- */

struct collecting {
    struct op_costs *costs;
    struct map by_hash;   /* first entry of a hash */
    uint8_t *has_formula; /* by text id: 0 not looked up, 1 no, 2 yes */
    uint32_t room;
};

static bool has_formula(struct collecting *collecting, uint32_t name)
{
    uint8_t *known = &collecting->has_formula[name];
    if (!*known)
        *known = operator_has_cost(trace_text(collecting->costs->trace, name)) ? 2 : 1;
    return *known == 2;
}

static struct cost_key key_of(const struct trace *trace, uint32_t row)
{
    return (struct cost_key){
        trace->name[row],
        (uint32_t)trace_attr_or(trace, row, ATTR_INPUT_DIMS, 0),
        (uint32_t)trace_attr_or(trace, row, ATTR_INPUT_TYPES, 0),
        (uint32_t)trace_attr_or(trace, row, ATTR_CONCRETE_INPUTS, 0),
        (uint32_t)trace_attr_or(trace, row, ATTR_INPUT_STRIDES, 0),
    };
}

static struct op_cost cost_of(const struct trace *trace, const struct cost_key *key)
{
    const struct op_arguments arguments = {trace_text(trace, key->dims), trace_text(trace, key->types),
                                           trace_text(trace, key->values), trace_text(trace, key->strides)};
    return operator_cost(trace_text(trace, key->name), &arguments);
}

static void grow(struct collecting *collecting, struct arena *arena)
{
    struct op_costs *costs = collecting->costs;
    if (costs->entry_count < collecting->room)
        return;
    collecting->room = collecting->room ? collecting->room * 2 : 64;
    struct cost_entry *more = arena_array(arena, collecting->room, sizeof *more);
    if (costs->entry_count)
        memcpy(more, costs->entries, costs->entry_count * sizeof *more);
    costs->entries = more;
}

static uint32_t entry_of(struct collecting *collecting, const struct cost_key *key, struct arena *arena)
{
    struct op_costs *costs = collecting->costs;
    const int64_t hash = (int64_t)hash_bytes((const char *)key, sizeof *key);
    const uint32_t first = map_get(&collecting->by_hash, hash);
    for (uint32_t i = first; i != NO_ENTRY; i = costs->entries[i].next)
        if (memcmp(&costs->entries[i].key, key, sizeof *key) == 0)
            return i;
    grow(collecting, arena);
    costs->entries[costs->entry_count] = (struct cost_entry){*key, cost_of(costs->trace, key), first};
    map_put(&collecting->by_hash, hash, costs->entry_count);
    return costs->entry_count++;
}

static void collect(struct op_costs *costs, struct arena *arena)
{
    const struct trace *trace = costs->trace;
    struct arena scratch = {0};
    struct collecting collecting = {.costs = costs, .has_formula = arena_array(&scratch, trace_text_count(trace), 1)};
    for (uint32_t row = 0; row < trace->count; row++) {
        costs->entry[row] = NO_ENTRY;
        if (trace->kind[row] != EVENT_OPERATOR || !has_formula(&collecting, trace->name[row]))
            continue;
        const struct cost_key key = key_of(trace, row);
        costs->entry[row] = entry_of(&collecting, &key, arena);
    }
    map_free(&collecting.by_hash);
    arena_free(&scratch);
}

struct op_cost op_costs_at(const struct op_costs *costs, uint32_t row)
{
    const uint32_t entry = costs->entry[row];
    struct op_cost cost = entry == NO_ENTRY ? no_cost() : costs->entries[entry].cost;
    if (cost.flops < 0 && trace_attr(costs->trace, row, ATTR_FLOPS, &cost.flops))
        cost.matrix = family_is_matrix(operator_family(trace_name(costs->trace, row)));
    return cost;
}

/* ---- where they count ---- */

static bool known(const struct op_cost *cost)
{
    return cost->flops >= 0 || cost->bytes >= 0;
}

/* Device work marks its cause; a call marks what it lies in. */
static bool mark_device(struct op_costs *costs)
{
    const struct trace *trace = costs->trace;
    bool any = false;
    for (uint32_t row = 0; row < trace->count; row++) {
        if (!event_is_device_work(trace->kind[row]))
            continue;
        any = true;
        if (trace->cause[row] != ROW_NONE)
            costs->inside[trace->cause[row]] |= INSIDE_DEVICE;
    }
    return any;
}

/* Children stand behind their parents, so from the back each row is judged when all that it contains has been. */
static void judge_lane(struct op_costs *costs, struct rows calls, bool device)
{
    const struct trace *trace = costs->trace;
    for (uint32_t i = calls.count; i-- > 0;) {
        const uint32_t row = calls.at[i], parent = trace->parent[row];
        const struct op_cost cost = op_costs_at(costs, row);
        uint8_t *inside = &costs->inside[row];
        const bool innermost = !(*inside & (cost.matrix ? INSIDE_MATRIX : INSIDE_COST));
        if (known(&cost) && innermost && (!device || (*inside & INSIDE_DEVICE)))
            *inside |= COUNTS;
        if (parent == ROW_NONE)
            continue;
        const uint8_t own = known(&cost) ? INSIDE_COST | (cost.matrix ? INSIDE_MATRIX : 0) : 0;
        costs->inside[parent] |= (*inside & (INSIDE_MATRIX | INSIDE_COST | INSIDE_DEVICE)) | own;
    }
}

static void own_lane(struct op_costs *costs, struct rows calls)
{
    for (uint32_t i = 0; i < calls.count; i++) {
        const uint32_t row = calls.at[i], parent = costs->trace->parent[row];
        costs->owner[row] = costs->inside[row] & COUNTS ? row : parent == ROW_NONE ? ROW_NONE : costs->owner[parent];
    }
}

const struct op_costs *op_costs_new(const struct trace *trace, struct arena *arena)
{
    struct op_costs *costs = arena_alloc(arena, sizeof *costs);
    *costs = (struct op_costs){
        .trace = trace,
        .entry = arena_array(arena, trace->count, sizeof *costs->entry),
        .owner = arena_array(arena, trace->count, sizeof *costs->owner),
        .inside = arena_array(arena, trace->count, sizeof *costs->inside),
    };
    collect(costs, arena);
    const bool device = mark_device(costs);
    memset(costs->owner, 0xFF, trace->count * sizeof *costs->owner); /* ROW_NONE */
    for (uint32_t lane = 0; lane < trace->lane_count; lane++) {
        const struct rows calls = trace_rows(trace, lane, NEST_CALLS);
        judge_lane(costs, calls, device);
        own_lane(costs, calls);
    }
    return costs;
}

bool op_costs_counts(const struct op_costs *costs, uint32_t row)
{
    return costs->inside[row] & COUNTS;
}

uint32_t op_costs_owner(const struct op_costs *costs, uint32_t row)
{
    const struct trace *trace = costs->trace;
    const uint32_t host = event_on_device(trace->kind[row]) ? trace->cause[row] : row;
    return host == ROW_NONE ? ROW_NONE : costs->owner[host];
}

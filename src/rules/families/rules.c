/* SPDX-License-Identifier: Apache-2.0 */
/* The table of rules, and the walk that runs them over a file. A new rule: its name here twice. */
#include "rules.h"

#include "rules/proof/ahead.h"
#include "rules/proof/dry.h"
#include "rules/proof/idle_copy.h"
#include "rules/proof/each_evaluates.h"
#include "rules/proof/prove.h"
#include "rules/proof/twice.h"

#include <assert.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "causes.h"

/* st1_element_access.c */
extern const struct rule rule_element_access, rule_per_sample_stack, rule_growing_cat, rule_one_sample_evaluation;
/* st2_host_built_tensor.c */
extern const struct rule rule_tensor_from_list, rule_lists_from_workers, rule_padded_to_all;
/* st3_round_trip.c */
extern const struct rule rule_device_round_trip, rule_preparation_on_training_thread, rule_repeated_preparation,
    rule_module_ping_pong;
/* st4_implicit_sync.c, st4_sizes.c */
extern const struct rule rule_scalar_read_back, rule_data_dependent_branch, rule_print_device_tensor,
    rule_whole_tensor_read_back, rule_dead_read_back, rule_dynamic_shape, rule_device_scalar_as_size,
    rule_echo_read_back, rule_scattered_read_backs, rule_framework_sync;
/* st5_many_transfers.c */
extern const struct rule rule_repeated_upload, rule_many_small_uploads, rule_host_index;
/* st6_blocking_transfer.c */
extern const struct rule rule_create_then_move, rule_blocking_copy, rule_oversized_upload, rule_synchronous_loader,
    rule_no_overlap, rule_explicit_sync;

const struct rule *const rules[] = {
    &rule_element_access,
    &rule_per_sample_stack,
    &rule_growing_cat,
    &rule_one_sample_evaluation,
    &rule_tensor_from_list,
    &rule_lists_from_workers,
    &rule_padded_to_all,
    &rule_device_round_trip,
    &rule_preparation_on_training_thread,
    &rule_repeated_preparation,
    &rule_module_ping_pong,
    &rule_scalar_read_back,
    &rule_data_dependent_branch,
    &rule_print_device_tensor,
    &rule_whole_tensor_read_back,
    &rule_dead_read_back,
    &rule_dynamic_shape,
    &rule_device_scalar_as_size,
    &rule_echo_read_back,
    &rule_scattered_read_backs,
    &rule_framework_sync,
    &rule_repeated_upload,
    &rule_many_small_uploads,
    &rule_host_index,
    &rule_create_then_move,
    &rule_blocking_copy,
    &rule_oversized_upload,
    &rule_synchronous_loader,
    &rule_no_overlap,
    &rule_explicit_sync,
    NULL,
};

/* ---- the table ---- */

uint32_t rule_count(void)
{
    uint32_t count = 0;
    while (rules[count])
        count++;
    assert(count <= 64);
    return count;
}

bool rule_matches(const struct rule *rule, str pattern)
{
    if (str_eq(pattern, S("ALL")))
        return true;
    if (str_eq(pattern, str_of(rule->name)))
        return true;
    return pattern.len >= 2 && str_starts(str_of(rule->id), pattern);
}

/* ---- which rules a node is for ---- */

enum { TAIL_SLOTS = 2048 };

struct tail_slot {
    const char *tail; /* NULL: free */
    uint64_t mask;
};

struct dispatch {
    uint64_t by_kind[SYNTAX_KINDS]; /* but calls that are told by their tail */
    struct tail_slot by_tail[TAIL_SLOTS];
};

static struct tail_slot *tail_slot(struct dispatch *dispatch, str tail)
{
    size_t i = hash_bytes(tail.at, tail.len) % TAIL_SLOTS;
    while (dispatch->by_tail[i].tail && !str_eq(str_of(dispatch->by_tail[i].tail), tail))
        i = (i + 1) % TAIL_SLOTS;
    return &dispatch->by_tail[i];
}

static void dispatch_tails(struct dispatch *dispatch, const struct rule *rule, uint64_t bit)
{
    for (uint32_t i = 0; i < QUERY_TAILS && rule->query.tails[i]; i++) {
        struct tail_slot *slot = tail_slot(dispatch, str_of(rule->query.tails[i]));
        slot->tail = rule->query.tails[i];
        slot->mask |= bit;
    }
}

static void dispatch_rule(struct dispatch *dispatch, const struct rule *rule, uint64_t bit)
{
    for (uint32_t i = 0; i < QUERY_KINDS && rule->query.kinds[i]; i++) {
        if (rule->query.kinds[i] == SYN_CALL && rule->query.tails[0])
            dispatch_tails(dispatch, rule, bit);
        else
            dispatch->by_kind[rule->query.kinds[i]] |= bit;
    }
}

static uint64_t dispatch_node(struct dispatch *dispatch, const struct syntax *tree, uint32_t node)
{
    const uint64_t mask = dispatch->by_kind[tree->kind[node]];
    if (tree->kind[node] != SYN_CALL)
        return mask;
    const str tail = syntax_tail(tree, syntax_first(tree, node));
    return tail.len ? mask | tail_slot(dispatch, tail)->mask : mask;
}

/* Whether a rule looks at the node. */
static bool query_asks(const struct query *query, const struct syntax *tree, uint32_t node)
{
    bool kind = false, tail = !query->tails[0] || tree->kind[node] != SYN_CALL;
    for (uint32_t i = 0; i < QUERY_KINDS && query->kinds[i]; i++)
        kind |= query->kinds[i] == tree->kind[node];
    for (uint32_t i = 0; kind && !tail && i < QUERY_TAILS && query->tails[i]; i++)
        tail = str_eq(syntax_tail(tree, syntax_first(tree, node)), str_of(query->tails[i]));
    return kind && tail;
}

/* ---- matches ---- */

struct found {
    struct match *at;
    size_t count, room;
};

static void settle(const struct syntax *tree, struct match *match)
{
    if (!match->end) {
        match->begin = tree->begin[match->node];
        match->end = tree->end[match->node];
    }
    match->function = syntax_function(tree, match->node);
}

static void try_rule(const struct check *check, const struct rule *rule, uint32_t node, struct found *found)
{
    struct match match = {.rule = rule, .file = check->file, .node = node, .fix = rule->fix_kind};
    if (!rule->check(check, node, &match))
        return;
    settle(check->tree, &match);
    proof_weigh(check, &match);
    each_evaluates_break(check, &match);
    found->at = mem_grow(found->at, &found->room, found->count + 1, sizeof *found->at);
    found->at[found->count++] = match;
}

/* ---- which call of its name, counted from 0 ---- */

/* The call of the built-in within the match; SYNTAX_NONE. */
static uint32_t builtin_call(const struct syntax *tree, const struct match *match)
{
    for (uint32_t node = match->node, last = syntax_last(tree, node); node < last; node++)
        if (tree->kind[node] == SYN_CALL && str_eq(syntax_tail(tree, syntax_first(tree, node)), match->builtin))
            return node;
    return SYNTAX_NONE;
}

/* For each call of a name, how many calls of that name its function has before it. */
static uint32_t *call_orders(const struct syntax *tree, struct arena *arena)
{
    uint32_t *orders = arena_array(arena, tree->count, sizeof *orders);
    struct intern *names = intern_new();
    struct map counts = {0};
    for (uint32_t node = 0; node < tree->count; node++) {
        if (tree->kind[node] != SYN_CALL)
            continue;
        const uint32_t name = intern_id(names, syntax_tail(tree, syntax_first(tree, node)));
        const int64_t key = (int64_t)((uint64_t)syntax_function(tree, node) << 32 | name);
        const uint32_t before = map_get(&counts, key);
        orders[node] = before == MAP_NONE ? 0 : before;
        map_put(&counts, key, orders[node] + 1);
    }
    map_free(&counts);
    intern_free(names);
    return orders;
}

static void number_builtins(const struct syntax *tree, struct found *found)
{
    struct arena scratch = {0};
    const uint32_t *orders = NULL;
    for (size_t i = 0; i < found->count; i++) {
        struct match *match = &found->at[i];
        const uint32_t call = match->builtin.len ? builtin_call(tree, match) : SYNTAX_NONE;
        if (call == SYNTAX_NONE)
            continue;
        if (!orders)
            orders = call_orders(tree, &scratch);
        match->order = orders[call];
    }
    arena_free(&scratch);
}

/* ---- one upload, several rules ---- */

static bool yields(const struct rule *rule, const struct rule *other)
{
    for (uint32_t i = 0; i < RULE_YIELDS && rule->yields_to[i]; i++)
        if (strcmp(rule->yields_to[i], other->id) == 0)
            return true;
    return false;
}

/* It tells what there is to tell of the copy, also where that is that there is nothing to gain. */
static bool speaks_of_copy(const struct match *match)
{
    return match->upload && !match->rule->yields_to[0] && !match->broken[LINK_PACE].why &&
           !match->broken[LINK_DEVICE].why;
}

/* Matches of uploads by their call: that of a rule which yields to no other is the one that counts. */
static void yield_to_others(const struct check *check, struct found *found)
{
    struct map told = {0};
    for (uint32_t i = 0; i < found->count; i++)
        if (speaks_of_copy(&found->at[i]))
            map_put(&told, found->at[i].upload, i);
    for (uint32_t i = 0; i < found->count; i++) {
        struct match *match = &found->at[i];
        const uint32_t other = match->upload && match->rule->yields_to[0] ? map_get(&told, match->upload) : MAP_NONE;
        if (other == MAP_NONE || !yields(match->rule, found->at[other].rule))
            continue;
        match->yields = !match->broken[LINK_GAIN].why;
        match_break(match, LINK_GAIN, "another finding tells what to do about this copy",
                    (struct site){match->file, found->at[other].node});
        proof_weigh(check, match);
    }
    map_free(&told);
}

/* ---- the walk ---- */

static int by_place(const void *a, const void *b)
{
    const struct match *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return strcmp(x->rule->id, y->rule->id);
}

/* A rule that reaches a place along two ways tells of it once. */
static size_t drop_repeats(struct match *matches, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!kept || by_place(&matches[kept - 1], &matches[i]))
            matches[kept++] = matches[i];
    return kept;
}

static struct matches keep(struct found *found, struct arena *arena)
{
    if (found->count)
        qsort(found->at, found->count, sizeof *found->at, by_place);
    const size_t count = drop_repeats(found->at, found->count);
    struct matches matches = {arena_array(arena, count, sizeof *matches.at), (uint32_t)count};
    if (count)
        memcpy(matches.at, found->at, count * sizeof *matches.at);
    mem_free(found->at);
    return matches;
}

static bool try_alone(const struct check *check, const struct rule *rule, uint32_t node, struct match *match)
{
    *match = (struct match){.rule = rule, .file = check->file, .node = node, .fix = rule->fix_kind};
    if (!query_asks(&rule->query, check->tree, node) || !rule->check(check, node, match))
        return false;
    settle(check->tree, match);
    proof_weigh(check, match);
    each_evaluates_break(check, match);
    return twice_waits_at(match) == node && !match->broken[LINK_DEVICE].why;
}

static enum drain_says ask_rules(const struct check *check, uint32_t node)
{
    enum drain_says says = RULES_SILENT;
    struct match match;
    for (uint32_t i = 0; rules[i] && says != RULES_WARN; i++)
        if (try_alone(check, rules[i], node, &match))
            says = match.level == LEVEL_NOTE ? RULES_NOTE : RULES_WARN;
    return says;
}

struct matches rules_check(const struct check *check, uint64_t mask)
{
    struct dispatch dispatch = {0};
    for (uint32_t i = 0; rules[i]; i++)
        dispatch_rule(&dispatch, rules[i], UINT64_C(1) << i & mask);
    struct found found = {0};
    for (uint32_t node = 0; node < check->tree->count; node++)
        for (uint64_t left = dispatch_node(&dispatch, check->tree, node); left; left &= left - 1)
            try_rule(check, rules[__builtin_ctzll(left)], node, &found);
    number_builtins(check->tree, &found);
    yield_to_others(check, &found);
    const struct matches matches = keep(&found, check->arena);
    twice_break(check, matches.at, matches.count);
    dry_break(check, matches.at, matches.count);
    ahead_break(check, matches.at, matches.count, ask_rules);
    idle_copy_break(check, matches.at, matches.count);
    for (uint32_t i = 0; i < matches.count; i++)
        proof_show(check, &matches.at[i]);
    causes_join(check, matches);
    return matches;
}

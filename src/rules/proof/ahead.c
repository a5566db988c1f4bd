/* SPDX-License-Identifier: Apache-2.0 */
#include "ahead.h"

#include "base/map.h"
#include "base/mem.h"
#include "drain_walk.h"
#include "dry.h"
#include "each_evaluates.h"
#include "idle_copy.h"
#include "rules/waits/read_back.h"
#include "rules/uploads/upload.h"
#include "twice.h"

enum { MOST_NODES = 20000 }; /* of a step, its functions as often as they are called */

struct aheads {
    const struct check *check;
    struct match *matches;
    drain_asks *asks;
    struct map at_node; /* nodes that wait; to their match */
    struct map orders;  /* loops and functions that were gone through; to their row below */
    struct drain_order *of;
    size_t count, room;
};

/* ---- going through a step ---- */

static const struct limit long_step = {
    "step-order",
    "a step has more than 20,000 nodes with the functions that it calls, 64 waits, 8 calls in one another, or loops with "
    "waits in more than 6 blocks; what the host comes to behind the last of them is not looked at"};

/* The first call on the way whose name does not say that it calls what is looked at: the function; SYNTAX_NONE. */
static uint32_t entered_by(const struct project *project, const struct each_way *way)
{
    for (uint32_t i = 0; i < way->count; i++)
        if (name_target(project, way->calls[i]) != way->functions[i])
            return way->functions[i];
    return SYNTAX_NONE;
}

static void take_entries(const struct project *project, const struct each_way *way, struct drain_order *order)
{
    for (uint32_t i = 0; i < way->count && order->entry_count < DRAIN_MOST_ENTRIES; i++)
        if (name_target(project, way->calls[i]) != way->functions[i])
            order->entries[order->entry_count++] = (struct drain_entry){way->calls[i], way->functions[i]};
}

static struct drain_order go_through(const struct aheads *aheads, struct site root, const struct each_way *way)
{
    const struct check *check = aheads->check;
    const struct syntax *tree = project_tree(check->project, root.file);
    struct drain_memo memo = {0};
    struct drain_order order = {
        .left = MOST_NODES, .waits = &aheads->at_node, .file = check->file, .asks = aheads->asks};
    take_entries(check->project, way, &order);
    struct drain_walk walk = {.check = {check->project, root.file, tree, check->arena},
                              .memo = &memo,
                              .order = &order,
                              .function = project_function_at(check->project, root)};
    struct drain_state state = drain_since_head(root.node);
    if (tree->kind[root.node] == SYN_FOR || tree->kind[root.node] == SYN_WHILE) {
        state = drain_round(&walk, root.node, state);
        order.again = true;
        drain_round(&walk, root.node, state);
    } else {
        state = drain_through(&walk, root.node, state);
        drain_launch(&walk, &state); /* what is behind is not known */
    }
    if (!order.left || order.full || order.deep)
        project_limit(check->project, &long_step, root);
    map_free(&memo.of_function);
    mem_free(memo.ends);
    return order;
}

/* Valid until the next call. */
static const struct drain_order *order_of(struct aheads *aheads, struct site root, const struct each_way *way)
{
    const uint32_t entered = entered_by(aheads->check->project, way);
    const int64_t key =
        entered == SYNTAX_NONE ? (int64_t)((uint64_t)root.file << 32 | root.node) : -1 - (int64_t)entered;
    const uint32_t known = map_get(&aheads->orders, key);
    if (known != MAP_NONE)
        return &aheads->of[known];
    aheads->of = mem_grow(aheads->of, &aheads->room, aheads->count + 1, sizeof *aheads->of);
    aheads->of[aheads->count] = go_through(aheads, root, way);
    map_put(&aheads->orders, key, (uint32_t)aheads->count);
    return &aheads->of[aheads->count++];
}

/* ---- places ---- */

static bool is_site(struct site a, struct site b)
{
    return a.file == b.file && a.node == b.node;
}

static uint32_t place_of(const struct drain_order *order, struct site at)
{
    for (uint32_t i = 0; i < order->count; i++)
        if (is_site(order->at[i], at))
            return i;
    return UINT32_MAX;
}

/* ---- which of them stay ---- */

static bool is_whole(const struct match *match)
{
    return !match->broken[LINK_DEVICE].why && !match->broken[LINK_PACE].why && !match->broken[LINK_GAIN].why;
}

enum standing {
    STAYS,    /* nobody is told to remove it */
    GOES,     /* a warning says how */
    GOES_WITH /* with another one */
};

static enum standing standing_of(const struct aheads *aheads, struct site at)
{
    const struct check *check = aheads->check;
    if (at.file != check->file) {
        const struct check there = {check->project, at.file, project_tree(check->project, at.file), check->arena};
        return aheads->asks(&there, at.node) == RULES_WARN ? GOES : STAYS;
    }
    const uint32_t i = map_get(&aheads->at_node, at.node);
    if (i == MAP_NONE && read_back_of(check, at.node) == READ_SCATTERED)
        return GOES_WITH; /* the first read of its statement */
    if (i == MAP_NONE)
        return aheads->asks(check, at.node) == RULES_WARN ? GOES : STAYS;
    const struct match *match = &aheads->matches[i];
    if (match->joined_to)
        return GOES_WITH;
    if (is_whole(match) || match->broken[LINK_PACE].why)
        return GOES;
    return dry_is(match) ? GOES : STAYS; /* without the wait asked about the host would load meanwhile */
}

static bool copies_batch(const struct check *check, uint32_t node)
{
    const struct upload upload = upload_of(check, node);
    return upload.is && upload_is_batch(check, &upload);
}

/* Behind the copy of a batch: what copies the rest of it goes with it, and all else is a matter of its own. */
static enum standing standing_behind_copy(const struct aheads *aheads, struct site at)
{
    const struct check *check = aheads->check;
    const struct check there = {check->project, at.file, project_tree(check->project, at.file), check->arena};
    return copies_batch(&there, at.node) ? GOES_WITH : STAYS;
}

/* The first wait that stays where all that the host comes to next do, itself or behind others that go; site_none. */
static struct site stays_behind(const struct aheads *aheads, const struct drain_order *order, uint32_t from,
                                enum standing (*of)(const struct aheads *aheads, struct site at))
{
    struct site found = site_none;
    uint64_t seen = UINT64_C(1) << from, left = seen;
    while (left) {
        const uint32_t i = (uint32_t)__builtin_ctzll(left);
        left &= left - 1;
        if (order->launches >> i & 1)
            return site_none;
        for (uint64_t next = order->next[i] & ~seen; next; next &= next - 1) {
            const uint32_t n = (uint32_t)__builtin_ctzll(next);
            const enum standing standing = of(aheads, order->at[n]);
            if (standing == GOES)
                return site_none;
            seen |= UINT64_C(1) << n;
            if (standing == GOES_WITH)
                left |= UINT64_C(1) << n;
            else if (site_is_none(found))
                found = order->at[n];
        }
    }
    return found;
}

/* ---- the waits of a file ---- */

static void look_ahead(struct aheads *aheads, struct match *match)
{
    const struct check *check = aheads->check;
    const bool copies = !twice_costs_the_wait_alone(match);
    const struct site at = check_site(check, twice_waits_at(match));
    const struct each_way none = {0};
    struct each_way way;
    const struct site loop = each_way_to(check, match->runs_at ? check_site(check, match->runs_at) : at, &way);
    const struct drain_order *order = site_is_none(loop) ? NULL : order_of(aheads, loop, &way);
    if (!order || place_of(order, at) == UINT32_MAX) {
        if (!syntax_is(check->tree, match->function, SYN_FUNCTION))
            return;
        order = order_of(aheads, check_site(check, match->function), &none);
    }
    const uint32_t place = place_of(order, at);
    const struct site stays = place == UINT32_MAX
                                  ? site_none
                                  : stays_behind(aheads, order, place, copies ? standing_behind_copy : standing_of);
    if (!site_is_none(stays))
        match_break_by_order(
            match,
            copies ? "the host waits here right behind the copy, with next to nothing launched between: it pays "
                     "once that wait is gone"
                   : "the host waits here next, before it has launched more than next to nothing",
            stays);
}

/* Of several of one node the one that can go. */
static void put_wait(struct aheads *aheads, uint32_t i)
{
    const struct match *match = &aheads->matches[i];
    const uint32_t node = twice_waits_at(match);
    if (node == SYNTAX_NONE || match->broken[LINK_DEVICE].why)
        return;
    if (is_whole(match) || dry_is(match) || map_get(&aheads->at_node, node) == MAP_NONE)
        map_put(&aheads->at_node, node, i);
}

void ahead_break(const struct check *check, struct match *matches, uint32_t count, drain_asks *asks)
{
    struct aheads aheads = {.check = check, .matches = matches, .asks = asks};
    for (uint32_t i = 0; i < count; i++)
        put_wait(&aheads, i);
    for (uint32_t i = 0; i < count; i++)
        if ((twice_costs_the_wait_alone(&matches[i]) || (idle_copy_is(&matches[i]) && !matches[i].joined_count)) &&
            is_whole(&matches[i]))
            look_ahead(&aheads, &matches[i]);
    map_free(&aheads.at_node);
    map_free(&aheads.orders);
    mem_free(aheads.of);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 *     history.append(loss.item())     waits for the whole step
 *     history.append(hits.item())     has been waited for: the device was given next to nothing in between (drain.h)
 *
 * Where the first can go, both are to be mended together, and the first speaks for both. Where one of them has to
 * stay, the other gains nothing.
 */
#include "twice.h"

#include <stdlib.h>

#include "base/map.h"
#include "drain.h"
#include "rules/uploads/number.h"

/* ---- where they stand ---- */

static bool is_wait(const struct match *match)
{
    static const char rules[] = "ST401 ST402 ST403 ST404 ST405 ST406 ST407 ST408 ST409 ST606";
    const bool frees = str_eq(match->builtin, S("empty_cache")); /* what it costs is not the wait alone */
    return str_is_among(rules, str_of(match->rule->id)) && !match->of_run && !frees;
}

bool twice_costs_the_wait_alone(const struct match *match)
{
    return is_wait(match) && str_is_among("ST401 ST402 ST403 ST406 ST407 ST409 ST606", str_of(match->rule->id));
}

static bool are_siblings(const struct check *check, const struct match *a, const struct match *b)
{
    const uint32_t x = syntax_statement(check->tree, a->node), y = syntax_statement(check->tree, b->node);
    return check->tree->parent[x] == check->tree->parent[y];
}

/* The first speaks for both, and for those that it speaks for already. */
static void join(const struct check *check, struct match *first, struct match *second)
{
    match_break_by_order(
        second, "the wait before it has emptied the device, and next to nothing was launched since: mend both together",
        check_site(check, first->node));
    match_join(check->arena, first, second);
}

/* Which of the two stands for both from here on. */
static struct match *settle(const struct check *check, struct match *first, struct match *second)
{
    static const char *const because =
        "a wait that is made anyway stands beside it, with next to nothing launched between";
    const bool stays = second->broken[LINK_GAIN].why && !second->broken[LINK_PACE].why;
    if (!first->broken[LINK_GAIN].why && stays && twice_costs_the_wait_alone(first) &&
        are_siblings(check, first, second)) {
        match_break_by_order(first, because, check_site(check, second->node));
        return second;
    }
    if (first->broken[LINK_GAIN].why)
        match_break_by_order(second, because, check_site(check, first->node));
    else
        join(check, first, second);
    return first;
}

/* `i = rows.cpu()`, `j = columns.cpu()`: what is done about the copies is done to all of a kind at once. */
static bool are_one_cause(const struct check *check, const struct match *first, const struct match *second)
{
    const bool whole = !first->broken[LINK_GAIN].why && !first->broken[LINK_PACE].why &&
                       !second->broken[LINK_GAIN].why && !second->broken[LINK_PACE].why;
    return whole && str_eq(str_of(second->rule->id), S("ST408")) && first->rule == second->rule &&
           are_siblings(check, first, second);
}

/* `{'loss': loss.item(), 'hits': (x > 0).sum().item()}`: one after the other, whatever is launched between. */
static bool are_of_one_statement(const struct check *check, const struct match *first, const struct match *second)
{
    return first->rule == second->rule && str_eq(str_of(first->rule->id), S("ST409")) &&
           syntax_statement(check->tree, first->node) == syntax_statement(check->tree, second->node);
}

static void join_in_statement(const struct check *check, struct match *first, struct match *second)
{
    match_break(second, LINK_GAIN, "the same statement reads another value before it: mend both together",
                check_site(check, first->node));
    match_join(check->arena, first, second);
}

/* ---- what is free ---- */

/* A number that is uploaded: four bytes, and the wait. */
static bool is_small_copy(const struct check *check, const struct match *match)
{
    return str_eq(str_of(match->rule->id), S("ST601")) && number_uploaded(check, match->node) != SYNTAX_NONE;
}

/*
 * Of an empty device it takes as long as the copy of what is read: a row or a batch of numbers. Behind an upload it may be
 * the way back of what was on the host, and both can go.
 */
static bool is_copy_back(const struct check *check, const struct match *match, struct site wait)
{
    return str_is_among("ST404 ST408", str_of(match->rule->id)) && value_move(check->project, wait).move != MOVE_UPLOAD;
}

/* A wait that no finding tells of: of a function that is called, of a copy of a few numbers. */
static void break_behind(struct match *match, struct site wait)
{
    match_break_by_order(match, "the wait before it has emptied the device, and next to nothing was launched since",
                         wait);
}

/* What a finding tells of it already; NULL. */
static struct match *match_of(struct match *matches, const struct map *of_node, const struct match *match,
                              const struct drain *drain)
{
    const uint32_t i = drain->wait.file == match->file ? map_get(of_node, drain->wait.node) : MAP_NONE;
    return i == MAP_NONE ? NULL : &matches[i];
}

/* A note about a copy speaks for no other. */
static bool speaks_for(const struct match *match)
{
    return !match->upload || match->level != LEVEL_NOTE;
}

uint32_t twice_waits_at(const struct match *match)
{
    if (is_wait(match) || (str_eq(str_of(match->rule->id), S("ST410")) && !match->of_run && !match->shown_later))
        return match->node;
    return match->upload ? match->upload : SYNTAX_NONE;
}

struct row {
    uint32_t match, function;
    struct drain drain;
};

static int as_evaluated(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    if (x->drain.order != y->drain.order)
        return x->drain.order < y->drain.order ? -1 : 1;
    return x->match < y->match ? -1 : x->match > y->match;
}

/* `first`: of each match the one that speaks for it; those evaluated before have theirs. */
static void look_behind(const struct check *check, struct match *matches, struct match **first,
                        const struct map *of_node, const struct row *row)
{
    const uint32_t i = row->match;
    struct match *match = &matches[i], *wait = match_of(matches, of_node, match, &row->drain);
    const bool free =
        twice_costs_the_wait_alone(match) || is_small_copy(check, match) || is_copy_back(check, match, row->drain.wait);
    if (wait == match || (wait && wait->broken[LINK_PACE].why && !match->broken[LINK_PACE].why))
        return;
    if (wait) {
        struct match *speaks = first[wait - matches];
        if (free)
            first[i] = settle(check, speaks, match);
        else if (are_one_cause(check, speaks, match))
            join(check, first[i] = speaks, match);
    } else if (free) {
        break_behind(match, row->drain.wait);
    }
}

void twice_break(const struct check *check, struct match *matches, uint32_t count)
{
    struct map of_node = {0};
    struct match **first = arena_array(check->arena, count, sizeof *first);
    struct row *rows = arena_array(check->arena, count, sizeof *rows);
    struct drains *drains = NULL;
    uint32_t row_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        first[i] = &matches[i];
        if (speaks_for(&matches[i]) && twice_waits_at(&matches[i]) != SYNTAX_NONE)
            map_put(&of_node, twice_waits_at(&matches[i]), i);
        if (!is_wait(&matches[i]) && !is_small_copy(check, &matches[i]))
            continue;
        if (!drains)
            drains = drains_new(check, matches, count);
        rows[row_count++] = (struct row){i, matches[i].function, drain_before(drains, i)};
    }
    if (row_count)
        qsort(rows, row_count, sizeof *rows, as_evaluated);
    const struct match *before = NULL; /* the last read */
    for (uint32_t i = 0; i < row_count; i++) {
        struct match *match = &matches[rows[i].match];
        if (rows[i].drain.is)
            look_behind(check, matches, first, &of_node, &rows[i]);
        if (before && first[match - matches] == match && are_of_one_statement(check, before, match)) {
            first[match - matches] = first[before - matches];
            join_in_statement(check, first[before - matches], match);
        }
        before = match;
    }
    if (drains)
        drains_free(drains);
    map_free(&of_node);
}

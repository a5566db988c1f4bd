/* SPDX-License-Identifier: Apache-2.0 */
/*
 *     history.append(loss.item())     waits for the whole step
 *     history.append(hits.item())     has been waited for: the device was given nothing in between
 *
 * Where the first can go, both are to be mended together, and the first speaks for both. Where one of them has to
 * stay, the other gains nothing.
 */
#include "twice.h"

#include "base/map.h"
#include "launch.h"

/* From a place of the function to a wait, its operands included; what it is an operand of runs behind it. */
static bool only_host_between(const struct check *check, uint32_t from, uint32_t wait)
{
    for (uint32_t node = from; node < syntax_last(check->tree, wait); node++) {
        if (syntax_is(check->tree, node, SYN_RAISE)) { /* behind it nothing runs */
            node = syntax_last(check->tree, node) - 1;
            continue;
        }
        if (launch_possible(check, node) && (node == wait || !syntax_inside(check->tree, wait, node)))
            return false;
    }
    return true;
}

/* ---- where they stand ---- */

static bool is_wait(const struct match *match)
{
    static const char rules[] = "ST401 ST402 ST403 ST404 ST405 ST408 ST409 ST606";
    const bool frees = str_eq(match->builtin, S("empty_cache")); /* what it costs is not the wait alone */
    return str_is_among(rules, str_of(match->rule->id)) && !match->of_run && !frees;
}

/* All that it costs is the wait: no copy of a whole tensor, and nothing that is best deleted. */
static bool costs_the_wait_alone(const struct match *match)
{
    return str_is_among("ST401 ST402 ST403 ST409 ST606", str_of(match->rule->id));
}

/* Whether the later one runs only where the earlier one has run in the same round. */
static bool leads_to(const struct check *check, const struct match *first, const struct match *second)
{
    const uint32_t statement = syntax_statement(check->tree, first->node);
    const uint32_t around = check->tree->parent[statement];
    return syntax_inside(check->tree, second->node, around) &&
           context_of(check->project, check_site(check, first->node)).loop ==
               context_of(check->project, check_site(check, second->node)).loop;
}

static bool are_siblings(const struct check *check, const struct match *a, const struct match *b)
{
    const uint32_t x = syntax_statement(check->tree, a->node), y = syntax_statement(check->tree, b->node);
    return check->tree->parent[x] == check->tree->parent[y];
}

/* The first speaks for both, and for those that it speaks for already. */
static void join(const struct check *check, struct match *first, struct match *second)
{
    match_break(second, LINK_GAIN,
                "the wait before it has emptied the device, with only the host's work between: mend both together",
                check_site(check, first->node));
    match_join(check->arena, first, second->node);
}

/* Which of the two stands for both from here on. */
static struct match *settle(const struct check *check, struct match *first, struct match *second)
{
    static const char *const because = "a wait that is made anyway stands beside it, with only the host's work between";
    const bool stays = second->broken[LINK_GAIN].why && !second->broken[LINK_PACE].why;
    if (!first->broken[LINK_GAIN].why && stays && costs_the_wait_alone(first) && are_siblings(check, first, second)) {
        match_break(first, LINK_GAIN, because, check_site(check, second->node));
        return second;
    }
    if (first->broken[LINK_GAIN].why)
        match_break(second, LINK_GAIN, because, check_site(check, first->node));
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

/* A wait, and the one that stands for it. */
struct row {
    struct match *first;
    uint32_t end;
    uint32_t before; /* the wait before it in its function; MAP_NONE */
};

/* The nearest wait before it that has run whenever it runs; MAP_NONE. Others between, in ifs and loops, launch nothing. */
static uint32_t waited_before(const struct check *check, const struct row *rows, uint32_t before,
                              const struct match *match)
{
    enum { LOOKED_BACK = 8 };
    const uint32_t end = syntax_last(check->tree, match->node);
    for (int i = 0; i < LOOKED_BACK && before != MAP_NONE; i++, before = rows[before].before) {
        const struct match *first = rows[before].first;
        if (first->node == match->node || rows[before].end > end)
            return MAP_NONE;
        if (leads_to(check, first, match))
            return only_host_between(check, rows[before].end, match->node) ? before : MAP_NONE;
    }
    return MAP_NONE;
}

void twice_break(const struct check *check, struct match *matches, uint32_t count)
{
    struct map of_function = {0};
    struct row *rows = arena_array(check->arena, count, sizeof *rows);
    for (uint32_t i = 0; i < count; i++) {
        struct match *match = &matches[i];
        if (!is_wait(match))
            continue;
        const uint32_t last = map_get(&of_function, match->function);
        rows[i] = (struct row){match, syntax_last(check->tree, match->node), last};
        map_put(&of_function, match->function, i);
        const uint32_t before = waited_before(check, rows, last, match);
        if (before == MAP_NONE)
            continue;
        if (costs_the_wait_alone(match))
            rows[i].first = settle(check, rows[before].first, match);
        else if (are_one_cause(check, rows[before].first, match))
            join(check, rows[before].first, match);
    }
    map_free(&of_function);
}

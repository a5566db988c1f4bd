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
#include "rules/ask/read_back.h"
#include "source/known/known_words.h"

/* ---- does the device get work there ---- */

static bool is_on_device(const struct check *check, uint32_t node)
{
    const struct value *value = ask_value(check, node);
    return value->device == DEVICE_GPU && (value->kind == VALUE_TENSOR || value->kind == VALUE_UNKNOWN);
}

static bool is_host_value(const struct value *value)
{
    switch (value->kind) {
    case VALUE_INT:
    case VALUE_FLOAT:
    case VALUE_BOOL:
    case VALUE_STR:
    case VALUE_NONE:
    case VALUE_ARRAY:
        return true;
    default:
        return false;
    }
}

/* No argument lies on the device; `all_host`: each is known to be a thing of the host, and there is one. */
static bool takes_nothing_there(const struct check *check, uint32_t call, bool *all_host)
{
    const uint32_t list = syntax_child(check->tree, call, 1);
    *all_host = syntax_first(check->tree, list) != SYNTAX_NONE;
    for (uint32_t a = syntax_first(check->tree, list); a != SYNTAX_NONE; a = syntax_next(check->tree, a)) {
        const uint32_t given = syntax_is(check->tree, a, SYN_KEYWORD) ? syntax_child(check->tree, a, 1) : a;
        if (is_on_device(check, given))
            return false;
        *all_host &= is_host_value(ask_value(check, given));
    }
    return true;
}

/* Calls that give the device nothing to do: of libraries for the host, of things that keep or show, the reads themselves. */
static bool is_host_call(const struct check *check, uint32_t call)
{
    static const char methods[] =
        "append extend update add add_scalar add_scalars log info debug warning print write set_postfix "
        "set_postfix_str set_description train eval zero_grad time perf_counter format join keys values items get "
        "get_last_lr state_dict len size dim numel cpu item tolist numpy detach";
    static const char *const modules[] = {"time.", "logging.", "numpy.", "math.", "os.", "sys.", "tqdm."};
    const struct site site = check_site(check, call);
    bool all_host;
    if (read_back_what(check, call) != SYNTAX_NONE || ask_step(check, call) != call ||
        known_word(WORDS_WITHOUT_GRADIENTS, name_of(check->project, site)))
        return true;
    const struct value *made = ask_value(check, call);
    if (is_on_device(check, call) || made->kind == VALUE_MODULE || !takes_nothing_there(check, call, &all_host))
        return false;
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        if (name_under(check->project, site, modules[i]))
            return true;
    const bool own = name_target(check->project, site) != SYNTAX_NONE;
    const struct value *object = ask_value(check, ask_receiver(check, call));
    if (own || is_on_device(check, ask_receiver(check, call)))
        return false;
    return all_host || object->kind == VALUE_SCHEDULER || is_host_value(made) ||
           str_is_among(methods, ask_tail(check, call));
}

/* Arithmetic on one number of the device: a kernel of microseconds. */
static bool is_small(const struct check *check, uint32_t node)
{
    return !is_on_device(check, node) || ask_value(check, node)->rank == RANK_0;
}

static bool gives_work(const struct check *check, uint32_t node)
{
    switch (check->tree->kind[node]) {
    case SYN_CALL:
        return !is_host_call(check, node);
    case SYN_BINARY:
    case SYN_UNARY:
    case SYN_COMPARE:
    case SYN_AUG_ASSIGN:
        return !is_small(check, node) || !is_small(check, syntax_first(check->tree, node)) ||
               !is_small(check, syntax_last_child(check->tree, node));
    case SYN_SUBSCRIPT:
        return is_on_device(check, node) && is_on_device(check, syntax_child(check->tree, node, 1));
    case SYN_FOR: /* what stands in loops may be anything, and often */
    case SYN_WHILE:
    case SYN_FUNCTION:
    case SYN_YIELD:
    case SYN_AWAIT:
        return true;
    default:
        return false;
    }
}

/* From a place of the function to a wait, its operands included; what it is an operand of runs behind it. */
static bool only_host_between(const struct check *check, uint32_t from, uint32_t wait)
{
    for (uint32_t node = from; node < syntax_last(check->tree, wait); node++)
        if (gives_work(check, node) && (node == wait || !syntax_inside(check->tree, wait, node)))
            return false;
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
    if (first->joined_count < MATCH_JOINED)
        first->joined[first->joined_count] = second->node;
    first->joined_count++;
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

/* The last wait of a function, and the one that stands for it. */
struct row {
    struct match *first;
    uint32_t end;
};

void twice_break(const struct check *check, struct match *matches, uint32_t count)
{
    struct map of_function = {0};
    struct row *rows = arena_array(check->arena, count, sizeof *rows);
    for (uint32_t i = 0; i < count; i++) {
        struct match *match = &matches[i];
        if (!is_wait(match))
            continue;
        const uint32_t before = map_get(&of_function, match->function);
        const uint32_t end = syntax_last(check->tree, match->node);
        rows[i] = (struct row){match, end};
        map_put(&of_function, match->function, i);
        if (before == MAP_NONE || rows[before].first->node == match->node || rows[before].end > end ||
            !leads_to(check, rows[before].first, match) || !only_host_between(check, rows[before].end, match->node))
            continue;
        if (costs_the_wait_alone(match))
            rows[i].first = settle(check, rows[before].first, match);
    }
    map_free(&of_function);
}

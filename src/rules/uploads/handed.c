/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A batch need not come from a loader that the run makes: `for batch in stream`, `batch = next(batches)`,
 * `data.next_batch()`, or a caller who has it from there. Of such a thing nothing is known but that it is another one
 * each step, so only what the program moves by name is taken for data that lies on the host.
 */
#include "handed.h"

#include "source/known/known.h"
#include "source/known/known_words.h"

enum { MOST_HOPS = 16, MOST_PLACES = 256 };

static bool handed(const struct check *check, uint32_t node, int hops, uint32_t *left);

static bool is_open(const struct check *check, uint32_t node)
{
    const struct value *value = ask_value(check, node);
    const bool open = value->kind == VALUE_UNKNOWN || (value->kind == VALUE_DICT && !value->items);
    return open && value->device == DEVICE_UNKNOWN;
}

/* Of `batch["x"].float()`, `batch.x` the batch. */
static uint32_t whole_of(const struct check *check, uint32_t node)
{
    for (;;) {
        const uint32_t root = ask_root(check, node);
        node = syntax_is(check->tree, root, SYN_ATTRIBUTE) && !ask_own_attribute(check->tree, root)
                   ? syntax_first(check->tree, root)
                   : root;
        if (node == root)
            return node;
    }
}

static bool in_step(const struct check *check, uint32_t node)
{
    const struct context context = context_of(check->project, check_site(check, node));
    return context.pace == PACE_STEP && !context.inner;
}

static bool lies_there(const struct check *check, uint32_t node)
{
    return value_on_gpu(ask_value(check, node));
}

/* `for batch in stream:` around the steps: not over epochs, nor over parts of a step, nor over what lies there already. */
static bool goes_over_steps(const struct check *check, const struct definition *definition)
{
    return syntax_is(check->tree, definition->statement, SYN_FOR) &&
           context_loop(check->project, check_site(check, definition->statement)) == LOOP_STEP &&
           !ask_any(check, definition->value, lies_there);
}

/* `x, y = data.next_batch()`: code outside of the run gives another batch; not one of what lies there already. */
static bool draws_batch(const struct check *check, uint32_t call)
{
    const uint32_t receiver = ask_receiver(check, call);
    const bool plain = receiver == SYNTAX_NONE || syntax_is(check->tree, receiver, SYN_NAME) ||
                       ask_own_attribute(check->tree, receiver);
    return plain && known_word(WORDS_DRAW, ask_tail(check, call)) &&
           name_target(check->project, check_site(check, call)) == SYNTAX_NONE && !ask_any(check, call, lies_there);
}

/* `next(batches)` */
static bool takes_next(const struct check *check, uint32_t call)
{
    return ask_named(check, call, "next") && !ask_any(check, syntax_child(check->tree, call, 1), lies_there);
}

/* A file that has a framework prepare its loaders: which of them it did is not known of what is not known. */
static bool has_loaders_prepared(const struct check *check)
{
    static const char *const calls[] = {"prepare", "prepare_data_loader", "setup_dataloaders"};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        uint32_t from = 0, call;
        while ((call = syntax_call_from(check->tree, str_of(calls[i]), &from, check->tree->count)) != SYNTAX_NONE)
            if (known_find(name_of(check->project, check_site(check, call))))
                return true;
    }
    return false;
}

/* What some caller gives in a step, where that is handed out there. */
static bool given_each_step(const struct check *check, const struct definition *definition, int hops, uint32_t *left)
{
    const struct project *project = check->project;
    const uint32_t function = project_function_at(project, check_site(check, definition->name));
    const uint32_t parameter = check->tree->parent[definition->name];
    uint32_t k = 0, count;
    while (k < SUMMARY_PARAMETERS && project_parameter(project, function, k) != parameter)
        k++;
    const struct site *callers = name_callers(project, function, &count);
    for (uint32_t i = 0; k < SUMMARY_PARAMETERS && i < count && *left; i++) {
        const struct check there = {project, callers[i].file, project_tree(project, callers[i].file), check->arena};
        const uint32_t given = name_argument(project, callers[i], k);
        if (given != SYNTAX_NONE && in_step(&there, callers[i].node) && handed(&there, given, hops, left))
            return true;
    }
    return false;
}

static bool is_too_far(const struct check *check, uint32_t node, int hops, uint32_t *left)
{
    static const struct limit far = {
        "handed", "what is moved to the device comes through more than 16 names and calls, or 256 places "
                  "in all; whether it is another batch each step is not known"};
    if (hops && *left) {
        --*left;
        return false;
    }
    check_limit(check, &far, node);
    return true;
}

static bool handed(const struct check *check, uint32_t node, int hops, uint32_t *left)
{
    node = whole_of(check, node);
    if (!is_open(check, node) || is_too_far(check, node, hops, left))
        return false;
    if (syntax_is(check->tree, node, SYN_CALL))
        return (draws_batch(check, node) || takes_next(check, node)) && in_step(check, node);
    const struct definition *definition =
        syntax_is(check->tree, node, SYN_NAME) ? flow_definition(check->project, check_site(check, node)) : NULL;
    if (!definition)
        return false;
    if (definition->kind == DEFINED_FOR)
        return goes_over_steps(check, definition);
    if (definition->kind == DEFINED_PARAMETER)
        return given_each_step(check, definition, hops - 1, left);
    return definition->kind == DEFINED_ASSIGN && definition->value != SYNTAX_NONE &&
           handed(check, definition->value, hops - 1, left);
}

bool handed_each_step(const struct check *check, uint32_t node)
{
    uint32_t left = MOST_PLACES;
    return node != SYNTAX_NONE && handed(check, node, MOST_HOPS, &left) &&
           !context_of(check->project, check_site(check, node)).inner && !has_loaders_prepared(check);
}

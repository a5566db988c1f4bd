/* SPDX-License-Identifier: Apache-2.0 */
#include "waited.h"

#include "read_back.h"

#include "source/known/frameworks.h"

/* ---- options of the run ---- */

static bool is_option_off(const struct check *check, struct site call, const char *option)
{
    const struct syntax *tree = project_tree(check->project, call.file);
    return syntax_is(tree, call.node, SYN_CALL) &&
           syntax_is(tree, syntax_argument(tree, call.node, UINT32_MAX, option), SYN_FALSE);
}

/* `Mine(args=off)` where `off = TrainingArguments(.., option=False)`. */
static bool is_made_without(const struct check *check, struct site call, const char *option)
{
    const struct syntax *tree = project_tree(check->project, call.file);
    const uint32_t arguments = syntax_child(tree, call.node, 1);
    for (uint32_t a = syntax_first(tree, arguments); a != SYNTAX_NONE; a = syntax_next(tree, a)) {
        uint32_t value = syntax_is(tree, a, SYN_KEYWORD) ? syntax_child(tree, a, 1) : a;
        if (syntax_is(tree, value, SYN_NAME)) {
            const struct definition *definition = flow_definition(check->project, (struct site){call.file, value});
            value = definition && definition->kind == DEFINED_ASSIGN ? definition->value : SYNTAX_NONE;
        }
        if (value != SYNTAX_NONE && is_option_off(check, (struct site){call.file, value}, option))
            return true;
    }
    return false;
}

/* Whether some object of the class is made with the option off. */
static bool is_off(const struct check *check, uint32_t class_id, const char *option)
{
    uint32_t at = SYNTAX_NONE;
    for (struct site call; call = context_made(check->project, class_id, &at), !site_is_none(call);)
        if (is_made_without(check, call, option))
            return true;
    return false;
}

/* Whether a method of the class gives `option`=True to a call. */
static bool is_used(const struct check *check, uint32_t class_id, const char *option)
{
    const struct class_info *class_info = project_class(check->project, class_id);
    const struct syntax *tree = project_tree(check->project, class_info->file);
    for (uint32_t node = class_info->node; node < syntax_last(tree, class_info->node); node++)
        if (tree->kind[node] == SYN_KEYWORD && str_eq(syntax_text(tree, node + 1), str_of(option)) &&
            syntax_is(tree, syntax_child(tree, node, 1), SYN_TRUE))
            return true;
    return false;
}

/* ---- where ---- */

/* Behind the call of the framework's own method: what stands before it is read before the step is launched. */
static bool is_behind_super(const struct check *check, uint32_t node, str method)
{
    const uint32_t function = syntax_function(check->tree, node);
    for (uint32_t at = function; at < node; at++)
        if (syntax_calls(check->tree, at, method) && syntax_calls(check->tree, ask_receiver(check, at), S("super")))
            return true;
    return false;
}

/* What the function gives is read in its return: nothing is launched after that. */
static bool returns_a_read(const struct check *check, uint32_t id)
{
    const struct function *function = project_function(check->project, id);
    const struct check there = {check->project, function->file, project_tree(check->project, function->file),
                                check->arena};
    for (uint32_t node = function->node; node < syntax_last(there.tree, function->node); node++)
        if (syntax_is(there.tree, syntax_statement(there.tree, node), SYN_RETURN) &&
            read_back_what(&there, node) != SYNTAX_NONE)
            return true;
    return false;
}

/* A handler of an engine whose step has just read; or what a step gives, where a progress bar shows it. */
static const char *waited_before(const struct check *check, uint32_t function, uint32_t node)
{
    const bool given = syntax_is(check->tree, syntax_statement(check->tree, node), SYN_RETURN);
    if (given && context_engine_shows(check->project, function))
        return "what is attached to the engine reads what the step gives";
    const uint32_t before = context_runs_behind(check->project, function);
    return before != SYNTAX_NONE && returns_a_read(check, before) ? "the step has read just before" : NULL;
}

const char *waited_anyway(const struct check *check, uint32_t node)
{
    const uint32_t f = project_function_at(check->project, check_site(check, node));
    const struct function *function = f == SYNTAX_NONE ? NULL : project_function(check->project, f);
    if (!function)
        return NULL;
    const char *before = waited_before(check, f, node);
    if (before || function->class_id == SYNTAX_NONE)
        return before;
    const struct contract *contract =
        frameworks_contract(project_class(check->project, function->class_id)->framework, function->name);
    bool waits = false;
    switch (contract ? contract->waited : WAITED_NOT) {
    case WAITED_NOT:
        break;
    case WAITED_ALWAYS:
        waits = true;
        break;
    case WAITED_UNLESS_OFF:
        waits = is_behind_super(check, node, function->name) && !is_off(check, function->class_id, contract->option);
        break;
    case WAITED_BY_SHOWN_BAR:
        waits = is_used(check, function->class_id, contract->option);
        break;
    }
    return waits ? contract->because : NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "staging_sample.h"

#include "source/known/known_words.h"

static bool is_of_sample(const struct staging_scope *scope, const struct definition *definition)
{
    const struct staging *staging = scope->staging;
    if (definition->kind == DEFINED_FOR && definition->statement == staging->loop)
        return true;
    const uint32_t at = definition->name;
    if (at >= scope->from && at < scope->to)
        return true;
    for (uint32_t i = 0; i < staging->count; i++)
        if (staging->stages[i] == STAGE_SAMPLE && syntax_inside(scope->check->tree, at, staging->statements[i]))
            return true;
    return false;
}

/* Modules, functions, classes, built-ins and constants of the module: the same at every time of the run. */
static bool never_changes(const struct check *check, uint32_t name)
{
    const struct value *value = ask_value(check, name);
    return value->kind == VALUE_IMPORT || value->kind == VALUE_FUNCTION || value->kind == VALUE_CLASS ||
           name_of(check->project, check_site(check, name)).len != 0;
}

bool staging_is_variable(const struct syntax *tree, uint32_t node)
{
    if (!syntax_is(tree, node, SYN_NAME))
        return false;
    const uint32_t parent = tree->parent[node];
    if (syntax_is(tree, parent, SYN_ATTRIBUTE))
        return syntax_first(tree, parent) == node;
    return !syntax_is(tree, parent, SYN_KEYWORD) || syntax_first(tree, parent) != node;
}

static bool name_is_of_sample(const struct staging_scope *scope, uint32_t name)
{
    const struct check *check = scope->check;
    if (flow_bound(check->project, check_site(check, name)))
        return name >= scope->from && name < scope->to;
    const struct definition *found[FLOW_MOST_DEFINITIONS];
    const uint32_t count = flow_definitions(check->project, check_site(check, name), found, FLOW_MOST_DEFINITIONS);
    if (count > FLOW_MOST_DEFINITIONS)
        return false;
    bool outside = count == 0;
    for (uint32_t i = 0; i < count; i++) {
        if (found[i]->kind == DEFINED_OUTSIDE || found[i]->kind == DEFINED_IMPORT || found[i]->kind == DEFINED_FUNCTION)
            outside = true;
        else if (!is_of_sample(scope, found[i]))
            return false;
    }
    return !outside || never_changes(check, name);
}

/* Whether all variables below the node are of the sample, those that it binds itself included. */
static bool names_are_of_sample(struct staging_scope scope, uint32_t node)
{
    const uint32_t last = syntax_last(scope.check->tree, node);
    const bool within = node >= scope.from && last <= scope.to;
    if (!within) {
        scope.from = node;
        scope.to = last;
    }
    for (uint32_t at = node; at < last; at++)
        if (staging_is_variable(scope.check->tree, at) && !name_is_of_sample(&scope, at))
            return false;
    return true;
}

bool staging_expression(const struct staging_scope *scope, uint32_t node)
{
    return names_are_of_sample(*scope, node) && flow_pure(scope->check->project, check_site(scope->check, node));
}

static bool is_fresh(const struct staging_scope *scope, uint32_t target);

/* x, (x, y), x[...] of an x that the first stage made itself. */
bool staging_target(const struct staging_scope *scope, uint32_t target)
{
    const struct syntax *tree = scope->check->tree;
    if (tree->kind[target] == SYN_NAME)
        return true;
    if (tree->kind[target] == SYN_TUPLE) {
        for (uint32_t at = syntax_first(tree, target); at != SYNTAX_NONE; at = syntax_next(tree, at))
            if (tree->kind[at] != SYN_NAME)
                return false;
        return true;
    }
    return tree->kind[target] == SYN_SUBSCRIPT && is_fresh(scope, target) && names_are_of_sample(*scope, target);
}

/* Whether what is changed was made in the first stage; the sample itself belongs to others. */
static bool is_fresh(const struct staging_scope *scope, uint32_t target)
{
    const struct check *check = scope->check;
    while (syntax_is(check->tree, target, SYN_SUBSCRIPT))
        target = syntax_first(check->tree, target);
    if (!syntax_is(check->tree, target, SYN_NAME) ||
        str_eq(syntax_text(check->tree, target), syntax_text(check->tree, scope->staging->sample)))
        return false;
    const struct value *value = ask_value(check, target);
    return value->kind == VALUE_ARRAY || value->kind == VALUE_LIST || value->kind == VALUE_DICT ||
           value->kind == VALUE_SET;
}

static bool block_is_of_sample(const struct staging_scope *scope, uint32_t block)
{
    const struct syntax *tree = scope->check->tree;
    for (uint32_t at = syntax_first(tree, block); at != SYNTAX_NONE; at = syntax_next(tree, at))
        if (!staging_statement(scope, at))
            return false;
    return true;
}

static bool assignment_is_of_sample(const struct staging_scope *scope, uint32_t statement)
{
    const struct syntax *tree = scope->check->tree;
    const uint32_t value = syntax_last_child(tree, statement);
    for (uint32_t at = syntax_first(tree, statement); at != value; at = syntax_next(tree, at))
        if (!staging_target(scope, at))
            return false;
    return staging_expression(scope, value);
}

/* x.append(v) and the like, of an x of the first stage. */
static bool change_is_of_sample(const struct staging_scope *scope, uint32_t statement)
{
    const struct check *check = scope->check;
    const uint32_t call = syntax_first(check->tree, statement), receiver = ask_receiver(check, call);
    if (receiver == SYNTAX_NONE || !is_fresh(scope, receiver) || !names_are_of_sample(*scope, statement))
        return false;
    const uint32_t arguments = syntax_child(check->tree, call, 1);
    for (uint32_t at = syntax_first(check->tree, arguments); at != SYNTAX_NONE; at = syntax_next(check->tree, at))
        if (!staging_expression(scope, at))
            return false;
    return known_word(WORDS_CHANGE_CONTAINER, ask_tail(check, call));
}

bool staging_statement(const struct staging_scope *scope, uint32_t statement)
{
    const struct syntax *tree = scope->check->tree;
    switch (tree->kind[statement]) {
    case SYN_ASSIGN:
        return assignment_is_of_sample(scope, statement);
    case SYN_AUG_ASSIGN:
        return staging_target(scope, syntax_first(tree, statement)) && names_are_of_sample(*scope, statement) &&
               staging_expression(scope, syntax_child(tree, statement, 1));
    case SYN_EXPR:
        return change_is_of_sample(scope, statement);
    case SYN_IF:
        for (uint32_t at = syntax_child(tree, statement, 1); at != SYNTAX_NONE; at = syntax_next(tree, at))
            if (tree->kind[at] != SYN_ABSENT &&
                !(tree->kind[at] == SYN_IF ? staging_statement(scope, at) : block_is_of_sample(scope, at)))
                return false;
        return staging_expression(scope, syntax_first(tree, statement));
    case SYN_FOR:
        return staging_target(scope, syntax_first(tree, statement)) &&
               staging_expression(scope, syntax_child(tree, statement, 1)) &&
               block_is_of_sample(scope, syntax_child(tree, statement, 2)) &&
               syntax_is(tree, syntax_child(tree, statement, 3), SYN_ABSENT);
    case SYN_BREAK:
    case SYN_CONTINUE:
    case SYN_PASS:
        return true;
    default:
        return false;
    }
}

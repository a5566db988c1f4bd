/* SPDX-License-Identifier: Apache-2.0 */
/* Behind a name: what binds it, what was put into it, and what callers give for a parameter. */
#include "walk.h"

#include "source/flow/asks.h"
#include "source/known/frameworks.h"
#include "source/known/known_words.h"

/* ---- parameters ---- */

static bool given_by_framework(struct walk *walk, struct site name, const struct function *function)
{
    const struct class_info *about =
        function->class_id == SYNTAX_NONE ? NULL : project_class(walk->chain->check->project, function->class_id);
    const struct contract *contract = about ? frameworks_contract(about->framework, function->name) : NULL;
    struct site made;
    if (!contract || frameworks_given(contract, syntax_text(walk_tree(walk, name), name.node)) == GIVEN_NOTHING ||
        context_driven(walk->chain->check->project, function->class_id, &made) == DRIVEN_NOT)
        return false;
    str rest = str_of(about->framework->bases), base = S("");
    str_cut(&rest, ' ', &base);
    return walk_end(walk, name,
                    str_printf(walk->chain->check->arena, "%.*s puts it on the device before it calls %.*s",
                               (int)base.len, base.at, (int)function->name.len, function->name.at));
}

/* What the call by which the walk has come here gives; it then goes on at the call. */
static bool given_by_entry(struct walk *walk, uint32_t k, struct part part)
{
    const struct entered entered = walk->inside[--walk->depth];
    const struct site given = {entered.call.file, name_argument(walk->chain->check->project, entered.call, k)};
    const bool found = walk_by(walk, entered.call, walk_quoted(walk, entered.call, "%.*s gives it"), given, part);
    walk->inside[walk->depth++] = entered;
    return found;
}

enum { MOST_CALLERS = 1024, MOST_PLACES = 256 }; /* MOST_PLACES: where one name stands */

/* What some caller gives; tests are asked last, and only by tests. */
static bool given_by_caller(struct walk *walk, uint32_t function, uint32_t k, struct part part)
{
    const struct project *project = walk->chain->check->project;
    const bool in_test = context_of(project, (struct site){walk->chain->check->file, 0}).in_test;
    uint32_t count;
    const struct site *callers = name_callers(project, function, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (i == MOST_CALLERS || walk->seen_count == WALK_STEPS)
            return walk_cut(walk);
        const struct site given = {callers[i].file, name_argument(project, callers[i], k)};
        if (!walk_may_lie(walk, given, part) || (!in_test && context_of(project, callers[i]).in_test))
            continue;
        if (walk_apart(walk, callers[i], walk_quoted(walk, callers[i], "%.*s gives it"), given, part))
            return true;
    }
    return false;
}

static bool behind_parameter(struct walk *walk, struct site use, const struct definition *definition, struct part part)
{
    const struct project *project = walk->chain->check->project;
    const struct site name = {use.file, definition->name};
    const uint32_t f = project_function_at(project, use), class_id = walk_class_around(walk, use);
    const uint32_t parameter = walk_tree(walk, use)->parent[definition->name];
    uint32_t k = 0;
    while (k < SUMMARY_PARAMETERS && project_parameter(project, f, k) != parameter)
        k++;
    if (k < SUMMARY_PARAMETERS && walk->depth && walk->inside[walk->depth - 1].function == f)
        return given_by_entry(walk, k, part);
    if (given_by_framework(walk, name, project_function(project, f)) ||
        (k < SUMMARY_PARAMETERS && given_by_caller(walk, f, k, part)))
        return true;
    if (class_id == SYNTAX_NONE || !project_class(project, class_id)->is_module)
        return false;
    const uint32_t places = walk->chain->count;
    chain_add(walk->chain, name, S("what a network on the device is given"));
    if (walk_network(walk, class_id, use))
        return true;
    walk->chain->count = places;
    return false;
}

/* ---- definitions ---- */

/* Which item of the value a name is that is bound to a part of it; the outermost. */
static uint32_t item_of_name(const struct syntax *tree, uint32_t name)
{
    uint32_t at = name, item = SYNTAX_NONE;
    bool behind_star = false;
    while (tree->kind[tree->parent[at]] == SYN_TUPLE || tree->kind[tree->parent[at]] == SYN_LIST ||
           tree->kind[tree->parent[at]] == SYN_STARRED) {
        const uint32_t holder = tree->parent[at];
        if (tree->kind[holder] == SYN_STARRED)
            return SYNTAX_NONE;
        item = 0;
        behind_star = false;
        for (uint32_t s = syntax_first(tree, holder); s != at; s = syntax_next(tree, s), item++)
            behind_star |= tree->kind[s] == SYN_STARRED;
        at = holder;
    }
    return behind_star ? SYNTAX_NONE : item;
}

/* for i, x in enumerate(xs), for a, b in zip(as, bs): the thing of which it is an item, and how. */
static bool behind_loop(struct walk *walk, struct site value, uint32_t item)
{
    const struct syntax *tree = walk_tree(walk, value);
    const bool counted = syntax_calls(tree, value.node, S("enumerate")),
               zipped = syntax_calls(tree, value.node, S("zip"));
    struct part part = {.item = item, .each = true};
    struct site from = value;
    if ((counted && item == 1) || (zipped && item != SYNTAX_NONE)) {
        from.node = syntax_argument(tree, value.node, counted ? 0 : item, NULL);
        part.item = SYNTAX_NONE;
    }
    return walk_by(walk, value, walk_quoted(walk, value, "an item of %.*s"), from, part);
}

static bool behind_definition(struct walk *walk, struct site use, const struct definition *definition, struct part part)
{
    const struct site statement = {use.file, definition->statement}, value = {use.file, definition->value};
    const uint32_t item = definition->unpacked ? item_of_name(walk_tree(walk, use), definition->name) : SYNTAX_NONE;
    if (definition->kind == DEFINED_PARAMETER)
        return behind_parameter(walk, use, definition, part);
    if (definition->value == SYNTAX_NONE)
        return false;
    if (definition->kind == DEFINED_FOR)
        return behind_loop(walk, value, item);
    if (definition->unpacked)
        part = item == SYNTAX_NONE ? part_whole : part_item(item);
    const str shown = chain_text(walk->chain, statement);
    if (definition->kind != DEFINED_AUGMENT)
        return walk_by(walk, statement, shown, value, part);
    /* total += loss, total /= count: what is added, or what it was before */
    return walk_by(walk, statement, shown, value, part_whole) ||
           walk_by(walk, statement, shown, (struct site){use.file, definition->name}, part);
}

/* Whether what is bound at that name is a variable of a function around the use, or of the module. */
static bool is_around(const struct walk *walk, struct site use, uint32_t name)
{
    const struct syntax *tree = walk_tree(walk, use);
    const uint32_t function = syntax_function(tree, name);
    return function != syntax_function(tree, use.node) &&
           (function == SYNTAX_NONE || syntax_inside(tree, use.node, function));
}

/* A name of an outer function or of the module: a place there that binds it to something on the device. */
static bool behind_outer(struct walk *walk, struct site use, struct part part)
{
    const struct syntax *tree = walk_tree(walk, use);
    const str name = syntax_text(tree, use.node);
    uint32_t from = 0;
    for (int i = 0; i < MOST_PLACES; i++, from++) {
        from = syntax_name_from(tree, name, from, tree->count);
        const struct definition *bound =
            from == SYNTAX_NONE ? NULL : flow_bound(walk->chain->check->project, (struct site){use.file, from});
        if (from == SYNTAX_NONE)
            return false;
        if (!bound || bound->kind != DEFINED_ASSIGN || bound->value == SYNTAX_NONE || !is_around(walk, use, from))
            continue;
        const struct site statement = {use.file, bound->statement};
        const uint32_t item = bound->unpacked ? item_of_name(tree, bound->name) : SYNTAX_NONE;
        if (walk_apart(walk, statement, chain_text(walk->chain, statement), (struct site){use.file, bound->value},
                       bound->unpacked ? part_item(item) : part))
            return true;
    }
    return walk_cut(walk);
}

/* ---- what was put into it ---- */

/* The value of `name[key] = value` or `name.append(value)` where the name stands so; SYNTAX_NONE. */
static uint32_t put_into(const struct syntax *tree, uint32_t name, struct part *part)
{
    const uint32_t holder = tree->parent[name], statement = tree->parent[holder], call = statement;
    if (name != holder + 1)
        return SYNTAX_NONE;
    if (tree->kind[holder] == SYN_SUBSCRIPT && tree->kind[statement] == SYN_ASSIGN && holder == statement + 1) {
        const uint32_t key = syntax_child(tree, holder, 1);
        const str text = syntax_is(tree, key, SYN_STRING) ? syntax_text(tree, key) : S("");
        const bool other = part->field.len && text.len > 2 && !str_eq((str){text.at + 1, text.len - 2}, part->field);
        *part = part_whole;
        return other ? SYNTAX_NONE : syntax_last_child(tree, statement);
    }
    const bool called = tree->kind[holder] == SYN_ATTRIBUTE && syntax_is(tree, call, SYN_CALL) && holder == call + 1;
    if (!called || !calls_one_of(tree, call, WORDS_PUT_IN_LIST))
        return SYNTAX_NONE;
    if (part->each)
        part->each = calls_one_of(tree, call, WORDS_PUT_ITEMS);
    else
        *part = part_whole;
    return syntax_argument(tree, call, 0, NULL);
}

static bool behind_what_is_put(struct walk *walk, struct site use, struct part part)
{
    const struct syntax *tree = walk_tree(walk, use);
    const uint32_t function = syntax_function(tree, use.node);
    const uint32_t first = function == SYNTAX_NONE ? 0 : function, last = syntax_last(tree, first);
    const str name = syntax_text(tree, use.node);
    uint32_t at = first;
    for (int i = 0; i < MOST_PLACES; i++, at++) {
        at = syntax_name_from(tree, name, at, last);
        if (at == SYNTAX_NONE)
            return false;
        struct part of = part;
        const struct site put = {use.file, put_into(tree, at, &of)};
        if (put.node == SYNTAX_NONE)
            continue;
        const struct site statement = {use.file, syntax_statement(tree, at)};
        if (walk_by(walk, statement, chain_text(walk->chain, statement), put, of))
            return true;
    }
    return walk_cut(walk);
}

/* `batch_to_device(batch, device)` before the use, as a statement: a call that is given both puts the one on the other. */
static bool moved_in_place(struct walk *walk, struct site use)
{
    const struct syntax *tree = walk_tree(walk, use);
    const uint32_t function = syntax_function(tree, use.node);
    const str name = syntax_text(tree, use.node);
    uint32_t at = function == SYNTAX_NONE ? 0 : function;
    for (int i = 0; i < MOST_PLACES; i++, at++) {
        at = syntax_name_from(tree, name, at, use.node);
        if (at == SYNTAX_NONE)
            return false;
        const uint32_t list = tree->parent[at], call = tree->parent[list];
        if (!syntax_is(tree, list, SYN_ARGUMENTS) || tree->kind[tree->parent[call]] != SYN_EXPR)
            continue;
        for (uint32_t a = syntax_first(tree, list); a != SYNTAX_NONE; a = syntax_next(tree, a)) {
            const struct site given = {use.file, syntax_is(tree, a, SYN_KEYWORD) ? syntax_child(tree, a, 1) : a};
            const struct site site = {use.file, call};
            if (value_at(walk->chain->check->project, given)->kind == VALUE_DEVICE)
                return walk_end(walk, site, walk_quoted(walk, site, "%.*s puts it on the device"));
        }
    }
    return walk_cut(walk);
}

bool walk_name(struct walk *walk, struct site use, struct part part)
{
    const struct definition *found[FLOW_MOST_DEFINITIONS];
    const uint32_t count = flow_definitions(walk->chain->check->project, use, found, FLOW_MOST_DEFINITIONS);
    for (uint32_t i = 0; i < count && i < FLOW_MOST_DEFINITIONS; i++)
        if (behind_definition(walk, use, found[i], part))
            return true;
    return moved_in_place(walk, use) || behind_what_is_put(walk, use, part) || behind_outer(walk, use, part) ||
           walk_trained(walk, use);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Behind an attribute: of self and of objects of the run, of networks, of what a call has made with fields. */
#include "walk.h"

#include "source/flow/asks.h"
#include "source/known/frameworks.h"
#include "source/known/known_words.h"

/* Net(): the call makes a network, and moves none. */
static bool is_made_there(const struct walk *walk, struct site value)
{
    return syntax_is(walk_tree(walk, value), value.node, SYN_CALL) &&
           value_at(walk->chain->check->project, value)->kind == VALUE_MODULE &&
           value_move(walk->chain->check->project, value).move == MOVE_NONE;
}

/* self.net.to(device), as a statement: a network is moved in its place. */
static bool is_moved_in_place(struct walk *walk, uint32_t class_id, str name)
{
    enum { MOST = 64 };
    struct site found[MOST];
    const struct project *project = walk->chain->check->project;
    const uint32_t count = attribute_calls(project, class_id, name, found, MOST);
    for (uint32_t i = 0; i < count && i < MOST; i++) {
        const struct syntax *tree = walk_tree(walk, found[i]);
        const struct value *object = value_at(project, (struct site){found[i].file, found[i].node + 2});
        if (calls_one_of(tree, found[i].node, WORDS_MOVE_TO_DEVICE) &&
            syntax_is(tree, tree->parent[found[i].node], SYN_EXPR) &&
            (object->kind == VALUE_MODULE || object->kind == VALUE_LOSS || object->kind == VALUE_UNKNOWN) &&
            walk_names_device(walk, found[i]))
            return walk_end(walk, found[i], walk_quoted(walk, found[i], "%.*s puts the network on the device"));
    }
    return count > MOST && walk_cut(walk);
}

/* What a statement binds an attribute to, and which part of that. */
static uint32_t bound_to(const struct syntax *tree, uint32_t statement, uint32_t target, struct part *part)
{
    const enum syntax_kind kind = tree->kind[statement];
    const uint32_t holder = tree->parent[target];
    if (kind != SYN_ASSIGN && kind != SYN_AUG_ASSIGN && kind != SYN_ANN_ASSIGN)
        return SYNTAX_NONE;
    if (holder != statement) {
        uint32_t item = 0;
        for (uint32_t s = syntax_first(tree, holder); s != target; s = syntax_next(tree, s))
            item++;
        *part = part_item(item);
    }
    return syntax_last_child(tree, statement);
}

bool walk_member(struct walk *walk, uint32_t class_id, str name, struct part part)
{
    enum { MOST = 16 };
    struct site found[MOST];
    const struct project *project = walk->chain->check->project;
    if (is_moved_in_place(walk, class_id, name))
        return true;
    const uint32_t count = attribute_bindings(project, class_id, name, found, MOST);
    for (uint32_t i = 0; i < count && i < MOST; i++) {
        const struct syntax *tree = walk_tree(walk, found[i]);
        const struct site statement = {found[i].file, syntax_statement(tree, found[i].node)};
        struct part of = part;
        const struct site value = {found[i].file, bound_to(tree, statement.node, found[i].node, &of)};
        const str text = chain_text(walk->chain, statement);
        if (value.node != SYNTAX_NONE && is_made_there(walk, value) && walk_may_lie(walk, value, of)) {
            const uint32_t places = walk->chain->count; /* it goes where the network goes that it is a part of */
            chain_add(walk->chain, statement, text);
            if (walk_network(walk, class_id, statement))
                return true;
            walk->chain->count = places;
        } else if (walk_apart(walk, statement, text, value, of)) {
            return true;
        }
    }
    if (count > MOST)
        walk_cut(walk);
    if (!project_class(project, class_id)->is_module || !count)
        return false;
    const uint32_t places = walk->chain->count;
    chain_add(walk->chain, found[0], walk_quoted(walk, found[0], "%.*s of a network"));
    if (walk_network(walk, class_id, found[0]))
        return true;
    walk->chain->count = places;
    return false;
}

/* A property, or what binds it. */
static bool of_class(struct walk *walk, uint32_t class_id, str name, struct part part)
{
    const struct project *project = walk->chain->check->project;
    const uint32_t method = project_method(project, class_id, name);
    const bool property = method != SYNTAX_NONE && project_function(project, method)->is_property;
    return property ? walk_result(walk, method, walk_nowhere, part) : walk_member(walk, class_id, name, part);
}

/* self.model of a callback: the framework has put it there. */
static bool held_by_framework(struct walk *walk, uint32_t class_id, struct site use)
{
    const struct framework *framework = project_class(walk->chain->check->project, class_id)->framework;
    struct site made;
    if (frameworks_held(framework, syntax_tail(walk_tree(walk, use), use.node)) == GIVEN_NOTHING ||
        context_driven(walk->chain->check->project, class_id, &made) == DRIVEN_NOT)
        return false;
    str rest = str_of(framework->bases), base = S("");
    str_cut(&rest, ' ', &base);
    return walk_end(walk, use,
                    str_printf(walk->chain->check->arena, "%.*s puts it on the device", (int)base.len, base.at));
}

bool walk_attribute(struct walk *walk, struct site use, struct part part)
{
    const struct syntax *tree = walk_tree(walk, use);
    const struct site object = {use.file, use.node + 1};
    const struct value *value = value_at(walk->chain->check->project, object);
    const str name = syntax_tail(tree, use.node);
    const uint32_t own = ask_own_attribute(tree, use.node) ? walk_class_around(walk, use) : SYNTAX_NONE;
    const bool of_run = value->detail != SYNTAX_NONE &&
                        (value->kind == VALUE_INSTANCE || value->kind == VALUE_MODULE || value->kind == VALUE_DATASET);
    if (own != SYNTAX_NONE)
        return held_by_framework(walk, own, use) || of_class(walk, own, name, part);
    if (of_run && of_class(walk, value->detail, name, part))
        return true;
    if (value->kind == VALUE_OTHER && value->name && value->items)
        return walk_end(walk, use, walk_quoted(walk, use, "%.*s is what a step of the engine gives"));
    if (walk_may_lie(walk, object, part_field(name)) && walk_from(walk, object, part_field(name)))
        return true;
    return value->kind == VALUE_MODULE && walk_network(walk, value->detail, use);
}

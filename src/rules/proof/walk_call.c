/* SPDX-License-Identifier: Apache-2.0 */
/* Behind a call: it puts its argument there itself, or its function returns what lies there, or it was given that. */
#include "walk.h"

#include "source/flow/asks.h"
#include "source/known/known.h"
#include "source/known/known_words.h"

enum { LARGEST = 20000 };

/* ---- functions of the run ---- */

static bool gives_by(struct walk *walk, uint32_t function, struct site statement, struct part part)
{
    const struct site value = {statement.file, statement.node + 1};
    const struct syntax *tree = walk_tree(walk, statement);
    if (tree->size[statement.node] < 2 || project_function_at(walk->chain->check->project, value) != function)
        return false;
    if (tree->kind[statement.node] == SYN_YIELD)
        part.each = false;
    return walk_by(walk, statement, chain_text(walk->chain, statement), value, part);
}

static bool gives(struct walk *walk, uint32_t function, struct part part)
{
    const struct function *about = project_function(walk->chain->check->project, function);
    const struct syntax *tree = project_tree(walk->chain->check->project, about->file);
    const enum syntax_kind kind = about->is_generator ? SYN_YIELD : SYN_RETURN;
    if (tree->size[about->node] > LARGEST)
        return walk_cut(walk);
    if (tree->kind[about->node] == SYN_LAMBDA) {
        const struct site body = {about->file, syntax_child(tree, about->node, 1)};
        return walk_by(walk, body, chain_text(walk->chain, body), body, part);
    }
    for (uint32_t node = about->node, last = syntax_last(tree, node); node < last; node++)
        if (tree->kind[node] == kind && gives_by(walk, function, (struct site){about->file, node}, part))
            return true;
    return false;
}

bool walk_result(struct walk *walk, uint32_t function, struct site call, struct part part)
{
    const uint32_t depth = walk->depth;
    if (depth == WALK_CALLS)
        return walk_cut(walk);
    if (call.node == SYNTAX_NONE)
        walk->depth = 0;
    else
        walk->inside[walk->depth++] = (struct entered){function, call};
    const bool found = gives(walk, function, part);
    walk->depth = depth;
    return found;
}

/* One of several functions or methods: what any of them gives. */
static bool result_of_any(struct walk *walk, struct site call, struct part part)
{
    const struct project *project = walk->chain->check->project;
    const struct value *callee = value_at(project, (struct site){call.file, call.node + 1});
    const uint32_t target = name_target(project, call);
    if (target != SYNTAX_NONE)
        return walk_result(walk, target, call, part);
    for (uint32_t i = 0;
         callee->kind == VALUE_FUNCTION && callee->detail == SYNTAX_NONE && i < value_item_slots(callee); i++)
        if (callee->items[i]->detail != SYNTAX_NONE && walk_result(walk, callee->items[i]->detail, walk_nowhere, part))
            return true;
    return false;
}

/* Out(loss=loss), dict(loss=loss): what goes to the field that is meant. */
static bool field_of(struct walk *walk, struct site call, struct part part)
{
    const struct syntax *tree = walk_tree(walk, call);
    const uint32_t list = syntax_child(tree, call.node, 1);
    for (uint32_t a = part.field.len ? syntax_first(tree, list) : SYNTAX_NONE; a != SYNTAX_NONE;
         a = syntax_next(tree, a)) {
        const struct site value = {call.file, syntax_is(tree, a, SYN_KEYWORD) ? syntax_child(tree, a, 1) : SYNTAX_NONE};
        if (value.node != SYNTAX_NONE && str_eq(syntax_text(tree, a + 1), part.field) &&
            walk_by(walk, call, chain_text(walk->chain, call), value, part_whole))
            return true;
    }
    return false;
}

/* ---- moves ---- */

/* The expression that names the device: device=x, x.to(here); SYNTAX_NONE. */
static uint32_t device_argument(const struct walk *walk, struct site call)
{
    const struct syntax *tree = walk_tree(walk, call);
    const struct known *known = known_find(name_of(walk->chain->check->project, call));
    const uint32_t named = known && known->device == ON_SECOND
                               ? syntax_argument(tree, call.node, 1, "device")
                               : syntax_argument(tree, call.node, SYNTAX_NONE, "device");
    return named != SYNTAX_NONE || !syntax_calls(tree, call.node, S("to")) ? named
                                                                           : syntax_argument(tree, call.node, 0, NULL);
}

/* The tensor that says where to: x.to(y.device), x.to(y), x.type_as(y); none. */
static struct site place_of(const struct walk *walk, struct site call)
{
    const struct syntax *tree = walk_tree(walk, call);
    struct site where = {call.file, device_argument(walk, call)};
    if (syntax_calls(tree, call.node, S("type_as")))
        where.node = syntax_argument(tree, call.node, 0, NULL);
    if (syntax_is(tree, where.node, SYN_ATTRIBUTE) && str_eq(syntax_tail(tree, where.node), S("device")))
        where.node++;
    else if (where.node != SYNTAX_NONE && value_at(walk->chain->check->project, where)->kind != VALUE_TENSOR)
        return walk_nowhere;
    const bool self = syntax_is(tree, where.node, SYN_NAME) && str_eq(syntax_text(tree, where.node), S("self"));
    return self ? walk_nowhere : where;
}

bool walk_names_device(const struct walk *walk, struct site call)
{
    const struct project *project = walk->chain->check->project;
    const struct syntax *tree = walk_tree(walk, call);
    const struct site where = {call.file, device_argument(walk, call)};
    if (where.node == SYNTAX_NONE)
        return syntax_calls(tree, call.node, S("cuda"));
    const struct value *value = value_at(project, where);
    const bool said = (value->kind == VALUE_DEVICE || value->kind == VALUE_STR) && value_on_gpu(value);
    const bool number = value->kind == VALUE_INT || value->kind == VALUE_UNKNOWN;
    return said || (number && value_on_gpu(value_at(project, call)));
}

static bool ends_here(struct walk *walk, struct site call)
{
    const struct project *project = walk->chain->check->project;
    const struct move_info move = value_move(project, call);
    const bool of_run = name_target(project, call) != SYNTAX_NONE;
    const bool uploads = move.move == MOVE_UPLOAD && !move.wrapper;
    if (!uploads && (of_run || !walk_names_device(walk, call)))
        return false;
    const struct site other = place_of(walk, call);
    if (other.node == SYNTAX_NONE || !walk_may_lie(walk, other, part_whole))
        return walk_end(walk, call, walk_quoted(walk, call, "%.*s puts it on the device"));
    return walk_by(walk, call, walk_quoted(walk, call, "%.*s puts it where another tensor lies"), other, part_whole);
}

/* torch.zeros(3) where it is set that tensors are made on the device; torch.cuda.FloatTensor(3). */
static bool made_there(struct walk *walk, struct site call)
{
    const struct project *project = walk->chain->check->project;
    const struct known *known = known_find(name_of(project, call));
    const struct site set = context_default_set(project, call.file);
    const bool maker = known && (known->device == ON_OPTION || known->device == ON_SECOND);
    if (known && known->device == ON_GPU)
        return walk_end(walk, call, walk_quoted(walk, call, "%.*s makes it on the device"));
    if (!maker || set.node == SYNTAX_NONE || device_argument(walk, call) != SYNTAX_NONE)
        return false;
    chain_add(walk->chain, call, walk_quoted(walk, call, "%.*s makes it where tensors are made"));
    return walk_end(walk, set, walk_quoted(walk, set, "%.*s sets that tensors are made on the device"));
}

/* Net("cuda"), Net(device=device): it is told where to be. */
static bool is_made_for(struct walk *walk, struct site call)
{
    const struct syntax *tree = walk_tree(walk, call);
    const uint32_t list = syntax_child(tree, call.node, 1);
    for (uint32_t a = syntax_first(tree, list); a != SYNTAX_NONE; a = syntax_next(tree, a)) {
        const struct site given = {call.file, tree->kind[a] == SYN_KEYWORD ? syntax_child(tree, a, 1) : a};
        const struct value *value = value_at(walk->chain->check->project, given);
        if ((value->kind == VALUE_DEVICE || value->kind == VALUE_STR) && value_on_gpu(value))
            return walk_end(walk, call, walk_quoted(walk, call, "%.*s makes the network on the device"));
    }
    return false;
}

/* ---- what it was given ---- */

static bool from_arguments(struct walk *walk, struct site call, struct part part)
{
    const struct syntax *tree = walk_tree(walk, call);
    const uint32_t list = syntax_child(tree, call.node, 1);
    for (uint32_t a = syntax_first(tree, list); a != SYNTAX_NONE; a = syntax_next(tree, a)) {
        const struct site given = {call.file, tree->kind[a] == SYN_KEYWORD ? syntax_child(tree, a, 1) : a};
        const enum value_kind kind = (enum value_kind)value_at(walk->chain->check->project, given)->kind;
        if (kind != VALUE_DEVICE && kind != VALUE_STR && walk_may_lie(walk, given, part) &&
            walk_from(walk, given, part))
            return true;
    }
    return false;
}

/* net(x): where the network is. */
static bool from_network(struct walk *walk, struct site call, const struct value *callee)
{
    const struct site called = {call.file, call.node + 1};
    if (callee->kind == VALUE_LOSS && from_arguments(walk, call, part_whole))
        return true;
    if (walk_may_lie(walk, called, part_whole) && walk_from(walk, called, part_whole))
        return true;
    if (callee->kind == VALUE_UNKNOWN)
        return false;
    return from_arguments(walk, call, part_whole) || walk_network(walk, callee->detail, call);
}

/* batch["x"] as batch.get("x"): the key is the field that is meant. */
static struct part part_asked(const struct syntax *tree, uint32_t call, struct part part)
{
    const uint32_t key = syntax_argument(tree, call, 0, NULL);
    if (!syntax_is(tree, key, SYN_STRING) || syntax_text(tree, key).len < 3)
        return part;
    const str text = syntax_text(tree, key);
    return part_field((str){text.at + 1, text.len - 2});
}

bool walk_call(struct walk *walk, struct site call, struct part part)
{
    const struct project *project = walk->chain->check->project;
    const struct syntax *tree = walk_tree(walk, call);
    const struct site called = {call.file, call.node + 1};
    const struct value *callee = value_at(project, called);
    if (ends_here(walk, call) || field_of(walk, call, part) || result_of_any(walk, call, part))
        return true;
    if (callee->kind == VALUE_CLASS && callee->detail != SYNTAX_NONE) /* it goes where its network goes */
        return project_class(project, callee->detail)->is_module &&
               (walk_network_itself(walk, callee->detail, call) || is_made_for(walk, call));
    if (callee->kind == VALUE_MODULE || callee->kind == VALUE_LOSS || callee->kind == VALUE_UNKNOWN)
        if (from_network(walk, call, callee))
            return true;
    const struct site receiver = {call.file, tree->kind[called.node] == SYN_ATTRIBUTE ? called.node + 1 : SYNTAX_NONE};
    const bool has_object = receiver.node != SYNTAX_NONE && value_at(project, receiver)->kind != VALUE_IMPORT;
    const struct part asked = has_object ? part_asked(tree, call.node, part) : part;
    if (has_object && walk_may_lie(walk, receiver, asked) && walk_from(walk, receiver, asked))
        return true;
    if (has_object && value_at(project, receiver)->kind == VALUE_MODULE &&
        walk_network(walk, value_at(project, receiver)->detail, call))
        return true;
    return from_arguments(walk, call, part) || (!part_is_whole(part) && from_arguments(walk, call, part_whole)) ||
           made_there(walk, call);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a value on the device backward to the call that put it there: through names, attributes, parameters, results of
 * functions and operands. What a class of networks gives lies where its modules were moved to.
 */
#include "chain.h"

#include "source/known/frameworks.h"
#include "source/known/known_words.h"
#include "source/flow/asks.h"

enum { DEEPEST_ITEM = 3, LARGEST = 20000 };

/* The next expression to look at; none: the chain is at its end. */
struct next {
    struct site site;
};

static const struct site stop = {SYNTAX_NONE, SYNTAX_NONE};

static bool holds_gpu(const struct value *value, int depth)
{
    if (value->device == DEVICE_GPU)
        return true;
    for (uint32_t i = 0; depth && i < value_item_slots(value); i++)
        if (holds_gpu(value->items[i], depth - 1))
            return true;
    return false;
}

static bool was_here(const struct chain *chain, struct site site)
{
    for (uint32_t i = 0; i < chain->seen_count; i++)
        if (chain->seen[i].file == site.file && chain->seen[i].node == site.node)
            return true;
    return false;
}

static bool on_device(const struct chain *chain, struct site site)
{
    return site.node != SYNTAX_NONE && !was_here(chain, site) &&
           holds_gpu(value_at(chain->check->project, site), DEEPEST_ITEM);
}

static const struct syntax *tree_of(const struct chain *chain, struct site site)
{
    return project_tree(chain->check->project, site.file);
}

static str quoted(struct chain *chain, struct site site, const char *format)
{
    const str text = chain_text(chain, site);
    return str_printf(chain->check->arena, format, (int)text.len, text.at);
}

/* ---- networks ---- */

/* The first call in a range that puts anything on the device. */
static struct site moves_in(const struct chain *chain, struct site within)
{
    const struct syntax *tree = tree_of(chain, within);
    uint32_t last = syntax_last(tree, within.node);
    if (last - within.node > LARGEST)
        last = within.node + LARGEST;
    for (uint32_t node = within.node; node < last; node++) {
        const struct site call = {within.file, node};
        if (tree->kind[node] == SYN_CALL && value_move(chain->check->project, call).move == MOVE_UPLOAD)
            return call;
    }
    return stop;
}

/* Networks of the class lie on the device: where they are moved, or who says so. */
static void end_at_class(struct chain *chain, uint32_t class_id, struct site use)
{
    const struct project *project = chain->check->project;
    struct site moved = context_class_moved(project, class_id);
    if (!site_is_none(moved)) {
        chain_end(chain, moved, quoted(chain, moved, "%.*s puts the network on the device"));
        return;
    }
    const struct class_info *about = class_id == SYNTAX_NONE ? NULL : project_class(project, class_id);
    if (about && about->framework && about->framework->on_device) {
        chain_end(chain, (struct site){about->file, about->node},
                  str_printf(chain->check->arena, "`%.*s` is of a framework that puts it on the device",
                             (int)about->name.len, about->name.at));
        return;
    }
    moved = context_program_moved(project, use.file);
    if (!site_is_none(moved)) {
        chain_end(chain, moved, quoted(chain, moved, "%.*s puts the network on the device"));
        return;
    }
    moved = about ? moves_in(chain, (struct site){about->file, about->node}) : stop;
    if (!site_is_none(moved))
        chain_end(chain, moved, quoted(chain, moved, "%.*s: the network itself puts data on the device"));
}

/* ---- names ---- */

static uint32_t class_around(const struct chain *chain, struct site site)
{
    uint32_t f = project_function_at(chain->check->project, site);
    while (f != SYNTAX_NONE && project_function(chain->check->project, f)->class_id == SYNTAX_NONE)
        f = project_function(chain->check->project, f)->outer;
    return f == SYNTAX_NONE ? SYNTAX_NONE : project_function(chain->check->project, f)->class_id;
}

static struct site given_by_framework(struct chain *chain, struct site name, const struct function *function)
{
    const struct class_info *about =
        function->class_id == SYNTAX_NONE ? NULL : project_class(chain->check->project, function->class_id);
    const struct contract *contract = about ? frameworks_contract(about->framework, function->name) : NULL;
    if (!contract || frameworks_given(contract, syntax_text(tree_of(chain, name), name.node)) == GIVEN_NOTHING)
        return stop;
    str rest = str_of(about->framework->bases), base = S("");
    str_cut(&rest, ' ', &base);
    chain_end(chain, name,
              str_printf(chain->check->arena, "%.*s puts it on the device before it calls %.*s", (int)base.len, base.at,
                         (int)function->name.len, function->name.at));
    return stop;
}

/* What some caller gives for the parameter, on the device. */
static struct site given_by_caller(struct chain *chain, uint32_t function, uint32_t parameter)
{
    const struct project *project = chain->check->project;
    uint32_t k = 0, count;
    while (k < SUMMARY_PARAMETERS && project_parameter(project, function, k) != parameter)
        k++;
    const struct site *callers = name_callers(project, function, &count);
    for (uint32_t i = 0; i < count && k < SUMMARY_PARAMETERS; i++) {
        const struct site given = {callers[i].file, name_argument(project, callers[i], k)};
        if (on_device(chain, given) && chain_add(chain, callers[i], quoted(chain, callers[i], "%.*s gives it")))
            return given;
    }
    return stop;
}

static struct site behind_parameter(struct chain *chain, struct site use, const struct definition *definition)
{
    const struct site name = {use.file, definition->name};
    const uint32_t f = project_function_at(chain->check->project, use);
    const struct function *function = project_function(chain->check->project, f);
    given_by_framework(chain, name, function);
    if (chain->origin)
        return stop;
    const struct site given = given_by_caller(chain, f, tree_of(chain, use)->parent[definition->name]);
    if (!site_is_none(given))
        return given;
    if (class_around(chain, use) != SYNTAX_NONE &&
        project_class(chain->check->project, class_around(chain, use))->is_module &&
        chain_add(chain, name, S("what a network on the device is given")))
        end_at_class(chain, class_around(chain, use), use);
    return stop;
}

static struct site behind_definition(struct chain *chain, struct site use, const struct definition *definition)
{
    const struct site statement = {use.file, definition->statement}, value = {use.file, definition->value};
    if (definition->kind == DEFINED_PARAMETER)
        return behind_parameter(chain, use, definition);
    const bool changed = definition->kind == DEFINED_CHANGE && definition->statement != SYNTAX_NONE;
    if (changed && !on_device(chain, value)) {
        chain_end(chain, statement, quoted(chain, statement, "%.*s leaves it on the device"));
        return stop;
    }
    const bool went_on = definition->kind == DEFINED_AUGMENT && !on_device(chain, value);
    const struct site before = {use.file, definition->name};
    if (went_on) /* `total /= terms`: where it lay before */
        return on_device(chain, before) && chain_add(chain, statement, chain_text(chain, statement)) ? before : stop;
    if (definition->value == SYNTAX_NONE || !on_device(chain, value))
        return stop;
    const bool loop = definition->kind == DEFINED_FOR;
    const struct site shown = loop ? value : statement;
    return chain_add(chain, shown, loop ? quoted(chain, shown, "an item of %.*s") : chain_text(chain, shown)) ? value
                                                                                                              : stop;
}

/* A name of an outer function or of the module: the first place there that binds it to something on the device. */
static struct site behind_outer(struct chain *chain, struct site use)
{
    enum { MOST = 256 };
    const struct syntax *tree = tree_of(chain, use);
    const str name = syntax_text(tree, use.node);
    uint32_t from = 0;
    for (int i = 0; i < MOST; i++, from++) {
        from = syntax_name_from(tree, name, from, tree->count);
        const struct definition *bound =
            from == SYNTAX_NONE ? NULL : flow_bound(chain->check->project, (struct site){use.file, from});
        if (from == SYNTAX_NONE)
            return stop;
        const struct site value = {use.file, bound && bound->kind == DEFINED_ASSIGN ? bound->value : SYNTAX_NONE};
        const struct site statement = {use.file, bound ? bound->statement : SYNTAX_NONE};
        if (on_device(chain, value) && chain_add(chain, statement, chain_text(chain, statement)))
            return value;
    }
    return stop;
}

/* `batch_to_device(batch, device)` before the use: a call that is given both puts the one on the other. */
static bool moved_in_place(struct chain *chain, struct site use)
{
    const struct syntax *tree = tree_of(chain, use);
    const uint32_t function = syntax_function(tree, use.node);
    const str name = syntax_text(tree, use.node);
    for (uint32_t at = syntax_name_from(tree, name, function == SYNTAX_NONE ? 0 : function, use.node);
         at != SYNTAX_NONE; at = syntax_name_from(tree, name, at + 1, use.node)) {
        const uint32_t list = tree->parent[at];
        if (!syntax_is(tree, list, SYN_ARGUMENTS))
            continue;
        for (uint32_t a = syntax_first(tree, list); a != SYNTAX_NONE; a = syntax_next(tree, a)) {
            const struct site given = {use.file, syntax_is(tree, a, SYN_KEYWORD) ? syntax_child(tree, a, 1) : a};
            if (value_at(chain->check->project, given)->kind != VALUE_DEVICE)
                continue;
            const struct site call = {use.file, tree->parent[list]};
            chain_end(chain, call, quoted(chain, call, "%.*s puts it on the device"));
            return true;
        }
    }
    return false;
}

static struct site behind_name(struct chain *chain, struct site use)
{
    const struct definition *found[FLOW_MOST_DEFINITIONS];
    const uint32_t count = flow_definitions(chain->check->project, use, found, FLOW_MOST_DEFINITIONS);
    for (uint32_t i = 0; i < count && i < FLOW_MOST_DEFINITIONS && !chain->origin; i++) {
        const struct site next = behind_definition(chain, use, found[i]);
        if (!site_is_none(next))
            return next;
    }
    return chain->origin || moved_in_place(chain, use) ? stop : behind_outer(chain, use);
}

/* ---- attributes ---- */

/* Net(): the call makes a network, and moves none. */
static bool is_made_there(const struct chain *chain, struct site value)
{
    return syntax_is(tree_of(chain, value), value.node, SYN_CALL) &&
           value_at(chain->check->project, value)->kind == VALUE_MODULE &&
           value_move(chain->check->project, value).move == MOVE_NONE;
}

static struct site behind_own_attribute(struct chain *chain, struct site use, uint32_t class_id)
{
    enum { MOST = 16 };
    struct site found[MOST];
    const str name = syntax_tail(tree_of(chain, use), use.node);
    const uint32_t count = attribute_bindings(chain->check->project, class_id, name, found, MOST);
    for (uint32_t i = 0; i < count && i < MOST; i++) {
        const struct syntax *tree = tree_of(chain, found[i]);
        const struct site statement = {found[i].file, syntax_statement(tree, found[i].node)};
        const struct site value = {found[i].file, syntax_is(tree, statement.node, SYN_ASSIGN)
                                                      ? syntax_last_child(tree, statement.node)
                                                      : SYNTAX_NONE};
        if (!on_device(chain, value) || !chain_add(chain, statement, chain_text(chain, statement)))
            continue;
        if (is_made_there(chain, value)) /* it goes where the network goes that it is a part of */
            end_at_class(chain, class_id, use);
        return chain->origin ? stop : value;
    }
    if (count && chain_add(chain, found[0], quoted(chain, found[0], "%.*s of a network")))
        end_at_class(chain, class_id, use);
    return stop;
}

static struct site behind_attribute(struct chain *chain, struct site use)
{
    const struct syntax *tree = tree_of(chain, use);
    const struct site object = {use.file, use.node + 1};
    const struct value *value = value_at(chain->check->project, object);
    if (ask_own_attribute(tree, use.node) && class_around(chain, use) != SYNTAX_NONE)
        return behind_own_attribute(chain, use, class_around(chain, use));
    if (value->kind == VALUE_MODULE)
        end_at_class(chain, value->detail, use);
    else if (value->kind == VALUE_OTHER && value->name && value->items)
        chain_end(chain, use, quoted(chain, use, "%.*s is what a step of the engine gives"));
    return chain->origin || !on_device(chain, object) ? stop : object;
}

/* ---- calls ---- */

static struct site behind_result(struct chain *chain, struct site call, uint32_t target)
{
    const struct function *function = project_function(chain->check->project, target);
    const struct syntax *tree = project_tree(chain->check->project, function->file);
    if (tree->size[function->node] > LARGEST)
        return stop;
    for (uint32_t node = function->node, last = syntax_last(tree, node); node < last; node++) {
        const struct site value = {function->file, node + 1};
        if (tree->kind[node] == SYN_RETURN && tree->size[node] > 1 &&
            project_function_at(chain->check->project, value) == target && on_device(chain, value) &&
            chain_add(chain, (struct site){function->file, node},
                      chain_text(chain, (struct site){function->file, node})))
            return value;
    }
    return stop;
}

static struct site argument_on_device(const struct chain *chain, struct site call)
{
    const struct syntax *tree = tree_of(chain, call);
    const uint32_t list = syntax_child(tree, call.node, 1);
    for (uint32_t a = syntax_first(tree, list); a != SYNTAX_NONE; a = syntax_next(tree, a)) {
        const struct site given = {call.file, tree->kind[a] == SYN_KEYWORD ? syntax_child(tree, a, 1) : a};
        const enum value_kind kind = (enum value_kind)value_at(chain->check->project, given)->kind;
        if (kind != VALUE_DEVICE && kind != VALUE_STR && on_device(chain, given))
            return given;
    }
    return stop;
}

static struct site behind_call(struct chain *chain, struct site call)
{
    const struct project *project = chain->check->project;
    const struct syntax *tree = tree_of(chain, call);
    const struct move_info move = value_move(project, call);
    const bool named = calls_one_of(tree, call.node, WORDS_MOVE_TO_DEVICE) ||
                       syntax_argument(tree, call.node, UINT32_MAX, "device") != SYNTAX_NONE;
    if ((move.move == MOVE_UPLOAD && !move.wrapper) || (named && name_target(project, call) == SYNTAX_NONE)) {
        chain_end(chain, call, quoted(chain, call, "%.*s puts it on the device"));
        return stop;
    }
    const uint32_t target = name_target(project, call);
    const struct site result = target == SYNTAX_NONE ? stop : behind_result(chain, call, target);
    if (!site_is_none(result))
        return result;
    const struct value *callee = value_at(project, (struct site){call.file, call.node + 1});
    const struct site called = {call.file, call.node + 1};
    if (callee->kind == VALUE_MODULE && callee->detail == SYNTAX_NONE && tree->kind[called.node] != SYN_CALL)
        return called;
    if (callee->kind == VALUE_MODULE || callee->kind == VALUE_LOSS) {
        const struct site argument = callee->kind == VALUE_LOSS ? argument_on_device(chain, call) : stop;
        if (site_is_none(argument))
            end_at_class(chain, callee->detail, call);
        return argument;
    }
    if (callee->kind == VALUE_UNKNOWN && on_device(chain, called)) /* a network of which nobody knows more */
        return called;
    const struct site receiver = {call.file, tree->kind[call.node + 1] == SYN_ATTRIBUTE ? call.node + 2 : SYNTAX_NONE};
    const struct value *object = receiver.node == SYNTAX_NONE ? &value_unknown : value_at(project, receiver);
    if (object->kind == VALUE_MODULE && object->detail == SYNTAX_NONE)
        return receiver;
    if (object->kind == VALUE_MODULE) {
        end_at_class(chain, object->detail, call);
        return stop;
    }
    if (on_device(chain, receiver))
        return receiver;
    const struct site argument = argument_on_device(chain, call);
    if (site_is_none(argument))
        chain_end(chain, call, quoted(chain, call, "%.*s gives it on the device"));
    return argument;
}

/* ---- the walk ---- */

static struct site first_child_on_device(const struct chain *chain, struct site site)
{
    const struct syntax *tree = tree_of(chain, site);
    for (uint32_t child = syntax_first(tree, site.node); child != SYNTAX_NONE; child = syntax_next(tree, child))
        if (on_device(chain, (struct site){site.file, child}))
            return (struct site){site.file, child};
    return stop;
}

static struct site step(struct chain *chain, struct site site)
{
    switch (tree_of(chain, site)->kind[site.node]) {
    case SYN_NAME:
        return behind_name(chain, site);
    case SYN_ATTRIBUTE:
        return behind_attribute(chain, site);
    case SYN_CALL:
        return behind_call(chain, site);
    default:
        return first_child_on_device(chain, site);
    }
}

/* From one expression; whether it came to an origin. */
static bool follow(struct chain *chain, struct site site)
{
    chain->count = 0;
    while (!site_is_none(site) && !chain->origin && chain->seen_count < CHAIN_STEPS) {
        chain->seen[chain->seen_count++] = site;
        site = step(chain, site);
    }
    return chain->origin;
}

/* What the rule names first, then what lies there in what is underlined, from the outermost on. */
static bool follow_claimed(struct chain *chain, const struct match *match)
{
    const struct syntax *tree = chain->check->tree;
    bool any = false;
    for (uint32_t i = 0; i <= match->capture_count; i++) {
        const struct site site = {match->file, i ? match->captures[i - 1] : match->upload};
        const bool named = site.node && site.node != SYNTAX_NONE &&
                           (!i || syntax_inside(tree, site.node, match->node)) && on_device(chain, site);
        any |= named;
        if (named && follow(chain, site))
            return true;
    }
    for (uint32_t node = match->node; node < syntax_last(tree, match->node); node++) {
        const struct site site = {match->file, node};
        if (!on_device(chain, site))
            continue;
        any = true;
        if (follow(chain, site))
            return true;
    }
    return any;
}

void chain_device(struct chain *chain, const struct match *match)
{
    if (follow_claimed(chain, match))
        return;
    if (str_eq(str_of(match->rule->id), S("ST606"))) { /* it names the device itself */
        chain_end(chain, (struct site){match->file, match->node}, S("it speaks of the device itself"));
        return;
    }
    /* it speaks of the program: that there is a device at all */
    struct site site = context_program_moved(chain->check->project, match->file);
    if (site_is_none(site))
        site = context_program_uses(chain->check->project, match->file);
    if (!site_is_none(site))
        chain_end(chain, site, quoted(chain, site, "%.*s: the program uses a device"));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Statements in their order: what they bind, and how ways part and meet. See flow_build.h. */
#include "flow_build.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/mem.h"

static void block(struct builder *b, uint32_t node);
static void statement(struct builder *b, uint32_t node);

/* Several blocks of which one runs; `otherwise`: perhaps none. */
static void branch(struct builder *b, uint32_t node)
{
    const size_t first = b->ways.count, mark = b->log.count;
    uint32_t alive = 0;
    const struct syntax *tree = b->tree;
    while (true) { /* along elif, which may be a long chain */
        build_expression(b, syntax_child(tree, node, 0));
        block(b, syntax_child(tree, node, 1));
        build_way_ends(b, mark, &alive);
        const uint32_t otherwise = syntax_child(tree, node, 2);
        if (!syntax_is(tree, otherwise, SYN_IF)) {
            if (syntax_is(tree, otherwise, SYN_BLOCK))
                block(b, otherwise);
            build_way_ends(b, mark, &alive);
            break;
        }
        node = otherwise;
    }
    build_ways_meet(b, first, alive);
}

static void loop(struct builder *b, uint32_t node)
{
    const struct syntax *tree = b->tree;
    const bool is_for = tree->kind[node] == SYN_FOR;
    struct loop_frame frame;
    struct writes heads = {0};
    if (is_for)
        build_expression(b, syntax_child(tree, node, 1));
    build_loop_begin(b, node, &frame, &heads);
    frame.heads = &heads;
    if (is_for)
        build_bind_target(b, syntax_child(tree, node, 0), DEFINED_FOR, syntax_child(tree, node, 1));
    else
        build_expression(b, syntax_child(tree, node, 0));
    block(b, syntax_child(tree, node, is_for ? 2 : 1));
    build_loop_end(b, &frame, &heads);
    const uint32_t otherwise = syntax_child(tree, node, is_for ? 3 : 2);
    if (syntax_is(tree, otherwise, SYN_BLOCK))
        block(b, otherwise);
    build_loop_left(b, &frame);
    mem_free(heads.at);
}

static void jump(struct builder *b, bool again)
{
    if (b->loop && b->loop->heads && !b->dead)
        build_leave_by(b, again ? &b->loop->again : &b->loop->leaving, b->loop->heads);
    b->dead = true;
}

/* A handler may begin after any write of the block: what a slot was before each, and is at the end, meets. */
static void handler_entry(struct builder *b, const struct writes *touched)
{
    for (size_t i = 0, next; i < touched->count; i = next) {
        const uint32_t slot = touched->at[i].slot;
        for (next = i; next < touched->count && touched->at[next].slot == slot;)
            next++;
        if (touched->at[i].def != touched->at[next - 1].def)
            build_write(b, slot, build_meeting(b, slot, touched->at + i, next - i));
        else
            build_write(b, slot, touched->at[i].def);
    }
}

static void touched_since(struct builder *b, size_t mark, struct writes *touched)
{
    for (size_t i = mark; i < b->log.count; i++) {
        if (b->log.at[i].def != NONE)
            build_push(touched, b->log.at[i].slot, b->log.at[i].def);
        if (b->current[b->log.at[i].slot] != NONE)
            build_push(touched, b->log.at[i].slot, b->current[b->log.at[i].slot]);
    }
    if (touched->count)
        qsort(touched->at, touched->count, sizeof *touched->at, build_by_slot);
}

static void handler(struct builder *b, uint32_t node)
{
    const struct syntax *tree = b->tree;
    b->statement = node;
    build_expression(b, syntax_child(tree, node, 0));
    const uint32_t name = syntax_child(tree, node, 1);
    if (syntax_is(tree, name, SYN_NAME))
        build_bind(b, name, DEFINED_EXCEPT, NONE, false);
    block(b, syntax_last_child(tree, node));
}

static void attempt(struct builder *b, uint32_t node)
{
    const struct syntax *tree = b->tree;
    const size_t first = b->ways.count, mark = b->log.count;
    uint32_t alive = 0, part = syntax_first(tree, node), otherwise = NONE, finally = NONE;
    for (uint32_t p = part; p != NONE; p = syntax_next(tree, p)) {
        otherwise = tree->kind[p] == SYN_ELSE ? p : otherwise;
        finally = tree->kind[p] == SYN_FINALLY ? p : finally;
    }
    block(b, part);
    struct writes touched = {0};
    touched_since(b, mark, &touched);
    if (otherwise != NONE)
        block(b, syntax_first(tree, otherwise));
    build_way_ends(b, mark, &alive);
    for (part = syntax_next(tree, part); part != NONE; part = syntax_next(tree, part)) {
        if (tree->kind[part] != SYN_EXCEPT)
            continue;
        handler_entry(b, &touched);
        handler(b, part);
        build_way_ends(b, mark, &alive);
    }
    mem_free(touched.at);
    build_ways_meet(b, first, alive);
    if (finally != NONE) {
        const bool dead = b->dead;
        block(b, syntax_first(tree, finally));
        b->dead |= dead;
    }
}

static void with(struct builder *b, uint32_t node)
{
    const struct syntax *tree = b->tree;
    for (uint32_t item = syntax_first(tree, node); item != NONE; item = syntax_next(tree, item)) {
        if (tree->kind[item] != SYN_WITH_ITEM) {
            block(b, item);
            continue;
        }
        const uint32_t value = syntax_child(tree, item, 0), target = syntax_child(tree, item, 1);
        build_expression(b, value);
        if (target != NONE && tree->kind[target] != SYN_ABSENT)
            build_bind_target(b, target, DEFINED_WITH, value);
    }
}

static void choose(struct builder *b, uint32_t node) /* match */
{
    const struct syntax *tree = b->tree;
    const size_t first = b->ways.count, mark = b->log.count;
    uint32_t alive = 1; /* no case fits */
    const uint32_t subject = syntax_first(tree, node);
    build_expression(b, subject);
    for (uint32_t c = syntax_next(tree, subject); c != NONE; c = syntax_next(tree, c)) {
        if (tree->kind[c] != SYN_CASE)
            continue;
        build_expression(b, syntax_child(tree, c, 1));
        block(b, syntax_last_child(tree, c));
        build_way_ends(b, mark, &alive);
    }
    build_ways_meet(b, first, alive);
}

static void assign(struct builder *b, uint32_t node)
{
    const struct syntax *tree = b->tree;
    const uint32_t value = syntax_last_child(tree, node);
    build_expression(b, value);
    for (uint32_t target = syntax_first(tree, node); target != value; target = syntax_next(tree, target)) {
        build_bind_target(b, target, DEFINED_ASSIGN, value);
        const uint32_t changed = build_changed_name(tree, target);
        if (changed != NONE)
            build_bind(b, changed, DEFINED_CHANGE, value, false);
    }
}

static void augment(struct builder *b, uint32_t node)
{
    const struct syntax *tree = b->tree;
    const uint32_t target = syntax_child(tree, node, 0), value = syntax_child(tree, node, 1);
    build_expression(b, value);
    if (tree->kind[target] == SYN_NAME) {
        build_bind(b, target, DEFINED_AUGMENT, value, false);
        return;
    }
    build_expression(b, target);
    const uint32_t changed = build_changed_name(tree, target);
    if (changed != NONE)
        build_bind(b, changed, DEFINED_CHANGE, value, false);
}

static void imports(struct builder *b, uint32_t node)
{
    const struct syntax *tree = b->tree;
    for (uint32_t alias = syntax_first(tree, node); alias != NONE; alias = syntax_next(tree, alias)) {
        if (tree->kind[alias] != SYN_ALIAS)
            continue;
        uint32_t name = syntax_child(tree, alias, 1);
        if (!syntax_is(tree, name, SYN_NAME))
            for (name = syntax_first(tree, alias); name != NONE && tree->kind[name] == SYN_ATTRIBUTE;)
                name++; /* `import a.b` binds a */
        if (syntax_is(tree, name, SYN_NAME))
            build_bind(b, name, DEFINED_IMPORT, alias, false);
    }
}

static void define(struct builder *b, uint32_t node)
{
    const struct syntax *tree = b->tree;
    const uint32_t list = syntax_child(tree, node, 1);
    for (uint32_t p = syntax_first(tree, list); p != NONE; p = syntax_next(tree, p)) {
        const uint32_t outside = tree->kind[p] == SYN_PARAMETER ? syntax_child(tree, p, 2) : p;
        if (outside != NONE && tree->kind[outside] != SYN_ABSENT)
            build_expression(b, outside);
    }
    const uint32_t name = syntax_first(tree, node);
    if (syntax_is(tree, name, SYN_NAME))
        build_bind(b, name, DEFINED_FUNCTION, node, false);
}

static void decorated(struct builder *b, uint32_t node)
{
    const struct syntax *tree = b->tree;
    for (uint32_t part = syntax_first(tree, node); part != NONE; part = syntax_next(tree, part)) {
        if (tree->kind[part] == SYN_FUNCTION || tree->kind[part] == SYN_CLASS)
            define(b, part);
        else
            build_expression(b, part);
    }
}

static void simple(struct builder *b, uint32_t node)
{
    const struct syntax *tree = b->tree;
    build_expression(b, node);
    switch (tree->kind[node]) {
    case SYN_RETURN:
    case SYN_RAISE:
        b->dead = true;
        break;
    case SYN_EXPR: {
        const uint32_t changed = build_changed_by_call(tree, syntax_first(tree, node));
        if (changed != NONE)
            build_bind(b, changed, DEFINED_CHANGE, syntax_first(tree, node), false);
        break;
    }
    case SYN_DELETE:
        for (uint32_t part = syntax_first(tree, node); part != NONE; part = syntax_next(tree, part))
            if (tree->kind[part] == SYN_NAME)
                build_bind(b, part, DEFINED_DELETE, NONE, false);
        break;
    default:
        break;
    }
}

static void compound(struct builder *b, uint32_t node)
{
    switch (b->tree->kind[node]) {
    case SYN_IF:
        branch(b, node);
        break;
    case SYN_FOR:
    case SYN_WHILE:
        loop(b, node);
        break;
    case SYN_TRY:
        attempt(b, node);
        break;
    case SYN_WITH:
        with(b, node);
        break;
    case SYN_MATCH:
        choose(b, node);
        break;
    case SYN_BLOCK:
        block(b, node);
        break;
    default:
        break;
    }
}

static void statement(struct builder *b, uint32_t node)
{
    b->statement = node;
    switch (b->tree->kind[node]) {
    case SYN_ASSIGN:
        assign(b, node);
        break;
    case SYN_AUG_ASSIGN:
        augment(b, node);
        break;
    case SYN_ANN_ASSIGN: {
        const uint32_t value = syntax_child(b->tree, node, 2);
        if (value != NONE && b->tree->kind[value] != SYN_ABSENT) {
            build_expression(b, value);
            build_bind_target(b, syntax_child(b->tree, node, 0), DEFINED_ASSIGN, value);
        }
        break;
    }
    case SYN_IMPORT:
    case SYN_FROM_IMPORT:
        imports(b, node);
        break;
    case SYN_FUNCTION:
    case SYN_CLASS:
        define(b, node);
        break;
    case SYN_DECORATED:
        decorated(b, node);
        break;
    case SYN_BREAK:
    case SYN_CONTINUE:
        jump(b, b->tree->kind[node] == SYN_CONTINUE);
        break;
    case SYN_GLOBAL:
    case SYN_NONLOCAL:
    case SYN_PASS:
    case SYN_OTHER:
    case SYN_ERROR:
    case SYN_ABSENT:
        break;
    case SYN_IF:
    case SYN_FOR:
    case SYN_WHILE:
    case SYN_TRY:
    case SYN_WITH:
    case SYN_MATCH:
    case SYN_BLOCK:
        compound(b, node);
        break;
    default:
        simple(b, node);
    }
}

/* What stands behind a return is looked at too, as if it could be reached: it has definitions then. */
static void block(struct builder *b, uint32_t node)
{
    const struct syntax *tree = b->tree;
    if (node == NONE || !build_deeper(b, node))
        return;
    for (uint32_t s = syntax_first(tree, node); s != NONE; s = syntax_next(tree, s))
        statement(b, s);
    b->depth--;
}

static bool goes_back(const struct flow *flow, uint32_t first)
{
    for (uint32_t d = first; d < flow->def_count; d++)
        for (uint32_t i = 0; i < flow->defs[d].operands; i++)
            if (flow->operands[flow->defs[d].first_operand + i] > d)
                return true;
    return false;
}

static void function(struct builder *b, uint32_t f)
{
    struct file *file = b->file;
    const uint32_t node = file->functions[f].node;
    const enum syntax_kind kind = b->tree->kind[node];
    file->function_first_def[f] = b->flow->def_count;
    file->first_parameter_def[f] = b->flow->def_count;
    if (kind != SYN_LAMBDA) {
        b->function = f;
        b->statement = node;
        b->dead = false;
        b->depth = 0;
        const uint32_t list = scope_parameters(b->tree, node);
        if (list != NONE)
            build_parameters(b, list);
        block(b, kind == SYN_MODULE ? node : syntax_last_child(b->tree, node));
        build_undo(b, 0);
    }
    file->function_last_def[f] = b->flow->def_count;
    file->function_loops[f] = goes_back(b->flow, file->function_first_def[f]);
}

void flow_build(struct file *file)
{
    const struct syntax *tree = file->shown.tree;
    struct builder b = {.file = file, .tree = tree, .flow = &file->flow, .texts = intern_new()};
    b.text_of = mem_zeroed(tree->count * sizeof *b.text_of);
    b.binds = mem_zeroed(tree->count);
    file->flow.def_of = mem_alloc(tree->count * sizeof *file->flow.def_of);
    file->flow.node_count = tree->count;
    memset(file->flow.def_of, 0xff, tree->count * sizeof *file->flow.def_of);
    file->function_first_def = arena_array(&file->arena, file->function_count, sizeof(uint32_t));
    file->function_last_def = arena_array(&file->arena, file->function_count, sizeof(uint32_t));
    file->function_loops = arena_array(&file->arena, file->function_count, sizeof(bool));
    file->first_parameter_def = arena_array(&file->arena, file->function_count, sizeof(uint32_t));
    build_mark_all(&b);
    for (uint32_t f = 0; f < file->function_count; f++)
        function(&b, f);
    for (uint32_t s = 0; s < file->flow.slot_count; s++)
        file->flow.slots[s].text = str_copy(&file->arena, file->flow.slots[s].text);
    flow_index(&file->flow);
    flow_reach(&file->flow);
    intern_free(b.texts);
    map_free(&file->flow.slot_by_name);
    mem_free(b.text_of);
    mem_free(b.binds);
    mem_free(b.current);
    mem_free(b.outside_of);
    mem_free(b.log.at);
    mem_free(b.ways.at);
    mem_free(b.stamps);
}

void flow_free(struct flow *flow)
{
    void *const arrays[] = {flow->defs,       flow->operands, flow->def_of, flow->slots,  flow->first_use, flow->uses,
                            flow->first_next, flow->nexts,    flow->group,  flow->groups, flow->reached};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        mem_free(arrays[i]);
}

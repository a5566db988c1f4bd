/* SPDX-License-Identifier: Apache-2.0 */
/* Which names are bound or changed where: known before anything is built, for loops and nested functions ask. */
#include "flow_build.h"

#include "base/intern.h"
#include "source/known/known_words.h"

/* The name whose object a target `x[i] = ..`, `x.data[i] = ..` changes; NONE. */
uint32_t build_changed_name(const struct syntax *tree, uint32_t target)
{
    if (!syntax_is(tree, target, SYN_SUBSCRIPT))
        return NONE;
    while (tree->kind[target] == SYN_SUBSCRIPT || tree->kind[target] == SYN_ATTRIBUTE)
        target++;
    return tree->kind[target] == SYN_NAME ? target : NONE;
}

/* `x.append(v)`, `x.add_(y)`, `model.to(device)`. */
static bool is_changing(str method)
{
    return known_word(WORDS_CHANGE_AS_STATEMENT, method) ||
           (method.len > 1 && method.at[method.len - 1] == '_' && !str_ends(method, S("__")));
}

/* `batch_to_device(batch, device)` */
static uint32_t changed_argument(const struct syntax *tree, uint32_t call)
{
    if (!known_word(WORDS_CHANGE_FIRST, syntax_tail(tree, syntax_first(tree, call))))
        return NONE;
    const uint32_t first = syntax_argument(tree, call, 0, NULL);
    return syntax_is(tree, first, SYN_NAME) ? first : NONE;
}

uint32_t build_changed_by_call(const struct syntax *tree, uint32_t call)
{
    const uint32_t callee = syntax_is(tree, call, SYN_CALL) ? syntax_first(tree, call) : NONE;
    const uint32_t argument = callee == NONE ? NONE : changed_argument(tree, call);
    if (argument != NONE)
        return argument;
    if (!syntax_is(tree, callee, SYN_ATTRIBUTE) || !is_changing(syntax_tail(tree, callee)))
        return NONE;
    const uint32_t object = syntax_first(tree, callee);
    return tree->kind[object] == SYN_NAME ? object : build_changed_name(tree, object);
}

/* ---- which names are bound where, before anything is built ---- */

static void mark_target(struct builder *b, uint32_t function, uint32_t target)
{
    const struct syntax *tree = b->tree;
    if (target == NONE)
        return;
    for (uint32_t node = target, last = syntax_last(tree, target); node < last;) {
        const enum syntax_kind kind = tree->kind[node];
        if (kind == SYN_NAME) {
            b->binds[node] = BINDS;
            build_slot_bound(b, function, b->text_of[node]);
        }
        node = kind == SYN_TUPLE || kind == SYN_LIST || kind == SYN_STARRED ? node + 1 : syntax_last(tree, node);
    }
}

static void mark_changed(struct builder *b, uint32_t name)
{
    if (name != NONE)
        b->binds[name] = BINDS_CHANGE;
}

/* global and nonlocal: the slot of this function is that of the outer one. */
static void mark_outer(struct builder *b, uint32_t function, uint32_t node)
{
    const struct syntax *tree = b->tree;
    for (uint32_t name = syntax_first(tree, node); name != NONE; name = syntax_next(tree, name)) {
        if (tree->kind[name] != SYN_NAME)
            continue;
        const uint32_t slot = build_slot_bound(b, function, b->text_of[name]);
        uint32_t outer = 0;
        if (tree->kind[node] == SYN_NONLOCAL)
            for (outer = b->file->functions[function].outer;
                 outer != NONE && outer &&
                 map_get(&b->flow->slot_by_name, build_slot_key(outer, b->text_of[name])) == MAP_NONE;)
                outer = b->file->functions[outer].outer;
        if (function == 0 || outer == NONE)
            continue;
        const uint32_t target = build_slot_bound(b, outer, b->text_of[name]);
        b->flow->slots[slot].outer = target;
        b->flow->slots[target].shared = true;
    }
}

static void mark_statement(struct builder *b, uint32_t function, uint32_t node)
{
    const struct syntax *tree = b->tree;
    switch (tree->kind[node]) {
    case SYN_ASSIGN:
        for (uint32_t t = syntax_first(tree, node), last = syntax_last_child(tree, node); t != last;
             t = syntax_next(tree, t)) {
            mark_target(b, function, t);
            mark_changed(b, build_changed_name(tree, t));
        }
        break;
    case SYN_AUG_ASSIGN:
    case SYN_ANN_ASSIGN:
        mark_target(b, function, syntax_first(tree, node));
        mark_changed(b, build_changed_name(tree, syntax_first(tree, node)));
        break;
    case SYN_FOR:
    case SYN_NAMED:
    case SYN_FUNCTION:
    case SYN_CLASS:
        mark_target(b, function, syntax_first(tree, node));
        break;
    case SYN_DELETE:
        for (uint32_t t = syntax_first(tree, node); t != NONE; t = syntax_next(tree, t))
            mark_target(b, function, t);
        break;
    case SYN_WITH_ITEM:
    case SYN_EXCEPT:
        mark_target(b, function, syntax_child(tree, node, 1));
        break;
    case SYN_EXPR:
        mark_changed(b, build_changed_by_call(tree, syntax_first(tree, node)));
        break;
    case SYN_GLOBAL:
    case SYN_NONLOCAL:
        mark_outer(b, function, node);
        break;
    case SYN_ALIAS: {
        uint32_t name = syntax_child(tree, node, 1);
        if (!syntax_is(tree, name, SYN_NAME))
            for (name = syntax_first(tree, node); name != NONE && tree->kind[name] == SYN_ATTRIBUTE;)
                name++;
        mark_target(b, function, name);
        break;
    }
    default:
        break;
    }
}

void build_mark_all(struct builder *b)
{
    const struct syntax *tree = b->tree;
    const struct file *file = b->file;
    for (uint32_t node = 0; node < tree->count; node++)
        if (tree->kind[node] == SYN_NAME)
            b->text_of[node] = intern_id(b->texts, syntax_text(tree, node));
    uint32_t next = 0, function = 0;
    for (uint32_t node = 0; node < tree->count; node++) {
        while (function && node >= syntax_last(tree, file->functions[function].node))
            function = file->functions[function].outer;
        const bool opens = next < file->function_count && file->functions[next].node == node;
        mark_statement(b, function, node);
        if (opens)
            function = next++;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Names in expressions: what they read, and the names that comprehensions and lambdas bind within. */
#include "flow_build.h"

#include "base/mem.h"

static void use(struct builder *b, uint32_t name)
{
    b->flow->def_of[name] = build_read_slot(b, build_slot_of_name(b, name), name);
}

void build_bind_target(struct builder *b, uint32_t target, enum definition_kind kind, uint32_t value)
{
    const struct syntax *tree = b->tree;
    const bool unpacked = tree->kind[target] != SYN_NAME;
    for (uint32_t node = target, last = syntax_last(tree, target); node < last;) {
        switch (tree->kind[node]) {
        case SYN_NAME:
            build_bind(b, node, kind, value, unpacked);
            node++;
            break;
        case SYN_TUPLE:
        case SYN_LIST:
        case SYN_STARRED:
            node++;
            break;
        default:
            build_expression(b, node);
            node = syntax_last(tree, node);
        }
    }
}

bool build_deeper(struct builder *b, uint32_t node)
{
    if (b->depth < DEEPEST) {
        b->depth++;
        return true;
    }
    if (!b->file->shown.too_deep)
        b->file->shown.too_deep = b->tree->begin[node];
    return false;
}

/* Its targets live inside it; the element, which stands first, is evaluated last. */
static void comprehension(struct builder *b, uint32_t node)
{
    const struct syntax *tree = b->tree;
    if (!build_deeper(b, node))
        return;
    const size_t mark = b->log.count;
    const uint32_t element = syntax_first(tree, node);
    for (uint32_t part = element == NONE ? NONE : syntax_next(tree, element); part != NONE;
         part = syntax_next(tree, part)) {
        if (tree->kind[part] == SYN_COMP_FOR) {
            const uint32_t target = syntax_child(tree, part, 0), iterable = syntax_child(tree, part, 1);
            build_expression(b, iterable);
            build_bind_target(b, target, DEFINED_FOR, iterable);
        } else {
            build_expression(b, part);
        }
    }
    if (element != NONE)
        build_expression(b, element);
    build_undo(b, mark);
    b->depth--;
}

static void lambda(struct builder *b, uint32_t node)
{
    if (!build_deeper(b, node))
        return;
    const size_t mark = b->log.count;
    const uint32_t list = syntax_child(b->tree, node, 0), body = syntax_child(b->tree, node, 1);
    if (list != NONE)
        build_parameters(b, list);
    if (body != NONE)
        build_expression(b, body);
    build_undo(b, mark);
    b->depth--;
}

static bool is_read(const struct syntax *tree, uint32_t name)
{
    const uint32_t parent = tree->parent[name];
    if (tree->kind[parent] == SYN_ATTRIBUTE)
        return name == parent + 1;
    if (tree->kind[parent] == SYN_KEYWORD || tree->kind[parent] == SYN_NAMED)
        return name != parent + 1;
    return true;
}

void build_expression(struct builder *b, uint32_t node)
{
    const struct syntax *tree = b->tree;
    const uint32_t last = syntax_last(tree, node);
    uint32_t *named = NULL;
    size_t named_count = 0, room = 0;
    while (node < last) {
        switch (tree->kind[node]) {
        case SYN_NAME:
            if (is_read(tree, node))
                use(b, node);
            node++;
            break;
        case SYN_LIST_COMP:
        case SYN_SET_COMP:
        case SYN_DICT_COMP:
        case SYN_GENERATOR:
            comprehension(b, node);
            node = syntax_last(tree, node);
            break;
        case SYN_LAMBDA:
            lambda(b, node);
            node = syntax_last(tree, node);
            break;
        case SYN_NAMED:
            named = mem_grow(named, &room, named_count + 1, sizeof *named);
            named[named_count++] = node;
            node++;
            break;
        default:
            node++;
        }
    }
    while (named_count--)
        build_bind(b, syntax_child(tree, named[named_count], 0), DEFINED_ASSIGN,
                   syntax_child(tree, named[named_count], 1), false);
    mem_free(named);
}

/* ---- functions ---- */

void build_parameters(struct builder *b, uint32_t list)
{
    const struct syntax *tree = b->tree;
    for (uint32_t p = syntax_first(tree, list); p != NONE; p = syntax_next(tree, p)) {
        const uint32_t name = syntax_first(tree, p);
        if (tree->kind[p] != SYN_PARAMETER || !syntax_is(tree, name, SYN_NAME))
            continue;
        const uint32_t value = syntax_child(tree, p, 2);
        build_bind(b, name, DEFINED_PARAMETER, syntax_is(tree, value, SYN_ABSENT) ? NONE : value, false);
    }
}

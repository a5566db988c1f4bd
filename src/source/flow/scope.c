/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions and classes of a file, in one walk over its nodes. The code of
 * the module is function 0; class bodies and lambdas are functions too.
 */
#include "file.h"

#include "base/mem.h"
#include "source/known/known_words.h"

struct growing {
    struct function *functions;
    size_t function_room;
    struct class_info *classes;
    size_t class_room;
    uint32_t *stack; /* functions around the node */
    size_t stack_room;
    uint32_t depth;
};

static uint32_t count_parameters(const struct syntax *tree, uint32_t parameters)
{
    uint32_t count = 0;
    for (uint32_t p = syntax_first(tree, parameters); p != NONE; p = syntax_next(tree, p))
        count += tree->kind[p] == SYN_PARAMETER && !syntax_is(tree, syntax_child(tree, p, 0), SYN_ABSENT);
    return count;
}

uint32_t scope_parameters(const struct syntax *tree, uint32_t function)
{
    switch (tree->kind[function]) {
    case SYN_FUNCTION:
        return syntax_child(tree, function, 1);
    case SYN_LAMBDA:
        return syntax_child(tree, function, 0);
    default:
        return NONE;
    }
}

static void read_decorators(const struct syntax *tree, struct function *f)
{
    const uint32_t around = tree->parent[f->node];
    if (!syntax_is(tree, around, SYN_DECORATED))
        return;
    for (uint32_t d = syntax_first(tree, around); d != NONE && d != f->node; d = syntax_next(tree, d)) {
        const str tail = syntax_tail(tree, d);
        f->is_static |= known_word(WORDS_STATIC_METHOD, tail);
        f->is_classmethod |= known_word(WORDS_CLASS_METHOD, tail);
        f->is_property |= known_word(WORDS_PROPERTY, tail);
    }
}

static void enter(struct file *file, struct growing *g, uint32_t node)
{
    const struct syntax *tree = file->shown.tree;
    g->functions = mem_grow(g->functions, &g->function_room, file->function_count + 1, sizeof *g->functions);
    struct function *f = &g->functions[file->function_count];
    *f = (struct function){.node = node, .class_id = NONE, .outer = g->depth ? g->stack[g->depth - 1] : NONE};
    const enum syntax_kind kind = tree->kind[node];
    f->name = kind == SYN_MODULE   ? S("<module>")
              : kind == SYN_LAMBDA ? S("<lambda>")
                                   : syntax_text(tree, syntax_child(tree, node, 0));
    const uint32_t parameters = scope_parameters(tree, node);
    if (parameters != NONE)
        f->parameters = count_parameters(tree, parameters);
    if (kind == SYN_CLASS) {
        g->classes = mem_grow(g->classes, &g->class_room, file->class_count + 1, sizeof *g->classes);
        g->classes[file->class_count] = (struct class_info){.node = node, .name = f->name};
        f->class_id = file->class_count++; /* until the walk is over: of the body too */
    } else if (kind == SYN_FUNCTION) {
        if (f->outer != NONE && tree->kind[g->functions[f->outer].node] == SYN_CLASS)
            f->class_id = g->functions[f->outer].class_id;
        read_decorators(tree, f);
    }
    g->stack = mem_grow(g->stack, &g->stack_room, g->depth + 1, sizeof *g->stack);
    g->stack[g->depth++] = file->function_count++;
}

void scope_find(struct file *file)
{
    const struct syntax *tree = file->shown.tree;
    struct growing g = {0};
    for (uint32_t node = 0; node < tree->count; node++) {
        while (g.depth && node >= syntax_last(tree, g.functions[g.stack[g.depth - 1]].node))
            g.depth--;
        const enum syntax_kind kind = tree->kind[node];
        if (kind == SYN_MODULE || kind == SYN_FUNCTION || kind == SYN_LAMBDA || kind == SYN_CLASS)
            enter(file, &g, node);
        else if (kind == SYN_YIELD && g.depth)
            g.functions[g.stack[g.depth - 1]].is_generator = true;
    }
    file->functions = arena_array(&file->arena, file->function_count, sizeof *file->functions);
    memcpy(file->functions, g.functions, file->function_count * sizeof *file->functions);
    file->classes = arena_array(&file->arena, file->class_count, sizeof *file->classes);
    if (file->class_count)
        memcpy(file->classes, g.classes, file->class_count * sizeof *file->classes);
    mem_free(g.functions);
    mem_free(g.classes);
    mem_free(g.stack);
}

/* The code of a function is its block; defaults, decorators, bases and annotations run outside. */
static bool scope_owns(const struct file *file, uint32_t function, uint32_t node)
{
    const struct syntax *tree = file->shown.tree;
    const uint32_t at = file->functions[function].node;
    if (tree->kind[at] == SYN_MODULE)
        return true;
    if (!syntax_inside(tree, node, at) || node == at)
        return false;
    const uint32_t body = syntax_last_child(tree, at);
    const uint32_t parent = tree->parent[node];
    return body != NONE && (node >= body || (node == parent + 1 && tree->parent[parent] == scope_parameters(tree, at)));
}

/* Functions lie in the order of their nodes: the last that begins at or before the node, or one around that. */
uint32_t scope_function_at(const struct file *file, uint32_t node)
{
    const struct syntax *tree = file->shown.tree;
    uint32_t low = 0, high = file->function_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        *(file->functions[middle].node < node ? &low : &high) = middle;
    }
    while (low && node >= syntax_last(tree, file->functions[low].node))
        low = file->functions[low].outer;
    while (low && !scope_owns(file, low, node))
        low = file->functions[low].outer;
    return low;
}

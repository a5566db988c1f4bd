/* SPDX-License-Identifier: Apache-2.0 */
#include "empty.h"

static bool is_number(const struct syntax *tree, uint32_t node, const char *number)
{
    return syntax_is(tree, node, SYN_INTEGER) && str_eq(syntax_text(tree, node), str_of(number));
}

static bool is_tensor(const struct project *project, struct site site)
{
    return node_value(project, &project->files.at[site.file], site.node)->kind == VALUE_TENSOR;
}

/* `x.shape[0]`, `x.size(0)`, `x.numel()`, `len(x)`: how much there is of a tensor. */
static bool is_count(const struct project *project, struct site site)
{
    const struct syntax *tree = project_tree(project, site.file);
    const uint32_t node = site.node;
    if (tree->kind[node] == SYN_SUBSCRIPT)
        return syntax_is(tree, node + 1, SYN_ATTRIBUTE) && str_eq(syntax_tail(tree, node + 1), S("shape")) &&
               is_number(tree, syntax_child(tree, node, 1), "0");
    if (tree->kind[node] != SYN_CALL)
        return false;
    const uint32_t argument = syntax_argument(tree, node, 0, NULL);
    if (tree->kind[node + 1] == SYN_ATTRIBUTE)
        return (syntax_calls(tree, node, S("size")) && argument != NONE && is_number(tree, argument, "0")) ||
               syntax_calls(tree, node, S("numel")) || syntax_calls(tree, node, S("nelement"));
    return syntax_calls(tree, node, S("len")) && argument != NONE &&
           is_tensor(project, (struct site){site.file, argument});
}

/* The mask of `mask.sum()`; NONE. */
static uint32_t summed(const struct syntax *tree, uint32_t node)
{
    const bool calls = syntax_calls(tree, node, S("sum")) && tree->kind[node + 1] == SYN_ATTRIBUTE;
    return calls && tree->kind[node + 2] == SYN_NAME && tree->size[syntax_child(tree, node, 1)] == 1 ? node + 2 : NONE;
}

/* Whether the branch works on what the mask chooses: `x[mask]`, `x[mask, :]`. */
static bool chooses(const struct syntax *tree, uint32_t branch, uint32_t mask)
{
    for (uint32_t n = branch; n < syntax_last(tree, branch); n++) {
        if (tree->kind[n] != SYN_NAME || !syntax_same(tree, n, tree, mask))
            continue;
        const uint32_t up = tree->kind[tree->parent[n]] == SYN_TUPLE ? tree->parent[n] : n;
        if (tree->kind[tree->parent[up]] == SYN_SUBSCRIPT && up != tree->parent[up] + 1)
            return true;
    }
    return false;
}

/* `count == 0`, `count < 1`: nothing; `count > 0`, `count != 0`, `count >= 1`: something. */
static enum empty compared(const struct syntax *tree, uint32_t test)
{
    const uint32_t right = syntax_child(tree, test, 1);
    const bool none = is_number(tree, right, "0"), one = is_number(tree, right, "1");
    switch (tree->op[test]) {
    case OP_EQUAL:
        return none ? EMPTY_HOLDS : EMPTY_NOT_ASKED;
    case OP_LESS:
        return one ? EMPTY_HOLDS : EMPTY_NOT_ASKED;
    case OP_GREATER:
    case OP_NOT_EQUAL:
        return none ? EMPTY_HOLDS_NOT : EMPTY_NOT_ASKED;
    case OP_GREATER_EQUAL:
        return one ? EMPTY_HOLDS_NOT : EMPTY_NOT_ASKED;
    default:
        return EMPTY_NOT_ASKED;
    }
}

static enum empty turned(enum empty empty)
{
    return empty == EMPTY_HOLDS ? EMPTY_HOLDS_NOT : empty == EMPTY_HOLDS_NOT ? EMPTY_HOLDS : empty;
}

enum empty empty_asked(const struct project *project, struct site test)
{
    const struct syntax *tree = project_tree(project, test.file);
    if (tree->kind[test.node] == SYN_NOT)
        return turned(empty_asked(project, (struct site){test.file, test.node + 1}));
    if (is_count(project, test))
        return EMPTY_HOLDS_NOT;
    if (tree->kind[test.node] != SYN_COMPARE || syntax_child_count(tree, test.node) != 2)
        return EMPTY_NOT_ASKED;
    const enum empty empty = compared(tree, test.node);
    if (is_count(project, (struct site){test.file, test.node + 1}))
        return empty;
    const uint32_t mask = summed(tree, test.node + 1), around = tree->parent[test.node];
    const bool chosen = empty == EMPTY_HOLDS_NOT && mask != NONE && tree->kind[around] == SYN_IF &&
                        chooses(tree, syntax_child(tree, around, 1), mask);
    return chosen ? empty : EMPTY_NOT_ASKED;
}

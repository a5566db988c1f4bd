/* SPDX-License-Identifier: Apache-2.0 */
#include "origin.h"

enum { MOST_HOPS = 8, LARGEST = 20000 };

static const struct limit far = {
    "made-by",
    "what an expression holds comes through more than 8 names and calls; which expression made it is not known"};

int64_t origin_part(const struct syntax *tree, uint32_t name)
{
    const uint32_t tuple = tree->parent[name];
    if (!syntax_is(tree, tuple, SYN_TUPLE))
        return -1;
    int64_t part = 0;
    for (uint32_t at = syntax_first(tree, tuple); at != name; at = syntax_next(tree, at), part++)
        if (at == SYNTAX_NONE || syntax_is(tree, at, SYN_STARRED))
            return -1;
    return part;
}

static const struct limit large = {"returned-by",
                                   "a function has more than 20,000 nodes of the tree; what it returns is not known"};

struct site origin_returned(const struct project *project, uint32_t function)
{
    const struct function *const found = project_function(project, function);
    const struct syntax *const tree = project_tree(project, found->file);
    uint32_t value = SYNTAX_NONE;
    if (!syntax_is(tree, found->node, SYN_FUNCTION) || found->is_generator)
        return site_none;
    if (tree->size[found->node] > LARGEST) {
        project_limit(project, &large, (struct site){found->file, found->node});
        return site_none;
    }
    for (uint32_t at = found->node + 1; at < syntax_last(tree, found->node); at++) {
        if (!syntax_is(tree, at, SYN_RETURN) || syntax_function(tree, at) != found->node)
            continue;
        if (value != SYNTAX_NONE)
            return site_none;
        value = syntax_first(tree, at);
    }
    return value == SYNTAX_NONE ? site_none : (struct site){found->file, value};
}

/* Part of what is unpacked: of a tuple that is written down, or that a function of the run returns. */
static struct site part_of(const struct project *project, struct site whole, int64_t part)
{
    if (part < 0)
        return site_none;
    if (syntax_is(project_tree(project, whole.file), whole.node, SYN_CALL)) {
        const uint32_t function = name_target(project, whole);
        whole = function == SYNTAX_NONE ? site_none : origin_returned(project, function);
    }
    if (site_is_none(whole) || !syntax_is(project_tree(project, whole.file), whole.node, SYN_TUPLE))
        return site_none;
    return (struct site){whole.file, syntax_child(project_tree(project, whole.file), whole.node, (uint32_t)part)};
}

struct site origin_of(const struct project *project, struct site at)
{
    int hops = 0;
    for (; hops < MOST_HOPS; hops++) {
        const struct syntax *const tree = project_tree(project, at.file);
        const struct definition *const definition =
            syntax_is(tree, at.node, SYN_NAME) ? flow_definition(project, at) : NULL;
        if (!definition || definition->kind != DEFINED_ASSIGN || definition->value == SYNTAX_NONE)
            break;
        const struct site value = {at.file, definition->value};
        const struct site next =
            definition->unpacked ? part_of(project, value, origin_part(tree, definition->name)) : value;
        if (site_is_none(next))
            break;
        at = next;
    }
    if (hops == MOST_HOPS)
        project_limit(project, &far, at);
    return at;
}

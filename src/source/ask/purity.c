/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions that give the same again: without effects, and without anything in them that a loop changes. */
#include "flow.h"
#include "source/known/known.h"
#include "name.h"
#include "rounds.h"
#include "effects.h"

/* A library computes something and gives it: the table of public functions has a row for it, and it fills no out=. */
bool flow_only_computes(const struct project *project, struct site call)
{
    const struct file *file = &project->files.at[call.file];
    const struct value *callee = node_value(project, file, syntax_first(file->shown.tree, call.node));
    if (callee->kind == VALUE_DTYPE)
        return true;
    if (callee->kind == VALUE_CLASS)
        return false;
    const struct known *known = callee->name ? callee->name->known : NULL;
    if (!known || known->effect || known->flags & VALUE_RANDOM)
        return false;
    const str name = callee->name->text;
    const bool in_place = name.len > 1 && name.at[name.len - 1] == '_';
    if (syntax_argument(file->shown.tree, call.node, UINT32_MAX, "out") != NONE)
        return false;
    return !in_place && !str_has(name, S("random")) && known->kind != VALUE_WRITER && known->kind != VALUE_LOADER;
}

static bool call_is_pure(const struct project *project, struct site call)
{
    const uint32_t target = name_target(project, call);
    return target != NONE ? summary_pure(summary_of(project, target)) : flow_only_computes(project, call);
}

bool flow_pure(const struct project *project, struct site expression)
{
    const struct syntax *tree = project_tree(project, expression.file);
    for (uint32_t node = expression.node, last = syntax_last(tree, node); node < last; node++) {
        const enum syntax_kind kind = tree->kind[node];
        if (kind == SYN_YIELD || kind == SYN_AWAIT || kind == SYN_NAMED || kind == SYN_ERROR)
            return false;
        if (kind == SYN_CALL && !call_is_pure(project, (struct site){expression.file, node}))
            return false;
    }
    return true;
}

/* `fill(x)`: a call that nobody knows, and whose result nobody takes, is made for what it does to x. */
static bool is_given_for_effect(const struct project *project, struct site use)
{
    const struct syntax *tree = project_tree(project, use.file);
    const uint32_t list = tree->parent[use.node], call = tree->parent[list];
    if (tree->kind[list] != SYN_ARGUMENTS || !syntax_is(tree, tree->parent[call], SYN_EXPR))
        return false;
    const struct site site = {use.file, call};
    const struct value *callee = node_value(project, &project->files.at[use.file], call + 1);
    return name_target(project, site) == NONE && callee->kind != VALUE_MODULE && callee->kind != VALUE_LOSS &&
           !(callee->name && callee->name->known) && effects_use(project, site) == USE_UNKNOWN;
}

static bool any_use_changes(const struct project *project, uint32_t file, const struct definition *definition,
                            uint32_t loop)
{
    uint32_t uses[FLOW_MOST_USES];
    const uint32_t count = flow_uses(project, file, definition, uses, FLOW_MOST_USES);
    const struct syntax *tree = project_tree(project, file);
    for (uint32_t i = 0; i < count && i < FLOW_MOST_USES; i++)
        if (syntax_inside(tree, uses[i], loop) && is_given_for_effect(project, (struct site){file, uses[i]}))
            return true;
    return false;
}

static bool name_is_invariant(const struct project *project, struct site name, uint32_t loop);

/* torch.from_numpy(array): one memory under two names. */
static bool shares_what_changes(const struct project *project, struct site value, uint32_t loop)
{
    const struct syntax *tree = project_tree(project, value.file);
    if (!syntax_is(tree, value.node, SYN_CALL))
        return false;
    const struct value *callee = node_value(project, &project->files.at[value.file], value.node + 1);
    const struct known *known = callee->name ? callee->name->known : NULL;
    const uint32_t first = syntax_argument(tree, value.node, 0, NULL);
    return known && known->special == SPECIAL_FROM_NUMPY && syntax_is(tree, first, SYN_NAME) &&
           !name_is_invariant(project, (struct site){value.file, first}, loop);
}

/* A name whose definitions all stand outside of the loop. */
static bool name_is_invariant(const struct project *project, struct site name, uint32_t loop)
{
    const struct syntax *tree = project_tree(project, name.file);
    const struct definition *found[FLOW_MOST_DEFINITIONS];
    const uint32_t count = flow_definitions(project, name, found, FLOW_MOST_DEFINITIONS);
    if (count > FLOW_MOST_DEFINITIONS)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const bool inside = found[i]->name != NONE && syntax_inside(tree, found[i]->name, loop);
        if (found[i]->kind != DEFINED_OUTSIDE && inside)
            return false;
        if (any_use_changes(project, name.file, found[i], loop) ||
            (found[i]->kind == DEFINED_ASSIGN && found[i]->value != NONE &&
             shares_what_changes(project, (struct site){name.file, found[i]->value}, loop)))
            return false;
    }
    return !flow_changes(project, name, loop);
}

/* Whether a call below the loop may bind this attribute of self: methods of the run that bind attributes. */
static bool attribute_at_risk(const struct project *project, struct site attribute, uint32_t loop)
{
    const struct syntax *tree = project_tree(project, attribute.file);
    for (uint32_t node = loop, last = syntax_last(tree, loop); node < last; node++) {
        if (tree->kind[node] != SYN_CALL)
            continue;
        const uint32_t target = name_target(project, (struct site){attribute.file, node});
        if (target == NONE || !(summary_of(project, target)->effects & EFFECT_ATTRIBUTE))
            continue;
        const struct function *f = project_function(project, target);
        const struct syntax *there = project_tree(project, f->file);
        for (uint32_t n = f->node, end = syntax_last(there, f->node); n < end; n++)
            if (there->kind[n] == SYN_ATTRIBUTE && str_eq(syntax_tail(there, n), syntax_tail(tree, attribute.node)) &&
                flow_changes(project, (struct site){f->file, n}, f->node))
                return true;
    }
    return false;
}

bool flow_invariant(const struct project *project, struct site expression, uint32_t loop)
{
    const struct syntax *tree = project_tree(project, expression.file);
    if (!flow_pure(project, expression))
        return false;
    for (uint32_t node = expression.node, last = syntax_last(tree, node); node < last; node++) {
        const struct site site = {expression.file, node};
        if (tree->kind[node] == SYN_NAME && !syntax_is_member_name(tree, node)) {
            const struct definition *own = flow_definition(project, site);
            const bool inside = own && own->name != NONE && syntax_inside(tree, own->name, expression.node);
            if (!inside && !flow_bound(project, site) && !name_is_invariant(project, site, loop))
                return false;
        } else if (tree->kind[node] == SYN_ATTRIBUTE && !syntax_is(tree, tree->parent[node], SYN_CALL)) {
            if (flow_changes(project, site, loop) || attribute_at_risk(project, site, loop))
                return false;
        }
    }
    return true;
}

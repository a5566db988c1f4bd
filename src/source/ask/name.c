/* SPDX-License-Identifier: Apache-2.0 */
/* Names and targets of calls, as evaluation found them. */
#include "name.h"

#include <stdlib.h>

#include "rounds.h"

static str name_in_run(const struct project *project, const struct value *value)
{
    const bool function = value->kind == VALUE_FUNCTION;
    const uint32_t file =
        function ? project->files.functions[value->detail].file : project->files.classes[value->detail].file;
    const uint32_t class_id = function ? project->files.functions[value->detail].class_id : NONE;
    const struct name *name = names_get(project->files.names, project->files.at[file].shown.module);
    if (class_id != NONE)
        name = names_dot(project->files.names, name, project->files.classes[class_id].name);
    name =
        names_dot(project->files.names, name,
                  function ? project->files.functions[value->detail].name : project->files.classes[value->detail].name);
    return name->text;
}

str name_of(const struct project *project, struct site expression)
{
    if (site_is_none(expression))
        return S("");
    const struct file *file = &project->files.at[expression.file];
    const struct syntax *tree = file->shown.tree;
    const uint32_t node =
        tree->kind[expression.node] == SYN_CALL ? syntax_first(tree, expression.node) : expression.node;
    const struct value *value = node_value(project, file, node);
    if ((value->kind == VALUE_FUNCTION || value->kind == VALUE_CLASS) && value->detail != NONE)
        return name_in_run(project, value);
    return value->name ? value->name->text : S("");
}

bool name_is(const struct project *project, struct site expression, const char *qualified)
{
    return str_eq(name_of(project, expression), str_of(qualified));
}

bool name_under(const struct project *project, struct site expression, const char *prefix)
{
    return str_starts(name_of(project, expression), str_of(prefix));
}

static int by_node(const void *key, const void *call)
{
    const uint32_t a = *(const uint32_t *)key, b = ((const struct call *)call)->node;
    return a < b ? -1 : a > b;
}

/* Calls lie in the order of their nodes once summaries are built. NULL too where several functions are reached. */
const struct call *call_at(const struct project *project, struct site site)
{
    const struct calls *calls = calls_of(project, site.file);
    if (!calls->count)
        return NULL;
    const struct call *found = bsearch(&site.node, calls->at, calls->count, sizeof *calls->at, by_node);
    const struct call *const last = calls->at + calls->count - 1;
    const bool several =
        found && ((found > calls->at && found[-1].node == site.node) || (found < last && found[1].node == site.node));
    return several ? NULL : found;
}

const struct call *name_calls(const struct project *project, struct site call, uint32_t *count)
{
    const struct calls *calls = calls_of(project, call.file);
    const struct call *const end = calls->at + calls->count;
    const struct call *first =
        calls->count ? bsearch(&call.node, calls->at, calls->count, sizeof *calls->at, by_node) : NULL;
    *count = 0;
    while (first && first > calls->at && first[-1].node == call.node)
        first--;
    for (const struct call *at = first; at && at < end && at->node == call.node; at++)
        ++*count;
    return first;
}

uint32_t name_target(const struct project *project, struct site call)
{
    const struct call *found = call_at(project, call);
    return found ? found->target : NONE;
}

uint32_t name_argument_to(const struct project *project, struct site call, uint32_t target, uint32_t self, uint32_t k)
{
    const struct syntax *tree = project_tree(project, call.file);
    if (self && k == 0) {
        const uint32_t callee = syntax_first(tree, call.node);
        return tree->kind[callee] == SYN_ATTRIBUTE ? syntax_first(tree, callee) : NONE;
    }
    uint32_t position = 0;
    const uint32_t list = syntax_child(tree, call.node, 1);
    for (uint32_t a = syntax_first(tree, list); a != NONE; a = syntax_next(tree, a)) {
        if (tree->kind[a] == SYN_STARRED)
            return NONE;
        if (tree->kind[a] == SYN_DOUBLE_STARRED)
            continue;
        if (call_parameter_of(&project->files, target, tree, a, position, self) == k)
            return tree->kind[a] == SYN_KEYWORD ? syntax_child(tree, a, 1) : a;
        position += tree->kind[a] != SYN_KEYWORD;
    }
    return NONE;
}

uint32_t name_argument(const struct project *project, struct site call, uint32_t k)
{
    const struct call *found = call_at(project, call);
    return found ? name_argument_to(project, call, found->target, found->self, k) : NONE;
}

const struct site *name_callers(const struct project *project, uint32_t function, uint32_t *count)
{
    *count = project->summaries.first_caller[function + 1] - project->summaries.first_caller[function];
    return project->summaries.callers + project->summaries.first_caller[function];
}

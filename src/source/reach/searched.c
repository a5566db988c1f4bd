/* SPDX-License-Identifier: Apache-2.0 */
#include "searched.h"

static const struct searched nothing = {SEARCHED_NOTHING, NONE, {NULL, 0}};

static struct searched in_file(uint32_t file)
{
    return file == NONE ? nothing : (struct searched){SEARCHED_FILE, file, S("")};
}

static uint32_t file_of(const struct project *project, struct site module)
{
    const struct value *value = node_value(project, &project->files.at[module.file], module.node);
    return value->kind == VALUE_IMPORT ? value->detail : NONE;
}

static str unquoted(const struct syntax *tree, uint32_t node)
{
    const str text = syntax_is(tree, node, SYN_STRING) ? syntax_text(tree, node) : S("");
    return text.len > 2 ? (str){text.at + 1, text.len - 2} : S("");
}

/* getattr(nets, name), getattr(sys.modules[__name__], name), getattr(x, "NAME"). */
static struct searched by_getattr(const struct project *project, struct site object, uint32_t name)
{
    const struct syntax *tree = project_tree(project, object.file);
    const uint32_t of_run = file_of(project, object);
    if (name != NONE && tree->kind[name] == SYN_STRING && syntax_child_count(tree, name) == 0)
        return (struct searched){SEARCHED_NAME, NONE, unquoted(tree, name)};
    if (of_run != NONE || tree->kind[object.node] != SYN_SUBSCRIPT)
        return in_file(of_run);
    const uint32_t index = syntax_child(tree, object.node, 1);
    return syntax_is(tree, index, SYN_NAME) && str_eq(syntax_text(tree, index), S("__name__")) ? in_file(object.file)
                                                                                               : nothing;
}

/* What a text that is put together begins with: f"nets.{x}", "nets." + x, "nets.{}".format(x), "nets.%s" % x. */
static str beginning(const struct syntax *tree, uint32_t text)
{
    while (text != NONE &&
           (tree->kind[text] == SYN_BINARY || tree->kind[text] == SYN_CALL || tree->kind[text] == SYN_ATTRIBUTE))
        text++;
    if (!syntax_is(tree, text, SYN_STRING))
        return S("");
    str quoted = syntax_text(tree, text);
    while (quoted.len && quoted.at[0] != '\'' && quoted.at[0] != '"')
        quoted = (str){quoted.at + 1, quoted.len - 1};
    size_t from = 0, to;
    while (from < quoted.len && (quoted.at[from] == '\'' || quoted.at[from] == '"' || quoted.at[from] == '.'))
        from++;
    for (to = from; to < quoted.len && !strchr("{%'\"", quoted.at[to]);)
        to++;
    return (str){quoted.at + from, to - from};
}

static struct searched by_import(const struct syntax *tree, uint32_t name)
{
    return (struct searched){SEARCHED_MODULES, NONE, name == NONE ? S("") : beginning(tree, name)};
}

static struct searched by_name(const struct project *project, struct site call)
{
    const struct syntax *tree = project_tree(project, call.file);
    const str called = syntax_text(tree, call.node + 1);
    const uint32_t object = syntax_argument(tree, call.node, 0, NULL);
    const enum syntax_kind used =
        (enum syntax_kind)tree->kind[tree->parent[call.node]]; /* globals()[x], vars(y).get(x) */
    if (str_eq(called, S("getattr")) && object != NONE)
        return by_getattr(project, (struct site){call.file, object}, syntax_argument(tree, call.node, 1, NULL));
    if (str_is_among("globals locals vars", called) && (used == SYN_SUBSCRIPT || used == SYN_ATTRIBUTE))
        return in_file(object == NONE ? call.file : file_of(project, (struct site){call.file, object}));
    if (str_is_among("eval exec", called))
        return in_file(call.file);
    return str_is_among("import_module __import__ locate", called) ? by_import(tree, object) : nothing;
}

struct searched searched_at(const struct project *project, struct site site)
{
    const struct syntax *tree = project_tree(project, site.file);
    const bool called = tree->kind[site.node] == SYN_CALL;
    if (called && tree->kind[site.node + 1] == SYN_NAME)
        return by_name(project, site);
    const uint32_t attribute = called ? site.node + 1 : site.node;
    const str tail = tree->kind[attribute] == SYN_ATTRIBUTE ? syntax_tail(tree, attribute) : S("");
    if (called && str_is_among("import_module locate", tail))
        return by_import(tree, syntax_argument(tree, site.node, 0, NULL));
    if (called && str_eq(tail, S("getmembers")) && syntax_argument(tree, site.node, 0, NULL) != NONE)
        return in_file(file_of(project, (struct site){site.file, syntax_argument(tree, site.node, 0, NULL)}));
    if (!called && str_eq(tail, S("__dict__")))
        return in_file(file_of(project, (struct site){site.file, attribute + 1}));
    return !called && str_eq(tail, S("__subclasses__")) ? (struct searched){SEARCHED_ALL, NONE, S("")} : nothing;
}

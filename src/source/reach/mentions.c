/* SPDX-License-Identifier: Apache-2.0 */
#include "mentions.h"

#include "base/mem.h"
#include "mention_units.h"
#include "searched.h"
#include "source/gates/off.h"

/* ---- what names what ---- */

/* `tail`: of an object that nobody knows, and that may have a method of the name of a function. */
static void add_named(const struct project *project, struct mentions *mentions, uint32_t from, str name, struct site at,
                      bool tail)
{
    bool near = true;
    const uint32_t own = tail ? MAP_NONE : mention_own_variable(mentions, at.file, name);
    const uint32_t unit = own == MAP_NONE ? mention_unit_meant(project, mentions, at.file, name, &near) : own;
    const bool by_tail = tail && map_get(&mentions->functions, mention_key(name)) != MAP_NONE;
    const bool of_object = tail && map_get(&mentions->class_names, mention_key(name)) == MAP_NONE; /* `self.net` */
    const size_t before = mentions->count;
    if (unit != MAP_NONE)
        mention_add(mentions, from, unit, at, near && !by_tail && !of_object);
    if (mentions->count > before)
        mentions->at[before].weak = by_tail;
}

enum asks { ASKS_AS_AROUND, ASKS_ONLY, ASKS_NOT };

static enum asks asks_if(bool only)
{
    return only ? ASKS_ONLY : ASKS_NOT;
}

/* `x: Net`, `-> Net`, isinstance(x, Net): of what somebody else has made. What it is a part of may say. */
static enum asks asks_there(const struct syntax *tree, uint32_t at)
{
    const uint32_t up = tree->parent[at];
    switch (tree->kind[up]) {
    case SYN_PARAMETER:
    case SYN_ANN_ASSIGN:
        return asks_if(at == syntax_child(tree, up, 1));
    case SYN_FUNCTION:
        return asks_if(at == syntax_child(tree, up, 2));
    case SYN_CALL:
        return asks_if(syntax_calls(tree, up, S("isinstance")));
    case SYN_SUBSCRIPT:
    case SYN_ATTRIBUTE:
    case SYN_TUPLE:
    case SYN_BINARY:
    case SYN_ARGUMENTS:
    case SYN_LIST:
        return ASKS_AS_AROUND;
    default:
        return ASKS_NOT;
    }
}

/* `known`: per node, what was found for those below which others stood; so a long sum is gone up once. */
static bool only_asks(const struct syntax *tree, uint8_t *known, uint32_t node)
{
    uint32_t at = node;
    enum asks asks;
    while (!(asks = known[at]) && !(asks = asks_there(tree, at)))
        at = tree->parent[at];
    known[at] = (uint8_t)asks;
    for (uint32_t below = node; below != at; below = tree->parent[below])
        known[below] = (uint8_t)asks;
    return asks == ASKS_ONLY;
}

/* The names of what is bound where they stand, and of arguments, name nothing else. */
static bool names_itself(const struct syntax *tree, uint32_t node)
{
    const uint32_t parent = tree->parent[node];
    switch (tree->kind[parent]) {
    case SYN_FUNCTION:
    case SYN_CLASS:
    case SYN_KEYWORD:
    case SYN_PARAMETER:
        return node == parent + 1;
    case SYN_GLOBAL:
    case SYN_NONLOCAL:
        return true;
    default:
        return false;
    }
}

static bool is_local(const struct project *project, struct site name)
{
    enum { MOST = 4 };
    const struct definition *found[MOST];
    if (mention_in_module(project, name))
        return false;
    if (flow_bound(project, name))
        return true;
    const uint32_t count = flow_definitions(project, name, found, MOST);
    for (uint32_t i = 0; i < count && i < MOST; i++)
        if (found[i]->kind != DEFINED_OUTSIDE && found[i]->kind != DEFINED_IMPORT && found[i]->kind != DEFINED_FUNCTION)
            return true;
    return false;
}

/* One of several classes or functions too; whether it is one of the run. */
static bool add_value(struct mentions *mentions, uint32_t from, const struct value *value, struct site at)
{
    const bool is = value->kind == VALUE_CLASS || value->kind == VALUE_FUNCTION;
    if (is && value->detail != NONE) {
        mention_add(mentions, from, value->kind == VALUE_CLASS ? mentions->classes + value->detail : value->detail, at,
                    true);
        return true;
    }
    bool any = false;
    for (uint32_t i = 0; is && value->items && i < value_item_slots(value); i++)
        any |= add_value(mentions, from, value->items[i], at);
    return any;
}

/* `register("net", Net)` as a statement of a module. */
static bool is_registered(const struct syntax *tree, uint32_t node)
{
    const uint32_t statement = syntax_statement(tree, node);
    return tree->kind[statement] == SYN_EXPR && tree->kind[tree->parent[statement]] == SYN_MODULE &&
           tree->kind[statement + 1] == SYN_CALL && syntax_is(tree, tree->parent[node], SYN_ARGUMENTS);
}

static void add_name(const struct project *project, struct mentions *mentions, uint32_t from, struct site site)
{
    const struct file *file = &project->files.at[site.file];
    const struct syntax *tree = file->shown.tree;
    const uint32_t parent = tree->parent[site.node];
    const bool tail = tree->kind[parent] == SYN_ATTRIBUTE && site.node != parent + 1;
    const struct site whole = {site.file, tail ? parent : site.node};
    const struct value *value = node_value(project, file, whole.node);
    if (value->kind == VALUE_CLASS && value->detail != NONE && is_registered(tree, whole.node))
        mentions->registered[value->detail] = true;
    const bool of_library = value->name && value->detail == NONE && !value->items;
    if (add_value(mentions, from, value, site) || (tail && of_library) || (!tail && is_local(project, site)))
        return;
    add_named(project, mentions, from, syntax_text(tree, site.node), site, tail);
}

/* What another module has of this name. */
static void add_imported(const struct project *project, struct mentions *mentions, uint32_t from, str name,
                         struct site at)
{
    bool near;
    const uint32_t unit = mention_unit_meant(project, mentions, at.file, name, &near);
    if (unit != MAP_NONE)
        mention_add(mentions, from, unit, at, near);
}

/* Of `from x import a as b` what is called b is what is called a. */
static void add_alias(const struct project *project, struct mentions *mentions, struct site alias)
{
    const struct syntax *tree = project_tree(project, alias.file);
    const uint32_t bound = syntax_child(tree, alias.node, 1);
    const str name = syntax_is(tree, alias.node + 1, SYN_ATTRIBUTE) ? syntax_tail(tree, alias.node + 1)
                                                                    : syntax_text(tree, alias.node + 1);
    if (syntax_is(tree, bound, SYN_ABSENT))
        return;
    add_imported(project, mentions, mention_unit_near(project, mentions, alias.file, syntax_text(tree, bound)), name,
                 alias);
    const uint32_t own = mention_own_variable(mentions, alias.file, syntax_text(tree, bound));
    if (own != MAP_NONE)
        add_imported(project, mentions, own, name, alias);
}

static bool is_of_path(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("_.:/", c);
}

/* Net of "Net", "pkg.nets.Net", "pkg.nets:Net()"; "" of what is no path to a thing of the run. */
static str named_by_text(str quoted)
{
    if (quoted.len < 3)
        return S("");
    size_t from = 1, to = 1;
    for (; to + 1 < quoted.len && is_of_path(quoted.at[to]); to++)
        if (strchr(".:/", quoted.at[to]))
            from = to + 1;
    const bool whole = to + 1 == quoted.len || quoted.at[to] == '(';
    return whole ? (str){quoted.at + from, to - from} : S("");
}

/* What a package gives to who imports it is no setting. */
static bool is_export(const struct project *project, const struct syntax *tree, struct site text)
{
    const uint32_t bound = mention_bound_by(tree, syntax_statement(tree, text.node));
    return str_eq(path_last(project->files.at[text.file].shown.path), S("__init__.py")) ||
           (bound != NONE && str_eq(syntax_text(tree, bound), S("__all__")));
}

/* A text that stands alone says what something is for, and one that is compared what it is called. */
static void add_words(const struct project *project, struct mentions *mentions, uint32_t from, struct site site)
{
    const struct syntax *tree = project_tree(project, site.file);
    const str text = syntax_text(tree, site.node);
    if (tree->kind[tree->parent[site.node]] == SYN_EXPR || tree->kind[tree->parent[site.node]] == SYN_COMPARE)
        return;
    const bool setting = mention_in_module(project, site) && !is_export(project, tree, site);
    const str name = named_by_text(text);
    const uint32_t unit = name.len ? map_get(&mentions->class_names, mention_key(name)) : MAP_NONE;
    if (unit == MAP_NONE)
        return;
    mention_add(mentions, from, unit, site, false);
    mentions->at[mentions->count - 1].weak = is_export(project, tree, site);
    mentions->at[mentions->count - 1].asked = !mentions->at[mentions->count - 1].weak;
    if (setting)
        map_put(&mentions->settings, mention_key(name), 0);
}

/* The statement that imports, of a name in it; NONE. */
static uint32_t import_of(const struct syntax *tree, uint32_t node)
{
    while (tree->kind[node] == SYN_ATTRIBUTE || tree->kind[node] == SYN_NAME || tree->kind[node] == SYN_ALIAS)
        node = tree->parent[node];
    return tree->kind[node] == SYN_FROM_IMPORT || tree->kind[node] == SYN_IMPORT ? node : NONE;
}

/* What a module imports stands among its names. */
static void add_import(const struct project *project, struct mentions *mentions, struct site name)
{
    const struct syntax *tree = project_tree(project, name.file);
    const uint32_t alias = tree->parent[name.node];
    if (tree->kind[alias] != SYN_ALIAS || tree->kind[tree->parent[alias]] != SYN_FROM_IMPORT)
        return;
    const str text = syntax_text(tree, name.node);
    const uint32_t own = mention_own_variable(mentions, name.file, text);
    add_named(project, mentions, mentions->modules + name.file, text, name, true);
    if (own != MAP_NONE) /* `try: from x import a`, and `a = None` where there is no x */
        add_imported(project, mentions, own, text, name);
}

/* "nets." begins nets.small, and pkg.nets.small, which is put on the path or named from within. */
static bool begins_with(str module, str beginning)
{
    for (str rest = module, word; rest.len; str_cut(&rest, '.', &word))
        if (str_starts(rest, beginning))
            return true;
    return false;
}

/* The classes and functions of a module, and nothing that it imports. */
static void add_all_of(const struct project *project, struct mentions *mentions, uint32_t from, const struct file *file,
                       struct site site)
{
    for (uint32_t c = 0; c < file->class_count; c++)
        mention_add(mentions, from, mentions->classes + file->first_class + c, site, false);
    const uint32_t first = project_function_at(project, (struct site){file->id, 0});
    for (uint32_t f = first; f < first + file->function_count; f++)
        if (mentions_is_of_module(project, f))
            mention_add(mentions, from, f, site, false);
}

static void add_modules(const struct project *project, struct mentions *mentions, uint32_t from, struct site site,
                        str beginning)
{
    enum { MOST = 64 };
    static const struct limit many = {"modules-by-name",
                                      "a module is fetched by its name in more than 64 places; those "
                                      "of the others are taken for any"};
    if (++mentions->fetched > MOST) {
        project_limit(project, &many, site);
        mention_add(mentions, from, mentions->everything, site, false);
        return;
    }
    for (uint32_t i = 0; i < project->files.count; i++) {
        const struct file *file = &project->files.at[i];
        if (beginning.len ? begins_with(file->shown.module, beginning) : !file->imported)
            add_all_of(project, mentions, from, file, site);
    }
}

/* What a search adds from here on is what the program asks for. */
static void say_asked(struct mentions *mentions, size_t from)
{
    for (size_t i = from; i < mentions->count; i++)
        mentions->at[i].asked = !mentions->at[i].weak;
}

static void add_searched(const struct project *project, struct mentions *mentions, uint32_t from, struct site site)
{
    const struct searched searched = searched_at(project, site);
    const size_t before = mentions->count;
    switch (searched.kind) {
    case SEARCHED_NOTHING:
        break;
    case SEARCHED_FILE:
        mention_add(mentions, from, mentions->modules + searched.file, site, false);
        break;
    case SEARCHED_NAME:
        add_named(project, mentions, from, searched.text, site, true);
        break;
    case SEARCHED_MODULES:
        add_modules(project, mentions, from, site, searched.text);
        break;
    case SEARCHED_ALL:
        mention_add(mentions, from, mentions->everything, site, false);
        break;
    }
    if (searched.kind != SEARCHED_ALL && (searched.kind != SEARCHED_MODULES || searched.text.len))
        say_asked(mentions, before);
}

static void look_at(const struct project *project, struct mentions *mentions, uint32_t from, struct site site)
{
    const struct syntax *tree = project_tree(project, site.file);
    const enum syntax_kind kind = (enum syntax_kind)tree->kind[site.node];
    add_searched(project, mentions, from, site);
    if (kind == SYN_STRING)
        add_words(project, mentions, from, site);
    else if (kind == SYN_ALIAS)
        add_alias(project, mentions, site);
    else if (kind == SYN_NAME && import_of(tree, mentions->whole[site.node]) != NONE)
        add_import(project, mentions, site);
    else if (kind == SYN_NAME && !names_itself(tree, site.node) && !only_asks(tree, mentions->asks, site.node))
        add_name(project, mentions, from, site);
}

/* What stands in a statement that binds a variable of the module comes by way of that too. */
static void look_at_variable(const struct project *project, struct mentions *mentions, struct site site)
{
    const struct syntax *tree = project_tree(project, site.file);
    const uint32_t statement = syntax_statement(tree, site.node), name = mention_bound_by(tree, statement);
    if (name == NONE || name == site.node)
        return;
    const uint32_t own = mention_own_variable(mentions, site.file, syntax_text(tree, name));
    bool near;
    const uint32_t variable =
        own == MAP_NONE ? mention_unit_meant(project, mentions, site.file, syntax_text(tree, name), &near) : own;
    if (variable != MAP_NONE)
        look_at(project, mentions, variable, site);
}

/* A base is named by the class that inherits, not by who runs the module in which that stands. */
static uint32_t named_in(const struct project *project, const struct mentions *mentions, struct site site)
{
    const struct syntax *tree = project_tree(project, site.file);
    const uint32_t at = mentions->whole[site.node];
    const uint32_t list = tree->parent[at], around = tree->parent[list];
    const bool is_base =
        tree->kind[at] != SYN_MODULE && tree->kind[around] == SYN_CLASS && list == syntax_child(tree, around, 1);
    const uint32_t c = is_base ? map_get(&project->files.class_by_node, (int64_t)site.file << 32 | around) : MAP_NONE;
    return c == MAP_NONE ? mentions_unit(project, mentions, site) : mentions->classes + c;
}

static void look_into(const struct project *project, struct mentions *mentions, uint32_t id)
{
    const struct file *file = &project->files.at[id];
    const struct syntax *tree = file->shown.tree;
    bool *off = off_nodes(project, id); /* names nothing of the run */
    mentions->asks = mem_zeroed(tree->count);
    mentions->whole = mem_zeroed(tree->count * sizeof *mentions->whole);
    for (uint32_t node = 0; node < tree->count && !file->is_test; node++) {
        const enum syntax_kind kind = (enum syntax_kind)tree->kind[node];
        const struct site site = {id, node};
        const uint8_t around = tree->kind[tree->parent[node]];
        const bool part = node && (around == SYN_ATTRIBUTE || around == SYN_SUBSCRIPT);
        mentions->whole[node] = part ? mentions->whole[tree->parent[node]] : node;
        if (kind != SYN_NAME && kind != SYN_STRING && kind != SYN_ALIAS && kind != SYN_CALL && kind != SYN_ATTRIBUTE)
            continue;
        if (off[node])
            continue;
        look_at(project, mentions, named_in(project, mentions, site), site);
        if (mention_in_module(project, site))
            look_at_variable(project, mentions, site);
    }
    mem_free(mentions->asks);
    mem_free(mentions->whole);
    for (size_t c = 0; c < calls_of(project, id)->count && !file->is_test; c++) {
        const struct site call = {id, calls_of(project, id)->at[c].node};
        if (!off[call.node])
            mention_add(mentions, mentions_unit(project, mentions, call), calls_of(project, id)->at[c].target, call,
                        true);
    }
    mem_free(off);
}

/* Classes have methods and bases, functions those within them, modules what stands in them. */
static void add_parts(const struct project *project, struct mentions *mentions)
{
    for (uint32_t f = 0; f < project->files.function_count; f++) {
        const struct function *function = &project->files.functions[f];
        if (function->outer == NONE || project_tree(project, function->file)->kind[function->node] != SYN_FUNCTION)
            continue;
        const struct function *outer = &project->files.functions[function->outer];
        if (function->class_id != NONE)
            mention_add(mentions, mentions->classes + function->class_id, f, site_none, true);
        else
            mention_add(mentions, outer->outer == NONE ? mentions->modules + function->file : function->outer, f,
                        site_none, outer->outer != NONE);
    }
    for (uint32_t c = 0; c < project->files.class_count; c++) {
        const struct classes order = class_order(&project->cells, c);
        for (uint32_t i = 0; i < order.count; i++)
            mention_add(mentions, mentions->classes + c, mentions->classes + order.at[i], site_none, true);
        mention_add(mentions, mentions->modules + project->files.classes[c].file, mentions->classes + c, site_none,
                    false);
        mentions->at[mentions->count - 1].asked = true; /* a module is come to where one looks into it */
    }
}

void mentions_find(struct project *project, struct mentions *mentions)
{
    mention_units_list(project, mentions);
    add_parts(project, mentions);
    for (uint32_t i = 0; i < project->files.count; i++)
        look_into(project, mentions, i);
}

void mentions_free(struct mentions *mentions)
{
    mem_free(mentions->at);
    mem_free(mentions->registered);
    map_free(&mentions->names);
    map_free(&mentions->class_names);
    map_free(&mentions->functions);
    map_free(&mentions->variables);
    map_free(&mentions->in_program);
    map_free(&mentions->defined);
    map_free(&mentions->settings);
}

bool mentions_in_setting(const struct project *project, const struct mentions *mentions, uint32_t class_id)
{
    const int64_t key = mention_key(project->files.classes[class_id].name);
    return mentions->registered[class_id] || map_get(&mentions->settings, key) != MAP_NONE;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "unmade.h"

#include "base/hash.h"
#include "base/mem.h"

/* What is looked for, per name: the classes of the run that are called so. */
struct looking {
    struct project *project;
    struct map first; /* hash of a name -> class; one that is taken for another leaves its class open */
    uint32_t *next;   /* per class: another of the name; NONE */
    bool *searched;   /* per program: names are looked up in modules as it runs */
    bool *makes;      /* per program: networks of the run are made in it */
};

static int64_t key_of(str name)
{
    return (int64_t)hash_bytes(name.at, name.len);
}

static bool is_decorated(const struct project *project, const struct class_info *about)
{
    const struct syntax *tree = project_tree(project, about->file);
    return tree->kind[tree->parent[about->node]] == SYN_DECORATED;
}

/* A base of the run, or `metaclass=`, that may keep what inherits from it. */
static bool may_register(const struct project *project, uint32_t class_id)
{
    const struct classes order = class_order(&project->cells, class_id);
    for (uint32_t i = 0; i < order.count; i++) {
        const struct class_info *about = &project->files.classes[order.at[i]];
        const struct syntax *tree = project_tree(project, about->file);
        const uint32_t bases = syntax_child(tree, about->node, 1);
        if (is_decorated(project, about) || project_method(project, order.at[i], S("__init_subclass__")) != NONE)
            return true;
        for (uint32_t base = syntax_first(tree, bases); base != NONE; base = syntax_next(tree, base))
            if (tree->kind[base] == SYN_KEYWORD)
                return true;
    }
    return order.cut;
}

static bool is_import(const struct syntax *tree, uint32_t node)
{
    uint32_t at = node;
    while (tree->kind[at] == SYN_ATTRIBUTE || tree->kind[at] == SYN_NAME)
        at = tree->parent[at];
    return tree->kind[at] == SYN_FROM_IMPORT || tree->kind[at] == SYN_IMPORT ||
           (tree->kind[at] == SYN_ALIAS && syntax_is(tree, syntax_child(tree, at, 1), SYN_ABSENT));
}

/* Something is called so, anywhere but in the class itself: it may be made there. */
static void mention(struct looking *looking, struct site site, str name)
{
    struct contexts *contexts = looking->project->contexts;
    const struct syntax *tree = project_tree(looking->project, site.file);
    for (uint32_t c = map_get(&looking->first, key_of(name)); c != NONE; c = looking->next[c]) {
        const struct class_info *about = &looking->project->files.classes[c];
        if (about->file != site.file || !syntax_inside(tree, site.node, about->node))
            contexts->unmade[c] = false;
    }
}

static bool is_of_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* "pkg.nets.Net"; a text that stands alone says what something is for. */
static void mention_words(struct looking *looking, struct site site)
{
    const struct syntax *tree = project_tree(looking->project, site.file);
    const str text = syntax_text(tree, site.node);
    if (tree->kind[tree->parent[site.node]] == SYN_EXPR)
        return;
    for (size_t from = 0, to; from < text.len; from = to + 1) {
        for (to = from; to < text.len && is_of_name(text.at[to]);)
            to++;
        if (to > from)
            mention(looking, site, (str){text.at + from, to - from});
    }
}

static bool of_run(const struct value *module)
{
    return module->kind == VALUE_IMPORT && module->detail != NONE;
}

/* getattr(nets, name), globals()[name], vars(nets)[name], nets.__dict__[name], import_module(name). */
static bool searches(const struct project *project, struct site site)
{
    const struct file *file = &project->files.at[site.file];
    const struct syntax *tree = file->shown.tree;
    if (tree->kind[site.node] == SYN_ATTRIBUTE)
        return str_is_among("__dict__ __subclasses__ import_module getmembers", syntax_tail(tree, site.node));
    if (tree->kind[site.node] != SYN_CALL || tree->kind[site.node + 1] != SYN_NAME)
        return false;
    const str called = syntax_text(tree, site.node + 1);
    const uint32_t object = syntax_argument(tree, site.node, 0, NULL);
    if (str_eq(called, S("getattr")) && object != NONE)
        return of_run(node_value(project, file, object)) || tree->kind[object] == SYN_SUBSCRIPT;
    const enum syntax_kind used =
        (enum syntax_kind)tree->kind[tree->parent[site.node]]; /* globals()[x], vars(y).get(x) */
    if (str_is_among("globals locals vars", called))
        return used == SYN_SUBSCRIPT || used == SYN_ATTRIBUTE;
    return str_is_among("eval exec import_module __import__ locate", called);
}

static void look_at(struct looking *looking, struct site site)
{
    struct project *project = looking->project;
    const struct syntax *tree = project_tree(project, site.file);
    const enum syntax_kind kind = (enum syntax_kind)tree->kind[site.node];
    if (kind == SYN_STRING)
        mention_words(looking, site);
    else if (kind == SYN_NAME && !is_import(tree, site.node))
        mention(looking, site, syntax_text(tree, site.node));
    if ((kind == SYN_CALL || kind == SYN_ATTRIBUTE) && searches(project, site))
        looking->searched[project->files.at[site.file].program] = true;
}

static bool is_mentioned_beside(const struct project *project, str name)
{
    const struct map *mentioned = project->cells.options.mentioned;
    return map_get(mentioned, key_of(name)) != MAP_NONE;
}

static void begin(struct looking *looking)
{
    struct project *project = looking->project;
    for (uint32_t c = 0; c < project->files.class_count; c++) {
        const struct class_info *about = &project->files.classes[c];
        const struct file *file = &project->files.at[about->file];
        const bool made = project->cells.classes[c].made_below;
        looking->next[c] = map_get(&looking->first, key_of(about->name));
        map_put(&looking->first, key_of(about->name), c);
        looking->makes[file->program] |= made && about->is_module;
        project->contexts->unmade[c] = about->is_module && !about->framework && !made && file->imported &&
                                       !may_register(project, c) && !is_mentioned_beside(project, about->name);
    }
}

static bool is_any(const bool *of_program, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (of_program[i])
            return true;
    return false;
}

void unmade_build(struct project *project)
{
    struct looking looking = {.project = project};
    struct contexts *contexts = project->contexts;
    const uint32_t classes = project->files.class_count;
    contexts->unmade = arena_array(&contexts->arena, classes, sizeof *contexts->unmade);
    if (!project->cells.options.mentioned)
        return;
    looking.next = mem_alloc((classes + (size_t)1) * sizeof *looking.next);
    looking.searched = mem_zeroed(project->files.count + 1);
    looking.makes = mem_zeroed(project->files.count + 1);
    begin(&looking);
    for (uint32_t i = 0; i < project->files.count; i++)
        for (uint32_t node = 0; node < project_tree(project, i)->count; node++)
            look_at(&looking, (struct site){i, node});
    const bool any_searched = is_any(looking.searched, project->files.count);
    const bool any_trains = is_any(contexts->program_trains, project->files.count);
    for (uint32_t c = 0; c < classes; c++) {
        const uint32_t program = project->files.at[project->files.classes[c].file].program;
        const bool own = contexts->program_trains[program]; /* else a setting joins what trains to these files */
        contexts->unmade[c] &=
            any_trains && looking.makes[program] && !(own ? looking.searched[program] : any_searched);
    }
    map_free(&looking.first);
    mem_free(looking.next);
    mem_free(looking.searched);
    mem_free(looking.makes);
}

bool unmade_is(const struct project *project, uint32_t class_id)
{
    return project->contexts->unmade[class_id];
}

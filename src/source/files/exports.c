/* SPDX-License-Identifier: Apache-2.0 */
/* What a module gives to others: __all__, and names that its __getattr__ fetches from elsewhere. */
#include "files.h"

static str unquoted(const struct syntax *tree, uint32_t node)
{
    const str text = syntax_is(tree, node, SYN_STRING) ? syntax_text(tree, node) : S("");
    const bool plain = text.len >= 2 && (text.at[0] == '"' || text.at[0] == '\'');
    return plain ? (str){text.at + 1, text.len - 2} : (str){0};
}

static bool is_sequence(const struct syntax *tree, uint32_t node)
{
    return syntax_is(tree, node, SYN_LIST) || syntax_is(tree, node, SYN_TUPLE);
}

/* ---- __all__ ---- */

/* False where anything but literals stands in the list: then nobody knows what it holds. */
static bool add_names(struct files *files, struct file *file, uint32_t list)
{
    const struct syntax *tree = file->shown.tree;
    if (!is_sequence(tree, list))
        return false;
    for (uint32_t item = syntax_first(tree, list); item != NONE; item = syntax_next(tree, item)) {
        const str name = unquoted(tree, item);
        if (!name.at)
            return false;
        map_put(&file->exported, names_get(files->names, name)->id, 1);
    }
    return true;
}

/* A list of literals, perhaps with others added: else whatever has no underscore. */
static void find_exports(struct files *files, struct file *file)
{
    const struct syntax *tree = file->shown.tree;
    uint32_t mentioned = 0, understood = 0;
    for (uint32_t n = syntax_name_from(tree, S("__all__"), 0, tree->count); n != NONE;
         n = syntax_name_from(tree, S("__all__"), n + 1, tree->count)) {
        const uint32_t statement = tree->parent[n];
        mentioned++;
        if ((tree->kind[statement] == SYN_ASSIGN || tree->kind[statement] == SYN_AUG_ASSIGN) && n == statement + 1 &&
            add_names(files, file, syntax_last_child(tree, statement)))
            understood++;
    }
    file->has_exports = mentioned && mentioned == understood;
}

bool module_exports(const struct files *files, uint32_t id, str name)
{
    const struct file *file = &files->at[id];
    if (file->has_exports)
        return map_get(&file->exported, names_get(files->names, name)->id) != MAP_NONE;
    return !str_starts(name, S("_"));
}

/* ---- names that are fetched when they are asked for ---- */

static bool fetches(const struct syntax *tree, uint32_t function)
{
    return function != NONE && tree->kind[function] == SYN_FUNCTION && syntax_function(tree, function) == NONE &&
           str_eq(syntax_text(tree, function + 1), S("__getattr__"));
}

static void put_lazy(struct files *files, struct file *file, str name, uint32_t from)
{
    if (from != NONE && from != file->id)
        map_put(&file->lazy, names_get(files->names, name)->id, from);
}

/* ".meter", "pkg.meter", "meter" beside it, each perhaps with ":name" behind. */
static uint32_t module_said(struct files *files, uint32_t id, str text)
{
    str rest = text, dotted = S("");
    str_cut(&rest, ':', &dotted);
    const uint32_t found = module_find(files, id, dotted);
    if (found != NONE || str_starts(dotted, S(".")))
        return found;
    return module_find(files, id, str_printf(&files->arena, ".%.*s", (int)dotted.len, dotted.at));
}

/* {"read": ".meter"}, {"read": (".meter", "read")} */
static bool by_name(struct files *files, struct file *file, str key, uint32_t value)
{
    const struct syntax *tree = file->shown.tree;
    const uint32_t first = is_sequence(tree, value) ? syntax_first(tree, value) : value;
    const str module = unquoted(tree, first);
    const uint32_t found = module.len ? module_said(files, file->id, module) : NONE;
    put_lazy(files, file, key, found);
    return found != NONE;
}

/* {".meter": ["read", "write"]} */
static void by_module(struct files *files, struct file *file, str key, uint32_t value)
{
    const struct syntax *tree = file->shown.tree;
    const uint32_t found = is_sequence(tree, value) ? module_said(files, file->id, key) : NONE;
    for (uint32_t item = found == NONE ? NONE : syntax_first(tree, value); item != NONE; item = syntax_next(tree, item))
        if (unquoted(tree, item).len)
            put_lazy(files, file, unquoted(tree, item), found);
}

static void find_lazy(struct files *files, struct file *file)
{
    const struct syntax *tree = file->shown.tree;
    for (uint32_t node = 0; node < tree->count; node++) {
        const str key = tree->kind[node] == SYN_PAIR ? unquoted(tree, node + 1) : (str){0};
        const uint32_t value = key.len ? syntax_child(tree, node, 1) : NONE;
        if (key.len && !by_name(files, file, key, value))
            by_module(files, file, key, value);
    }
    for (uint32_t d = 0; d < file->flow.def_count; d++) {
        const struct def *def = &file->flow.defs[d];
        if (def->shown.kind == DEFINED_IMPORT && fetches(tree, syntax_function(tree, def->shown.value)))
            put_lazy(files, file, syntax_text(tree, def->shown.name), def->import_file);
    }
}

uint32_t module_lazy(const struct files *files, uint32_t id, const struct name *name)
{
    const uint32_t file = map_get(&files->at[id].lazy, name->id);
    return file == MAP_NONE ? NONE : file;
}

void exports_find(struct files *files, uint32_t id)
{
    struct file *file = &files->at[id];
    if (str_has(file->text, S("__all__")))
        find_exports(files, file);
    if (str_has(file->text, S("def __getattr__(")))
        find_lazy(files, file);
}

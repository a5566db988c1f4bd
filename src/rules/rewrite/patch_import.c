/* SPDX-License-Identifier: Apache-2.0 */
/* What a file calls a module, and the line that imports it, where isort would put it. */
#include "patch.h"
#include "source/known/known_words.h"

/* `import numpy as np` binds np, `import torch.optim` binds torch. */
static str bound_by(const struct syntax *tree, uint32_t alias, str module)
{
    const uint32_t dotted = syntax_first(tree, alias), as = syntax_child(tree, alias, 1);
    if (dotted == SYNTAX_NONE) /* `import` and nothing that can be read */
        return S("");
    const str name = syntax_text(tree, dotted);
    if (syntax_is(tree, as, SYN_NAME))
        return str_eq(name, module) ? syntax_text(tree, as) : S("");
    const bool below = str_starts(name, module) && name.len > module.len && name.at[module.len] == '.';
    return str_eq(name, module) || below ? module : S("");
}

static str bound_on_top(const struct syntax *tree, str module)
{
    for (uint32_t at = syntax_first(tree, 0); at != SYNTAX_NONE; at = syntax_next(tree, at)) {
        if (tree->kind[at] != SYN_IMPORT)
            continue;
        for (uint32_t alias = syntax_first(tree, at); alias != SYNTAX_NONE; alias = syntax_next(tree, alias)) {
            const str name = bound_by(tree, alias, module);
            if (name.len)
                return name;
        }
    }
    return S("");
}

/* ---- the order of imports ---- */

enum section { SECTION_FUTURE, SECTION_PYTHON, SECTION_OTHERS, SECTION_OWN, SECTION_NONE };

/* The module that a statement names first; "" of one that imports nothing that can be read. */
static str module_of(const struct syntax *tree, uint32_t statement)
{
    const enum syntax_kind kind = tree->kind[statement];
    const uint32_t what = syntax_first(tree, statement);
    if ((kind != SYN_IMPORT && kind != SYN_FROM_IMPORT) || what == SYNTAX_NONE)
        return S("");
    const uint32_t name = kind == SYN_IMPORT ? syntax_first(tree, what) : what;
    return name == SYNTAX_NONE ? S("") : syntax_text(tree, name);
}

static str top_of(str module)
{
    const char *dot = module.len ? memchr(module.at, '.', module.len) : NULL;
    return dot ? (str){module.at, (size_t)(dot - module.at)} : module;
}

/* Whether a file of the run is that module, or lies in the package of that name. */
static bool is_own(const struct check *check, str top)
{
    struct arena *arena = check->arena;
    const str file = str_printf(arena, "/%.*s.py", (int)top.len, top.at);
    const str folder = str_printf(arena, "/%.*s/", (int)top.len, top.at);
    for (uint32_t i = 0; i < project_files(check->project); i++) {
        const str path = project_file(check->project, i)->path;
        if (str_ends(path, file) || str_has(path, folder) || str_eq(path, str_from(file, 1)) ||
            str_starts(path, str_from(folder, 1)))
            return true;
    }
    return false;
}

static enum section section_of(const struct check *check, str module)
{
    const str top = top_of(module);
    if (str_eq(module, S("__future__")))
        return SECTION_FUTURE;
    if (!top.len) /* from . import x */
        return SECTION_OWN;
    if (known_word(WORDS_PYTHON_MODULE, top))
        return SECTION_PYTHON;
    return is_own(check, top) ? SECTION_OWN : SECTION_OTHERS;
}

struct key {
    enum section section;
    bool from; /* `from x import y` stands behind all `import x` of its section */
    str module;
};

static int compare_nocase(str a, str b)
{
    for (size_t i = 0; i < a.len && i < b.len; i++)
        if (char_lower(a.at[i]) != char_lower(b.at[i]))
            return char_lower(a.at[i]) < char_lower(b.at[i]) ? -1 : 1;
    return (a.len > b.len) - (a.len < b.len);
}

static bool stands_before(const struct key *a, const struct key *b)
{
    if (a->section != b->section)
        return a->section < b->section;
    if (a->from != b->from)
        return b->from;
    return compare_nocase(a->module, b->module) < 0;
}

/* The import behind which the new one goes, or else the one that it goes before. */
struct gap {
    uint32_t before, after; /* SYNTAX_NONE */
    enum section section;   /* of that one */
};

static struct gap gap_for(const struct check *check, const struct key *key)
{
    const struct syntax *tree = check->tree;
    struct gap gap = {SYNTAX_NONE, SYNTAX_NONE, SECTION_NONE};
    for (uint32_t at = syntax_first(tree, 0); at != SYNTAX_NONE; at = syntax_next(tree, at)) {
        const str module = module_of(tree, at);
        if (!module.len)
            continue;
        const struct key other = {section_of(check, module), tree->kind[at] == SYN_FROM_IMPORT, module};
        if (stands_before(key, &other)) {
            if (gap.before == SYNTAX_NONE || gap.section < key->section) {
                gap.after = at;
                gap.before = SYNTAX_NONE;
                gap.section = other.section;
            }
            return gap;
        }
        gap.before = at;
        gap.section = other.section;
    }
    return gap;
}

/* Sections have an empty line between them. */
static void add_import(struct patch *patch, const struct key *key, str line)
{
    const struct gap gap = gap_for(patch->check, key);
    const bool apart = gap.section != key->section;
    if (gap.before == SYNTAX_NONE && gap.after == SYNTAX_NONE)
        patch_refuse(patch);
    else if (gap.before != SYNTAX_NONE)
        patch_line_after(patch, gap.before, apart ? patch_printf(patch, "\n%.*s", (int)line.len, line.at) : line);
    else
        patch_line_before(patch, gap.after, apart ? patch_printf(patch, "%.*s\n", (int)line.len, line.at) : line);
}

str patch_module(struct patch *patch, const char *module)
{
    const struct syntax *tree = patch->check->tree;
    const str bound = bound_on_top(tree, str_of(module));
    if (bound.len)
        return bound;
    const bool numpy = strcmp(module, "numpy") == 0;
    const str name = numpy ? S("np") : str_of(module);
    if (strcmp(module, "torch") == 0 || syntax_name_from(tree, name, 0, tree->count) != SYNTAX_NONE) {
        patch_refuse(patch);
        return name;
    }
    const struct key key = {section_of(patch->check, str_of(module)), false, str_of(module)};
    add_import(patch, &key,
               numpy ? S("import numpy as np") : patch_printf(patch, "import %.*s", (int)name.len, name.at));
    return name;
}

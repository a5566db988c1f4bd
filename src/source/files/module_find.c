/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which file an import names. Nobody knows the sys.path of a run, so a module is looked for beside the importing file,
 * then in the folders that the program puts on its path, then in each folder above and in those in which the project
 * of that folder keeps its packages: as it says (given.h), and `src`, `lib`, `python` by custom.
 */
#include "base/buf.h"
#include "base/mem.h"
#include "files.h"
#include "source/known/known_words.h"

str path_folder(str path)
{
    for (size_t i = path.len; i--;)
        if (path.at[i] == '/')
            return (str){path.at, i};
    return (str){path.at, 0};
}

str path_last(str path)
{
    const str folder = path_folder(path);
    return str_from(path, folder.len ? folder.len + 1 : path.len && path.at[0] == '/' ? 1 : 0);
}

uint32_t module_at(const struct files *files, str path)
{
    return map_get(&files->by_path, names_get(files->names, path)->id);
}

/* ---- in one folder ---- */

static uint32_t beside(const struct files *files, str folder, str dotted)
{
    struct buf path = {0};
    buf_add(&path, folder);
    if (folder.len || (folder.at && folder.at[0] == '/'))
        buf_char(&path, '/');
    for (size_t i = 0; i < dotted.len; i++)
        buf_char(&path, dotted.at[i] == '.' ? '/' : dotted.at[i]);
    const size_t stem = path.len;
    buf_add(&path, S(".py"));
    uint32_t file = module_at(files, buf_str(&path));
    if (file == MAP_NONE) {
        path.len = stem;
        buf_add(&path, stem ? S("/__init__.py") : S("__init__.py"));
        file = module_at(files, buf_str(&path));
    }
    buf_free(&path);
    return file == MAP_NONE ? NONE : file;
}

/* ---- folders of packages ---- */

static bool is_folder(const struct files *files, str path)
{
    return map_get(&files->folders, names_get(files->names, path)->id) != MAP_NONE;
}

static void add_root(struct files *files, struct source_root root)
{
    const uint32_t below = names_get(files->names, root.below)->id;
    for (uint32_t r = map_get(&files->root_below, below); r != MAP_NONE; r = files->roots[r].next)
        if (str_eq(files->roots[r].said.folder, root.folder) && str_eq(files->roots[r].said.package, root.package))
            return;
    files->roots = mem_grow(files->roots, &files->root_room, files->root_count + (size_t)1, sizeof *files->roots);
    files->roots[files->root_count] = (struct module_root){root, map_get(&files->root_below, below)};
    map_put(&files->root_below, below, files->root_count++);
}

/* Folders of these names hold packages by custom, and are none themselves. */
static void add_custom_root(struct files *files, str folder)
{
    if (!str_is_among("src lib python", path_last(folder)) || beside(files, folder, S("__init__")) != NONE)
        return;
    add_root(files, (struct source_root){path_folder(folder), S(""), folder});
}

static void add_folders(struct files *files, str path)
{
    for (str folder = path_folder(path); folder.len; folder = path_folder(folder)) {
        const uint32_t id = names_get(files->names, folder)->id;
        if (map_get(&files->folders, id) != MAP_NONE)
            return;
        map_put(&files->folders, id, 1);
        map_put(&files->first_words, names_get(files->names, path_last(folder))->id, 1);
        add_custom_root(files, folder);
    }
}

static str stem_of(str name)
{
    return str_ends(name, S(".py")) ? (str){name.at, name.len - 3} : name;
}

void roots_build(struct files *files, const struct source_root *said, uint32_t count)
{
    for (uint32_t i = 0; i < files->count; i++) {
        map_put(&files->first_words, names_get(files->names, stem_of(path_last(files->at[i].shown.path)))->id, 1);
        add_folders(files, files->at[i].shown.path);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct source_root root = said[i];
        root.folder = path_plain(&files->arena, root.folder);
        if (root.folder.len && !is_folder(files, root.folder))
            continue;
        if (root.package.len)
            map_put(&files->first_words, names_get(files->names, root.package)->id, 1);
        add_root(files, root);
    }
}

/* ---- sys.path ---- */

static void put_on_path(struct files *files, struct folders *folders, str folder)
{
    if (folder.len && !is_folder(files, folder))
        return;
    for (size_t i = 0; i < folders->count; i++)
        if (str_eq(folders->at[i], folder))
            return;
    folders->at = mem_grow(folders->at, &folders->room, folders->count + 1, sizeof *folders->at);
    folders->at[folders->count++] = folder;
}

/* One that is seen from where the program is started: that may be any folder above. */
static void put_wherever(struct files *files, struct folders *folders, str from, str folder)
{
    for (;; from = path_folder(from)) {
        put_on_path(files, folders, path_plain(&files->arena, path_join(&files->arena, from, folder)));
        if (!from.len)
            return;
    }
}

void path_share(struct files *files, uint32_t to, uint32_t from)
{
    const struct file *file = &files->at[from];
    for (size_t i = 0; i < file->on_path.count; i++) {
        const struct path_entry *entry = &file->on_path.at[i];
        if (entry->placed)
            put_on_path(files, &files->at[to].seen_on_path, entry->folder);
        else
            put_wherever(files, &files->at[to].seen_on_path, path_folder(file->shown.path), entry->folder);
    }
}

/* ---- looking for one ---- */

static uint32_t relative(const struct files *files, str folder, str dotted)
{
    size_t dots = 0;
    while (dots < dotted.len && dotted.at[dots] == '.')
        dots++;
    for (size_t i = 1; i < dots; i++)
        folder = path_folder(folder);
    const str rest = str_from(dotted, dots);
    return beside(files, folder, rest.len ? rest : S("__init__"));
}

static uint32_t at_root(const struct files *files, const struct source_root *root, str dotted)
{
    if (!root->package.len)
        return beside(files, root->folder, dotted);
    if (str_eq(dotted, root->package))
        return beside(files, root->folder, S("__init__"));
    const bool inside = str_starts(dotted, root->package) && dotted.at[root->package.len] == '.';
    return inside ? beside(files, root->folder, str_from(dotted, root->package.len + 1)) : NONE;
}

static uint32_t below_folder(const struct files *files, str folder, str dotted)
{
    uint32_t found = beside(files, folder, dotted);
    const uint32_t first =
        files->root_count ? map_get(&files->root_below, names_get(files->names, folder)->id) : MAP_NONE;
    for (uint32_t r = first; r != MAP_NONE && found == NONE; r = files->roots[r].next)
        found = at_root(files, &files->roots[r].said, dotted);
    return found;
}

/* Whether anything in the run is called so: most imports are of libraries. */
static bool may_be_here(const struct files *files, str dotted)
{
    str first = S("");
    return str_cut(&dotted, '.', &first) &&
           map_get(&files->first_words, names_get(files->names, first)->id) != MAP_NONE;
}

/* What was found before, else what lies in the folders of that file. */
static uint32_t on_path(const struct files *files, const struct file *of, uint32_t from, str dotted, uint32_t found)
{
    for (size_t i = 0; i < of->seen_on_path.count && (found == NONE || found == from); i++)
        found = beside(files, of->seen_on_path.at[i], dotted);
    return found;
}

/*
 * `import torch` within a package that has a part of that name (agents/torch/): the library, not the part. Only the folder
 * of a script is looked into for what is imported by its whole name, and a package is none.
 */
static bool hides_library(const struct files *files, str folder, str dotted)
{
    str first = S("");
    return str_cut(&dotted, '.', &first) && known_word(WORDS_LIBRARIES, first) &&
           beside(files, folder, S("__init__")) != NONE;
}

uint32_t module_find(const struct files *files, uint32_t from, str dotted)
{
    const struct file *file = &files->at[from];
    str folder = path_folder(file->shown.path);
    if (str_starts(dotted, S(".")))
        return relative(files, folder, dotted);
    if (!may_be_here(files, dotted))
        return NONE;
    uint32_t found = hides_library(files, folder, dotted) ? NONE : beside(files, folder, dotted);
    found = on_path(files, file, from, dotted, found);
    found = on_path(files, &files->at[file->program], from, dotted, found);
    while (found == NONE || found == from) {
        found = hides_library(files, folder, dotted) ? NONE : below_folder(files, folder, dotted);
        if (!folder.len)
            break;
        folder = path_folder(folder);
    }
    return found == from ? NONE : found;
}

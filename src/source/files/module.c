/* SPDX-License-Identifier: Apache-2.0 */
/* Files as modules of Python: their names, what they import, and which of them make one program. */
#include "files.h"

#include "base/buf.h"
#include "base/mem.h"
#include "source/known/known.h"
#include "source/known/known_words.h"

static bool is_package(const struct files *files, str folder)
{
    struct buf path = {0};
    buf_add(&path, folder);
    buf_add(&path, folder.len ? S("/__init__.py") : S("__init__.py"));
    const bool found = folder.len && module_at(files, buf_str(&path)) != MAP_NONE;
    buf_free(&path);
    return found;
}

/* Dotted from the topmost folder of packages down. */
static str dotted_name(struct files *files, str path)
{
    str top = path_folder(path);
    while (is_package(files, top))
        top = path_folder(top);
    str rest = str_from(path, top.len && path.len > top.len ? top.len + 1 : top.len);
    if (str_ends(rest, S(".py")))
        rest.len -= 3;
    if (str_ends(rest, S("/__init__")))
        rest.len -= 9;
    if (!is_package(files, path_folder(path)))
        rest =
            str_ends(path_last(path), S(".py")) ? (str){path_last(path).at, path_last(path).len - 3} : path_last(path);
    char *text = arena_alloc(&files->arena, rest.len + 1);
    for (size_t i = 0; i < rest.len; i++)
        text[i] = rest.at[i] == '/' ? '.' : rest.at[i];
    return (str){text, rest.len};
}

static str plain_path(str path)
{
    while (str_starts(path, S("./")))
        path = str_from(path, 2);
    return path;
}

/* Modules all of whose names an import brings in. Of those outside of the run only such as the table knows names of. */
static void list_stars(struct files *files, uint32_t id)
{
    struct file *file = &files->at[id];
    const struct syntax *tree = file->shown.tree;
    struct stars *stars = &file->own_stars;
    stars->count = 0;
    for (uint32_t node = 0; node < tree->count; node++) {
        if (tree->kind[node] != SYN_FROM_IMPORT || syntax_child_count(tree, node) != 1)
            continue;
        const str dotted = str_trim(syntax_text(tree, node + 1));
        const struct star star = {module_find(files, id, dotted), names_get(files->names, dotted)};
        if (star.file == NONE && !known_package(dotted))
            continue;
        stars->at = mem_grow(stars->at, &stars->room, stars->count + 1, sizeof *stars->at);
        stars->at[stars->count++] = star;
    }
}

/* How far names come through modules that import all of one another. */
enum { DEEPEST_STAR = 5 };

static const struct limit far_star = {
    "star-imports",
    "names come through more than 5 modules that import all of one another; those beyond are not known"};

struct starred {
    struct files *files;
    uint32_t *seen_by; /* per file: the last file for which it was met */
    struct stars *into;
};

static void add_reached(struct starred *s, uint32_t from, uint32_t of, int depth)
{
    const struct stars *own = &s->files->at[of].own_stars;
    for (size_t i = own->count; i--;) { /* the last import counts */
        const struct star *star = &own->at[i];
        if (star->file != NONE && s->seen_by[star->file] == from)
            continue;
        s->into->at = mem_grow(s->into->at, &s->into->room, s->into->count + 1, sizeof *star);
        s->into->at[s->into->count++] = *star;
        if (star->file == NONE)
            continue;
        s->seen_by[star->file] = from;
        if (depth + 1 < DEEPEST_STAR)
            add_reached(s, from, star->file, depth + 1);
        else if (s->files->at[star->file].own_stars.count)
            files_limit(s->files, &far_star, from, 0);
    }
}

/* Each module once, in the order in which a name is looked for. */
static void reach_stars(struct files *files)
{
    struct starred s = {.files = files, .seen_by = mem_alloc((files->count + 1) * sizeof *s.seen_by)};
    memset(s.seen_by, 0xff, (files->count + 1) * sizeof *s.seen_by);
    for (uint32_t i = 0; i < files->count; i++) {
        s.into = &files->at[i].stars;
        add_reached(&s, i, i, 0);
    }
    mem_free(s.seen_by);
}

/* Finds what import statements name, once. */
static void resolve_imports(struct files *files, uint32_t id)
{
    struct file *file = &files->at[id];
    const struct syntax *tree = file->shown.tree;
    for (uint32_t d = 0; tree && d < file->flow.def_count; d++) {
        struct def *def = &file->flow.defs[d];
        if (def->shown.kind != DEFINED_IMPORT)
            continue;
        const uint32_t statement = tree->parent[def->shown.value];
        const bool from = tree->kind[statement] == SYN_FROM_IMPORT;
        const uint32_t named = from ? syntax_first(tree, statement) : syntax_first(tree, def->shown.value);
        str dotted = syntax_text(tree, named);
        if (!from && syntax_inside(tree, def->shown.name, named)) /* `import a.b` binds a */
            dotted = syntax_text(tree, def->shown.name);
        def->import_file = module_find(files, id, str_trim(dotted));
        const str whole = syntax_text(tree, named);
        if (!from && def->import_file == NONE && whole.len > dotted.len)
            file->has_namespaces |= module_find(files, id, whole) != NONE;
    }
}

uint32_t module_slot(const struct files *files, uint32_t file, const struct name *name)
{
    const uint32_t slot = map_get(&files->module_slot, (int64_t)file << 32 | name->id);
    return slot == MAP_NONE ? NONE : slot;
}

static void list_variables(struct files *files, uint32_t id)
{
    const struct flow *flow = &files->at[id].flow;
    for (uint32_t s = 0; s < flow->slot_count; s++)
        if (flow->slots[s].function == 0 && !flow->slots[s].outside)
            map_put(&files->module_slot, (int64_t)id << 32 | names_get(files->names, flow->slots[s].text)->id, s);
}

/* ---- programs ---- */

static uint32_t root(const struct files *files, uint32_t file)
{
    while (files->at[file].program != file)
        file = files->at[file].program;
    return file;
}

static void unite(struct files *files, uint32_t a, uint32_t b)
{
    if (a >= files->count || b >= files->count)
        return;
    files->at[b].imported = true;
    a = root(files, a);
    b = root(files, b);
    files->at[a < b ? b : a].program = a < b ? a : b;
}

static void alone(struct files *files)
{
    for (uint32_t i = 0; i < files->count; i++)
        files->at[i].program = i;
}

static void find_programs(struct files *files)
{
    alone(files);
    for (uint32_t i = 0; i < files->count; i++) {
        const struct file *file = &files->at[i];
        for (uint32_t d = 0; d < file->flow.def_count; d++)
            if (file->flow.defs[d].shown.kind == DEFINED_IMPORT)
                unite(files, i, file->flow.defs[d].import_file);
        for (size_t s = 0; s < file->own_stars.count; s++)
            unite(files, i, file->own_stars.at[s].file);
    }
    for (uint32_t i = 0; i < files->count; i++)
        files->at[i].program = root(files, i);
}

/* Tests by the conventions of unittest and pytest. */
static bool is_test_path(str path)
{
    return known_word(WORDS_TEST_FOLDERS, path) || known_word(WORDS_TEST_FILES, path_last(path));
}

static void name_modules(struct files *files)
{
    for (uint32_t i = 0; i < files->count; i++) {
        struct file *file = &files->at[i];
        file->is_test = is_test_path(file->shown.path);
        file->shown.module = dotted_name(files, file->shown.path);
        map_put(&files->by_module, names_get(files->names, file->shown.module)->id, i);
    }
}

static void link_imports(struct files *files)
{
    for (uint32_t i = 0; i < files->count; i++) {
        resolve_imports(files, i);
        list_stars(files, i);
    }
    find_programs(files);
}

/* What one file of a program puts on sys.path all of them see. True where any does. */
static bool share_paths(struct files *files)
{
    bool any = false;
    for (uint32_t i = 0; i < files->count; i++)
        if (files->at[i].on_path.count) {
            path_share(files, files->at[i].program, i);
            any = true;
        }
    return any;
}

void module_link(struct files *files, const struct project_options *options)
{
    for (uint32_t i = 0; i < files->count; i++) {
        files->at[i].shown.path = plain_path(files->at[i].shown.path);
        map_put(&files->by_path, names_get(files->names, files->at[i].shown.path)->id, i);
    }
    roots_build(files, options ? options->roots : NULL, options ? options->root_count : 0);
    name_modules(files);
    alone(files);
    share_paths(files);
    link_imports(files);
    if (share_paths(files)) {
        link_imports(files);
        share_paths(files);
    }
    reach_stars(files);
    runs_build(files);
    for (uint32_t i = 0; i < files->count; i++) {
        list_variables(files, i);
        exports_find(files, i);
    }
}

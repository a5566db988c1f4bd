/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files as modules of Python. Nobody knows the sys.path of a run, so an import is
 * looked for beside the importing file, then beside each folder above it.
 */
#include "files.h"

#include "base/buf.h"
#include "base/mem.h"
#include "source/known/known.h"
#include "source/known/known_words.h"

static str folder_of(str path)
{
    for (size_t i = path.len; i--;)
        if (path.at[i] == '/')
            return (str){path.at, i};
    return (str){path.at, 0};
}

static str last_of(str path)
{
    const str folder = folder_of(path);
    return str_from(path, folder.len ? folder.len + 1 : path.len && path.at[0] == '/' ? 1 : 0);
}

static uint32_t file_at(const struct files *files, str path)
{
    return map_get(&files->by_path, names_get(files->names, path)->id);
}

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
    uint32_t file = file_at(files, buf_str(&path));
    if (file == MAP_NONE) {
        path.len = stem;
        buf_add(&path, stem ? S("/__init__.py") : S("__init__.py"));
        file = file_at(files, buf_str(&path));
    }
    buf_free(&path);
    return file == MAP_NONE ? NONE : file;
}

uint32_t module_find(const struct files *files, uint32_t from, str dotted)
{
    str folder = folder_of(files->at[from].shown.path);
    if (str_starts(dotted, S("."))) {
        size_t dots = 0;
        while (dots < dotted.len && dotted.at[dots] == '.')
            dots++;
        for (size_t i = 1; i < dots; i++)
            folder = folder_of(folder);
        const str rest = str_from(dotted, dots);
        return rest.len ? beside(files, folder, rest) : beside(files, folder, S("__init__"));
    }
    for (;; folder = folder_of(folder)) {
        const uint32_t found = beside(files, folder, dotted);
        if (found != NONE && found != from)
            return found;
        if (folder.len == 0)
            return NONE;
    }
}

static bool is_package(const struct files *files, str folder)
{
    struct buf path = {0};
    buf_add(&path, folder);
    buf_add(&path, folder.len ? S("/__init__.py") : S("__init__.py"));
    const bool found = folder.len && file_at(files, buf_str(&path)) != MAP_NONE;
    buf_free(&path);
    return found;
}

/* Dotted from the topmost folder of packages down. */
static str dotted_name(struct files *files, str path)
{
    str top = folder_of(path);
    while (is_package(files, top))
        top = folder_of(top);
    str rest = str_from(path, top.len && path.len > top.len ? top.len + 1 : top.len);
    if (str_ends(rest, S(".py")))
        rest.len -= 3;
    if (str_ends(rest, S("/__init__")))
        rest.len -= 9;
    if (!is_package(files, folder_of(path)))
        rest = str_ends(last_of(path), S(".py")) ? (str){last_of(path).at, last_of(path).len - 3} : last_of(path);
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

static void find_programs(struct files *files)
{
    for (uint32_t i = 0; i < files->count; i++)
        files->at[i].program = i;
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
    return known_word(WORDS_TEST_FOLDERS, path) || known_word(WORDS_TEST_FILES, last_of(path));
}

void module_link(struct files *files)
{
    for (uint32_t i = 0; i < files->count; i++)
        map_put(&files->by_path, names_get(files->names, plain_path(files->at[i].shown.path))->id, i);
    for (uint32_t i = 0; i < files->count; i++) {
        struct file *file = &files->at[i];
        file->shown.path = plain_path(file->shown.path);
        file->is_test = is_test_path(file->shown.path);
        file->shown.module = dotted_name(files, file->shown.path);
        map_put(&files->by_module, names_get(files->names, file->shown.module)->id, i);
    }
    for (uint32_t i = 0; i < files->count; i++) {
        resolve_imports(files, i);
        list_stars(files, i);
    }
    reach_stars(files);
    find_programs(files);
    for (uint32_t i = 0; i < files->count; i++)
        list_variables(files, i);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Who imports whom, and with it which files take part in a run of one script (runs.h). */
#include "runs.h"

#include "base/buf.h"
#include "base/mem.h"

/* ---- imports ---- */

struct edge {
    uint32_t from, to;
};

struct edges {
    struct edge *at;
    size_t count, room;
};

static void add_edge(struct edges *edges, uint32_t from, uint32_t to)
{
    if (to == NONE || from == to)
        return;
    edges->at = mem_grow(edges->at, &edges->room, edges->count + 1, sizeof *edges->at);
    edges->at[edges->count++] = (struct edge){from, to};
}

static uint32_t find_below(const struct files *files, uint32_t id, str dotted, str name)
{
    struct buf path = {0};
    buf_add(&path, dotted);
    if (!str_ends(dotted, S(".")))
        buf_char(&path, '.');
    buf_add(&path, name);
    const uint32_t found = module_find(files, id, buf_str(&path));
    buf_free(&path);
    return found;
}

/* `from package import module` brings in the module too, and `import a.b.c` all three. */
static uint32_t named_module(const struct files *files, const struct file *file, const struct def *def)
{
    const struct syntax *tree = file->shown.tree;
    const uint32_t statement = tree->parent[def->shown.value];
    if (tree->kind[statement] != SYN_FROM_IMPORT)
        return module_find(files, file->id, str_trim(syntax_text(tree, syntax_first(tree, def->shown.value))));
    const uint32_t package = def->import_file;
    const bool of_folder = package == NONE || str_eq(path_last(files->at[package].shown.path), S("__init__.py"));
    return of_folder ? find_below(files, file->id, str_trim(syntax_text(tree, syntax_first(tree, statement))),
                                  syntax_text(tree, syntax_first(tree, def->shown.value)))
                     : NONE;
}

static void list_imports(const struct files *files, const struct file *file, struct edges *edges)
{
    for (uint32_t d = 0; d < file->flow.def_count; d++) {
        const struct def *def = &file->flow.defs[d];
        if (def->shown.kind != DEFINED_IMPORT)
            continue;
        add_edge(edges, file->id, def->import_file);
        add_edge(edges, file->id, named_module(files, file, def));
    }
    for (size_t s = 0; s < file->own_stars.count; s++)
        add_edge(edges, file->id, file->own_stars.at[s].file);
}

/* Lays the ends of edges down by where they begin; `back`: the other way round. */
static void lay_down(struct arena *arena, struct links *links, const struct edges *edges, uint32_t files, bool back)
{
    links->first = arena_array(arena, files + (size_t)2, sizeof *links->first);
    links->to = arena_array(arena, edges->count + 1, sizeof *links->to);
    for (uint32_t i = 0; i < files + 2; i++)
        links->first[i] = 0;
    for (size_t i = 0; i < edges->count; i++)
        links->first[(back ? edges->at[i].to : edges->at[i].from) + 2]++;
    for (uint32_t i = 2; i < files + 2; i++)
        links->first[i] += links->first[i - 1];
    for (size_t i = 0; i < edges->count; i++) {
        const struct edge edge = edges->at[i];
        links->to[links->first[(back ? edge.to : edge.from) + 1]++] = back ? edge.from : edge.to;
    }
}

void runs_build(struct files *files)
{
    struct edges edges = {0};
    for (uint32_t i = 0; i < files->count; i++)
        if (files->at[i].shown.tree)
            list_imports(files, &files->at[i], &edges);
    lay_down(&files->arena, &files->imports, &edges, files->count, false);
    lay_down(&files->arena, &files->importers, &edges, files->count, true);
    mem_free(edges.at);
}

/* ---- what runs together ---- */

/* Marks all that is reached from what is marked. */
static void spread(const struct links *links, uint32_t files, bool *marked)
{
    uint32_t *queue = mem_alloc((files + (size_t)1) * sizeof *queue), count = 0;
    for (uint32_t i = 0; i < files; i++)
        if (marked[i])
            queue[count++] = i;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = links->first[queue[i]]; k < links->first[queue[i] + 1]; k++)
            if (!marked[links->to[k]]) {
                marked[links->to[k]] = true;
                queue[count++] = links->to[k];
            }
    mem_free(queue);
}

void runs_below(const struct files *files, const bool *from, bool *marked)
{
    const size_t bytes = files->count * sizeof *marked;
    bool *without = mem_zeroed(bytes + 1);
    if (bytes)
        memcpy(marked, from, bytes);
    if (bytes)
        memcpy(without, from, bytes);
    spread(&files->imports, files->count, marked);
    spread(&files->importers, files->count, without); /* the scripts that have one of them */
    for (uint32_t i = 0; i < files->count; i++) {
        const bool script = files->importers.first[i] == files->importers.first[i + 1] && !files->at[i].is_test;
        without[i] = script && !without[i];
    }
    spread(&files->imports, files->count, without);
    for (uint32_t i = 0; i < files->count; i++)
        marked[i] &= from[i] || !without[i];
    mem_free(without);
}

/* One way of the search: whoever is met first has the nearest. */
static uint32_t search(const struct links *links, uint32_t *queue, uint32_t count, uint32_t *nearest)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = links->first[queue[i]]; k < links->first[queue[i] + 1]; k++)
            if (nearest[links->to[k]] == NONE) {
                nearest[links->to[k]] = nearest[queue[i]];
                queue[count++] = links->to[k];
            }
    return count;
}

static uint32_t begin(uint32_t files, const bool *given, uint32_t *queue, uint32_t *nearest)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < files; i++) {
        nearest[i] = given[i] ? i : NONE;
        if (given[i])
            queue[count++] = i;
    }
    return count;
}

void runs_nearest(const struct files *files, const bool *given, uint32_t *nearest)
{
    const size_t bytes = (files->count + (size_t)1) * sizeof(uint32_t);
    uint32_t *queue = mem_alloc(bytes), *beside = mem_alloc(bytes);
    search(&files->imports, queue, begin(files->count, given, queue, nearest), nearest);
    uint32_t count = begin(files->count, given, queue, beside);
    count = search(&files->importers, queue, count, beside); /* whose run has it */
    search(&files->imports, queue, count, beside);           /* and what else is in that run */
    for (uint32_t i = 0; i < files->count; i++)
        if (nearest[i] == NONE)
            nearest[i] = beside[i];
    mem_free(queue);
    mem_free(beside);
}

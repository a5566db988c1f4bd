/* SPDX-License-Identifier: Apache-2.0 */
#include "document.h"

#include "base/mem.h"
#include "uri.h"

struct document *documents_find(const struct documents *documents, str uri)
{
    for (uint32_t i = 0; i < documents->count; i++)
        if (str_eq(documents->at[i]->uri, uri))
            return documents->at[i];
    return NULL;
}

struct document *documents_of_path(const struct documents *documents, str path)
{
    for (uint32_t i = 0; i < documents->count; i++)
        if (str_eq(documents->at[i]->path, path))
            return documents->at[i];
    return NULL;
}

static void free_document(struct document *document)
{
    buf_free(&document->text);
    open_cells_free(&document->cells);
    arena_free(&document->arena);
    mem_free(document);
}

void documents_close(struct documents *documents, struct document *document)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < documents->count; i++)
        if (documents->at[i] != document)
            documents->at[kept++] = documents->at[i];
    documents->count = kept;
    free_document(document);
}

void documents_free(struct documents *documents)
{
    for (uint32_t i = 0; i < documents->count; i++)
        free_document(documents->at[i]);
    mem_free(documents->at);
}

/* In the order of paths: overlays are looked up so. */
static void insert(struct documents *documents, struct document *document)
{
    documents->at = mem_grow(documents->at, &documents->room, documents->count + 1u, sizeof *documents->at);
    uint32_t at = documents->count++;
    for (; at && str_cmp(documents->at[at - 1]->path, document->path) > 0; at--)
        documents->at[at] = documents->at[at - 1];
    documents->at[at] = document;
}

/* Nothing but its names. */
static struct document *add(struct documents *documents, str uri, str path)
{
    struct document *old = documents_find(documents, uri);
    if (!old)
        old = documents_of_path(documents, path);
    if (old)
        documents_close(documents, old);
    if (!uri.len || documents->count >= DOCUMENTS_MOST)
        return NULL;
    struct document *document = mem_zeroed(sizeof *document);
    document->uri = str_copy(&document->arena, uri);
    document->path = str_copy(&document->arena, path);
    insert(documents, document);
    return document;
}

static bool has_cells(const struct document *document)
{
    return document && document->has_cells;
}

struct document *documents_open(struct documents *documents, struct arena *scratch, str params)
{
    const str uri = param_text(scratch, params, "textDocument.uri"), path = uri_path(scratch, uri);
    if (has_cells(documents_find(documents, uri)) || has_cells(documents_of_path(documents, path)))
        return NULL;
    struct document *document = add(documents, uri, path);
    if (!document)
        return NULL;
    document->is_python = str_ends(document->path, S(".py")) || str_ends(document->path, S(".ipynb")) ||
                          str_eq(param_text(scratch, params, "textDocument.languageId"), S("python"));
    param_int(scratch, params, "textDocument.version", &document->version);
    buf_add(&document->text, param_text(scratch, params, "textDocument.text"));
    return document;
}

/* A notebook is known by its name, which one that was never saved may lack. */
static str notebook_path(struct arena *arena, str uri)
{
    const str path = uri_path(arena, uri);
    return str_ends(path, S(".ipynb")) ? path : str_printf(arena, "%.*s.ipynb", (int)path.len, path.at);
}

struct document *documents_open_notebook(struct documents *documents, struct arena *scratch, str params)
{
    const str uri = param_text(scratch, params, "notebookDocument.uri");
    struct document *document = add(documents, uri, notebook_path(scratch, uri));
    if (!document)
        return NULL;
    document->is_python = document->has_cells = true;
    param_int(scratch, params, "notebookDocument.version", &document->version);
    open_cells_open(&document->cells, scratch, params);
    open_cells_write(&document->cells, &document->text);
    return document;
}

/* ---- changes ---- */

void document_change(struct document *document, struct arena *scratch, str params, enum columns columns)
{
    text_change(&document->text, scratch, params, "contentChanges", columns);
    param_int(scratch, params, "textDocument.version", &document->version);
}

void document_change_notebook(struct document *document, struct open_cells *gone, struct arena *scratch, str params,
                              enum columns columns)
{
    open_cells_change(&document->cells, gone, scratch, param(scratch, params, "change.cells"), columns);
    param_int(scratch, params, "notebookDocument.version", &document->version);
    open_cells_write(&document->cells, &document->text);
}

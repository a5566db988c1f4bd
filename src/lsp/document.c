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

struct document *documents_open(struct documents *documents, struct arena *scratch, str params)
{
    const str uri = param_text(scratch, params, "textDocument.uri");
    struct document *old = documents_find(documents, uri);
    if (!old)
        old = documents_of_path(documents, uri_path(scratch, uri));
    if (old)
        documents_close(documents, old);
    if (!uri.len || documents->count >= DOCUMENTS_MOST)
        return NULL;
    struct document *document = mem_zeroed(sizeof *document);
    document->uri = str_copy(&document->arena, uri);
    document->path = uri_path(&document->arena, uri);
    document->is_python = str_ends(document->path, S(".py")) || str_ends(document->path, S(".ipynb")) ||
                          str_eq(param_text(scratch, params, "textDocument.languageId"), S("python"));
    param_int(scratch, params, "textDocument.version", &document->version);
    buf_add(&document->text, param_text(scratch, params, "textDocument.text"));
    insert(documents, document);
    return document;
}

/* ---- changes ---- */

static void replace(struct document *document, size_t begin, size_t end, str text)
{
    struct buf changed = {0};
    const str before = buf_str(&document->text);
    buf_add(&changed, (str){before.at, begin});
    buf_add(&changed, text);
    buf_add(&changed, str_from(before, end));
    buf_free(&document->text);
    document->text = changed;
}

static void change_one(struct document *document, str change, enum columns columns)
{
    struct arena scratch = {0};
    const str text = param_text(&scratch, change, "text");
    if (!param(&scratch, change, "range").len) {
        buf_clear(&document->text);
        buf_add(&document->text, text);
    } else {
        const struct text_lines *lines = text_lines(&scratch, buf_str(&document->text));
        const size_t begin = position_byte(lines, param_position(&scratch, change, "range.start"), columns);
        const size_t end = position_byte(lines, param_position(&scratch, change, "range.end"), columns);
        replace(document, begin, end > begin ? end : begin, text);
    }
    arena_free(&scratch);
}

void document_change(struct document *document, struct arena *scratch, str params, enum columns columns)
{
    struct json changes = param_list(scratch, params, "contentChanges");
    for (str change; param_next(&changes, &change);)
        change_one(document, change, columns);
    param_int(scratch, params, "textDocument.version", &document->version);
}

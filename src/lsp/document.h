/* SPDX-License-Identifier: Apache-2.0 */
/* The files that are open in an editor, as it has them. */
#ifndef LSP_DOCUMENT_H
#define LSP_DOCUMENT_H

#include "cells.h"

enum { DOCUMENTS_MOST = 4096 };

struct document {
    struct arena arena; /* of uri and path */
    str uri, path;
    int64_t version;
    bool is_python; /* or a notebook */
    bool was_empty; /* an empty list was published last */
    bool has_cells; /* a notebook that is shown cell by cell: its text is made of them */
    struct buf text;
    struct open_cells cells;
};

struct documents {
    struct document **at; /* by path */
    uint32_t count;
    size_t room;
};

struct document *documents_find(const struct documents *documents, str uri);
struct document *documents_of_path(const struct documents *documents, str path);

/*
 * From the `textDocument` of didOpen, or its `notebookDocument` with cells. NULL: there are too many, or its cells are open.
 * What was open under this URI is replaced.
 */
struct document *documents_open(struct documents *documents, struct arena *scratch, str params);
struct document *documents_open_notebook(struct documents *documents, struct arena *scratch, str params);
void documents_close(struct documents *documents, struct document *document);
void documents_free(struct documents *documents);

void document_change(struct document *document, struct arena *scratch, str params, enum columns columns);
void document_change_notebook(struct document *document, struct open_cells *gone, struct arena *scratch, str params,
                              enum columns columns);

#endif

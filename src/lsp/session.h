/* SPDX-License-Identifier: Apache-2.0 */
/* What a server knows: of its client, of what is open, and of what was found. */
#ifndef LSP_SESSION_H
#define LSP_SESSION_H

#include "document.h"
#include "lint/lint.h"
#include "server.h"

enum { FOLDERS_MOST = 64 };

/* What was found when it was last looked. Nothing in it outlives the next look. */
struct findings {
    struct arena arena;
    struct report *report; /* NULL: nothing could be looked at */
};

struct server {
    send_fn *send;
    void *context;
    enum { SERVER_NEW, SERVER_READY, SERVER_SHUT, SERVER_ENDED } state;
    bool was_shut;
    /* the client */
    enum columns columns;
    bool pulls;            /* it asks for diagnostics; nothing is published */
    bool relates;          /* it shows other places of a diagnostic */
    bool document_changes; /* it takes edits with the version that they are of */
    struct arena arena;    /* of what follows, and as long as the server */
    const char *folders[FOLDERS_MOST];
    uint32_t folder_count;
    str select, ignore;
    str told; /* the last complaint: each is told once */
    /* what is open, and found */
    struct documents documents;
    struct findings findings;
    bool stale;
    bool is_large; /* the workspace took too long: only what is open is looked at */
    unsigned took_ms;
};

/* Looks again where something changed since. */
void findings_renew(struct server *server);
void findings_free(struct findings *findings);

enum notice { NOTICE_ERROR = 1, NOTICE_WARNING = 2 };
/* On the screen of the editor; the same twice in a row is shown once. */
void tell_client(struct server *server, enum notice type, str message);

/* The options of a run over the workspace, what is open laid over it. Everything lies in the arena. */
struct lint_options workspace_options(const struct server *server, struct arena *arena);

/* What the editor has under one URI: a document, or a cell of a notebook. */
struct page {
    struct document *document; /* NULL: none is open */
    struct open_cell *cell;    /* NULL: the document itself */
    const struct text_lines *lines;
};

struct page page_of(struct arena *arena, struct document *document, struct open_cell *cell);
str page_uri(const struct page *page);
int64_t page_version(const struct page *page);
struct position_range page_range(const struct server *server, const struct page *page, const struct finding *finding);

/* That which the `textDocument` of the parameters names. */
struct page param_page(const struct server *server, struct arena *arena, str params);

/* The next finding that lies there, from *from on, which goes on; NULL. */
const struct finding *finding_next(const struct server *server, const struct page *page, uint32_t *from);

/* What was found in a document, or in each of its cells; of cells that are gone nothing. */
void publish(struct server *server, struct document *document);
void publish_gone(struct server *server, struct document *document, const struct open_cells *gone);
void put_diagnostic(const struct server *server, const struct page *page, const struct finding *finding,
                    struct json_writer *json);

/* Edits of the file that a page belongs to, in its order, as the `edit` of a code action. */
void put_edits(const struct server *server, const struct page *page, const struct finding_edit *edits, uint32_t count,
               struct json_writer *json);

/* Answers of requests; what is not open gives an empty one. */
void answer_actions(struct server *server, const struct message *message);
void answer_hover(struct server *server, const struct message *message);
void answer_diagnostics(struct server *server, const struct message *message);

#endif

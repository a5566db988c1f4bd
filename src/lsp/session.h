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

/* The options of a run over the workspace, what is open laid over it. Everything lies in the arena. */
struct lint_options workspace_options(const struct server *server, struct arena *arena);

/* The next finding that lies in the document, from *from on, which goes on; NULL. */
const struct finding *finding_next(const struct server *server, const struct document *document, uint32_t *from);

void publish(struct server *server, struct document *document);
void put_diagnostics(const struct server *server, const struct document *document, struct json_writer *json);
void put_diagnostic(const struct server *server, const struct text_lines *lines, const struct finding *finding,
                    struct json_writer *json);

/* Answers of requests; NULL or a document that is not open gives an empty one. */
void answer_actions(struct server *server, const struct message *message);
void answer_hover(struct server *server, const struct message *message);
void answer_diagnostics(struct server *server, const struct message *message);

/* The document that the parameters name; NULL. */
struct document *param_document(const struct server *server, struct arena *arena, str params);

#endif

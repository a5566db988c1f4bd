/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of each message. */
#include "session.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "uri.h"

enum { QUIET_LEAST_MS = 100, QUIET_MOST_MS = 3000 };

struct server *server_new(send_fn *send, void *context)
{
    struct server *server = mem_zeroed(sizeof *server);
    server->send = send;
    server->context = context;
    return server;
}

void server_free(struct server *server)
{
    findings_free(&server->findings);
    documents_free(&server->documents);
    arena_free(&server->arena);
    mem_free(server);
}

bool server_is_stale(const struct server *server)
{
    return server->stale;
}

unsigned server_quiet_ms(const struct server *server)
{
    const unsigned quiet = 2 * server->took_ms;
    return quiet < QUIET_LEAST_MS ? QUIET_LEAST_MS : quiet > QUIET_MOST_MS ? QUIET_MOST_MS : quiet;
}

bool server_ended(const struct server *server)
{
    return server->state == SERVER_ENDED;
}

int server_exit_code(const struct server *server)
{
    return server->was_shut ? 0 : 1;
}

/* ---- the beginning and the end ---- */

static void add_folder(struct server *server, str uri)
{
    if (!str_starts(uri, S("file:")))
        return;
    if (server->folder_count == FOLDERS_MOST) {
        tell_client(server, NOTICE_WARNING, S("more than 64 folders; the others are not looked at"));
        return;
    }
    server->folders[server->folder_count++] = uri_path(&server->arena, uri).at;
    server->stale = true;
}

static void remove_folder(struct server *server, str uri)
{
    struct arena scratch = {0};
    const str path = uri_path(&scratch, uri);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < server->folder_count; i++)
        if (!str_eq(str_of(server->folders[i]), path))
            server->folders[kept++] = server->folders[i];
    server->folder_count = kept;
    server->stale = true;
    arena_free(&scratch);
}

static void take_folders(struct server *server, struct arena *arena, str params)
{
    struct json list = param_list(arena, params, "workspaceFolders");
    for (str item; param_next(&list, &item);)
        add_folder(server, param_text(arena, item, "uri"));
    if (!server->folder_count)
        add_folder(server, param_text(arena, params, "rootUri"));
}

static void take_client(struct server *server, struct arena *arena, str params)
{
    struct json list = param_list(arena, params, "capabilities.general.positionEncodings");
    for (str item; param_next(&list, &item);)
        if (str_eq(item, S("\"utf-8\"")))
            server->columns = COLUMNS_UTF8;
    const str document = param(arena, params, "capabilities.textDocument");
    server->pulls = param(arena, document, "diagnostic").len > 0;
    server->relates = param_true(arena, document, "publishDiagnostics.relatedInformation") ||
                      param_true(arena, document, "diagnostic.relatedInformation");
    server->document_changes = param_true(arena, params, "capabilities.workspace.workspaceEdit.documentChanges");
    server->select = str_copy(&server->arena, param_text(arena, params, "initializationOptions.select"));
    server->ignore = str_copy(&server->arena, param_text(arena, params, "initializationOptions.ignore"));
}

static void put_capabilities(const struct server *server, struct json_writer *json)
{
    json_write_member(json, S("positionEncoding"), server->columns == COLUMNS_UTF8 ? S("utf-8") : S("utf-16"));
    json_write_key(json, S("textDocumentSync"));
    json_write_raw(json, S("{\"openClose\": true, \"change\": 2, \"save\": {\"includeText\": false}}"));
    json_write_key(json, S("notebookDocumentSync"));
    json_write_raw(json, S("{\"notebookSelector\": [{\"notebook\": \"jupyter-notebook\", "
                           "\"cells\": [{\"language\": \"python\"}]}], \"save\": true}"));
    json_write_key(json, S("codeActionProvider"));
    json_write_raw(json, S("{\"codeActionKinds\": [\"quickfix\", \"source.fixAll.steptime\", "
                           "\"notebook.source.fixAll.steptime\"]}"));
    json_write_key(json, S("hoverProvider"));
    json_write_bool(json, true);
    json_write_key(json, S("diagnosticProvider"));
    json_write_raw(json, S("{\"identifier\": \"steptime\", \"interFileDependencies\": true, "
                           "\"workspaceDiagnostics\": false}"));
    json_write_key(json, S("workspace"));
    json_write_raw(json, S("{\"workspaceFolders\": {\"supported\": true, \"changeNotifications\": true}}"));
}

static void answer_initialize(struct server *server, const struct message *message)
{
    struct arena scratch = {0};
    take_client(server, &scratch, message->params);
    take_folders(server, &scratch, message->params);
    server->state = SERVER_READY;
    struct reply reply = reply_begin(message->id);
    json_write_object(&reply.json, JSON_FLAT);
    json_write_key(&reply.json, S("capabilities"));
    json_write_object(&reply.json, JSON_FLAT);
    put_capabilities(server, &reply.json);
    json_write_end(&reply.json);
    json_write_key(&reply.json, S("serverInfo"));
    json_write_object(&reply.json, JSON_FLAT);
    json_write_member(&reply.json, S("name"), S("steptime"));
    json_write_member(&reply.json, S("version"), S(STEPTIME_VERSION));
    json_write_end(&reply.json);
    json_write_end(&reply.json);
    reply_send(&reply, server->send, server->context);
    arena_free(&scratch);
}

static void answer_shutdown(struct server *server, const struct message *message)
{
    server->state = SERVER_SHUT;
    server->was_shut = true;
    struct reply reply = reply_begin(message->id);
    json_write_null(&reply.json);
    reply_send(&reply, server->send, server->context);
}

/* ---- what is open ---- */

static void take_open(struct server *server, const struct message *message)
{
    struct arena scratch = {0};
    if (!documents_open(&server->documents, &scratch, message->params) && server->documents.count == DOCUMENTS_MOST)
        tell_client(server, NOTICE_WARNING,
                    S("more than 4,096 open files; the others are looked at as they are saved"));
    server->stale = true;
    arena_free(&scratch);
}

/* A document, or a notebook with cells; the notifications of one kind say nothing of the other. NULL. */
static struct document *open_document(struct server *server, struct arena *arena, str params, const char *path,
                                      bool has_cells)
{
    struct document *document = documents_find(&server->documents, param_text(arena, params, path));
    return document && document->has_cells == has_cells ? document : NULL;
}

static void take_change(struct server *server, const struct message *message)
{
    struct arena scratch = {0};
    struct document *document = open_document(server, &scratch, message->params, "textDocument.uri", false);
    if (document) {
        document_change(document, &scratch, message->params, server->columns);
        server->stale = true;
    }
    arena_free(&scratch);
}

static void close_document(struct server *server, struct document *document)
{
    findings_free(&server->findings); /* so that nothing is published of it */
    publish(server, document);
    documents_close(&server->documents, document);
    server->stale = true;
}

static void take_close(struct server *server, const struct message *message)
{
    struct arena scratch = {0};
    struct document *document = open_document(server, &scratch, message->params, "textDocument.uri", false);
    if (document)
        close_document(server, document);
    arena_free(&scratch);
}

/* ---- notebooks, cell by cell ---- */

static void take_notebook_close(struct server *server, const struct message *message)
{
    struct arena scratch = {0};
    struct document *document = open_document(server, &scratch, message->params, "notebookDocument.uri", true);
    if (document)
        close_document(server, document);
    arena_free(&scratch);
}

static void take_notebook_open(struct server *server, const struct message *message)
{
    struct arena scratch = {0};
    take_notebook_close(server, message); /* what was open of it */
    documents_open_notebook(&server->documents, &scratch, message->params);
    server->stale = true;
    arena_free(&scratch);
}

static void take_notebook_change(struct server *server, const struct message *message)
{
    struct arena scratch = {0};
    struct open_cells gone = {0};
    struct document *document = open_document(server, &scratch, message->params, "notebookDocument.uri", true);
    if (document) {
        document_change_notebook(document, &gone, &scratch, message->params, server->columns);
        publish_gone(server, document, &gone);
        server->stale = true;
    }
    open_cells_free(&gone);
    arena_free(&scratch);
}

/* Of a file that was saved, here or elsewhere, or of a configuration. */
static void take_save(struct server *server, const struct message *message)
{
    (void)message;
    server->stale = true;
}

static void take_folder_change(struct server *server, const struct message *message)
{
    struct arena scratch = {0};
    struct json gone = param_list(&scratch, message->params, "event.removed");
    for (str item; param_next(&gone, &item);)
        remove_folder(server, param_text(&scratch, item, "uri"));
    struct json come = param_list(&scratch, message->params, "event.added");
    for (str item; param_next(&come, &item);)
        add_folder(server, param_text(&scratch, item, "uri"));
    arena_free(&scratch);
}

/* ---- which is which ---- */

struct method {
    const char *name;
    void (*take)(struct server *server, const struct message *message);
};

static const struct method requests[] = {
    {"shutdown", answer_shutdown},
    {"textDocument/codeAction", answer_actions},
    {"textDocument/hover", answer_hover},
    {"textDocument/diagnostic", answer_diagnostics},
    {0},
};

static const struct method notifications[] = {
    {"textDocument/didOpen", take_open},
    {"textDocument/didChange", take_change},
    {"textDocument/didSave", take_save},
    {"textDocument/didClose", take_close},
    {"notebookDocument/didOpen", take_notebook_open},
    {"notebookDocument/didChange", take_notebook_change},
    {"notebookDocument/didSave", take_save},
    {"notebookDocument/didClose", take_notebook_close},
    {"workspace/didChangeWatchedFiles", take_save},
    {"workspace/didChangeConfiguration", take_save},
    {"workspace/didChangeWorkspaceFolders", take_folder_change},
    {0},
};

static const struct method *method_of(const struct method *methods, str name)
{
    for (; methods->name; methods++)
        if (str_eq(str_of(methods->name), name))
            return methods;
    return NULL;
}

static void refuse(struct server *server, str id, int code, const char *why)
{
    send_error(id, code, why, server->send, server->context);
}

static void take_request(struct server *server, const struct message *message)
{
    const struct method *method = method_of(requests, message->method);
    const bool first = str_eq(message->method, S("initialize"));
    if (server->state == SERVER_NEW && first)
        answer_initialize(server, message);
    else if (server->state == SERVER_NEW)
        refuse(server, message->id, RPC_NOT_INITIALIZED, "the first request is 'initialize'");
    else if (server->state == SERVER_SHUT || first)
        refuse(server, message->id, RPC_INVALID_REQUEST, first ? "initialized before" : "the server is shut down");
    else if (!method)
        refuse(server, message->id, RPC_METHOD_NOT_FOUND, "no such method");
    else
        method->take(server, message);
}

static void take_notification(struct server *server, const struct message *message)
{
    const struct method *method = method_of(notifications, message->method);
    if (str_eq(message->method, S("exit")))
        server->state = SERVER_ENDED;
    else if (server->state == SERVER_READY && method)
        method->take(server, message);
}

static void take_message(struct server *server, str body, struct arena *arena, const struct map *cancelled)
{
    struct message message;
    switch (message_read(arena, body, &message)) {
    case MESSAGE_NO_JSON:
        refuse(server, S(""), RPC_PARSE_ERROR, "the body is no JSON");
        break;
    case MESSAGE_ODD:
        refuse(server, S(""), RPC_INVALID_REQUEST, "no request, notification or response");
        break;
    case MESSAGE_REQUEST:
        if (map_get(cancelled, (int64_t)hash_stable(message.id.at, message.id.len)) != MAP_NONE)
            refuse(server, message.id, RPC_CANCELLED, "cancelled");
        else
            take_request(server, &message);
        break;
    case MESSAGE_NOTIFICATION:
        take_notification(server, &message);
        break;
    case MESSAGE_RESPONSE: /* to a refresh */
        break;
    }
}

static void note_cancelled(struct map *cancelled, str body)
{
    struct arena scratch = {0};
    struct message message;
    if (memmem(body.at, body.len, "$/cancelRequest", 15) && message_read(&scratch, body, &message) &&
        str_eq(message.method, S("$/cancelRequest"))) {
        const str id = param(&scratch, message.params, "id");
        map_put(cancelled, (int64_t)hash_stable(id.at, id.len), 0);
    }
    arena_free(&scratch);
}

/* Two walks over the same bytes: the first looks for what is cancelled. */
void server_take(struct server *server, struct frames *frames)
{
    struct map cancelled = {0};
    const struct frames before = *frames;
    str body;
    for (enum frame frame; (frame = frames_next(frames, &body)) != FRAME_NONE;)
        if (frame == FRAME_BODY)
            note_cancelled(&cancelled, body);
    frames->from = before.from;
    frames->skip = before.skip;
    for (enum frame frame; !server_ended(server) && (frame = frames_next(frames, &body)) != FRAME_NONE;) {
        struct arena scratch = {0};
        if (frame == FRAME_BODY)
            take_message(server, body, &scratch, &cancelled);
        else
            refuse(server, S(""), RPC_PARSE_ERROR,
                   frame == FRAME_BROKEN ? "a head without Content-Length" : "a body of more than 64 MiB");
        arena_free(&scratch);
    }
    map_free(&cancelled);
}

void server_settle(struct server *server)
{
    if (server->state != SERVER_READY || !server->stale)
        return;
    findings_renew(server);
    for (uint32_t i = 0; i < server->documents.count; i++)
        publish(server, server->documents.at[i]);
}

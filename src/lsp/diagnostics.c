/* SPDX-License-Identifier: Apache-2.0 */
/* Findings as diagnostics: published, or handed out where the client asks. */
#include "report/document.h"
#include "session.h"
#include "uri.h"

static int severity_number(enum severity severity)
{
    enum { ERROR = 1, WARNING = 2, INFORMATION = 3 };
    return severity == SEVERITY_ERROR ? ERROR : severity == SEVERITY_WARNING ? WARNING : INFORMATION;
}

/* ---- the proof, as places beside the diagnostic ---- */

/* The cell that a place lies in; NULL where the file is open as a whole, or not at all. */
static const struct open_cell *cell_of_place(const struct document *open, const struct finding_place *place)
{
    const bool has = open && place->cell > 0 && place->cell <= open->cells.count;
    return has ? open->cells.at[place->cell - 1] : NULL;
}

static void put_related(const struct server *server, const struct finding_link *link, str name,
                        const struct finding_place *place, struct json_writer *json)
{
    struct arena scratch = {0};
    const struct document *open = documents_of_path(&server->documents, place->file);
    const struct open_cell *cell = cell_of_place(open, place);
    const int64_t line = place->cell && !cell ? place->line_in_file : place->line;
    const uint32_t from = line > 0 ? (uint32_t)line - 1 : 0;
    const str text = place->what.len ? place->what : link->text;
    json_write_object(json, JSON_FLAT);
    json_write_key(json, S("location"));
    json_write_object(json, JSON_FLAT);
    json_write_member(json, S("uri"), cell ? buf_str(&cell->uri) : open ? open->uri : path_uri(&scratch, place->file));
    json_write_key(json, S("range"));
    put_range(json, (struct position_range){{from, 0}, {from, 0}});
    json_write_end(json);
    json_write_member(json, S("message"),
                      str_printf(&scratch, "%.*s: %.*s", (int)name.len, name.at, (int)text.len, text.at));
    json_write_end(json);
    arena_free(&scratch);
}

static void put_proof(const struct server *server, const struct finding *finding, struct json_writer *json)
{
    if (!finding->proof || !server->relates)
        return;
    json_write_key(json, S("relatedInformation"));
    json_write_array(json, JSON_FLAT);
    for (int i = 0; i < FINDING_LINKS; i++)
        for (uint32_t k = 0; k < finding->proof[i].count; k++)
            put_related(server, &finding->proof[i], finding_link_word((enum finding_link_kind)i),
                        &finding->proof[i].places[k], json);
    json_write_end(json);
}

/* ---- diagnostics ---- */

void put_diagnostic(const struct server *server, const struct page *page, const struct finding *finding,
                    struct json_writer *json)
{
    const struct finding_rule *rule = report_find_rule(server->findings.report, finding->rule);
    json_write_object(json, JSON_FLAT);
    json_write_key(json, S("range"));
    put_range(json, page_range(server, page, finding));
    json_write_key(json, S("severity"));
    json_write_int(json, severity_number(finding->severity));
    json_write_member(json, S("code"), finding->rule);
    if (rule && rule->uri.len) {
        json_write_key(json, S("codeDescription"));
        json_write_object(json, JSON_FLAT);
        json_write_member(json, S("href"), rule->uri);
        json_write_end(json);
    }
    json_write_member(json, S("source"), S("steptime"));
    json_write_member(json, S("message"), finding->message);
    put_proof(server, finding, json);
    json_write_key(json, S("data"));
    json_write_object(json, JSON_FLAT);
    json_write_member(json, S("id"), finding->id);
    json_write_member(json, S("fix"), finding->fix);
    json_write_end(json);
    json_write_end(json);
}

static void put_diagnostics(const struct server *server, const struct page *page, struct json_writer *json)
{
    json_write_array(json, JSON_FLAT);
    uint32_t from = 0;
    for (const struct finding *finding; page->document && (finding = finding_next(server, page, &from));)
        put_diagnostic(server, page, finding, json);
    json_write_end(json);
}

/* Once empty it need not be said again. */
static void publish_page(struct server *server, const struct page *page)
{
    uint32_t from = 0;
    bool *was_empty = page->cell ? &page->cell->was_empty : &page->document->was_empty;
    const bool is_empty = !finding_next(server, page, &from);
    if (server->pulls || (is_empty && *was_empty))
        return;
    *was_empty = is_empty;
    struct reply reply = notification_begin("textDocument/publishDiagnostics");
    json_write_object(&reply.json, JSON_FLAT);
    json_write_member(&reply.json, S("uri"), page_uri(page));
    json_write_key(&reply.json, S("version"));
    json_write_int(&reply.json, page_version(page));
    json_write_key(&reply.json, S("diagnostics"));
    put_diagnostics(server, page, &reply.json);
    json_write_end(&reply.json);
    reply_send(&reply, server->send, server->context);
}

static void publish_in(struct server *server, struct document *document, struct open_cell *cell)
{
    struct arena scratch = {0};
    const struct page page = page_of(&scratch, document, cell);
    publish_page(server, &page);
    arena_free(&scratch);
}

void publish(struct server *server, struct document *document)
{
    for (uint32_t i = 0; i < document->cells.count; i++)
        publish_in(server, document, document->cells.at[i]);
    if (!document->has_cells)
        publish_in(server, document, NULL);
}

/* No finding lies in what is none of its cells. */
void publish_gone(struct server *server, struct document *document, const struct open_cells *gone)
{
    for (uint32_t i = 0; i < gone->count; i++)
        publish_in(server, document, gone->at[i]);
}

void answer_diagnostics(struct server *server, const struct message *message)
{
    struct arena scratch = {0};
    const struct page page = param_page(server, &scratch, message->params);
    findings_renew(server);
    struct reply reply = reply_begin(message->id);
    json_write_object(&reply.json, JSON_FLAT);
    json_write_member(&reply.json, S("kind"), S("full"));
    json_write_key(&reply.json, S("items"));
    put_diagnostics(server, &page, &reply.json);
    json_write_end(&reply.json);
    reply_send(&reply, server->send, server->context);
    arena_free(&scratch);
}

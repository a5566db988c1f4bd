/* SPDX-License-Identifier: Apache-2.0 */
/* Rewrites as code actions: that of each finding in a range, and all safe ones of a file at once. */
#include "lint/fix.h"
#include "report/document.h"
#include "session.h"
#include "syntax/lines.h"

#define FIX_ALL "source.fixAll.steptime"

/* Whether the client wants actions of a kind: all where it names none, else those below what it names. */
static bool is_wanted(struct arena *arena, str params, str kind, bool otherwise)
{
    if (!param(arena, params, "context.only").len)
        return otherwise;
    struct json list = param_list(arena, params, "context.only");
    for (str item; param_next(&list, &item);) {
        const str word = item.len >= 2 && item.at[0] == '"' ? (str){item.at + 1, item.len - 2} : S("?");
        if (str_eq(kind, word) || !word.len ||
            (str_starts(kind, word) && kind.len > word.len && kind.at[word.len] == '.'))
            return true;
    }
    return false;
}

/* ---- edits ---- */

struct edit_writer {
    struct reply *reply;
    const struct document *document;
    bool versions;
};

static void begin_edit(const struct edit_writer *writer)
{
    struct json_writer *json = &writer->reply->json;
    json_write_key(json, S("edit"));
    json_write_object(json, JSON_FLAT);
    if (writer->versions) {
        json_write_key(json, S("documentChanges"));
        json_write_array(json, JSON_FLAT);
        json_write_object(json, JSON_FLAT);
        json_write_key(json, S("textDocument"));
        json_write_object(json, JSON_FLAT);
        json_write_member(json, S("uri"), writer->document->uri);
        json_write_key(json, S("version"));
        json_write_int(json, writer->document->version);
        json_write_end(json);
        json_write_key(json, S("edits"));
    } else {
        json_write_key(json, S("changes"));
        json_write_object(json, JSON_FLAT);
        json_write_key(json, writer->document->uri);
    }
    json_write_array(json, JSON_FLAT);
}

static void end_edit(const struct edit_writer *writer)
{
    struct json_writer *json = &writer->reply->json;
    json_write_end(json);
    json_write_end(json);
    if (writer->versions)
        json_write_end(json);
    json_write_end(json);
}

static void put_edit(const struct server *server, const struct text_lines *lines, const struct finding_edit *edit,
                     struct json_writer *json)
{
    json_write_object(json, JSON_FLAT);
    json_write_key(json, S("range"));
    put_range(json,
              (struct position_range){position_of_utf16(lines, edit->line, edit->column, server->columns),
                                      position_of_utf16(lines, edit->end_line, edit->end_column, server->columns)});
    json_write_member(json, S("newText"), edit->text);
    json_write_end(json);
}

/* ---- of a finding ---- */

static void put_quick_fix(const struct server *server, const struct edit_writer *writer, const struct text_lines *lines,
                          const struct finding *finding)
{
    struct json_writer *json = &writer->reply->json;
    struct arena scratch = {0};
    const struct finding_rule *rule = report_find_rule(server->findings.report, finding->rule);
    const bool safe = str_eq(finding->fix, S("safe"));
    const str name = rule ? rule->name : S("");
    json_write_object(json, JSON_FLAT);
    json_write_member(json, S("title"),
                      str_printf(&scratch, "steptime %.*s: rewrite %.*s%s", (int)finding->rule.len, finding->rule.at,
                                 (int)name.len, name.at, safe ? "" : " (unsafe: may change results)"));
    json_write_member(json, S("kind"), S("quickfix"));
    json_write_key(json, S("isPreferred"));
    json_write_bool(json, safe);
    json_write_key(json, S("diagnostics"));
    json_write_array(json, JSON_FLAT);
    put_diagnostic(server, lines, finding, json);
    json_write_end(json);
    begin_edit(writer);
    for (uint32_t i = 0; i < finding->edit_count; i++)
        put_edit(server, lines, &finding->edits[i], json);
    end_edit(writer);
    json_write_end(json);
    arena_free(&scratch);
}

static void put_quick_fixes(const struct server *server, const struct edit_writer *writer, struct position_range range)
{
    struct arena scratch = {0};
    const struct text_lines *lines = text_lines(&scratch, buf_str(&writer->document->text));
    uint32_t from = 0;
    for (const struct finding *finding; (finding = finding_next(server, writer->document, &from));)
        if (finding->edit_count && ranges_touch(range, range_of_finding(lines, finding, server->columns)))
            put_quick_fix(server, writer, lines, finding);
    arena_free(&scratch);
}

/* ---- of a file ---- */

static const struct fix_file *fixed_file(const struct server *server, const struct document *document,
                                         struct arena *arena, struct fixes *fixes)
{
    const struct fix_options options = {.lint = workspace_options(server, arena)};
    if (!fix_run(&options, arena, fixes, NULL))
        return NULL;
    for (uint32_t i = 0; i < fixes->file_count; i++)
        if (str_eq(fixes->files[i].path, document->path))
            return &fixes->files[i];
    return NULL;
}

static void put_fix_all(const struct server *server, const struct edit_writer *writer)
{
    struct json_writer *json = &writer->reply->json;
    struct arena scratch = {0};
    struct fixes fixes;
    const struct fix_file *file = fixed_file(server, writer->document, &scratch, &fixes);
    if (file) {
        struct syntax tree = {.path = file->path, .text = file->before}; /* of which its lines are asked */
        lines_index(&scratch, &tree);
        const struct text_lines *lines = text_lines(&scratch, file->before);
        json_write_object(json, JSON_FLAT);
        json_write_member(json, S("title"), S("steptime: make all safe rewrites"));
        json_write_member(json, S("kind"), S(FIX_ALL));
        begin_edit(writer);
        for (uint32_t i = 0; i < file->edits.count; i++) {
            const struct edit *edit = &file->edits.at[i];
            const struct finding_edit at = lint_edit(&tree, edit->begin, edit->end, edit->text);
            put_edit(server, lines, &at, json);
        }
        end_edit(writer);
        json_write_end(json);
    }
    arena_free(&scratch);
}

void answer_actions(struct server *server, const struct message *message)
{
    struct arena scratch = {0};
    const struct document *document = param_document(server, &scratch, message->params);
    findings_renew(server);
    struct reply reply = reply_begin(message->id);
    const struct edit_writer writer = {&reply, document, server->document_changes};
    json_write_array(&reply.json, JSON_FLAT);
    if (document && is_wanted(&scratch, message->params, S("quickfix"), true))
        put_quick_fixes(server, &writer,
                        (struct position_range){param_position(&scratch, message->params, "range.start"),
                                                param_position(&scratch, message->params, "range.end")});
    if (document && is_wanted(&scratch, message->params, S(FIX_ALL), false))
        put_fix_all(server, &writer);
    json_write_end(&reply.json);
    reply_send(&reply, server->send, server->context);
    arena_free(&scratch);
}

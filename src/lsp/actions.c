/* SPDX-License-Identifier: Apache-2.0 */
/* Rewrites as code actions: that of each finding in a range, and all safe ones of a file at once. */
#include "lint/fix.h"
#include "report/document.h"
#include "session.h"
#include "syntax/lines.h"

#define FIX_ALL      "source.fixAll.steptime"
#define FIX_NOTEBOOK "notebook.source.fixAll.steptime"

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

/* ---- of a finding ---- */

static void put_quick_fix(const struct server *server, const struct page *page, const struct finding *finding,
                          struct json_writer *json)
{
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
    put_diagnostic(server, page, finding, json);
    json_write_end(json);
    put_edits(server, page, finding->edits, finding->edit_count, json);
    json_write_end(json);
    arena_free(&scratch);
}

static void put_quick_fixes(const struct server *server, const struct page *page, struct position_range range,
                            struct json_writer *json)
{
    uint32_t from = 0;
    for (const struct finding *finding; (finding = finding_next(server, page, &from));)
        if (finding->edit_count && ranges_touch(range, page_range(server, page, finding)))
            put_quick_fix(server, page, finding, json);
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

/* Of a notebook it has a kind of its own: editors ask each cell for the other one, and would make all of them each time. */
static str fix_all_kind(const struct page *page)
{
    return page->cell ? S(FIX_NOTEBOOK) : S(FIX_ALL);
}

static void put_fix_all(const struct server *server, const struct page *page, struct json_writer *json)
{
    struct arena scratch = {0};
    struct fixes fixes;
    const struct fix_file *file = fixed_file(server, page->document, &scratch, &fixes);
    if (file) {
        struct syntax tree = {.path = file->path, .text = file->before}; /* of which its lines are asked */
        lines_index(&scratch, &tree);
        struct finding_edit *edits = arena_array(&scratch, file->edits.count, sizeof *edits);
        for (uint32_t i = 0; i < file->edits.count; i++) {
            const struct edit *edit = &file->edits.at[i];
            edits[i] = lint_edit(&tree, edit->begin, edit->end, edit->text);
        }
        json_write_object(json, JSON_FLAT);
        json_write_member(json, S("title"), S("steptime: make all safe rewrites"));
        json_write_member(json, S("kind"), fix_all_kind(page));
        put_edits(server, page, edits, file->edits.count, json);
        json_write_end(json);
    }
    arena_free(&scratch);
}

void answer_actions(struct server *server, const struct message *message)
{
    struct arena scratch = {0};
    const struct page page = param_page(server, &scratch, message->params);
    findings_renew(server);
    struct reply reply = reply_begin(message->id);
    json_write_array(&reply.json, JSON_FLAT);
    if (page.document && is_wanted(&scratch, message->params, S("quickfix"), true))
        put_quick_fixes(server, &page,
                        (struct position_range){param_position(&scratch, message->params, "range.start"),
                                                param_position(&scratch, message->params, "range.end")},
                        &reply.json);
    if (page.document && is_wanted(&scratch, message->params, fix_all_kind(&page), false))
        put_fix_all(server, &page, &reply.json);
    json_write_end(&reply.json);
    reply_send(&reply, server->send, server->context);
    arena_free(&scratch);
}

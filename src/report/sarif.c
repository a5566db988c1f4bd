/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings as SARIF 2.1.0 (OASIS, docs.oasis-open.org/sarif/sarif/v2.1.0): what
 * code hosts and editors take. One run; a result a finding, suppressed ones too,
 * for which SARIF has a word. Paths are relative URIs where they are relative, to a root that is told.
 * Columns count bytes of the line; SARIF counts UTF-16 units, so the excerpt is
 * used to convert.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "render.h"
#include "text/json_writer.h"

static void member_int(struct json_writer *json, str key, int64_t value)
{
    json_write_key(json, key);
    json_write_int(json, value);
}

static void open_member(struct json_writer *json, str key)
{
    json_write_key(json, key);
    json_write_object(json, JSON_LINES);
}

static void message(struct json_writer *json, str key, str text)
{
    json_write_key(json, key);
    json_write_object(json, JSON_FLAT);
    json_write_member(json, S("text"), text);
    json_write_end(json);
}

/* ---- rules ---- */

static void put_help(struct json_writer *json, const struct finding_rule *rule)
{
    json_write_key(json, S("help"));
    json_write_object(json, JSON_LINES);
    json_write_member(json, S("text"), rule->help);
    json_write_member(json, S("markdown"), rule->help);
    json_write_end(json);
}

static void put_rule(struct json_writer *json, const struct finding_rule *rule)
{
    json_write_object(json, JSON_LINES);
    json_write_member(json, S("id"), rule->id);
    json_write_member(json, S("name"), rule->name);
    message(json, S("shortDescription"), rule->brief);
    message(json, S("fullDescription"), rule->why);
    put_help(json, rule);
    if (rule->uri.len)
        json_write_member(json, S("helpUri"), rule->uri);
    json_write_key(json, S("defaultConfiguration"));
    json_write_object(json, JSON_FLAT);
    json_write_member(json, S("level"), severity_word(rule->severity));
    json_write_end(json);
    json_write_end(json);
}

static void put_tool(struct json_writer *json, const struct report *report, str version)
{
    open_member(json, S("tool"));
    open_member(json, S("driver"));
    json_write_member(json, S("name"), S("steptime"));
    json_write_member(json, S("version"), version);
    json_write_member(json, S("semanticVersion"), version);
    json_write_list(json, S("rules"));
    for (uint32_t i = 0; i < report->rule_count; i++)
        put_rule(json, &report->rules[i]);
    json_write_end(json);
    json_write_end(json);
    json_write_end(json);
}

/* ---- places ---- */

static bool is_plain(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("-._~/", c));
}

/* RFC 3986: what is not unreserved is percent-encoded; an absolute path is a file URI. */
static void put_uri(struct json_writer *json, str path)
{
    struct buf uri = {0};
    if (str_starts(path, S("/")))
        buf_add(&uri, S("file://"));
    while (str_starts(path, S("./")))
        path = str_from(path, 2);
    for (size_t i = 0; i < path.len; i++) {
        if (is_plain((unsigned char)path.at[i]))
            buf_char(&uri, path.at[i]);
        else
            buf_printf(&uri, "%%%02X", (unsigned char)path.at[i]);
    }
    json_write_member(json, S("uri"), buf_str(&uri));
    buf_free(&uri);
}

/* A relative path is one below the folder in which the program runs: the root of the sources. */
static void put_artifact(struct json_writer *json, str path)
{
    json_write_key(json, S("artifactLocation"));
    json_write_object(json, JSON_FLAT);
    put_uri(json, path);
    if (!str_starts(path, S("/")))
        json_write_member(json, S("uriBaseId"), S("%SRCROOT%"));
    json_write_end(json);
}

static void put_root(struct json_writer *json)
{
    char *folder = getcwd(NULL, 0);
    if (!folder)
        return;
    struct arena scratch = {0};
    const char *slash = str_ends(str_of(folder), S("/")) ? "" : "/";
    open_member(json, S("originalUriBaseIds"));
    json_write_key(json, S("%SRCROOT%"));
    json_write_object(json, JSON_FLAT);
    put_uri(json, str_printf(&scratch, "%s%s", folder, slash));
    json_write_end(json);
    json_write_end(json);
    arena_free(&scratch);
    free(folder);
}

/* The column in UTF-16 units of a column in bytes, both from 1. */
static int64_t utf16_column(str line, int64_t column)
{
    const size_t bytes = column - 1 < (int64_t)line.len ? (size_t)(column - 1) : line.len;
    return (int64_t)utf16_units(line.at, bytes) + 1;
}

/* Of a notebook the lines of the file count, which is what is shown. */
static void put_region_in_file(struct json_writer *json, const struct finding_region *region)
{
    json_write_key(json, S("region"));
    json_write_object(json, JSON_LINES);
    member_int(json, S("startLine"), region->line);
    member_int(json, S("startColumn"), region->column);
    member_int(json, S("endLine"), region->end_line);
    member_int(json, S("endColumn"), region->end_column);
    json_write_end(json);
}

static void put_region(struct json_writer *json, const struct finding *finding)
{
    if (finding->in_file.line > 0) {
        put_region_in_file(json, &finding->in_file);
        return;
    }
    json_write_key(json, S("region"));
    json_write_object(json, JSON_LINES);
    member_int(json, S("startLine"), finding->line);
    if (finding->column > 0)
        member_int(json, S("startColumn"), utf16_column(finding->excerpt, finding->column));
    if (finding->end_line == finding->line && finding->end_column > 0) {
        member_int(json, S("endLine"), finding->end_line);
        member_int(json, S("endColumn"), utf16_column(finding->excerpt, finding->end_column));
    } else if (finding->end_line > finding->line) {
        member_int(json, S("endLine"), finding->end_line);
    }
    json_write_end(json);
}

/* Where it is for people. */
static void put_cell(struct json_writer *json, const struct finding *finding)
{
    struct arena scratch = {0};
    json_write_list(json, S("logicalLocations"));
    json_write_object(json, JSON_FLAT);
    json_write_member(json, S("name"), str_printf(&scratch, "cell %lld", (long long)finding->cell));
    json_write_member(json, S("fullyQualifiedName"),
                      str_printf(&scratch, "cell %lld:%lld:%lld", (long long)finding->cell, (long long)finding->line,
                                 (long long)finding->column));
    json_write_member(json, S("kind"), S("module"));
    json_write_end(json);
    json_write_end(json);
    arena_free(&scratch);
}

static void put_locations(struct json_writer *json, const struct finding *finding)
{
    json_write_list(json, S("locations"));
    if (finding->file.len) {
        json_write_object(json, JSON_LINES);
        open_member(json, S("physicalLocation"));
        put_artifact(json, finding->file);
        if (finding->line > 0)
            put_region(json, finding);
        json_write_end(json);
        if (finding->cell)
            put_cell(json, finding);
        json_write_end(json);
    }
    json_write_end(json);
}

/* Lines alone: the excerpt that columns are counted in is that of the first place. */
static void put_related(struct json_writer *json, const struct finding *finding)
{
    if (finding->spot_count < 2)
        return;
    json_write_list(json, S("relatedLocations"));
    for (uint32_t i = 1; i < finding->spot_count; i++) {
        json_write_object(json, JSON_LINES);
        member_int(json, S("id"), i);
        open_member(json, S("physicalLocation"));
        put_artifact(json, finding->file);
        json_write_key(json, S("region"));
        json_write_object(json, JSON_FLAT);
        member_int(json, S("startLine"), finding->spots[i].line);
        json_write_end(json);
        json_write_end(json);
        message(json, S("message"), S("the same cause"));
        json_write_end(json);
    }
    json_write_end(json);
}

/* ---- the proof, as code flows ---- */

static void put_flow_place(struct json_writer *json, const struct finding_place *place)
{
    json_write_object(json, JSON_LINES);
    open_member(json, S("location"));
    open_member(json, S("physicalLocation"));
    put_artifact(json, place->file);
    open_member(json, S("region"));
    member_int(json, S("startLine"), place->cell ? place->line_in_file : place->line);
    json_write_end(json);
    json_write_end(json);
    message(json, S("message"), place->what);
    json_write_end(json);
    json_write_end(json);
}

/* A flow a link that holds: from its origin to the finding. */
static void put_flow(struct json_writer *json, str name, const struct finding_link *link)
{
    json_write_object(json, JSON_LINES);
    message(json, S("message"), name);
    json_write_list(json, S("threadFlows"));
    json_write_object(json, JSON_LINES);
    json_write_list(json, S("locations"));
    for (uint32_t i = 0; i < link->count; i++)
        put_flow_place(json, &link->places[i]);
    json_write_end(json);
    json_write_end(json);
    json_write_end(json);
    json_write_end(json);
}

static void put_flows(struct json_writer *json, const struct finding *finding)
{
    if (!finding->proof)
        return;
    json_write_list(json, S("codeFlows"));
    for (int i = 0; i < FINDING_LINKS; i++)
        if (finding->proof[i].count)
            put_flow(json, finding_link_word((enum finding_link_kind)i), &finding->proof[i]);
    json_write_end(json);
}

/* ---- results ---- */

static void put_suppression(struct json_writer *json, const struct finding *finding)
{
    json_write_list(json, S("suppressions"));
    if (finding->suppressed) {
        json_write_object(json, JSON_FLAT);
        json_write_member(json, S("kind"), S("inSource"));
        if (finding->reason.len)
            json_write_member(json, S("justification"), finding->reason);
        json_write_end(json);
    }
    json_write_end(json);
}

static void put_replacement(struct json_writer *json, const struct finding_edit *edit)
{
    json_write_object(json, JSON_LINES);
    json_write_key(json, S("deletedRegion"));
    json_write_object(json, JSON_FLAT);
    member_int(json, S("startLine"), edit->line);
    member_int(json, S("startColumn"), edit->column);
    member_int(json, S("endLine"), edit->end_line);
    member_int(json, S("endColumn"), edit->end_column);
    json_write_end(json);
    message(json, S("insertedContent"), edit->text);
    json_write_end(json);
}

static void put_changes(struct json_writer *json, const struct finding *finding)
{
    json_write_list(json, S("artifactChanges"));
    json_write_object(json, JSON_LINES);
    put_artifact(json, finding->file);
    json_write_list(json, S("replacements"));
    for (uint32_t i = 0; i < finding->edit_count; i++)
        put_replacement(json, &finding->edits[i]);
    json_write_end(json);
    json_write_end(json);
    json_write_end(json);
}

static void put_fixes(struct json_writer *json, const struct finding *finding)
{
    if (!finding->edit_count)
        return;
    json_write_list(json, S("fixes"));
    json_write_object(json, JSON_LINES);
    message(json, S("description"),
            str_eq(finding->fix, S("safe")) ? S("The rewrite of 'steptime fix'")
                                            : S("The rewrite of 'steptime fix --unsafe'"));
    put_changes(json, finding);
    json_write_end(json);
    json_write_end(json);
}

static void put_properties(struct json_writer *json, const struct finding *finding)
{
    open_member(json, S("properties"));
    json_write_member(json, S("tier"), finding->tier);
    json_write_member(json, S("fix"), finding->fix);
    if (finding->per_step_host_blocked_ns >= 0)
        member_int(json, S("per_step_host_blocked_ns"), finding->per_step_host_blocked_ns);
    if (finding->per_step_saving_ns >= 0)
        member_int(json, S("per_step_saving_ns"), finding->per_step_saving_ns);
    json_write_end(json);
}

static void put_rule_index(struct json_writer *json, const struct report *report, str id)
{
    const struct finding_rule *rule = report_find_rule(report, id);
    if (rule)
        member_int(json, S("ruleIndex"), rule - report->rules);
}

static void put_result(struct json_writer *json, const struct report *report, const struct finding *finding)
{
    json_write_object(json, JSON_LINES);
    json_write_member(json, S("ruleId"), finding->rule);
    put_rule_index(json, report, finding->rule);
    json_write_member(json, S("level"), severity_word(finding->severity));
    message(json, S("message"), finding->message);
    put_locations(json, finding);
    put_related(json, finding);
    json_write_key(json, S("partialFingerprints"));
    json_write_object(json, JSON_FLAT);
    json_write_member(json, S("steptime/v1"), finding->id);
    json_write_end(json);
    put_suppression(json, finding);
    put_fixes(json, finding);
    put_flows(json, finding);
    put_properties(json, finding);
    json_write_end(json);
}

static void put_results(struct json_writer *json, const struct report *report)
{
    json_write_list(json, S("results"));
    for (uint32_t i = 0; i < report->finding_count; i++)
        put_result(json, report, &report->findings[i]);
    json_write_end(json);
}

/* ---- what went wrong on the way ---- */

static void put_notification(struct json_writer *json, const struct report_warning *warning)
{
    json_write_object(json, JSON_LINES);
    json_write_member(json, S("level"), S("warning"));
    message(json, S("message"), warning->message);
    if (warning->path.len) {
        const struct finding place = {.file = warning->path};
        put_locations(json, &place);
    }
    json_write_end(json);
}

static void put_invocation(struct json_writer *json, const struct report *report)
{
    json_write_list(json, S("invocations"));
    json_write_object(json, JSON_LINES);
    json_write_key(json, S("executionSuccessful"));
    json_write_bool(json, true);
    json_write_list(json, S("toolExecutionNotifications"));
    for (uint32_t i = 0; i < report->warning_count; i++)
        put_notification(json, &report->warnings[i]);
    json_write_end(json);
    json_write_end(json);
    json_write_end(json);
}

static bool render(const struct report *report, const struct render_options *options, struct writer *out,
                   struct steptime_error *err)
{
    struct json_writer json = json_write_begin(out);
    json_write_object(&json, JSON_LINES);
    json_write_member(&json, S("$schema"), S("https://json.schemastore.org/sarif-2.1.0.json"));
    json_write_member(&json, S("version"), S("2.1.0"));
    json_write_list(&json, S("runs"));
    json_write_object(&json, JSON_LINES);
    put_tool(&json, report, options->version);
    put_root(&json);
    put_invocation(&json, report);
    json_write_member(&json, S("columnKind"), S("utf16CodeUnits"));
    put_results(&json, report);
    json_write_end(&json);
    json_write_end(&json);
    json_write_end(&json);
    json_write_finish(&json);
    return true;
}

const struct renderer render_sarif = {"sarif", render};

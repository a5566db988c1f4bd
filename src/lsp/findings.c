/* SPDX-License-Identifier: Apache-2.0 */
/* The workspace, looked at as `steptime lint` looks at it. */
#include <unistd.h>

#include "base/clock.h"
#include "report/document.h"
#include "session.h"

enum { LARGE_MS = 4000 };

void findings_free(struct findings *findings)
{
    arena_free(&findings->arena);
    findings->report = NULL;
}

/* ---- what is looked at ---- */

static bool is_inside(const struct server *server, str path)
{
    for (uint32_t i = 0; i < server->folder_count; i++) {
        const str folder = str_of(server->folders[i]);
        const bool below = str_starts(path, folder) && path.len > folder.len;
        if (below && (path.at[folder.len] == '/' || str_ends(folder, S("/"))))
            return true;
    }
    return false;
}

static bool is_looked_at(const struct document *document)
{
    return document->is_python && document->text.len <= LINT_FILE_BYTES && !document->cells.too_many;
}

struct lint_options workspace_options(const struct server *server, struct arena *arena)
{
    const uint32_t most = server->folder_count + server->documents.count;
    const char **paths = arena_array(arena, most + 1, sizeof *paths);
    struct lint_overlay *overlays = arena_array(arena, server->documents.count + 1u, sizeof *overlays);
    struct lint_options options = {.paths = paths, .overlays = overlays, .serves = true};
    for (uint32_t i = 0; i < server->folder_count && !server->is_large; i++)
        paths[options.path_count++] = server->folders[i];
    for (uint32_t i = 0; i < server->documents.count; i++) {
        const struct document *document = server->documents.at[i];
        if (!is_looked_at(document))
            continue;
        const str text = document->text.len ? buf_str(&document->text) : S("");
        overlays[options.overlay_count++] = (struct lint_overlay){document->path, text};
        if (server->is_large || !is_inside(server, document->path) || access(document->path.at, F_OK) != 0)
            paths[options.path_count++] = document->path.at;
    }
    options.select = server->select.len ? server->select.at : NULL;
    options.ignore = server->ignore.len ? server->ignore.at : NULL;
    return options;
}

/* ---- looking ---- */

void tell_client(struct server *server, enum notice type, str message)
{
    struct arena scratch = {0};
    if (!str_eq(message, server->told)) {
        server->told = str_copy(&server->arena, message);
        struct reply reply = notification_begin("window/showMessage");
        json_write_object(&reply.json, JSON_FLAT);
        json_write_key(&reply.json, S("type"));
        json_write_int(&reply.json, type);
        json_write_member(&reply.json, S("message"),
                          str_printf(&scratch, "steptime: %.*s", (int)message.len, message.at));
        json_write_end(&reply.json);
        reply_send(&reply, server->send, server->context);
    }
    arena_free(&scratch);
}

static void complain(struct server *server, const struct steptime_error *err)
{
    struct arena scratch = {0};
    tell_client(server, NOTICE_ERROR,
                err->path[0] ? str_printf(&scratch, "%s: %s", err->path, err->message) : str_of(err->message));
    arena_free(&scratch);
}

/* Over what the analysis died: it is left out of this look, and the next one tries again. */
static void tell_lost(struct server *server, const struct lint *lint)
{
    struct arena scratch = {0};
    struct buf all = {0};
    for (uint32_t i = 0; i < lint->lost_count; i++) {
        const struct lint_remark *remark = &lint->remarks[i];
        buf_printf(&all, "%s%.*s%s%.*s", i ? "; " : "", (int)remark->path.len, remark->path.at,
                   remark->path.len ? ": " : "", (int)remark->message.len, remark->message.at);
    }
    if (all.len)
        tell_client(server, NOTICE_ERROR, str_copy(&scratch, buf_str(&all)));
    buf_free(&all);
    arena_free(&scratch);
}

static void tell_too_many(struct server *server)
{
    struct arena scratch = {0};
    for (uint32_t i = 0; i < server->documents.count; i++) {
        const struct document *document = server->documents.at[i];
        if (document->cells.too_many)
            tell_client(server, NOTICE_WARNING,
                        str_printf(&scratch, "%.*s has more than %d cells, so nothing is said of it",
                                   (int)document->path.len, document->path.at, CELLS_MOST));
    }
    arena_free(&scratch);
}

/* What takes so long cannot be looked at after each change. */
static void judge_size(struct server *server)
{
    if (server->is_large || server->took_ms < LARGE_MS || !server->folder_count)
        return;
    server->is_large = true;
    tell_client(
        server, NOTICE_WARNING,
        S("the workspace takes seconds to look at; from now on only open files are, and what they import is not known"));
}

static void look(struct server *server)
{
    struct findings *findings = &server->findings;
    struct steptime_error err = {0};
    const struct lint_options options = workspace_options(server, &findings->arena);
    struct lint lint = {0};
    if (!options.path_count)
        return;
    if (lint_run(&options, &findings->arena, &lint, &err)) {
        findings->report = report_new(&findings->arena, S("lint"));
        lint_show(&lint, true, findings->report);
        tell_lost(server, &lint);
    } else if (options.overlay_count) { /* a workspace without Python is nothing to speak of */
        complain(server, &err);
    }
    lint_release(&lint);
}

void findings_renew(struct server *server)
{
    if (!server->stale)
        return;
    const int64_t begin_ms = clock_ms();
    findings_free(&server->findings);
    look(server);
    tell_too_many(server);
    server->stale = false;
    server->took_ms = (unsigned)(clock_ms() - begin_ms);
    judge_size(server);
}

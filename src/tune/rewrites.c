/* SPDX-License-Identifier: Apache-2.0 */
#include "rewrites.h"

#include <math.h>
#include <stdlib.h>

#include "join/join.h"
#include "lint/fix.h"
#include "read/read.h"
#include "syntax/rewrite.h"

/* ---- what there is ---- */

static bool may_make(const struct rewrites_options *options, const struct lint_finding *finding)
{
    const struct match *const match = finding->match;
    if (!match || (lint_level(finding) == LEVEL_NOTE && !options->notes))
        return false;
    return match->fix == FIX_SAFE || (match->fix == FIX_UNSAFE && options->unsafe);
}

static str line_at(const struct syntax *tree, str text, uint32_t byte)
{
    size_t begin = byte, end = byte;
    while (begin && text.at[begin - 1] != '\n')
        begin--;
    while (end < text.len && text.at[end] != '\n')
        end++;
    return str_trim((str){text.at + begin, end - begin});
}

/* The replay of a trace with a device has no interval of its own. */
static struct prediction prediction_of(const struct lint_finding *finding, double step_ns)
{
    const struct lint_estimate *const estimate = &finding->estimate;
    if (estimate->is_known)
        return (struct prediction){estimate->ns, estimate->low_ns, estimate->high_ns, estimate->step_ns};
    if (finding->saving_ns < 0 || step_ns <= 0)
        return (struct prediction){NAN, NAN, NAN, NAN};
    return (struct prediction){(double)finding->saving_ns, NAN, NAN, step_ns};
}

static struct rewrite rewrite_of(const struct lint *lint, const struct lint_finding *finding, double step_ns,
                                 struct arena *arena)
{
    const struct match *const match = finding->match;
    const struct lint_file *const file = &lint->files[match->file];
    return (struct rewrite){
        .rule = match->rule,
        .kind = match->fix,
        .level = lint_level(finding),
        .path = str_copy(arena, file->path),
        .line_text = str_copy(arena, line_at(file->tree, file->text, match->begin)),
        .message = str_copy(arena, match->message),
        .line = syntax_place(file->tree, match->begin).line,
        .predicted = prediction_of(finding, step_ns),
    };
}

bool rewrite_is(const struct rewrite *a, const struct rewrite *b)
{
    return a->rule == b->rule && str_eq(a->path, b->path) && str_eq(a->line_text, b->line_text);
}

static int by_weight(const void *a, const void *b)
{
    const struct rewrite *const x = a, *const y = b;
    const double saves = isnan(x->predicted.ns) ? 0 : x->predicted.ns,
                 other = isnan(y->predicted.ns) ? 0 : y->predicted.ns;
    if (saves != other)
        return saves > other ? -1 : 1;
    if (x->level != y->level)
        return x->level > y->level ? -1 : 1;
    const int path = str_cmp(x->path, y->path);
    return path ? path : (x->line > y->line) - (x->line < y->line);
}

static struct lint_options lint_options_of(const struct rewrites_options *options)
{
    return (struct lint_options){.paths = &options->tree, .path_count = 1};
}

/* The step of the trace; 0 where it cannot be read: it says nothing of weights then, which is told where it was made. */
static double join_with(const char *path, struct lint *lint, struct arena *arena)
{
    struct trace *const trace = path ? trace_read(path, NULL, NULL) : NULL;
    struct joined joined = {0};
    if (trace)
        join_trace(lint, trace, arena, &joined);
    trace_free(trace);
    return (double)joined.step_ns;
}

static void list_all(const struct rewrites_options *options, const struct lint *lint, double step_ns,
                     struct arena *arena, struct rewrites *rewrites)
{
    rewrites->at = arena_array(arena, lint->finding_count, sizeof *rewrites->at);
    for (uint32_t i = 0; i < lint->finding_count; i++)
        if (may_make(options, &lint->findings[i]))
            rewrites->at[rewrites->count++] = rewrite_of(lint, &lint->findings[i], step_ns, arena);
    qsort(rewrites->at, rewrites->count, sizeof *rewrites->at, by_weight);
}

bool rewrites_find(const struct rewrites_options *options, struct arena *arena, struct rewrites *rewrites,
                   struct steptime_error *err)
{
    const struct lint_options asked = lint_options_of(options);
    struct arena scratch = {0};
    struct lint lint;
    *rewrites = (struct rewrites){0};
    const bool good = lint_run(&asked, &scratch, &lint, err);
    if (good) {
        const double step_ns = join_with(options->trace, &lint, &scratch);
        list_all(options, &lint, step_ns, arena, rewrites);
    }
    lint_release(&lint);
    arena_free(&scratch);
    return good;
}

/* ---- one of them ---- */

struct making {
    const struct rewrite *rewrite;
    struct arena *arena;
    bool found;
};

/* The first that looks the same. */
static bool is_the_one(void *context, const struct lint *lint, const struct lint_finding *finding)
{
    struct making *const making = context;
    if (making->found || !finding->match)
        return false;
    const struct rewrite here = rewrite_of(lint, finding, 0, making->arena);
    return making->found = rewrite_is(&here, making->rewrite);
}

static bool write_files(const struct fixes *fixes, struct arena *arena, struct rewritten_files *files,
                        struct steptime_error *err)
{
    files->at = arena_array(arena, fixes->file_count, sizeof *files->at);
    for (uint32_t i = 0; i < fixes->file_count; i++) {
        const struct fix_file *const file = &fixes->files[i];
        if (!rewrite_file(str_z(arena, file->path), file->before, file->after, err))
            return false;
        files->at[files->count++] = (struct rewritten){file->path, file->before, file->after, file->edits};
    }
    return true;
}

bool rewrite_make(const struct rewrites_options *options, const struct rewrite *rewrite, struct arena *arena,
                  struct rewritten_files *files, struct steptime_error *err)
{
    struct making making = {rewrite, arena, false};
    struct fixes fixes;
    const struct fix_options asked = {
        .lint = lint_options_of(options),
        .unsafe = options->unsafe,
        .notes = options->notes,
        .wanted = is_the_one,
        .context = &making,
    };
    *files = (struct rewritten_files){0};
    return fix_run(&asked, arena, &fixes, err) && write_files(&fixes, arena, files, err);
}

bool rewrite_undo(const struct rewritten_files *files, struct arena *arena, struct steptime_error *err)
{
    bool good = true;
    for (uint32_t i = 0; i < files->count; i++)
        good &= rewrite_file(str_z(arena, files->at[i].path), files->at[i].after, files->at[i].before, err);
    return good;
}

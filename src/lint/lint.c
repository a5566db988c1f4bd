/* SPDX-License-Identifier: Apache-2.0 */
#include "lint.h"

#include "base/at_work.h"
#include "base/error.h"
#include "base/mem.h"
#include "parallel/par.h"
#include "collect.h"
#include "guard.h"
#include "mentioned.h"
#include "rules/families/causes.h"
#include "cell.h"
#include "io/same_file.h"
#include "notebook/notebook.h"
#include "rules/ask/ask.h"
#include "selected.h"
#include "source/paces/project_new.h"
#include "source_file.h"
#include "source_roots.h"
#include "suppress.h"
#include "syntax/edit.h"

/* A file on its way. Each thread works on one, in its own arena; the arenas are taken over in order afterwards. */
struct job {
    struct arena arena;
    const struct collected *from;
    struct lint_file file;
    struct steptime_error err;
    bool usable;
    uint64_t mask;
    struct suppressions suppressions;
};

struct run {
    const struct lint_options *options;
    struct arena *arena;
    struct lint *lint;
    struct job *jobs;
    uint32_t job_count;
    struct guard guard;
    uint64_t selected; /* by the command line */
    size_t remark_room;
};

static void remark_in_cell(struct run *run, str path, struct cell_line at, str message)
{
    struct lint *lint = run->lint;
    lint->remarks = mem_grow(lint->remarks, &run->remark_room, lint->remark_count + 1, sizeof *lint->remarks);
    lint->remarks[lint->remark_count++] = (struct lint_remark){path, at.line, message, at.cell};
}

/* A line of the text that was parsed. */
static void remark_on(struct run *run, const struct lint_file *file, int64_t line, str message)
{
    remark_in_cell(run, file->path, cell_line(file, line), message);
}

/* ---- reading ---- */

static void read_one(void *context, size_t i)
{
    const struct run *run = context;
    struct job *job = &run->jobs[i];
    at_work_on(job->from->path.at);
    job->file.config = job->from->config;
    job->usable = source_file_read(run->options, job->from->path, &job->arena, &job->file, &job->err);
}

/* "line 3: ..." of a message taken apart. */
static void remark_error(struct run *run, const struct job *job)
{
    str message = str_copy(run->arena, str_of(job->err.message));
    int64_t line = 1;
    const char *colon = str_starts(message, S("line ")) ? memchr(message.at, ':', message.len) : NULL;
    if (colon && str_int((str){message.at + 5, (size_t)(colon - message.at) - 5}, &line))
        message = str_trim(str_from(message, (size_t)(colon - message.at) + 1));
    remark_in_cell(run, job->file.path, (struct cell_line){0, line}, message);
}

/* Files over which the analysis died, and which are left out of this one. */
static void remark_lost(struct run *run)
{
    for (uint32_t i = 0; i < run->guard.lost_count; i++) {
        const struct lost_file *lost = &run->guard.lost[i];
        const str how =
            lost->ended ? str_printf(run->arena, "ended by signal %d", lost->ended) : S("ran out of memory");
        const struct cell_line at = {.line = 1};
        remark_in_cell(run, lost->path, at,
                       str_printf(run->arena,
                                  "the analysis of this file %.*s, which is a fault of this program; it is left out",
                                  (int)how.len, how.at));
        run->lint->skipped_count++;
    }
    if (run->guard.lost_all)
        remark_in_cell(
            run, S(""), (struct cell_line){0, 0},
            S("the analysis died over what it was given, which is a fault of this program; no file is looked at"));
    run->lint->lost_count = run->lint->remark_count;
}

/* Keeps the usable ones, in order. */
static void keep_usable(struct run *run)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < run->job_count; i++) {
        if (run->jobs[i].usable) {
            run->jobs[kept++] = run->jobs[i];
            continue;
        }
        remark_error(run, &run->jobs[i]);
        arena_free(&run->jobs[i].arena);
        run->lint->skipped_count++;
    }
    run->job_count = kept;
}

/* ---- understanding ---- */

struct helpers {
    str *at;
    uint32_t count;
};

/* Names that any of the configurations tells. */
static struct helpers all_helpers(const struct run *run, size_t list)
{
    struct helpers all = {0};
    const struct config *before = NULL;
    size_t room = 0;
    str *at = NULL;
    for (uint32_t i = 0; i < run->job_count; before = run->jobs[i++].from->config) {
        const struct texts *texts = (const void *)((const char *)run->jobs[i].from->config + list);
        if (run->jobs[i].from->config == before || !texts->count)
            continue;
        at = mem_grow(at, &room, all.count + texts->count, sizeof *at);
        memcpy(at + all.count, texts->at, texts->count * sizeof *at);
        all.count += texts->count;
    }
    all.at = arena_array(run->arena, all.count, sizeof *all.at);
    if (all.count)
        memcpy(all.at, at, all.count * sizeof *at);
    mem_free(at);
    return all;
}

static void understand(struct run *run, const struct collection *found)
{
    struct map *const mentioned = &run->lint->mentioned;
    str ended;
    const bool known = mentioned_read(&found->settings, mentioned, &ended);
    if (!known && found->whole)
        remark_in_cell(
            run, ended, (struct cell_line){0, 0},
            S("what lies beside the sources is more than 2,048 files or 16 MiB, one has more than 4 MiB, or this "
              "one cannot be read; any option may be given and any network be made by a setting"));
    struct project_source *sources = arena_array(run->arena, run->job_count, sizeof *sources);
    str *paths = arena_array(run->arena, run->job_count, sizeof *paths);
    for (uint32_t i = 0; i < run->job_count; i++) {
        paths[i] = run->jobs[i].file.path;
        sources[i] = (struct project_source){run->jobs[i].file.path, run->jobs[i].file.text};
    }
    const struct source_roots roots = source_roots_find(run->arena, paths, run->job_count);
    const struct helpers uploads = all_helpers(run, offsetof(struct config, upload));
    const struct helpers downloads = all_helpers(run, offsetof(struct config, read_back));
    const struct project_options options = {
        .uploads = uploads.at,
        .upload_count = uploads.count,
        .downloads = downloads.at,
        .download_count = downloads.count,
        .roots = roots.at,
        .root_count = roots.count,
        .mentioned = known && found->whole ? mentioned : NULL,
        .threads = run->guard.threads,
    };
    run->lint->project = project_new(sources, run->job_count, &options);
}

/* ---- checking ---- */

static void silence(struct job *job)
{
    const struct syntax *tree = job->file.tree;
    job->suppressions = suppressions_of(tree, &job->arena);
    str *why = arena_array(&job->arena, job->file.matches.count, sizeof *why);
    bool *silenced = arena_array(&job->arena, job->file.matches.count, sizeof *silenced);
    for (uint32_t i = 0; i < job->file.matches.count; i++) {
        const struct suppression *by = suppressions_use(&job->suppressions, tree, &job->file.matches.at[i]);
        if (by)
            why[i] = by->reason.at ? by->reason : S("");
        silenced[i] = by;
    }
    causes_leave_out(job->file.matches, silenced);
    job->file.suppressed = why;
}

/* A fix may look closer than its rule, and decline: then nobody is promised one. Tests are left as they are. */
static void try_fixes(const struct check *check, const struct lint_file *file, struct matches *matches)
{
    const bool in_tests = ask_is_test_file(check);
    for (uint32_t i = 0; i < matches->count; i++) {
        struct match *match = &matches->at[i];
        struct arena scratch = {0};
        const struct check trial = {check->project, check->file, check->tree, &scratch};
        if (!match->rule->fix || in_tests)
            match->fix = FIX_NONE;
        else if (match->fix != FIX_NONE && !rewrite_match(&trial, file, match, edits_new(&scratch, check->tree)))
            match->fix = FIX_NONE;
        arena_free(&scratch);
    }
}

static void check_one(void *context, size_t i)
{
    struct run *run = context;
    struct job *job = &run->jobs[i];
    at_work_on(job->from->path.at);
    job->file.tree = project_tree(run->lint->project, (uint32_t)i);
    job->mask = selected_for(run->options, run->selected, job->from->config, job->from->path);
    job->file.selected = job->mask;
    const struct check check = {run->lint->project, (uint32_t)i, job->file.tree, &job->arena};
    if (job->file.tree) {
        job->file.matches = rules_check(&check, job->mask);
        try_fixes(&check, &job->file, &job->file.matches);
        silence(job);
    }
    if (run->options->done)
        atomic_fetch_add(run->options->done, 1);
}

/* ---- gathering ---- */

static void remark_on_syntax(struct run *run, const struct job *job)
{
    const struct syntax *tree = job->file.tree;
    run->lint->unparsed_count += !tree || tree->error_count;
    if (!tree)
        remark_on(run, &job->file, 1, S("cannot be parsed"));
    else if (tree->error_count)
        remark_on(run, &job->file, syntax_place(tree, tree->error_at).line,
                  S("does not parse as Python here; the rest of the file is looked at"));
}

static void remark_on_cells(struct run *run, const struct job *job)
{
    const struct notebook *notebook = job->file.notebook;
    for (uint32_t i = 0; notebook && i < notebook->left_out_count; i++) {
        const struct notebook_left_out *cell = &notebook->left_out[i];
        remark_in_cell(run, job->file.path, (struct cell_line){cell->cell, cell->line},
                       str_printf(run->arena, "%s; the cell is left out", cell->why));
    }
}

static void remark_on_suppressions(struct run *run, const struct job *job)
{
    for (uint32_t i = 0; i < job->suppressions.count; i++) {
        const struct suppression *at = &job->suppressions.at[i];
        str name;
        if (suppression_unknown(at, &name))
            remark_on(
                run, &job->file, at->own_line,
                str_printf(run->arena, "the comment names a rule that there is not: %.*s", (int)name.len, name.at));
        else if (run->options->unused && !at->used && !at->noqa)
            remark_on(run, &job->file, at->own_line, S("the comment suppresses nothing"));
    }
}

/* The lines at which the analysis stopped, each once a limit. */
static void gather_limits(struct run *run)
{
    struct lint *lint = run->lint;
    uint32_t met;
    const struct limit_met *list = project_limits(lint->project, run->arena, &met);
    lint->limits = arena_array(run->arena, met, sizeof *lint->limits);
    for (uint32_t i = 0; i < met; i++) {
        const struct lint_file *file = &lint->files[list[i].file];
        const struct cell_line place = cell_line(file, syntax_place(file->tree, list[i].at).line);
        const struct lint_limit limit = {list[i].limit, file->path, place.line, place.cell};
        const struct lint_limit *last = lint->limit_count ? &lint->limits[lint->limit_count - 1] : NULL;
        if (!last || last->limit != limit.limit || last->path.at != limit.path.at || last->line != limit.line ||
            last->cell != limit.cell)
            lint->limits[lint->limit_count++] = limit;
    }
}

/* Where a limit was met first, and how often else: what is met anywhere is told, however many places there are. */
static void remark_on_limits(struct run *run)
{
    const struct lint *lint = run->lint;
    for (uint32_t i = 0, end; i < lint->limit_count; i = end) {
        const struct lint_limit *first = &lint->limits[i];
        for (end = i + 1; end < lint->limit_count && lint->limits[end].limit == first->limit;)
            end++;
        const uint32_t more = end - i - 1;
        const struct cell_line place = {first->cell, first->line};
        remark_in_cell(run, first->path, place,
                       more ? str_printf(run->arena, "%s (and at %u other place%s)", first->limit->what, more,
                                         more == 1 ? "" : "s")
                            : str_of(first->limit->what));
    }
}

static bool is_finding(const struct lint_file *file, uint32_t i)
{
    return !file->suppressed[i].at && !file->matches.at[i].cause;
}

static void count_matches(struct lint *lint, const struct lint_file *file, uint32_t *findings)
{
    for (uint32_t i = 0; i < file->matches.count; i++) {
        *findings += is_finding(file, i);
        lint->suppressed_count += file->suppressed[i].at != NULL;
    }
}

static void gather(struct run *run)
{
    struct lint *lint = run->lint;
    lint->file_count = run->job_count;
    lint->files = arena_array(run->arena, run->job_count, sizeof *lint->files);
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->job_count; i++) {
        remark_on_syntax(run, &run->jobs[i]);
        remark_on_cells(run, &run->jobs[i]);
        remark_on_suppressions(run, &run->jobs[i]);
        lint->files[i] = run->jobs[i].file;
        arena_adopt(run->arena, &run->jobs[i].arena);
        count_matches(lint, &lint->files[i], &count);
        if (run->jobs[i].from->config->fail_on < lint->fail_on)
            lint->fail_on = run->jobs[i].from->config->fail_on;
    }
    gather_limits(run);
    remark_on_limits(run);
    lint->findings = arena_array(run->arena, count, sizeof *lint->findings);
    for (uint32_t i = 0; i < lint->file_count; i++)
        for (uint32_t k = 0; k < lint->files[i].matches.count; k++)
            if (is_finding(&lint->files[i], k))
                lint->findings[lint->finding_count++] = (struct lint_finding){
                    .match = &lint->files[i].matches.at[k], .host_blocked_ns = -1, .saving_ns = -1};
}

/* ---- the whole ---- */

static void keep_remarks(struct run *run)
{
    struct lint_remark *kept = arena_array(run->arena, run->lint->remark_count, sizeof *kept);
    if (run->lint->remark_count)
        memcpy(kept, run->lint->remarks, run->lint->remark_count * sizeof *kept);
    mem_free(run->lint->remarks);
    run->lint->remarks = kept;
}

static void run_files(struct run *run, const struct collection *found)
{
    run->job_count = found->count;
    run->jobs = arena_array(run->arena, found->count, sizeof *run->jobs);
    for (uint32_t i = 0; i < found->count; i++)
        run->jobs[i].from = &found->files[i];
    par_each(run->job_count, run->guard.threads, read_one, run);
    keep_usable(run);
    understand(run, found);
    par_each(run->job_count, run->guard.threads, check_one, run);
    gather(run);
    keep_remarks(run);
}

static bool spares(const struct lint_options *options, const struct collection *found, struct steptime_error *err)
{
    const char *const written[][2] = {{"output", options->output}, {"write-baseline", options->baseline}};
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; written[k][1] && i < found->count; i++)
            if (same_file(written[k][1], found->files[i].path.at))
                return fail(err, STEPTIME_USAGE, "--%s %s would write over an input: %s", written[k][0], written[k][1],
                            found->files[i].path.at);
    return true;
}

bool lint_run(const struct lint_options *options, struct arena *arena, struct lint *lint, struct steptime_error *err)
{
    struct run run = {.options = options, .arena = arena, .lint = lint};
    struct collection found;
    str *texts = arena_array(arena, options->overlay_count, sizeof *texts);
    for (uint32_t i = 0; i < options->overlay_count; i++)
        texts[i] = options->overlays[i].path;
    const struct collect_paths paths = {options->paths, options->path_count,
                                        options->standard_input ? options->standard_input->path : S(""), texts,
                                        options->overlay_count};
    *lint = (struct lint){.fail_on = FAIL_ON_NEVER};
    if (!selected_rules(options, &run.selected, err) || !collect(arena, &paths, options->config, &found, err))
        return false;
    if (!found.count)
        return fail(err, STEPTIME_INPUT, "no Python files or notebooks in what was named");
    if (!spares(options, &found, err))
        return false;
    lint->excluded_count = found.excluded;
    guard_files(&found, options->threads, options->serves, &run.guard);
    if (options->begin)
        options->begin(options->context, found.count);
    remark_lost(&run);
    run_files(&run, &found);
    guard_end();
    return true;
}

void lint_release(struct lint *lint)
{
    if (lint->project)
        project_free(lint->project);
    lint->project = NULL;
    map_free(&lint->mentioned);
}

bool lint_worst(const struct lint *lint, enum level *worst)
{
    *worst = LEVEL_NOTE;
    for (uint32_t i = 0; i < lint->finding_count; i++)
        if (lint->findings[i].match && lint_level(&lint->findings[i]) > *worst)
            *worst = lint_level(&lint->findings[i]);
    return lint->finding_count > 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "fix.h"

#include "base/mem.h"
#include "cell.h"
#include "notebook/notebook.h"
#include "read_file.h"
#include "rules/families/help.h"
#include "source_file.h"
#include "syntax/diff.h"

enum { MOST_ROUNDS = 12 };

/* All rounds. Texts of a round lie in the arena of the caller; what lint found in it is let go. */
struct fixer {
    const struct fix_options *options;
    struct arena *arena;
    struct fixes *fixes;
    struct fix_file *files; /* that changed so far; by path */
    uint32_t file_count;
    struct lint_overlay *overlays; /* the same files as they are now, and what was laid over others */
    uint32_t overlay_count;
    uint32_t round;
};

/* One file in one round. */
struct turn {
    const struct lint *lint;
    uint32_t file;
    struct edits *edits;
    struct arena scratch;
    struct fix_made *made; /* by group of edits */
    uint32_t made_count;
    size_t made_room;
};

/* ---- one file ---- */

/* A note is told, but mostly not worth a change of the file. A place counts as its finding does. */
static bool is_asked_for(const struct fixer *fixer, const struct match *match)
{
    const struct match *told = match->cause ? match->cause : match;
    return told->level > LEVEL_NOTE || fixer->options->notes;
}

static bool may_fix(const struct fixer *fixer, const struct match *match)
{
    return is_asked_for(fixer, match) &&
           (match->fix == FIX_SAFE || (match->fix == FIX_UNSAFE && fixer->options->unsafe));
}

static void try_match(const struct fixer *fixer, struct turn *turn, const struct match *match)
{
    const struct lint_file *file = &turn->lint->files[turn->file];
    const struct check check = lint_check(turn->lint, turn->file, &turn->scratch);
    const uint32_t before = edits_groups(turn->edits);
    if (!may_fix(fixer, match) || !rewrite_match(&check, file, match, turn->edits))
        return;
    const struct cell_line at = cell_line(file, syntax_place(file->tree, match->begin).line);
    const struct fix_made made = {match->rule, match->fix, at.line, at.cell, fixer->round};
    for (uint32_t group = before; group < edits_groups(turn->edits); group++) {
        turn->made = mem_grow(turn->made, &turn->made_room, group + 1, sizeof *turn->made);
        turn->made[group] = made;
        turn->made_count = group + 1;
    }
}

static void count_made(struct fixes *fixes, enum fix_kind kind)
{
    if (kind == FIX_UNSAFE)
        fixes->unsafe_count++;
    else
        fixes->safe_count++;
}

/* Behind what earlier rounds made. A finding whose rewrite is several groups counts once. */
static void keep_made(struct fixer *fixer, const struct turn *turn, struct fix_file *file)
{
    struct fix_made *all = arena_array(fixer->arena, (size_t)file->made_count + turn->made_count, sizeof *all);
    if (file->made_count)
        memcpy(all, file->made, file->made_count * sizeof *all);
    for (uint32_t group = 0; group < turn->made_count; group++)
        if (edits_holds(turn->edits, group)) {
            all[file->made_count++] = turn->made[group];
            count_made(fixer->fixes, turn->made[group].kind);
        }
    file->made = all;
}

static uint64_t tag_of(const struct fix_made *made)
{
    uint64_t tag = made->kind == FIX_UNSAFE ? UINT64_C(1) << FIX_TAG_UNSAFE : 0;
    for (uint32_t i = 0; rules[i]; i++)
        tag |= rules[i] == made->rule ? UINT64_C(1) << i : 0;
    return tag;
}

static struct edit_list kept_list(struct arena *arena, const struct turn *turn)
{
    struct edit_list list;
    const struct edit *at = edits_list(turn->edits, &list.count);
    list.at = arena_array(arena, list.count, sizeof *list.at);
    list.tags = arena_array(arena, list.count, sizeof *list.tags);
    for (uint32_t i = 0; i < list.count; i++) {
        list.at[i] = (struct edit){at[i].begin, at[i].end, str_copy(arena, at[i].text), 0};
        list.tags[i] = tag_of(&turn->made[edits_group_at(turn->edits, i)]);
    }
    return list;
}

/* Its place among the files that changed; where it should stand if it is none of them. */
static uint32_t place_of(const struct fixer *fixer, str path)
{
    uint32_t from = 0, to = fixer->file_count;
    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        if (str_cmp(fixer->files[middle].path, path) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* The file as it was read. A notebook was not kept: false where it changed since. */
static bool whole_text(struct fixer *fixer, const struct lint_file *file, str *text)
{
    const struct lint_overlay *laid_over = lint_overlay_of(&fixer->options->lint, file->path);
    if (!file->notebook || laid_over) {
        *text = str_copy(fixer->arena, laid_over ? laid_over->text : file->text);
        return true;
    }
    return read_file(fixer->arena, str_z(fixer->arena, file->path), NOTEBOOK_BYTES, text, NULL) &&
           notebook_is_of(file->notebook, *text);
}

static struct fix_file *changed_file(struct fixer *fixer, const struct lint_file *file)
{
    const uint32_t place = place_of(fixer, file->path);
    if (place < fixer->file_count && str_eq(fixer->files[place].path, file->path))
        return &fixer->files[place];
    str before;
    if (!whole_text(fixer, file, &before))
        return NULL;
    const size_t behind = fixer->file_count++ - place;
    memmove(&fixer->files[place + 1], &fixer->files[place], behind * sizeof *fixer->files);
    fixer->files[place] =
        (struct fix_file){.path = str_copy(fixer->arena, file->path), .before = before, .after = before};
    return &fixer->files[place];
}

static str edited(struct arena *arena, str text, struct edit_list list)
{
    struct buf after = {0};
    uint32_t from = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        buf_add(&after, (str){text.at + from, list.at[i].begin - from});
        buf_add(&after, list.at[i].text);
        from = list.at[i].end;
    }
    buf_add(&after, str_from(text, from));
    const str all = str_copy(arena, buf_str(&after));
    buf_free(&after);
    return all;
}

static bool keep_changes(struct fixer *fixer, const struct turn *turn)
{
    uint32_t count;
    edits_list(turn->edits, &count);
    if (!count)
        return false;
    struct fix_file *file = changed_file(fixer, &turn->lint->files[turn->file]);
    if (!file)
        return false;
    const struct notebook *notebook = turn->lint->files[turn->file].notebook;
    struct edit_list list = kept_list(fixer->arena, turn);
    if (notebook)
        list.at = notebook_edits(notebook, fixer->arena, list.at, list.count);
    file->edits = edits_compose(fixer->arena, (uint32_t)file->before.len, file->edits, list);
    file->after = notebook ? edited(fixer->arena, file->after, list) : edits_apply(turn->edits, fixer->arena);
    keep_made(fixer, turn, file);
    return true;
}

/* ---- one round ---- */

static bool is_wanted(const struct fixer *fixer, const struct lint *lint, const struct lint_finding *finding)
{
    const struct fix_options *const options = fixer->options;
    return !options->wanted || options->wanted(options->context, lint, finding);
}

/* Of rules whose rewrite comes last, or of all others. */
static void try_findings(const struct fixer *fixer, const struct lint *lint, struct turn *turns, bool last)
{
    for (uint32_t i = 0; i < lint->finding_count; i++) {
        const struct match *match = lint->findings[i].match;
        if (!match || match->rule->fix_last != last || !is_wanted(fixer, lint, &lint->findings[i]))
            continue;
        struct turn *turn = &turns[match->file];
        if (!turn->edits) {
            *turn = (struct turn){.lint = lint, .file = match->file};
            turn->edits = edits_new(&turn->scratch, lint->files[match->file].tree);
        }
        for (; match; match = match->also)
            try_match(fixer, turn, match);
    }
}

/* Findings of one file lie apart when they are ranked, so each file has its edits open until all were asked. */
static bool change_files(struct fixer *fixer, const struct lint *lint)
{
    bool changed = false;
    struct turn *turns = mem_zeroed((lint->file_count + 1) * sizeof *turns);
    try_findings(fixer, lint, turns, false);
    try_findings(fixer, lint, turns, true);
    for (uint32_t file = 0; file < lint->file_count; file++) {
        if (turns[file].edits) {
            edits_settle(turns[file].edits);
            changed |= keep_changes(fixer, &turns[file]);
        }
        arena_free(&turns[file].scratch);
        mem_free(turns[file].made);
    }
    mem_free(turns);
    return changed;
}

/* What changed takes the place of what was laid over the files from the start; both are in the order of paths. */
static void show_changes(struct fixer *fixer)
{
    const struct lint_options *options = &fixer->options->lint;
    uint32_t given = 0, changed = 0, count = 0;
    while (given < options->overlay_count || changed < fixer->file_count) {
        const struct fix_file *file = changed < fixer->file_count ? &fixer->files[changed] : NULL;
        const struct lint_overlay *overlay = given < options->overlay_count ? &options->overlays[given] : NULL;
        const int order = !overlay ? 1 : !file ? -1 : str_cmp(overlay->path, file->path);
        fixer->overlays[count++] = order < 0 ? *overlay : (struct lint_overlay){file->path, file->after};
        given += order <= 0;
        changed += order >= 0;
    }
    fixer->overlay_count = count;
}

static void count_left(struct fixer *fixer, const struct lint *lint)
{
    struct fixes *fixes = fixer->fixes;
    fixes->left_unsafe = fixes->left_notes = fixes->left_unmade = 0;
    for (uint32_t i = 0; i < lint->finding_count; i++)
        for (const struct match *match = lint->findings[i].match; match; match = match->also) {
            if (may_fix(fixer, match))
                fixes->left_unmade++;
            else if (match->fix != FIX_NONE && !is_asked_for(fixer, match))
                fixes->left_notes++;
            else if (match->fix == FIX_UNSAFE)
                fixes->left_unsafe++;
        }
}

/* Room for all files is made when they are known. */
static void begin(struct fixer *fixer, const struct lint *lint)
{
    struct fixes *fixes = fixer->fixes;
    fixer->files = arena_array(fixer->arena, (size_t)lint->file_count + 1, sizeof *fixer->files);
    fixer->overlays = arena_array(fixer->arena, (size_t)lint->file_count + fixer->options->lint.overlay_count + 1,
                                  sizeof *fixer->overlays);
    fixes->remarks = arena_array(fixer->arena, lint->remark_count, sizeof *fixes->remarks);
    fixes->remark_count = lint->remark_count;
    for (uint32_t i = 0; i < lint->remark_count; i++)
        fixes->remarks[i] =
            (struct lint_remark){str_copy(fixer->arena, lint->remarks[i].path), lint->remarks[i].line,
                                 str_copy(fixer->arena, lint->remarks[i].message), lint->remarks[i].cell};
}

static bool one_round(struct fixer *fixer, bool *changed, struct steptime_error *err)
{
    struct arena scratch = {0};
    struct lint lint;
    struct lint_options options = fixer->options->lint;
    const bool first = !fixer->round++;
    if (!first) {
        options.overlays = fixer->overlays;
        options.overlay_count = fixer->overlay_count;
        options.begin = NULL;
    }
    bool good = lint_run(&options, &scratch, &lint, err);
    if (good && first) {
        begin(fixer, &lint);
        good = !fixer->options->ready || fixer->options->ready(fixer->options->context, &lint, err);
    }
    if (good) {
        count_left(fixer, &lint);
        fixer->fixes->stopped = fixer->round > MOST_ROUNDS && fixer->fixes->left_unmade;
        *changed = fixer->round <= MOST_ROUNDS && change_files(fixer, &lint);
        show_changes(fixer);
    }
    lint_release(&lint);
    arena_free(&scratch);
    return good;
}

bool fix_run(const struct fix_options *options, struct arena *arena, struct fixes *fixes, struct steptime_error *err)
{
    *fixes = (struct fixes){0};
    struct fixer fixer = {.options = options, .arena = arena, .fixes = fixes};
    bool changed = true;
    while (changed && !(options->wanted && fixer.round))
        if (!one_round(&fixer, &changed, err))
            return false;
    fixes->files = fixer.files;
    fixes->file_count = fixer.file_count;
    return true;
}

/* ---- the diff ---- */

static void say_made(const struct fix_made *made, struct buf *diff)
{
    struct arena scratch = {0};
    buf_printf(diff, "# %s: %s %s", cell_line_words(&scratch, (struct cell_line){made->cell, made->line}).at,
               made->rule->id, made->rule->name);
    arena_free(&scratch);
    if (made->round > 1)
        buf_printf(diff, ", after what stands above");
    if (made->kind == FIX_UNSAFE)
        buf_printf(diff, " (unsafe: %s)", made->rule->words->unsafe_when);
    buf_char(diff, '\n');
}

void fix_diff(const struct fix_file *file, struct buf *diff)
{
    struct arena scratch = {0};
    const str path = str_printable(&scratch, file->path);
    buf_printf(diff, "# %.*s\n", (int)path.len, path.at);
    arena_free(&scratch);
    for (uint32_t i = 0; i < file->made_count; i++)
        say_made(&file->made[i], diff);
    diff_add(diff, file->path, file->before, file->edits.at, file->edits.count);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* From findings to a report: what a finding is called, where it stands, and what there is of each rule. */
#include <stdlib.h>

#include "base/hash.h"
#include "base/map.h"
#include "cell.h"
#include "notebook/notebook.h"
#include "report/report.h"
#include "rules/families/causes.h"
#include "rules/families/help.h"
#include "rules/families/worth.h"

static const char *tier_word(enum tier tier)
{
    static const char *const words[] = {"static", "function", "confirmed", "trace", "dry"};
    return words[tier];
}

static enum severity severity_of(enum level level)
{
    return level == LEVEL_ERROR ? SEVERITY_ERROR : level == LEVEL_WARNING ? SEVERITY_WARNING : SEVERITY_NOTE;
}

/* ---- what a finding is called ---- */

/*
 * The same while lines above it come and go: it hangs on the file, the rule, the
 * text that is underlined and, of several such, which one it is.
 */
static str id_of(struct arena *arena, struct map *repeats, str rule, str file, str text)
{
    uint64_t hash = hash_stable(rule.at, rule.len);
    hash = hash_mix(hash ^ hash_stable(file.at, file.len));
    hash = hash_mix(hash ^ hash_stable(text.at, text.len));
    const uint32_t before = map_get(repeats, (int64_t)hash);
    const uint32_t number = before == MAP_NONE ? 0 : before;
    map_put(repeats, (int64_t)hash, number + 1);
    hash = hash_mix(hash + number);
    return str_printf(arena, "%.*s-%012llx", (int)rule.len, rule.at, (unsigned long long)(hash & 0xFFFFFFFFFFFF));
}

/* ---- findings ---- */

static struct finding_region region_in_file(const struct notebook *notebook, const struct match *match)
{
    const struct place_in_text begin = notebook_file_place(notebook, match->begin);
    const struct place_in_text end = notebook_file_place(notebook, match->end);
    return (struct finding_region){begin.line, begin.column, end.line, end.column};
}

static void place(const struct lint_file *file, const struct match *match, struct finding *finding)
{
    const struct place_in_text begin = syntax_place(file->tree, match->begin);
    const struct place_in_text end = syntax_place(file->tree, match->end);
    const struct cell_line at = cell_line(file, begin.line);
    finding->file = file->path;
    finding->cell = at.cell;
    finding->line = at.line;
    finding->column = begin.column;
    finding->end_line = at.line + (end.line - begin.line);
    finding->end_column = end.column;
    finding->excerpt = shown_line(file, begin.line);
    if (file->notebook)
        finding->in_file = region_in_file(file->notebook, match);
}

static str message_of(const struct lint_finding *finding, struct arena *arena)
{
    const struct match *match = finding->match;
    if (lint_level(finding) > LEVEL_NOTE || !match->missing.len)
        return match->message;
    return str_printf(arena, "%.*s%.*s", (int)match->message.len, match->message.at, (int)match->missing.len,
                      match->missing.at);
}

/* All places of one cause, its own first; none where it is alone. */
static void add_spots(const struct lint_file *file, const struct match *match, struct arena *arena,
                      struct finding *finding)
{
    uint32_t count = 0;
    for (const struct match *at = match->also ? match : NULL; at; at = at->also)
        count++;
    struct finding_spot *spots = arena_array(arena, count, sizeof *spots);
    for (const struct match *at = match; finding->spot_count < count; at = at->also) {
        struct finding there = {0};
        place(file, at, &there);
        spots[finding->spot_count++] = (struct finding_spot){.rule = str_of(at->rule->id),
                                                             .severity = severity_of(at->level),
                                                             .line = there.line,
                                                             .column = there.column,
                                                             .end_line = there.end_line,
                                                             .end_column = there.end_column,
                                                             .cell = there.cell};
    }
    finding->spots = count ? spots : NULL;
}

static struct finding of_match(const struct lint *lint, const struct lint_finding *from, struct arena *arena,
                               struct map *repeats)
{
    const struct match *match = from->match;
    const struct lint_file *file = &lint->files[match->file];
    const str text = {file->text.at + match->begin, match->end - match->begin};
    struct finding finding = {
        .rule = str_of(match->rule->id),
        .severity = severity_of(lint_level(from)),
        .tier = str_of(tier_word(TIER_STATIC)),
        .message = message_of(from, arena),
        .fix = str_of(fix_word(causes_fix(match))),
        .per_step_host_blocked_ns = -1,
        .per_step_saving_ns = -1,
    };
    finding.id = id_of(arena, repeats, finding.rule, file->path, text);
    place(file, match, &finding);
    if (!match->cause)
        add_spots(file, match, arena, &finding);
    finding.edits = lint_edits(lint, match, arena, &finding.edit_count);
    finding.proof = proof_links(lint, from, arena);
    return finding;
}

static str with_note(struct arena *arena, str message, str note)
{
    return note.len ? str_printf(arena, "%.*s. %.*s", (int)message.len, message.at, (int)note.len, note.at) : message;
}

static struct finding of_finding(const struct lint *lint, const struct lint_finding *from, struct arena *arena,
                                 struct map *repeats)
{
    struct finding finding = {.rule = from->rule, .severity = SEVERITY_WARNING, .fix = S("none")};
    if (from->match) {
        finding = of_match(lint, from, arena, repeats);
    } else {
        finding.message = from->message;
        finding.file = from->file;
        finding.line = from->line;
        finding.id = id_of(arena, repeats, from->rule, from->file, from->message);
    }
    finding.message = with_note(arena, finding.message, from->note);
    finding.tier = str_of(tier_word(from->tier));
    finding.per_step_host_blocked_ns = from->host_blocked_ns;
    finding.per_step_saving_ns = from->saving_ns;
    finding.events = from->events;
    finding.event_count = from->event_count;
    return finding;
}

static void show_findings(const struct lint *lint, bool proof, struct report *report)
{
    struct map repeats = {0};
    for (uint32_t i = 0; i < lint->finding_count; i++) {
        struct finding finding = of_finding(lint, &lint->findings[i], report_arena(report), &repeats);
        finding.proof_shown = proof;
        report_finding(report, &finding);
    }
    for (uint32_t i = 0; i < lint->file_count; i++)
        for (uint32_t k = 0; k < lint->files[i].matches.count; k++) {
            if (!lint->files[i].suppressed[k].at)
                continue;
            const struct lint_finding silenced = {.match = &lint->files[i].matches.at[k]};
            struct finding finding = of_match(lint, &silenced, report_arena(report), &repeats);
            finding.suppressed = true;
            finding.reason = lint->files[i].suppressed[k];
            report_finding(report, &finding);
        }
    map_free(&repeats);
}

static void show_finding_rules(struct report *report)
{
    for (const struct rule *const *at = rules; *at; at++) {
        const struct rule *rule = *at;
        const struct finding_rule about = {
            .id = str_of(rule->id),
            .name = str_of(rule->name),
            .brief = str_of(rule->words->brief),
            .why = str_of(rule->words->why),
            .help = rule_help(report_arena(report), rule),
            .uri = rule_uri(report_arena(report), rule),
            .severity = severity_of(rule->level),
        };
        report_rule(report, &about);
    }
}

/* ---- the summary ---- */

struct tally {
    uint32_t warnings, notes, safe, unsafe;
};

static void count(struct tally *tally, const struct lint_finding *finding)
{
    const struct match *match = finding->match;
    const bool warns = lint_level(finding) > LEVEL_NOTE;
    tally->warnings += warns;
    tally->notes += !warns;
    tally->safe += warns && causes_fix(match) == FIX_SAFE;
    tally->unsafe += warns && causes_fix(match) == FIX_UNSAFE;
}

static struct tally tally_of(const struct lint *lint, const struct rule *rule)
{
    struct tally tally = {0};
    for (uint32_t i = 0; i < lint->finding_count; i++)
        if (lint->findings[i].match && (!rule || lint->findings[i].match->rule == rule))
            count(&tally, &lint->findings[i]);
    return tally;
}

static void show_rule_row(struct table *table, const struct rule *rule, const struct tally *tally)
{
    table_row(table);
    table_text(table, str_of(rule->id));
    table_text(table, str_of(rule->name));
    table_int(table, tally->warnings);
    table_int(table, tally->notes);
    table_int(table, tally->safe);
    table_int(table, tally->unsafe);
    table_int(table, worth_of(rule).judged);
    table_int(table, worth_of(rule).worth);
    table_text(table, str_of(rule->words->brief));
}

static const struct column_spec rules_columns[] = {
    {"rule", "rule", UNIT_NONE, 0, "id of the rule"},
    {"name", "", UNIT_NONE, 0, "its name"},
    {"warnings", "warnings", UNIT_COUNT, 0, "findings told as warnings"},
    {"notes", "notes", UNIT_COUNT, 0, "findings told as notes"},
    {"fix_safe", "safe fixes", UNIT_COUNT, 0, "warnings that `fix --write` rewrites"},
    {"fix_unsafe", "unsafe", UNIT_COUNT, 0, "warnings that `fix --write --unsafe` rewrites"},
    {"judged", "judged", UNIT_COUNT, COLUMN_DETAIL,
     "warnings of the rule that people judged, in code that nobody had tuned for"},
    {"worth", "worth it", UNIT_COUNT, COLUMN_DETAIL, "of these, worth a change"},
    {"brief", "what", UNIT_NONE, COLUMN_WIDE | COLUMN_WRAP, "what the rule finds"},
    {0},
};

static void show_rules(const struct lint *lint, struct section *section)
{
    struct table *table = section_table(section, "rules", "");
    table_columns(table, rules_columns);
    for (const struct rule *const *at = rules; *at; at++) {
        const struct tally tally = tally_of(lint, *at);
        if (tally.warnings + tally.notes)
            show_rule_row(table, *at, &tally);
    }
}

static const struct column_spec limits_columns[] = {
    {"limit", "limit", UNIT_NONE, 0, "id of the limit that was met"},
    {"file", "file", UNIT_NONE, 0, "path of the file"},
    {"line", "line", UNIT_NONE, 0, "where it was met, counted from 1"},
    {"what", "what", UNIT_NONE, COLUMN_WIDE | COLUMN_WRAP, "what is not followed from there on"},
    {"cell", "cell", UNIT_NONE, 0, "cell of a notebook, in which lines count"},
    {0},
};

static void show_limits(const struct lint *lint, struct section *section)
{
    struct table *table = section_table(section, "limits", "");
    table_json_only(table);
    table_columns(table, limits_columns);
    for (uint32_t i = 0; i < lint->limit_count; i++) {
        table_row(table);
        table_text(table, str_of(lint->limits[i].limit->id));
        table_text(table, lint->limits[i].path);
        table_int(table, lint->limits[i].line);
        table_text(table, str_of(lint->limits[i].limit->what));
        table_cell(table, cell_int_if(lint->limits[i].cell > 0, lint->limits[i].cell));
    }
}

/* Of the warnings that are told, as many of each rule as were in code that nobody had tuned for. */
static str worth_text(const struct lint *lint, uint32_t warnings, struct arena *arena)
{
    double expected = 0;
    for (const struct rule *const *at = rules; *at; at++)
        expected += tally_of(lint, *at).warnings * worth_expected(*at);
    return str_printf(
        arena,
        " A warning is no proof: in code that nobody had tuned for, some %.0f %% of such warnings were worth "
        "a change (--proof shows what each rests on; a trace decides, see --trace).",
        100 * expected / warnings);
}

static str verdict_of(const struct lint *lint, const struct tally *all, struct arena *arena)
{
    const uint32_t sum = all->warnings + all->notes;
    if (!lint->finding_count && lint->baselined_count)
        return str_printf(arena, "No new antipattern of data movement in %u file%s.", lint->file_count,
                          lint->file_count == 1 ? "" : "s");
    if (!lint->finding_count)
        return str_printf(arena, "No antipattern of data movement in %u file%s.", lint->file_count,
                          lint->file_count == 1 ? "" : "s");
    str text = str_printf(arena, "%u finding%s in %u file%s.", sum, sum == 1 ? "" : "s", lint->file_count,
                          lint->file_count == 1 ? "" : "s");
    if (all->safe)
        text = str_printf(arena, "%s 'steptime fix' rewrites %u of them safely.", text.at, all->safe);
    if (all->unsafe)
        text = str_printf(arena, "%s 'steptime fix --unsafe' rewrites %u%s.", text.at, all->unsafe,
                          all->safe ? " more" : "");
    if (lint->evidence.len)
        text = str_printf(arena, "%s %.*s", text.at, (int)lint->evidence.len, lint->evidence.at);
    else if (all->warnings)
        text = str_printf(arena, "%s%s", text.at, worth_text(lint, all->warnings, arena).at);
    return text;
}

/* Where a file does not parse, nothing found there is no good news. */
static void say_unparsed(const struct lint *lint, struct section *section, struct arena *arena)
{
    const uint32_t broken = lint->unparsed_count, files = lint->file_count;
    if (!broken)
        return;
    const str who = files == 1        ? S("The file does")
                    : broken == files ? str_printf(arena, "All %u files do", files)
                                      : str_printf(arena, "%u of %u files do", broken, files);
    section_text(section,
                 str_printf(arena, "%.*s not parse as Python: what stands behind an error may be missing here.",
                            (int)who.len, who.at));
}

static void show_summary(const struct lint *lint, struct report *report)
{
    const struct tally all = tally_of(lint, NULL);
    struct section *section = report_section(report, "lint", "Summary");
    section_text(section, verdict_of(lint, &all, report_arena(report)));
    say_unparsed(lint, section, report_arena(report));
    section_value(section, "files", "files", UNIT_COUNT, cell_int(lint->file_count));
    section_value(section, "skipped", "files that could not be used", UNIT_COUNT, cell_int(lint->skipped_count));
    if (lint->unparsed_count)
        section_value(section, "unparsed", "files that do not parse", UNIT_COUNT, cell_int(lint->unparsed_count));
    section_value(section, "warnings", "warnings", UNIT_COUNT, cell_int(all.warnings));
    section_value(section, "notes", "notes", UNIT_COUNT, cell_int(all.notes));
    section_value(section, "suppressed", "suppressed by comments", UNIT_COUNT, cell_int(lint->suppressed_count));
    if (lint->has_baseline)
        section_value(section, "baselined", "in the baseline", UNIT_COUNT, cell_int(lint->baselined_count));
    section_value(section, "not_followed", "places not followed to their end", UNIT_COUNT, cell_int(lint->limit_count));
    if (all.warnings + all.notes)
        show_rules(lint, section);
    if (lint->limit_count)
        show_limits(lint, section);
}

static const struct column_spec findings_columns[] = {
    {"file", "file", UNIT_NONE, 0, "path of the file"},
    {"line", "line", UNIT_NONE, 0, "where the finding begins, counted from 1"},
    {"column", "column", UNIT_NONE, 0, "where it begins in the line, counted from 1 in UTF-16 units"},
    {"rule", "rule", UNIT_NONE, 0, "id of the rule"},
    {"severity", "severity", UNIT_NONE, 0, "warning or note"},
    {"tier", "tier", UNIT_NONE, 0, "what shows it: confirmed, function, static, trace or dry"},
    {"fix", "fix", UNIT_NONE, 0, "whether it can be rewritten: safe, unsafe, none"},
    {"message", "message", UNIT_NONE, 0, "what is wrong, how much it costs, what to do"},
    {"cell", "cell", UNIT_NONE, 0, "cell of a notebook, in which lines count"},
    {0},
};

/* For csv, and for scripts that like rows better than objects. */
static void show_table(const struct lint *lint, struct report *report)
{
    struct section *section = report_section(report, "findings", "Findings");
    struct table *table = section_table(section, "findings", "");
    table_json_only(table);
    table_columns(table, findings_columns);
    for (uint32_t i = 0; i < lint->finding_count; i++) {
        const struct match *match = lint->findings[i].match;
        if (!match)
            continue;
        const struct lint_file *file = &lint->files[match->file];
        const struct place_in_text at = syntax_place(file->tree, match->begin);
        const struct cell_line line = cell_line(file, at.line);
        table_row(table);
        table_text(table, file->path);
        table_int(table, line.line);
        table_int(table, at.column);
        table_text(table, str_of(match->rule->id));
        table_text(table, str_of(level_word(lint_level(&lint->findings[i]))));
        table_text(table, str_of(tier_word(lint->findings[i].tier)));
        table_text(table, str_of(fix_word(causes_fix(match))));
        table_text(table, message_of(&lint->findings[i], report_arena(report)));
        table_cell(table, cell_int_if(line.cell > 0, line.cell));
    }
}

/* ---- a line that is asked for ---- */

static bool stands_at(const struct lint *lint, const struct lint_finding *finding, int64_t line)
{
    for (const struct match *at = finding->match; at; at = at->also) {
        const struct lint_file *file = &lint->files[at->file];
        if (cell_line(file, syntax_place(file->tree, at->begin).line).line == line)
            return true;
    }
    return false;
}

bool lint_worst_at(const struct lint *lint, bool (*is_file)(str path, str file), str file, int64_t line,
                   enum level *worst)
{
    bool any = false;
    *worst = LEVEL_NOTE;
    for (uint32_t i = 0; i < lint->finding_count; i++) {
        const struct lint_finding *finding = &lint->findings[i];
        if (!finding->match || !is_file(lint->files[finding->match->file].path, file) ||
            !stands_at(lint, finding, line))
            continue;
        any = true;
        *worst = lint_level(finding) > *worst ? lint_level(finding) : *worst;
    }
    return any;
}

static void show_remarks(const struct lint *lint, struct report *report)
{
    for (uint32_t i = 0; i < lint->remark_count; i++) {
        const struct lint_remark *remark = &lint->remarks[i];
        const str place = cell_line_words(report_arena(report), (struct cell_line){remark->cell, remark->line});
        const str message = str_printf(report_arena(report), "%.*s: %.*s", (int)place.len, place.at,
                                       (int)remark->message.len, remark->message.at);
        report_warning(report, remark->path, -1, place.len ? message : remark->message);
    }
}

void lint_show(const struct lint *lint, bool proof, struct report *report)
{
    show_finding_rules(report);
    for (uint32_t i = 0; i < lint->file_count; i++)
        report_source(report, lint->files[i].path);
    show_findings(lint, proof, report);
    show_summary(lint, report);
    show_table(lint, report);
    show_remarks(lint, report);
}

/* ---- the order ---- */

/* The largest saving first, what is unknown last; then what is known best; files and places otherwise. */
static int by_weight(const void *a, const void *b)
{
    const struct lint_finding *x = a, *y = b;
    if (x->saving_ns != y->saving_ns)
        return x->saving_ns > y->saving_ns ? -1 : 1;
    static const int ranks[] = {
        [TIER_CONFIRMED] = 0, [TIER_FUNCTION] = 1, [TIER_TRACE] = 2, [TIER_DRY] = 2, [TIER_STATIC] = 3};
    if (ranks[x->tier] != ranks[y->tier])
        return ranks[x->tier] - ranks[y->tier];
    if (!x->match || !y->match)
        return !x->match - !y->match;
    if (x->match->file != y->match->file)
        return x->match->file < y->match->file ? -1 : 1;
    return x->match < y->match ? -1 : x->match > y->match;
}

void lint_rank(struct lint *lint)
{
    if (lint->finding_count)
        qsort(lint->findings, lint->finding_count, sizeof *lint->findings, by_weight);
}

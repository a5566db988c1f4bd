/* SPDX-License-Identifier: Apache-2.0 */
/* Findings on a terminal: of a trace a sentence and its place; of source the place first, and the line with a caret. */
#include "glyph.h"
#include "measure.h"
#include "term.h"

enum { CARET_INDENT = 4, TAB = 4 };

static enum style style_of(enum severity severity)
{
    return severity == SEVERITY_ERROR ? STYLE_RED : severity == SEVERITY_WARNING ? STYLE_YELLOW : STYLE_CYAN;
}

static str told_ns(struct term *term, int64_t ns)
{
    return measure_whole_text(term->arena, UNIT_NS, (double)ns, true);
}

static str place_of(struct term *term, const struct finding *finding)
{
    if (!finding->file.len)
        return S("");
    const str file = term_text(term, finding->file);
    if (finding->line < 1)
        return file;
    const str cell = finding->cell ? str_printf(term->arena, "cell %lld:", (long long)finding->cell) : S("");
    const str line = str_printf(term->arena, "%.*s:%.*s%lld", (int)file.len, file.at, (int)cell.len, cell.at,
                                (long long)finding->line);
    return finding->excerpt.at ? str_printf(term->arena, "%s:%lld", line.at, (long long)finding->column) : line;
}

static str joined(struct term *term, const str *parts, size_t count)
{
    str line = S("");
    for (size_t i = 0; i < count; i++)
        if (parts[i].len)
            line = str_printf(term->arena, "%.*s%s%.*s", (int)line.len, line.at, line.len ? ", " : "",
                              (int)parts[i].len, parts[i].at);
    return line;
}

static str saving_of(struct term *term, const struct finding *finding)
{
    if (finding->per_step_saving_ns <= 0)
        return finding->per_step_saving_ns < 0 || !finding->excerpt.at ? S("") : S("saves nothing a step");
    return str_printf(term->arena, "up to %s a step", told_ns(term, finding->per_step_saving_ns).at);
}

static str blocked_of(struct term *term, const struct finding *finding)
{
    if (finding->per_step_host_blocked_ns <= 0)
        return S("");
    return str_printf(term->arena, "host blocked %s a step", told_ns(term, finding->per_step_host_blocked_ns).at);
}

/* ---- of a trace ---- */

/* "up to 12.3 ms a step, train.py:33, SM104": what is known beside the message. */
static void put_plain(struct term *term, const struct finding *finding)
{
    const unsigned indent = TERM_INDENT + 9; /* "warning" and two blanks */
    const str parts[] = {saving_of(term, finding), blocked_of(term, finding), place_of(term, finding),
                         term_text(term, finding->rule)};
    const str aside = joined(term, parts, sizeof parts / sizeof *parts);
    term_pad(term, TERM_INDENT);
    term_left(term, style_of(finding->severity), severity_word(finding->severity), indent - TERM_INDENT);
    term_paragraph(term, STYLE_PLAIN, finding->message, indent);
    if (aside.len) {
        term_pad(term, indent);
        term_paragraph(term, STYLE_DIM, aside, indent);
    }
}

/* ---- of source ---- */

/* Blanks for tabs, so that what stands below lines up. */
static str without_tabs(struct term *term, str text)
{
    char *shown = arena_alloc(term->arena, text.len * TAB + 1);
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++)
        for (int blanks = text.at[i] == '\t' ? TAB : 1; blanks; blanks--)
            shown[len++] = text.at[i] == '\t' ? ' ' : text.at[i];
    return term_text(term, (str){shown, len});
}

size_t finding_column(int64_t column, str line)
{
    const int64_t byte = column - 1;
    return byte < 0 ? 0 : (size_t)byte < line.len ? (size_t)byte : line.len;
}

/* Where the finding ends in its first line. */
static size_t end_in_line(const struct finding *finding)
{
    const str line = finding->excerpt;
    return finding->end_line > finding->line ? line.len : finding_column(finding->end_column, line);
}

/* The byte from which a long line is shown, so that what is found lies in view. */
static size_t first_shown(const struct finding *finding, size_t begin, unsigned room)
{
    if (glyph_width((str){finding->excerpt.at, begin}) + 20 <= room)
        return 0;
    size_t from = begin > room / 3 ? begin - room / 3 : 0;
    while (from < begin && ((unsigned char)finding->excerpt.at[from] & 0xC0) == 0x80)
        from++;
    return from;
}

static void put_excerpt(struct term *term, const struct finding *finding)
{
    const str number = str_printf(term->arena, "%*lld", CARET_INDENT + 2, (long long)finding->line);
    const unsigned gutter = (unsigned)number.len + 3;
    const unsigned room = term->width > gutter + 20 ? term->width - gutter : 20;
    const size_t begin = finding_column(finding->column, finding->excerpt), end = end_in_line(finding);
    const size_t from = first_shown(finding, begin, room);
    const str before = without_tabs(term, (str){finding->excerpt.at + from, begin - from});
    const str marked = without_tabs(term, (str){finding->excerpt.at + begin, end > begin ? end - begin : 0});
    const str whole = without_tabs(term, str_from(finding->excerpt, from));
    term_put(term, STYLE_DIM, number);
    term_put(term, STYLE_DIM, S(" | "));
    term_put(term, STYLE_PLAIN, glyph_head(whole, room));
    term_line(term);
    const unsigned left = glyph_width(before), wanted = glyph_width(marked) ? glyph_width(marked) : 1;
    term_pad(term, (unsigned)number.len);
    term_put(term, STYLE_DIM, S(" | "));
    term_pad(term, left);
    term_repeat(term, style_of(finding->severity), S("^"),
                left + wanted <= room ? wanted
                : left < room         ? room - left
                                      : 1);
    term_line(term);
}

static void put_head(struct term *term, const struct report *report, const struct finding *finding)
{
    const struct finding_rule *rule = report_find_rule(report, finding->rule);
    const str place = place_of(term, finding);
    term_put(term, STYLE_BOLD, place);
    term_put(term, STYLE_PLAIN, S(": "));
    term_put(term, style_of(finding->severity), finding->rule);
    if (rule)
        term_put(term, STYLE_PLAIN, str_printf(term->arena, " %.*s", (int)rule->name.len, rule->name.at));
    term_put(term, STYLE_DIM, str_printf(term->arena, " [%.*s] ", (int)finding->tier.len, finding->tier.at));
    if (finding->severity == SEVERITY_NOTE)
        term_put(term, STYLE_CYAN, S("note: "));
    term_put(term, STYLE_PLAIN, term_text(term, finding->message));
    term_line(term);
}

/* "line 12" of the file of the finding, else "src/net.py:12". */
static str link_place(struct term *term, const struct finding *finding, const struct finding_place *place)
{
    if (str_eq(place->file, finding->file))
        return place->cell == finding->cell
                   ? str_printf(term->arena, "line %lld", (long long)place->line)
                   : str_printf(term->arena, "cell %lld, line %lld", (long long)place->cell, (long long)place->line);
    const str file = term_text(term, place->file);
    if (place->cell)
        return str_printf(term->arena, "%.*s:cell %lld:%lld", (int)file.len, file.at, (long long)place->cell,
                          (long long)place->line);
    return str_printf(term->arena, "%.*s:%lld", (int)file.len, file.at, (long long)place->line);
}

/* "device: holds, ...", and the places from the origin on; one that says no more than the link stands behind it. */
static void put_link(struct term *term, const struct finding *finding, enum finding_link_kind kind)
{
    static const char *const words[] = {
        [FINDING_HOLDS_NOT] = "missing", [FINDING_HOLDS_OPEN] = "open", [FINDING_HOLDS] = "holds"};
    const struct finding_link *link = &finding->proof[kind];
    const unsigned indent = CARET_INDENT + 9;
    uint32_t from = 0;
    str text = str_printf(term->arena, "%s: %.*s", words[link->holds], (int)link->text.len, link->text.at);
    if (link->count && str_eq(link->places[0].what, link->text)) {
        const str place = link_place(term, finding, &link->places[from++]);
        text = str_printf(term->arena, "%.*s (%.*s)", (int)text.len, text.at, (int)place.len, place.at);
    }
    term_pad(term, CARET_INDENT + 2);
    term_left(term, STYLE_DIM, finding_link_word(kind), 7);
    term_paragraph(term, STYLE_PLAIN, term_text(term, text), indent);
    for (; from < link->count; from++) {
        const struct finding_place *place = &link->places[from];
        const str at = link_place(term, finding, place), what = term_text(term, place->what);
        term_pad(term, indent);
        term_paragraph(term, STYLE_DIM,
                       str_printf(term->arena, "%.*s: %.*s", (int)at.len, at.at, (int)what.len, what.at), indent + 2);
    }
}

static void put_proof(struct term *term, const struct finding *finding)
{
    for (int i = 0; finding->proof && finding->proof_shown && i < FINDING_LINKS; i++)
        put_link(term, finding, (enum finding_link_kind)i);
}

/* "also at 41:12, 42:12": the other places of the same cause. */
static str other_places(struct term *term, const struct finding *finding)
{
    str list = S("");
    for (uint32_t i = 1; i < finding->spot_count; i++)
        list = str_printf(term->arena, "%.*s%s%lld:%lld", (int)list.len, list.at, i > 1 ? ", " : "also at ",
                          (long long)finding->spots[i].line, (long long)finding->spots[i].column);
    return list;
}

static void put_source(struct term *term, const struct report *report, const struct finding *finding)
{
    const str fixes = str_eq(finding->fix, S("none")) || !finding->fix.len
                          ? S("")
                          : str_printf(term->arena, "fix: %.*s", (int)finding->fix.len, finding->fix.at);
    const str parts[] = {other_places(term, finding), saving_of(term, finding), blocked_of(term, finding), fixes};
    const str aside = joined(term, parts, sizeof parts / sizeof *parts);
    put_head(term, report, finding);
    put_excerpt(term, finding);
    if (aside.len) {
        term_pad(term, CARET_INDENT + 2);
        term_put(term, STYLE_DIM, S(" = "));
        term_put(term, STYLE_DIM, aside);
        term_line(term);
    }
    put_proof(term, finding);
    term_line(term);
}

/* ---- all of them ---- */

bool term_has_findings(const struct report *report)
{
    for (uint32_t i = 0; i < report->finding_count; i++)
        if (!report->findings[i].suppressed)
            return true;
    return false;
}

void term_findings(struct term *term, const struct report *report)
{
    for (uint32_t i = 0; i < report->finding_count; i++) {
        const struct finding *finding = &report->findings[i];
        if (finding->suppressed)
            continue;
        if (finding->excerpt.at)
            put_source(term, report, finding);
        else
            put_plain(term, finding);
    }
}

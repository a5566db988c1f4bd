/* SPDX-License-Identifier: Apache-2.0 */
/* Findings as cards: what, where, what it costs, the line of source with the place marked, what to write instead. */
#include "html.h"
#include "measure.h"

uint32_t html_finding_count(const struct report *report)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < report->finding_count; i++)
        count += !report->findings[i].suppressed;
    return count;
}

static const char *class_of(enum severity severity)
{
    return severity == SEVERITY_ERROR ? "error" : severity == SEVERITY_WARNING ? "warning" : "note";
}

/* ---- a card ---- */

static void put_place(struct html *html, const struct finding *finding)
{
    if (!finding->file.len)
        return;
    html_put(html, "<span class=\"place\">");
    html_text(html, finding->file);
    if (finding->cell)
        html_put(html, ":cell %lld", (long long)finding->cell);
    if (finding->line > 0)
        html_put(html, ":%lld", (long long)finding->line);
    html_put(html, "</span>");
}

static void put_head(struct html *html, const struct report *report, const struct finding *finding)
{
    const struct finding_rule *rule = report_find_rule(report, finding->rule);
    html_put(html, "<header><span class=\"severity\">%s</span>", class_of(finding->severity));
    if (rule) {
        html_put(html, "<a class=\"rule\" href=\"#rule-");
        html_word(html, rule->id);
        html_put(html, "\">");
        html_text(html, rule->id);
        html_put(html, " ");
        html_text(html, rule->name);
        html_put(html, "</a>");
    } else if (finding->rule.len)
        html_element(html, "span class=\"rule\"", finding->rule);
    put_place(html, finding);
    if (finding->tier.len)
        html_element(html, "span class=\"tier\"", finding->tier);
    html_put(html, "</header>");
}

/* A tab is no control character here: the page keeps its width. */
static void put_code(struct html *html, str code)
{
    bool follows = false;
    for (str part; str_cut(&code, '\t', &part); follows = true) {
        if (follows)
            html_put(html, "    ");
        html_text(html, part);
    }
}

static void put_excerpt(struct html *html, const struct finding *finding)
{
    const str line = finding->excerpt;
    if (!line.at)
        return;
    const size_t begin = finding_column(finding->column, line);
    const size_t stop = finding->end_line > finding->line ? line.len : finding_column(finding->end_column, line);
    const size_t end = stop > begin ? stop : begin;
    size_t from = 0;
    while (from < begin && (line.at[from] == ' ' || line.at[from] == '\t'))
        from++;
    html_put(html, "<pre><span class=\"line\">%lld</span><code>", (long long)finding->line);
    put_code(html, (str){line.at + from, begin - from});
    html_put(html, "<mark>");
    put_code(html, (str){line.at + begin, end - begin});
    html_put(html, "</mark>");
    put_code(html, str_from(line, end));
    html_put(html, "</code></pre>");
}

static void put_cost(struct html *html, const char *what, int64_t ns)
{
    if (ns <= 0)
        return;
    html_put(html, "<li>%s <b>", what);
    html_text(html, measure_whole_text(html->arena, UNIT_NS, (double)ns, true));
    html_put(html, "</b> a step</li>");
}

static void put_costs(struct html *html, const struct finding *finding)
{
    const bool fixes = finding->fix.len && !str_eq(finding->fix, S("none"));
    if (finding->per_step_saving_ns <= 0 && finding->per_step_host_blocked_ns <= 0 && !fixes)
        return;
    html_put(html, "<ul class=\"costs\">");
    put_cost(html, "saves up to", finding->per_step_saving_ns);
    put_cost(html, "host blocked", finding->per_step_host_blocked_ns);
    if (fixes) {
        html_put(html, "<li>fix: <b>");
        html_text(html, finding->fix);
        html_put(html, "</b></li>");
    }
    html_put(html, "</ul>");
}

/* The byte of a column that counts UTF-16 units, as those of edits do. */
static size_t byte_of(str line, int64_t column)
{
    size_t at = 0;
    for (int64_t units = 1; at < line.len && units < column; units++) {
        const unsigned char c = (unsigned char)line.at[at];
        units += c >= 0xF0; /* two units */
        at += c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    }
    return at < line.len ? at : line.len;
}

/* Whether all edits lie in the line that is known, one behind the other. */
static bool edits_the_line(const struct finding *finding)
{
    int64_t column = 1;
    for (uint32_t i = 0; i < finding->edit_count; i++) {
        const struct finding_edit *edit = &finding->edits[i];
        if (edit->line != finding->line || edit->end_line != finding->line || edit->column < column ||
            edit->end_column < edit->column)
            return false;
        column = edit->end_column;
    }
    return finding->edit_count && finding->excerpt.at;
}

static void put_changed(struct html *html, const char *tag, str text)
{
    html_put(html, "<%s>", tag);
    for (str line; str_cut(&text, '\n', &line); html_put(html, "%s", text.len ? "\n" : ""))
        put_code(html, line);
    html_put(html, "</%s>", tag);
}

/* The line as it is and as it would be. */
static void put_diff(struct html *html, const struct finding *finding)
{
    const str line = finding->excerpt;
    str then = S("");
    size_t from = 0;
    for (uint32_t i = 0; i < finding->edit_count; i++) {
        const struct finding_edit *edit = &finding->edits[i];
        const size_t begin = byte_of(line, edit->column);
        then = str_printf(html->arena, "%.*s%.*s%.*s", (int)then.len, then.at, (int)(begin - from), line.at + from,
                          (int)edit->text.len, edit->text.at);
        from = byte_of(line, edit->end_column);
    }
    then = str_printf(html->arena, "%.*s%.*s", (int)then.len, then.at, (int)(line.len - from), line.at + from);
    html_put(html, "<pre class=\"diff\">");
    put_changed(html, "del", line);
    put_changed(html, "ins", then);
    html_put(html, "</pre>");
}

static void put_edits(struct html *html, const struct finding *finding)
{
    if (edits_the_line(finding)) {
        put_diff(html, finding);
        return;
    }
    if (!finding->edit_count)
        return;
    html_put(html, "<details><summary>What the fix writes</summary>");
    for (uint32_t i = 0; i < finding->edit_count; i++) {
        const struct finding_edit *edit = &finding->edits[i];
        html_put(html, "<pre><span class=\"line\">%lld:%lld\xE2\x80\x93%lld:%lld</span><code>", (long long)edit->line,
                 (long long)edit->column, (long long)edit->end_line, (long long)edit->end_column);
        if (edit->text.len)
            html_lines(html, edit->text);
        else
            html_put(html, "<em>nothing</em>");
        html_put(html, "</code></pre>");
    }
    html_put(html, "</details>");
}

static void put_events(struct html *html, const struct finding *finding)
{
    enum { SHOWN = 24 };
    if (!finding->event_count)
        return;
    html_put(html, "<p class=\"aside\">events");
    for (uint32_t i = 0; i < finding->event_count && i < SHOWN; i++)
        html_put(html, " %u", finding->events[i]);
    if (finding->event_count > SHOWN)
        html_put(html, " and %u more", finding->event_count - SHOWN);
    html_put(html, "</p>");
}

/* Its number is where links lead; by id and rule the script of a page finds its events. */
static void put_finding(struct html *html, const struct report *report, const struct finding *finding, uint32_t number)
{
    html_put(html, "<article class=\"finding %s\" id=\"finding-%u\" data-id=\"", class_of(finding->severity), number);
    html_text(html, finding->id);
    html_put(html, "\" data-rule=\"");
    html_text(html, finding->rule);
    html_put(html, "\">");
    put_head(html, report, finding);
    html_put(html, "<p>");
    html_lines(html, finding->message);
    html_put(html, "</p>");
    put_excerpt(html, finding);
    put_costs(html, finding);
    put_edits(html, finding);
    put_events(html, finding);
    html_put(html, "</article>\n");
}

/* ---- rules ---- */

static bool is_found(const struct report *report, str rule)
{
    for (uint32_t i = 0; i < report->finding_count; i++)
        if (!report->findings[i].suppressed && str_eq(report->findings[i].rule, rule))
            return true;
    return false;
}

static void put_rule(struct html *html, const struct finding_rule *rule)
{
    html_put(html, "<details class=\"rule\" id=\"rule-");
    html_word(html, rule->id);
    html_put(html, "\"><summary>");
    html_element(html, "b", rule->id);
    html_put(html, " ");
    html_text(html, rule->name);
    html_put(html, ": ");
    html_text(html, rule->brief);
    html_put(html, "</summary><p>");
    html_lines(html, rule->why);
    html_put(html, "</p></details>\n");
}

static void put_rules(struct html *html, const struct report *report)
{
    bool any = false;
    for (uint32_t i = 0; i < report->rule_count; i++) {
        if (!is_found(report, report->rules[i].id))
            continue;
        if (!any)
            html_put(html, "<h3>Rules</h3>\n");
        any = true;
        put_rule(html, &report->rules[i]);
    }
}

void html_findings(struct html *html, const struct report *report)
{
    html_put(html, "<section id=\"findings\"><h2>Findings</h2>\n");
    for (uint32_t i = 0; i < report->finding_count; i++)
        if (!report->findings[i].suppressed)
            put_finding(html, report, &report->findings[i], i + 1);
    put_rules(html, report);
    html_put(html, "</section>\n");
}

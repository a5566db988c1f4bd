/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The document as one page for a browser: style, figures and script are inside,
 * nothing is fetched, and without the script only sorting and filtering are
 * missing; of a page with a part of its own all behind its first screen is, too.
 * Its policy forbids all loading, and every script but its own, so that a name
 * which slipped through escaping could still do nothing.
 *
 * Order: as on the terminal, with a list of the sections beside.
 */
#include "html.h"

#include "measure.h"

extern const char page_css[], rest_css[], page_js[], page_js_sha256[];
extern const size_t page_css_bytes, rest_css_bytes, page_js_bytes;

/* ---- head ---- */

static void put_name(struct html *html, const struct report *report)
{
    html_text(html, S("steptime "));
    html_text(html, report->command);
}

static void put_opening(struct html *html, const struct report *report)
{
    html_put(html, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n");
    html_put(html,
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
             "script-src 'sha256-%s'",
             page_js_sha256);
    if (html->options->part)
        html_script_digests(html);
    html_put(html, "; base-uri 'none'; form-action 'none'\"/>\n");
    html_put(html, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                   "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>");
    put_name(html, report);
    if (report->input_count == 1) {
        html_put(html, ": ");
        html_text(html, report->inputs[0].path);
    }
    html_put(html, "</title>\n<style>");
    writer_put(html->out, (str){page_css, page_css_bytes});
    if (!html->options->part)
        writer_put(html->out, (str){rest_css, rest_css_bytes});
    html_put(html, "</style>");
    if (html->options->part) /* its list of contents leads to what is packed */
        html_put(html, "<noscript><style>nav{display:none}.page{display:block}</style></noscript>");
    html_put(html, "</head>\n<body>\n");
}

static void put_input(struct html *html, const struct report_input *input)
{
    html_put(html, "<li>");
    html_element(html, "code", input->path);
    html_element(html, "span", input->format);
    const struct {
        int64_t amount;
        enum unit unit;
        const char *word;
    } amounts[] = {{input->events, UNIT_COUNT, " events"},
                   {input->bytes, UNIT_BYTES, ""},
                   {input->repaired, UNIT_COUNT, " repaired"},
                   {input->dropped, UNIT_COUNT, " dropped"}};
    for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++)
        if (amounts[i].amount > 0)
            html_put(html, "<span>%s%s</span>",
                     measure_whole_text(html->arena, amounts[i].unit, (double)amounts[i].amount, true).at,
                     amounts[i].word);
    html_put(html, "</li>");
}

/* One input is named at the top; of many there is a list to open. */
static void put_inputs(struct html *html, const struct report *report)
{
    if (!report->input_count)
        return;
    if (report->input_count > 4)
        html_put(html, "<details><summary>%u traces</summary>", report->input_count);
    html_put(html, "<ul class=\"inputs\">");
    for (uint32_t i = 0; i < report->input_count; i++)
        put_input(html, &report->inputs[i]);
    html_put(html, report->input_count > 4 ? "</ul></details>" : "</ul>");
    const str steps = report_steps_words(report);
    if (steps.len)
        html_element(html, "p", steps);
}

/* What is to be known before all else. */
static void put_heading_texts(struct html *html, const struct report *report)
{
    for (uint32_t i = 0; i < report->section_count; i++)
        for (uint32_t k = 0; report->sections[i]->in_head && k < report->sections[i]->text_count; k++)
            html_element(html, "p", report->sections[i]->texts[k]);
}

static void put_masthead(struct html *html, const struct report *report)
{
    html_put(html, "<header class=\"masthead\"><h1><span>steptime</span> ");
    html_text(html, report->command);
    html_put(html, "</h1>");
    put_inputs(html, report);
    put_heading_texts(html, report);
    html_put(html, "</header>\n");
}

/* ---- what is shown ---- */

static bool has_figure(const struct section *section, const struct table *table)
{
    for (uint32_t i = 0; i < section->figure_count; i++)
        if (str_eq(section->figures[i].table, table->id))
            return true;
    return false;
}

/* Whether people have anything to see in it; sections of nothing but tables for machines come folded at the end. */
static bool is_shown(const struct section *section)
{
    if (section->in_head)
        return false;
    for (uint32_t i = 0; i < section->table_count; i++)
        if (!section->tables[i]->json_only || has_figure(section, section->tables[i]))
            return true;
    return section->text_count || section->value_count;
}

/* Sections without a title go on where the one before ended. */
static bool begins(const struct section *section)
{
    return is_shown(section) && section->title.len;
}

static void put_contents(struct html *html, const struct report *report)
{
    html_put(html, "<nav aria-label=\"Contents\"><ul>");
    if (html->options->part) {
        html_put(html, "<li><a href=\"#first\">");
        html_text(html, html->options->part->first->link);
        html_put(html, "</a></li>");
    }
    for (const struct page_part *part = html->options->part; part; part = part->next) {
        html_put(html, "<li><a href=\"#section-");
        html_word(html, part->id);
        html_put(html, "\">");
        html_text(html, part->title);
        html_put(html, "</a></li>");
    }
    for (uint32_t i = 0; i < report->section_count; i++) {
        const struct section *section = report->sections[i];
        if (!begins(section))
            continue;
        html_put(html, "<li><a href=\"#section-");
        html_word(html, section->id);
        html_put(html, "\">");
        html_text(html, section->title);
        html_put(html, "</a></li>");
    }
    const uint32_t findings = html_finding_count(report);
    if (findings)
        html_put(html, "<li><a href=\"#findings\">Findings <b>%u</b></a></li>", findings);
    if (report_warnings_below(report))
        html_put(html, "<li><a href=\"#warnings\">About the input <b>%u</b></a></li>", report_warnings_below(report));
    html_put(html, "</ul></nav>\n");
}

/* ---- sections ---- */

static void put_value(struct html *html, const struct value *value)
{
    const bool text = value->cell.kind == CELL_TEXT;
    html_put(html, text ? "<div class=\"long\">" : "<div>");
    html_element(html, "dt", value->title);
    html_put(html, "<dd>");
    if (text)
        html_text(html, value->cell.text);
    else
        html_measured(html, value->unit, value->cell);
    html_put(html, "</dd></div>");
}

static void put_values(struct html *html, const struct section *section)
{
    if (!section->value_count)
        return;
    html_put(html, "<dl class=\"values\">");
    for (uint32_t i = 0; i < section->value_count; i++)
        if (!section->values[i].detail)
            put_value(html, &section->values[i]);
    html_put(html, "</dl>\n");
}

static bool is_stacked(const struct section *section, const struct table *table)
{
    for (uint32_t i = 0; i < section->figure_count; i++)
        if (section->figures[i].kind == FIGURE_STACK && str_eq(section->figures[i].table, table->id))
            return true;
    return false;
}

/* A table for machines is there to be opened. */
static void put_table(struct html *html, const struct section *section, const struct table *table)
{
    if (has_figure(section, table) && !html_is_first(html, section, false))
        html_figures(html, section, table);
    if (table->json_only) {
        html_put(html, "<details class=\"detail\"><summary>");
        html_text(html, table->title.len ? table->title : table->id);
        html_put(html, "</summary>");
    }
    if (is_stacked(section, table))
        html_table_marked(html, table);
    else
        html_table(html, table, false);
    if (table->json_only)
        html_put(html, "</details>\n");
}

static void put_section(struct html *html, const struct section *section)
{
    if (!is_shown(section))
        return;
    html_put(html, "<section id=\"section-");
    html_word(html, section->id);
    html_put(html, "\">");
    if (section->title.len)
        html_element(html, "h2", section->title);
    for (uint32_t i = 0; i < section->text_count && !html_is_first(html, section, true); i++) {
        html_put(html, "<p>");
        html_lines(html, section->texts[i]);
        html_put(html, "</p>\n");
    }
    put_values(html, section);
    for (uint32_t i = 0; i < section->table_count; i++)
        put_table(html, section, section->tables[i]);
    html_put(html, "</section>\n");
}

static void put_rest(struct html *html, const struct report *report)
{
    for (uint32_t i = 0; i < report->section_count; i++)
        for (uint32_t k = 0; k < report->sections[i]->table_count && !is_shown(report->sections[i]); k++)
            put_table(html, report->sections[i], report->sections[i]->tables[k]);
}

static void put_warnings(struct html *html, const struct report *report)
{
    if (!report_warnings_below(report))
        return;
    html_put(html, "<section id=\"warnings\"><h2>About the input</h2><ul class=\"warnings\">");
    for (uint32_t i = 0; i < report->warning_count; i++) {
        const struct report_warning *warning = &report->warnings[i];
        if (warning->in_head)
            continue;
        html_put(html, "<li>");
        if (warning->path.len)
            html_element(html, "code", warning->path);
        if (warning->offset >= 0)
            html_put(html, " <span>byte %lld</span> ", (long long)warning->offset);
        html_text(html, warning->message);
        html_put(html, "</li>\n");
    }
    html_put(html, "</ul></section>\n");
}

/* ---- the whole ---- */

static void put_below(struct html *html, const struct report *report)
{
    html_parts(html);
    for (uint32_t i = 0; i < report->section_count; i++)
        put_section(html, report->sections[i]);
    if (html_finding_count(report))
        html_findings(html, report);
    put_warnings(html, report);
    put_rest(html, report);
}

static void put_all(struct html *html, const struct report *report)
{
    put_contents(html, report);
    html_put(html, "<main>\n");
    if (html->options->part) {
        html_first(html, report);
        html_packed(html, report, put_below);
    } else
        put_below(html, report);
    html_put(html, "</main>\n");
}

static void put_script(struct html *html)
{
    html_put(html, "<script>");
    writer_put(html->out, (str){page_js, page_js_bytes});
    html_put(html, "</script>\n");
}

static bool render(const struct report *report, const struct render_options *options, struct writer *out,
                   struct steptime_error *err)
{
    struct arena scratch = {0};
    struct html html = {out, options, &scratch, 0, false};
    put_opening(&html, report);
    put_masthead(&html, report);
    html_put(&html, "<div class=\"page\">\n");
    if (options->table.len) {
        html_put(&html, "<main>\n");
        html_table(&html, report_find_table(report, options->table), true);
        html_put(&html, "</main>\n");
    } else
        put_all(&html, report);
    html_put(&html, "</div>\n<footer>steptime ");
    html_text(&html, options->version);
    html_put(&html, "</footer>\n");
    if (options->part)
        html_unpacking(&html);
    else
        put_script(&html);
    html_put(&html, "</body></html>\n");
    arena_free(&scratch);
    return true;
}

const struct renderer render_html = {"html", render};

/* SPDX-License-Identifier: Apache-2.0 */
/* The first screen of a page with a part of its own: what it says, what to do, and a figure. */
#include "html.h"

static const struct section *find_section(const struct report *report, const char *id)
{
    for (uint32_t i = 0; i < report->section_count; i++)
        if (str_eq(report->sections[i]->id, str_of(id)))
            return report->sections[i];
    return NULL;
}

static void put_words(struct html *html, const struct section *section)
{
    for (uint32_t i = 0; section && i < section->text_count; i++) {
        html_put(html, i ? "<p>" : "<p class=\"lead\">");
        html_lines(html, section->texts[i]);
        html_put(html, "</p>\n");
    }
}

static void put_thing(struct html *html, const struct finding *finding, uint32_t number)
{
    html_put(html, "<li data-id=\"");
    html_text(html, finding->id);
    html_put(html, "\" data-rule=\"");
    html_text(html, finding->rule);
    html_put(html, "\"><a href=\"#finding-%u\">", number);
    html_element(html, "b", finding->rule);
    html_put(html, "</a> ");
    if (finding->file.len) {
        html_element(html, "span class=\"place\"", finding->file);
        html_put(html, finding->line > 0 ? "<span class=\"place\">:%lld</span> " : " ", (long long)finding->line);
    }
    html_text(html, finding->message);
    html_put(html, "</li>\n");
}

static void put_things(struct html *html, const struct report *report, const struct page_first *first)
{
    if (!html_finding_count(report)) {
        html_element(html, "p", first->no_things);
        return;
    }
    html_element(html, "h3", first->things);
    html_put(html, "<ol class=\"things\">\n");
    for (uint32_t i = 0, put = 0; i < report->finding_count && put < first->most_things; i++) {
        if (report->findings[i].suppressed)
            continue;
        put_thing(html, &report->findings[i], i + 1);
        put++;
    }
    html_put(html, "</ol>\n");
}

void html_first(struct html *html, const struct report *report)
{
    const struct page_first *first = html->options->part->first;
    html_put(html, "<section id=\"first\">\n");
    html_element(html, "h2", first->title);
    put_words(html, find_section(report, first->words));
    put_things(html, report, first);
    const struct section *figures = find_section(report, first->figures);
    for (uint32_t i = 0; figures && i < figures->table_count; i++)
        html_figures(html, figures, figures->tables[i]);
    html_put(html, "</section>\n");
}

bool html_is_first(const struct html *html, const struct section *section, bool words)
{
    const struct page_part *part = html->options->part;
    return part && str_eq(section->id, str_of(words ? part->first->words : part->first->figures));
}

static void put_part(struct html *html, const struct page_part *part)
{
    html_put(html, "<section id=\"section-");
    html_word(html, part->id);
    html_put(html, "\">");
    html_element(html, "h2", part->title);
    writer_put(html->out, part->markup);
    html_put(html, "</section>\n");
}

void html_parts(struct html *html)
{
    for (const struct page_part *part = html->options->part; part; part = part->next)
        put_part(html, part);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What the editor has under one URI, and what was found there. */
#include "report/document.h"
#include "session.h"

struct page page_of(struct arena *arena, struct document *document, struct open_cell *cell)
{
    const struct buf *text = cell ? &cell->text : &document->text;
    return (struct page){document, cell, text_lines(arena, buf_str(text))};
}

str page_uri(const struct page *page)
{
    return page->cell ? buf_str(&page->cell->uri) : page->document->uri;
}

int64_t page_version(const struct page *page)
{
    return page->cell ? page->cell->version : page->document->version;
}

struct position_range page_range(const struct server *server, const struct page *page, const struct finding *finding)
{
    return page->cell ? range_in_cell(page->lines, finding, server->columns)
                      : range_of_finding(page->lines, finding, server->columns);
}

/* Of a notebook with cells there is nothing to say but of its cells. */
struct page param_page(const struct server *server, struct arena *arena, str params)
{
    const str uri = param_text(arena, params, "textDocument.uri");
    struct document *document = documents_find(&server->documents, uri);
    if (document && !document->has_cells)
        return page_of(arena, document, NULL);
    for (uint32_t i = 0; i < server->documents.count; i++) {
        struct open_cell *cell = open_cells_find(&server->documents.at[i]->cells, uri);
        if (cell)
            return page_of(arena, server->documents.at[i], cell);
    }
    return (struct page){0};
}

static bool lies_in(const struct finding *finding, const struct page *page)
{
    const struct open_cells *cells = &page->document->cells;
    if (finding->suppressed || !str_eq(finding->file, page->document->path))
        return false;
    return !page->cell || (!cells->too_many && finding->cell > 0 && finding->cell <= cells->count &&
                           cells->at[finding->cell - 1] == page->cell);
}

const struct finding *finding_next(const struct server *server, const struct page *page, uint32_t *from)
{
    const struct report *report = server->findings.report;
    while (report && *from < report->finding_count) {
        const struct finding *finding = &report->findings[(*from)++];
        if (lies_in(finding, page))
            return finding;
    }
    return NULL;
}

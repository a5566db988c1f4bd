/* SPDX-License-Identifier: Apache-2.0 */
/* --source: what lint finds in the code that the traces are of, with what they show of it. */
#ifndef CLI_PAGE_SOURCE_H
#define CLI_PAGE_SOURCE_H

#include "cli/program/call.h"
#include "lint/lint.h"
#include "page/timeline.h"

struct page_source {
    bool asked;
    struct arena arena;
    struct lint lint;
    struct page_evidence *evidence; /* what the traces say as a whole */
};

/* Reads the source where it was asked for. page_source_close is due either way. */
bool page_source_open(const struct call *call, struct page_source *source, struct steptime_error *err);

/* The findings of one trace: those whose events it gives. One trace at a time. In the arena. */
struct page_found *page_source_join(struct page_source *source, const struct trace *trace, struct arena *arena,
                                    uint32_t *count);

/* Findings, rules and the evidence; the findings of the report in the order of what they save. */
void page_source_show(const struct page_source *source, struct report *report);

void page_source_close(struct page_source *source);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The timeline as a part of a page. */
#ifndef CLI_PAGE_TIMELINE_PART_H
#define CLI_PAGE_TIMELINE_PART_H

#include "page/timeline.h"
#include "report/report.h"

struct timeline_part {
    struct page_part part;
    struct page_counts counts;
    struct buf markup, data;
};

void timeline_part_open(const struct page_trace *const *traces, uint32_t count, struct timeline_part *part);
void timeline_part_close(struct timeline_part *part);

#endif

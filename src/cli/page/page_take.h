/* SPDX-License-Identifier: Apache-2.0 */
/* What the page needs of one trace, so that the trace can go. */
#ifndef CLI_PAGE_TAKE_H
#define CLI_PAGE_TAKE_H

#include "breakdown/kernels/kernels.h"
#include "breakdown/kernels/operators.h"
#include "breakdown/summary/summary.h"
#include "breakdown/verdict/curves.h"
#include "page/timeline.h"
#include "page_memory.h"
#include "page_source.h"

enum { PAGE_MOST_FINDINGS = 50 };

struct page_taken {
    struct summary summary;
    struct kernels kernels;
    struct operators operators;
    struct curves curves;
    struct page_memory memory;
    str name; /* of the trace */
    struct page_trace timeline;
};

/* `source` may be NULL; else one trace at a time. */
void page_take(const struct trace *trace, int64_t rank, const struct selection *selection, bool of_job,
               struct page_source *source, struct arena *arena, struct page_taken *taken);

#endif

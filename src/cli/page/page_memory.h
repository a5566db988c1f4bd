/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of the devices of a trace, where it was recorded with profile_memory. */
#ifndef CLI_PAGE_MEMORY_H
#define CLI_PAGE_MEMORY_H

#include "memory/show/show.h"
#include "trace/trace.h"

struct page_memory {
    struct memory_log log;
    struct memory_account *accounts; /* one a device */
    uint32_t count;                  /* 0: nothing was recorded */
};

/* In the arena, but for what page_memory_free releases. */
void page_memory_take(const struct trace *trace, struct arena *arena, struct page_memory *memory);
void page_memory_free(struct page_memory *memory);

/* What a trace is called: its file, and on a screen its rank. */
struct page_name {
    str path, rank;
};

/* Of several traces, by what they are called. Nothing where none tells allocations. */
void page_memory_show(const struct page_memory *const *traces, const struct page_name *names, uint32_t count,
                      struct report *report);

#endif

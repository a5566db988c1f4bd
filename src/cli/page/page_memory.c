/* SPDX-License-Identifier: Apache-2.0 */
#include "page_memory.h"

#include "memory/traced/traced.h"

void page_memory_take(const struct trace *trace, struct arena *arena, struct page_memory *memory)
{
    *memory = (struct page_memory){.count = 0};
    if (!traced_has(trace))
        return;
    memory->log = traced_log(trace, arena);
    memory->count = memory->log.devices;
    memory->accounts = arena_array(arena, memory->count, sizeof *memory->accounts);
    struct memory_common common = memory_common_new(&memory->log);
    for (uint32_t i = 0; i < memory->count; i++)
        memory_account_of(&common, (uint16_t)i, arena, &memory->accounts[i]);
    memory_common_free(&common);
}

void page_memory_free(struct page_memory *memory)
{
    if (memory->count)
        memory_log_free(&memory->log);
    memory->count = 0;
}

static bool says_something(const struct memory_account *account)
{
    return account->allocations || account->frees || account->peak > 0 || account->reserved_peak > 0;
}

void page_memory_show(const struct page_memory *const *traces, const struct page_name *names, uint32_t count,
                      struct report *report)
{
    uint32_t most = 0, told_count = 0;
    for (uint32_t i = 0; i < count; i++)
        most += traces[i]->count;
    struct memory_told *told = arena_array(report_arena(report), most, sizeof *told);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < traces[i]->count; k++)
            if (says_something(&traces[i]->accounts[k]))
                told[told_count++] = (struct memory_told){.input = count > 1 ? names[i].path : S(""),
                                                          .name = count > 1 ? names[i].rank : S(""),
                                                          .account = traces[i]->accounts[k]};
    if (!told_count)
        return;
    memory_show(told, told_count, report);
    section_below_head(report_section(report, "memory", "Memory"));
}

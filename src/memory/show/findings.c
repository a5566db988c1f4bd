/* SPDX-License-Identifier: Apache-2.0 */
#include "parts.h"

enum { MOST_FINDINGS = 3 }; /* of a kind; the tables have all */

const struct finding_words memory_words[] = {
    {"ME101", "grows-by-step", SEVERITY_WARNING, "a line leaves memory behind in each step",
     "What a line makes in a step and nobody frees fills the device in the end: tensors kept in lists, losses added up with their "
     "graph, caches without a bound.",
     "Keep numbers instead of tensors (`loss.item()` at the end of an epoch, `detach()` before adding up), empty the list each "
     "epoch, bound the cache. The table `memory_leaks` has all lines."},
    {"ME102", "fragmented", SEVERITY_WARNING, "a request failed although as much that it may use was free, in pieces",
     "The allocator had enough memory of the device that the request may use (of its stream, in segments of its size, in no CUDA graph's "
     "pool), but no piece that was large enough.",
     "Set `PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True`, or make sizes more alike (batches padded to a few lengths)."},
    {0},
};

static struct finding new_finding(str rule, uint32_t number, const struct memory_log *log, uint32_t context,
                                  struct arena *arena)
{
    const uint32_t frame = told_frame(log, context);
    const bool known = frame != MEMORY_NONE;
    return (struct finding){
        .id = str_printf(arena, "%.*s-%u", (int)rule.len, rule.at, number),
        .rule = rule,
        .severity = SEVERITY_WARNING,
        .tier = S("trace"),
        .file = known ? str_copy(arena, intern_text(log->names, log->frames[frame].file)) : S(""),
        .line = known && log->frames[frame].line > 0 ? log->frames[frame].line : 0,
        .per_step_host_blocked_ns = -1,
        .per_step_saving_ns = -1,
        .fix = S("none"),
    };
}

static void find_leaks(const struct memory_told *told, uint32_t *number, struct report *report)
{
    const struct memory_account *a = &told->account;
    struct arena *arena = report_arena(report);
    for (uint32_t i = 0, found = 0; i < a->leak_count && found < MOST_FINDINGS; i++) {
        const struct memory_leak *leak = &a->leaks[i];
        if (!leak->certain)
            continue;
        const str where = told_line(a->log, leak->context, false, arena);
        struct finding finding = new_finding(S("ME101"), ++*number, a->log, leak->context, arena);
        finding.message = str_printf(
            arena,
            "%.*s leaves %s behind in each step: in %lld of %lld steps, %lld piece%s that still live at the end of the last.",
            (int)where.len, where.at, told_bytes(arena, leak->bytes / leak->of).at, (long long)leak->steps,
            (long long)leak->of, (long long)leak->pieces, leak->pieces == 1 ? "" : "s");
        report_finding(report, &finding);
        found++;
    }
}

static void find_fragments(const struct memory_told *told, uint32_t *number, struct report *report)
{
    const struct memory_account *a = &told->account;
    struct arena *arena = report_arena(report);
    for (uint32_t i = 0, found = 0; i < a->out_count && found < MOST_FINDINGS; i++) {
        const struct memory_out *out = &a->outs[i];
        if (!out->layout.known || out->layout.usable < out->asked || out->layout.largest >= out->asked)
            continue;
        const str where = told_line(a->log, out->context, false, arena);
        struct finding finding = new_finding(S("ME102"), ++*number, a->log, out->context, arena);
        finding.message = str_printf(
            arena,
            "%.*s asked for %s and failed, although %s that it may use was free in %lld pieces, the largest of %s.",
            (int)where.len, where.at, told_bytes(arena, out->asked).at, told_bytes(arena, out->layout.usable).at,
            (long long)out->layout.pieces, told_bytes(arena, out->layout.largest).at);
        report_finding(report, &finding);
        found++;
    }
}

void memory_find(const struct memory_told *told, uint32_t numbers[2], struct report *report)
{
    find_leaks(told, &numbers[0], report);
    find_fragments(told, &numbers[1], report);
}

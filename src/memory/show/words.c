/* SPDX-License-Identifier: Apache-2.0 */
#include "parts.h"

#include "report/measure.h"

str told_device(const struct memory_told *told, struct arena *arena)
{
    const int64_t id = told->account.device;
    return id < 0 ? S("host") : str_printf(arena, "GPU %lld", (long long)id);
}

str told_bytes(struct arena *arena, int64_t bytes)
{
    return measure_whole_text(arena, UNIT_BYTES, (double)bytes, true);
}

uint32_t told_frame(const struct memory_log *log, uint32_t context)
{
    const struct memory_context *of = &log->contexts[context];
    return of->user != MEMORY_NONE ? of->user : of->inner;
}

str told_line(const struct memory_log *log, uint32_t context, bool before, struct arena *arena)
{
    const struct memory_context *of = &log->contexts[context];
    const uint32_t frame = told_frame(log, context);
    const str words = memory_frame_words(log, frame, arena);
    if (frame != MEMORY_NONE)
        return of->of_forward ? str_printf(arena, "backward of %.*s", (int)words.len, words.at) : words;
    if (of->node)
        return str_copy(arena, intern_text(log->names, of->node));
    if (before)
        return S("(before the history)");
    return of->recorded ? S("(no Python frame)") : S("(no frames recorded)");
}

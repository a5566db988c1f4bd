/* SPDX-License-Identifier: Apache-2.0 */
#include "compilation.h"

/* ---- counting ---- */

enum count { NOTHING, FUNCTION, GRAPH, FIRST, AGAIN };

/* "entire_frame_compile_data: fn_name=..., compile_id=0/1": the frame, and how often it had been compiled before. */
static enum count count_of_id(str name)
{
    static const str key = {"compile_id=", 11};
    if (!str_starts(name, S("entire_frame_compile_data:")) || !str_has(name, key))
        return NOTHING;
    const char *const at = memmem(name.at, name.len, key.at, key.len);
    str id = str_from(name, (size_t)(at - name.at) + key.len), frame, number;
    int64_t before;
    if (!str_cut(&id, '/', &frame))
        return NOTHING;
    const bool cut = str_cut(&id, ',', &number);
    return cut && str_int(str_trim(number), &before) ? before > 0 ? AGAIN : FIRST : NOTHING;
}

static enum count count_of(str name)
{
    if (str_eq(name, S("_compile.compile_inner (dynamo_timed)")))
        return FUNCTION;
    if (str_eq(name, S("compile_fx_inner (dynamo_timed)")) || str_eq(name, S("compile_fx_inner")))
        return GRAPH;
    return count_of_id(name);
}

/* By text id. NULL where no name counts, as in most traces. */
static const uint8_t *counting_names(const struct trace *trace, struct arena *arena)
{
    const uint32_t texts = trace_text_count(trace);
    uint8_t *counts = arena_array(arena, texts, sizeof *counts);
    bool any = false;
    for (uint32_t id = 0; id < texts; id++)
        any |= (counts[id] = (uint8_t)count_of(trace_text(trace, id))) != NOTHING;
    return any ? counts : NULL;
}

struct compilations compilations_of(const struct trace *trace, int64_t start_ns, int64_t end_ns)
{
    struct compilations sums = {0};
    struct arena scratch = {0};
    const uint8_t *counts = counting_names(trace, &scratch);
    for (uint32_t row = 0; counts && row < trace->count; row++) {
        const bool counted =
            trace->kind[row] <= EVENT_ANNOTATION && trace->start_ns[row] >= start_ns && trace->start_ns[row] < end_ns;
        const enum count count = counted ? counts[trace->name[row]] : NOTHING;
        sums.functions += count == FUNCTION;
        sums.graphs += count == GRAPH;
        sums.again += count == AGAIN;
        sums.numbered |= count == FIRST || count == AGAIN;
    }
    arena_free(&scratch);
    return sums;
}

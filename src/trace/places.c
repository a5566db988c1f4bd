/* SPDX-License-Identifier: Apache-2.0 */
#include "places.h"

/* Starts that lie further apart are of clocks that do not tell the time of day. */
static const int64_t furthest_ns = INT64_C(86400000000000);

void trace_offsets(const struct trace_start *starts, uint32_t count, int64_t *offsets_ns)
{
    int64_t first = INT64_MAX, last = INT64_MIN;
    bool dated = true;
    for (uint32_t i = 0; i < count; i++) {
        dated &= starts[i].dated;
        first = starts[i].epoch_ns < first ? starts[i].epoch_ns : first;
        last = starts[i].epoch_ns > last ? starts[i].epoch_ns : last;
    }
    const bool shared = dated && count > 1 && (uint64_t)last - (uint64_t)first <= (uint64_t)furthest_ns;
    for (uint32_t i = 0; i < count; i++)
        offsets_ns[i] = shared ? starts[i].epoch_ns - first : 0;
}

str trace_lane_name(const struct trace *trace, const struct lane *lane, struct arena *arena)
{
    const str name = trace_text(trace, lane->name), text = trace_text(trace, lane->id_text);
    const str number = str_printf(arena, "%lld", (long long)lane->id);
    if (text.len && !name.len)
        return text;
    if (name.len && (lane->device || text.len || str_has(name, number)))
        return name;
    return str_printf(arena, "%s %s%s%.*s", lane->device ? "stream" : "thread", number.at, name.len ? " " : "",
                      (int)name.len, name.at ? name.at : "");
}

str trace_process_name(const struct trace *trace, const struct lane *lane, struct arena *arena)
{
    const str name = trace_text(trace, lane->process_name), text = trace_text(trace, lane->process_text);
    if (text.len)
        return text;
    return str_printf(arena, "%.*s%s%s %lld", (int)name.len, name.at ? name.at : "", name.len ? ", " : "",
                      lane->device ? "device" : "process", (long long)lane->process);
}

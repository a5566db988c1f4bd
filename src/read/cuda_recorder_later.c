/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the CUDA recorder's file says in pieces. Buffers come in any order, so the pieces are joined when all were read.
 */
#include <inttypes.h>
#include <stdarg.h>

#include "cuda_recorder.h"

#include "base/format.h"

static uint32_t intern_printf(struct cuda_recorder *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static uint32_t intern_printf(struct cuda_recorder *r, const char *format, ...)
{
    char text[2 * CUDAFILE_TEXT_MOST + 64];
    va_list values;
    va_start(values, format);
    const int len = format_text_v(text, sizeof text, format, values);
    va_end(values);
    const size_t most = sizeof text - 1;
    return intern_id(r->names, (str){text, len < 0 ? 0 : (size_t)len < most ? (size_t)len : most});
}

/* ---- calls, and the Python lines that made them ---- */

static uint32_t place_text(struct cuda_recorder *r, const struct cuda_frame *frame)
{
    const struct cuda_code *const code = frame->code < r->codes.count ? &r->codes.at[frame->code] : NULL;
    return code && code->file ? intern_printf(r, "%s:%u", intern_text(r->names, code->file).at, frame->line) : 0;
}

static uint32_t function_text(struct cuda_recorder *r, const struct cuda_frame *frame)
{
    const struct cuda_code *const code = frame->code < r->codes.count ? &r->codes.at[frame->code] : NULL;
    if (!code || !code->file)
        return intern_id(r->names, S("<a function whose name was lost>"));
    return intern_printf(r, "%s(%u): %s", intern_text(r->names, code->file).at, code->line,
                         intern_text(r->names, code->name).at);
}

static void add_frame(struct cuda_recorder *r, const struct cuda_call *call, uint32_t name,
                      const struct cuda_frame *from)
{
    struct event event = {.start_ns = call->start_ns,
                          .dur_ns = call->dur_ns,
                          .name = name,
                          .lane = cuda_recorder_thread(r, call->thread),
                          .kind = EVENT_PYTHON};
    const uint32_t place = from ? place_text(r, from) : 0;
    if (place)
        event_set(&event, ATTR_CALL_FROM, place);
    cuda_recorder_add(r, &event);
}

/*
 * Frames are known for the time of the call alone. Each becomes a row, the outermost first, and the call a builtin within
 * them: a row says at which line of the one around it it was called, so the builtin tells the line of the call.
 */
static void add_stack(struct cuda_recorder *r, const struct cuda_call *call, const struct cuda_line *line)
{
    const struct cuda_frame *const frames = r->frames.at + line->first;
    for (uint32_t i = line->frames; i-- > 0;)
        add_frame(r, call, function_text(r, &frames[i]), i + 1 < line->frames ? &frames[i + 1] : NULL);
    add_frame(r, call, intern_printf(r, "<built-in function %s>", intern_text(r->names, call->name).at), &frames[0]);
}

static void add_call(struct cuda_recorder *r, const struct cuda_call *call, const struct map *line_of)
{
    struct event event = {.start_ns = call->start_ns,
                          .dur_ns = call->dur_ns,
                          .name = call->name,
                          .lane = cuda_recorder_thread(r, call->thread),
                          .kind = EVENT_RUNTIME};
    event_set(&event, ATTR_CORRELATION, call->correlation);
    cuda_recorder_add(r, &event);
    const uint32_t line = map_get(line_of, call->correlation);
    if (line != MAP_NONE)
        add_stack(r, call, &r->lines.at[line]);
}

/* A call of the driver within one of the runtime has its id: it is the same call, told once. */
static void add_calls(struct cuda_recorder *r)
{
    struct map line_of = {0}, runtime = {0};
    for (size_t i = 0; i < r->lines.count; i++)
        map_put(&line_of, r->lines.at[i].correlation, (uint32_t)i);
    for (size_t i = 0; i < r->calls.count; i++)
        if (r->calls.at[i].is_runtime)
            map_put(&runtime, r->calls.at[i].correlation, 0);
    for (size_t i = 0; i < r->calls.count; i++)
        if (r->calls.at[i].is_runtime || map_get(&runtime, r->calls.at[i].correlation) == MAP_NONE)
            add_call(r, &r->calls.at[i], &line_of);
    map_free(&line_of);
    map_free(&runtime);
}

/* ---- waits ---- */

static str sync_name(uint32_t type)
{
    static const char *const names[] = {"Unknown", "Event Sync", "Stream Wait Event", "Stream Sync", "Context Sync"};
    return str_of(names[type < sizeof names / sizeof *names ? type : 0]);
}

static void add_sync(struct cuda_recorder *r, const struct cuda_sync *sync)
{
    const uint32_t device = map_get(&r->device_of, sync->context), name = intern_id(r->names, sync_name(sync->type));
    const struct lane lane = {.device = true,
                              .process = device == MAP_NONE ? 0 : device,
                              .id = sync->stream == UINT32_MAX ? -1 : (int64_t)sync->stream};
    struct event event = {.start_ns = sync->start_ns,
                          .dur_ns = sync->dur_ns,
                          .name = name,
                          .lane = trace_lane(r->trace, lane),
                          .kind = EVENT_SYNC};
    event_set(&event, ATTR_SYNC_KIND, name);
    event_set(&event, ATTR_CORRELATION, sync->correlation);
    cuda_recorder_add(r, &event);
}

/* ---- ranges of NVTX ---- */

enum { MARK_POINT = 1, MARK_START = 2, MARK_END = 4 };

static void add_range(struct cuda_recorder *r, const struct cuda_mark *mark, int64_t end_ns)
{
    struct event event = {.start_ns = mark->time_ns,
                          .name = mark->name,
                          .lane = cuda_recorder_thread(r, mark->thread),
                          .kind = mark->flags & MARK_POINT ? EVENT_INSTANT : EVENT_ANNOTATION};
    if (__builtin_sub_overflow(end_ns, mark->time_ns, &event.dur_ns) || event.dur_ns < 0)
        event.dur_ns = 0;
    cuda_recorder_add(r, &event);
}

/* Where a range has no end it was open when recording ended. */
static void add_ranges(struct cuda_recorder *r)
{
    struct map end_of = {0};
    const int64_t latest_ns = r->latest_ns;
    uint64_t open = 0;
    for (size_t i = 0; i < r->marks.count; i++)
        if (r->marks.at[i].flags & MARK_END)
            map_put(&end_of, r->marks.at[i].id, (uint32_t)i);
    for (size_t i = 0; i < r->marks.count; i++) {
        const struct cuda_mark *const mark = &r->marks.at[i];
        if (mark->flags & MARK_POINT)
            add_range(r, mark, mark->time_ns);
        if (!(mark->flags & MARK_START))
            continue;
        const uint32_t end = map_get(&end_of, mark->id);
        open += end == MAP_NONE;
        add_range(r, mark, end == MAP_NONE ? latest_ns : r->marks.at[end].time_ns);
    }
    if (open)
        trace_note(r->trace, NOTE_REMARK, -1, "%" PRIu64 " NVTX ranges were open where recording ended", open);
    map_free(&end_of);
}

/* ---- what is missing ---- */

static void note_count(struct cuda_recorder *r, enum cudafile_loss loss, const char *what)
{
    if (r->losses[loss])
        trace_note(r->trace, NOTE_REMARK, -1, "%" PRIu64 " %s", r->losses[loss], what);
}

/* Records that are missing are events left out, so the line of trust counts them. */
static void note_lost(struct cuda_recorder *r, enum cudafile_loss loss, const char *what)
{
    if (!r->losses[loss])
        return;
    trace_note(r->trace, NOTE_DROPPED, -1, "%" PRIu64 " %s", r->losses[loss], what);
    const uint64_t room = (uint64_t)INT64_MAX - r->trace->dropped, more = r->losses[loss] - 1;
    r->trace->dropped += more < room ? more : room;
}

static void note_lineless(struct cuda_recorder *r)
{
    const uint64_t count = r->losses[CUDAFILE_UNLOCKED];
    if (count && r->lines_off.len)
        trace_note(r->trace, NOTE_REMARK, -1,
                   "%" PRIu64
                   " copies and waits have no line of code: their thread did not hold Python's lock, and its "
                   "frames could not be read without: %.*s",
                   count, (int)r->lines_off.len, r->lines_off.at);
    else
        note_count(r, CUDAFILE_UNLOCKED,
                   "copies and waits have no line of code: their thread did not hold Python's lock");
}

static void note_calls(struct cuda_recorder *r)
{
    if (r->which_calls.len && !str_eq(r->which_calls, S("all")))
        trace_note(r->trace, NOTE_REMARK, -1, "calls that were recorded: %.*s", (int)r->which_calls.len,
                   r->which_calls.at);
}

static void note_losses(struct cuda_recorder *r)
{
    struct trace *const trace = r->trace;
    note_lost(r, CUDAFILE_DROPPED, "records were dropped by CUPTI: there was no room for them");
    note_lost(r, CUDAFILE_UNWRITTEN, "records could not be written");
    note_lost(r, CUDAFILE_UNKNOWN, "records are of a kind that the recorder does not know");
    note_count(r, CUDAFILE_ODD_SIZES, "records have another size than is known for this version of CUPTI");
    note_count(r, CUDAFILE_NAMELESS, "records have no name: the recorder had no room for more texts");
    note_lineless(r);
    note_count(r, CUDAFILE_FRAMELESS,
               "copies and waits have no line of code: their thread ran no Python (PyTorch's backward pass has one)");
    note_count(r, CUDAFILE_OF_LIBRARY, "NVTX ranges and ends of CUDA's own C++ library (CCCL) are left out");
    note_count(r, CUDAFILE_LINES_LOST, "lines of code were lost: there was no room for them");
    note_calls(r);
    if (r->unfilled)
        trace_note(trace, NOTE_REMARK, -1, "%" PRIu64 " pieces of device work were under way where recording ended",
                   r->unfilled);
    if (r->unknown_rows)
        trace_note(trace, NOTE_REMARK, -1, "%" PRIu64 " rows are of a later version of the recorder", r->unknown_rows);
    if (!r->is_ended) {
        trace->info.cut = true;
        trace_note(
            trace, NOTE_REMARK, -1,
            "the recorder did not come to its end (a kill, _exit, a full disk): what CUPTI still held is missing");
    }
}

static void keep_devices(struct cuda_recorder *r)
{
    struct trace_info *const info = &r->trace->info;
    info->device_count = (uint32_t)r->devices.count;
    info->devices = arena_array(trace_arena(r->trace), r->devices.count, sizeof *info->devices);
    for (size_t i = 0; i < r->devices.count; i++)
        info->devices[i] = r->devices.at[i];
}

void cuda_recorder_later(struct cuda_recorder *r)
{
    add_calls(r);
    for (size_t i = 0; i < r->syncs.count; i++)
        add_sync(r, &r->syncs.at[i]);
    add_ranges(r);
    keep_devices(r);
    note_losses(r);
}

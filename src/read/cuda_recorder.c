/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda_recorder.h"

#include <inttypes.h>

#include "base/format.h"
#include "base/error.h"
#include "base/mem.h"

#define LONGEST_NS (7 * 24 * 3600 * (int64_t)1000000000)

/* ---- events ---- */

void cuda_recorder_add(struct cuda_recorder *r, struct event *event)
{
    if (event->start_ns <= -EVENT_TIME_LIMIT || event->start_ns >= EVENT_TIME_LIMIT || event->dur_ns < 0 ||
        event->dur_ns > LONGEST_NS) {
        trace_note(r->trace, NOTE_DROPPED, r->offset, "event dropped: its time is out of range");
        return;
    }
    const int64_t end_ns = event->start_ns + event->dur_ns;
    r->latest_ns = end_ns > r->latest_ns ? end_ns : r->latest_ns;
    trace_add(r->trace, event);
}

uint32_t cuda_recorder_thread(struct cuda_recorder *r, uint32_t thread)
{
    return trace_lane(r->trace, (struct lane){.process = r->process, .id = thread});
}

static uint32_t text(const struct cuda_recorder *r, uint32_t id)
{
    return id < r->text_room ? r->texts[id] : 0;
}

static uint32_t read_text(const struct cuda_recorder *r, struct cudafile_fields *f)
{
    return text(r, cudafile_small(f));
}

/* Differences may be anything: sums wrap around, and cuda_recorder_add judges what comes of it. */
static int64_t read_time(struct cuda_recorder *r, struct cudafile_fields *f)
{
    r->last_ns = (int64_t)((uint64_t)r->last_ns + (uint64_t)cudafile_unzigzag(cudafile_number(f)));
    return r->last_ns;
}

static void read_span(struct cuda_recorder *r, struct cudafile_fields *f, int64_t *start_ns, int64_t *dur_ns)
{
    *start_ns = read_time(r, f);
    const uint64_t dur = cudafile_number(f);
    *dur_ns = dur > (uint64_t)INT64_MAX ? -1 : (int64_t)dur;
}

static uint32_t read_correlation(struct cuda_recorder *r, struct cudafile_fields *f)
{
    r->last_correlation = (int64_t)((uint64_t)r->last_correlation + (uint64_t)cudafile_unzigzag(cudafile_number(f)));
    return (uint32_t)r->last_correlation;
}

#define PUSH(list, entry) \
    ((list).at = mem_grow((list).at, &(list).room, (list).count + 1, sizeof *(list).at), \
     (list).at[(list).count++] = (entry))

/* ---- rows that tell of others ---- */

static void take_text(struct cuda_recorder *r, struct cudafile_fields *f)
{
    const uint32_t id = cudafile_small(f);
    if (f->is_short || id >= CUDAFILE_TEXTS_MOST)
        return;
    const size_t before = r->text_room;
    if (id >= before) {
        r->texts = mem_grow(r->texts, &r->text_room, (size_t)id + 1, sizeof *r->texts);
        memset(r->texts + before, 0, (r->text_room - before) * sizeof *r->texts);
    }
    r->texts[id] = intern_id(r->names, cudafile_rest(f));
}

static void take_info(struct cuda_recorder *r, struct cudafile_fields *f)
{
    struct trace_info *const info = &r->trace->info;
    const uint32_t key = cudafile_small(f);
    const str value = cudafile_rest(f);
    if (key == CUDAFILE_PROCESS)
        str_int(value, &r->process);
    else if (key == CUDAFILE_RANK)
        str_int(value, &info->rank);
    else if (key == CUDAFILE_WORLD)
        str_int(value, &info->world_size);
    else if (key == CUDAFILE_HOST)
        info->host = str_copy(trace_arena(r->trace), value);
    else if (key == CUDAFILE_CUPTI_VERSION)
        info->runtime = str_printf(trace_arena(r->trace), "CUPTI %.*s", (int)value.len, value.at);
    else if (key == CUDAFILE_LINES_OFF)
        r->lines_off = str_copy(trace_arena(r->trace), value);
    else if (key == CUDAFILE_CALLS)
        r->which_calls = str_copy(trace_arena(r->trace), value);
}

/* The first says by how much the recorder's clock is off the calendar. */
static void take_clock(struct cuda_recorder *r, struct cudafile_fields *f)
{
    const uint64_t ours = cudafile_number(f), calendar = cudafile_number(f);
    const bool usable = !f->is_short && ours < (uint64_t)EVENT_TIME_LIMIT && calendar < (uint64_t)EVENT_TIME_LIMIT;
    if (!r->has_clock && usable)
        r->trace->info.base_ns = (int64_t)calendar - (int64_t)ours;
    r->has_clock |= usable;
}

static void take_device(struct cuda_recorder *r, struct cudafile_fields *f)
{
    enum { MOST_DEVICES = 1024 };
    struct device_info device = {.id = cudafile_small(f)};
    device.name = str_copy(trace_arena(r->trace), intern_text(r->names, read_text(r, f)));
    const uint64_t memory = cudafile_number(f);
    device.memory_bytes = memory <= INT64_MAX ? (int64_t)memory : -1;
    device.sms = cudafile_small(f);
    device.major = cudafile_small(f);
    device.minor = cudafile_small(f);
    for (size_t i = 0; i < r->devices.count; i++)
        if (r->devices.at[i].id == device.id)
            return;
    if (!f->is_short && r->devices.count < MOST_DEVICES)
        PUSH(r->devices, device);
}

static void take_code(struct cuda_recorder *r, struct cudafile_fields *f)
{
    const uint32_t id = cudafile_small(f);
    const uint32_t file = read_text(r, f), name = read_text(r, f);
    const struct cuda_code code = {file, name, cudafile_small(f)};
    if (f->is_short || id >= CUDAFILE_CODES_MOST)
        return;
    while (r->codes.count <= id)
        PUSH(r->codes, (struct cuda_code){0});
    r->codes.at[id] = code;
}

static void take_loss(struct cuda_recorder *r, struct cudafile_fields *f)
{
    uint64_t losses[CUDAFILE_LOSSES] = {0};
    int count = 0;
    while (count < CUDAFILE_LOSSES && (count < CUDAFILE_LOSSES_FIRST || f->at < f->end))
        losses[count++] = cudafile_number(f);
    if (!f->is_short)
        memcpy(r->losses, losses, sizeof losses);
}

/* ---- rows that are kept for the end ---- */

static void take_call(struct cuda_recorder *r, struct cudafile_fields *f)
{
    struct cuda_call call = {.is_runtime = cudafile_number(f) == 1};
    call.name = read_text(r, f);
    call.thread = cudafile_small(f);
    call.correlation = read_correlation(r, f);
    read_span(r, f, &call.start_ns, &call.dur_ns);
    if (!f->is_short)
        PUSH(r->calls, call);
}

static void take_sync(struct cuda_recorder *r, struct cudafile_fields *f)
{
    struct cuda_sync sync = {.correlation = read_correlation(r, f)};
    read_span(r, f, &sync.start_ns, &sync.dur_ns);
    sync.type = cudafile_small(f);
    sync.context = cudafile_small(f);
    sync.stream = cudafile_small(f);
    if (!f->is_short)
        PUSH(r->syncs, sync);
}

static void take_mark(struct cuda_recorder *r, struct cudafile_fields *f)
{
    struct cuda_mark mark = {.time_ns = read_time(r, f)};
    mark.id = cudafile_small(f);
    mark.flags = cudafile_small(f);
    mark.thread = cudafile_small(f);
    mark.name = read_text(r, f);
    if (!f->is_short)
        PUSH(r->marks, mark);
}

static void take_line(struct cuda_recorder *r, struct cudafile_fields *f)
{
    struct cuda_line line = {.correlation = read_correlation(r, f), .first = r->frames.count};
    cudafile_number(f); /* the thread: that of the call */
    cudafile_number(f); /* the depth */
    while (f->at < f->end && !f->is_short && line.frames < CUDAFILE_FRAMES_MOST) {
        const uint32_t code = cudafile_small(f), at = cudafile_small(f);
        PUSH(r->frames, ((struct cuda_frame){code, at}));
        line.frames++;
    }
    if (!f->is_short && line.frames)
        PUSH(r->lines, line);
}

/* ---- device work ---- */

/* Place and time. False: CUPTI never filled in its times, as it was under way when recording ended. */
static bool begin_work(struct cuda_recorder *r, struct cudafile_fields *f, enum event_kind kind, struct event *event)
{
    const uint32_t device = cudafile_small(f), context = cudafile_small(f), stream = cudafile_small(f);
    *event = (struct event){.kind = kind};
    event_set(event, ATTR_CORRELATION, read_correlation(r, f));
    read_span(r, f, &event->start_ns, &event->dur_ns);
    if (f->is_short)
        return false;
    map_put(&r->device_of, context, device);
    event->lane = trace_lane(r->trace, (struct lane){.device = true, .process = device, .id = stream});
    if (event->start_ns)
        return true;
    r->unfilled++;
    return false;
}

static uint32_t three(struct cuda_recorder *r, struct cudafile_fields *f)
{
    char text[48];
    const uint32_t x = cudafile_small(f), y = cudafile_small(f), z = cudafile_small(f);
    const int len = format_text(text, sizeof text, "[%u, %u, %u]", x, y, z);
    return intern_id(r->names, (str){text, (size_t)len});
}

static void take_kernel(struct cuda_recorder *r, struct cudafile_fields *f)
{
    struct event event;
    if (!begin_work(r, f, EVENT_KERNEL, &event))
        return;
    event.name = read_text(r, f);
    event_set(&event, ATTR_GRID, three(r, f));
    event_set(&event, ATTR_BLOCK, three(r, f));
    event_set(&event, ATTR_REGISTERS, cudafile_small(f));
    const int64_t fixed = cudafile_small(f);
    event_set(&event, ATTR_SHARED_MEMORY, fixed + cudafile_small(f));
    if (!f->is_short)
        cuda_recorder_add(r, &event);
}

static const char *memory_name(uint32_t kind)
{
    static const char *const names[] = {"Unknown", "Pageable", "Pinned",        "Device",
                                        "Array",   "Managed",  "Device Static", "Managed Static"};
    return names[kind < sizeof names / sizeof *names ? kind : 0];
}

static const char *copy_name(uint32_t kind)
{
    static const char *const names[] = {"Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                        "AtoD",    "DtoA", "DtoD", "HtoH", "PtoP"};
    return names[kind < sizeof names / sizeof *names ? kind : 0];
}

static void set_bytes(struct event *event, uint64_t bytes)
{
    if (bytes <= (uint64_t)TRACE_MOST_SUM_NS)
        event_set(event, ATTR_BYTES, (int64_t)bytes);
}

static void take_copy(struct cuda_recorder *r, struct cudafile_fields *f)
{
    struct event event;
    char name[80];
    if (!begin_work(r, f, EVENT_COPY, &event))
        return;
    set_bytes(&event, cudafile_number(f));
    const uint32_t kind = cudafile_small(f), from = cudafile_small(f), to = cudafile_small(f);
    const int len =
        format_text(name, sizeof name, "Memcpy %s (%s -> %s)", copy_name(kind), memory_name(from), memory_name(to));
    event.name = intern_id(r->names, (str){name, (size_t)len});
    if (!f->is_short)
        cuda_recorder_add(r, &event);
}

static void take_memset(struct cuda_recorder *r, struct cudafile_fields *f)
{
    struct event event;
    char name[40];
    if (!begin_work(r, f, EVENT_MEMSET, &event))
        return;
    set_bytes(&event, cudafile_number(f));
    cudafile_number(f); /* the value */
    const int len = format_text(name, sizeof name, "Memset (%s)", memory_name(cudafile_small(f)));
    event.name = intern_id(r->names, (str){name, (size_t)len});
    if (!f->is_short)
        cuda_recorder_add(r, &event);
}

static void take_overhead(struct cuda_recorder *r, struct cudafile_fields *f)
{
    static const char *const names[] = {"Overhead",
                                        "Buffer Flush",
                                        "Instrumentation",
                                        "Resource",
                                        "Runtime Triggered Module Loading",
                                        "Lazy Function Loading",
                                        "Command Buffer Full",
                                        "Activity Buffer Request",
                                        "UVM Activity Init"};
    struct event event = {.kind = EVENT_OVERHEAD};
    read_span(r, f, &event.start_ns, &event.dur_ns);
    const uint32_t kind = cudafile_small(f) >> 16;
    event.name = intern_id(r->names, str_of(names[kind < sizeof names / sizeof *names ? kind : 0]));
    event.lane = cuda_recorder_thread(r, cudafile_small(f));
    if (!f->is_short)
        cuda_recorder_add(r, &event);
}

/* ---- rows ---- */

typedef void (*take)(struct cuda_recorder *r, struct cudafile_fields *f);

static const take takes[CUDAFILE_KINDS] = {
    [CUDAFILE_TEXT] = take_text,     [CUDAFILE_INFO] = take_info,         [CUDAFILE_CLOCK] = take_clock,
    [CUDAFILE_DEVICE] = take_device, [CUDAFILE_CALL] = take_call,         [CUDAFILE_KERNEL] = take_kernel,
    [CUDAFILE_COPY] = take_copy,     [CUDAFILE_MEMSET] = take_memset,     [CUDAFILE_SYNC] = take_sync,
    [CUDAFILE_MARK] = take_mark,     [CUDAFILE_OVERHEAD] = take_overhead, [CUDAFILE_CODE] = take_code,
    [CUDAFILE_LINE] = take_line,     [CUDAFILE_LOSS] = take_loss,
};

static void take_row(struct cuda_recorder *r, struct cudafile_fields *f)
{
    r->is_ended |= f->kind == CUDAFILE_END;
    if (f->kind == CUDAFILE_END)
        return;
    if (f->kind >= CUDAFILE_KINDS || !takes[f->kind]) {
        r->unknown_rows++;
        return;
    }
    takes[f->kind](r, f);
    if (f->is_short)
        trace_note(r->trace, NOTE_DROPPED, r->offset, "a row of kind %d is too short", f->kind);
}

static void take_rows(struct cuda_recorder *r, str payload, bool is_whole)
{
    struct cudafile_fields row;
    r->last_ns = r->last_correlation = 0;
    while (cudafile_next(&payload, &row))
        take_row(r, &row);
    if (payload.len && is_whole)
        trace_note(r->trace, NOTE_REMARK, r->offset, "%zu bytes of a section are no rows", payload.len);
}

/* ---- sections ---- */

static size_t read_whole(struct source *source, unsigned char *into, size_t bytes)
{
    size_t have = 0, got;
    while (have < bytes && (got = source_read(source, into + have, bytes - have)) > 0)
        have += got;
    return have;
}

/* False: the file ends, or what follows is no section. */
static bool take_section(struct cuda_recorder *r, struct source *source, unsigned char *payload)
{
    unsigned char bytes[CUDAFILE_SECTION];
    struct cudafile_head head;
    r->offset = source_offset(source);
    const size_t got = read_whole(source, bytes, sizeof bytes);
    if (got < sizeof bytes)
        return false;
    if (!cudafile_head(bytes, &head)) {
        trace_note(r->trace, NOTE_DROPPED, r->offset, "the file is damaged: what follows byte %" PRId64 " is not read",
                   r->offset);
        return false;
    }
    const size_t have = read_whole(source, payload, head.bytes);
    const bool is_whole = have == head.bytes;
    if (is_whole && cudafile_check(payload, have) != head.check) {
        trace_note(r->trace, NOTE_DROPPED, r->offset, "a section of %u rows is damaged and left out", head.rows);
        return true;
    }
    take_rows(r, (str){(const char *)payload, have}, is_whole);
    return is_whole;
}

static void close_lists(struct cuda_recorder *r)
{
    mem_free(r->texts);
    mem_free(r->codes.at);
    mem_free(r->calls.at);
    mem_free(r->syncs.at);
    mem_free(r->marks.at);
    mem_free(r->lines.at);
    mem_free(r->frames.at);
    mem_free(r->devices.at);
    map_free(&r->device_of);
}

bool sniff_cuda_recorder(str head)
{
    return str_starts(head, S(CUDAFILE_MAGIC));
}

bool cuda_recorder_read(struct source *source, _Atomic int64_t *progress, struct trace *trace,
                        struct steptime_error *err)
{
    unsigned char header[CUDAFILE_HEADER];
    if (read_whole(source, header, sizeof header) < sizeof header)
        return fail(err, STEPTIME_INPUT, "the file ends in its first bytes");
    if (header[CUDAFILE_MAGIC_BYTES] != CUDAFILE_VERSION)
        return fail(err, STEPTIME_INPUT, "is of version %d of the CUDA recorder's format; known here is %d",
                    header[CUDAFILE_MAGIC_BYTES], CUDAFILE_VERSION);
    struct cuda_recorder r = {.trace = trace, .names = trace_names(trace)};
    unsigned char *const payload = mem_alloc(CUDAFILE_PAYLOAD_MOST);
    while (take_section(&r, source, payload))
        if (progress)
            *progress = source_packed_bytes(source);
    mem_free(payload);
    cuda_recorder_later(&r);
    close_lists(&r);
    return true;
}

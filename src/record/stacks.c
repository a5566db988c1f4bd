/* SPDX-License-Identifier: Apache-2.0 */
#include "stacks.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/format.h"
#include "base/mem.h"
#include "frame_cost.h"
#include "io/pack.h"
#include "io/source.h"
#include "io/writer.h"
#include "pairs.h"
#include "read/read.h"
#include "text/json_writer.h"
#include "trace/undisturbed.h"

enum { HEAD = 1 << 20, PIECE = 64 << 10 };

/* One join at work. */
struct joining {
    const struct trace *times, *stacks;
    struct packer *out;
    struct stacks_joined *joined;
};

/* A thread of the slow clock: without waits for a processor and what stacks cost, and where that lies on the true one. */
struct slow {
    struct warp own, warp;
};

static int64_t true_time(const struct slow *slow, int64_t time_ns)
{
    return warp_time(&slow->warp, warp_time(&slow->own, time_ns));
}

/* ---- a frame as an event ---- */

/* Microseconds with three decimals, as the profiler writes them. */
static void write_time(struct json_writer *json, str key, int64_t ns)
{
    char text[48];
    const int len = format_text(text, sizeof text, "%lld.%03lld", (long long)(ns / 1000), (long long)(ns % 1000));
    json_write_key(json, key);
    json_write_raw(json, (str){text, (size_t)len});
}

static void write_place(struct json_writer *json, const struct lane *lane)
{
    json_write_key(json, S("pid"));
    json_write_int(json, lane->process);
    json_write_key(json, S("tid"));
    json_write_int(json, lane->id);
}

static void write_call(struct json_writer *json, const struct trace *stacks, uint32_t row)
{
    const str from = trace_attr_text(stacks, row, ATTR_CALL_FROM);
    json_write_key(json, S("args"));
    json_write_object(json, JSON_FLAT);
    if (from.len)
        json_write_member(json, S("CallFrom"), from);
    json_write_end(json);
}

static void write_frame(struct joining *joining, const struct slow *slow, uint32_t row)
{
    const struct trace *const stacks = joining->stacks;
    const int64_t start = true_time(slow, stacks->start_ns[row]);
    const int64_t end = true_time(slow, trace_end_ns(stacks, row));
    struct writer *const text = writer_to_memory();
    struct json_writer json = json_write_begin(text);
    json_write_object(&json, JSON_FLAT);
    json_write_member(&json, S("ph"), S("X"));
    json_write_member(&json, S("cat"), S("python_function"));
    json_write_member(&json, S("name"), trace_name(stacks, row));
    write_place(&json, &stacks->lanes[stacks->lane[row]]);
    write_time(&json, S("ts"), joining->times->origin_ns + start);
    write_time(&json, S("dur"), end - start);
    write_call(&json, stacks, row);
    json_write_end(&json);
    json_write_finish(&json);
    pack_put(joining->out, str_trim(writer_text(text)));
    pack_put(joining->out, S(",\n"));
    writer_abandon(text);
    joining->joined->frames++;
}

/* ---- a thread ---- */

static uint32_t same_lane(const struct trace *trace, const struct lane *wanted)
{
    for (uint32_t i = 0; i < trace->lane_count; i++) {
        const struct lane *const lane = &trace->lanes[i];
        if (!lane->device && lane->process_text == 0 && lane->id_text == 0 && lane->process == wanted->process &&
            lane->id == wanted->id)
            return i;
    }
    return LANE_NONE;
}

/* Before the start of the true trace there is nothing that a frame could be of. */
static void write_frames(struct joining *joining, uint32_t lane, const struct slow *slow)
{
    const struct rows frames = trace_rows(joining->stacks, lane, NEST_PYTHON);
    for (uint32_t i = 0; i < frames.count; i++)
        if (joining->times->origin_ns + true_time(slow, joining->stacks->start_ns[frames.at[i]]) >= 0)
            write_frame(joining, slow, frames.at[i]);
}

static void join_lane(struct joining *joining, uint32_t lane)
{
    const uint32_t in_times = same_lane(joining->times, &joining->stacks->lanes[lane]);
    struct slow slow = {0};
    struct arena scratch = {0};
    uint64_t calls = 0;
    if (in_times == LANE_NONE)
        return;
    joining->joined->paired +=
        pairs_find((struct both_lanes){joining->times, joining->stacks, in_times, lane}, &slow.warp, &calls);
    joining->joined->operators += calls;
    const struct undisturbed own =
        undisturbed_of(joining->stacks, &(struct undisturbed_of){lane, NULL, true}, &scratch);
    const double note_ns = frame_cost_of(joining->stacks, lane);
    joining->joined->note_ns = fmax(joining->joined->note_ns, note_ns);
    slow.own = frame_cost_without(joining->stacks, lane, &own, note_ns);
    for (size_t i = 0; i < slow.warp.count; i++)
        slow.warp.at[i].from = warp_time(&slow.own, slow.warp.at[i].from);
    write_frames(joining, lane, &slow);
    warp_free(&slow.own);
    warp_free(&slow.warp);
    arena_free(&scratch);
}

static void write_all_frames(struct joining *joining)
{
    for (uint32_t lane = 0; lane < joining->stacks->lane_count; lane++)
        if (trace_rows(joining->stacks, lane, NEST_PYTHON).count)
            join_lane(joining, lane);
}

/* ---- the file ---- */

/* Where the list of events begins, behind its bracket; 0 where there is none. */
static size_t events_begin(str head)
{
    static const char key[] = "\"traceEvents\"";
    for (size_t at = 0; at + sizeof key < head.len; at++)
        if (head.at[at] == '"' && !memcmp(head.at + at, key, sizeof key - 1)) {
            const str rest = str_trim(str_from(head, at + sizeof key - 1));
            const str list = str_trim(str_starts(rest, S(":")) ? str_from(rest, 1) : S(""));
            if (str_starts(list, S("[")))
                return (size_t)(list.at - head.at) + 1;
        }
    return 0;
}

static void copy_rest(struct source *source, struct packer *out)
{
    char *piece = mem_alloc(PIECE);
    for (size_t n; (n = source_read(source, piece, PIECE));)
        pack_put(out, (str){piece, n});
    mem_free(piece);
}

static bool copy_head(struct source *source, struct packer *out)
{
    const size_t begin = events_begin(source_head(source, HEAD));
    char *head = mem_alloc(begin + 1);
    for (size_t at = 0, n; at < begin && (n = source_read(source, head + at, begin - at)); at += n) {
    }
    pack_put(out, (str){head, begin});
    pack_put(out, S("\n"));
    mem_free(head);
    return begin > 0;
}

/* The events of the times as they are, behind the frames. */
static bool write_joined(struct joining *joining, struct source *source, struct steptime_error *err)
{
    if (!copy_head(source, joining->out))
        return fail_at(err, STEPTIME_INPUT, str_of(source_path(source)), -1, "has no list \"traceEvents\"");
    write_all_frames(joining);
    copy_rest(source, joining->out);
    const char *const damage = source_damage(source);
    return !damage || fail_at(err, STEPTIME_INPUT, str_of(source_path(source)), -1, "%s", damage);
}

static bool join_to(struct joining *joining, struct source *source, const char *to, struct steptime_error *err)
{
    struct writer *const out = writer_open(to, err);
    if (!out)
        return false;
    joining->out = pack_gzip(out);
    const bool good = write_joined(joining, source, err);
    pack_close(joining->out);
    if (good)
        return writer_close(out, err);
    writer_abandon(out);
    return false;
}

static bool join_read(const char *path, const char *to, struct joining *joining, struct steptime_error *err)
{
    struct source *const source = source_open(path, err);
    const bool good = source && join_to(joining, source, to, err);
    if (source)
        source_close(source);
    return good;
}

bool stacks_join(const char *times, const char *stacks, const char *to, struct stacks_joined *joined,
                 struct steptime_error *err)
{
    *joined = (struct stacks_joined){0};
    struct trace *const a = trace_read(times, NULL, err);
    struct trace *const b = a ? trace_read(stacks, NULL, err) : NULL;
    struct joining joining = {.times = a, .stacks = b, .joined = joined};
    const bool good = b && join_read(times, to, &joining, err);
    trace_free(a);
    trace_free(b);
    return good;
}

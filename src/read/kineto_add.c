/* SPDX-License-Identifier: Apache-2.0 */
/* From a record to what the trace holds. What is wrong with an event's content is judged here. */
#include <inttypes.h>

#include "kineto.h"

/* Counters of devices that overflowed gave longer ones. */
#define LONGEST_NS (7 * 24 * 3600 * (int64_t)1000000000)

static void drop(struct kineto *k, const char *why)
{
    trace_note(k->trace, NOTE_DROPPED, k->event_offset, "event dropped: %s", why);
}

/* ---- where ---- */

/* "stream 7" of 2020 and 2021. */
static int64_t stream_of(struct kineto *k, struct place thread)
{
    if (!thread.text)
        return thread.number;
    const str text = intern_text(k->names, thread.text);
    int64_t number;
    return str_starts(text, S("stream ")) && str_int(str_trim(str_from(text, 7)), &number) ? number : -1;
}

static struct lane device_lane(struct kineto *k)
{
    const struct record *r = &k->record;
    const bool numbered = record_has(r, TAKE_PROCESS) && !r->process.text;
    struct lane lane = {.device = true, .process = numbered ? r->process.number : -1, .id = -1};
    if (record_has(r, TAKE_DEVICE))
        lane.process = r->device;
    if (record_has(r, TAKE_STREAM))
        lane.id = r->stream;
    else if (record_has(r, TAKE_THREAD))
        lane.id = stream_of(k, r->thread);
    return lane;
}

/* What the record does not name is 0. */
static struct lane host_lane(const struct record *r)
{
    return (struct lane){.process = r->process.text ? 0 : r->process.number,
                         .process_text = r->process.text,
                         .id = r->thread.text ? 0 : r->thread.number,
                         .id_text = r->thread.text};
}

static uint32_t lane_id(struct kineto *k, struct lane lane)
{
    const uint64_t numbers =
        (uint64_t)lane.id + (uint64_t)lane.process * 7 + lane.process_text + lane.id_text + 31 * lane.device;
    struct known_lane *const known = &k->lanes[numbers % KNOWN_LANES];
    const struct lane *const l = &known->lane;
    if (!known->known || l->id != lane.id || l->process != lane.process || l->device != lane.device ||
        l->process_text != lane.process_text || l->id_text != lane.id_text)
        *known = (struct known_lane){lane, trace_lane(k->trace, lane), true};
    return known->id;
}

static bool same_place(struct place a, struct place b)
{
    return a.text == b.text && (a.text || a.number == b.number);
}

/* The event before this one has the same pid and tid. */
static bool beside_last(const struct kineto *k)
{
    const struct last_event *last = &k->seen.last;
    return same_place(k->record.process, last->process) && same_place(k->record.thread, last->thread);
}

static uint32_t event_lane(struct kineto *k, bool device)
{
    if (device)
        return lane_id(k, device_lane(k));
    return k->seen.last.on_host && beside_last(k) ? k->seen.last.lane : lane_id(k, host_lane(&k->record));
}

/* ---- what ---- */

static enum event_kind kind_of(struct kineto *k)
{
    const struct record *r = &k->record;
    enum event_kind kind = EVENT_OTHER;
    if (r->category)
        kind = r->category->kind;
    else if (r->process.text && record_has(r, TAKE_PROCESS))
        kind = kineto_legacy_kind(intern_text(k->names, r->process.text));
    return kind == EVENT_OPERATOR && kineto_is_annotation(intern_text(k->names, r->event.name)) ? EVENT_ANNOTATION
                                                                                                : kind;
}

/* It has a time, of this side of all calendars. */
static bool has_time(const struct record *r)
{
    return record_has(r, TAKE_START) && r->start_ns > -EVENT_TIME_LIMIT && r->start_ns < EVENT_TIME_LIMIT;
}

/* Fills name, kind, lane and start of the event. False where it has no time. */
static bool fill(struct kineto *k, enum event_kind kind)
{
    struct record *r = &k->record;
    if (!has_time(r)) {
        drop(k, record_has(r, TAKE_START) || r->far ? "its time is out of range" : "it has no time");
        return false;
    }
    r->event.start_ns = r->start_ns;
    r->event.dur_ns = 0;
    r->event.kind = kind;
    r->event.lane = event_lane(k, event_on_device(kind));
    return true;
}

/* What kind and lane do not tell: an unusual category, and the stream of a row that does not lie on one. */
static void keep_origin(struct kineto *k, enum event_kind kind)
{
    struct record *r = &k->record;
    const bool usual = !r->category || !r->category->text.len || (r->category->usual && r->category->kind == kind);
    if (!usual)
        event_set(&r->event, ATTR_CATEGORY, intern_id(k->names, r->category->text));
    if (!event_on_device(kind) && record_has(r, TAKE_STREAM))
        event_set(&r->event, ATTR_STREAM, r->stream);
}

void kineto_commit(struct kineto *k, const struct event *event)
{
    if (event->dur_ns > LONGEST_NS) {
        drop(k, "it lasts more than 7 days");
        return;
    }
    trace_add(k->trace, event);
    const int64_t end_ns = event->start_ns + event->dur_ns;
    k->seen.first_ns = event->start_ns < k->seen.first_ns ? event->start_ns : k->seen.first_ns;
    k->seen.last_ns = end_ns > k->seen.last_ns ? end_ns : k->seen.last_ns;
}

/* The recorded length; tdur stands in for dur. */
static int64_t duration(const struct record *r)
{
    if (record_has(r, TAKE_DURATION))
        return r->dur_ns;
    return record_has(r, TAKE_THREAD_DURATION) ? r->thread_dur_ns : 0;
}

/* A device row of no length at time 0, a second or more before all others, is a record that was never filled in. */
static bool never_filled(const struct kineto *k, const struct event *event)
{
    return event->start_ns == 0 && event->dur_ns == 0 && event_on_device(event->kind) && k->seen.first_ns > 1000000000;
}

static void add_complete(struct kineto *k)
{
    struct record *r = &k->record;
    const enum event_kind kind = kind_of(k);
    if (!fill(k, kind))
        return;
    keep_origin(k, kind);
    if (!record_has(r, TAKE_DURATION) && !record_has(r, TAKE_THREAD_DURATION) && !r->far)
        trace_note(k->trace, NOTE_REPAIRED, k->event_offset, "no duration: taken as 0");
    const int64_t dur_ns = duration(r);
    if (r->far && !record_has(r, TAKE_DURATION)) {
        drop(k, "its duration is out of range");
        return;
    }
    if (dur_ns < 0)
        trace_note(k->trace, NOTE_REPAIRED, k->event_offset, "negative duration of %" PRId64 " ns taken as 0", dur_ns);
    r->event.dur_ns = dur_ns < 0 ? 0 : dur_ns;
    if (never_filled(k, &r->event))
        drop(k, "device work at time 0 without length");
    else
        kineto_commit(k, &r->event);
    k->seen.last = (struct last_event){r->start_ns, r->process, r->thread, r->event.lane, !event_on_device(kind)};
}

static void add_instant(struct kineto *k)
{
    if (fill(k, EVENT_INSTANT))
        kineto_commit(k, &k->record.event);
}

/*
 * An arrow's end is written behind its event most often, and lies where that does. Otherwise a launch ends on a
 * device, if the pid may be the number of one: there are calls at which an arrow ends too.
 */
static uint32_t flow_lane(struct kineto *k, enum flow_kind kind, bool finish)
{
    enum { MOST_DEVICES = 1024 };
    const struct record *r = &k->record;
    const struct last_event *last = &k->seen.last;
    if (r->start_ns == last->start_ns && last->lane != LANE_NONE && beside_last(k))
        return last->lane;
    const bool device = kind == FLOW_LAUNCH && finish && !r->process.text && r->process.number < MOST_DEVICES;
    return lane_id(k, device ? device_lane(k) : host_lane(r));
}

static void add_flow(struct kineto *k)
{
    const struct record *r = &k->record;
    const enum flow_kind kind = r->category ? r->category->flow : FLOW_OTHER;
    const bool finish = r->phase != 's';
    if (!has_time(r) || !record_has(r, TAKE_ID)) {
        k->seen.phases[(unsigned char)r->phase]++;
        return;
    }
    trace_add_flow(
        k->trace,
        (struct flow){
            .id = r->id, .time_ns = r->start_ns, .lane = flow_lane(k, kind, finish), .kind = kind, .finish = finish});
}

/* What the record means depends on events before it. */
static bool depends_on_before(const struct kineto *k)
{
    const struct record *r = &k->record;
    switch (r->phase) {
    case 'B':
    case 'E':
    case 'M':
        return true;
    case 's':
    case 't':
    case 'f':
        return r->id_text || k->seen.last.lane == LANE_NONE;
    default:
        return record_has(r, TAKE_START) && r->start_ns == 0; /* see never_filled */
    }
}

void kineto_add(struct kineto *k)
{
    const struct record *r = &k->record;
    if (k->is_part && depends_on_before(k)) {
        k->needs_whole = true;
        return;
    }
    if (r->twice)
        trace_note(k->trace, NOTE_REMARK, k->event_offset, "a key comes twice in an event; the later value counts");
    if (r->far)
        trace_note(k->trace, NOTE_REMARK, k->event_offset, "a number past 64 bits is left out");
    switch (r->phase) {
    case 'X':
        add_complete(k);
        break;
    case 'i':
    case 'I':
        add_instant(k);
        break;
    case 's':
    case 't':
    case 'f':
        add_flow(k);
        break;
    case 'B':
        if (fill(k, kind_of(k)))
            kineto_begin(k, &r->event);
        break;
    case 'E':
        if (fill(k, kind_of(k)))
            kineto_end(k, &r->event);
        break;
    case 'M':
        kineto_name(k);
        break;
    case 0:
        drop(k, "it has no phase");
        break;
    default:
        k->seen.phases[(unsigned char)r->phase & 127]++;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "sequence.h"

/* Numbers of fields as perfetto.dev publishes them (protos/perfetto/trace). */
enum {
    TRACE_PACKET = 1,
    PACKET_CLOCKS = 6,
    PACKET_TIME = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_DEFAULTS = 59,
    PACKET_TRACK = 60,

    FLAG_CLEARED = 1,
    FLAG_NEEDS_STATE = 2,

    DEFAULTS_EVENT = 11,
    DEFAULTS_CLOCK = 58,

    TRACK_ID = 1,
    TRACK_NAME = 2,
    TRACK_OF_PROCESS = 3,
    TRACK_OF_THREAD = 4,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,
    TRACK_CHILDREN = 11,
    TRACK_ORDER = 12,
    CHILDREN_EXPLICIT = 3,
    PROCESS_ID = 1,
    PROCESS_NAME = 6,
    THREAD_PROCESS = 1,
    THREAD_ID = 2,
    THREAD_NAME = 5,
    COUNTER_UNIT = 3,
    UNIT_SIZE_BYTES = 3,

    CLOCKS_CLOCK = 1,
    CLOCK_ID = 1,
    CLOCK_TIME = 2,
    CLOCK_IS_DELTA = 3,
    CLOCK_BOOT = 6,
    CLOCK_OWN = 64,

    EVENT_ARGUMENT = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_ID = 10,
    EVENT_TRACK = 11,
    EVENT_OWN_NAME = 23,
    EVENT_COUNTER_VALUE = 30,
    EVENT_FLOW = 47,
    EVENT_FLOW_END = 48,

    INTERNED_NAME = 2,
    INTERNED_ARGUMENT = 3,
    INTERNED_VALUE = 29,
    ENTRY_ID = 1,
    ENTRY_TEXT = 2,

    ARGUMENT_NAME_ID = 1,
    ARGUMENT_NUMBER = 4,
    ARGUMENT_TEXT = 6,
    ARGUMENT_NAME = 10,
    ARGUMENT_TEXT_ID = 17,

    FLUSH_BYTES = 1 << 16,
};

void output_flush(struct output *out)
{
    out->put(out->context, buf_str(&out->packets));
    buf_clear(&out->packets);
}

static void end_packet(struct output *out)
{
    proto_message(&out->packets, TRACE_PACKET, &out->packet);
    if (out->packets.len > FLUSH_BYTES)
        output_flush(out);
}

/* ---- tracks ---- */

static int32_t id_of(int64_t number)
{
    return (int32_t)(number & INT32_MAX);
}

uint64_t track_put(struct output *out, const struct track *track)
{
    const uint64_t id = ++out->tracks;
    struct buf *descriptor = &out->event, *inner = &out->inner;
    proto_number(descriptor, TRACK_ID, id);
    if (track->parent)
        proto_number(descriptor, TRACK_PARENT, track->parent);
    proto_number(descriptor, TRACK_CHILDREN, CHILDREN_EXPLICIT);
    proto_number(descriptor, TRACK_ORDER, (uint64_t)track->order);
    if (track->kind == TRACK_PROCESS) {
        proto_number(inner, PROCESS_ID, (uint64_t)id_of(track->process));
        proto_text(inner, PROCESS_NAME, track->name);
        proto_message(descriptor, TRACK_OF_PROCESS, inner);
    } else if (track->kind == TRACK_THREAD) {
        proto_number(inner, THREAD_PROCESS, (uint64_t)id_of(track->process));
        proto_number(inner, THREAD_ID, (uint64_t)id_of(track->thread));
        proto_text(inner, THREAD_NAME, track->name);
        proto_message(descriptor, TRACK_OF_THREAD, inner);
    } else {
        proto_text(descriptor, TRACK_NAME, track->name);
    }
    if (track->kind == TRACK_BYTES) {
        proto_number(inner, COUNTER_UNIT, UNIT_SIZE_BYTES);
        proto_message(descriptor, TRACK_COUNTER, inner);
    }
    proto_message(&out->packet, PACKET_TRACK, descriptor);
    /* A packet needs a sequence; descriptors have one of their own, which is 1. */
    proto_number(&out->packet, PACKET_SEQUENCE, 1);
    end_packet(out);
    return id;
}

/* ---- a sequence ---- */

static void put_clock(struct output *out, uint64_t id, bool is_delta)
{
    struct buf *clock = &out->inner;
    proto_number(clock, CLOCK_ID, id);
    proto_number(clock, CLOCK_TIME, 0);
    if (is_delta)
        proto_number(clock, CLOCK_IS_DELTA, 1);
    proto_message(&out->event, CLOCKS_CLOCK, clock);
}

static void put_clocks(struct sequence *sequence)
{
    struct output *out = sequence->out;
    put_clock(out, CLOCK_BOOT, false);
    put_clock(out, CLOCK_OWN, true);
    proto_message(&out->packet, PACKET_CLOCKS, &out->event);
    proto_number(&out->packet, PACKET_SEQUENCE, sequence->id);
    end_packet(out);
}

struct sequence sequence_begin(struct output *out, uint64_t track)
{
    struct sequence sequence = {.out = out, .id = ++out->sequences + 1};
    struct buf *defaults = &out->event, *event = &out->inner;
    proto_number(event, EVENT_TRACK, track);
    proto_message(defaults, DEFAULTS_EVENT, event);
    proto_number(defaults, DEFAULTS_CLOCK, CLOCK_OWN);
    proto_message(&out->packet, PACKET_DEFAULTS, defaults);
    proto_number(&out->packet, PACKET_SEQUENCE, sequence.id);
    proto_number(&out->packet, PACKET_FLAGS, FLAG_CLEARED);
    end_packet(out);
    put_clocks(&sequence);
    return sequence;
}

void sequence_event(struct sequence *sequence, enum event_type type, int64_t time_ns)
{
    struct output *out = sequence->out;
    const int64_t since_ns = time_ns > sequence->time_ns ? time_ns - sequence->time_ns : 0;
    sequence->time_ns += since_ns;
    proto_number(&out->packet, PACKET_TIME, (uint64_t)since_ns);
    proto_number(&out->packet, PACKET_SEQUENCE, sequence->id);
    proto_number(&out->packet, PACKET_FLAGS, FLAG_NEEDS_STATE);
    if (out->interned.len)
        proto_message(&out->packet, PACKET_INTERNED, &out->interned);
    proto_number(&out->event, EVENT_TYPE, type);
    proto_message(&out->packet, PACKET_EVENT, &out->event);
    end_packet(out);
    out->counts.slices += type == TYPE_BEGIN;
    out->counts.counters += type == TYPE_COUNTER;
}

/* ---- parts of an event ---- */

static void tell(struct output *out, uint32_t field, uint64_t id, str text)
{
    struct buf *entry = &out->inner;
    proto_number(entry, ENTRY_ID, id);
    proto_text(entry, ENTRY_TEXT, text);
    proto_message(&out->interned, field, entry);
}

/* The number of a text in the sequence; new: it is told with the event. */
static uint32_t number_of(struct sequence *sequence, struct told *told, uint32_t *numbers, uint32_t field,
                          const struct trace *trace, uint32_t text)
{
    if (told->sequence[text] != sequence->id) {
        told->sequence[text] = sequence->id;
        told->number[text] = ++*numbers;
        tell(sequence->out, field, told->number[text], trace_text(trace, text));
    }
    return told->number[text];
}

void event_name(struct sequence *sequence, const struct trace *trace, uint32_t text)
{
    struct output *out = sequence->out;
    proto_number(&out->event, EVENT_NAME_ID,
                 number_of(sequence, &out->names, &sequence->names, INTERNED_NAME, trace, text));
}

void event_own_name(struct sequence *sequence, str name)
{
    proto_text(&sequence->out->event, EVENT_OWN_NAME, name);
}

void event_number(struct sequence *sequence, str name, int64_t value)
{
    struct output *out = sequence->out;
    proto_bytes(&out->inner, ARGUMENT_NAME, name);
    proto_number(&out->inner, ARGUMENT_NUMBER, (uint64_t)value);
    proto_message(&out->event, EVENT_ARGUMENT, &out->inner);
}

void event_text(struct sequence *sequence, str name, str value)
{
    struct output *out = sequence->out;
    proto_bytes(&out->inner, ARGUMENT_NAME, name);
    proto_text(&out->inner, ARGUMENT_TEXT, value);
    proto_message(&out->event, EVENT_ARGUMENT, &out->inner);
}

void event_attr(struct sequence *sequence, const struct trace *trace, enum attr attr, const char *name, int64_t value)
{
    struct output *out = sequence->out;
    const uint64_t bit = (uint64_t)1 << attr;
    if (!(sequence->attrs & bit))
        tell(out, INTERNED_ARGUMENT, (uint64_t)attr + 1, str_of(name));
    sequence->attrs |= bit;
    const uint32_t text = attr_is_text(attr) ? number_of(sequence, &out->values, &sequence->values, INTERNED_VALUE,
                                                         trace, (uint32_t)value)
                                             : 0;
    proto_number(&out->inner, ARGUMENT_NAME_ID, (uint64_t)attr + 1);
    if (attr_is_text(attr))
        proto_number(&out->inner, ARGUMENT_TEXT_ID, text);
    else
        proto_number(&out->inner, ARGUMENT_NUMBER, (uint64_t)value);
    proto_message(&out->event, EVENT_ARGUMENT, &out->inner);
}

void event_flow(struct sequence *sequence, uint64_t id, bool ends)
{
    proto_fixed(&sequence->out->event, ends ? EVENT_FLOW_END : EVENT_FLOW, id);
    sequence->out->counts.flows += ends;
}

void event_counter(struct sequence *sequence, int64_t value)
{
    proto_number(&sequence->out->event, EVENT_COUNTER_VALUE, (uint64_t)value);
}

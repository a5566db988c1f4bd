/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sequence of packets that share a track, a clock of deltas and the names told so far. Its slices come in order of time
 * and nest: one that ends is closed before the next begins.
 */
#ifndef PERFETTO_SEQUENCE_H
#define PERFETTO_SEQUENCE_H

#include "perfetto.h"
#include "proto.h"

/* Texts of a trace, each told once a sequence: by its id its number there, and the sequence that this is of. */
struct told {
    uint32_t *number, *sequence;
};

/* All that is written to one file. */
struct output {
    perfetto_put_fn *put;
    void *context;
    struct perfetto_counts counts;
    uint32_t sequences;
    uint64_t tracks;                                    /* ids of tracks given so far */
    struct told names, values;                          /* of the trace that is being written */
    struct buf packet, packets, event, inner, interned; /* room */
};

struct sequence {
    struct output *out;
    uint32_t id, names, values;
    int64_t time_ns; /* of the packet before */
    uint64_t attrs;  /* whose names are told: a bit each */
};

/* ---- tracks ---- */

/* kind of a track: a process of a rank, a lane or something below one, a counter of bytes. */
enum track_kind { TRACK_PROCESS, TRACK_PLAIN, TRACK_THREAD, TRACK_BYTES };
struct track {
    enum track_kind kind;
    uint64_t parent; /* 0: none */
    int32_t order;   /* among those of its parent */
    int64_t process, thread;
    str name;
};
uint64_t track_put(struct output *out, const struct track *track);

/* ---- events ---- */

struct sequence sequence_begin(struct output *out, uint64_t track);

/* The parts of an event collect in out->event; then sequence_event writes it, with the names that are new in it. */
enum event_type { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
void sequence_event(struct sequence *sequence, enum event_type type, int64_t time_ns);
void event_name(struct sequence *sequence, const struct trace *trace, uint32_t text); /* told once */
void event_own_name(struct sequence *sequence, str name);
void event_number(struct sequence *sequence, str name, int64_t value);
void event_text(struct sequence *sequence, str name, str value);
void event_attr(struct sequence *sequence, const struct trace *trace, enum attr attr, const char *name, int64_t value);
void event_flow(struct sequence *sequence, uint64_t id, bool ends);
void event_counter(struct sequence *sequence, int64_t value);

void output_flush(struct output *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the Kineto reader. The document (kineto.c) finds events, many of
 * them at once where cores are free (kineto_parts.c); an
 * event's text becomes a record (kineto_event.c); a record becomes an event, a
 * flow or a name of the trace (kineto_add.c, kineto_open.c, kineto_names.c);
 * what surrounds the events becomes trace->info (kineto_head.c).
 */
#ifndef READ_KINETO_H
#define READ_KINETO_H

#include "base/map.h"
#include "guess.h"
#include "kineto_category.h"
#include "kineto_keys.h"
#include "phrase.h"
#include "text/json_repair.h"
#include "text/json_window.h"
#include "trace/trace.h"

/* One event as it is written. */
struct record {
    char phase;    /* ph; 0 where absent */
    uint32_t seen; /* bit t: a value was taken by enum take t */
    bool twice;    /* a key came twice; the later value counts */
    bool far;      /* a time that an int64 cannot hold in ns */
    bool id_text;  /* the id is an interned text, not a number */
    const struct category *category;
    str label; /* args.name, of metadata: in the window or the scratch arena, gone with the next record */
    struct place process, thread; /* 0 where absent */
    int64_t start_ns, dur_ns, thread_dur_ns, id, device, stream;
    struct event event; /* only name, has and attr */
};

static inline bool record_has(const struct record *record, enum take take)
{
    return record->seen >> take & 1;
}

struct open_event;

enum { KNOWN_LANES = 64 };

struct kineto {
    struct trace *trace;
    struct intern *names;
    struct json_window *window;
    struct arena scratch; /* decoded texts of the current record */
    const char *wrong;    /* the byte at which the last step stopped */
    struct record record;
    const char *end; /* of the text that the record is read from */
    struct phrases phrases;
    struct guesses guesses;
    uint64_t name_context; /* the names of the six events before, the oldest in the upper bits */
    struct json_repair repair;
    int64_t repair_budget; /* bytes that repairing may still look at: damage must not cost more than reading */

    struct known_lane {
        struct lane lane;
        uint32_t id;
        bool known;
    } lanes[KNOWN_LANES]; /* the lane met last in each place, by its numbers */

    bool found_list;      /* the document has a list of events */
    int64_t event_offset; /* of the current event */
    struct seen {
        uint64_t records;          /* of the list, used or not */
        int64_t first_ns, last_ns; /* of the recorded times */
        uint64_t phases[128];      /* events left out, a phase */
        struct last_event {
            int64_t start_ns;
            struct place process, thread;
            uint32_t lane; /* LANE_NONE: there was none */
            bool on_host;
        } last; /* the latest complete event */
    } seen;     /* so far */

    bool is_part;     /* of a list that others read at the same time: what came before is not known */
    bool needs_whole; /* a part has met an event that means nothing without what came before */
    struct part_plan {
        unsigned threads; /* 1: all is read in order */
        size_t bytes;     /* of a part */
        int64_t from;     /* where the window begins at this byte or behind it, reading in parts is tried */
        int64_t pause;    /* bytes between two tries */
    } plan;

    /* begun and not ended: kineto_open.c */
    struct open_event *open;
    size_t open_room, open_count, open_freed; /* places: held, ever used, free of these */
    uint32_t open_free;
    uint32_t *open_top; /* a lane */
    size_t open_lanes;

    struct map process_names, thread_names; /* kineto_names.c */
};

struct kineto *kineto_new(struct trace *trace);
void kineto_free(struct kineto *k);

/* Reads the event at `at`, in text that ends at `end`, into k->record. Returns the byte behind it; NULL with k->wrong where it is no event. */
const char *kineto_event(struct kineto *k, const char *at, const char *end);

/* Puts k->record into the trace, or says why not. */
void kineto_add(struct kineto *k);

/* The event at the window's start, if it is one that needs no repair, into the trace. False leaves the window as it is. */
bool kineto_take(struct kineto *k);

/* Moves the window over a comma to the event behind it, if both are there. */
bool kineto_follows(struct json_window *window);

/* Reads as many events as it can, from the one at the window's start on, in parts; the window is then at the next one. */
void kineto_parts(struct kineto *k);

/* Adds a finished event. */
void kineto_commit(struct kineto *k, const struct event *event);

/* Begin and end events, matched on their lane. */
void kineto_begin(struct kineto *k, const struct event *event);
void kineto_end(struct kineto *k, const struct event *event);
void kineto_close_open(struct kineto *k); /* ends what is still open where the trace ends */

/* Metadata events, and at the end the names they gave. */
void kineto_name(struct kineto *k);
void kineto_apply_names(struct kineto *k);

/* A member of the document that is not the list of events: the text of its value. */
void kineto_head(struct kineto *k, str key, const char *value);

/*
 * Reads a document, and those that follow it. False with *err where there is no list of events, or nothing in it.
 * The trace is the same however many threads (par_cores) read it.
 */
bool kineto_read(struct source *source, _Atomic int64_t *progress, struct trace *trace, struct steptime_error *err);

/* The same with a number of threads and a size of parts of the caller's choice, for tests. */
bool kineto_read_in_parts(struct json_window *window, struct trace *trace, unsigned threads, size_t part_bytes,
                          struct steptime_error *err);

#endif

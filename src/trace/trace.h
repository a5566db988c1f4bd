/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace of one process in memory: columns of events, and what follows from
 * them. It is built by a reader (trace_new, trace_add ...), then finished once;
 * from then on everyone holds a `const struct trace *` and nothing changes.
 *
 * An event is a row, 0 .. count-1, in the order of the file. Row numbers are
 * the event ids that users see. Columns are parallel arrays:
 *
 *     start_ns[row]  from the trace's start (origin_ns), so >= 0
 *     dur_ns[row]    >= 0
 *     name[row]      trace_text(trace, name[row])
 *     lane[row]      the thread or stream it lies on
 *     kind[row]      enum event_kind
 *     parent[row]    innermost event of the same nest and lane that was open
 *                    when this one began; ROW_NONE at the top and for kinds
 *                    that do not nest
 *     cause[row]     of device work: the runtime call that launched it, or the
 *                    operator where no call was recorded; of a runtime call: its
 *                    first device row; ROW_NONE otherwise
 *
 * Everything else an event may carry is a sparse column: trace_attr.
 *
 * A finished trace spans at most TRACE_MOST_NS, and no sum over it leaves 64
 * bits: the durations of all events together, and the span taken once a lane,
 * are at most TRACE_MOST_SUM_NS. Events that would break this are set aside with
 * a note (stray.c).
 */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/str.h"
#include "event.h"
#include "sparse.h"

enum { ROW_NONE = UINT32_MAX, LANE_NONE = UINT32_MAX };

#define TRACE_MOST_NS     ((int64_t)1 << 53) /* 104 days; such times are exact as doubles, too */
#define TRACE_MOST_SUM_NS ((int64_t)1 << 60) /* 36 years */

/* A thread of the host, or a stream of a device. */
struct lane {
    bool device;                 /* a stream */
    int64_t process;             /* pid, or device index; meaningless if process_text is set */
    int64_t id;                  /* tid, or stream number; -1 where a device row names no stream */
    uint32_t process_text;       /* interned, where the file has a text for the pid ("Spans"); else 0 */
    uint32_t id_text;            /* the same for the tid */
    uint32_t process_name, name; /* interned; 0 where the file names none */
};

/* Consecutive entries of trace->order: rows of one nest of one lane by start, longer first, then file order. */
struct rows {
    const uint32_t *at;
    uint32_t count;
};

/*
 * What tells the steps, in the order in which it is asked. The first two are marks of PyTorch, the third of a serving
 * engine; the others are taken from what repeats, and only where it does so at least three times, regularly, over most
 * of the work (basis.c).
 */
enum step_source {
    STEPS_ANNOTATED,   /* ProfilerStep#N */
    STEPS_OPTIMIZER,   /* from one outermost Optimizer.step end to the next */
    STEPS_ENGINE,      /* ranges of an engine: vLLM's execute_..., SGLang's step[...] */
    STEPS_RANGES,      /* outermost ranges of a thread, numbers in names left out */
    STEPS_MODULES,     /* calls of the outermost nn.Module */
    STEPS_GRAPHS,      /* launches of the same graphs */
    STEPS_LOADER,      /* batches taken from a DataLoader */
    STEPS_COLLECTIVES, /* the same collectives in the same order */
    STEPS_OPERATORS,   /* the same operators in the same order */
    STEPS_NONE,        /* the whole trace as one step */
    STEPS_UPDATES, /* launches of an optimizer's kernels; asked last. Sketches keep these numbers: new ones come behind */
    STEP_SOURCES,
};

/* Why a trace has steps, or has none, and how regular they are. Ratios are -1 where they do not apply. */
struct step_basis {
    enum step_source source;
    uint32_t steps;
    double spread;    /* of distances between starts: median absolute deviation over median */
    double variation; /* of lengths: standard deviation over mean */
    double covered;   /* share of the work that lies in steps: of the device's, else of the outermost operators' */
    str name;         /* of what tells them; "" where nothing repeats */
    str words;        /* all of it as sentences for people */
};

/*
 * The half-open interval [start_ns, end_ns): from the step's start on the host
 * to the start of the next. The last one ends with its own annotation or the
 * last device work launched in it, whichever is later.
 */
struct step {
    int64_t number; /* N of ProfilerStep#N; else counted from 0 */
    int64_t start_ns, end_ns;
    int64_t host_end_ns; /* end of the annotation itself */
    uint32_t row;        /* the annotation, or what begins the step; ROW_NONE for STEPS_NONE */
};

struct device_info {
    int64_t id;
    str name;                                /* "NVIDIA A100-SXM4-40GB"; "" where the file has none */
    int64_t memory_bytes, sms, major, minor; /* -1 where not recorded */
};

/* What the file says of itself. Texts live as long as the trace; -1 and "" mean: not recorded. */
struct trace_info {
    str path, format;   /* format: "kineto json", "chrome json" ... */
    int64_t file_bytes; /* as unpacked */
    int64_t base_ns;    /* baseTimeNanoseconds: add to a recorded time for the epoch; 0 if absent */
    int64_t rank, world_size;
    uint32_t parts; /* process groups of several ranks, but not of all */
    double
        slowed; /* how many times as long its recorder made a step, where that is too much; 0: it is not, or not known */
    bool is_alone; /* no other file was given with it: nothing is compared with others of its job */
    str backend, host, trace_id, torch_version, schema;
    str nccl, runtime, driver;         /* versions of the collectives' library, of CUDA's or HIP's runtime and driver */
    bool shapes, stack, memory, flops; /* recording options where the file says so */
    bool says_shapes, says_stack, says_memory, says_flops; /* whether it says anything of them, on or off */
    bool cut;                                              /* the file breaks off, or its packing is damaged */
    struct device_info *devices;
    uint32_t device_count;
};

/*
 * Something the reader had to do to the file. Only the first few hundred are kept; all are counted. A doubt is a remark
 * about the whole recording, which whoever concludes from it tells in its line of trust.
 */
enum note_kind { NOTE_REPAIRED, NOTE_DROPPED, NOTE_REMARK, NOTE_DOUBT };

struct note {
    enum note_kind kind;
    int64_t offset; /* byte in the unpacked file, -1 where none applies */
    str text;
};

struct trace {
    uint32_t count;
    const int64_t *start_ns, *dur_ns;
    const uint32_t *name, *lane, *parent, *cause;
    const uint8_t *kind;
    const struct sparse *attrs;    /* [ATTRS]; read through trace_attr */
    const uint32_t *order, *group; /* read through trace_rows */

    int64_t origin_ns; /* recorded time of the earliest event */
    int64_t end_ns;    /* latest end, from the origin */

    const struct lane *lanes;
    uint32_t lane_count;

    enum step_source step_source;
    struct step_basis step_basis; /* texts live as long as the trace; trace_step_basis copies them */
    const struct step *steps;     /* in order of time; at least one if the trace has events */
    uint32_t step_count;

    struct trace_info info;
    const struct note *notes;
    uint32_t note_count;
    uint64_t repaired, dropped;  /* events, all of them */
    uint64_t kinds[EVENT_KINDS]; /* events a kind */

    struct trace_private *private;
};

/* ---- building (readers only) ---- */

struct trace *trace_new(void);
struct intern *trace_names(struct trace *trace);            /* intern event names and text attributes here */
struct arena *trace_arena(struct trace *trace);             /* for what info points to */
uint32_t trace_lane(struct trace *trace, struct lane lane); /* found or added; names are ignored in the comparison */
void trace_name_lane(struct trace *trace, struct lane lane, uint32_t process_name, uint32_t name); /* 0 keeps */
void trace_add(struct trace *trace, const struct event *event);
void trace_add_flow(struct trace *trace, struct flow flow);
void trace_note(struct trace *trace, enum note_kind kind, int64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void trace_finish(struct trace *trace); /* sorts, nests, links, finds steps; then the trace is frozen */

/* ---- reading ---- */

void trace_free(struct trace *trace);
/*
 * The trace's start since the epoch that all files of a job share. False where the file's base is one that no clock
 * shows, or that overflows: it is damaged, and left out.
 */
bool trace_epoch(const struct trace *trace, int64_t *origin_ns);

str trace_text(const struct trace *trace, uint32_t id);
static inline str trace_name(const struct trace *trace, uint32_t row)
{
    return trace_text(trace, trace->name[row]);
}
uint32_t trace_text_count(const struct trace *trace); /* ids are below it */
size_t trace_bytes(const struct trace *trace);        /* memory held by the columns and tables */

static inline bool trace_attr(const struct trace *trace, uint32_t row, enum attr attr, int64_t *value)
{
    return sparse_get(&trace->attrs[attr], row, value);
}
static inline int64_t trace_attr_or(const struct trace *trace, uint32_t row, enum attr attr, int64_t otherwise)
{
    int64_t value;
    return trace_attr(trace, row, attr, &value) ? value : otherwise;
}
static inline uint32_t trace_attr_count(const struct trace *trace, enum attr attr) /* rows that carry it */
{
    return trace->attrs[attr].count;
}
str trace_attr_text(const struct trace *trace, uint32_t row, enum attr attr); /* "" where absent */

static inline int64_t trace_end_ns(const struct trace *trace, uint32_t row)
{
    return trace->start_ns[row] + trace->dur_ns[row];
}

static inline struct rows trace_rows(const struct trace *trace, uint32_t lane, enum nest nest)
{
    const uint32_t *begin = &trace->group[lane * NESTS + nest];
    return (struct rows){trace->order + begin[0], begin[1] - begin[0]};
}

/* Index of the first of rows in order of time that begins at the time or after; so many begin before it. */
uint32_t trace_first_from(const struct trace *trace, struct rows rows, int64_t time_ns);

/* All device work of all streams of a device (-1: all devices) by start, in one array. */
struct rows trace_device_work(const struct trace *trace, struct arena *arena, int64_t device);

/*
 * Lanes with work of the device, -1: of all devices. Who asks this looks at each for every wait, so there are at most so many;
 * a note tells where the trace has more.
 */
enum { TRACE_STREAMS_MOST = 64, TRACE_STREAMS_OF_ALL = 256 };
struct rows trace_streams(const struct trace *trace, int64_t device);

/* The devices that have work, ascending. */
uint32_t trace_devices(const struct trace *trace, struct arena *arena, int64_t **devices);

/* The innermost event of the nest that is open on the lane at the time; ROW_NONE. */
uint32_t trace_open_at(const struct trace *trace, uint32_t lane, enum nest nest, int64_t time_ns);

/* Device rows that a runtime call (or operator without one) caused, in order of time. */
struct rows trace_caused(const struct trace *trace, uint32_t row);

/* The innermost operator around a host row, or around the cause of a device row; the row itself if it is one. */
uint32_t trace_operator(const struct trace *trace, uint32_t row);

/* The innermost Python frame open at the row (at the cause of a device row); ROW_NONE where none is recorded. */
uint32_t trace_frame(const struct trace *trace, uint32_t row);

/* Index of the step in whose interval the host row (the cause of a device row) starts; STEP_NONE. */
enum { STEP_NONE = UINT32_MAX };
uint32_t trace_step(const struct trace *trace, uint32_t row);
uint32_t trace_step_at(const struct trace *trace, int64_t time_ns);

struct step_basis trace_step_basis(const struct trace *trace, struct arena *arena);
const char *step_source_id(enum step_source source); /* "graph_launches" */

/* The forward operator that made the node which a backward one computes, by sequence number or flow arrow; ROW_NONE. */
uint32_t trace_forward(const struct trace *trace, uint32_t row);

/*
 * What the file says of a device; NULL: nothing. Where it lists others only, and all of one name, this one is like them:
 * inside a container a process may count its devices from 0 again.
 */
const struct device_info *trace_device_info(const struct trace *trace, int64_t id);

/* The thread that runs the training loop: the one with the ranges that are steps, else the busiest with operators. */
uint32_t trace_main_lane(const struct trace *trace);

/* Findings about the recording itself, counted at the finish. */
struct trace_oddities {
    uint64_t partial_overlaps; /* events that end after the parent they began in, by more than 1 us */
    uint64_t zero_durations;   /* device work of no length */
    uint64_t stream_overlaps;  /* device work that begins before the one before it on its stream ends */
    uint64_t launches;         /* calls that put work on a device */
    uint64_t kernels_without_launch, launches_without_kernel;
    uint64_t graph_launches, graph_kernels;
    uint64_t unnamed_groups; /* process groups of some ranks only, of which gloo's collectives tell none */

    /* Clocks of host and device that contradict each other by more than TRACE_CLOCK_DOUBT_NS. */
    uint64_t device_work, early_work; /* that a call launched; which of it begins before that call does */
    uint64_t syncs, early_syncs;      /* behind a launch of the thread; which of them end before its work does */
    int64_t most_early_ns;            /* the largest such contradiction */

    /*
     * The clock of the device is ahead of the host's by this at least and at most: work ends no later than the wait for it
     * (by the middle one of three waits or more), and begins no earlier than its launch. INT64_MIN, INT64_MAX: not known.
     */
    int64_t device_low_ns, device_high_ns;
};
enum { TRACE_CLOCK_DOUBT_NS = 10000 }; /* recorders round and convert times to some microseconds */
struct trace_oddities trace_oddities(const struct trace *trace);

#endif

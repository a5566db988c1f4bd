/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an operator costs the host, in five kinds, after Lin et al. (HiPC 2022,
 * section on overheads), and three costs between the host and the device that
 * the walk needs and a trace shows (doc/numbers/overheads.md has the definitions):
 *
 *     T1  from the end of an operator to the start of the next under the same module
 *     T2  from the start of an operator to the start of its first launch
 *     T3  from the end of its last launch to its end
 *     T4  a launch call
 *     T5  from the end of a launch to the start of the next in the operator; all of an operator without launches
 *     start    from the start of a launch call to the start of its work, where the stream had nothing else to do
 *     gap      from the end of work to the start of the next on its stream, where that was launched in time
 *     return   from the end of work that the host waited for to the end of the call that waited
 *
 * An operator is one at the top: its parent is a module, a label, or nothing.
 * Samples outside the quartiles by more than 1.5 times their distance are
 * dropped, those below zero count as zero, and what the profiler itself costs an
 * event is taken off; it is estimated from the trace and printed.
 */
#ifndef PREDICT_OVERHEADS_H
#define PREDICT_OVERHEADS_H

#include "program/program.h"

enum overhead_kind {
    OVERHEAD_T1,
    OVERHEAD_T2,
    OVERHEAD_T3,
    OVERHEAD_T4,
    OVERHEAD_T5,
    OVERHEAD_START,
    OVERHEAD_GAP,
    OVERHEAD_RETURN,
    OVERHEADS,
};

str overhead_word(enum overhead_kind kind); /* "t1" .. "t5", "start", "gap", "return": as in the tables */

struct overhead {
    double mean_us, sd_us; /* without outliers, without the profiler's cost */
    double profiler_us;    /* which was taken off */
    double whole_us;       /* the mean with outliers (but for waits for room in a full queue) and the profiler's cost */
    double median_us;      /* of all samples, the profiler's cost included */
    uint64_t count;        /* samples, outliers included; 0: nothing was measured */
};

/* Samples of any number of steps and traces, under collection. */
struct overhead_samples;
struct overhead_samples *overhead_samples_new(void);
void overhead_samples_free(struct overhead_samples *samples);
void overhead_samples_add(struct overhead_samples *samples, const struct program *program);

/* Those of any number of traces, in memory that does not grow with their number; see sample_pool.h. */
struct overhead_pool;
struct overhead_pool *overhead_pool_new(void);
void overhead_pool_free(struct overhead_pool *pool); /* NULL is fine */
void overhead_pool_add(struct overhead_pool *pool, const struct overhead_samples *samples);

/* By how much of itself a sample was rounded at most, so that they fit; 0: they are all exact. */
double overhead_pool_rounding(const struct overhead_pool *pool);

struct overheads;

/* Of all samples together; in the arena. */
const struct overheads *overheads_of(const struct overhead_samples *samples, struct arena *arena);
const struct overheads *overheads_of_pool(const struct overhead_pool *pool, struct arena *arena);

/* Of one step alone. */
const struct overheads *overheads_of_program(const struct program *program, struct arena *arena);

/*
 * A table as `steptime overheads --format csv` writes it: type, op_or_call, mean_us, std_us, profiler_us, whole_us,
 * median_us, count. The published tables read too: those of CSV, which have no counts, and the JSON that the authors' predictor
 * takes. Rows of one type and name are joined, by their counts. NULL with STEPTIME_INPUT, naming the line.
 */
const struct overheads *overheads_read(const char *path, struct arena *arena, struct steptime_error *err);

/*
 * Of the operator's name (T1: of the operator that follows; T2, T3, T5), the call's (T4, return), or the word of the
 * work's class (start, gap). "" asks for the mean over all names, which of T1 is the one defined above: the others
 * hold the steps from one module to the next as well.
 */
struct overhead overheads_get(const struct overheads *overheads, enum overhead_kind kind, str name);

uint32_t overheads_count(const struct overheads *overheads);
struct overhead_row {
    enum overhead_kind kind;
    str name;
    struct overhead overhead;
};
struct overhead_row overheads_at(const struct overheads *overheads, uint32_t i); /* by kind, then name */

/* T1 before an operator of that name where one of the other came before it; count 0 where they were not seen so. */
struct overhead overheads_after(const struct overheads *overheads, str before, str name);

/* What the profiler costs the host an event, as estimated from the traces; 0 where they were recorded without it. */
double overheads_profiler_us(const struct overheads *overheads);

/*
 * What an event still costs in the rows of a table that was written with the profiler's cost in it, as the published
 * ones were ("event" rows); 0 in others. Who plans takes it off where the events are known.
 */
double overheads_event_us(const struct overheads *overheads);

/* The name under which T1 holds what lies between the last operator and the end of the step. */
extern const str OVERHEAD_END_OF_STEP;

/* Those of launches and waits outside any operator, and of what comes before a thread's first operator. */
extern const str OVERHEAD_OUTSIDE, OVERHEAD_BEGIN;

/* Under T4 a call that waits for the device and had not to; under return, where it had to. */
extern const str OVERHEAD_WAIT;

#endif

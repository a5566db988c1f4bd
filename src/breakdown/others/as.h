/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same trace counted as other tools count it. Each tool is one file that
 * takes a trace and gives metrics under the tool's own names, and what of the
 * table `ranks` the tool has a number for. doc/other-tools.md tells the
 * definitions, and where and why they differ from ours.
 */
#ifndef BREAKDOWN_AS_H
#define BREAKDOWN_AS_H

#include "report/report.h"
#include "trace/trace.h"

struct as_metric {
    str name;
    double value;     /* NaN: the tool says NaN */
    const char *unit; /* as the tool prints it: us, ms, percent, count */
};

/* Figures of the table `ranks`, in ns; AS_NONE where the tool has no such number. */
struct as_rank {
    int64_t span_ns, busy_ns, idle_ns, compute_ns, communication_ns, memory_ns, exposed_communication_ns;
    int64_t host_wait_ns, kernel_wait_ns, other_idle_ns;
};

#define AS_NONE INT64_MIN

struct as_result {
    int64_t rank, steps;
    str path;
    struct as_metric *metrics;
    uint32_t count;
    struct as_rank figures;
    const char *failure; /* why the tool itself gives nothing for such a trace; NULL */
};

struct as_tool {
    const char *name;  /* "hta" */
    const char *title; /* "HolisticTraceAnalysis 0.5.0" */
    void (*run)(const struct trace *trace, struct arena *arena, struct as_result *result);
};

extern const struct as_tool as_hta, as_tracelens, as_tensorboard;

/* NULL where no tool is called so. */
const struct as_tool *as_tool(str name);

/* Sets up an empty result of the trace and lets the tool fill it. */
void as_run(const struct as_tool *tool, const struct trace *trace, struct arena *arena, struct as_result *result);

/* Table `ranks` with the tool's numbers and a table of the tool's name with its metrics. */
void as_show(const struct as_tool *tool, const struct as_result *const *results, uint32_t count, struct report *report);

/* ---- for the tools ---- */

void as_add(struct as_result *result, struct arena *arena, str name, double value, const char *unit);

/* The category as it stands in the file, told from the kind where the trace keeps no other. */
str as_category(const struct trace *trace, uint32_t row);

/*
 * Start and end as a program has them that reads microseconds into doubles and
 * adds them there: for times since the epoch to a quarter of a microsecond.
 */
int64_t as_start_ns(const struct trace *trace, uint32_t row);
int64_t as_end_ns(const struct trace *trace, uint32_t row);

/* A time in ns as the double of microseconds that its decimal text is read into. */
double as_us(int64_t ns);

/* 123.456 to two decimals, halves to even, as Python's round. */
double as_round2(double value);

#endif

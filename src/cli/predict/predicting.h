/* SPDX-License-Identifier: Apache-2.0 */
/* What a run of `steptime predict` works with, and how its inputs become steps. */
#ifndef CLI_PREDICTING_H
#define CLI_PREDICTING_H

#include "cli/program/command.h"
#include "cli/program/reading.h"
#include "predict/answer/explain.h"
#include "predict/answer/predict_show.h"
#include "predict_what_if.h"

/* A trace that is kept or read again, and what its steps share. */
struct opened_trace {
    struct trace *trace;
    struct work_classes *classes;
    struct programs *programs;
};

/* A file with its steps, which need nothing more of it. */
struct predicted_input {
    struct input_file *file;
    struct opened_trace kept; /* zeroed where the trace was dropped */
    struct predict_source source;
    bool is_trace;
    bool has_execution; /* an execution trace went to this trace */
    bool joined;        /* an execution trace that went to its trace */
};

struct predicting {
    const struct call *call;
    struct arena arena;
    struct inputs_asked reading;
    struct inputs read;
    struct program_texts *texts;
    struct predicted_input **inputs;
    uint32_t count;
    struct predict_source *sources;
    struct predict_asked asked; /* of the steps as they are */
    struct hardware hardware, recorded_on;
    struct what_if what_if;
    struct predict_explain *explain; /* NULL: nothing is asked */
    struct report *report;
};

/* Traces, execution traces beside them, lists and models, in the order of the command line. */
bool predicting_read(struct predicting *p, struct steptime_error *err);
void predicting_close(struct predicting *p);

#endif

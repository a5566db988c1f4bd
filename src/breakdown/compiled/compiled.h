/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A log of TORCH_TRACE beside the traces of the same run: what was compiled in which step, why it was compiled again,
 * where graphs broke, and which lines a generated kernel comes from. doc/numbers/compile-log.md defines it.
 */
#ifndef BREAKDOWN_COMPILED_H
#define BREAKDOWN_COMPILED_H

#include "compilelog/compilelog.h"
#include "report/finding_words.h"
#include "trace/select.h"

/* A compilation as a trace records it. */
struct compiled_event {
    str id;          /* "0/1"; "" where the trace has none */
    int64_t process; /* pid */
    int64_t start_ns, dur_ns;
    int64_t epoch_ns; /* its start since 1970; -1 where the clock of the trace is another */
    bool in_step;     /* a selected one */
    int64_t step;     /* its number */
};

/* Something with a name that ran: a generated kernel, or the code of a compile id. */
struct compiled_run {
    str name;
    int64_t count, total_ns;
};

/* The numbers of one trace. */
struct compiled_trace {
    int64_t rank, process;                     /* process: pid; -1 where no thread is recorded */
    struct compiled_event *events, *backwards; /* backwards: compiled at first use, long after the function */
    uint32_t event_count, backward_count;
    struct compiled_run *kernels, *regions; /* in the selected steps; regions are named by compile ids */
    uint32_t kernel_count, region_count;
    uint32_t steps; /* selected */
};

void compiled_run(const struct trace *trace, const struct selection *selection, struct arena *arena,
                  struct compiled_trace *out);

/* A log joined with all traces of its run. */
struct compiled {
    const struct compile_log *log;
    const struct compiled_trace *const *traces;
    uint32_t count;
    const struct joined *joined; /* one for each compile of the log */
    const struct again *agains;  /* what was compiled again, by function and reason */
    uint32_t again_count;
    uint32_t steps; /* selected, of all traces */
};

void compiled_join_log(const struct compile_log *log, const struct compiled_trace *const *traces, uint32_t count,
                       struct arena *arena, struct compiled *out);

/* What the findings CL101 say that a mean step would save, together. */
double compiled_again_ns(const struct compiled *compiled);

/* The words of the one that takes most; in the arena. */
str compiled_again_first(const struct compiled *compiled, struct arena *arena);

/*
 * The tables `compilations`, `recompilations`, `graph_breaks` and `generated_kernels`, and the findings CL... Together
 * they claim no more than `most_ns` of a mean step, which is what a replay without compilation saves; NAN: not replayed.
 */
void compiled_show(const struct compiled *compiled, double most_ns, struct report *report);

/* What is behind each finding. */
extern const struct finding_words compiled_words[];

#endif

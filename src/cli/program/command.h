/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command is one file that exports one const struct, and one row in the table
 * of commands.c. Its options are data: the parser, --help, the man page and the
 * completion all come from the same table.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "report/report.h"
#include "sketch/file/sketch.h"
#include "steptime/error.h"
#include "trace/execution.h"
#include "trace/select.h"
#include "trace/trace.h"

struct option {
    const char *name;  /* without dashes: "format" */
    char letter;       /* 'o' for -o; 0: none */
    const char *value; /* "FILE": takes a value, shown under this word; "[DEVICE]": or none, see below; NULL: a flag */
    const char *words; /* "term|json|csv": the only values; NULL: any */
    const char *help;  /* one or two sentences */
};

/* Whether its value may be left out: then it is given as --dry=H100, never as the next word. */
static inline bool option_takes_joined(const struct option *option)
{
    return option->value && option->value[0] == '[';
}

/* Option groups that many commands share; commands.c holds their rows. */
enum shared_options {
    SHARED_OUTPUT = 1,               /* --format, -o, --table, --color, --rows */
    SHARED_OUTPUT_ALL_ROWS = 32,     /* the same but --rows, which is an option of the command's own */
    SHARED_OUTPUT_NO_FINDINGS = 128, /* the same as SHARED_OUTPUT but the formats that tell findings alone */
    SHARED_TRACE = 2,                /* --steps, --skip-warmup, --rank, --threads */
    SHARED_TRACE_ALL_STEPS = 64,     /* the same but --steps and --skip-warmup, of commands that look at all steps */
    SHARED_QUESTION = 4,             /* what if: --hw, --batch, --sweep ...; see asked.h */
    SHARED_EXPLAIN = 8,              /* --explain, answered by the report itself (output.c) */
    SHARED_PEAKS = 16,               /* --device, whose peaks to compare with; see peaks_option.h */
};

/* What a sketch is made of, and for what. */
struct sketching {
    const struct trace *trace;
    const void *result; /* what `run` made of it */
    bool kept;          /* it is kept for later; else it stands for the trace in this run alone */
};

/* The command line after parsing. */
struct call;
const char *call_text(const struct call *call, const char *option); /* NULL where not given */
str call_str(const struct call *call, const char *option, const char *otherwise);
bool call_flag(const struct call *call, const char *option);
const struct selection *call_selection(const struct call *call);
uint32_t call_argument_count(const struct call *call);
const char *call_argument(const struct call *call, uint32_t i);

/*
 * What all files of a run add up to, where that is too much to be kept for each. A result may keep the pool, which lives
 * until `show` is done.
 */
struct analysis_pool {
    void *(*open)(void);
    void (*add)(void *pool, void *result); /* one file at a time, in any order; frees what the pool now holds */
    void (*close)(void *pool);
};

/*
 * An analysis, as the driver (analyse.c) runs it. For each input file, on all
 * cores: the file is read, `run` fills a zeroed result of `size` bytes with
 * numbers (whatever it points to lives in the arena, texts of the trace too:
 * copy them), and the trace is dropped. Then `show` puts all results, ordered by
 * rank, into one report. `run` is called from several threads at once.
 *
 * trace->info.rank is always set when `run` is called: as recorded, else from
 * the file's name, else by order.
 */
struct analysis {
    size_t size;
    void (*run)(const struct call *call, const struct trace *trace, struct arena *arena, void *result);
    bool (*show)(const struct call *call, const void *const *results, uint32_t count, struct report *report,
                 struct steptime_error *err);
    /* May be NULL: execution traces are not read. The same for one; it has no steps to choose from, and any rank. */
    void (*run_execution)(const struct call *call, const struct execution *execution, struct arena *arena,
                          void *result);
    /* May be NULL: sketches are not read. The same for one; false with *err where it does not hold what is asked for. */
    bool (*run_sketch)(const struct call *call, const struct sketch *sketch, int64_t rank, struct arena *arena,
                       void *result, struct steptime_error *err);
    /*
     * May be NULL: no sketches are made. Adds to it what run_sketch wants of the result, or, to be kept, what all commands
     * that read sketches want of the trace, as far as there is room for it.
     */
    void (*sketch)(const struct call *call, const struct sketching *of, struct arena *arena, struct sketch *sketch);
    /* May be NULL. Looks at the options before anything is read; false: usage error. */
    bool (*check)(const struct call *call, struct steptime_error *err);
    /* May be NULL. What is asked for is the same of any input: where none is named, nothing is read, and `show` has no results. */
    bool (*needs_none)(const struct call *call);
    const struct analysis_pool *pool; /* NULL: results are kept as `run` leaves them */
};

struct command {
    const char *name;                /* "summary" */
    const char *arguments;           /* "TRACE|DIR..." */
    const char *brief;               /* one line for the list of commands */
    const char *about;               /* paragraphs for --help and the man page */
    const char *examples;            /* lines "steptime summary trace.json.gz|what it does", newline-separated */
    unsigned shared;                 /* enum shared_options */
    const struct option *options;    /* own options, ended by a zeroed row; NULL: none */
    const struct analysis *analysis; /* run by the driver; or */
    enum steptime_code (*run)(const struct call *call, struct steptime_error *err); /* whatever else a command does */
    /*
     * What --explain list tells where there is no input: the answer itself, or with SHARED_EXPLAIN its tables without rows.
     * NULL: doc/numbers/columns.md has them.
     */
    void (*list)(struct report *report);
};

#endif

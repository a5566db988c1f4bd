/* SPDX-License-Identifier: Apache-2.0 */
/* --compile-log DIR of the commands that read traces of a run: the log of PyTorch's compiler beside them. */
#ifndef CLI_COMPILE_LOG_H
#define CLI_COMPILE_LOG_H

#include "breakdown/compiled/compiled.h"
#include "cli/program/command.h"

#define COMPILE_LOG_OPTION \
    { \
        "compile-log", 0, "DIR", NULL, \
            "Read what PyTorch's compiler wrote down of the same run (TORCH_TRACE=DIR): why functions were compiled again, " \
            "where graphs broke, which lines a generated kernel comes from." \
    }

/* What a trace says of compilations; nothing without the option. */
void compile_log_take(const struct call *call, const struct trace *trace, struct arena *arena,
                      struct compiled_trace *out);

/* For `check`: several processes share no log. For `run_sketch`: the log is joined with traces alone. */
bool compile_log_check(const struct call *call, struct steptime_error *err);
bool compile_log_of_sketch(const struct call *call, struct steptime_error *err);

struct log_beside {
    bool asked;
    struct compile_log log;
    struct compiled compiled; /* where asked */
};

/*
 * Reads the log and joins it with the traces; false where it cannot be read. A result of the command holds its struct
 * compiled_trace at `offset`. Free with compile_log_close.
 */
bool compile_log_open(const struct call *call, const void *const *results, size_t offset, uint32_t count,
                      struct arena *arena, struct log_beside *out, struct steptime_error *err);
void compile_log_close(struct log_beside *beside);

/* Tables and findings; nothing without the option. `most_ns` as of compiled_show. */
void compile_log_show(const struct log_beside *beside, double most_ns, struct report *report);

/* All of it, for commands that say nothing of compilations by themselves. */
bool compile_log_tell(const struct call *call, const void *const *results, size_t offset, uint32_t count,
                      struct report *report, struct steptime_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can go wrong, told the same way everywhere.
 *
 * A function that can fail returns bool and takes a `struct steptime_error *`,
 * which may be NULL. On success the struct is left untouched. On failure it
 * says which file, which byte, and what: one line, fit for a terminal.
 *
 * Three things are never mixed: our own bug (assert), bad input (this struct),
 * and memory that ran out (steptime_on_out_of_memory).
 */
#ifndef STEPTIME_ERROR_H
#define STEPTIME_ERROR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The values are the program's exit codes. */
enum steptime_code {
    STEPTIME_OK = 0,
    STEPTIME_JUDGED = 1, /* a command that was asked to judge says no */
    STEPTIME_USAGE = 2,  /* wrong arguments */
    STEPTIME_INPUT = 3,  /* an input that cannot be used */
    STEPTIME_OUTPUT = 4, /* a result that could not be written */
    STEPTIME_MEMORY = 5, /* memory ran out */
};

struct steptime_error {
    enum steptime_code code;
    int64_t offset;    /* byte in the file as unpacked, -1 where none applies */
    char path[512];    /* "" where no file is concerned; shortened from the left */
    char message[256]; /* one line, no newline, control characters escaped */
};

/*
 * Called once when memory runs out, with the size that was asked for. It must
 * not return: it ends the process, or leaves by longjmp. The default prints
 * one line and exits with STEPTIME_MEMORY. Returns the previous handler.
 */
typedef void (*steptime_memory_handler)(size_t bytes);
steptime_memory_handler steptime_on_out_of_memory(steptime_memory_handler handler);

#ifdef __cplusplus
}
#endif

#endif

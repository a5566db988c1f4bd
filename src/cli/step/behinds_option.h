/* SPDX-License-Identifier: Apache-2.0 */
/* --explain verdict of commands that read sketches, too: events are in traces alone. */
#ifndef CLI_BEHINDS_OPTION_H
#define CLI_BEHINDS_OPTION_H

#include "base/error.h"
#include "breakdown/verdict/behind.h"
#include "cli/program/command.h"
#include "parallel/crew.h"

/* For `check`: what is spread over processes comes as sketches. */
static inline bool behinds_check(const struct call *call, struct steptime_error *err)
{
    return !behinds_wanted(call_text(call, "explain")) || crew_ours()->count == 1 ||
           fail(err, STEPTIME_USAGE, "--explain verdict is for one process: use steptime, not steptime-mpi");
}

/* For `run_sketch`. */
static inline bool behinds_of_sketch(const struct call *call, struct steptime_error *err)
{
    return !behinds_wanted(call_text(call, "explain")) ||
           fail(err, STEPTIME_INPUT, "is a sketch, and --explain verdict wants the trace");
}

#endif

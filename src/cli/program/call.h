/* SPDX-License-Identifier: Apache-2.0 */
/* The command line after parsing, for the files of this folder that fill it. Commands use the accessors of command.h. */
#ifndef CLI_CALL_H
#define CLI_CALL_H

#include "command.h"

struct given {
    const struct option *option;
    const char *value; /* NULL of a flag */
};

struct call {
    const struct command *command;
    struct given *given; /* in the order of the command line; the last one counts */
    uint32_t given_count;
    const char **arguments;
    uint32_t argument_count;
    uint32_t behind; /* the first argument behind "--"; argument_count: none is */
    struct selection selection;
    struct writer *sink;  /* takes the report instead of --output; NULL */
    bool sink_takes_text; /* and what is no report */
};

/*
 * Reads the words after the command's name. False with STEPTIME_USAGE and a
 * message that says what to write instead. Everything is in the arena and in argv.
 */
bool call_parse(struct call *call, const struct command *command, int argc, char **argv, struct arena *arena,
                struct steptime_error *err);

/* Of an option whose value is a count; `otherwise` where it is not given. False with STEPTIME_USAGE. */
bool call_count(const struct call *call, const char *option, int64_t least, int64_t most, int64_t otherwise,
                int64_t *value, struct steptime_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands as tools of the Model Context Protocol. What a tool takes comes from the command's own options: a flag is a
 * boolean, one of several words an enum, anything else a text. Commands that run somebody's program, or change files, are no
 * tools; options that write files are none of theirs.
 */
#ifndef CLI_MCP_TOOLS_H
#define CLI_MCP_TOOLS_H

#include "cli/program/command.h"
#include "rpc/message.h"

enum { PAGE_BYTES = 24000 }; /* of an answer at once */

const struct command *tools_find(str name); /* NULL where there is none */

/* The array of all, with their schemas. */
void tools_list(struct json_writer *json);

/*
 * The words of a command line: of the arguments of a call, as JSON. NULL with *err where they are none. *page: from 1.
 * In the arena.
 */
const char *const *tools_words(const struct command *command, str arguments, struct arena *arena, int *count,
                               int64_t *page, struct steptime_error *err);

#endif

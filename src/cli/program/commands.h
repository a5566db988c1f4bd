/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands, and the options each of them takes: for the parser, the help, the man pages and completion. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "command.h"

extern const struct command *const commands[]; /* ended by NULL */

const struct command *command_find(const char *name); /* NULL where there is none */

/* Fails for a name that is no command, with the one that may be meant. */
bool command_unknown(const char *name, struct steptime_error *err);

/* The options of a command by groups, the most specific first. */
struct option_group {
    const char *title;
    const struct option *options; /* ended by a zeroed row */
};
enum { OPTION_GROUPS = 7 };
uint32_t command_groups(const struct command *command, struct option_group groups[OPTION_GROUPS]);

/* By long name, and by letter; NULL where the command has none such. */
const struct option *command_option(const struct command *command, str name);
const struct option *command_letter(const struct command *command, char letter);

#endif

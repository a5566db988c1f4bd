/* SPDX-License-Identifier: Apache-2.0 */
/* What the table of commands says, told in four ways. All texts are in the arena. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "commands.h"

str help_overview(struct arena *arena, unsigned width);                               /* steptime --help */
str help_command(struct arena *arena, const struct command *command, unsigned width); /* steptime CMD --help */
str man_page(struct arena *arena, const struct command *command); /* scdoc source; NULL: of the program */
str completion_script(struct arena *arena, str shell);            /* bash, zsh or fish; "" for another */

/* Examples are lines "command|what it does". Takes the next one off *rest. */
bool help_example(str *rest, str *command, str *what);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include "base/error.h"
#include "help.h"
#include "output.h"
#include "screen.h"

static const struct option options[] = {
    {"man", 0, NULL, NULL, "Print the source of the manual page instead, for scdoc."},
    {0},
};

/* The command that is asked about; NULL with *err where there is no such. */
static const struct command *asked(const struct call *call, struct steptime_error *err)
{
    const struct command *command = command_find(call_argument(call, 0));
    if (!command)
        command_unknown(call_argument(call, 0), err);
    return command;
}

static str text_of(struct arena *arena, const struct command *command, bool man)
{
    const unsigned width = screen_of(STDOUT_FILENO, NULL).width;
    if (man)
        return man_page(arena, command);
    return command ? help_command(arena, command, width) : help_overview(arena, width);
}

static enum steptime_code run(const struct call *call, struct steptime_error *err)
{
    const struct command *command = call_argument_count(call) ? asked(call, err) : NULL;
    if (!command && call_argument_count(call))
        return STEPTIME_USAGE;
    struct arena arena = {0};
    const bool good = output_text(text_of(&arena, command, call_flag(call, "man")), call, err);
    arena_free(&arena);
    return good ? STEPTIME_OK : err->code;
}

const struct command command_help = {
    .name = "help",
    .arguments = "[COMMAND]",
    .brief = "what the program, or one of its commands, does and takes",
    .about = "Without a command: what the program does, and its commands. With one: its options, and examples.",
    .examples = "steptime help info|the same as 'steptime info --help'\n"
                "steptime help --man info > steptime-info.1.scd|the source of its manual page",
    .options = options,
    .run = run,
};

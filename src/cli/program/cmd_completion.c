/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "help.h"
#include "output.h"

static enum steptime_code run(const struct call *call, struct steptime_error *err)
{
    if (call_argument_count(call) != 1) {
        fail(err, STEPTIME_USAGE, "for which shell? bash, zsh or fish");
        return STEPTIME_USAGE;
    }
    struct arena arena = {0};
    const char *shell = call_argument(call, 0);
    const str script = completion_script(&arena, str_of(shell));
    const bool good = script.len
                          ? output_text(script, call, err)
                          : fail(err, STEPTIME_USAGE, "there is no completion for '%s': bash, zsh or fish", shell);
    arena_free(&arena);
    return good ? STEPTIME_OK : err->code;
}

const struct command command_completion = {
    .name = "completion",
    .arguments = "bash|zsh|fish",
    .brief = "completion of commands and options for a shell",
    .about = "Prints a script that teaches the shell to complete commands, options and their values with the tab key. "
             "An installed steptime brings it along.",
    .examples = "source <(steptime completion bash)|for this shell\n"
                "steptime completion fish > ~/.config/fish/completions/steptime.fish|for every fish from now on",
    .run = run,
};

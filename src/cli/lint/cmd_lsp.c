/* SPDX-License-Identifier: Apache-2.0 */
/* Lint for editors. */
#include <signal.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/program/call.h"
#include "lsp/server.h"

static enum steptime_code run(const struct call *call, struct steptime_error *err)
{
    if (call->sink)
        return fail(err, STEPTIME_USAGE, "lsp serves an editor by standard input and output"), STEPTIME_USAGE;
    if (call_argument_count(call))
        return fail(err, STEPTIME_USAGE, "the editor names the files; start it as 'steptime lsp'"), STEPTIME_USAGE;
    signal(SIGPIPE, SIG_IGN);
    return server_run(STDIN_FILENO, STDOUT_FILENO) == 0 ? STEPTIME_OK : STEPTIME_JUDGED;
}

static const struct option options[] = {
    {"stdio", 0, NULL, NULL, "Talk by standard input and output. There is no other way; editors like to say it."},
    {0},
};

const struct command command_lsp = {
    .name = "lsp",
    .arguments = "",
    .brief = "what lint finds, in an editor while it is written",
    .about =
        "A server of the Language Server Protocol over standard input and output; an editor starts it. The files of the "
        "workspace are one program, and what is open in the editor counts as it stands there. Findings are diagnostics, "
        "each rewrite of 'steptime fix' is a quick fix, 'source.fixAll.steptime' makes all safe ones of a file, and "
        "hovering shows what a finding rests on and what its rule says.\n\n"
        "[tool.steptime] in pyproject.toml and comments count as for 'steptime lint'. The initializationOptions 'select' "
        "and 'ignore' take rules as the options of lint do. doc/editors.md says how to set editors up.\n\n"
        "Exit code 1: it ended without having been shut down.",
    .examples = "steptime lsp|as an editor starts it",
    .options = options,
    .run = run,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* The commands as tools for agents. */
#include <signal.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/program/call.h"
#include "session.h"

static enum steptime_code run(const struct call *call, struct steptime_error *err)
{
    if (call->sink || call_argument_count(call)) {
        fail(err, STEPTIME_USAGE, "an agent starts 'steptime mcp' and talks to it by standard input and output");
        return STEPTIME_USAGE;
    }
    signal(SIGPIPE, SIG_IGN);
    session_run(STDIN_FILENO, STDOUT_FILENO);
    return STEPTIME_OK;
}

const struct command command_mcp = {
    .name = "mcp",
    .arguments = "",
    .brief = "the commands as tools for agents, over the Model Context Protocol",
    .about =
        "A server of the Model Context Protocol over standard input and output; an agent starts it. Each command that reads "
        "traces or sources is a tool with the command's own options, and answers in Markdown, a page at a time. Nothing is "
        "written, and nobody's program is run: for that ('record', 'tune', 'verify') the agent uses its shell.\n\n"
        "Two prompts lead through several tools: 'trace_to_fix', from traces to a diff of the source, and 'explain_change', "
        "from two recordings to why they differ. doc/agents.md is a guide for agents, and says how to set them up.",
    .examples = "steptime mcp|as an agent starts it\n"
                "claude mcp add steptime -- steptime mcp|in Claude Code",
    .run = run,
};

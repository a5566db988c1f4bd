/* SPDX-License-Identifier: Apache-2.0 */
/* A new command: its file cmd_<name>.c, and its name here twice. */
#include "commands.h"

#include <stddef.h>

#include "base/error.h"
#include "text/suggest.h"

extern const struct command command_summary;
extern const struct command command_breakdown;
extern const struct command command_kernels;
extern const struct command command_ops;
extern const struct command command_critical_path;
extern const struct command command_ranks;
extern const struct command command_diff;
extern const struct command command_report;
extern const struct command command_memory;
extern const struct command command_query;
extern const struct command command_export;
extern const struct command command_overheads;
extern const struct command command_predict;
extern const struct command command_price;
extern const struct command command_info;
extern const struct command command_hw;
extern const struct command command_model;
extern const struct command command_calibrate;
extern const struct command command_record;
extern const struct command command_lint;
extern const struct command command_rules;
extern const struct command command_fix;
extern const struct command command_lsp;
extern const struct command command_mcp;
extern const struct command command_verify;
extern const struct command command_tune;
extern const struct command command_shard;
extern const struct command command_fleet;
extern const struct command command_help;
extern const struct command command_completion;

extern const struct option question_options[]; /* cli/predict/asked.c */

const struct command *const commands[] = {
    &command_summary,
    &command_breakdown,
    &command_kernels,
    &command_ops,
    &command_critical_path,
    &command_ranks,
    &command_diff,
    &command_report,
    &command_memory,
    &command_query,
    &command_export,
    &command_overheads,
    &command_predict,
    &command_price,
    &command_info,
    &command_hw,
    &command_model,
    &command_calibrate,
    &command_record,
    &command_lint,
    &command_rules,
    &command_fix,
    &command_lsp,
    &command_mcp,
    &command_verify,
    &command_tune,
    &command_shard,
    &command_fleet,
    &command_help,
    &command_completion,
    NULL,
};

/* Those of steps first: some commands look at all. */
enum { STEP_OPTIONS = 2 };
static const struct option trace_options[] = {
    {"steps", 0, "A..B", NULL,
     "Look at these steps only: 2..5, 2.., ..5 or 3. The numbers are those of ProfilerStep#N; of other steps they count "
     "from 0."},
    {"skip-warmup", 0, NULL, NULL, "Leave out the first recorded step: it carries the profiler's start."},
    {"rank", 0, "R", NULL, "Look at these ranks only: 3, 0,4 or 0..7."},
    {"threads", 0, "N", NULL, "Read so many files at once. Default: one a core."},
    {0},
};

static const struct option peaks_options[] = {
    {"device", 0, "NAME", NULL,
     "Take the peaks of this device instead of the recorded one: H100, 'A100 80GB SXM', MI300X."},
    {0},
};

static const char rows_words[] = "Show at most N rows of a table on the screen, 0 for all. Default: 20.";
static const char output_words[] =
    "Write to FILE instead of standard output. The file is replaced when all is done, or untouched. It must not be "
    "one of the inputs.";
static const char table_words[] =
    "Write only the table ID, with all its columns and rows. --format json shows the ids.";
static const char color_words[] =
    "Colours: on a terminal (auto, the default; NO_COLOR turns them off), always or never.";

/* --rows first: some commands have one of their own, and the others alone. */
static const struct option output_options[] = {
    {"rows", 0, "N", NULL, rows_words},
    {"format", 0, "FORMAT", "term|json|csv|html|markdown|sarif|github",
     "What to write: a screen for people (term, the default), a page for a browser that needs nothing else (html), text for a "
     "pull request or an issue (markdown), JSON, or one table as CSV; of the findings alone SARIF 2.1.0 (sarif), or annotations of GitHub Actions (github)."},
    {"output", 'o', "FILE", NULL, output_words},
    {"table", 0, "ID", NULL, table_words},
    {"color", 0, "WHEN", "auto|always|never", color_words},
    {0},
};

/* Of commands that never find anything. */
static const struct option output_options_no_findings[] = {
    {"rows", 0, "N", NULL, rows_words},
    {"format", 0, "FORMAT", "term|json|csv|html|markdown",
     "What to write: a screen for people (term, the default), a page for a browser that needs nothing else (html), text for a "
     "pull request or an issue (markdown), JSON, or one table as CSV."},
    {"output", 'o', "FILE", NULL, output_words},
    {"table", 0, "ID", NULL, table_words},
    {"color", 0, "WHEN", "auto|always|never", color_words},
    {0},
};

static const struct option explain_options[] = {
    {"explain", 0, "ID", NULL,
     "What a number of the tables means, and its values: its column, as in kernels.total_ns, total_ns or total. 'list' "
     "names them all with their definitions, without an input as well. FILE:LINE shows the findings at a line of the source with what they "
     "rest on, or says that there is none; the exit code is of these alone."},
    {0},
};

static const struct option common_options[] = {
    {"help", 'h', NULL, NULL, "Say what the command does and takes."},
    {0},
};

const struct command *command_find(const char *name)
{
    for (const struct command *const *at = commands; *at; at++)
        if (!strcmp((*at)->name, name))
            return *at;
    return NULL;
}

bool command_unknown(const char *name, struct steptime_error *err)
{
    struct suggestion close = suggest(str_of(name));
    for (const struct command *const *at = commands; *at; at++)
        suggest_offer(&close, str_of((*at)->name));
    if (!suggest_found(&close))
        return fail(err, STEPTIME_USAGE, "there is no command or file '%s'", name);
    return fail(err, STEPTIME_USAGE, "there is no command or file '%s'; did you mean '%s'?", name, close.best.at);
}

uint32_t command_groups(const struct command *command, struct option_group groups[OPTION_GROUPS])
{
    uint32_t count = 0;
    if (command->options)
        groups[count++] = (struct option_group){"Options", command->options};
    if (command->shared & SHARED_QUESTION)
        groups[count++] = (struct option_group){"What if", question_options};
    if (command->shared & SHARED_TRACE)
        groups[count++] = (struct option_group){"What to look at", trace_options};
    if (command->shared & SHARED_TRACE_ALL_STEPS)
        groups[count++] = (struct option_group){"What to look at", trace_options + STEP_OPTIONS};
    if (command->shared & SHARED_PEAKS)
        groups[count++] = (struct option_group){"What to compare with", peaks_options};
    if (command->shared & SHARED_OUTPUT)
        groups[count++] = (struct option_group){"Output", output_options};
    if (command->shared & SHARED_OUTPUT_NO_FINDINGS)
        groups[count++] = (struct option_group){"Output", output_options_no_findings};
    if (command->shared & SHARED_OUTPUT_ALL_ROWS)
        groups[count++] = (struct option_group){"Output", output_options + 1};
    if (command->shared & SHARED_EXPLAIN)
        groups[count++] = (struct option_group){"Definitions", explain_options};
    groups[count++] = (struct option_group){"Help", common_options};
    return count;
}

const struct option *command_option(const struct command *command, str name)
{
    struct option_group groups[OPTION_GROUPS];
    const uint32_t count = command_groups(command, groups);
    for (uint32_t i = 0; i < count; i++)
        for (const struct option *option = groups[i].options; option->name; option++)
            if (str_eq(str_of(option->name), name))
                return option;
    return NULL;
}

const struct option *command_letter(const struct command *command, char letter)
{
    struct option_group groups[OPTION_GROUPS];
    const uint32_t count = command_groups(command, groups);
    for (uint32_t i = 0; i < count; i++)
        for (const struct option *option = groups[i].options; option->name; option++)
            if (option->letter == letter)
                return option;
    return NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "lint_dry.h"

#include <string.h>

#include "base/error.h"
#include "cli/program/commands.h"
#include "cli/program/hardware_option.h"
#include "cli/run/training.h"
#include "dry/device.h"

enum { USUAL_STEPS = 5, MOST_STEPS = 1000, USUAL_LIMIT_S = 600, MOST_LIMIT_S = 86400 };
static const char usual_device[] = "H100";

static bool is_asked(const struct call *call)
{
    return command_option(call->command, S("dry")) && call_flag(call, "dry");
}

/* ---- words behind "--" ---- */

static str spoken(const struct call *call, struct arena *arena)
{
    str line = S("");
    for (uint32_t i = call->behind; i < call->argument_count; i++)
        line = str_printf(arena, "%.*s%s%s", (int)line.len, line.at, line.len ? " " : "", call->arguments[i]);
    return str_printable(arena, line);
}

/* ---- what to lint ---- */

static const char *folder_of_script(const struct call *call, struct arena *arena)
{
    for (uint32_t i = call->behind; i < call->argument_count; i++) {
        const str word = str_of(call->arguments[i]);
        if (!str_ends(word, S(".py")))
            continue;
        const char *const slash = strrchr(word.at, '/');
        if (!slash)
            return ".";
        return slash == word.at ? "/" : str_z(arena, (str){word.at, (size_t)(slash - word.at)});
    }
    return ".";
}

const char *const *lint_dry_paths(const struct call *call, struct arena *arena, uint32_t *count)
{
    *count = is_asked(call) ? call->behind : call->argument_count;
    if (*count || !is_asked(call))
        return call->arguments;
    const char **const paths = arena_array(arena, 1, sizeof *paths);
    paths[0] = folder_of_script(call, arena);
    *count = 1;
    return paths;
}

/* ---- the run ---- */

static bool read_options(const struct call *call, struct arena *arena, struct dry_options *options,
                         struct steptime_error *err)
{
    struct hardware hardware;
    int64_t limit_s;
    if (call->behind == call->argument_count)
        return fail(err, STEPTIME_USAGE, "--dry: which program? steptime lint --dry -- python train.py");
    if (!call_count(call, "dry-steps", 2, MOST_STEPS, USUAL_STEPS, &options->steps, err) ||
        !call_count(call, "limit", 1, MOST_LIMIT_S, USUAL_LIMIT_S, &limit_s, err) ||
        !hardware_of_words(call, call_str(call, "dry", usual_device), arena, &hardware, err))
        return false;
    options->argv = training_words_from(call, call->behind, arena);
    options->device = dry_device_of(&hardware);
    options->limit_ns = limit_s * 1000000000;
    options->waits = true;
    options->precision = options->batch_shape = S("");
    return true;
}

/* What has no meaning without --dry is a slip, and a slip that is obeyed silently reads as an answer. */
static bool nothing_of_it(const struct call *call, struct steptime_error *err)
{
    static const char *const of_dry[] = {"dry-steps", "limit", "python"};
    for (size_t i = 0; command_option(call->command, S("dry")) && i < sizeof of_dry / sizeof *of_dry; i++)
        if (call_text(call, of_dry[i]))
            return fail(err, STEPTIME_USAGE,
                        "--%s is of the program that --dry runs: steptime lint --dry -- python train.py", of_dry[i]);
    return true;
}

bool lint_dry_check(const struct call *call, struct arena *arena, struct lint_dry *dry, struct steptime_error *err)
{
    *dry = (struct lint_dry){.asked = is_asked(call)};
    if (!dry->asked)
        return nothing_of_it(call, err);
    if (!read_options(call, arena, &dry->options, err))
        return false;
    dry->of = (struct proven_of){.device = dry->options.device.name, .command = spoken(call, arena)};
    return true;
}

bool lint_dry_run(struct lint_dry *dry, struct arena *arena, struct steptime_error *err)
{
    return !dry->asked || dry_run(&dry->options, arena, &dry->result, err);
}

void lint_dry_join(struct lint_dry *dry, struct lint *lint, struct arena *arena)
{
    if (!dry->asked)
        return;
    proven_join(lint, &dry->result, &dry->of, arena, &dry->proven);
    lint_rank(lint);
}

void lint_dry_show(const struct lint_dry *dry, struct report *report)
{
    if (!dry->asked)
        return;
    proven_show(&dry->proven, report);
    if (dry->result.short_because.len)
        report_warning(report, dry->of.command, -1,
                       str_printf(report_arena(report), "it made %lld steps without data and stopped %.*s",
                                  (long long)dry->result.steps, (int)dry->result.short_because.len,
                                  dry->result.short_because.at));
}

void lint_dry_close(const struct lint_dry *dry)
{
    dry_close(&dry->result);
}

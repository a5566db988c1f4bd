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

static const char *const *words_of(const struct call *call, struct arena *arena)
{
    const uint32_t count = call->argument_count - call->behind;
    const char **const words = arena_array(arena, (size_t)count + 2, sizeof *words);
    uint32_t at = 0;
    if (count && str_ends(str_of(call->arguments[call->behind]), S(".py")))
        words[at++] = training_python(call);
    for (uint32_t i = call->behind; i < call->argument_count; i++)
        words[at++] = call->arguments[i];
    return words;
}

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
    options->argv = words_of(call, arena);
    options->device = dry_device_of(&hardware);
    options->limit_ns = limit_s * 1000000000;
    options->waits = true;
    return true;
}

bool lint_dry_run(const struct call *call, struct arena *arena, struct lint_dry *dry, struct steptime_error *err)
{
    struct dry_options options = {.precision = S(""), .batch_shape = S("")};
    *dry = (struct lint_dry){.asked = is_asked(call)};
    if (!dry->asked)
        return true;
    if (!read_options(call, arena, &options, err))
        return false;
    dry->of = (struct proven_of){.device = options.device.name, .command = spoken(call, arena)};
    return dry_run(&options, arena, &dry->result, err);
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

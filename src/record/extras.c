/* SPDX-License-Identifier: Apache-2.0 */
#include "extras.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "compilelog/compilelog.h"
#include "pack_file.h"

static void tell(const struct record_options *options, str what)
{
    if (options->tell)
        options->tell(what);
}

static void tell_why(const struct record_options *options, const char *what, const struct steptime_error *why,
                     struct arena *arena)
{
    const str line = error_line(arena, why);
    tell(options, str_printf(arena, "%s: %.*s", what, (int)line.len, line.at));
}

/* ---- an execution trace ---- */

void extras_pack_execution(const struct record_options *options, const char *folder, str base, struct arena *arena)
{
    const char *const from = str_printf(arena, "%s/%.*s.et.json", folder, (int)base.len, base.at).at;
    const char *const to = str_printf(arena, "%s/%.*s.et.json.gz", options->to, (int)base.len, base.at).at;
    struct steptime_error why = {.offset = -1};
    if (access(from, R_OK))
        return;
    if (pack_file(from, to, &why))
        tell(options, str_printf(arena, "%s: an execution trace, for steptime predict", to));
    else
        tell_why(options, "no execution trace", &why, arena);
}

/* ---- the log of the compiler ---- */

const char *extras_compile_log(const struct record_options *options, struct arena *arena)
{
    const char *const own = getenv("TORCH_TRACE");
    return own && *own ? own : str_printf(arena, "%s/compile-log", options->to).at;
}

static uint32_t compiled_again(const struct compile_log *log)
{
    uint32_t again = 0;
    for (uint32_t i = 0; i < log->compile_count; i++)
        again += log->compiles[i].number > 0;
    return again;
}

void extras_tell_compile_log(const struct record_options *options, struct arena *arena)
{
    const char *const path = extras_compile_log(options, arena);
    struct compile_log log = {0};
    struct steptime_error why = {.offset = -1};
    if (access(path, F_OK))
        tell(options, S("nothing was compiled, so there is no log of the compiler"));
    else if (!compile_log_read(path, arena, &log, &why))
        tell_why(options, "no log of the compiler", &why, arena);
    else
        tell(options, str_printf(arena,
                                 "%s: compiled %u times, %u of them again, with %u graph breaks; see steptime summary "
                                 "%s --compile-log %s",
                                 path, log.compile_count, compiled_again(&log), log.break_count, options->to, path));
    compile_log_free(&log);
}

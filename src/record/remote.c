/* SPDX-License-Identifier: Apache-2.0 */
#include "remote.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

extern const char remote_py[];

enum { WAIT = 10, REFUSED = 3 }; /* bare steps; the exit code of python/record/remote.py */

/* Its own interpreter: NULL where the program is none, or cannot be told. */
static const char *interpreter_of(int64_t process, struct arena *arena)
{
    char path[PATH_MAX];
    const ssize_t len = readlink(str_printf(arena, "/proc/%lld/exe", (long long)process).at, path, sizeof path - 1);
    if (len <= 0)
        return NULL;
    path[len] = 0;
    const char *const slash = strrchr(path, '/');
    return slash && str_starts(str_of(slash + 1), S("python")) ? str_copy(arena, str_of(path)).at : NULL;
}

bool remote_run(const struct attach_options *options, const struct target *target, struct arena *arena,
                struct record_result *result, struct steptime_error *err)
{
    const char *const python = interpreter_of(target->process, arena);
    if (!python)
        return fail(
            err, STEPTIME_INPUT,
            "process %lld was not started with KINETO_USE_DAEMON=1, so its PyTorch hears nobody, and is no Python "
            "that could be asked",
            (long long)target->process);
    const char *const number = str_printf(arena, "%lld", (long long)target->process).at;
    const char *const argv[] = {python, "-c", remote_py, number, NULL};
    const struct record_options to = {
        .argv = argv,
        .to = options->to,
        .name = target->base,
        .wait = WAIT,
        .warmup = options->warmup,
        .steps = options->steps,
        .no_stacks = options->no_stacks,
        .tell = options->tell,
    };
    if (!record_run(&to, arena, result, err))
        return false;
    if (result->end.code != REFUSED)
        return true;
    return fail(err, STEPTIME_INPUT, "%.*s", (int)result->why_none.len, result->why_none.at);
}

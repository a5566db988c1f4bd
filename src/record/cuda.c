/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "read/read.h"

extern char **environ;

/* ---- the library ---- */

static const char *own_folder(struct arena *arena)
{
    char path[4096];
    const ssize_t len = readlink("/proc/self/exe", path, sizeof path);
    size_t end = len > 0 && (size_t)len < sizeof path ? (size_t)len : 0;
    while (end && path[end - 1] != '/')
        end--;
    return end ? str_copy(arena, (str){path, end}).at : "";
}

/* Where it is installed, and where it is built, as seen from this program. NULL: in none of these. */
static const char *library(struct arena *arena)
{
    static const char *const places[] = {"../lib/x86_64-linux-gnu/steptime", "../lib/aarch64-linux-gnu/steptime",
                                         "../lib/steptime", "../lib64/steptime", "../cuda"};
    const char *const own = getenv("STEPTIME_CUDA_LIBRARY"), *const folder = own_folder(arena);
    if (own && *own)
        return access(own, R_OK) ? NULL : own;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *const path = str_printf(arena, "%s%s/libsteptime_cuda.so", folder, places[i]).at;
        char *const whole = access(path, R_OK) ? NULL : realpath(path, NULL);
        if (whole) {
            const str copy = str_copy(arena, str_of(whole));
            free(whole);
            return copy.at;
        }
    }
    return NULL;
}

/* What the program's environment has more. NVTX asks a library of its own for ranges, which hands that on to CUPTI. */
static bool set_environment(const struct cuda_options *options, struct arena *arena, struct steptime_error *err)
{
    static const char *const injection = "CUDA_INJECTION64_PATH";
    const char *const ours = library(arena);
    if (getenv(injection))
        return fail(err, STEPTIME_USAGE, "%s is set already: another profiler is to be loaded in the place of this one",
                    injection);
    if (!ours)
        return fail(err, STEPTIME_INPUT,
                    "there is no libsteptime_cuda.so beside this program; STEPTIME_CUDA_LIBRARY=PATH names one");
    char *const folder = realpath(options->to, NULL); /* the program may go elsewhere */
    const str to =
        str_printf(arena, "%s/%.*s", folder ? folder : options->to, (int)options->name.len, options->name.at);
    free(folder);
    if (setenv(injection, ours, 1) || setenv("NVTX_INJECTION64_PATH", ours, 0) ||
        setenv("STEPTIME_CUDA_TO", to.at, 1) || setenv("STEPTIME_CUDA_QUIET", "1", 1))
        return fail(err, STEPTIME_MEMORY, "there is no room for the environment");
    return true;
}

/* ---- what came of it ---- */

static uint64_t with_lines(const struct trace *trace)
{
    uint64_t count = 0;
    for (uint32_t row = 0; row < trace->count; row++)
        count += trace->kind[row] == EVENT_PYTHON && str_starts(trace_name(trace, row), S("<built-in function "));
    return count;
}

static void tell_file(const struct cuda_options *options, const char *path, struct arena *arena)
{
    struct steptime_error why = {.offset = -1};
    struct trace *const trace = trace_read(path, NULL, &why);
    if (!trace) {
        options->tell(error_line(arena, &why));
        return;
    }
    const uint64_t *const kinds = trace->kinds;
    options->tell(str_printf(arena,
                             "%s: %" PRIu64 " kernels, %" PRIu64 " copies, %" PRIu64 " calls, %" PRIu64
                             " waits, %" PRIu64 " ranges; %" PRIu64 " calls with their line of Python; %" PRIu64
                             " records lost",
                             path, kinds[EVENT_KERNEL], kinds[EVENT_COPY], kinds[EVENT_RUNTIME], kinds[EVENT_SYNC],
                             kinds[EVENT_ANNOTATION], with_lines(trace), trace->dropped));
    for (uint32_t i = 0; i < trace->note_count; i++)
        options->tell(str_printf(arena, "%s: %.*s", path, (int)trace->notes[i].text.len, trace->notes[i].text.at));
    trace_free(trace);
}

static bool is_among(const char *const *names, uint32_t count, const char *name)
{
    while (count && !str_eq(str_of(names[count - 1]), str_of(name)))
        count--;
    return count > 0;
}

enum { MOST_FILES = 4096 };

/* The names of recordings in the folder; beyond MOST_FILES none is told. */
static uint32_t recordings(const char *folder, const char **names, struct arena *arena)
{
    DIR *const open = opendir(folder);
    uint32_t count = 0;
    for (struct dirent *entry; open && count < MOST_FILES && (entry = readdir(open));)
        if (str_ends(str_of(entry->d_name), S(".cuda")))
            names[count++] = str_copy(arena, str_of(entry->d_name)).at;
    if (open)
        closedir(open);
    return count;
}

bool cuda_record(const struct cuda_options *options, struct arena *arena, uint32_t *files, struct foreground_end *end,
                 struct steptime_error *err)
{
    enum { SHOWN = 4 };
    const char **const before = arena_array(arena, MOST_FILES, sizeof *before);
    const char **const after = arena_array(arena, MOST_FILES, sizeof *after);
    const uint32_t there = recordings(options->to, before, arena);
    *files = 0;
    if (!set_environment(options, arena, err))
        return false;
    const struct foreground run = {.argv = options->argv, .environment = (const char *const *)environ};
    if (!foreground_run(&run, end, err))
        return false;
    const uint32_t found = recordings(options->to, after, arena);
    for (uint32_t i = 0; i < found; i++)
        if (!is_among(before, there, after[i]) && (*files)++ < SHOWN)
            tell_file(options, str_printf(arena, "%s/%s", options->to, after[i]).at, arena);
    if (*files > SHOWN)
        options->tell(str_printf(arena, "and %u more", *files - SHOWN));
    return true;
}

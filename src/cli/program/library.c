/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions of steptime/steptime.h: a call with a sink in memory. */
#include "steptime/steptime.h"

#include "analyse.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "call.h"
#include "commands.h"
#include "io/writer.h"

struct steptime_result {
    struct buf text;
};

const char *steptime_version(void)
{
    return STEPTIME_VERSION;
}

/* The words after the command's name, JSON asked for first: a later --format counts more. */
static char **arguments_of(int count, const char *const *words, struct arena *arena)
{
    char **arguments = arena_array(arena, (size_t)count + 2, sizeof *arguments);
    arguments[0] = (char *)str_z(arena, S("--format"));
    arguments[1] = (char *)str_z(arena, S("json"));
    for (int i = 1; i < count; i++)
        arguments[i + 1] = (char *)str_z(arena, str_of(words[i]));
    return arguments;
}

static struct steptime_result *keep(struct writer *sink)
{
    struct steptime_result *result = mem_zeroed(sizeof *result);
    buf_add(&result->text, writer_text(sink));
    buf_char(&result->text, 0);
    return result;
}

static bool run_into(struct writer *sink, const struct command *command, int count, const char *const *words,
                     struct arena *arena, struct steptime_error *err)
{
    struct call call;
    if (!call_parse(&call, command, count + 1, arguments_of(count, words, arena), arena, err))
        return false;
    if (call_flag(&call, "help") || call_text(&call, "output"))
        return fail(err, STEPTIME_USAGE, "--help and --output are for the program, not for the library");
    call.sink = sink;
    return analyse(&call, err) == STEPTIME_OK;
}

struct steptime_result *steptime_run(int count, const char *const *words, struct steptime_error *err)
{
    struct steptime_error ignored;
    err = err ? err : &ignored;
    const struct command *command = count > 0 ? command_find(words[0]) : NULL;
    if (!command || !command->analysis) {
        fail(err, STEPTIME_USAGE, "no command that reads traces is named '%s'", count > 0 ? words[0] : "");
        return NULL;
    }
    struct arena arena = {0};
    struct writer *sink = writer_to_memory();
    const bool good = run_into(sink, command, count, words, &arena, err);
    struct steptime_result *result = good ? keep(sink) : NULL;
    writer_abandon(sink);
    arena_free(&arena);
    return result;
}

const char *steptime_result_text(const struct steptime_result *result)
{
    return result->text.at;
}

size_t steptime_result_bytes(const struct steptime_result *result)
{
    return result->text.len - 1;
}

void steptime_result_free(struct steptime_result *result)
{
    if (result)
        buf_free(&result->text);
    mem_free(result);
}

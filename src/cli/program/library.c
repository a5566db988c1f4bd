/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions of steptime/steptime.h: a call with a sink in memory. */
#include "steptime/steptime.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "call.h"
#include "commands.h"
#include "io/writer.h"
#include "run.h"

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

/* What came so far; NULL where no report did. */
static struct steptime_result *keep(const struct writer *sink)
{
    if (!writer_text(sink).len)
        return NULL;
    struct steptime_result *result = mem_zeroed(sizeof *result);
    buf_add(&result->text, writer_text(sink));
    buf_char(&result->text, 0);
    return result;
}

static enum steptime_code run_into(struct writer *sink, const struct command *command, int count,
                                   const char *const *words, struct arena *arena, struct steptime_error *err)
{
    struct call call;
    const bool reports = command->shared & (SHARED_OUTPUT | SHARED_OUTPUT_NO_FINDINGS | SHARED_OUTPUT_ALL_ROWS);
    if (!reports)
        fail(err, STEPTIME_USAGE, "'%s' gives no report: it is for the program, not for the library", command->name);
    if (!reports || !call_parse(&call, command, count + 1, arguments_of(count, words, arena), arena, err))
        return err->code;
    call.sink = sink;
    if (!call_flag(&call, "help") && !call_text(&call, "output"))
        return call_run(&call, err);
    fail(err, STEPTIME_USAGE, "--help and --output are for the program, not for the library");
    return err->code;
}

struct steptime_result *steptime_run(int count, const char *const *words, struct steptime_error *err)
{
    struct steptime_error ignored;
    err = err ? err : &ignored;
    *err = (struct steptime_error){.offset = -1};
    const struct command *command = count > 0 ? command_find(words[0]) : NULL;
    if (!command) {
        command_unknown(count > 0 ? words[0] : "", err);
        return NULL;
    }
    struct arena arena = {0};
    struct writer *sink = writer_to_memory();
    const enum steptime_code code = run_into(sink, command, count, words, &arena, err);
    struct steptime_result *result = code == STEPTIME_OUTPUT ? NULL : keep(sink);
    err->code = code;
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

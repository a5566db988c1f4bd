/* SPDX-License-Identifier: Apache-2.0 */
#include "spare.h"

#include "base/error.h"
#include "call.h"
#include "io/same_file.h"

/* Options whose FILE is written; that of all others is read. */
static bool writes(const struct option *option)
{
    return !strcmp(option->name, "output") || !strcmp(option->name, "overlay");
}

bool outputs_spare(const struct call *call, const char *read, struct steptime_error *err)
{
    for (uint32_t i = 0; i < call->given_count; i++) {
        const struct given *given = &call->given[i];
        if (writes(given->option) && same_file(given->value, read))
            return fail(err, STEPTIME_USAGE, "--%s %s would write over an input: %s", given->option->name, given->value,
                        read);
    }
    return true;
}

/* "list:FILE", "dlrm:FILE@BATCH" name a file behind a word. */
static bool spare_behind_word(const struct call *call, const char *read, struct steptime_error *err)
{
    const char *colon = strchr(read, ':');
    if (!colon)
        return true;
    struct arena scratch = {0};
    str rest = str_of(colon + 1), file;
    const bool good = !str_cut(&rest, '@', &file) || outputs_spare(call, str_z(&scratch, file), err);
    arena_free(&scratch);
    return good;
}

static bool is_read(const struct given *given)
{
    return given->option->value && !strcmp(given->option->value, "FILE") && !writes(given->option);
}

bool outputs_spare_named(const struct call *call, struct steptime_error *err)
{
    for (uint32_t i = 0; i < call->argument_count; i++)
        if (!outputs_spare(call, call->arguments[i], err) || !spare_behind_word(call, call->arguments[i], err))
            return false;
    for (uint32_t i = 0; i < call->given_count; i++)
        if (is_read(&call->given[i]) && !outputs_spare(call, call->given[i].value, err))
            return false;
    return true;
}

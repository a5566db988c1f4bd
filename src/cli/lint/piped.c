/* SPDX-License-Identifier: Apache-2.0 */
#include "piped.h"

#include "base/error.h"
#include "lint/read_file.h"

static bool is_asked_for(const struct call *call)
{
    for (uint32_t i = 0; i < call->argument_count; i++)
        if (!strcmp(call->arguments[i], "-"))
            return true;
    return false;
}

bool piped_read(const struct call *call, struct arena *arena, struct piped *piped, struct steptime_error *err)
{
    const char *name = call_text(call, "stdin-filename");
    *piped = (struct piped){.is = is_asked_for(call)};
    if (!piped->is)
        return !name ||
               fail(err, STEPTIME_USAGE, "--stdin-filename: nothing is read from standard input; name '-' too");
    piped->file.path = str_of(name && *name ? name : "-");
    return read_standard_input(arena, LINT_FILE_BYTES, &piped->file.text, err);
}

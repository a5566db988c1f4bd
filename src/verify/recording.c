/* SPDX-License-Identifier: Apache-2.0 */
#include "recording.h"

#include <stdlib.h>

#include "child/folder.h"
#include "io/writer.h"

extern const char capture_py[], draws_py[], settings_py[];
extern const size_t capture_py_bytes, draws_py_bytes, settings_py_bytes;

static bool write_module(const char *folder, const char *name, str text, struct arena *arena,
                         struct steptime_error *err)
{
    struct writer *const out = writer_open(str_printf(arena, "%s/%s", folder, name).at, err);
    if (!out)
        return false;
    writer_put(out, text);
    return writer_close(out, err);
}

const char *recording_folder(struct arena *arena, struct steptime_error *err)
{
    const char *const folder = folder_make((str){capture_py, capture_py_bytes}, arena, err);
    if (!folder || (write_module(folder, "steptime_draws.py", (str){draws_py, draws_py_bytes}, arena, err) &&
                    write_module(folder, "steptime_settings.py", (str){settings_py, settings_py_bytes}, arena, err)))
        return folder;
    folder_remove(folder);
    return NULL;
}

static const char *what_of(const struct recording *recording)
{
    if (recording->draws)
        return "STEPTIME_RECORD_WHAT=draws";
    if (recording->looks)
        return "STEPTIME_RECORD_WHAT=looks";
    if (recording->times)
        return recording->saved ? "STEPTIME_RECORD_WHAT=times+saved" : "STEPTIME_RECORD_WHAT=times";
    return recording->saved ? "STEPTIME_RECORD_WHAT=losses+saved" : "STEPTIME_RECORD_WHAT=losses";
}

const char *const *recording_environment(const char *folder, const struct recording *recording, struct arena *arena)
{
    const char *const more[] = {
        str_printf(arena, "STEPTIME_RECORD=%s", recording->path).at,
        what_of(recording),
        str_printf(arena, "STEPTIME_RECORD_SEED=%lld", (long long)recording->seed).at,
        str_printf(arena, "STEPTIME_RECORD_STEPS=%lld", (long long)recording->steps).at,
        recording->processor ? "STEPTIME_RECORD_CLOCK=processor" : "STEPTIME_RECORD_CLOCK=wall",
        str_printf(arena, "STEPTIME_SETTINGS=%s", recording->settings ? recording->settings : "").at,
        getenv("PYTHONHASHSEED") ? NULL : str_printf(arena, "PYTHONHASHSEED=%lld", (long long)recording->seed).at,
        NULL,
    };
    return folder_environment(folder, more, arena);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "recording.h"

#include <stdlib.h>

#include "child/folder.h"

extern const char capture_py[];
extern const size_t capture_py_bytes;
extern const struct folder_file verify_besides[]; /* of src/meson.build */

const char *recording_folder(struct arena *arena, struct steptime_error *err)
{
    return folder_make_with((str){capture_py, capture_py_bytes}, verify_besides, arena, err);
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

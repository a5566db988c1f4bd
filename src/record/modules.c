/* SPDX-License-Identifier: Apache-2.0 */
#include "modules.h"

#include "base/str.h"
#include "child/folder.h"

extern const char record_py[], record_plan_py[], record_pass_py[], record_window_py[], record_ends_py[],
    record_syncs_py[], record_et_py[], record_memory_py[];
extern const size_t record_py_bytes, record_plan_py_bytes, record_pass_py_bytes, record_window_py_bytes,
    record_ends_py_bytes, record_syncs_py_bytes, record_et_py_bytes, record_memory_py_bytes;

struct module {
    const char *name; /* the script may have modules of its own: ours are told by this */
    const char *text;
    const size_t *bytes;
};

static const struct module imported[] = {
    {"steptime_plan.py", record_plan_py, &record_plan_py_bytes},
    {"steptime_pass.py", record_pass_py, &record_pass_py_bytes},
    {"steptime_syncs.py", record_syncs_py, &record_syncs_py_bytes},
    {"steptime_et.py", record_et_py, &record_et_py_bytes},
    {"steptime_memory.py", record_memory_py, &record_memory_py_bytes},
    {"steptime_window.py", record_window_py, &record_window_py_bytes},
    {"steptime_ends.py", record_ends_py, &record_ends_py_bytes},
};

const char *modules_folder(struct arena *arena, struct steptime_error *err)
{
    const char *const folder = folder_make((str){record_py, record_py_bytes}, arena, err);
    for (size_t i = 0; folder && i < sizeof imported / sizeof *imported; i++)
        if (!folder_add(folder, imported[i].name, (str){imported[i].text, *imported[i].bytes}, arena, err)) {
            folder_remove(folder);
            return NULL;
        }
    return folder;
}

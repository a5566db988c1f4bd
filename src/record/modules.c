/* SPDX-License-Identifier: Apache-2.0 */
#include "modules.h"

#include "child/folder.h"

/* Of src/meson.build. The script may have modules of its own: the names of ours tell them apart. */
extern const char record_py[];
extern const size_t record_py_bytes;
extern const struct folder_file record_besides[];

const char *modules_folder(struct arena *arena, struct steptime_error *err)
{
    return folder_make_with((str){record_py, record_py_bytes}, record_besides, arena, err);
}

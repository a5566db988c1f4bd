/* SPDX-License-Identifier: Apache-2.0 */
#include "modules.h"

#include "child/folder.h"

/* Of src/meson.build. The script may have modules of its own: the names of ours tell them apart. */
extern const char dry_run_py[];
extern const size_t dry_run_py_bytes;
extern const struct folder_file dry_besides[];

const char *dry_folder(struct arena *arena, struct steptime_error *err)
{
    return folder_make_with((str){dry_run_py, dry_run_py_bytes}, dry_besides, arena, err);
}

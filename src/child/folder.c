/* SPDX-License-Identifier: Apache-2.0 */
#include "folder.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "io/writer.h"

extern const char inside_py[];
extern const size_t inside_py_bytes;

/* ---- the folder ---- */

static const char *parent_of_all(struct arena *arena)
{
    const char *named = getenv("TMPDIR");
    char *real = named && *named ? realpath(named, NULL) : NULL;
    const char *parent = real ? str_z(arena, str_of(real)) : "/tmp";
    free(real);
    return parent;
}

static bool folder_add(const char *folder, const char *name, str text, struct arena *arena, struct steptime_error *err)
{
    struct writer *out = writer_open(str_printf(arena, "%s/%s", folder, name).at, err);
    if (!out)
        return false;
    writer_put(out, text);
    return writer_close(out, err);
}

const char *folder_make(str module, struct arena *arena, struct steptime_error *err)
{
    char *folder = (char *)str_printf(arena, "%s/steptime-XXXXXX", parent_of_all(arena)).at;
    if (!mkdtemp(folder)) {
        fail_at(err, STEPTIME_OUTPUT, str_of(folder), -1, "no folder can be made there: %s", strerror(errno));
        return NULL;
    }
    if (folder_add(folder, "sitecustomize.py", module, arena, err) &&
        folder_add(folder, "steptime_inside.py", (str){inside_py, inside_py_bytes}, arena, err))
        return folder;
    folder_remove(folder);
    return NULL;
}

const char *folder_make_with(str module, const struct folder_file *besides, struct arena *arena,
                             struct steptime_error *err)
{
    const char *const folder = folder_make(module, arena, err);
    for (const struct folder_file *file = besides; folder && file->name; file++)
        if (!folder_add(folder, file->name, file->text, arena, err)) {
            folder_remove(folder);
            return NULL;
        }
    return folder;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    remove(path);
    return 0;
}

void folder_remove(const char *folder)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* ---- the environment ---- */

extern char **environ;

/* "NAME=", with its sign. */
static str name_of(const char *variable)
{
    const char *const sign = strchr(variable, '=');
    return sign ? (str){variable, (size_t)(sign - variable) + 1} : str_of(variable);
}

static bool is_among(const char *const *more, str name)
{
    while (*more && !str_eq(name_of(*more), name))
        more++;
    return *more != NULL;
}

static const char *python_path(const char *folder, struct arena *arena)
{
    const char *before = getenv("PYTHONPATH");
    const bool any = before && *before;
    return str_printf(arena, "PYTHONPATH=%s%s%s", folder, any ? ":" : "", any ? before : "").at;
}

static size_t count_of(const char *const *list)
{
    size_t count = 0;
    while (list[count])
        count++;
    return count;
}

const char *const *folder_environment(const char *folder, const char *const *more, struct arena *arena)
{
    const char *const *ours = (const char *const *)environ;
    const char **all = arena_array(arena, count_of(ours) + count_of(more) + 2, sizeof *all);
    size_t count = 0;
    for (; *ours; ours++)
        if (!str_eq(name_of(*ours), S("PYTHONPATH=")) && !is_among(more, name_of(*ours)))
            all[count++] = *ours;
    all[count++] = python_path(folder, arena);
    for (; *more; more++)
        all[count++] = *more;
    return all;
}

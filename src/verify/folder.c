/* SPDX-License-Identifier: Apache-2.0 */
#include "folder.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"
#include "io/writer.h"

extern const char capture_py[];
extern const size_t capture_py_bytes;

/* ---- the folder ---- */

static const char *parent_of_all(struct arena *arena)
{
    const char *named = getenv("TMPDIR");
    char *real = named && *named ? realpath(named, NULL) : NULL;
    const char *parent = real ? str_z(arena, str_of(real)) : "/tmp";
    free(real);
    return parent;
}

static bool write_module(const char *folder, struct arena *arena, struct steptime_error *err)
{
    struct writer *out = writer_open(str_printf(arena, "%s/sitecustomize.py", folder).at, err);
    if (!out)
        return false;
    writer_put(out, (str){capture_py, capture_py_bytes});
    return writer_close(out, err);
}

const char *folder_make(struct arena *arena, struct steptime_error *err)
{
    char *folder = (char *)str_printf(arena, "%s/steptime-verify-XXXXXX", parent_of_all(arena)).at;
    if (!mkdtemp(folder)) {
        fail_at(err, STEPTIME_OUTPUT, str_of(folder), -1, "no folder can be made there: %s", strerror(errno));
        return NULL;
    }
    if (write_module(folder, arena, err))
        return folder;
    folder_remove(folder);
    return NULL;
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

static bool is_ours(const char *variable)
{
    return !strncmp(variable, "STEPTIME_RECORD", strlen("STEPTIME_RECORD")) ||
           !strncmp(variable, "PYTHONPATH=", strlen("PYTHONPATH="));
}

static const char *python_path(const char *folder, struct arena *arena)
{
    const char *before = getenv("PYTHONPATH");
    const bool any = before && *before;
    return str_printf(arena, "PYTHONPATH=%s%s%s", folder, any ? ":" : "", any ? before : "").at;
}

static const char *what_of(const struct recording *recording, struct arena *arena)
{
    return str_printf(arena, "STEPTIME_RECORD_WHAT=%s%s", recording->times ? "times" : "losses",
                      recording->saved ? "+saved" : "")
        .at;
}

const char *const *folder_environment(const char *folder, const struct recording *recording, struct arena *arena)
{
    enum { ADDED = 6 };
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    const char **all = arena_array(arena, count + ADDED + 1, sizeof *all);
    for (size_t i = 0; i < count; i++)
        if (!is_ours(environ[i]))
            all[kept++] = environ[i];
    all[kept++] = python_path(folder, arena);
    all[kept++] = str_printf(arena, "STEPTIME_RECORD=%s", recording->path).at;
    all[kept++] = what_of(recording, arena);
    all[kept++] = str_printf(arena, "STEPTIME_RECORD_SEED=%lld", (long long)recording->seed).at;
    all[kept++] = str_printf(arena, "STEPTIME_RECORD_STEPS=%lld", (long long)recording->steps).at;
    if (!getenv("PYTHONHASHSEED"))
        all[kept] = str_printf(arena, "PYTHONHASHSEED=%lld", (long long)recording->seed).at;
    return all;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The logs of a folder, told by content: what holds no record is left aside. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/mem.h"
#include "compilelog.h"

struct folder {
    const char **paths;
    uint32_t count;
    size_t room;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool list(const char *path, struct folder *folder, struct arena *arena, struct steptime_error *err)
{
    DIR *directory = opendir(path);
    if (!directory)
        return fail_at(err, STEPTIME_INPUT, str_of(path), -1, "%s", strerror(errno));
    for (const struct dirent *entry; (entry = readdir(directory));) {
        const char *file = str_printf(arena, "%s/%s", path, entry->d_name).at;
        struct stat status;
        if (entry->d_name[0] == '.' || stat(file, &status) || !S_ISREG(status.st_mode))
            continue;
        folder->paths = mem_grow(folder->paths, &folder->room, (size_t)folder->count + 1, sizeof *folder->paths);
        folder->paths[folder->count++] = file;
    }
    closedir(directory);
    if (folder->count)
        qsort(folder->paths, folder->count, sizeof *folder->paths, by_name);
    return true;
}

static str name_of(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return str_of(slash ? slash + 1 : path);
}

static bool add_file(const char *path, struct compile_log *log, struct steptime_error *err)
{
    struct source *source = source_open(path, err);
    if (!source)
        return false;
    const bool any = compile_log_add(log, source, name_of(path));
    source_close(source);
    return any || fail_at(err, STEPTIME_INPUT, str_of(path), -1, "holds no record of TORCH_TRACE");
}

static bool add_folder(const char *path, struct compile_log *log, struct steptime_error *err)
{
    struct arena scratch = {0};
    struct folder folder = {0};
    const bool listed = list(path, &folder, &scratch, err);
    for (uint32_t i = 0; listed && i < folder.count; i++)
        add_file(folder.paths[i], log, NULL);
    mem_free(folder.paths);
    arena_free(&scratch);
    return listed && (log->files || fail_at(err, STEPTIME_INPUT, str_of(path), -1,
                                            "holds no log of TORCH_TRACE (dedicated_log_torch_trace_*.log)"));
}

bool compile_log_read(const char *path, struct arena *arena, struct compile_log *log, struct steptime_error *err)
{
    struct stat status;
    *log = (struct compile_log){.arena = arena};
    if (stat(path, &status))
        return fail_at(err, STEPTIME_INPUT, str_of(path), -1, "%s", strerror(errno));
    return S_ISDIR(status.st_mode) ? add_folder(path, log, err) : add_file(path, log, err);
}

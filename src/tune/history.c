/* SPDX-License-Identifier: Apache-2.0 */
#include "history.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "io/source.h"

enum { MOST_FOLDERS = 1 << 20 };

/* Folders that are still to be looked into. */
struct searching {
    struct arena *arena;
    struct history *history;
    str *waiting;
    uint32_t count;
};

static void wait_for(struct searching *searching, str folder)
{
    searching->waiting =
        arena_one_more(searching->arena, searching->waiting, searching->count, sizeof *searching->waiting);
    searching->waiting[searching->count++] = folder;
}

static void leave_unused(struct searching *searching, str why)
{
    struct history *const history = searching->history;
    history->unused = arena_one_more(searching->arena, history->unused, history->unused_count, sizeof *history->unused);
    history->unused[history->unused_count++] = str_copy(searching->arena, why);
}

/* Other programs have a manifest.json, too: they are passed over. */
static bool is_of_tune(str path)
{
    char head[256];
    struct steptime_error none = {.offset = -1};
    struct source *const source = source_open(path.at, &none);
    if (!source)
        return false;
    const size_t n = source_read(source, head, sizeof head);
    source_close(source);
    return str_has((str){head, n}, S("\"steptime tune\""));
}

/* True: the folder is one of a run. */
static bool take_run(struct searching *searching, str folder)
{
    struct history *const history = searching->history;
    struct steptime_error why = {.offset = -1};
    struct history_run run = {.folder = folder};
    const str path = str_printf(searching->arena, "%.*s/manifest.json", (int)folder.len, folder.at);
    if (access(path.at, F_OK) || !is_of_tune(path))
        return false;
    if (!manifest_read(folder.at, searching->arena, &run.manifest, &why)) {
        leave_unused(searching, error_line(searching->arena, &why));
        return true;
    }
    history->at = arena_one_more(searching->arena, history->at, history->count, sizeof *history->at);
    history->at[history->count++] = run;
    return true;
}

static void take_folders(struct searching *searching, DIR *dir, str folder)
{
    for (struct dirent *entry; (entry = readdir(dir)) && searching->count < MOST_FOLDERS;) {
        struct stat about;
        const str path = str_printf(searching->arena, "%.*s/%s", (int)folder.len, folder.at, entry->d_name);
        if (entry->d_name[0] != '.' && !lstat(path.at, &about) && S_ISDIR(about.st_mode))
            wait_for(searching, path);
    }
}

static int by_folder(const void *a, const void *b)
{
    return str_cmp(((const struct history_run *)a)->folder, ((const struct history_run *)b)->folder);
}

bool history_find(const char *const *folders, uint32_t count, struct arena *arena, struct history *history,
                  struct steptime_error *err)
{
    struct searching searching = {.arena = arena, .history = history};
    *history = (struct history){0};
    for (uint32_t i = 0; i < count; i++)
        wait_for(&searching, str_of(folders[i]));
    for (uint32_t i = 0; i < searching.count; i++) {
        const str folder = searching.waiting[i];
        DIR *const dir = opendir(folder.at);
        if (!dir && i < count)
            return fail_at(err, STEPTIME_INPUT, folder, -1, "%s", strerror(errno));
        if (dir && !take_run(&searching, folder))
            take_folders(&searching, dir, folder);
        if (dir)
            closedir(dir);
    }
    if (searching.count >= MOST_FOLDERS)
        leave_unused(&searching, S("there are more than 1,048,576 folders; those beyond are not searched"));
    if (history->count)
        qsort(history->at, history->count, sizeof *history->at, by_folder);
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "list.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/str.h"
#include "io/beside.h"

/* ---- order ---- */

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Both stand at a digit; moves them past their numbers. Leading zeros do not count. */
static int number_order(const char **a, const char **b)
{
    while (**a == '0')
        ++*a;
    while (**b == '0')
        ++*b;
    int order = 0; /* of the first digits that differ */
    while (digit(**a) && digit(**b)) {
        order = order ? order : **a - **b;
        ++*a;
        ++*b;
    }
    return digit(**a) ? 1 : digit(**b) ? -1 : order;
}

/* Digits compare as numbers, the rest bytewise. */
static int natural_order(const char *a, const char *b)
{
    const char *x = a, *y = b;
    while (*x && *y) {
        int order;
        if (digit(*x) && digit(*y)) {
            order = number_order(&x, &y);
        } else {
            order = (unsigned char)*x - (unsigned char)*y;
            x++;
            y++;
        }
        if (order)
            return order;
    }
    return *x ? 1 : *y ? -1 : strcmp(a, b);
}

static int by_name(const void *a, const void *b)
{
    const struct listed *x = a, *y = b;
    return natural_order(x->path, y->path);
}

/* ---- files and folders ---- */

static void add(struct list *list, struct arena *arena, const char *path, int64_t folder, int64_t bytes)
{
    if (!(list->count & (list->count + 1))) { /* full at 0, 1, 3, 7 ... : the list doubles */
        struct listed *files = arena_array(arena, (size_t)list->count * 2 + 1, sizeof *files);
        if (list->count)
            memcpy(files, list->files, list->count * sizeof *files);
        list->files = files;
    }
    list->files[list->count++] = (struct listed){path, folder};
    list->packed_bytes += bytes;
}

static void add_files(struct list *list, struct arena *arena, DIR *directory, const char *path)
{
    const char *slash = str_ends(str_of(path), S("/")) ? "" : "/";
    const int64_t folder = list->folder_count;
    for (const struct dirent *entry; (entry = readdir(directory));) {
        const char *file = str_printf(arena, "%s%s%s", path, slash, entry->d_name).at;
        struct stat status;
        if (entry->d_name[0] != '.' && !stat(file, &status) && S_ISREG(status.st_mode))
            add(list, arena, file, folder, status.st_size);
    }
}

static const char *const noted[] = {".steps.json",    ".syncs.json", ".memory.json.gz",
                                    ".memory.pickle", ".et.json",    ".et.json.gz"};
enum { ENDINGS = sizeof noted / sizeof *noted, ENDINGS_OF_NOTES = 4 };

/* Marks the notes with this ending that lie beside a trace of the list, which is in order of names. */
static void mark_notes(const struct listed *files, uint32_t count, const char *ending, struct arena *scratch,
                       bool *aside)
{
    bool any = false;
    for (uint32_t i = 0; i < count && !any; i++)
        any = str_ends(str_of(files[i].path), str_of(ending));
    for (uint32_t i = 0; any && i < count; i++) {
        const struct listed wanted = {.path = beside_path(str_of(files[i].path), ending, scratch).at};
        const struct listed *found = bsearch(&wanted, files, count, sizeof *files, by_name);
        if (found)
            aside[found - files] = true;
    }
}

/* What a recorder notes beside a trace is read with it; but an execution trace may be an input of its own. */
static void leave_notes_aside(struct list *list, uint32_t before, bool executions)
{
    struct arena scratch = {0};
    struct listed *files = list->files + before;
    const uint32_t count = list->count - before;
    bool *aside = arena_array(&scratch, count, sizeof *aside);
    for (int i = 0; i < (executions ? ENDINGS_OF_NOTES : ENDINGS); i++)
        mark_notes(files, count, noted[i], &scratch, aside);
    list->count = before;
    for (uint32_t i = 0; i < count; i++)
        if (!aside[i])
            list->files[list->count++] = files[i];
    arena_free(&scratch);
}

static void add_folder(struct list *list, struct arena *arena, const char *path, bool executions)
{
    struct listed_folder *folder = &list->folders[list->folder_count];
    const uint32_t before = list->count;
    *folder = (struct listed_folder){.path = path};
    DIR *directory = opendir(path);
    if (directory) {
        add_files(list, arena, directory, path);
        closedir(directory);
    } else {
        folder->why = str_printf(arena, "cannot list this directory: %s", strerror(errno)).at;
    }
    if (list->count > before) {
        qsort(list->files + before, list->count - before, sizeof *list->files, by_name);
        leave_notes_aside(list, before, executions);
    }
    folder->files = list->count - before;
    list->folder_count++;
}

void list_inputs(const char *const *paths, uint32_t count, bool executions, struct arena *arena, struct list *list)
{
    *list = (struct list){.folders = arena_array(arena, count, sizeof *list->folders)};
    for (uint32_t i = 0; i < count; i++) {
        struct stat status = {0};
        const bool known = !stat(paths[i], &status);
        if (known && S_ISDIR(status.st_mode))
            add_folder(list, arena, paths[i], executions);
        else
            add(list, arena, paths[i], LISTED_NAMED, known && S_ISREG(status.st_mode) ? status.st_size : 0);
    }
}

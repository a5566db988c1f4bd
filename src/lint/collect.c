/* SPDX-License-Identifier: Apache-2.0 */
#include "collect.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "mentioned.h"
#include "read_file.h"

/* Folders still to be read are a stack, so that depth costs no recursion. */
struct walk {
    struct arena *arena;
    const struct config *config;
    struct collected *files;
    size_t count, room;
    str *folders;
    size_t folder_count, folder_room;
    struct map seen; /* by device and inode: the row of its path, twice, and whether that is a link */
    uint32_t excluded;
    bool whole;
    struct texts settings;
    size_t settings_room;
};

enum { TAKEN = UINT32_MAX - 1 }; /* by a text that stands for it */

static int64_t key_of(const struct stat *about)
{
    return (int64_t)(hash_mix(about->st_dev) ^ about->st_ino);
}

static void add_file(struct walk *walk, str path)
{
    walk->files = mem_grow(walk->files, &walk->room, walk->count + 1, sizeof *walk->files);
    walk->files[walk->count++] = (struct collected){path, walk->config};
}

/* Of several paths of one file: not a link to it, and then the first, whatever the order in which folders are read. */
static bool names_better(str path, bool link, str other, bool other_link)
{
    return link != other_link ? other_link : str_cmp(path, other) < 0;
}

static void take_file(struct walk *walk, str path, const struct stat *about, bool link)
{
    const int64_t key = key_of(about);
    const uint32_t known = map_get(&walk->seen, key);
    if (known == TAKEN)
        return;
    if (known == MAP_NONE) {
        map_put(&walk->seen, key, (uint32_t)walk->count << 1 | link);
        add_file(walk, path);
    } else if (names_better(path, link, walk->files[known >> 1].path, known & 1)) {
        map_put(&walk->seen, key, (known & ~1U) | link);
        walk->files[known >> 1] = (struct collected){path, walk->config};
    }
}

static void add_settings(struct walk *walk, str path)
{
    struct texts *all = &walk->settings;
    all->at = mem_grow(all->at, &walk->settings_room, all->count + 1, sizeof *all->at);
    all->at[all->count++] = path;
}

static void push_folder(struct walk *walk, str path)
{
    walk->folders = mem_grow(walk->folders, &walk->folder_room, walk->folder_count + 1, sizeof *walk->folders);
    walk->folders[walk->folder_count++] = path;
}

static str joined(struct arena *arena, str folder, const char *name)
{
    if (str_eq(folder, S(".")))
        return str_copy(arena, str_of(name));
    const char *slash = str_ends(folder, S("/")) ? "" : "/";
    return str_printf(arena, "%.*s%s%s", (int)folder.len, folder.at, slash, name);
}

static bool has(struct walk *walk, str folder, const char *name)
{
    return access(joined(walk->arena, folder, name).at, F_OK) == 0;
}

static bool is_foreign_folder(struct walk *walk, str path, const char *name)
{
    return !strcmp(name, "__pycache__") || !strcmp(name, "node_modules") || !strcmp(name, "site-packages") ||
           has(walk, path, "pyvenv.cfg");
}

static void look_at(struct walk *walk, str folder, const char *name)
{
    struct stat about;
    if (name[0] == '.')
        return;
    const str path = joined(walk->arena, folder, name);
    if (lstat(path.at, &about) != 0)
        return;
    const bool python = str_ends(path, S(".py")) || str_ends(path, S(".ipynb")), link = S_ISLNK(about.st_mode);
    if (link && python && stat(path.at, &about) != 0)
        errno = 0; /* it leads nowhere: who reads it says why */
    const bool folder_inside = S_ISDIR(about.st_mode) && !link && !is_foreign_folder(walk, path, name);
    const bool file = python && !S_ISDIR(about.st_mode); /* a pipe too: it is named as none */
    if (S_ISREG(about.st_mode) && mentioned_is_in(path))
        add_settings(walk, path);
    if (!folder_inside && !file)
        return;
    if (config_excludes(walk->config, path))
        walk->excluded++;
    else if (file)
        take_file(walk, path, &about, link);
    else
        push_folder(walk, path);
}

static bool read_folder(struct walk *walk, str folder, struct steptime_error *err)
{
    DIR *open = opendir(folder.at);
    if (!open)
        return fail_at(err, STEPTIME_INPUT, folder, -1, "%s", strerror(errno));
    for (const struct dirent *entry; (entry = readdir(open));)
        look_at(walk, folder, entry->d_name);
    closedir(open);
    return true;
}

/* A folder inside that may not be read is told as a file is; one that was named is an error. */
static bool walk_path(struct walk *walk, const char *path, struct steptime_error *err)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return fail_at(err, STEPTIME_INPUT, str_of(path), -1, "%s", strerror(errno));
    if (!S_ISDIR(about.st_mode)) {
        struct stat itself;
        take_file(walk, str_of(path), &about, lstat(path, &itself) == 0 && S_ISLNK(itself.st_mode));
        return true;
    }
    walk->whole = true;
    if (!read_folder(walk, str_of(path), err))
        return false;
    while (walk->folder_count) {
        const str folder = walk->folders[--walk->folder_count];
        if (!read_folder(walk, folder, NULL))
            add_file(walk, folder);
    }
    return true;
}

static bool stands_for_text(const struct collect_paths *paths, str path)
{
    for (uint32_t i = 0; i < paths->text_count; i++)
        if (str_eq(paths->texts[i], path))
            return true;
    return false;
}

static bool configure(struct walk *walk, const char *path, const char *file, struct steptime_error *err)
{
    struct config *config = arena_alloc(walk->arena, sizeof *config);
    walk->config = config;
    if (!file)
        return config_find(walk->arena, path, config, err);
    str text;
    return read_file(walk->arena, file, CONFIG_BYTES, &text, err) &&
           config_read(walk->arena, str_of(file), text, config, err);
}

/* A text that comes otherwise; the file that it stands for is not read then. */
static bool take_made_up(struct walk *walk, str path, const char *config, struct steptime_error *err)
{
    struct stat about;
    const char *slash = memrchr(path.at, '/', path.len);
    const str folder = slash > path.at ? str_copy(walk->arena, (str){path.at, (size_t)(slash - path.at)}) : S(".");
    if (!configure(walk, slash == path.at ? "/" : folder.at, config, err))
        return false;
    if (stat(str_z(walk->arena, path), &about) == 0)
        map_put(&walk->seen, key_of(&about), TAKEN);
    add_file(walk, path);
    return true;
}

static bool is_standard_input(const struct collect_paths *paths, uint32_t i)
{
    return paths->standard_input.len && !strcmp(paths->at[i], "-");
}

static bool take_path(struct walk *walk, const struct collect_paths *paths, const char *path, const char *config,
                      struct steptime_error *err)
{
    if (stands_for_text(paths, str_of(path)) && access(path, F_OK) != 0)
        return take_made_up(walk, str_of(path), config, err);
    return configure(walk, path, config, err) && walk_path(walk, path, err);
}

static bool take_paths(struct walk *walk, const struct collect_paths *paths, const char *config,
                       struct steptime_error *err)
{
    bool piped = false;
    for (uint32_t i = 0; i < paths->count; i++)
        piped |= is_standard_input(paths, i);
    if (piped && !take_made_up(walk, paths->standard_input, config, err))
        return false;
    for (uint32_t i = 0; i < paths->count; i++)
        if (!is_standard_input(paths, i) && !take_path(walk, paths, paths->at[i], config, err))
            return false;
    return true;
}

static int by_path(const void *a, const void *b)
{
    return str_cmp(((const struct collected *)a)->path, ((const struct collected *)b)->path);
}

bool collect(struct arena *arena, const struct collect_paths *paths, const char *config, struct collection *collection,
             struct steptime_error *err)
{
    struct walk walk = {.arena = arena};
    const bool fine = take_paths(&walk, paths, config, err);
    if (walk.count)
        qsort(walk.files, walk.count, sizeof *walk.files, by_path);
    collection->files = arena_array(arena, walk.count, sizeof *collection->files);
    if (walk.count)
        memcpy(collection->files, walk.files, walk.count * sizeof *walk.files);
    collection->count = (uint32_t)walk.count;
    collection->excluded = walk.excluded;
    collection->settings.at = arena_array(arena, walk.settings.count, sizeof *walk.settings.at);
    if (walk.settings.count)
        memcpy(collection->settings.at, walk.settings.at, walk.settings.count * sizeof *walk.settings.at);
    collection->whole = walk.whole;
    collection->settings.count = walk.settings.count;
    mem_free(walk.settings.at);
    mem_free(walk.files);
    mem_free(walk.folders);
    map_free(&walk.seen);
    return fine;
}

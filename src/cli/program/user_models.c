/* SPDX-License-Identifier: Apache-2.0 */
#include "user_models.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "model/estimate/models.h"

enum { MOST_FILES = 256 };

static const char *in_folder(struct arena *arena, const char *folder, const char *below)
{
    return folder && folder[0] == '/' ? str_printf(arena, "%s/%s", folder, below).at : NULL;
}

const char *user_models_folder(struct arena *arena)
{
    const char *named = getenv("STEPTIME_MODELS");
    if (named)
        return named[0] ? named : NULL;
    const char *data = in_folder(arena, getenv("XDG_DATA_HOME"), "steptime");
    return data ? data : in_folder(arena, getenv("HOME"), ".local/share/steptime");
}

const char *user_models_place(const char *folder, str device, const char *ending, struct arena *arena)
{
    char *name = arena_alloc(arena, device.len + 1);
    for (size_t i = 0; i < device.len; i++) {
        const char c = device.at[i];
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
        name[i] = plain ? c : '_';
    }
    name[device.len] = '\0';
    return str_printf(arena, "%s/%s%s", folder, name, ending).at;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Of sets, in the order of their names, so that what is told of them comes in the same order. */
static uint32_t sets_in(const char *folder, const char **paths, struct arena *arena)
{
    uint32_t count = 0;
    DIR *listing = opendir(folder);
    for (const struct dirent *entry; listing && count < MOST_FILES && (entry = readdir(listing));)
        if (str_ends(str_of(entry->d_name), S(".txt")))
            paths[count++] = str_printf(arena, "%s/%s", folder, entry->d_name).at;
    if (listing)
        closedir(listing);
    qsort(paths, count, sizeof *paths, by_name);
    return count;
}

static void add_sets(struct models *models, struct arena *arena)
{
    const char *folder = user_models_folder(arena), *paths[MOST_FILES];
    const uint32_t count = folder ? sets_in(folder, paths, arena) : 0;
    for (uint32_t i = 0; i < count; i++) {
        struct steptime_error err;
        if (!models_add_calibrated(models, str_of(paths[i]), arena, &err))
            fprintf(stderr, "steptime: left out, 'steptime calibrate' makes it anew: %s: %s\n", paths[i], err.message);
    }
}

const struct models *models_of_call(const struct call *call, struct arena *arena, struct steptime_error *err)
{
    const char *const path = call_text(call, "models");
    if (path)
        return models_load(str_of(path), arena, err);
    struct models *models = models_writable(arena);
    add_sets(models, arena);
    return models;
}

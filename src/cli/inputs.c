/* SPDX-License-Identifier: Apache-2.0 */
#include "inputs.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/error.h"
#include "io/source.h"
#include "spare.h"

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

int natural_order(const char *a, const char *b)
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
    return natural_order(*(const char *const *)a, *(const char *const *)b);
}

/* ---- directories ---- */

enum { LOOK = 1 << 18 }; /* bytes; the first event comes after the device properties, a few KiB even of eight devices */

/* Whether the file begins like a trace: a JSON value with events. Anything packed is unpacked that far. */
static bool looks_like_trace(const char *path)
{
    struct source *source = source_open(path, NULL);
    if (!source)
        return false;
    struct arena scratch = {0};
    char *text = arena_alloc(&scratch, LOOK);
    size_t len = 0;
    for (size_t n = 1; n && len < LOOK; len += n)
        n = source_read(source, text + len, LOOK - len);
    source_close(source);
    const str start = str_trim((str){text, len});
    const bool json = start.len && (start.at[0] == '{' || start.at[0] == '[');
    const bool found = json && (str_has(start, S("\"ph\"")) || str_has(start, S("\"traceEvents\"")));
    arena_free(&scratch);
    return found;
}

static void add(struct inputs *inputs, struct arena *arena, const char *path, int64_t bytes)
{
    if (!(inputs->count & (inputs->count + 1))) { /* full at 0, 1, 3, 7 ... : the list doubles */
        const char **paths = arena_array(arena, (size_t)inputs->count * 2 + 1, sizeof *paths);
        if (inputs->count)
            memcpy(paths, inputs->paths, inputs->count * sizeof *paths);
        inputs->paths = paths;
    }
    inputs->paths[inputs->count++] = path;
    inputs->packed_bytes += bytes;
}

static bool add_directory(struct inputs *inputs, struct arena *arena, const char *path, struct steptime_error *err)
{
    DIR *directory = opendir(path);
    if (!directory)
        return fail_at(err, STEPTIME_INPUT, str_of(path), -1, "cannot list this directory: %m");
    const uint32_t before = inputs->count;
    for (const struct dirent *entry; (entry = readdir(directory));) {
        const char *slash = str_ends(str_of(path), S("/")) ? "" : "/";
        const char *file = str_printf(arena, "%s%s%s", path, slash, entry->d_name).at;
        struct stat status;
        if (entry->d_name[0] == '.' || stat(file, &status) || !S_ISREG(status.st_mode) || !looks_like_trace(file))
            continue;
        add(inputs, arena, file, status.st_size);
    }
    closedir(directory);
    if (inputs->count == before)
        return fail_at(err, STEPTIME_INPUT, str_of(path), -1, "there is no trace in this directory");
    qsort(inputs->paths + before, inputs->count - before, sizeof *inputs->paths, by_name);
    return true;
}

bool inputs_of(const struct call *call, struct arena *arena, struct inputs *inputs, struct steptime_error *err)
{
    *inputs = (struct inputs){0};
    if (!call_argument_count(call))
        return fail(err, STEPTIME_USAGE, "which trace? Name a file, a directory, or - for standard input");
    for (uint32_t i = 0; i < call_argument_count(call); i++) {
        const char *path = call_argument(call, i);
        struct stat status = {0};
        const bool known = !stat(path, &status);
        if (known && S_ISDIR(status.st_mode)) {
            if (!add_directory(inputs, arena, path, err))
                return false;
            continue;
        }
        add(inputs, arena, path, known && S_ISREG(status.st_mode) ? status.st_size : 0);
    }
    for (uint32_t i = 0; i < inputs->count; i++)
        if (!outputs_spare(call, inputs->paths[i], err))
            return false;
    return true;
}

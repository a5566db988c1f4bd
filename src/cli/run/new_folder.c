/* SPDX-License-Identifier: Apache-2.0 */
#include "new_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

enum { MOST_FOLDERS = 10000 };

static bool is_folder(const char *path)
{
    struct stat about;
    return !stat(path, &about) && S_ISDIR(about.st_mode);
}

static bool make_asked(const char *path, enum folder_before before, struct steptime_error *err)
{
    if (mkdir(path, 0777) && (errno != EEXIST || before == FOLDER_NEW || !is_folder(path)))
        return fail_at(err, STEPTIME_OUTPUT, str_of(path), -1, "cannot be made: %s", strerror(errno));
    return !access(path, W_OK | X_OK) ||
           fail_at(err, STEPTIME_OUTPUT, str_of(path), -1, "cannot be written to: %s", strerror(errno));
}

/* mkdir says whose it is. */
static const char *make_numbered(str name, const char *option, struct arena *arena, struct steptime_error *err)
{
    for (int i = 1; i < MOST_FOLDERS; i++) {
        const str numbered = str_printf(arena, "%.*s-%d", (int)name.len, name.at, i);
        const char *const path = i > 1 ? numbered.at : str_z(arena, name);
        if (!mkdir(path, 0777))
            return path;
        if (errno != EEXIST) {
            fail_at(err, STEPTIME_OUTPUT, str_of(path), -1, "cannot be made: %s; see %s", strerror(errno), option);
            return NULL;
        }
    }
    fail(err, STEPTIME_OUTPUT, "there are %d folders '%.*s' already; see %s", MOST_FOLDERS, (int)name.len, name.at,
         option);
    return NULL;
}

const char *new_folder(const char *asked, str name, const char *option, enum folder_before before, struct arena *arena,
                       struct steptime_error *err)
{
    const char *path = asked;
    if (asked && !make_asked(asked, before, err))
        return NULL;
    if (!asked && !(path = make_numbered(name, option, arena, err)))
        return NULL;
    char *const real = realpath(path, NULL);
    if (!real) {
        fail_at(err, STEPTIME_OUTPUT, str_of(path), -1, "%s", strerror(errno));
        return NULL;
    }
    path = str_z(arena, str_of(real));
    free(real);
    return path;
}

bool folder_claim(const char *path, const char *option, struct steptime_error *err)
{
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* stays open: its end is the program's */
    if (folder < 0 || !flock(folder, LOCK_EX | LOCK_NB))
        return true;
    const bool taken = errno == EWOULDBLOCK;
    close(folder);
    return !taken || fail_at(err, STEPTIME_OUTPUT, str_of(path), -1,
                             "somebody else writes there at this time; %s names another folder", option);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

enum { MOST_OPEN = 16 };

/* ---- the root ---- */

static str parent_of(str path)
{
    size_t at = path.len;
    while (at && path.at[at - 1] != '/')
        at--;
    return (str){path.at, at > 1 ? at - 1 : 0};
}

static bool has(str folder, const char *name, struct arena *arena)
{
    return !access(str_printf(arena, "%.*s/%s", (int)folder.len, folder.at, name).at, F_OK);
}

str tree_root(str script, struct arena *arena)
{
    const str own = parent_of(script);
    for (str folder = own; folder.len; folder = parent_of(folder))
        if (has(folder, ".git", arena) || has(folder, "pyproject.toml", arena))
            return str_copy(arena, folder);
    return str_copy(arena, own);
}

/* ---- the copy ---- */

/* nftw hands its callback nothing, so what it works for lies here while it runs. */
static struct copying {
    const struct tree *tree;
    struct arena *arena;
    int64_t left; /* bytes that may still be copied */
    struct steptime_error *err;
} copying;

static bool copy_bytes(int from, int to)
{
    ssize_t n;
    while ((n = copy_file_range(from, NULL, to, NULL, (size_t)1 << 30, 0)) > 0) {
    }
    if (n == 0)
        return true;
    char piece[1 << 16]; /* file systems that cannot do it themselves */
    while ((n = read(from, piece, sizeof piece)) > 0)
        if (write(to, piece, (size_t)n) != n)
            return false;
    return n == 0;
}

static bool copy_file(const char *path, const struct stat *about, const char *to)
{
    const int from = open(path, O_RDONLY | O_CLOEXEC);
    const int into = from < 0 ? -1 : open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, about->st_mode & 0777);
    const bool good = into >= 0 && copy_bytes(from, into);
    if (from >= 0)
        close(from);
    return (into < 0 || !close(into)) && good;
}

static bool copy_link(const char *path, const struct stat *about, const char *to, struct arena *arena)
{
    const size_t room = (size_t)about->st_size + 1;
    char *target = arena_alloc(arena, room + 1);
    const ssize_t len = readlink(path, target, room);
    if (len < 0)
        return false;
    target[len] = 0;
    return !symlink(target, to);
}

static bool is_left_out(const char *path, const struct FTW *where, bool folder)
{
    const char *const name = path + where->base;
    if (where->level == 0)
        return false;
    if (name[0] == '.')
        return true;
    return folder && (str_eq(str_of(path), copying.tree->apart) || !strcmp(name, "__pycache__") ||
                      !strncmp(name, "steptime-", strlen("steptime-")) ||
                      !access(str_printf(copying.arena, "%s/pyvenv.cfg", path).at, F_OK));
}

static bool copy_entry(const char *path, const struct stat *about, int kind, const char *to)
{
    if (kind == FTW_D)
        return !mkdir(to, 0777) || errno == EEXIST;
    if (kind == FTW_SL)
        return copy_link(path, about, to, copying.arena);
    return !S_ISREG(about->st_mode) || copy_file(path, about, to); /* sockets and their like stay behind */
}

static int copy_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    if (is_left_out(path, where, kind == FTW_D))
        return kind == FTW_D ? FTW_SKIP_SUBTREE : FTW_CONTINUE;
    if (kind == FTW_F && (copying.left -= about->st_size) < 0)
        return fail_at(copying.err, STEPTIME_INPUT, copying.tree->from, -1,
                       "holds more than a copy may take; see --copy-limit"),
               FTW_STOP;
    const str to = tree_path(copying.tree, str_of(path), copying.arena);
    if (copy_entry(path, about, kind, to.at))
        return FTW_CONTINUE;
    return fail_at(copying.err, STEPTIME_OUTPUT, to, -1, "cannot be copied: %s", strerror(errno)), FTW_STOP;
}

bool tree_copy(const struct tree *tree, int64_t most_bytes, struct steptime_error *err)
{
    struct arena scratch = {0};
    copying = (struct copying){tree, &scratch, most_bytes, err};
    const int outcome = nftw(tree->from.at, copy_one, MOST_OPEN, FTW_PHYS | FTW_ACTIONRETVAL);
    if (outcome < 0)
        fail_at(err, STEPTIME_INPUT, tree->from, -1, "cannot be read: %s", strerror(errno));
    arena_free(&scratch);
    return outcome == 0;
}

/* ---- paths ---- */

static str moved(str path, str from, str to, struct arena *arena)
{
    if (!str_starts(path, from) || (path.len > from.len && path.at[from.len] != '/'))
        return str_copy(arena, path);
    return str_printf(arena, "%.*s%.*s", (int)to.len, to.at, (int)(path.len - from.len), path.at + from.len);
}

str tree_path(const struct tree *tree, str path, struct arena *arena)
{
    return moved(path, tree->from, tree->to, arena);
}

str tree_origin(const struct tree *tree, str path, struct arena *arena)
{
    return moved(path, tree->to, tree->from, arena);
}

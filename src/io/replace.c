/* SPDX-License-Identifier: Apache-2.0 */
#include "replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/str.h"

enum { MOST_LINKS = 40, NAMES_TRIED = 100, CHUNK = 64 << 10 };

/* ---- the place ---- */

/* "folder/" of "folder/name"; "" where there is none. */
static str folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return (str){path, slash ? (size_t)(slash - path) + 1 : 0};
}

/* What a symbolic link holds, as seen from where the link lies; NULL of anything else. */
static const char *link_target(struct arena *arena, const char *path)
{
    char target[4096];
    const ssize_t len = readlink(path, target, sizeof target);
    if (len <= 0 || (size_t)len == sizeof target)
        return NULL;
    const str folder = target[0] == '/' ? S("") : folder_of(path);
    return str_printf(arena, "%.*s%.*s", (int)folder.len, folder.at, (int)len, target).at;
}

/* Where the file is, or would be: a link may lead to what is not there yet. */
static const char *place_of(struct arena *arena, const char *path)
{
    char *resolved = realpath(path, NULL);
    const char *place = str_z(arena, str_of(resolved ? resolved : path));
    free(resolved);
    if (resolved)
        return place;
    const char *next;
    for (int i = 0; i < MOST_LINKS && (next = link_target(arena, place)); i++)
        place = next;
    return place;
}

/* ---- the new file ---- */

/* A name that nobody else has. Nobody may read what replaces a file before it has that file's rights. */
static bool open_beside(struct replace *replace, bool replaces, struct arena *arena)
{
    for (int i = 0; i < NAMES_TRIED; i++) {
        uint32_t salt = 0;
        if (getrandom(&salt, sizeof salt, 0) < 0)
            return false;
        replace->temporary = str_printf(arena, "%s.%08x", replace->path, salt).at;
        replace->fd = open(replace->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, replaces ? 0600 : 0666);
        if (replace->fd >= 0 || errno != EEXIST)
            break;
    }
    return replace->fd >= 0;
}

/* The name is in the folder's own blocks. A folder that may be written but not read cannot be synced: -1. */
static int open_folder(const char *path, struct arena *arena)
{
    const str folder = folder_of(path);
    return open(folder.len ? str_z(arena, folder) : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

bool replace_begin(struct replace *replace, const char *path, struct arena *arena)
{
    *replace = (struct replace){.fd = -1, .folder = -1, .path = place_of(arena, path)};
    struct stat old;
    const bool there = stat(replace->path, &old) == 0;
    if (there && S_ISDIR(old.st_mode)) {
        errno = EISDIR;
        return false;
    }
    replace->folder = open_folder(replace->path, arena);
    if ((replace->folder >= 0 || errno == EACCES) && open_beside(replace, there, arena))
        return true;
    const int why = errno;
    replace->temporary = NULL;
    replace_abandon(replace);
    errno = why;
    return false;
}

/* ---- what the old file had ---- */

static bool give_attribute(const char *from, int to, const char *name)
{
    char value[4096];
    const ssize_t size = getxattr(from, name, value, sizeof value);
    return size >= 0 && fsetxattr(to, name, value, (size_t)size, 0) == 0;
}

/* Access lists and whatever else hangs on the file. A file system without them has none to lose. */
static bool give_attributes(const char *from, int to)
{
    char names[4096];
    const ssize_t size = listxattr(from, names, sizeof names);
    if (size < 0)
        return errno == ENOTSUP;
    for (const char *name = names; name < names + size; name += strlen(name) + 1)
        if (!give_attribute(from, to, name))
            return false;
    return true;
}

static bool give_owner(const struct stat *old, int to)
{
    struct stat now;
    if (fstat(to, &now) != 0)
        return false;
    return (now.st_uid == old->st_uid && now.st_gid == old->st_gid) || fchown(to, old->st_uid, old->st_gid) == 0;
}

/* Whether the new file may take the place of the old one without anything being lost. Rights last: chown takes some. */
static bool give_all(const struct replace *replace, const struct stat *old)
{
    return old->st_nlink == 1 && give_owner(old, replace->fd) && give_attributes(replace->path, replace->fd) &&
           fchmod(replace->fd, old->st_mode & 07777) == 0;
}

/* ---- arriving ---- */

/* Some file systems sync nothing, and say so. */
static bool sync_all(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP;
}

static bool write_chunk(int to, const char *at, size_t left)
{
    while (left) {
        const ssize_t put = write(to, at, left);
        if (put < 0 && errno != EINTR)
            return false;
        at += put > 0 ? put : 0;
        left -= put > 0 ? (size_t)put : 0;
    }
    return true;
}

static bool copy_text(int from, int to)
{
    char chunk[CHUNK];
    bool good = lseek(from, 0, SEEK_SET) == 0;
    ssize_t got = 1;
    while (good && got) {
        got = read(from, chunk, CHUNK);
        good = got >= 0 ? write_chunk(to, chunk, (size_t)got) : errno == EINTR;
    }
    return good;
}

/* Room for all that will be written, so that a full disk is known before the first byte changes. */
static bool reserve(int fd, int64_t bytes, int64_t old_bytes)
{
    const int failed = bytes > old_bytes ? posix_fallocate(fd, 0, (off_t)bytes) : 0;
    if (!failed)
        return true;
    if (ftruncate(fd, (off_t)old_bytes) == 0)
        errno = failed;
    return false;
}

/* The new text over the old one, in the same file. */
static bool write_over(struct replace *replace, int64_t old_bytes)
{
    struct stat new;
    const int to = open(replace->path, O_RDWR | O_CLOEXEC);
    if (to < 0)
        return false;
    bool good = fstat(replace->fd, &new) == 0 && reserve(to, new.st_size, old_bytes);
    if (good) {
        good = copy_text(replace->fd, to) && ftruncate(to, new.st_size) == 0 && sync_all(to);
        replace->kept = !good;
    }
    const int why = errno;
    close(to);
    errno = why;
    return good;
}

static bool rename_over(struct replace *replace)
{
    if (rename(replace->temporary, replace->path) != 0)
        return false;
    replace->temporary = NULL;
    return replace->folder < 0 || sync_all(replace->folder);
}

bool replace_end(struct replace *replace)
{
    struct stat old;
    const bool there = stat(replace->path, &old) == 0;
    const bool renamed = !there || give_all(replace, &old);
    if (!sync_all(replace->fd))
        return false;
    return renamed ? rename_over(replace) : write_over(replace, old.st_size);
}

void replace_abandon(struct replace *replace)
{
    if (replace->fd >= 0)
        close(replace->fd);
    if (replace->temporary && !replace->kept)
        unlink(replace->temporary);
    if (replace->folder >= 0)
        close(replace->folder);
    replace->fd = replace->folder = -1;
}

const char *replace_kept(const struct replace *replace)
{
    return replace->kept ? replace->temporary : NULL;
}

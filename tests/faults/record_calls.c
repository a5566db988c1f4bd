/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells in which order files are synced and renamed, loaded before the program (LD_PRELOAD).
 *
 *     RECORD_CALLS=file   a line a call goes there: "fsync PATH", "rename FROM TO"
 *     FAIL_WRITE=path     every write to that file fails, as a broken disk does
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

static void path_of(int fd, char path[PATH_BYTES])
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t len = readlink(link, path, PATH_BYTES - 1);
    path[len > 0 ? len : 0] = 0;
}

static void record(const char *call, const char *first, const char *second)
{
    const char *record = getenv("RECORD_CALLS");
    FILE *file = record ? fopen(record, "ae") : NULL;
    if (!file)
        return;
    fprintf(file, "%s %s%s%s\n", call, first, *second ? " " : "", second);
    fclose(file);
}

int fsync(int fd)
{
    char path[PATH_BYTES];
    path_of(fd, path);
    record("fsync", path, "");
    int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    return next(fd);
}

int rename(const char *from, const char *to)
{
    record("rename", from, to);
    int (*next)(const char *, const char *) = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
    return next(from, to);
}

ssize_t write(int fd, const void *bytes, size_t count)
{
    const char *broken = getenv("FAIL_WRITE");
    char path[PATH_BYTES];
    path_of(fd, path);
    if (broken && !strcmp(broken, path)) {
        errno = EIO;
        return -1;
    }
    ssize_t (*next)(int, const void *, size_t) = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    return next(fd, bytes, count);
}

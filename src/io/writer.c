/* SPDX-License-Identifier: Apache-2.0 */
#include "writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"

enum { FLUSH_AT = 64 << 10 };

struct writer {
    int fd;          /* -1: memory */
    struct buf held; /* not yet written */
    int failed;      /* errno of the first write that failed, else 0 */
    struct arena arena;
    const char *path; /* NULL: standard output or memory */
    const char *temporary;
};

/* What open(2) would give a new file. */
static mode_t usual_mode(void)
{
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* A file that is written through a link stays a link. */
static const char *real_path(struct arena *arena, const char *path)
{
    char *resolved = realpath(path, NULL);
    const char *kept = str_z(arena, str_of(resolved ? resolved : path));
    free(resolved);
    return kept;
}

/* A device or a pipe (/dev/null, /dev/stderr) cannot be renamed over: it is written as it is. */
static bool is_special(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

static bool open_special(struct writer *writer, const char *path)
{
    writer->path = str_z(&writer->arena, str_of(path));
    writer->fd = open(path, O_WRONLY | O_CLOEXEC);
    return writer->fd >= 0;
}

static bool open_beside(struct writer *writer, const char *path)
{
    writer->path = real_path(&writer->arena, path);
    char *temporary = arena_alloc(&writer->arena, strlen(writer->path) + sizeof ".XXXXXX");
    strcpy(temporary, writer->path);
    strcat(temporary, ".XXXXXX");
    struct stat status;
    if (stat(writer->path, &status) == 0 && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return false;
    }
    writer->fd = mkostemp(temporary, O_CLOEXEC);
    writer->temporary = temporary;
    return writer->fd >= 0;
}

struct writer *writer_open(const char *path, struct steptime_error *err)
{
    struct writer *writer = mem_zeroed(sizeof *writer);
    writer->fd = STDOUT_FILENO;
    if (!path || strcmp(path, "-") == 0)
        return writer;
    if (is_special(path) ? open_special(writer, path) : open_beside(writer, path))
        return writer;
    fail_at(err, STEPTIME_OUTPUT, str_of(path), -1, "cannot be written: %s", strerror(errno));
    arena_free(&writer->arena);
    mem_free(writer);
    return NULL;
}

struct writer *writer_to_memory(void)
{
    struct writer *writer = mem_zeroed(sizeof *writer);
    writer->fd = -1;
    return writer;
}

str writer_text(const struct writer *writer)
{
    return buf_str(&writer->held);
}

static void flush(struct writer *writer)
{
    const char *at = writer->held.at;
    size_t left = writer->held.len;
    while (left && !writer->failed) {
        const ssize_t put = write(writer->fd, at, left);
        if (put < 0 && errno != EINTR)
            writer->failed = errno;
        if (put > 0) {
            at += put;
            left -= (size_t)put;
        }
    }
    buf_clear(&writer->held);
}

static void flush_if_full(struct writer *writer)
{
    if (writer->fd >= 0 && writer->held.len >= FLUSH_AT)
        flush(writer);
}

void writer_put(struct writer *writer, str text)
{
    buf_add(&writer->held, text);
    flush_if_full(writer);
}

void writer_printf(struct writer *writer, const char *format, ...)
{
    char text[512];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (len >= (int)sizeof text) {
        char *long_text = mem_alloc((size_t)len + 1);
        vsnprintf(long_text, (size_t)len + 1, format, again);
        buf_add(&writer->held, (str){long_text, (size_t)len});
        mem_free(long_text);
    } else if (len > 0) {
        buf_add(&writer->held, (str){text, (size_t)len});
    }
    va_end(again);
    flush_if_full(writer);
}

static void remember(struct writer *writer, bool fine)
{
    if (!fine && !writer->failed)
        writer->failed = errno;
}

/* Puts the finished file in its place, with the rights of the one it replaces. */
static void put_in_place(struct writer *writer)
{
    struct stat old;
    const mode_t mode = stat(writer->path, &old) == 0 ? old.st_mode & 07777 : usual_mode();
    remember(writer, fchmod(writer->fd, mode) == 0);
    remember(writer, close(writer->fd) == 0);
    writer->fd = -1;
    if (!writer->failed)
        remember(writer, rename(writer->temporary, writer->path) == 0);
    if (!writer->failed)
        writer->temporary = NULL;
}

void writer_abandon(struct writer *writer)
{
    if (writer->fd > STDERR_FILENO)
        close(writer->fd);
    if (writer->temporary)
        unlink(writer->temporary);
    buf_free(&writer->held);
    arena_free(&writer->arena);
    mem_free(writer);
}

bool writer_close(struct writer *writer, struct steptime_error *err)
{
    if (writer->fd >= 0)
        flush(writer);
    if (writer->temporary)
        put_in_place(writer);
    const int failed = writer->failed;
    if (failed)
        fail_at(err, STEPTIME_OUTPUT, str_of(writer->path ? writer->path : "standard output"), -1,
                "could not be written: %s", strerror(failed));
    writer_abandon(writer);
    return !failed;
}

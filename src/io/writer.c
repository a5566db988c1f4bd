/* SPDX-License-Identifier: Apache-2.0 */
#include "writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/format.h"
#include "base/mem.h"
#include "replace.h"

enum { FLUSH_AT = 64 << 10 };

struct writer {
    int fd;          /* -1: memory */
    struct buf held; /* not yet written */
    int failed;      /* errno of the first write that failed, else 0 */
    struct arena arena;
    const char *path; /* NULL: standard output or memory */
    bool replaces;    /* a file: */
    struct replace replace;
};

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

static bool open_file(struct writer *writer, const char *path)
{
    writer->replaces = replace_begin(&writer->replace, path, &writer->arena);
    writer->path = writer->replace.path;
    writer->fd = writer->replace.fd;
    return writer->replaces;
}

struct writer *writer_open(const char *path, struct steptime_error *err)
{
    struct writer *writer = mem_zeroed(sizeof *writer);
    writer->fd = STDOUT_FILENO;
    if (!path || strcmp(path, "-") == 0)
        return writer;
    if (is_special(path) ? open_special(writer, path) : open_file(writer, path))
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
    const int len = format_text_v(text, sizeof text, format, args);
    va_end(args);
    if (len >= (int)sizeof text) {
        char *long_text = mem_alloc((size_t)len + 1);
        format_text_v(long_text, (size_t)len + 1, format, again);
        buf_add(&writer->held, (str){long_text, (size_t)len});
        mem_free(long_text);
    } else if (len > 0) {
        buf_add(&writer->held, (str){text, (size_t)len});
    }
    va_end(again);
    flush_if_full(writer);
}

void writer_abandon(struct writer *writer)
{
    if (writer->replaces)
        replace_abandon(&writer->replace);
    else if (writer->fd > STDERR_FILENO)
        close(writer->fd);
    buf_free(&writer->held);
    arena_free(&writer->arena);
    mem_free(writer);
}

static bool say_why(const struct writer *writer, struct steptime_error *err)
{
    const str path = str_of(writer->path ? writer->path : "standard output");
    const char *kept = writer->replaces ? replace_kept(&writer->replace) : NULL;
    if (kept)
        return fail_at(err, STEPTIME_OUTPUT, path, -1, "was left half-written: %s; the new text is whole in %s",
                       strerror(writer->failed), kept);
    return fail_at(err, STEPTIME_OUTPUT, path, -1, "could not be written: %s", strerror(writer->failed));
}

bool writer_close(struct writer *writer, struct steptime_error *err)
{
    if (writer->fd >= 0)
        flush(writer);
    if (!writer->failed && writer->replaces && !replace_end(&writer->replace))
        writer->failed = errno;
    const bool good = !writer->failed || say_why(writer, err);
    writer_abandon(writer);
    return good;
}

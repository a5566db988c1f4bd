/* SPDX-License-Identifier: Apache-2.0 */
#include "rewrite.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "io/writer.h"

/* Reads on until the room is full or the file ends. */
static ssize_t read_full(int fd, char *into, size_t room)
{
    size_t got = 0;
    while (got < room) {
        const ssize_t n = read(fd, into + got, room - got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -1 : (ssize_t)got;
        got += (size_t)n;
    }
    return (ssize_t)got;
}

static bool holds(int fd, str text)
{
    char block[1 << 16];
    for (size_t at = 0;;) {
        const ssize_t got = read_full(fd, block, sizeof block);
        if (got < 0 || (size_t)got > text.len - at || memcmp(block, text.len ? text.at + at : "", (size_t)got) != 0)
            return false;
        at += (size_t)got;
        if ((size_t)got < sizeof block)
            return at == text.len;
    }
}

/* A file that may not be written is not replaced either, though its folder would allow it. */
static bool is_as_read(const char *path, str before, struct steptime_error *err)
{
    const int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return fail_at(err, STEPTIME_OUTPUT, str_of(path), -1, "cannot be written: %s", strerror(errno));
    struct stat status;
    const bool plain = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    const bool same = plain && holds(fd, before);
    close(fd);
    if (!plain)
        return fail_at(err, STEPTIME_OUTPUT, str_of(path), -1, "is no plain file");
    return same || fail_at(err, STEPTIME_OUTPUT, str_of(path), -1, "changed since it was read; left as it is");
}

bool rewrite_file(const char *path, str before, str after, struct steptime_error *err)
{
    if (!is_as_read(path, before, err))
        return false;
    struct writer *writer = writer_open(path, err);
    if (!writer)
        return false;
    writer_put(writer, after);
    if (is_as_read(path, before, err)) /* once more, for writing takes its time */
        return writer_close(writer, err);
    writer_abandon(writer);
    return false;
}

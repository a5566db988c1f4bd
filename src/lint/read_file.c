/* SPDX-License-Identifier: Apache-2.0 */
#include "read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"

static bool refuse(struct steptime_error *err, const char *path, const char *why)
{
    return fail_at(err, STEPTIME_INPUT, str_of(path), -1, "%s", why);
}

/* As many bytes as were there when its size was asked; a file that shrank since gives what is left. */
static bool read_all(int file, char *at, size_t bytes, str *text)
{
    size_t got = 0;
    while (got < bytes) {
        const ssize_t more = read(file, at + got, bytes - got);
        if (more < 0 && errno == EINTR)
            continue;
        if (more < 0)
            return false;
        if (!more)
            break;
        got += (size_t)more;
    }
    *text = (str){at, got};
    return true;
}

static bool read_open(struct arena *arena, int file, const char *path, size_t most, str *text,
                      struct steptime_error *err)
{
    struct stat about;
    if (fstat(file, &about) != 0)
        return refuse(err, path, strerror(errno));
    if (!S_ISREG(about.st_mode))
        return refuse(err, path, "is no file");
    if ((uint64_t)about.st_size > most)
        return fail_at(err, STEPTIME_INPUT, str_of(path), -1, "has %lld MB; more than %zu MB are not read",
                       (long long)about.st_size / 1000000, most / 1000000);
    char *at = arena_alloc(arena, (size_t)about.st_size + 1);
    return read_all(file, at, (size_t)about.st_size, text) || refuse(err, path, strerror(errno));
}

bool read_file(struct arena *arena, const char *path, size_t most, str *text, struct steptime_error *err)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return refuse(err, path, strerror(errno));
    const bool done = read_open(arena, file, path, most, text, err);
    close(file);
    return done;
}

static bool read_pipe(struct buf *buf, size_t most, struct steptime_error *err)
{
    char some[1 << 16];
    for (;;) {
        const ssize_t got = read(STDIN_FILENO, some, sizeof some);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return refuse(err, "-", strerror(errno));
        if (!got)
            return true;
        buf_add(buf, (str){some, (size_t)got});
        if (buf->len > most)
            return fail_at(err, STEPTIME_INPUT, S("-"), -1, "has more than %zu MB; more are not read", most / 1000000);
    }
}

bool read_standard_input(struct arena *arena, size_t most, str *text, struct steptime_error *err)
{
    struct buf buf = {0};
    const bool good = read_pipe(&buf, most, err);
    *text = str_copy(arena, buf_str(&buf));
    buf_free(&buf);
    return good;
}

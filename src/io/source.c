/* SPDX-License-Identifier: Apache-2.0 */
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ahead.h"
#include "base/error.h"
#include "base/format.h"
#include "base/mem.h"
#include "base/str.h"
#include "unpack.h"

struct source {
    char *path;
    int64_t file_bytes;
    struct packed packed;
    const struct unpacker *unpacker; /* NULL: the bytes are as they lie in the file */
    void *state;                     /* the unpacker's */
    struct ahead *ahead;             /* runs the unpacker; until it has ended, state, packed and damage are its own */
    const char *damage;
    char damage_text[160];
    char *head; /* read, but not yet given: [head_at, head_end) of head_room */
    size_t head_at, head_end, head_room;
    size_t chunk; /* most that one read gives */
    int64_t offset;
};

static const struct unpacker *const unpackers[] = {
    &unpack_gzip,
    &unpack_zstd,
#ifdef HAVE_LZMA
    &unpack_xz,
#endif
};

static const struct unpacker *unpacker_of(struct packed *packed)
{
    while (packed->end < 4 && packed_widen(packed))
        ;
    for (size_t i = 0; i < sizeof unpackers / sizeof *unpackers; i++) {
        const struct unpacker *u = unpackers[i];
        if (packed->end >= u->magic_bytes && memcmp(packed->block, u->magic, u->magic_bytes) == 0)
            return u;
    }
    return NULL;
}

static size_t unpack(void *context, unsigned char *into, size_t room)
{
    struct source *source = context;
    return source->damage ? 0 : source->unpacker->read(source->state, &source->packed, into, room, &source->damage);
}

static void note_path(struct source *source, const char *path)
{
    source->path = mem_alloc(strlen(path) + 1);
    strcpy(source->path, path);
}

/* Looks at the first bytes and sets the unpacker to work. */
static struct source *start(struct source *source)
{
    source->unpacker = unpacker_of(&source->packed);
    if (source->unpacker) {
        source->state = source->unpacker->open();
        source->ahead = ahead_open(unpack, source);
    }
    return source;
}

/* A descriptor to read from, and the size of the file or -1; -1 with *err. */
static int open_file(const char *path, int64_t *bytes, struct steptime_error *err)
{
    const bool standard = strcmp(path, "-") == 0;
    const int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) < 0) {
        fail_at(err, STEPTIME_INPUT, str_of(path), -1, "cannot be read: %s", strerror(errno));
        return -1;
    }
    if (S_ISDIR(status.st_mode)) {
        close(fd);
        fail_at(err, STEPTIME_INPUT, str_of(path), -1, "is a directory");
        return -1;
    }
    *bytes = S_ISREG(status.st_mode) ? (int64_t)status.st_size : -1;
    return fd;
}

struct source *source_open(const char *path, struct steptime_error *err)
{
    int64_t bytes;
    const int fd = open_file(path, &bytes, err);
    if (fd < 0)
        return NULL;
    struct source *source = mem_zeroed(sizeof *source);
    note_path(source, path);
    source->file_bytes = bytes;
    source->chunk = SIZE_MAX;
    packed_open(&source->packed, fd);
    return start(source);
}

struct source *source_of_bytes(const char *path, const void *bytes, size_t count, size_t chunk)
{
    struct source *source = mem_zeroed(sizeof *source);
    note_path(source, path);
    source->file_bytes = (int64_t)count;
    source->chunk = chunk;
    packed_open_memory(&source->packed, bytes, count, chunk);
    return start(source);
}

/* Bytes behind the head. */
static size_t read_on(struct source *source, void *into, size_t room)
{
    return source->ahead ? ahead_read(source->ahead, into, room) : packed_read(&source->packed, into, room);
}

str source_head(struct source *source, size_t bytes)
{
    source->head = mem_grow(source->head, &source->head_room, source->head_at + bytes, 1);
    for (size_t got = 1; got && source->head_end - source->head_at < bytes; source->head_end += got)
        got = read_on(source, source->head + source->head_end, source->head_at + bytes - source->head_end);
    return (str){source->head + source->head_at, source->head_end - source->head_at};
}

static size_t read_head(struct source *source, void *into, size_t room)
{
    const size_t left = source->head_end - source->head_at, most = room < source->chunk ? room : source->chunk;
    const size_t count = left < most ? left : most;
    memcpy(into, source->head + source->head_at, count);
    source->head_at += count;
    if (source->head_at == source->head_end)
        source->head_at = source->head_end = 0;
    return count;
}

size_t source_read(struct source *source, void *into, size_t room)
{
    const size_t got = source->head_at < source->head_end ? read_head(source, into, room) : read_on(source, into, room);
    source->offset += (int64_t)got;
    return got;
}

int64_t source_offset(const struct source *source)
{
    return source->offset;
}

bool source_seek(struct source *source, int64_t offset)
{
    if (source->unpacker || source->file_bytes < 0 || !packed_seek(&source->packed, offset))
        return false;
    source->head_at = source->head_end = 0;
    source->offset = offset;
    return true;
}

void source_pause_ahead(struct source *source)
{
    if (source->ahead && source->unpacker->light)
        ahead_pause(source->ahead);
}

void source_resume_ahead(struct source *source)
{
    if (source->ahead && source->unpacker->light)
        ahead_resume(source->ahead);
}

const char *source_damage(struct source *source)
{
    if (!source->packed.failed)
        return source->damage;
    format_text(source->damage_text, sizeof source->damage_text, "reading failed: %s", strerror(source->packed.failed));
    return source->damage_text;
}

int64_t source_packed_bytes(const struct source *source)
{
    return source->packed.taken;
}

int64_t source_file_bytes(const struct source *source)
{
    return source->file_bytes;
}

const char *source_path(const struct source *source)
{
    return source->path;
}

void source_close(struct source *source)
{
    if (!source)
        return;
    if (source->ahead)
        ahead_close(source->ahead);
    if (source->unpacker)
        source->unpacker->close(source->state);
    packed_close(&source->packed);
    mem_free(source->head);
    mem_free(source->path);
    mem_free(source);
}

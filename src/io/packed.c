/* SPDX-License-Identifier: Apache-2.0 */
#include "packed.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

enum { BLOCK = 64 << 10 };

void packed_open(struct packed *packed, int fd)
{
    *packed = (struct packed){.fd = fd, .block = mem_alloc(BLOCK)};
}

void packed_open_memory(struct packed *packed, const void *bytes, size_t count, size_t chunk)
{
    *packed =
        (struct packed){.fd = -1, .memory = bytes, .memory_left = count, .chunk = chunk, .block = mem_alloc(BLOCK)};
}

void packed_close(struct packed *packed)
{
    if (packed->fd > STDIN_FILENO)
        close(packed->fd);
    mem_free(packed->block);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t read_memory(struct packed *packed, unsigned char *into, size_t room)
{
    const size_t count = smaller(smaller(packed->memory_left, packed->chunk), room);
    if (count)
        memcpy(into, packed->memory, count);
    packed->memory += count;
    packed->memory_left -= count;
    return count;
}

static size_t read_file(struct packed *packed, unsigned char *into, size_t room)
{
    ssize_t got;
    do
        got = read(packed->fd, into, room);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        packed->failed = errno;
    return got > 0 ? (size_t)got : 0;
}

static size_t read_more(struct packed *packed, unsigned char *into, size_t room)
{
    const size_t got = packed->fd < 0 ? read_memory(packed, into, room) : read_file(packed, into, room);
    packed->taken += (int64_t)got;
    return got;
}

bool packed_more(struct packed *packed)
{
    if (packed->at == packed->end) {
        packed->at = 0;
        packed->end = read_more(packed, packed->block, BLOCK);
    }
    return packed->at < packed->end;
}

bool packed_widen(struct packed *packed)
{
    const size_t got = read_more(packed, packed->block + packed->end, BLOCK - packed->end);
    packed->end += got;
    return got > 0;
}

size_t packed_read(struct packed *packed, unsigned char *into, size_t room)
{
    if (packed->at == packed->end)
        return read_more(packed, into, room);
    const size_t count = smaller(packed->end - packed->at, room);
    memcpy(into, packed->block + packed->at, count);
    packed->at += count;
    return count;
}

bool packed_seek(struct packed *packed, int64_t offset)
{
    if (packed->fd < 0 || lseek(packed->fd, (off_t)offset, SEEK_SET) < 0)
        return false;
    packed->at = packed->end = 0;
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was read but not given yet is kept: at first the bytes behind the first
 * line, later the beginning of the line in which the last block ended. A block
 * begins with it.
 */
#include "job_lines.h"

#include "base/error.h"
#include "base/mem.h"
#include "io/source.h"

struct job_lines {
    struct source *source;
    char *kept; /* room for LINES_BLOCK */
    size_t kept_bytes;
    char *first;
    str first_line;
    uint64_t first_begin, first_end; /* bytes of the file where the first line begins, and the next one */
    uint64_t offset;                 /* of what is kept */
    uint64_t line;                   /* number of the line at it */
    uint64_t end;                    /* lines that begin there or behind are not of this share */
    bool ended;                      /* the source is */
    bool line_of_share;
    uint64_t first_number; /* line number of the first line */
    size_t block;          /* of the file, where blocks are shared */
    unsigned share, shares_of_blocks;
};

static size_t read_up_to(struct job_lines *lines, char *into, size_t room)
{
    size_t bytes = 0, got = 1;
    while (bytes < room && (got = source_read(lines->source, into + bytes, room - bytes)) > 0)
        bytes += got;
    lines->ended |= bytes < room;
    return bytes;
}

/* In sums of one byte as long as none can be full: these are added many at a time. */
static uint64_t count_lines(const char *text, size_t bytes)
{
    enum { LANES = 64, ROUNDS = UINT8_MAX };
    uint64_t count = 0;
    size_t at = 0;
    while (bytes - at >= LANES) {
        uint8_t sums[LANES] = {0};
        for (int round = 0; round < ROUNDS && bytes - at >= LANES; round++, at += LANES)
            for (int lane = 0; lane < LANES; lane++)
                sums[lane] = (uint8_t)(sums[lane] + (text[at + (size_t)lane] == '\n'));
        for (int lane = 0; lane < LANES; lane++)
            count += sums[lane];
    }
    for (; at < bytes; at++)
        count += text[at] == '\n';
    return count;
}

static bool is_blank(str line)
{
    return str_trim(line).len == 0;
}

/* Finds the first line in what was read at first. False where there is none that ends. */
static bool find_first(struct job_lines *lines)
{
    str rest = {lines->kept, lines->kept_bytes};
    if (str_starts(rest, S("\xEF\xBB\xBF")))
        rest = str_from(rest, 3);
    for (lines->first_number = 1; rest.len; lines->first_number++) {
        const char *const newline = memchr(rest.at, '\n', rest.len);
        if (!newline && !lines->ended)
            return false;
        const str line = {rest.at, newline ? (size_t)(newline - rest.at) : rest.len};
        lines->first_begin = (uint64_t)(rest.at - lines->kept);
        lines->first_end = lines->first_begin + line.len + (newline != NULL);
        lines->first_line = line;
        if (!is_blank(line))
            return true;
        rest = str_from(rest, line.len + (newline != NULL));
    }
    return false;
}

static void keep_first(struct job_lines *lines)
{
    str line = lines->first_line;
    if (str_ends(line, S("\r")))
        line.len--;
    lines->first = mem_alloc(line.len + 1);
    memcpy(lines->first, line.at, line.len);
    lines->first_line.at = lines->first;
    lines->first_line.len = line.len;
}

static struct job_lines *refuse(struct job_lines *lines, struct steptime_error *err)
{
    const char *const damage = source_damage(lines->source);
    const str path = str_of(source_path(lines->source));
    if (damage)
        fail_at(err, STEPTIME_INPUT, path, -1, "%s", damage);
    else if (!lines->ended)
        fail_at(err, STEPTIME_INPUT, path, -1, "its first line does not end: no table");
    else
        fail_at(err, STEPTIME_INPUT, path, -1, "it is empty; a table was expected");
    job_lines_close(lines);
    return NULL;
}

struct job_lines *job_lines_open(const char *path, struct steptime_error *err)
{
    struct source *const source = source_open(path, err);
    if (!source)
        return NULL;
    struct job_lines *const lines = mem_zeroed(sizeof *lines);
    lines->source = source;
    lines->kept = mem_alloc(LINES_BLOCK);
    lines->kept_bytes = read_up_to(lines, lines->kept, LINES_BLOCK);
    if (!find_first(lines))
        return refuse(lines, err);
    keep_first(lines);
    return lines;
}

str job_lines_first(const struct job_lines *lines)
{
    return lines->first_line;
}

static void drop_kept(struct job_lines *lines, size_t bytes)
{
    lines->kept_bytes -= bytes;
    memmove(lines->kept, lines->kept + bytes, lines->kept_bytes);
    lines->offset += bytes;
}

/* Keeps what lies behind the next line end; nothing where none comes. */
static void pass_line(struct job_lines *lines)
{
    for (;;) {
        const char *const newline = memchr(lines->kept, '\n', lines->kept_bytes);
        if (newline) {
            drop_kept(lines, (size_t)(newline - lines->kept) + 1);
            lines->line++;
            return;
        }
        drop_kept(lines, lines->kept_bytes);
        if (lines->ended)
            return;
        lines->kept_bytes = read_up_to(lines, lines->kept, LINES_BLOCK);
    }
}

/* To the first line that begins at `from` or behind: behind the end of the one that the byte before belongs to. */
static void go_to(struct job_lines *lines, uint64_t from)
{
    source_seek(lines->source, (int64_t)from - 1);
    lines->ended = false;
    lines->offset = from - 1;
    lines->kept_bytes = read_up_to(lines, lines->kept, LINES_BLOCK);
    pass_line(lines);
    lines->line = 1;
    lines->line_of_share = true;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The share's part of the bytes of a plain file; false where they are packed, or come through a pipe. */
static bool share_bytes(struct job_lines *lines, uint64_t begin, unsigned share, unsigned shares)
{
    const int64_t size = source_file_bytes(lines->source);
    if (size < 0 || !source_seek(lines->source, (int64_t)(lines->offset + lines->kept_bytes)))
        return false;
    const uint64_t part = (uint64_t)size / shares;
    if (share + 1 < shares)
        lines->end = larger(part * (share + 1), begin);
    const uint64_t from = larger(part * share, begin);
    if (share && from > begin)
        go_to(lines, from);
    return true;
}

void job_lines_start(struct job_lines *lines, bool behind_first, unsigned share, unsigned shares)
{
    const uint64_t begin = behind_first ? lines->first_end : lines->first_begin;
    lines->end = UINT64_MAX;
    lines->line = lines->first_number + behind_first;
    lines->shares_of_blocks = 1;
    drop_kept(lines, begin);
    if (shares > 1 && !share_bytes(lines, begin, share, shares)) {
        lines->share = share;
        lines->shares_of_blocks = shares;
    }
}

/* Where the lines end that are given now: behind the last whole one of this share. 0: none is whole. */
static size_t cut(const struct job_lines *lines, const char *text, size_t bytes)
{
    if (lines->end - lines->offset <= bytes) {
        const size_t last = (size_t)(lines->end - 1 - lines->offset); /* its line is the last one of this share */
        const char *const newline = memchr(text + last, '\n', bytes - last);
        return newline ? (size_t)(newline - text) + 1 : lines->ended ? bytes : 0;
    }
    if (lines->ended)
        return bytes;
    const char *const newline = memrchr(text, '\n', bytes);
    return newline ? (size_t)(newline - text) + 1 : 0;
}

/* Pads the block, and ends its last line. */
static void close_block(struct lines_block *block, size_t bytes)
{
    if (bytes && block->text[bytes - 1] != '\n')
        block->text[bytes++] = '\n';
    memset(block->text + bytes, 0, LINES_PAD);
    block->bytes = bytes;
}

/* Takes over what was read but not cut off. */
static void keep(struct job_lines *lines, const char *rest, size_t bytes)
{
    memcpy(lines->kept, rest, bytes);
    lines->kept_bytes = bytes;
}

static bool next_of_file(struct job_lines *lines, struct lines_block *block)
{
    if (lines->offset >= lines->end || (lines->ended && !lines->kept_bytes))
        return false;
    memcpy(block->text, lines->kept, lines->kept_bytes);
    size_t bytes = lines->kept_bytes;
    if (!lines->ended)
        bytes += read_up_to(lines, block->text + bytes, LINES_BLOCK - bytes);
    if (!bytes)
        return false;
    block->line = lines->line;
    const size_t end = cut(lines, block->text, bytes);
    keep(lines, block->text + end, bytes - end);
    if (!end) {
        pass_line(lines);
        block->bytes = 0;
        return true;
    }
    lines->offset += end;
    close_block(block, end);
    lines->line += count_lines(block->text, block->bytes);
    return true;
}

bool job_lines_next(struct job_lines *lines, struct lines_block *block)
{
    while (next_of_file(lines, block))
        if (lines->block++ % lines->shares_of_blocks == lines->share)
            return true;
    return false;
}

uint64_t job_lines_count(const struct job_lines *lines)
{
    return lines->line - 1;
}

bool job_lines_count_from_share(const struct job_lines *lines)
{
    return lines->line_of_share;
}

const char *job_lines_damage(struct job_lines *lines)
{
    return source_damage(lines->source);
}

int64_t job_lines_read_bytes(const struct job_lines *lines)
{
    return source_packed_bytes(lines->source);
}

void job_lines_close(struct job_lines *lines)
{
    source_close(lines->source);
    mem_free(lines->kept);
    mem_free(lines->first);
    mem_free(lines);
}

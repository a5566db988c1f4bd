/* SPDX-License-Identifier: Apache-2.0 */
/* A block ends with a line end and pad behind it, so that no step needs to know the end within a line. */
#include "job_fields.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { STEP = 64 };

#ifdef __SSE2__
static uint64_t marks_of_16(const char *at)
{
    const __m128i bytes = _mm_loadu_si128((const __m128i *)at);
    const __m128i comma = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(','));
    const __m128i line = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n'));
    return (uint64_t)_mm_movemask_epi8(_mm_or_si128(comma, line));
}

static uint64_t marks_at(const char *at)
{
    return marks_of_16(at) | marks_of_16(at + 16) << 16 | marks_of_16(at + 32) << 32 | marks_of_16(at + 48) << 48;
}
#else
static uint64_t marks_at(const char *at)
{
    uint64_t marks = 0;
    for (int i = 0; i < STEP; i++)
        marks |= (uint64_t)(at[i] == ',' || at[i] == '\n') << i;
    return marks;
}
#endif

struct field_cursor field_cursor(const struct lines_block *block)
{
    return (struct field_cursor){block->text, block->text + block->bytes, block->text,
                                 block->bytes ? marks_at(block->text) : 0};
}

/* The next comma or line end; there is one, since a block ends with one. */
static inline char *next_mark(struct field_cursor *cursor)
{
    while (!cursor->marks) {
        cursor->base += STEP;
        cursor->marks = marks_at(cursor->base);
    }
    const char *const mark = cursor->base + __builtin_ctzll(cursor->marks);
    cursor->marks &= cursor->marks - 1;
    return (char *)mark;
}

/* Forgets the marks before `at`. */
static void pass_to(struct field_cursor *cursor, const char *at)
{
    if (at - cursor->base >= STEP) {
        cursor->base = at;
        cursor->marks = marks_at(at);
    } else {
        cursor->marks &= ~(uint64_t)0 << (at - cursor->base);
    }
}

static char *line_end(char *at)
{
    return rawmemchr(at, '\n');
}

/*
 * The field whose opening quote is at `at`, doubled quotes made single in place. Gives the mark behind it, NULL with
 * *problem where the quotes are broken.
 */
static char *quoted_field(struct field_cursor *cursor, char *at, str *field, const char **problem)
{
    char *const start = at + 1, *const end = line_end(at);
    char *to = start;
    for (at = start; at < end && (*at != '"' || at[1] == '"'); at++) {
        at += *at == '"';
        *to++ = *at;
    }
    if (at >= end) {
        *problem = "a quote that is not closed in its line";
        return NULL;
    }
    at++;
    at += *at == '\r' && at + 1 == end;
    if (*at != ',' && *at != '\n') {
        *problem = "text behind a closing quote";
        return NULL;
    }
    *field = (str){start, (size_t)(to - start)};
    pass_to(cursor, at);
    return next_mark(cursor);
}

static char *plain_field(struct field_cursor *cursor, char *start, str *field)
{
    char *const mark = next_mark(cursor);
    size_t len = (size_t)(mark - start);
    len -= *mark == '\n' && len && mark[-1] == '\r';
    *field = (str){start, len};
    return mark;
}

/* Behind the current line. */
static void leave_line(struct field_cursor *cursor, char *end)
{
    cursor->at = end + 1;
    if (cursor->at < cursor->end)
        pass_to(cursor, cursor->at);
}

bool fields_of_csv(struct field_cursor *cursor, str *fields, uint32_t room, struct csv_row *row, const char **problem)
{
    if (cursor->at >= cursor->end)
        return false;
    char *const start = cursor->at;
    char *at = start, *mark;
    uint32_t count = 0;
    *problem = NULL;
    do {
        str spare, *const field = count < room ? &fields[count] : &spare;
        mark = *at == '"' ? quoted_field(cursor, at, field, problem) : plain_field(cursor, at, field);
        count++;
        at = mark ? mark + 1 : at;
    } while (mark && *mark == ',');
    if (!mark)
        mark = line_end(start);
    leave_line(cursor, mark);
    *row = (struct csv_row){fields, count, {start, (size_t)(mark - start)}};
    if (count == 1 && !*problem && str_trim(fields[0]).len == 0)
        row->count = 0;
    if (count > room)
        *problem = "it has more fields than the header";
    return true;
}

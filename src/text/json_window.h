/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window that slides over a source: the bytes [at, end), with NULs behind
 * them. A reader works inside it with plain pointers; where the text it wants
 * goes past the end it asks for more, and starts that piece again.
 */
#ifndef TEXT_JSON_WINDOW_H
#define TEXT_JSON_WINDOW_H

#include "io/source.h"
#include "json_scan.h"

enum { JSON_WINDOW = 128 << 10 }; /* the usual room: what is read stays in the second-level cache until it is parsed */

struct json_window {
    struct source *source;
    char *bytes;
    size_t room;    /* without the NULs at the end */
    size_t step;    /* most that is read at once: the room at first */
    const char *at; /* first byte still wanted; the reader moves it on */
    const char *end;
    int64_t before;            /* bytes of the source before `bytes` */
    bool ended;                /* nothing follows `end` */
    _Atomic int64_t *progress; /* told the packed bytes read so far; may be NULL */
};

void json_window_open(struct json_window *window, struct source *source, size_t room, _Atomic int64_t *progress);
void json_window_close(struct json_window *window);

/*
 * Reads more behind `end`, moving what lies from `at` on, and growing up to
 * `limit` bytes where the window is full of wanted bytes. At least doubles what
 * is wanted, so that starting a long piece again and again costs twice its
 * length. False where the source is at its end, or the limit is reached
 * (ended tells which).
 */
bool json_window_more(struct json_window *window, size_t limit);

/*
 * The bytes as they come, past the reader: up to `room` of them to `into`, those of the window first, then the
 * source's. 0 at the end.
 */
size_t json_window_take(struct json_window *window, char *into, size_t room);

/* Puts bytes back before `at`: what was taken last, or read over, so that they come again. */
void json_window_unread(struct json_window *window, const char *bytes, size_t count);

/* A window over text in memory, padded for json_scan.h, that lies at `offset` of its file. Not to be closed. */
struct json_window json_window_of_text(char *text, size_t length, int64_t offset);

/* The next byte that is no blank, moving `at` to it; 0 at the end of the source. */
char json_window_peek(struct json_window *window);

/*
 * Moves behind the value at `at`, however long, by its quotes and brackets
 * alone. False where the source ends inside it, or it is deeper than any data.
 */
bool json_window_skip(struct json_window *window);

/* Offset of a byte of the window in the unpacked file. */
static inline int64_t json_window_offset(const struct json_window *window, const char *at)
{
    return window->before + (at - window->bytes);
}

#endif
